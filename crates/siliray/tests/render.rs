//! Pictures: the same from every machine, and refused when they make no sense.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use siliray::build::{Options, build};
use siliray::geometry::{TriangleRule, Vec3};
use siliray::input::{Input, Route, build_options};
use siliray::machine::{Machine, MachineOptions, Oracle, Reference};
use siliray::registry::registry;
use siliray::render::{
    CameraError, Measure, RenderError, Rendering, Settings, Style, View, render,
};
use siliray::scene::builtin::Builtin;
use siliray::scene::{Camera, Scene};
use siliray::tree::Tree;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

const RULE: TriangleRule = TriangleRule::Watertight;

fn scene_and_tree(builtin: Builtin) -> (Scene, Tree) {
    let scene = builtin.scene(600);
    let built = build(&scene, &Options::default(), &|_| ControlFlow::Continue(())).unwrap();
    (scene, built.tree)
}

fn settings(style: Style) -> Settings {
    Settings { width: 40, height: 30, style }
}

fn picture(
    (scene, tree): (&Scene, &Tree),
    machine: &dyn Machine,
    settings: &Settings,
) -> Result<Rendering, RenderError> {
    let view = View { tree, scene: Some(scene), input: None };
    let camera = scene.camera.unwrap();
    render(&view, machine, &camera, settings, &|_| ControlFlow::Continue(()))
}

/// Every machine on its own format sees the picture that the tree shows.
#[test]
fn every_machine_paints_the_same_picture() {
    for builtin in [Builtin::Interior, Builtin::Forest] {
        let (scene, tree) = scene_and_tree(builtin);
        let shaded = settings(Style::Shaded { samples: 1 });
        let walked = picture((&scene, &tree), &Reference::new(&tree, RULE), &shaded).unwrap();
        let input = Input::Scene(scene.clone());
        let keep_going = |_| ControlFlow::Continue(());
        for name in ["gfx12-gpurt", "gfx12-radv", "gfx12-dual", "offload", "hart"] {
            let entry = registry().machine(name).unwrap();
            let route = Route::new(entry, build_options(entry, None, None));
            let prepared = route.prepare(&input, &keep_going).unwrap();
            let machine =
                prepared.make(&MachineOptions { rule: RULE, ..MachineOptions::default() }).unwrap();
            let view =
                View { tree: prepared.tree(), scene: Some(&scene), input: Some(&prepared.input) };
            let camera = scene.camera.unwrap();
            let other = render(&view, &*machine, &camera, &shaded, &keep_going).unwrap();
            assert!(walked.picture == other.picture, "{builtin:?} {}", machine.name());
        }
    }
}

/// Brute force and the walk over the tree see the same picture, pixel for pixel.
#[test]
fn the_oracle_paints_the_same_picture() {
    for builtin in Builtin::ALL {
        let (scene, tree) = scene_and_tree(builtin);
        let shaded = settings(Style::Shaded { samples: 2 });
        let walked = picture((&scene, &tree), &Reference::new(&tree, RULE), &shaded).unwrap();
        let brute = picture((&scene, &tree), &Oracle::new(&tree, RULE), &shaded).unwrap();
        assert!(walked.picture == brute.picture, "{builtin:?}");
        assert_eq!(walked.counters.queries, brute.counters.queries);
        let mut colours = walked.picture.pixels.clone();
        colours.sort_unstable();
        colours.dedup();
        assert!(colours.len() > 100, "{builtin:?} has {} colours", colours.len());
    }
}

/// Brute force does the same work for every pixel, so its heat map has one value.
#[test]
fn a_heat_map_shows_the_work() {
    let (scene, tree) = scene_and_tree(Builtin::Interior);
    let triangles = settings(Style::HeatMap(Measure::Triangles));
    let brute = picture((&scene, &tree), &Oracle::new(&tree, RULE), &triangles).unwrap();
    let map = brute.heat_map.unwrap();
    let count = scene.triangle_count() as u64;
    assert_eq!((map.least, map.median, map.most), (count, count, count));
    let walked = picture((&scene, &tree), &Reference::new(&tree, RULE), &triangles).unwrap();
    let map = walked.heat_map.unwrap();
    assert!(map.least < map.most && map.most < count / 2);
    assert_eq!(map.histogram.iter().sum::<u64>(), 1200);
}

