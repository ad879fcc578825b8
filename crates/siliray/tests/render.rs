//! Pictures: the same from every machine, and refused when they make no sense.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use siliray::build::{Options, unwatched};
use siliray::geometry::{TriangleRule, Vec3};
use siliray::input::{Input, Route, build_options, encode_checked};
use siliray::machine::{self, Machine, MachineInput, MachineOptions, Oracle, Reference};
use siliray::registry::registry;
use siliray::render::{
    CameraError, Measure, RenderError, Rendering, Settings, Style, View, heat_map, render,
    render_losses,
};
use siliray::scene::builtin::Builtin;
use siliray::scene::{Camera, Geometry, Object, Scene, Shape};
use siliray::tree::Tree;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

const RULE: TriangleRule = TriangleRule::Watertight;

fn scene_and_tree(builtin: Builtin) -> (Scene, Tree) {
    let scene = builtin.scene(600);
    let tree = Options::default().build(&scene).unwrap();
    (scene, tree)
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
    let camera = scene.camera().unwrap();
    render(&view, machine, &camera, settings, &unwatched)
}

/// Every machine on its own format sees the picture that the tree shows.
#[test]
fn every_machine_paints_the_same_picture() {
    for builtin in [Builtin::Interior, Builtin::Forest] {
        let (scene, tree) = scene_and_tree(builtin);
        let shaded = settings(Style::Shaded { samples: 1 });
        let walked = picture((&scene, &tree), &Reference::new(&tree, RULE), &shaded).unwrap();
        let input = Input::Scene(scene.clone());
        for name in ["gfx12-gpurt", "gfx12-radv", "gfx12-dual", "offload", "hart"] {
            let entry = registry().machine(name).unwrap();
            let route = Route::new(entry, build_options(entry, None, None));
            let prepared = route.prepare(&input, &unwatched).unwrap();
            let machine =
                prepared.make(&MachineOptions { rule: RULE, ..MachineOptions::default() }).unwrap();
            let view =
                View { tree: prepared.tree(), scene: Some(&scene), input: Some(&prepared.input) };
            let camera = scene.camera().unwrap();
            let other = render(&view, &*machine, &camera, &shaded, &unwatched).unwrap();
            assert!(walked.picture == other.picture, "{builtin:?} {}", machine.name());
        }
    }
}

