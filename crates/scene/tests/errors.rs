//! Every kind of bad input: the exact text, at once, and without the memory that a header promises.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{glb, kite};
use std::time::{Duration, Instant};

fn error(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let start = Instant::now();
    let error = scene::read(name, bytes.as_ref()).expect_err("must be refused");
    assert!(start.elapsed() < Duration::from_secs(1));
    error.to_string()
}

#[test]
fn files_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("none.ply");
    let text = scene::open(&missing).unwrap_err().to_string();
    assert!(text.starts_with(&format!("{}: No such file", missing.display())), "{text}");
    let text = scene::open(folder.path()).unwrap_err().to_string();
    assert_eq!(text, format!("{}: this is a directory, not a file", folder.path().display()));
    let empty = folder.path().join("empty.obj");
    std::fs::write(&empty, b"").unwrap();
    let text = scene::open(&empty).unwrap_err().to_string();
    assert_eq!(text, format!("{}: the file is empty", empty.display()));
    #[cfg(unix)]
    assert_eq!(
        scene::open("/dev/null").unwrap_err().to_string(),
        "/dev/null: this is not a regular file"
    );
}

#[test]
fn a_gltf_file_of_other_types() {
    let asset = "\"asset\": {\"version\": \"2.0\"}";
    let cases = [
        ("[]".to_owned(), "invalid length 0, expected an object"),
        (format!("{{{asset}, \"nodes\": {{}}}}"), "invalid type: object, expected an array"),
        (format!("{{{asset}, \"scene\": \"x\"}}"), "string \"x\", expected a whole number"),
        (format!("{{{asset}, \"meshes\": [7]}}"), "integer `7`, expected an object"),
    ];
    for (json, reason) in cases {
        let text = error("a.gltf", &json);
        assert!(text.ends_with(reason), "{text}");
    }
}

#[test]
fn unknown_content() {
    let reason = "neither the name nor the content is that of an OBJ, PLY, STL, glTF or \
                  .scene.toml file";
    assert_eq!(error("a.txt", "hello"), format!("a.txt: {reason}"));
    assert_eq!(error("a", [0; 84]), "a: there are no triangles"); // a binary STL of none
    assert_eq!(error("a", [1; 100]), format!("a: {reason}"));
}

