//! Swept boxes and parts against a physics engine: parry, in f64.
//!
//! Its casts converge to a tolerance. So each case is cast with the box made a little smaller and a
//! little larger: what the smaller one hits must be hit, no later; what the larger one misses must
//! be missed; and nothing is hit before the larger one hits.
#![allow(clippy::unwrap_used, clippy::unreachable)] // helpers of tests may fail as tests do

use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{self, ShapeCastOptions};
use parry3d_f64::shape::{Cuboid, Shape as ParryShape, TriMesh};
use siliray::build::{Options, Preset, unwatched};
use siliray::flat_scene::FlatScene;
use siliray::geometry::random::Random;
use siliray::geometry::{Aabb, Beam, Vec3};
use siliray::scene::{Geometry, Object, Scene, Shape};
use siliray::sweep::SweepScene;
use siliray::trace::Tracer;

/// How much the box of a cast is moved in or out, for each unit of the numbers around.
const MARGIN: f64 = 1e-6;

fn f64s(v: Vec3) -> Vector {
    let [x, y, z] = v.to_array().map(f64::from);
    Vector::new(x, y, z)
}

fn single(shape: Shape) -> Scene {
    let geometry = Geometry::new("", true, shape);
    let objects = vec![Object { name: String::new(), geometries: vec![geometry] }];
    Scene { objects, ..Scene::default() }
}

/// Obstacles as siliray and as parry know them.
struct Obstacles {
    scene: Scene,
    parry: Vec<(Pose, Box<dyn ParryShape>)>,
}

impl Obstacles {
    fn triangles(positions: Vec<Vec3>) -> Self {
        let indices: Vec<[u32; 3]> =
            (0..positions.len() as u32 / 3).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        let points = positions.iter().map(|&p| f64s(p)).collect();
        let mesh = TriMesh::new(points, indices.clone()).unwrap();
        let scene = single(Shape::Triangles { positions, indices });
        Self { scene, parry: vec![(Pose::identity(), Box::new(mesh))] }
    }

    fn boxes(boxes: Vec<Aabb>) -> Self {
        let cuboid = |bounds: &Aabb| {
            let (min, max) = (f64s(bounds.min), f64s(bounds.max));
            let shape: Box<dyn ParryShape> = Box::new(Cuboid::new((max - min) * 0.5));
            (Pose::from_translation((min + max) * 0.5), shape)
        };
        let parry = boxes.iter().map(cuboid).collect();
        Self { scene: single(Shape::Boxes(boxes)), parry }
    }

    /// When a box in motion, grown by `margin`, meets the first of them within `[0, 1]`, by parry.
    fn cast(&self, start: &Aabb, along: Vec3, margin: f64) -> Option<f64> {
        let (min, max) = (f64s(start.min), f64s(start.max));
        let half = (max - min) * 0.5 + Vector::splat(margin);
        let (pose, cuboid) = (Pose::from_translation((min + max) * 0.5), Cuboid::new(half));
        let options = ShapeCastOptions::with_max_time_of_impact(1.0);
        let times = self.parry.iter().filter_map(|(place, shape)| {
            let still = Vector::ZERO;
            let shape = shape.as_ref();
            if query::intersection_test(&pose, &cuboid, place, shape).unwrap().intersecting {
                return Some(0.0);
            }
            if along == Vec3::ZERO {
                return None;
            }
            let hit = query::cast_shapes(&pose, f64s(along), &cuboid, place, still, shape, options);
            hit.unwrap().map(|hit| hit.time_of_impact)
        });
        times.min_by(f64::total_cmp)
    }
}

/// What came of a comparison.
#[derive(Debug, Default)]
struct Seen {
    hits: usize,
    misses: usize,
    at_the_start: usize,
    /// Cases in which parry's two casts agree, so that ours is pinned down.
    narrow: usize,
}

impl Seen {
    fn compare(&mut self, ours: Option<f32>, casts: [Option<f64>; 2], what: &str) {
        let [inner, outer] = casts;
        // Casts stop at a distance, so their times are off by that over the speed.
        let slack = 2.0 * MARGIN;
        if let Some(inner) = inner {
            assert!(
                ours.is_some_and(|t| f64::from(t) <= inner + slack),
                "{what} {ours:?} {casts:?}"
            );
        }
        match (ours.map(f64::from), outer) {
            (Some(t), Some(outer)) => {
                assert!(t >= outer - slack, "{what} {ours:?} {casts:?}");
                self.hits += 1;
                self.at_the_start += usize::from(t == 0.0);
                self.narrow += usize::from(inner.is_some_and(|inner| inner - outer < 1e-4));
            }
            (Some(_), None) => unreachable!("{what} {ours:?} {casts:?}"),
            (None, _) => self.misses += 1,
        }
    }
}

fn compare(obstacles: &Obstacles, cases: impl Iterator<Item = (Aabb, Vec3)>) -> Seen {
    let tracer = Tracer::new(&obstacles.scene).unwrap();
    let mut seen = Seen::default();
    for (start, along) in cases {
        let ask = tracer.beam(Beam::swept(&start, along, 1.0).unwrap()).unwrap();
        let exact = ask.exact().first().map(|hit| hit.t);
        let conservative = ask.first().map(|hit| hit.t);
        assert!(exact.is_none_or(|t| conservative.is_some_and(|early| early <= t)));
        let casts = [-MARGIN, MARGIN].map(|margin| obstacles.cast(&start, along, margin));
        seen.compare(exact, casts, &format!("{start:?} along {along:?}"));
    }
    seen
}