/// What the maps of a machine are said to show is not zero, and what they are not said to show is.
#[test]
fn every_machine_counts_what_its_maps_are_said_to_show() {
    let (scene, _) = scene_and_tree(Builtin::Organic);
    let camera = scene.camera().unwrap();
    let input = Input::Scene(scene);
    for machine in registry().machines() {
        let route = Route::new(machine, build_options(machine, None, None));
        let prepared = route.prepare(&input, &unwatched).unwrap();
        let walker = prepared.make(&MachineOptions::default()).unwrap();
        let view = View::of(prepared.tree());
        for measure in Measure::ALL {
            let settings = Settings { width: 4, height: 3, style: Style::HeatMap(measure) };
            let map = render(&view, &*walker, &camera, &settings, &unwatched).unwrap().heat_map;
            let is_counted = measure.counted_by(machine).is_ok();
            assert_eq!(map.unwrap().most > 0, is_counted, "{} {}", machine.name, measure.name());
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
fn a_legend_stands_below_a_heat_map() {
    let (scene, tree) = scene_and_tree(Builtin::Interior);
    let boxes = Settings { width: 300, ..settings(Style::HeatMap(Measure::Boxes)) };
    let rendering = picture((&scene, &tree), &Reference::new(&tree, RULE), &boxes).unwrap();
    let map = rendering.heat_map.unwrap();
    let legend = map.with_legend();
    assert!(legend.width == 300 && legend.height > 50);
    let (above, below) = legend.pixels.split_at(300 * 30);
    assert_eq!(above, rendering.picture.pixels);
    // The bar begins with the colour of nothing and ends with that of the most.
    for value in [0.01, 0.5, 0.99] {
        let colour = heat_map::colour(value);
        let is_near = |p: &[u8; 3]| p.iter().zip(colour).all(|(a, b)| a.abs_diff(b) < 4);
        assert!(below.iter().any(is_near), "{value}");
    }
    // A tiny map has a legend too, as far as there is room.
    let tiny = Settings { width: 3, height: 2, ..boxes };
    let rendering = picture((&scene, &tree), &Reference::new(&tree, RULE), &tiny).unwrap();
    assert_eq!(rendering.heat_map.unwrap().with_legend().width, 3);
}

/// A scene of blocks, and what is seen of it.
fn picture_of_blocks(blocks: &[(Vec3, Vec3)], camera: &Camera) -> Vec<[u8; 3]> {
    let (mut positions, mut indices) = (Vec::new(), Vec::new());
    for (low, high) in blocks {
        let first = positions.len() as u32;
        positions.extend((0..8).map(|i| {
            let pick = |axis: usize| if i >> axis & 1 == 1 { high[axis] } else { low[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        }));
        for [a, b, c, d] in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2]] {
            indices.extend([[a, b, c], [a, c, d]].map(|t| t.map(|corner| first + corner)));
        }
        indices.extend([[1, 3, 7], [1, 7, 5]].map(|t| t.map(|corner| first + corner)));
    }
    let geometry = Geometry::new("", true, Shape::Triangles { positions, indices });
    let object = Object { name: String::new(), geometries: vec![geometry] };
    let scene = Scene { objects: vec![object], ..Scene::default() };
    let tree = Options::default().build(&scene).unwrap();
    let view = View { tree: &tree, scene: Some(&scene), input: None };
    let machine = Reference::new(&tree, RULE);
    let settings = settings(Style::Shaded { samples: 2 });
    render(&view, &machine, camera, &settings, &unwatched).unwrap().picture.pixels
}

/// No sun and no sky reaches into a closed room, and still it is bright; its corners are darker.
#[test]
fn a_closed_room_is_bright() {
    let camera = Camera {
        eye: Vec3::new(0.5, 1.6, 1.5),
        target: Vec3::new(-2.0, 1.0, -2.0),
        up: Vec3::Y,
        fov: 60.0,
    };
    let room = (Vec3::new(-2.0, 0.0, -2.0), Vec3::new(2.0, 2.5, 2.0));
    let pixels = picture_of_blocks(&[room], &camera);
    let mean = pixels.iter().map(|p| u64::from(p[1])).sum::<u64>() / pixels.len() as u64;
    assert!((130..235).contains(&mean), "{mean}");
    let darkest = pixels.iter().map(|p| p[1]).min().unwrap();
    assert!(u64::from(darkest) + 8 < mean && darkest > 60, "{darkest} of {mean}");
}

/// Below a block there is ground, not sky.
#[test]
fn objects_stand_on_a_ground() {
    let block = (Vec3::new(-1.0, 3.0, -1.0), Vec3::new(1.0, 6.0, 1.0));
    let camera = Camera {
        eye: Vec3::new(4.0, 9.0, 12.0),
        target: Vec3::new(0.0, 4.0, 0.0),
        up: Vec3::Y,
        fov: 40.0,
    };
    let pixels = picture_of_blocks(&[block], &camera);
    let lower = &pixels[40 * 22..];
    // Ground is grey; the sky is blue.
    let is_grey = |p: &[u8; 3]| p[2].abs_diff(p[0]) < 30;
    assert!(lower.iter().all(is_grey));
    // From below there is none.
    let below = Camera { eye: Vec3::new(4.0, 0.0, 12.0), ..camera };
    assert!(picture_of_blocks(&[block], &below)[..40].iter().all(|p| p[2] > p[0] + 10));
}

#[test]
fn work_is_watched_and_can_be_stopped() {
    let (scene, tree) = scene_and_tree(Builtin::Hairball);
    let machine = Reference::new(&tree, RULE);
    let camera = scene.camera().unwrap();
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
        let rows = if style == (Style::Shaded { samples: 3 }) { 180 } else { 30 };
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
    let good = scene.camera().unwrap();
    for (camera, expected) in [
        (Camera { eye: Vec3::new(0.0, f32::NAN, 0.0), ..good }, CameraError::NotFinite),
        (Camera { fov: f32::INFINITY, ..good }, CameraError::NotFinite),
        (Camera { fov: 180.0, ..good }, CameraError::Fov),
        (Camera { fov: -40.0, ..good }, CameraError::Fov),
        (Camera { target: good.eye, ..good }, CameraError::NoDirection),
        (Camera { up: Vec3::ZERO, ..good }, CameraError::NoUp),
        (Camera { up: good.eye - good.target, ..good }, CameraError::NoUp),
    ] {
        let result = render(
            &View { tree: &tree, scene: Some(&scene), input: None },
            &machine,
            &camera,
            &settings(heat),
            &unwatched,
        );
        assert_eq!(result.unwrap_err(), RenderError::Camera(expected));
    }
}

/// A scene with nothing in it is sky.
#[test]
fn nothing_is_sky() {
    let scene = Scene { cameras: Builtin::Organic.scene(600).cameras, ..Scene::default() };
    let tree = Options::default().build(&scene).unwrap();
    let machine = Reference::new(&tree, RULE);
    let sky = picture((&scene, &tree), &machine, &settings(Style::Shaded { samples: 1 })).unwrap();
    assert!(sky.picture.pixels.iter().all(|[r, _, b]| b > r), "blue everywhere");
    picture((&scene, &tree), &machine, &settings(Style::HeatMap(Measure::Triangles))).unwrap();
}

/// A machine with a triangle arithmetic of its own is judged by it: on a sound image nothing is
/// lost, however coarse the arithmetic is.
#[test]
fn a_sound_image_loses_no_pixel() {
    let (scene, tree) = scene_and_tree(Builtin::Organic);
    let mut hits = Vec::new();
    for (format, machine) in
        [("xphmg-int16q", "offload"), ("xphmg-bf16", "offload"), ("gfx12", "gfx12-gpurt")]
    {
        let format = registry().format(format).unwrap();
        let image = encode_checked(&tree, format, &machine::Settings::default()).unwrap();
        let (input, entry) = (MachineInput::Image(image), registry().machine(machine).unwrap());
        let made = (entry.make)(&input, &MachineOptions::default()).unwrap();
        let camera = scene.camera().unwrap();
        let map = render_losses(&input, (entry, &*made), RULE, &camera, [40, 30], &unwatched);
        let (_, lost) = map.unwrap();
        assert_eq!((lost.lost, lost.wrong), (0, 0), "{machine} on {}", format.name);
        hits.push(lost.hits);
    }
    assert!(hits.iter().all(|&hits| hits > 100), "{hits:?}");
}
