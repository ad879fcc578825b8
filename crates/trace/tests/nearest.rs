//! Nearest points: against a look at every triangle, bit for bit; against the exact distances of
//! spheres; and which side one is on against the winding number of closed surfaces.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::Preset;
use common::kernels;
use geometry::random::Random;
use geometry::{Aabb, Sphere, Transform, TriangleRule, Vec3};
use glam::DVec3;
use machine::{BeamShape, LeafRule};
use scene::builtin::Builtin;
use scene::{Geometry, Instance, Object, Scene, Shape};
use testkit::worlds;
use trace::nearest::triangle::{nearest_point, weighted_normal};
use trace::{Mode, NearestPoint, Options, Tracer};
use tree::Tree;

/// Looks at every triangle.
fn by_all(tree: &Tree, point: Vec3, mask: u8, within: f64) -> NearestPoint {
    let placed: Vec<(usize, u32, Option<Transform>)> = match &tree.tlas {
        None => vec![(0, 0, None)],
        Some(tlas) => {
            let seen = tlas.instances.iter().enumerate().filter(|one| one.1.mask & mask != 0);
            seen.map(|(n, one)| (one.blas as usize, n as u32, Some(one.world_to_object))).collect()
        }
    };
    let mut found = Vec::new();
    for (blas, instance, transform) in placed {
        let (linear, offset) = transform.unwrap_or(Transform::IDENTITY).to_f64();
        let (here, back) = (linear * point.as_dvec3() + offset, linear.inverse());
        let primitives = &tree.blases[blas].primitives;
        for (triangle, id) in primitives.triangles.iter().zip(&primitives.ids) {
            let corners = triangle.vertices.map(|v| back * (v.as_dvec3() - here));
            let nearest = nearest_point(&corners);
            let normal = weighted_normal(&corners, nearest.feature) * linear.determinant().signum();
            found.push((nearest, (instance, id.geometry, id.primitive), normal));
        }
    }
    found.retain(|(nearest, ..)| nearest.distance_squared <= within * within);
    found.sort_by(|a, b| a.0.distance_squared.total_cmp(&b.0.distance_squared).then(a.1.cmp(&b.1)));
    found.dedup_by_key(|one| one.1);
    let Some(&(best, (instance, geometry, primitive), _)) = found.first() else {
        return NearestPoint::MISS;
    };
    let sharers = found.iter().filter(|(other, ..)| {
        other.distance_squared == best.distance_squared && other.offset == best.offset
    });
    let normal: DVec3 = sharers.map(|sharer| sharer.2).sum();
    NearestPoint {
        point: (point.as_dvec3() + best.offset).to_array(),
        distance: best.distance_squared.sqrt(),
        u: best.weights[0],
        v: best.weights[1],
        instance,
        geometry,
        primitive,
        is_inside: best.offset.dot(normal) > 0.0,
    }
}

/// Points in and around a box, on a coarse grid at times, and on corners.
fn points(bounds: &Aabb, corners: &[Vec3], count: usize, seed: u64) -> Vec<Vec3> {
    let mut random = Random(seed);
    let mut points: Vec<Vec3> = (0..count)
        .map(|n| {
            let point = worlds::point_in(bounds, 1.0 + (n % 3) as f32, &mut random);
            if n % 4 == 0 { (point * 2.0).round() / 2.0 } else { point }
        })
        .collect();
    points.extend((0..count / 8).map(|_| random.pick(corners)));
    points
}

