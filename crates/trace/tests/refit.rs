//! Tracers that follow what moves: the answers of a tracer made anew, bit for bit.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use common::{bits, kernels};
use geometry::random::Random;
use geometry::{Aabb, Ray, Transform, Vec3};
use scene::builtin::Builtin;
use scene::{Geometry, Instance, Object, Scene, Shape};
use testkit::worlds;
use trace::{Hit, Mode, Options, RefitError, Tracer};

/// Applies a map to every vertex and procedural box.
fn moved(scene: &Scene, mut map: impl FnMut(Vec3) -> Vec3) -> Scene {
    let mut scene = scene.clone();
    for geometry in scene.objects.iter_mut().flat_map(|object| &mut object.geometries) {
        match &mut geometry.shape {
            Shape::Triangles { positions, .. } => positions.iter_mut().for_each(|p| *p = map(*p)),
            Shape::Boxes(boxes) => boxes.iter_mut().for_each(|b| {
                let (a, b_) = (map(b.min), map(b.max));
                *b = Aabb::new(a.min(b_), a.max(b_));
            }),
        }
    }
    scene
}

/// An object with triangles and boxes, placed several times, and one that is placed once.
fn mixed(seed: u64) -> Scene {
    let mut random = Random(seed);
    let mut soup = |count: u32, opaque: bool| {
        let positions = (0..3 * count).map(|_| random.vector(-2.0, 2.0)).collect();
        let indices = (0..count).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        Geometry::new("", opaque, Shape::Triangles { positions, indices })
    };
    let (a, b, c) = (soup(300, true), soup(70, false), soup(40, true));
    let boxes = (0..20).map(|n| Aabb::new(Vec3::splat(n as f32), Vec3::splat(n as f32 + 0.5)));
    let boxes = Geometry::new("", true, Shape::Boxes(boxes.collect()));
    let object = |geometries| Object { name: String::new(), geometries };
    let instances = (0..9).map(|n| {
        let at = Vec3::new(n as f32 * 2.5, (n % 3) as f32, 0.0);
        Instance::new(n % 2, Transform::translation(at))
    });
    let objects = vec![object(vec![a, b, boxes]), object(vec![c])];
    Scene { objects, instances: instances.collect(), ..Scene::default() }
}

fn rays(scene: &Scene, count: usize) -> Vec<Ray> {
    worlds::rays(&scene.bounds().unwrap(), 5, count).iter().map(|query| query.shape).collect()
}

fn hits(tracer: &Tracer, rays: &[Ray]) -> Vec<[u32; 6]> {
    let all = tracer.all(rays).into_iter().flatten().chain(tracer.closest(rays));
    all.map(|hit: Hit| bits(&hit)).collect()
}

#[test]
fn a_refitted_tracer_answers_as_a_new_one() {
    let scenes = [
        Builtin::Interior.scene(20_000),
        Builtin::Organic.scene(3_000),
        Builtin::Forest.scene(3_000),
        mixed(4),
    ];
    for scene in &scenes {
        for kernel in kernels() {
            let options = Options { kernel: Some(kernel), ..Options::default() };
            let mut tracer = Tracer::with_options(scene, options).unwrap();
            let mut random = Random(17);
            let bent = moved(scene, |p| p + Vec3::new(0.3 * p.y.sin(), 0.1 * p.x, 0.2 * p.z.cos()));
            let scattered = moved(scene, |p| p + random.vector(-0.5, 0.5));
            let inside_out = moved(scene, |p| -p);
            let flat = moved(scene, |p| Vec3::new(p.x, 0.0, p.z));
            for next in [&bent, &scattered, &inside_out, &flat, scene] {
                let refit = tracer.refit(next).unwrap();
                assert!(refit.worst().is_finite() && refit.worst() > 0.0, "{refit:?}");
                let rays = rays(next, 300);
                let anew = Tracer::with_options(next, options).unwrap();
                assert_eq!(hits(&tracer, &rays), hits(&anew, &rays), "{} {kernel}", scene.name);
                let points: Vec<Vec3> = rays.iter().take(30).map(|ray| ray.origin).collect();
                assert_eq!(tracer.nearest_points(&points), anew.nearest_points(&points));
            }
        }
    }
}

#[test]
fn instances_move_too() {
    let mut scene = mixed(6);
    let mut tracer = Tracer::new(&scene).unwrap();
    let rays_before = rays(&scene, 50);
    let _ = tracer.nearest_point(rays_before[0].origin); // what is made on the way must follow
    for (n, instance) in scene.instances.iter_mut().enumerate() {
        let (sin, cos) = (n as f32).sin_cos();
        instance.object_to_world = Transform {
            rows: [[cos, 0.0, -sin, n as f32], [0.0, -1.5, 0.0, 3.0], [sin, 0.0, cos, -1.0]],
        };
        instance.mask = if n == 4 { 0x01 } else { 0xFF };
    }
    tracer.refit(&scene).unwrap();
    let anew = Tracer::new(&scene).unwrap();
    let rays = rays(&scene, 600);
    assert_eq!(hits(&tracer, &rays), hits(&anew, &rays));
    let [followed, new] = [&tracer, &anew].map(|t| t.batch().mask(0x02).closest(&rays));
    assert_eq!(followed, new);
    let point = rays[0].origin;
    assert_eq!(tracer.nearest_point(point), anew.nearest_point(point));
}

