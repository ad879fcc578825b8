use super::*;
use crate::conformance::aimed_rays;
use build::{Preset, unwatched};
use machine::{MachineEntry, MachineInput, MachineOptions, Settings};

#[test]
fn a_path_is_a_file_whatever_it_is_called() {
    let file = Source::new("./forest", None);
    assert_eq!(file, Ok(Source::File("./forest".into())));
    let builtin = Source::new("forest", Some(5000));
    assert_eq!(builtin, Ok(Source::Builtin { builtin: Builtin::Forest, triangles: 5000 }));
    let sized = Source::new("bunny.ply", Some(5000));
    assert_eq!(sized, Err(SourceError::SizedFile("bunny.ply".into())));
}

fn machine(name: &str) -> &'static MachineEntry {
    registry().machine(name).unwrap()
}

fn format(name: &str) -> &'static FormatEntry {
    registry().format(name).unwrap()
}

fn scene() -> Input {
    Input::Scene(Builtin::Interior.scene(600))
}

/// The scene as a file of some format.
fn stored(name: &str) -> StoredImage {
    let image =
        encode_checked(prepared_scene().tree(), format(name), &Settings::default()).unwrap();
    let bytes = (format(name).trees.as_ref().unwrap().write)(image.image(), None).unwrap();
    let path = Path::new("interior").with_extension(format(name).ending);
    assert_eq!(format_of(&path, &bytes).map(|format| format.name), Some(name));
    StoredImage::read(&path, &bytes, format(name), &ReadOptions::default()).unwrap()
}

fn fast() -> build::Options {
    build::Options::preset(Preset::Fast)
}

fn prepared(route: &Route, input: &Input) -> Prepared {
    route.prepare(input, &unwatched).unwrap()
}

fn refused(route: &Route, input: &Input) -> String {
    route.prepare(input, &unwatched).unwrap_err().to_string()
}

/// Where rays at the scene's triangles hit it.
fn distances(prepared: &Prepared) -> Vec<Option<f32>> {
    let machine = prepared.make(&MachineOptions::default()).unwrap();
    let rays = aimed_rays(prepared_scene().tree(), 5, 200);
    rays.iter().map(|ray| machine.closest(&ray.shape).unwrap().map(|hit| hit.t)).collect()
}

fn prepared_scene() -> Prepared {
    prepared(&Route::new(machine("reference"), fast()), &scene())
}

#[test]
fn a_scene_is_built_and_a_tree_need_not_be_bytes() {
    let reference = prepared_scene();
    assert_eq!(reference.origin, Origin::Built);
    assert!(matches!(reference.input, MachineInput::Tree(_)));
    let walk = prepared(&Route::new(machine("gfx12-gpurt"), fast()), &scene());
    assert_eq!((walk.origin, walk.input.format()), (Origin::Built, "gfx12"));
    assert_eq!(distances(&walk), distances(&reference));
}

#[test]
fn an_image_is_walked_as_it_is_stored() {
    let image = stored("gfx12");
    let input = Input::Image(image.clone());
    let expected = distances(&prepared_scene());
    for entry in registry().readers(format("gfx12")) {
        let named = Route { format: Some(format("gfx12")), ..Route::new(entry, fast()) };
        for route in [Route::new(entry, fast()), named] {
            let prepared = prepared(&route, &input);
            assert_eq!(prepared.origin, Origin::Stored, "{}", entry.name);
            let MachineInput::Image(walked) = &prepared.input else { panic!("no image") };
            assert!(Arc::ptr_eq(walked, &image.checked), "{}", entry.name);
        }
    }
    let walk = prepared(&Route::new(machine("gfx12-gpurt"), fast()), &input);
    assert_eq!(distances(&walk), expected);
}

#[test]
fn a_rebuilt_image_has_another_tree_and_the_same_geometry() {
    let image = stored("gfx12");
    let build = build::Options::preset(Preset::Best);
    let route = Route { rebuild: true, ..Route::new(machine("gfx12-gpurt"), build) };
    let walk = prepared(&route, &Input::Image(image.clone()));
    assert_eq!((walk.origin, walk.input.format()), (Origin::Rebuilt, "gfx12"));
    assert_ne!(walk.tree().blases[0].bvh, image.checked.tree().blases[0].bvh);
    assert_eq!(distances(&walk), distances(&prepared_scene()));
}

#[test]
fn another_format_is_a_conversion() {
    let input = Input::Image(stored("gfx12"));
    for (name, other) in [("gfx12-dual", "gfx12-bvh4x2"), ("ttu", "ttu"), ("reference", "tree")] {
        let route = Route { format: Some(format(other)), ..Route::new(machine(name), fast()) };
        let walk = prepared(&route, &input);
        assert_eq!(walk.origin, Origin::Converted { from: "gfx12" }, "{name}");
        assert_eq!(walk.input.format(), other);
        assert_eq!(distances(&walk), distances(&prepared_scene()), "{name}");
    }
}

#[test]
fn a_machine_that_does_not_read_the_format_is_refused() {
    let input = Input::Image(stored("gfx12"));
    let dual = Route::new(machine("gfx12-dual"), fast());
    assert_eq!(refused(&dual, &input), "the machine gfx12-dual does not read the format gfx12");
    for input in [input, scene()] {
        let radv = Route::new(machine("gfx12-radv"), fast());
        let radv = Route { format: Some(format("tree")), ..radv };
        assert_eq!(refused(&radv, &input), "the machine gfx12-radv does not read the format tree");
    }
}
