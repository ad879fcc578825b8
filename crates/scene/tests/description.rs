//! Scene descriptions: what they can say, that they come back, and what is told of bad ones.

#![allow(clippy::panic, clippy::unwrap_used)] // helpers of tests

use geometry::{InstanceFlags, Transform, Vec3};
use scene::builtin::Builtin;
use scene::description::Description;
use scene::{Geometry, Scene, Shape, open, ply};
use std::fs;
use std::path::Path;

/// Two triangles as a PLY file.
fn write_mesh(folder: &Path, name: &str) {
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let mut bytes = Vec::new();
    ply::write(&mut bytes, &positions, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    fs::write(folder.join(name), bytes).unwrap();
}

/// Reads a description beside a mesh called `part.ply`.
fn read(text: &str) -> Result<Scene, String> {
    let folder = tempfile::tempdir().unwrap();
    write_mesh(folder.path(), "part.ply");
    let file = folder.path().join("x.scene.toml");
    fs::write(&file, text).unwrap();
    open(&file)
        .map_err(|error| error.to_string().replace(&format!("{}/", folder.path().display()), ""))
}

const GOOD: &str = r#"
version = 1
[[camera]]
name = "front"
eye = [0, 2, 9]
at = [0, 1, 0]
[[camera]]
eye = [9, 2, 0]
at = [0, 1, 0]
up = [0, 0, 1]
fov = 30
[[object]]
name = "tree"
[[object.geometry]]
mesh = "part.ply"
colour = [0.5, 0.25, 1]
[[object.geometry]]
name = "leaves"
boxes = [[-1, 2, -1, 1, 4, 1], [0, 0, 0, 0, 1, 1]]
opaque = false
[[instance]]
object = "tree"
translate = [3, 0, 0]
rotate = [0, 0, 2, 90]
scale = 2
mask = 0x0F
custom_index = 0xabcdef
flags = ["force_opaque", "flip_facing"]
[[instance]]
object = "tree"
transform = [[1, 0, 0, 5], [0, -1, 0, 6], [0.5, 0, 1, 7]]
sbt_offset = 33
"#;

#[test]
fn everything_that_a_description_can_say() {
    let scene = read(GOOD).unwrap();
    assert_eq!((scene.name.as_str(), scene.triangle_count()), ("x.scene.toml", 2));
    assert_eq!((scene.placed_triangle_count(), scene.placed_box_count()), (4, 4));
    let names: Vec<&str> = scene.cameras.iter().map(|camera| camera.name.as_str()).collect();
    assert_eq!(names, ["front", ""]);
    assert_eq!((scene.cameras[1].camera.up, scene.cameras[1].camera.fov), (Vec3::Z, 30.0));
    assert_eq!((scene.camera().unwrap().up, scene.camera().unwrap().fov), (Vec3::Y, 40.0));
    let [mesh, leaves] = &scene.objects[0].geometries[..] else { panic!("two geometries") };
    assert!(mesh.opaque && !leaves.opaque && leaves.name == "leaves");
    assert_eq!(mesh.appearance.as_ref().unwrap().colour, Vec3::new(0.5, 0.25, 1.0));
    assert!(matches!(&leaves.shape, Shape::Boxes(boxes) if boxes.len() == 2));
    let [first, second] = scene.instances[..] else { panic!("two instances") };
    assert_eq!((first.mask, first.custom_index), (0x0F, 0xab_cdef));
    assert_eq!((first.sbt_offset, second.sbt_offset), (0, 33));
    assert_eq!(first.flags, InstanceFlags::FORCE_OPAQUE | InstanceFlags::FLIP_FACING);
    // Scaled, turned to +y, then moved.
    assert!(first.object_to_world.point(Vec3::X).distance(Vec3::new(3.0, 2.0, 0.0)) < 1e-6);
    assert_eq!((second.mask, second.flags), (0xFF, InstanceFlags::empty()));
    let rows = [[1.0, 0.0, 0.0, 5.0], [0.0, -1.0, 0.0, 6.0], [0.5, 0.0, 1.0, 7.0]];
    assert_eq!(second.object_to_world, Transform { rows });
}

/// Boxes alone are something to meet, and one object needs no instance.
#[test]
fn a_scene_of_boxes() {
    let scene = read("[[object]]\n[[object.geometry]]\nboxes = [[0, 0, 0, 1, 1, 1]]").unwrap();
    assert_eq!((scene.triangle_count(), scene.placed_box_count()), (0, 1));
    assert!(scene.instances.is_empty());
}

fn written(scene: &Scene) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let Description { text, meshes, .. } = Description::new(scene, "it");
    for mesh in meshes {
        let mut bytes = Vec::new();
        ply::write(&mut bytes, mesh.positions, mesh.indices).unwrap();
        fs::write(folder.path().join(mesh.name), bytes).unwrap();
    }
    let file = folder.path().join("it.scene.toml");
    fs::write(&file, text).unwrap();
    open(file).unwrap()
}