#[test]
fn work_is_watched_and_can_be_stopped() {
    let (scene, tree) = scene_and_tree(Builtin::Hairball);
    let machine = Reference::new(&tree, RULE);
    let camera = scene.camera.unwrap();
    for style in [Style::Shaded { samples: 3 }, Style::HeatMap(Measure::Nodes)] {
        let calls = AtomicUsize::new(0);
        let count = |_| {
            calls.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        render(
            &View { tree: &tree, scene: Some(&scene), input: None },
            &machine,
            &camera,
            &settings(style),
            &count,
        )
        .unwrap();
        let rows = if style == (Style::Shaded { samples: 3 }) { 90 } else { 30 };
        assert_eq!(calls.into_inner(), rows);
        let stop = |_| ControlFlow::Break(());
        let stopped = render(
            &View { tree: &tree, scene: Some(&scene), input: None },
            &machine,
            &camera,
            &settings(style),
            &stop,
        );
        assert_eq!(stopped.unwrap_err(), RenderError::Cancelled);
    }
}

#[test]
fn sizes_samples_and_cameras_are_checked() {
    let (scene, tree) = scene_and_tree(Builtin::Organic);
    let machine = Reference::new(&tree, RULE);
    let heat = Style::HeatMap(Measure::Boxes);
    for (width, height) in [(0, 30), (40, 0), (100_000, 1), (16_384, 16_384), (u32::MAX, u32::MAX)]
    {
        let result = picture((&scene, &tree), &machine, &Settings { width, height, style: heat });
        assert_eq!(result.unwrap_err(), RenderError::Size { width, height });
    }
    for samples in [0, 257] {
        let result = picture((&scene, &tree), &machine, &settings(Style::Shaded { samples }));
        assert_eq!(result.unwrap_err(), RenderError::Samples(samples));
    }
    let good = scene.camera.unwrap();
    for (camera, expected) in [
        (Camera { eye: Vec3::new(0.0, f32::NAN, 0.0), ..good }, CameraError::NotFinite),
        (Camera { fov: f32::INFINITY, ..good }, CameraError::NotFinite),
        (Camera { fov: 180.0, ..good }, CameraError::Fov),
        (Camera { fov: -40.0, ..good }, CameraError::Fov),
        (Camera { target: good.eye, ..good }, CameraError::NoDirection),
        (Camera { up: Vec3::ZERO, ..good }, CameraError::NoUp),
        (Camera { up: good.eye - good.target, ..good }, CameraError::NoUp),
    ] {
        let keep_going = |_| ControlFlow::Continue(());
        let result = render(
            &View { tree: &tree, scene: Some(&scene), input: None },
            &machine,
            &camera,
            &settings(heat),
            &keep_going,
        );
        assert_eq!(result.unwrap_err(), RenderError::Camera(expected));
    }
}

/// A scene with nothing in it is sky.
#[test]
fn nothing_is_sky() {
    let scene = Scene { camera: Builtin::Organic.scene(600).camera, ..Scene::default() };
    let tree = build(&scene, &Options::default(), &|_| ControlFlow::Continue(())).unwrap().tree;
    let machine = Reference::new(&tree, RULE);
    let sky = picture((&scene, &tree), &machine, &settings(Style::Shaded { samples: 1 })).unwrap();
    assert!(sky.picture.pixels.iter().all(|[r, _, b]| b > r), "blue everywhere");
    picture((&scene, &tree), &machine, &settings(Style::HeatMap(Measure::Triangles))).unwrap();
}
