//! Beam queries of the tracer against brute force: instanced worlds, cut triangles, both rules,
//! both modes, every kernel; the same bits.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use build::{Options as BuildOptions, Preset};
use geometry::random::Random;
use geometry::{Aabb, Beam, Frustum, Sphere, Transform, TriangleRule, Vec3};
use gfx12::Gfx12;
use gfx12::encode::{Options as EncodeOptions, Policy};
use machine::{
    BeamQuery, BeamShape, Checked, Counters, Format, Hit, HitKind, LeafRule, Machine, Oracle,
    Query, TreeFormat,
};
use scene::builtin::Builtin;
use scene::{Geometry, Instance, Object, Scene, Shape};
use std::ops::ControlFlow;
use std::sync::Arc;
use trace::beam::{BeamsError, Visit};
use trace::{Kernel, Mode, Options, TraceError, Tracer};
use tree::Tree;

/// A proved image of a scene, and what it decodes to.
fn world(scene: &Scene, preset: Preset) -> (Arc<Checked<Gfx12>>, Tree) {
    let options = BuildOptions { preset, leaf_test_width: 8, ..BuildOptions::default() };
    let built = build::build(scene, &options, &|_| ControlFlow::Continue(())).unwrap();
    let format =
        Gfx12 { options: EncodeOptions { keep_leaves: true, ..EncodeOptions::new(Policy::Dense) } };
    let image = Arc::new(Gfx12::check(format.encode(&built.tree).unwrap()).checked.unwrap());
    let tree = image.tree().as_ref().clone();
    (image, tree)
}

/// Long thin triangles that splits cut, procedural boxes between them, turned and hidden instances.
fn placed_scene(random: &mut Random) -> Scene {
    let mut positions = Vec::new();
    for _ in 0..300 {
        let from = random.vector(-4.0, 4.0);
        let along = random.vector(-1.0, 1.0) * random.range(0.05, 6.0);
        positions.extend([from, from + along, from + along * 0.4 + random.vector(-0.1, 0.1)]);
    }
    let indices = (0..300).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
    let boxes = (0..20).map(|_| {
        let min = random.vector(-4.0, 4.0);
        Aabb::new(min, min + random.vector(0.0, 0.7))
    });
    let boxes = Shape::Boxes(boxes.collect());
    let geometry = |shape| Geometry::new("", true, shape);
    let thorns = Object {
        name: "thorns".into(),
        geometries: vec![geometry(Shape::Triangles { positions, indices })],
    };
    let crates = Object { name: "crates".into(), geometries: vec![geometry(boxes)] };
    let instances = (0..12).map(|number| {
        let mut rows = Transform::IDENTITY.rows;
        for (k, row) in rows.iter_mut().enumerate() {
            let turn = random.vector(-1.0, 1.0);
            row[..3].copy_from_slice(&(turn + Vec3::AXES[k] * 1.5).to_array());
            row[3] = random.range(-9.0, 9.0);
        }
        let mask = if number == 4 { 0x10 } else { 0x0F };
        Instance { mask, ..Instance::new(usize::from(number % 3 == 2), Transform { rows }) }
    });
    Scene {
        name: "thorns".into(),
        instances: instances.collect(),
        objects: vec![thorns, crates],
        ..Scene::default()
    }
}

/// Moving, growing, resting and flat boxes in and around `bounds`.
fn beam(bounds: &Aabb, random: &mut Random) -> Option<Beam> {
    let mut place = |share: f32| {
        let at = bounds.center() + bounds.extent() * random.vector(-0.7, 0.7);
        let half = bounds.extent() * random.vector(0.0, 1.0) * share;
        Aabb::new(at - half, at + half)
    };
    let (a, b) = (place(0.02), place(0.1));
    let beam = match random.below(5) {
        0 => Beam::swept(&a, Vec3::ZERO, 1.0),
        1 => Beam::swept(&a, (b.min - a.min) * Vec3::X, 1.5),
        2 => Beam::from_aabbs_shrinking(&b, &a),
        3 => Beam::swept(&Aabb::new(a.min, a.min), b.min - a.min, f32::INFINITY),
        _ => Beam::from_aabbs_shrinking(&a, &b),
    };
    beam.ok()
}