#[test]
fn no_triangles() {
    let none = |name: &str, text: &str| {
        assert_eq!(error(name, text), format!("{name}: there are no triangles"));
    };
    none("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    none("a.stl", "solid nothing\nendsolid nothing\n");
    none("a.ply", "ply\nformat ascii 1.0\nend_header\n");
    none("a.gltf", r#"{"asset":{"version":"2.0"}}"#);
}

#[test]
fn obj() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    let with = |line: &str| error("a.obj", format!("{vertices}{line}\n"));
    assert_eq!(with("f 1 2 4"), "a.obj: line 4: vertex 4 does not exist; 3 are defined");
    assert_eq!(with("f 1 -4 2"), "a.obj: line 4: vertex -4 does not exist; 3 are defined");
    assert_eq!(with("f 0 1 2"), "a.obj: line 4: vertex 0 does not exist; 3 are defined");
    assert_eq!(with("f 1 2 x"), "a.obj: line 4: found `x`, expected a vertex number");
    assert_eq!(with("v 1 nan 3"), "a.obj: line 4: the coordinate NaN is not finite");
    assert_eq!(with("v 1 2 -inf"), "a.obj: line 4: the coordinate -inf is not finite");
    assert_eq!(with("v 1e39 2 3"), "a.obj: line 4: the coordinate 1e39 is beyond 2^126");
    assert_eq!(
        with("v 1 2"),
        "a.obj: line 4: found the end of the line, expected three coordinates"
    );
    assert_eq!(with("hello 1"), "a.obj: line 4: found `hello`, expected a statement of OBJ");
}

#[test]
fn stl() {
    let mut file = kite().stl_binary();
    file.truncate(150);
    let text = "a.stl: byte 84: the file is truncated: 150 bytes expected from here, 66 left";
    assert_eq!(error("a.stl", &file), text);
    assert_eq!(
        error("a.stl", b"short"),
        "a.stl: byte 0: the file is truncated: 84 bytes expected from here, 5 left"
    );
    let mut file = kite().stl_binary();
    file[84 + 50 + 12 + 4..][..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert_eq!(
        error("a.stl", &file),
        "a.stl: byte 146, triangle 1: the coordinate inf is not finite"
    );
    let mut file = kite().stl_binary();
    file[80] = 2;
    assert_eq!(
        error("a.stl", &file),
        "a.stl: byte 80: 50 bytes follow the last triangle that the header declares"
    );
    let start = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n";
    assert_eq!(
        error("a.stl", start),
        "a.stl: line 4: the file ends where `vertex` or `endloop` should follow"
    );
    assert_eq!(
        error("a.stl", format!("{start}vertex 1 0\n")),
        "a.stl: line 5: found the end of the line, expected three coordinates"
    );
    assert_eq!(
        error("a.stl", format!("{start}vertex 1 0 1\nendloop\n")),
        "a.stl: line 6: a face of 2 corners; at least 3 are needed"
    );
    assert_eq!(
        error("a.stl", format!("{start}vortex")),
        "a.stl: line 5: found `vortex`, expected `vertex`"
    );
}

/// A text PLY with a tetrahedron's corners.
fn ply(faces: &str) -> String {
    format!(
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n\
         property float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n\
         0 0 0\n1 0 0\n0 1 0\n0 0 1\n{faces}"
    )
}

#[test]
fn ply_text() {
    assert_eq!(
        error("a.ply", ply("3 0 1 2\n3 1 2 4\n")),
        "a.ply: line 15, face 1, property vertex_indices: vertex 4 does not exist; 4 are defined"
    );
    assert_eq!(
        error("a.ply", ply("3 0 1 2\n")),
        "a.ply: line 14, face 1: the file ends where row 1 of 2 of element face should follow"
    );
    assert_eq!(
        error("a.ply", ply("3 0 1\n")),
        "a.ply: line 14, face 0, property vertex_indices: found the end of the line, expected a \
         value"
    );
    assert_eq!(
        error("a.ply", ply("4000000000 0 1\n")),
        "a.ply: line 14, face 0, property vertex_indices: found the end of the line, expected a \
         value"
    );
    assert_eq!(
        error("a.ply", ply("").replace("0 1 0", "0 NaN 0")),
        "a.ply: line 12, vertex 2, property y: the coordinate NaN is not finite"
    );
}

#[test]
fn ply_headers() {
    let header = |lines: &str| error("a.ply", format!("ply\n{lines}\nend_header\n"));
    assert_eq!(
        error("a.ply", "ply\nformat ascii 1.0\n"),
        "a.ply: line 2: the file ends where `end_header` should follow"
    );
    assert_eq!(
        header("comment x"),
        "a.ply: line 3: found `end_header`, expected `format` before it"
    );
    assert_eq!(header("format ascii 2.0"), "a.ply: line 2: found `2.0`, expected version `1.0`");
    assert_eq!(
        header("Property float x"),
        "a.ply: line 2: found `Property`, expected a keyword of a PLY header"
    );
    assert_eq!(
        header("property int x"),
        "a.ply: line 2: found `property`, expected `element` before it"
    );
    assert_eq!(
        header("element vertex -1"),
        "a.ply: line 2: found `-1`, expected the number of rows"
    );
    assert_eq!(
        header("element face 1\nproperty list float int vertex_indices"),
        "a.ply: line 3: found `float`, expected an integer type for the length of a list"
    );
    assert_eq!(
        header("element vertex 1\nproperty quad x"),
        "a.ply: line 3: found `quad`, expected a PLY type such as `float` or `uchar`"
    );
    assert_eq!(
        header("format ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y"),
        "a.ply: line 3: found a vertex element without it, expected a property z"
    );
}

#[test]
fn three_gigabytes_declared_in_a_kilobyte() {
    let declared = |kind: &str, vertices: u64, faces: u64| {
        let header = format!(
            "ply\nformat {kind} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float \
             y\nproperty float z\nelement face {faces}\nproperty list uchar int \
             vertex_indices\nend_header\n"
        );
        let mut file = header.into_bytes();
        file.extend([b'1'; 800]);
        error("huge.ply", file)
    };
    assert_eq!(
        declared("binary_little_endian", 250_000_000, 1),
        "huge.ply: byte 177, vertex 0: the file is truncated: 3000000000 bytes expected from here, \
         800 left"
    );
    assert_eq!(
        declared("binary_big_endian", u64::MAX, 1),
        "huge.ply: byte 185, vertex 0: the file is truncated: 18446744073709551615 bytes expected \
         from here, 800 left"
    );
    assert_eq!(
        declared("binary_little_endian", 3, 4_000_000_000),
        "huge.ply: byte 214, face 0: the file is truncated: 4000000000 bytes expected from here, \
         764 left"
    );
    assert!(
        declared("ascii", 250_000_000, 1).starts_with("huge.ply: line 10, vertex 0, property x: ")
    );

    let mut stl = kite().stl_binary();
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(
        error("huge.stl", stl),
        "huge.stl: byte 84: the file is truncated: 214748364750 bytes expected from here, 150 left"
    );

    let json = kite().json("").replace(r#""count":4"#, r#""count":250000000"#);
    assert_eq!(
        error("huge.glb", glb(&json, &kite().buffer())),
        "huge.glb: accessors[0]: the file is truncated: 3000000000 bytes expected from here, 48 \
         left"
    );
    let zeros = json.replace(r#"{"bufferView":0,"componentType":5126"#, r#"{"componentType":5126"#);
    let text = error("huge.glb", glb(&zeros, &kite().buffer()));
    assert!(
        text.starts_with("huge.glb: accessors[0]: 250000000 elements declared, at most "),
        "{text}"
    );
}

#[test]
fn absurd_lists_in_binary_ply() {
    let mut file = kite().ply_binary(false);
    let first_face = file.len() - 3 * 16;
    file[first_face + 2..][..2].copy_from_slice(&60_000u16.to_le_bytes());
    let at = first_face + 2;
    assert_eq!(
        error("a.ply", &file),
        format!(
            "a.ply: byte {at}, face 0, property vertex_indices: the file is truncated: 240000 \
             bytes expected from here, 44 left"
        )
    );
}

#[test]
fn binary_gltf() {
    let file = kite().glb();
    let length = file.len();
    assert_eq!(
        error("a.glb", &file[..length - 1]),
        format!(
            "a.glb: byte 0: the file is truncated: {length} bytes expected from here, {} left",
            length - 1
        )
    );
    assert_eq!(
        error("a.glb", &file[..6]),
        "a.glb: byte 4: the file is truncated: 4 bytes expected from here, 2 left"
    );
    let mut old = file.clone();
    old[4] = 1;
    assert_eq!(
        error("a.glb", &old),
        "a.glb: byte 4: version 1 of GLB, which holds glTF 1.0, is not supported"
    );
    let text = |from: &str, to: &str| {
        let json = kite().json("");
        assert!(json.contains(from));
        error("a.glb", glb(&json.replace(from, to), &kite().buffer()))
    };
    assert_eq!(
        text(r#""indices":1"#, r#""indices":5"#),
        "a.glb: meshes[0].primitives[0].indices: accessor 5 does not exist; there are 2"
    );
    assert_eq!(
        text(r#""type":"VEC3""#, r#""type":"VEC4""#),
        "a.glb: accessors[0].type: found `VEC4`, expected `VEC3`"
    );
    assert_eq!(
        text(r#""count":4"#, r#""count":3"#),
        "a.glb: meshes[0].primitives[0].indices, corner 5: vertex 3 does not exist; 3 are defined"
    );
    let old = "asset.version: glTF 1.0 (convert the file to 2.0, for example with gltf-pipeline) \
               is not supported";
    assert_eq!(text("2.0", "1.0"), format!("a.glb: {old}"));
    assert_eq!(text("2.0", "3.1"), "a.glb: asset.version: version 3.1 of glTF is not supported");
    // Version 1.0 has objects where 2.0 has arrays, and may leave its own version out.
    for asset in [r#""asset":{"version":1.0},"#, r#""asset":{"version":"1.1"},"#, ""] {
        let file = format!("{{{asset} \"scene\": \"main\", \"meshes\": {{\"box\": {{}}}}}}");
        assert_eq!(error("a.gltf", file), format!("a.gltf: {old}"));
    }
    let mut nan = kite();
    nan.positions[2].y = f32::NAN;
    assert_eq!(
        error("a.glb", nan.glb()),
        "a.glb: accessors[0], element 2: the coordinate NaN is not finite"
    );
    assert_eq!(
        error("a.gltf", "{\"asset\":{\"version\":\"2.0\"},\n\"nodes\":7}"),
        "a.gltf: line 2: not the JSON of a glTF file: invalid type: integer `7`, expected an array"
    );
}
