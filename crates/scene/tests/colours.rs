//! Colours of files reach the scene; files without colours have none.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

use geometry::Vec3;
use scene::{Appearance, ImageSource, Scene};

fn appearance(scene: &Scene, geometry: usize) -> &Appearance {
    scene.objects[0].geometries[geometry].appearance.as_deref().expect("it has colours")
}

#[test]
fn files_without_colours_have_none() {
    for (name, file, _) in common::kite().every_format() {
        let scene = scene::read(name, &file).unwrap();
        assert_eq!(scene.objects[0].geometries[0].appearance, None, "{name}");
    }
}

/// A text PLY whose vertices have the colours `rows`.
fn ply(kind: &str, rows: [&str; 3]) -> Scene {
    let [a, b, c] = rows;
    let file = format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty {kind} blue\nproperty float x\n\
         property float y\nproperty float z\nproperty {kind} red\nproperty {kind} green\n\
         element face 1\nproperty list uchar int vertex_indices\nend_header\n{a}\n{b}\n{c}\n\
         3 0 1 2\n"
    );
    scene::read("a.ply", file.as_bytes()).unwrap()
}

#[test]
fn vertices_of_ply() {
    let bytes = ply("uchar", ["7 0 0 0 200 3", "0 1 0 0 0 255", "9 0 1 0 1 2"]);
    let expected = [[200, 3, 7], [0, 255, 0], [1, 2, 9]];
    assert_eq!(appearance(&bytes, 0).vertex_colours, expected);
    let shares = ply("float", ["0.2 0 0 0 1 0", "0 1 0 0 0.6 -3", "1 0 1 0 0 9e9"]);
    assert_eq!(appearance(&shares, 0).vertex_colours, [[255, 0, 51], [153, 0, 0], [0, 255, 255]]);
    let words = ply("ushort", ["0 0 0 0 65535 257", "0 1 0 0 0 0", "0 0 1 0 0 0"]);
    assert_eq!(appearance(&words, 0).vertex_colours[0], [255, 1, 0]);

    let mut file = b"ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\n\
        property float y\nproperty float z\nproperty uchar red\nproperty uchar green\n\
        property uchar blue\nelement face 1\nproperty list uchar uchar vertex_index\nend_header\n"
        .to_vec();
    for (position, colour) in [([0.0f32, 0.0, 0.0], [1, 2, 3]), ([1.0, 0.0, 0.0], [4, 5, 6])] {
        file.extend(position.iter().flat_map(|x| x.to_be_bytes()));
        file.extend(colour);
    }
    file.extend([0; 15]);
    file.extend([3, 0, 1, 2]);
    let scene = scene::read("b.ply", &file).unwrap();
    assert_eq!(appearance(&scene, 0).vertex_colours, [[1, 2, 3], [4, 5, 6], [0; 3]]);
}

#[test]
fn vertices_of_obj() {
    let text = "v 0 0 0\nv 1 0 0 1 0 0.2\nv 0 1 0 1.0\nv 0 0 1 0 1 0\ng a\nf 1 2 3\ng b\nf 2 3 4\n";
    let scene = scene::read("a.obj", text.as_bytes()).unwrap();
    let (white, pink, green) = ([255; 3], [255, 0, 51], [0, 255, 0]);
    assert_eq!(appearance(&scene, 0).vertex_colours, [white, pink, white]);
    assert_eq!(appearance(&scene, 1).vertex_colours, [pink, white, green]);
}

#[test]
fn materials_of_obj() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "my colours.mtl",
        "# two\nnewmtl red brick\nKa 1 1 1\nKd 0.5 0.25 1.5\nnewmtl picture\nKd 0 0 0\n\
         map_Kd -s 1 2 -clamp on p.png\nnewmtl lost\nKd 0.125\nmap_Kd none.png\n",
    );
    write("p.png", "");
    let path = folder.path().join("a.obj");
    write(
        "a.obj",
        "mtllib my colours.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 0.25 1\nvt 1 0.5\n\
         usemtl red brick\nf 1 2 3\nusemtl picture\nf 1/1 2/3 4/2 3/-2\nusemtl lost\nf 2 3 4\n\
         usemtl unknown\nf 1 3 4\n",
    );
    let scene = scene::open(&path).unwrap();
    let parts = &scene.objects[0].geometries;
    let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["red brick", "picture", "lost", "unknown"]);
    assert_eq!(*appearance(&scene, 0), Appearance::plain(Vec3::new(0.5, 0.25, 1.0)));
    assert_eq!(*appearance(&scene, 2), Appearance::plain(Vec3::splat(0.125)));
    assert_eq!(parts[3].appearance, None);
    let warning = scene.warnings[0].to_string();
    assert!(warning.contains("line 1: `my colours.mtl`, line 10: no picture: "), "{warning}");
    let textured = appearance(&scene, 1);
    let texture = textured.texture.as_ref().unwrap();
    let image = folder.path().join("p.png").canonicalize().unwrap();
    assert_eq!(*texture.image, ImageSource::File(image));
    assert_eq!(textured.colour, Vec3::ONE);
    // The picture's first row is where v is 1.
    let expected = [[0.0, 1.0], [0.25, 0.0], [1.0, 0.5]];
    assert_eq!(texture.coordinates, expected);
    assert_eq!(texture.corners, [[0, 2, 1], [0, 1, 1]]);
}