fn random_case(random: &mut Random) -> (Aabb, Vec3) {
    let center = random.vector(-2.0, 2.0);
    let half = random.vector(0.01, 0.3);
    let mut along = random.vector(-3.0, 3.0);
    if random.one_in(3) {
        along[random.below(3)] = 0.0; // along a face
    }
    (Aabb::new(center - half, center + half), along)
}

#[test]
fn boxes_cast_at_triangles() {
    let mut sum = Seen::default();
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut positions = Vec::new();
        for _ in 0..40 {
            let at = random.vector(-1.5, 1.5);
            positions.extend([0; 3].map(|_| at + random.vector(-0.4, 0.4)));
        }
        let obstacles = Obstacles::triangles(positions);
        let seen = compare(&obstacles, (0..150).map(|_| random_case(&mut random)));
        sum.hits += seen.hits;
        sum.misses += seen.misses;
        sum.at_the_start += seen.at_the_start;
        sum.narrow += seen.narrow;
    }
    assert!(sum.hits > 500 && sum.misses > 200 && sum.at_the_start > 50, "{sum:?}");
    assert!(sum.narrow * 10 > sum.hits * 9, "{sum:?}");
}

#[test]
fn boxes_cast_at_boxes() {
    let mut random = Random(90);
    let boxes = (0..60).map(|_| random_case(&mut random).0).collect();
    let obstacles = Obstacles::boxes(boxes);
    let seen = compare(&obstacles, (0..1500).map(|_| random_case(&mut random)));
    assert!(seen.hits > 500 && seen.misses > 100 && seen.at_the_start > 50, "{seen:?}");
    assert!(seen.narrow * 10 > seen.hits * 9, "{seen:?}");
}

/// Where engines differ: a wall at x = 2, and boxes that rest, touch, leave, slide along it or stop
/// just short.
#[test]
fn resting_touching_leaving_sliding() {
    let wall =
        vec![Vec3::new(2.0, -4.0, -4.0), Vec3::new(2.0, 8.0, -4.0), Vec3::new(2.0, -4.0, 8.0)];
    let obstacles = Obstacles::triangles(wall);
    let tracer = Tracer::new(&obstacles.scene).unwrap();
    let at = |x: f32| Aabb::new(Vec3::new(x - 1.0, -0.5, -0.25), Vec3::new(x, 0.5, 0.75));
    let (right, left, up) = (Vec3::X, Vec3::NEG_X, Vec3::Y);
    for (what, start, along, expected) in [
        ("at rest, apart", at(1.0), Vec3::ZERO, None),
        ("at rest, touching", at(2.0), Vec3::ZERO, Some(0.0)),
        ("at rest, through the wall", at(2.5), Vec3::ZERO, Some(0.0)),
        ("at rest, touching from behind", at(3.0), Vec3::ZERO, Some(0.0)),
        ("touching, leaving", at(2.0), left * 3.0, Some(0.0)),
        ("touching, pressing on", at(2.0), right, Some(0.0)),
        ("touching, sliding", at(2.0), up, Some(0.0)),
        ("sliding just beside", at(2.0f32.next_down()), up, None),
        ("leaving", at(1.5), left, None),
        ("stopping short", at(1.0), right * 1.0f32.next_down(), None),
        ("arriving", at(1.0), right, Some(1.0)),
        ("half way", at(1.0), right * 2.0, Some(0.5)),
        ("out of the way", at(1.0), Vec3::new(1.0, 400.0, 0.0), None),
    ] {
        let beam = Beam::swept(&start, along, 1.0).unwrap();
        let first = tracer.beam(beam).unwrap().exact().first();
        let t = first.map(|hit| hit.t);
        // A reported time is a lower bound by less than two steps of f32.
        let agrees = match (t, expected) {
            (Some(t), Some(expected)) => t <= expected && expected - t < 2.5e-7,
            (t, expected) => t == expected,
        };
        assert!(agrees, "{what}: {t:?}, expected {expected:?}");
        let casts = [-MARGIN, MARGIN].map(|margin| obstacles.cast(&start, along, margin));
        Seen::default().compare(t, casts, what);
    }
}

/// The twelve triangles of a box.
fn box_mesh(bounds: &Aabb) -> Shape {
    let quads =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let halves = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Shape::Triangles { positions: bounds.corners().to_vec(), indices: halves.collect() }
}

/// A part that is the surface of a box touches first when the box does, unless it starts around
/// something.
#[test]
fn parts_swept_through_triangles() {
    let mut random = Random(91);
    let mut positions = Vec::new();
    for _ in 0..60 {
        let at = random.vector(-1.5, 1.5);
        positions.extend([0; 3].map(|_| at + random.vector(-0.5, 0.5)));
    }
    let obstacles = Obstacles::triangles(positions);
    let scene = FlatScene::new(obstacles.scene.clone()).unwrap();
    let tree = Options::preset(Preset::Balanced).build(&scene.scene).unwrap();
    let sweep = SweepScene::new(&scene, &tree).unwrap();
    let mut seen = Seen::default();
    for _ in 0..600 {
        let (start, along) = random_case(&mut random);
        let casts = [-MARGIN, MARGIN].map(|margin| obstacles.cast(&start, along, margin));
        if casts[1] == Some(0.0) {
            continue;
        }
        let part = FlatScene::new(single(box_mesh(&start))).unwrap();
        let swept = sweep.sweep(&part, along, &unwatched).unwrap();
        let first = swept.first.map(|touch| touch.t);
        seen.compare(first, casts, &format!("{start:?} along {along:?}"));
    }
    assert!(seen.hits > 150 && seen.misses > 80 && seen.narrow * 10 > seen.hits * 9, "{seen:?}");
}
