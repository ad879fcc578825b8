//! `siliray convert`: what is written is read again, by every command, as the same scene.

use crate::support::{Folder, Said};

/// A forest as a description makes the same picture, pixel by pixel, and the same images.
#[test]
fn a_description_is_the_same_scene() {
    let folder = Folder::new();
    let json = folder.json(&["convert", "forest", "--triangles", "900", "-o", "forest.scene.toml"]);
    let meshes = json["meshes"].as_array().unwrap();
    assert!(json["instances"].as_u64() > Some(1) && meshes.len() > 1);
    assert_eq!(folder.files().len(), meshes.len() + 1);
    let own = folder.json(&["info", "forest", "--triangles", "900"]);
    let described = folder.json(&["info", "forest.scene.toml"]);
    for key in ["triangles", "placed_triangles", "instances", "bounds", "geometries"] {
        assert_eq!(own[key], described[key], "{key}");
    }
    let draw = ["-o", "p.png", "--size", "40x30", "--samples", "1"];
    folder.json(&[&["render", "forest", "--triangles", "900"][..], &draw].concat());
    let picture = folder.read("p.png");
    folder.json(&[&["render", "forest.scene.toml"][..], &draw].concat());
    assert!(picture == folder.read("p.png"));
    let encode = ["--format", "ttu", "-o", "f.ttu"];
    folder.json(&[&["build", "forest", "--triangles", "900"][..], &encode].concat());
    let image = folder.read("f.ttu");
    folder.json(&[&["build", "forest.scene.toml"][..], &encode].concat());
    assert!(image == folder.read("f.ttu"));
}

/// Procedural boxes, masks and flags reach an image and come back out of it.
#[test]
fn boxes_and_masks_pass_through_an_image() {
    let folder = Folder::new();
    let text = "[[camera]]\nname = \"side\"\neye = [9, 1, 0]\nat = [0, 0, 0]\n[[object]]\nname = \
                \"a\"\n[[object.geometry]]\nboxes = [[0, 0, 0, 1, 2, 3]]\nopaque = false\n\
                [[instance]]\nobject = \"a\"\ntranslate = [4, 0, 0]\nmask = 5\ncustom_index = \
                77\nflags = [\"flip_facing\"]\n";
    std::fs::write(folder.path().join("a.scene.toml"), text).unwrap();
    folder.json(&["build", "a.scene.toml", "--format", "gfx12", "-o", "a.rra"]);
    folder.json(&["convert", "a.rra", "-o", "back.scene.toml"]);
    let back = String::from_utf8(folder.read("back.scene.toml")).unwrap();
    for line in ["mask = 0x05", "[0.0, 0.0, 0.0, 1.0, 2.0, 3.0],", "opaque = false", "4.0]"] {
        assert!(back.contains(line), "{line}: {back}");
    }
    assert!(back.contains("custom_index = 77") && back.contains("\"flip_facing\""), "{back}");
    let mesh = folder.json(&["convert", "a.rra", "-o", "a.ply"]);
    assert_eq!((&mesh["triangles"], &mesh["procedural_boxes"]), (&12.into(), &1.into()));
    let common = ["render", "a.scene.toml", "-o", "p.png", "--size", "20x10", "--camera"];
    let side = folder.json(&[&common[..], &["side"]].concat());
    assert_eq!(side["camera"][0], 9.0);
    let output = folder.run(&[&common[..], &["front"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let errors = output.errors();
    assert!(errors.contains("no camera is called \"front\"; named cameras: \"side\""), "{errors}");
}

#[test]
fn what_cannot_be_written() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("a-0-0.ply"), "x").unwrap();
    std::fs::write(folder.path().join("t.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    std::fs::rename(folder.path().join("t.obj"), folder.path().join("a-0-0.ply")).unwrap();
    let before = folder.read("a-0-0.ply");
    for (args, code, expected) in [
        (["a-0-0.ply", "a.scene.toml"], 2, "the command reads this file"),
        (["a-0-0.ply", "a.gltf"], 2, "expected .obj, .ply or .stl"),
        (["a-0-0.ply", "a-0-0.ply"], 2, "would replace it"),
        (["gone.ply", "b.ply"], 1, "gone.ply"),
        (["a-0-0.ply", "no/such/b.ply"], 1, "no/such/b.ply"),
    ] {
        let output = folder.run(&["convert", args[0], "-o", args[1]]);
        let errors = output.errors();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {errors}");
        assert!(errors.contains(expected), "{args:?}: {errors}");
        assert_eq!(folder.files(), ["a-0-0.ply"], "{args:?}");
    }
    assert_eq!(folder.read("a-0-0.ply"), before);
}