/// Names of objects apart, which a description needs, a scene comes back bit for bit.
#[test]
fn a_scene_comes_back() {
    for scene in [read(GOOD).unwrap(), Builtin::Forest.scene(800), Builtin::Interior.scene(900)] {
        let mut back = written(&scene);
        for (back, object) in back.objects.iter_mut().zip(&scene.objects) {
            back.name.clone_from(&object.name);
        }
        assert_eq!(Scene { name: scene.name.clone(), ..back }, scene);
    }
}

/// Objects of the same name are told apart.
#[test]
fn names_are_made_unique() {
    let mut scene = Builtin::Forest.scene(800);
    scene.objects.iter_mut().for_each(|object| object.name = "a \"quoted\"\nname".to_owned());
    let back = written(&scene);
    assert_eq!(back.objects[0].name, "a \"quoted\"\nname");
    assert_eq!(back.objects[1].name, "a \"quoted\"\nname (2)");
    let shapes = |scene: &Scene| -> Vec<Vec<Geometry>> {
        scene.objects.iter().map(|object| object.geometries.clone()).collect()
    };
    assert_eq!(shapes(&back), shapes(&scene));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let edits = [
        ("version = 1", "version = 2", "line 2: found version 2, expected version 1"),
        ("fov = 30", "fov = 190", "line 11: found a field of view of 190, expected an angle"),
        ("up = [0, 0, 1]", "up = [9, 1, 0]", "line 7: found a camera that looks nowhere or along"),
        ("at = [0, 1, 0]", "at = [0, 1]", "line 6: not a scene description: invalid length 2"),
        ("mesh = \"part", "mesh = \"gone", "line 15: cannot use `gone.ply`: "),
        ("mesh = \"part.ply\"", "mesh = \"../a.ply\"", "line 15: cannot use `../a.ply`: it lies"),
        ("part.ply", "x.scene.toml", "line 15: cannot use `x.scene.toml`: a description names"),
        ("[0.5, 0.25, 1]", "[0.5, 0.25, 2]", "line 16: found the colour [0.5, 0.25, 2.0]"),
        ("[0, 0, 0, 0, 1, 1]", "[0, 0, 2, 0, 1, 1]", "line 19: found a box whose corners are"),
        ("boxes = [[", "mesh = \"part.ply\"\nboxes = [[", "line 17: found both, expected either"),
        ("object = \"tree\"", "object = \"bush\"", "line 22: found `bush`, expected the name of"),
        ("rotate = [0, 0, 2", "rotate = [0, 0, 0", "line 24: found a turn without an axis"),
        ("scale = 2", "scale = 0", "line 21: found a transform that squashes the object flat"),
        ("mask = 0x0F", "mask = 256", "line 26: found mask 0x100, expected a number of 8 bits"),
        ("0xabcdef", "0x1000000", "line 27: found custom_index 0x1000000, expected a number of"),
        ("= 33", "= 0x1000000", "line 32: found sbt_offset 0x1000000, expected a number of"),
        ("\"flip_facing\"", "\"flip\"", "line 28: found the flag `flip`, expected one of disable"),
        ("\"flip_facing\"", "\"force_non_opaque\"", "line 28: found both force_opaque and force"),
        ("mask", "msk", "line 26: not a scene description: unknown field `msk`, expected one of"),
        ("[1, 0, 0, 5]", "[1, 0, 0, 1e39]", "line 29: the coordinate"),
        ("name = \"tree\"\n", "name = \"tree\n", "line 13: not a scene description: invalid"),
        (
            "[[object]]\n",
            "[[object]]\nname = \"a\"\n[[object]]\n",
            "line 12: found an object without",
        ),
    ];
    for (from, to, expected) in edits {
        let error = read(&GOOD.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with(&format!("x.scene.toml: {expected}")), "{to:?}: {error}");
    }
    for (text, expected) in [
        ("", "the file is empty"),
        ("version = 1", "there are no triangles"),
        ("\u{1F}", "line 1: not a scene description"),
        ("[[instance]]\nobject = \"a\"", "line 2: found `a`, expected an [[object]] first"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.starts_with(&format!("x.scene.toml: {expected}")), "{error}");
    }
    let two = "[[object]]\nname = \"NAME\"\n[[object.geometry]]\nmesh = \"part.ply\"\n";
    let error = read(&(two.replace("NAME", "a") + &two.replace("NAME", "b"))).unwrap_err();
    assert!(error.contains("line 5: found 2 objects without instances"), "{error}");
    let error = read(&two.repeat(2)).unwrap_err();
    assert!(error.contains("line 5: found a second object called `NAME`"), "{error}");
}

/// Bytes that are not text, and every prefix of a good file: a scene or a located error.
#[test]
fn damaged_files_do_not_break_the_reader() {
    for end in 0..GOOD.len() {
        let _ = read(&GOOD[..end]);
    }
    let error = scene::read("x.scene.toml", b"version = 1\n# \xFF").unwrap_err().to_string();
    assert!(error.starts_with("x.scene.toml: line 2: found"), "{error}");
}