#[test]
fn decay_is_told_and_a_new_tree_mends_it() {
    let scene = Builtin::Organic.scene(5_000);
    let mut tracer = Tracer::new(&scene).unwrap();
    let as_it_was = tracer.refit(&scene).unwrap().worst();
    assert!((0.99..1.3).contains(&as_it_was), "{as_it_was}"); // whole boxes of cut triangles
    let mut random = Random(3);
    let torn = moved(&scene, |p| p + random.vector(-1.0, 1.0));
    let decayed = tracer.refit(&torn).unwrap().worst();
    assert!(decayed > 1.3, "{decayed}");
    tracer.refit_or_rebuild(&torn, 1.1).unwrap();
    let mended = tracer.refit(&torn).unwrap().worst();
    assert!(mended < 1.3, "{mended}");
}

/// Small triangles all over a cube. Those at one side of it may change places, within cells that
/// are smaller than the subtrees which can be built anew.
fn soup(count: u32, shuffled: bool) -> Scene {
    let mut random = Random(31);
    let mut places: Vec<Vec3> = (0..count).map(|_| random.vector(0.0, 1.0)).collect();
    let mut cells = vec![Vec::new(); 6 * 6 * 6];
    for (n, place) in places.iter().enumerate().filter(|(_, place)| place.x < 0.17) {
        let [x, y, z] = place.to_array().map(|k| ((6.0 * k) as usize).min(5));
        cells[36 * x + 6 * y + z].push(n);
    }
    for cell in cells.iter().filter(|_| shuffled) {
        for pair in cell.windows(2) {
            places.swap(pair[0], pair[1]);
        }
    }
    let corners = places.iter().flat_map(|&p| [Vec3::ZERO, Vec3::X, Vec3::Y].map(|k| p + 0.01 * k));
    let indices = (0..count).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
    let shape = Shape::Triangles { positions: corners.collect(), indices };
    let geometries = vec![Geometry::new("", true, shape)];
    Scene { objects: vec![Object { name: String::new(), geometries }], ..Scene::default() }
}

/// What is built anew is there in a part of the tree; the rest stays, and the answers are those of
/// a new tracer.
#[test]
fn only_what_has_decayed_is_built_anew() {
    let scene = soup(120_000, false);
    let mut tracer = Tracer::new(&scene).unwrap();
    tracer.refit(&scene).unwrap();
    let shuffled = soup(120_000, true);
    let told = tracer.refit_or_rebuild(&shuffled, 1.2).unwrap();
    assert!(told.worst() > 1.2, "{told:?}");
    // Half of the octants are at that side, and hold a little more than half of the triangles.
    assert!(0 < told.rebuilt && told.rebuilt < 75_000, "{told:?}");
    let after = tracer.refit(&shuffled).unwrap().worst();
    assert!(after < 1.2, "{after} {told:?}");
    let of_shuffled = rays(&shuffled, 500);
    assert_eq!(hits(&tracer, &of_shuffled), hits(&Tracer::new(&shuffled).unwrap(), &of_shuffled));
    // Inside out everything is as good as it was, or better.
    let inside_out = moved(&scene, |p| -p);
    tracer.refit_or_rebuild(&inside_out, 1.2).unwrap();
    let rays = rays(&inside_out, 500);
    assert_eq!(hits(&tracer, &rays), hits(&Tracer::new(&inside_out).unwrap(), &rays));
}

