//! Scenes as a whole: instances, procedural boxes, nothing at all, bad input, cancellation,
//! figures.

use crate::promises::{build_with, check_tree, mesh_of, object_of, random_triangles, shape_of};
use build::{BuildError, Options, OptionsError, Preset, unwatched};
use geometry::{Aabb, Transform, Triangle, Vec3};
use scene::{Instance, Scene, Shape};
use std::ops::ControlFlow;
use tree::{Bvh, Quality};

fn built_error(scene: &Scene) -> BuildError {
    build::build(scene, &Options::default(), &unwatched).unwrap_err()
}

fn instanced() -> Scene {
    let boxes = vec![
        Aabb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(2.0, 2.5, 7.0)),
        Aabb::EMPTY,
        Aabb::new(Vec3::new(-3.0, 0.0, 1.0), Vec3::new(-1.0, 4.5, 2.0)),
    ];
    let mixed = object_of(vec![
        Shape::Boxes(boxes),
        shape_of(&random_triangles(50, 3, 1.0)),
        shape_of(&random_triangles(20, 4, 5.0)),
    ]);
    let objects =
        vec![mixed, object_of(vec![shape_of(&random_triangles(300, 9, 2.0))]), object_of(vec![])];
    let rotated = [[0.0, -2.0, 0.0, 5.0], [1.0, 0.5, 0.0, -3.0], [0.0, 0.0, 0.7, 1.0]];
    let instances = (0..40)
        .map(|i| {
            let moved = Transform::translation(Vec3::new(i as f32 * 31.0, 5.0, -(i as f32)));
            Instance::new(i % 3, moved.after(&Transform { rows: rotated }))
        })
        .collect();
    Scene { objects, instances, ..Scene::default() }
}

#[test]
fn instances_and_procedural_boxes() {
    for preset in Preset::ALL {
        let options = Options::preset(preset);
        let built = build_with(&instanced(), &options);
        check_tree(&built, &options);
        let tlas = built.tree.tlas.as_ref().unwrap();
        assert_eq!((tlas.instances.len(), built.tree.blases.len()), (40, 3));
        // Triangles come first, with the geometry they are of; the boxes follow.
        let ids = &built.tree.blases[0].primitives.ids;
        assert_eq!((ids[50].geometry, ids[50].primitive), (2, 0));
        assert_eq!((ids[72].geometry, ids[72].primitive), (0, 2));
        assert!(built.report.sah_cost_wide > 1.0);
    }
}

#[test]
fn nothing_and_next_to_nothing() {
    let one = Triangle::new(Vec3::ZERO, Vec3::new(1.0, 0.5, 0.0), Vec3::new(0.0, 2.0, 3.0));
    for preset in Preset::ALL {
        let options = Options::preset(preset);
        for empty in [Scene::default(), mesh_of(&[])] {
            let built = build_with(&empty, &options);
            assert_eq!(built.tree.blases[0].bvh, Bvh::empty());
            assert_eq!((built.report.sah_cost, built.report.primitives), (0.0, 0));
        }
        let built = build_with(&mesh_of(&[one]), &options);
        check_tree(&built, &options);
        assert_eq!((built.report.sah_cost, built.report.leaves), (1.0, 1));
    }
}