#[test]
fn every_tracer_finds_what_a_look_at_every_triangle_finds() {
    let mut trees = worlds::scenes();
    trees.extend([worlds::mixed(), worlds::instanced()]);
    let (mut inside, mut missed, mut tied) = (0, 0, 0);
    for (number, tree) in trees.iter().enumerate() {
        let corners: Vec<Vec3> = tree.corners().collect();
        let points = points(&tree.bounds(), &corners, 160, 90 + number as u64);
        for (mask, share) in [(0xFF, f64::INFINITY), (0x80, 0.05), (0xFF, 0.0)] {
            let within = share * f64::from(tree.bounds().extent().length());
            let expected: Vec<NearestPoint> =
                points.iter().map(|&point| by_all(tree, point, mask, within)).collect();
            inside += expected.iter().filter(|found| found.is_inside).count();
            missed += expected.iter().filter(|found| found.is_miss()).count();
            tied += expected.iter().filter(|found| found.distance == 0.0).count();
            for keeps_boxes in [false, true] {
                let options = Options { keeps_boxes, ..Options::default() };
                let tracer = Tracer::from_tree(tree, options).unwrap();
                let ask = tracer.nearest().mask(mask).within(within);
                assert_eq!(ask.points(&points), expected, "scene {number}, mask {mask:#x}");
                assert_eq!(ask.point(points[7]), expected[7]);
            }
        }
    }
    assert!(inside > 200 && missed > 200 && tied > 100, "{inside} {missed} {tied}");
}

#[test]
fn images_in_place_answer_as_what_they_decode_to() {
    for obb in [false, true] {
        let scene = Builtin::Hairball.scene(3_000);
        let (image, tree) = common::checked_with(&scene, Preset::Best, obb);
        let corners: Vec<Vec3> = tree.corners().collect();
        let points = points(&tree.bounds(), &corners, 200, 5);
        let expected: Vec<NearestPoint> =
            points.iter().map(|&point| by_all(&tree, point, 0xFF, f64::INFINITY)).collect();
        for kernel in kernels() {
            let mode = Mode::InPlace;
            let options = Options { mode, kernel: Some(kernel), ..Options::default() };
            let tracer = Tracer::from_image(image.clone(), options).unwrap();
            assert_eq!(tracer.nearest_points(&points), expected, "{kernel}, oriented: {obb}");
        }
    }
}

/// A sphere's exact distance, rounded down, is that of rational arithmetic.
#[test]
fn distances_are_those_of_exact_arithmetic() {
    for scene in [Builtin::Interior.scene(3_000), Builtin::Forest.scene(4_000)] {
        let tracer = Tracer::new(&scene).unwrap();
        let bounds = scene.bounds().unwrap();
        let mut random = Random(77);
        for _ in 0..400 {
            let center = worlds::point_in(&bounds, 1.5, &mut random);
            let sphere = Sphere { center, radius: 1.0e6 };
            let shape = BeamShape::volume(sphere, LeafRule::Exact).unwrap();
            let exact = tracer.shape(shape).unwrap().first().unwrap().t;
            let found = tracer.nearest_point(center).distance;
            let (low, high) = (f64::from(exact), f64::from(exact.next_up()));
            assert!(low * (1.0 - 1e-12) <= found && found <= high * (1.0 + 1e-12), "{low} {found}");
        }
    }
}

/// A closed surface with spikes and dents: a sphere whose corners were moved along their radii.
fn spiky(random: &mut Random, rings: u32, sides: u32) -> Geometry {
    let mut positions = vec![Vec3::Y * random.range(0.3, 2.0)];
    for ring in 1..rings {
        for side in 0..sides {
            let polar = ring as f32 / rings as f32 * std::f32::consts::PI;
            let angle = side as f32 / sides as f32 * std::f32::consts::TAU;
            let direction =
                Vec3::new(polar.sin() * angle.cos(), polar.cos(), -polar.sin() * angle.sin());
            positions.push(direction * random.range(0.3, 2.0));
        }
    }
    positions.push(Vec3::NEG_Y * random.range(0.3, 2.0));
    let at = |ring: u32, side: u32| match ring {
        0 => 0,
        ring if ring == rings => 1 + (rings - 1) * sides,
        ring => 1 + (ring - 1) * sides + side % sides,
    };
    let mut indices = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            indices.extend(
                [[a, c, d], [a, d, b]]
                    .into_iter()
                    .filter(|t| t[0] != t[1] && t[1] != t[2] && t[2] != t[0]),
            );
        }
    }
    Geometry::new("", true, Shape::Triangles { positions, indices })
}