/// Of several objects those are built anew that have decayed, and the tree over instances if it
/// has.
#[test]
fn objects_are_built_anew_one_by_one() {
    let scene = mixed(12);
    let all = scene.triangle_count() + 20;
    let mut random = Random(5);
    let mut scattered = scene.clone();
    if let Shape::Triangles { positions, .. } = &mut scattered.objects[1].geometries[0].shape {
        positions.iter_mut().for_each(|p| *p += random.vector(-30.0, 30.0));
    }
    let row = |step: usize| {
        let at = |n: usize| Transform::translation(Vec3::X * (n * step % 300) as f32 * 40.0);
        let instances = (0..300).map(|n| Instance::new(n % 2, at(n))).collect();
        Scene { instances, ..scene.clone() }
    };
    let (in_order, mixed_up) = (row(1), row(77));
    for (before, next, rebuilt) in [(&scene, &scattered, 1..all), (&in_order, &mixed_up, 300..301)]
    {
        let mut tracer = Tracer::new(before).unwrap();
        let told = tracer.refit_or_rebuild(next, 1.01).unwrap();
        assert!(rebuilt.contains(&told.rebuilt), "{told:?}");
        let rays = rays(next, 400);
        assert_eq!(hits(&tracer, &rays), hits(&Tracer::new(next).unwrap(), &rays));
    }
    let mut broken = scene.clone();
    if let Shape::Triangles { positions, .. } = &mut broken.objects[0].geometries[0].shape {
        positions[3].x = f32::NAN;
    }
    let mut tracer = Tracer::new(&scene).unwrap();
    let rays = rays(&scene, 100);
    let before = hits(&tracer, &rays);
    assert!(tracer.refit_or_rebuild(&broken, 0.0).is_err());
    assert_eq!(hits(&tracer, &rays), before);
    assert_eq!(tracer.refit_or_rebuild(&scene, 0.0).unwrap().rebuilt, all + 9);
    assert_eq!(hits(&tracer, &rays), before);
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    let scene = mixed(8);
    let mut tracer = Tracer::new(&scene).unwrap();
    let rays = rays(&scene, 200);
    let before = hits(&tracer, &rays);
    let mut broken = scene.clone();
    if let Shape::Triangles { positions, .. } = &mut broken.objects[0].geometries[1].shape {
        positions[7].y = f32::NAN;
    }
    let found = tracer.refit(&broken).unwrap_err();
    assert_eq!(found, RefitError::NotFinite { object: 0, geometry: 1, vertex: 7 });
    assert_eq!(found.to_string(), "vertex 7 of geometry 1 of object 0 is not finite");
    let mut fewer = scene.clone();
    if let Shape::Triangles { indices, .. } = &mut fewer.objects[1].geometries[0].shape {
        indices.pop();
    }
    assert!(matches!(tracer.refit(&fewer), Err(RefitError::Count { what: "triangles", .. })));
    let mut swapped = scene.clone();
    swapped.objects[0].geometries.swap(1, 0);
    assert!(matches!(tracer.refit(&swapped), Err(RefitError::Missing { object: 0, .. })));
    let mut flat = scene.clone();
    flat.instances[3].object_to_world.rows[1] = [0.0; 4];
    assert!(matches!(tracer.refit(&flat), Err(RefitError::Singular { instance: 3, .. })));
    let mut gone = scene.clone();
    gone.instances.pop();
    assert!(matches!(tracer.refit(&gone), Err(RefitError::Count { what: "instances", .. })));
    assert_eq!(hits(&tracer, &rays), before);
    let options = Options { mode: Mode::InPlace, ..Options::default() };
    let mut in_place = Tracer::with_options(&Builtin::Interior.scene(300), options).unwrap();
    assert_eq!(in_place.refit(&scene), Err(RefitError::InPlace));
}

/// Thousands of objects, and a tree over instances that several threads follow; then once more, as
/// one that was followed before is looked at less.
#[test]
fn many_objects_are_followed() {
    let mut random = Random(41);
    let mut object = |count: u32| {
        let positions = (0..3 * count).map(|_| random.vector(-0.4, 0.4)).collect();
        let indices = (0..count).map(|n| [3 * n, 3 * n + 1, 3 * n + 2]).collect();
        let shape = Shape::Triangles { positions, indices };
        Object { name: String::new(), geometries: vec![Geometry::new("", true, shape)] }
    };
    // One has several parts, some have no nodes, and one has no triangles.
    let sizes = [30_000, 0].into_iter().chain((0..1_500).map(|n| 1 + n % 40));
    let objects: Vec<Object> = sizes.map(&mut object).collect();
    let mut scene = Scene { objects, ..Scene::default() };
    let place = |n: usize, scale: f32| {
        let at = Vec3::new((n % 30) as f32, (n / 30 % 30) as f32, (n / 900) as f32);
        Instance::new(n % 1_502, Transform::translation(at * scale))
    };
    scene.instances = (0..20_000).map(|n| place(n, 1.0)).collect();
    let mut tracer = Tracer::new(&scene).unwrap();
    for scale in [0.9, 1.3] {
        let mut next = moved(&scene, |p| p * scale + Vec3::new(0.1 * p.y.sin(), 0.0, 0.05));
        next.instances = (0..20_000).map(|n| place(n, 2.0 - scale)).collect();
        let refit = tracer.refit(&next).unwrap();
        assert_eq!(refit.objects.len(), 1_502);
        assert!(refit.instances.is_some_and(|decay| decay > 0.0));
        let rays = rays(&next, 400);
        let anew = Tracer::new(&next).unwrap();
        assert_eq!(hits(&tracer, &rays), hits(&anew, &rays));
    }
    let mut broken = scene.clone();
    if let Shape::Triangles { positions, .. } = &mut broken.objects[0].geometries[0].shape {
        positions.truncate(60_000);
    }
    let missing = tracer.refit(&broken).unwrap_err();
    assert!(matches!(missing, RefitError::Missing { object: 0, geometry: 0, .. }), "{missing}");
}
