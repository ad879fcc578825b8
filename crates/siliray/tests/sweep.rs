//! A part in motion against brute force over all pairs of triangles.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use siliray::build::{Options, Preset, unwatched};
use siliray::flat_scene::FlatScene;
use siliray::geometry::{Triangle, Vec3, translation};
use siliray::scene::builtin::Builtin;
use siliray::scene::{Geometry, Object, Scene, Shape};
use siliray::sweep::{SweepScene, Swept};

/// A lopsided tetrahedron at a place.
fn part(at: Vec3, size: f32) -> FlatScene {
    let corners = [
        Vec3::new(0.0, 0.0, 0.1),
        Vec3::new(1.0, 0.2, 0.0),
        Vec3::new(0.3, 0.9, 0.1),
        Vec3::new(0.4, 0.3, 1.1),
    ];
    let shape = Shape::Triangles {
        positions: corners.map(|corner| at + corner * size).to_vec(),
        indices: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]],
    };
    let geometry = Geometry::new("", true, shape);
    let object = Object { name: String::new(), geometries: vec![geometry] };
    FlatScene::new(Scene { objects: vec![object], ..Scene::default() }).unwrap()
}

fn triangles(scene: &FlatScene) -> Vec<Triangle> {
    let geometries = scene.scene.objects.iter().flat_map(|object| &object.geometries);
    geometries.flat_map(Geometry::triangles).collect()
}

fn swept(scene: &FlatScene, part: &FlatScene, along: Vec3, preset: Preset) -> Swept {
    let built = siliray::build::build(&scene.scene, &Options::preset(preset), &unwatched);
    let tree = built.unwrap().tree;
    let scene = SweepScene::new(scene, &tree).unwrap();
    scene.sweep(part, along, &unwatched).unwrap()
}

#[test]
fn the_first_touch_is_that_of_brute_force() {
    for builtin in [Builtin::Organic, Builtin::Forest] {
        let scene = FlatScene::new(builtin.scene(1500)).unwrap();
        let world = triangles(&scene);
        let bounds = scene.scene.bounds().unwrap();
        let (center, extent) = (bounds.center(), bounds.extent());
        let (mut touched, mut clear, mut started) = (0, 0, 0);
        for case in 0..40u32 {
            let turn = case as f32 * 2.4;
            let side = Vec3::new(turn.cos(), (turn * 0.7).sin(), turn.sin());
            let reach = 0.2 + 0.1 * (case % 9) as f32;
            let part = part(center + side * extent * reach, extent.max_element() * 0.03);
            let along = (center
                - Vec3::new(side.z, side.x, side.y) * extent * 0.3
                - (center + side * extent))
                * 0.8;
            let along = if case % 8 == 0 { -along } else { along };
            let expected = triangles(&part)
                .iter()
                .flat_map(|moving| {
                    world.iter().filter_map(|still| translation::contact(moving, along, still, 1.0))
                })
                .map(|contact| contact.first)
                .min_by(f32::total_cmp);
            let preset = Preset::ALL[case as usize % 5];
            let first = swept(&scene, &part, along, preset).first;
            assert_eq!(first.map(|touch| touch.t), expected, "case {case}");
            match first {
                Some(touch) if touch.t > 0.0 => {
                    touched += 1;
                    assert!(touch.touch.distance <= f64::from(extent.max_element()) * 1e-6);
                }
                Some(_) => started += 1,
                None => clear += 1,
            }
        }
        assert!(touched > 8 && clear > 2, "{touched} {clear} {started}");
    }
}

/// A part meets the first of several things that it would touch at the same time, on any thread.
#[test]
fn ties_go_to_the_smaller_ids() {
    let scene = FlatScene::new(Builtin::Organic.scene(600)).unwrap();
    let mut doubled = scene.scene.clone();
    let twin = doubled.objects[0].geometries[0].clone();
    doubled.objects[0].geometries.push(twin);
    let doubled = FlatScene::new(doubled).unwrap();
    let bounds = scene.scene.bounds().unwrap();
    let part = part(bounds.center() + bounds.extent() * 0.8, bounds.extent().x * 0.05);
    let along = -bounds.extent();
    let expected = swept(&scene, &part, along, Preset::Balanced).first.unwrap();
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let got = pool.install(|| swept(&doubled, &part, along, Preset::Fast).first.unwrap());
        assert_eq!((got.t, got.part, got.scene), (expected.t, expected.part, expected.scene));
        assert_eq!(got.scene.1, 0);
    }
}