#[test]
fn bad_scenes_are_named() {
    let mut scene = instanced();
    scene.instances[7].object = 3;
    let missing = BuildError::MissingObject { instance: 7, object: 3, objects: 3 };
    assert_eq!(built_error(&scene), missing);

    let mut scene = instanced();
    scene.instances[11].object_to_world.rows[1] = scene.instances[11].object_to_world.rows[0];
    assert!(matches!(built_error(&scene), BuildError::Singular { instance: 11, .. }));

    let mut scene = instanced();
    scene.instances.clear();
    assert_eq!(built_error(&scene), BuildError::Unplaced { objects: 3 });

    let mut scene = mesh_of(&random_triangles(30, 1, 1.0));
    let Shape::Triangles { positions, indices } = &mut scene.objects[0].geometries[0].shape else {
        panic!("a mesh")
    };
    indices[12][2] = 90;
    positions[3 * 20].y = f32::INFINITY;
    let outside = BuildError::MissingVertex { object: 0, geometry: 0, triangle: 12, vertices: 90 };
    assert_eq!(built_error(&scene), outside);
    let Shape::Triangles { indices, .. } = &mut scene.objects[0].geometries[0].shape else {
        panic!("a mesh")
    };
    indices[12][2] = 0;
    let infinite = BuildError::NotFinite { object: 0, geometry: 0, primitive: 20 };
    assert_eq!(built_error(&scene), infinite);

    let options = Options { width: 12, ..Options::default() };
    let wide = build::build(&Scene::default(), &options, &unwatched);
    assert_eq!(wide.unwrap_err(), BuildError::Options(OptionsError::Width(12)));
}

#[test]
fn a_build_can_be_cancelled() {
    let scene = mesh_of(&random_triangles(60_000, 2, 0.5));
    for preset in Preset::ALL {
        let result = build::build(&scene, &Options::preset(preset), &|progress| {
            if progress.fraction > 0.6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(result.unwrap_err(), BuildError::Cancelled);
    }
}

/// The reported cost of a binary tree is the one measured on the tree built with width 2, and a
/// wider tree never costs more.
#[test]
fn reported_costs_are_measured_costs() {
    let scene = mesh_of(&random_triangles(5000, 21, 3.0));
    for preset in Preset::ALL {
        let binary = Options { width: 2, split_budget: Some(0.0), ..Options::preset(preset) };
        let built = build_with(&scene, &binary);
        let measured = Quality::of(&built.tree.blases[0].bvh).sah_cost;
        assert!((built.report.sah_cost / measured - 1.0).abs() < 1e-4);
        let mut previous = measured;
        for width in 3..=8 {
            let report = build_with(&scene, &Options { width, ..binary }).report;
            assert!(report.sah_cost_wide <= previous * 1.000_01, "width {width}");
            previous = report.sah_cost_wide;
        }
    }
}

/// A hall of long thin triangles askew: what spatial splits are for.
#[test]
fn better_presets_make_better_trees() {
    let triangles: Vec<Triangle> = random_triangles(4000, 8, 0.5)
        .into_iter()
        .enumerate()
        .map(|(i, mut triangle)| {
            if i % 5 == 0 {
                triangle.vertices[1] += Vec3::new(40.0, 9.0, -25.0);
            }
            triangle
        })
        .collect();
    let scene = mesh_of(&triangles);
    let [_, balanced, best, octree, kd] =
        Preset::ALL.map(|preset| build_with(&scene, &Options::preset(preset)).report);
    assert!(best.sah_cost < 0.9 * balanced.sah_cost, "{} {}", best.sah_cost, balanced.sah_cost);
    assert!(best.sah_cost_wide < 0.9 * balanced.sah_cost_wide);
    assert!(best.duplicates > 0 && best.duplicates <= 1200);
    assert_eq!(balanced.duplicates, 0);
    assert!(kd.sah_cost < octree.sah_cost, "{} {}", kd.sah_cost, octree.sah_cost);
}

/// With a budget, `balanced` cuts where halves overlap much, keeps to the budget, and gains by it.
#[test]
fn balanced_trees_split_if_they_may() {
    let scene = scene::builtin::Builtin::Hairball.scene(20_000);
    let whole = Options::preset(Preset::Balanced);
    let split = Options { split_budget: Some(0.17), ..whole };
    let [whole, split] = [whole, split].map(|options| {
        let built = build_with(&scene, &options);
        check_tree(&built, &options);
        built.report
    });
    assert_eq!(whole.duplicates, 0);
    assert!((1..=3400).contains(&split.duplicates), "{}", split.duplicates);
    assert!(split.sah_cost < whole.sah_cost, "{} {}", split.sah_cost, whole.sah_cost);
}