/// A beam, or a sphere or a frustum among them.
fn shape(bounds: &Aabb, leaf: LeafRule, random: &mut Random) -> Option<BeamShape> {
    let point = |random: &mut Random, share: f32| {
        bounds.center() + bounds.extent() * random.vector(-share, share)
    };
    let (eye, target) = (point(random, 0.8), point(random, 0.4));
    let size = bounds.extent().max_element();
    match random.below(6) {
        0 => {
            let radius = size * random.range(0.0, 0.3);
            BeamShape::volume(Sphere { center: target, radius }, leaf).ok()
        }
        1 => {
            let (right, up) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let (right, up) = (right * size * 0.1, up * size * 0.1);
            let (forward, near) = (target - eye, [0.0, 0.5][random.below(2)]);
            let far = [1.5, f32::INFINITY][random.below(2)];
            BeamShape::volume(Frustum { eye, forward, right, up, near, far }, leaf).ok()
        }
        _ => Some(BeamShape::new(beam(bounds, random)?, leaf)),
    }
}

fn bits(hit: &Hit) -> ([u32; 2], (u32, u32, u32)) {
    ([hit.t, hit.exit()].map(f32::to_bits), (hit.instance, hit.geometry, hit.primitive))
}

/// Asks every question of `beams` random beams; returns how many primitives were met.
fn compare(image: &Arc<Checked<Gfx12>>, tree: &Tree, beams: usize, seed: u64) -> usize {
    let oracle = Oracle::new(tree, TriangleRule::Watertight);
    let tracers = Mode::ALL.map(|mode| {
        Tracer::from_image(image.clone(), Options { mode, ..Options::default() }).unwrap()
    });
    let bounds = tree.bounds();
    let (mut random, mut met) = (Random(seed), 0);
    for number in 0..beams {
        let leaf = LeafRule::ALL[number % 2];
        let Some(shape) = shape(&bounds, leaf, &mut random) else { continue };
        let mask = if number % 5 == 0 { 0xF0 } else { 0xFF };
        let query = BeamQuery { mask, ..BeamQuery::new(HitKind::All, shape) };
        let asked = Query::from(query);
        let expected = oracle.answer(&asked).unwrap().hits;
        met += expected.len();
        let first = expected.iter().min_by(|a, b| a.total_cmp(b)).map(bits);
        for tracer in &tracers {
            let ask = tracer.shape(shape).unwrap().mask(mask);
            assert_eq!(ask.any(), first.is_some(), "{query:?}");
            assert_eq!(ask.first().as_ref().map(bits), first, "{query:?}");
            let mut got = Vec::new();
            ask.collect(&mut got);
            assert!(got.iter().map(bits).eq(expected.iter().map(bits)), "{query:?}");
            let mut shown = 0;
            ask.visit(|_| {
                shown += 1;
                if shown == 3 { Visit::Stop } else { Visit::Continue }
            });
            assert!(shown >= expected.len().min(3) && shown <= 3);
            let machine = tracer.beams().unwrap();
            for kernel in Kernel::ALL {
                let machine = machine.with_kernel(kernel);
                machine.answer(&query, &mut got, &mut Counters::default());
                assert!(got.iter().map(bits).eq(expected.iter().map(bits)), "{kernel} {query:?}");
            }
        }
    }
    met
}

#[test]
fn placed_and_cut_triangles() {
    for seed in 0..3 {
        let scene = placed_scene(&mut Random(seed));
        let (image, tree) = world(&scene, Preset::Best);
        let met = compare(&image, &tree, 120, seed + 40);
        assert!(met > 1_000, "{met}");
    }
}

#[test]
fn one_mesh_with_every_preset() {
    for preset in Preset::ALL {
        let (image, tree) = world(&Builtin::Interior.scene(3_000), preset);
        let met = compare(&image, &tree, 100, 7);
        assert!(met > 1_000, "{preset}: {met}");
    }
}

#[test]
fn a_scene_that_reaches_too_far_takes_rays_but_no_beams() {
    let far = Vec3::splat(2.0f32.powi(127));
    let shape =
        Shape::Triangles { positions: vec![Vec3::ZERO, Vec3::X, far], indices: vec![[0, 1, 2]] };
    let geometry = Geometry::new("", true, shape);
    let objects = vec![Object { name: String::new(), geometries: vec![geometry] }];
    let scene = Scene { name: "far".into(), objects, ..Scene::default() };
    match Tracer::new(&scene) {
        Ok(tracer) => {
            assert!(matches!(tracer.beams().unwrap_err(), BeamsError::World(_)));
        }
        Err(error) => assert!(matches!(error, TraceError::Build(_) | TraceError::Encode(_))),
    }
}