/// How often a surface goes round a point (van Oosterom and Strackee 1983).
fn winding(triangles: &[[DVec3; 3]], point: DVec3) -> f64 {
    let angle = |corners: &[DVec3; 3]| {
        let [a, b, c] = corners.map(|corner| corner - point);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    };
    triangles.iter().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

#[test]
fn inside_is_where_the_surface_goes_round() {
    let mut random = Random(21);
    let (mut inside, mut outside) = (0, 0);
    for round in 0..12 {
        let geometry = spiky(&mut random, 5 + round, 7 + round);
        let transform = match round % 3 {
            0 => None,
            1 => Some(Transform {
                rows: [[0.0, 2.0, 0.0, 5.0], [-1.0, 0.3, 0.0, 1.0], [0.0, 0.0, 3.0, -4.0]],
            }),
            _ => Some(Transform {
                rows: [[-1.0, 0.0, 0.5, 5.0], [0.0, 2.0, 0.0, 1.0], [0.0, 0.0, 3.0, -4.0]],
            }),
        };
        let placed: Vec<[DVec3; 3]> = {
            let (linear, offset) = transform.unwrap_or(Transform::IDENTITY).to_f64();
            geometry
                .triangles()
                .map(|t| t.vertices.map(|v| linear * v.as_dvec3() + offset))
                .collect()
        };
        let objects = vec![Object { name: String::new(), geometries: vec![geometry] }];
        let instances =
            transform.map(|transform| Instance::new(0, transform)).into_iter().collect();
        let scene = Scene { objects, instances, ..Scene::default() };
        let tracer = Tracer::new(&scene).unwrap();
        let bounds = scene.bounds().unwrap();
        let asked: Vec<Vec3> =
            (0..3_000).map(|_| worlds::point_in(&bounds, 1.1, &mut random)).collect();
        for (point, signed) in asked.iter().zip(tracer.signed_distances(&asked)) {
            let turns = winding(&placed, point.as_dvec3());
            if signed.abs() > 1e-6 {
                assert_eq!(signed < 0.0, turns.abs() > 0.5, "{round}: {point} {signed} {turns}");
            }
            *if signed < 0.0 { &mut inside } else { &mut outside } += 1;
        }
    }
    assert!(inside > 3_000 && outside > 3_000, "{inside} {outside}");
}

#[test]
fn odd_points_have_answers() {
    let tracer = Tracer::new(&Builtin::Interior.scene(500)).unwrap();
    for point in [Vec3::NAN, Vec3::new(f32::INFINITY, 0.0, 0.0)] {
        assert!(tracer.nearest_point(point).is_miss());
    }
    let far = tracer.nearest_point(Vec3::splat(f32::MAX));
    assert!(!far.is_miss() && far.distance > f64::from(f32::MAX));
    assert!(tracer.nearest().mask(0).point(Vec3::ZERO).is_miss());
    assert!(tracer.nearest().within(f64::NAN).point(Vec3::ZERO).is_miss());
    assert!(tracer.nearest().within(-1.0).point(Vec3::ZERO).is_miss());
    let empty = Tracer::new(&Scene { objects: vec![Object::default()], ..Scene::default() });
    assert!(empty.unwrap().nearest_point(Vec3::ZERO).is_miss());
    let rule = TriangleRule::MollerTrumbore; // asks about rays, not about points
    let other = Options { rule, ..Options::default() };
    let other = Tracer::with_options(&Builtin::Interior.scene(500), other).unwrap();
    assert_eq!(other.nearest_point(Vec3::ONE), tracer.nearest_point(Vec3::ONE));
}
