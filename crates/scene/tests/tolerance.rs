//! What other readers pass over is passed over here, with a warning that names file and line.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

/// The number of triangles, and the warnings.
fn read(name: &str, bytes: impl AsRef<[u8]>) -> (usize, Vec<String>) {
    let scene = scene::read(name, bytes.as_ref()).unwrap_or_else(|error| panic!("{error}"));
    (scene.triangle_count(), scene.warnings.iter().map(ToString::to_string).collect())
}

#[test]
fn files_without_oddities_have_no_warnings() {
    for (name, file, _) in common::kite().every_format() {
        assert_eq!(read(name, file), (3, Vec::new()), "{name}");
    }
}

#[test]
fn an_obj_file_with_empty_faces_and_foreign_lines() {
    let file = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf\nhello world\nf 1 2 3\nf 1 2 # a line\nbye\n";
    let expected = [
        "a.obj: line 4: a face of fewer than 3 corners is passed over (2 times)",
        "a.obj: line 5: a line that is no statement of OBJ is passed over (2 times)",
    ];
    assert_eq!(read("a.obj", file), (1, expected.map(str::to_owned).to_vec()));
}

#[test]
fn an_obj_file_whose_materials_are_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.obj");
    std::fs::write(&path, "mtllib ../a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    let scene = scene::open(&path).unwrap();
    let reason = "no materials from `../a.mtl`: it lies outside the file's folder";
    assert_eq!(scene.warnings[0].to_string(), format!("{}: line 1: {reason}", path.display()));
}

/// A PLY header with a line in it that is no comment, and faces of any number of corners.
fn ply(line: &str, format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\n{line}\nelement vertex 3\nproperty float x\nproperty float y\n\
         property float z\nelement face 3\nproperty list uchar int vertex_indices\nend_header\n"
    )
}

#[test]
fn a_ply_file_with_a_bare_comment_and_short_faces() {
    let body = "0 0 0 7\n1 0 0\n0 1 0\n0\n3 0 1 2 6 0.5 0.25\n2 0 1\n";
    let expected = [
        "a.ply: line 3: a line of the header without a keyword is passed over",
        "a.ply: line 14: a face of fewer than 3 corners is passed over (2 times)",
        "a.ply: line 11: values after the last property of a row are passed over (2 times)",
    ];
    let expected = expected.map(str::to_owned).to_vec();
    assert_eq!(read("a.ply", ply("made by a scanner", "ascii") + body), (1, expected));

    let mut file = ply("", "binary_little_endian").into_bytes();
    let body = file.len();
    for coordinate in [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
        file.extend(coordinate.to_le_bytes());
    }
    file.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0]);
    let text = "a face of fewer than 3 corners is passed over (2 times)";
    let expected = vec![
        "a.ply: line 3: a line of the header without a keyword is passed over".to_owned(),
        format!("a.ply: byte {}: {text}", body + 36 + 13),
    ];
    assert_eq!(read("a.ply", file), (1, expected));
}

/// A GLB whose JSON is not padded, so that the binary chunk begins where it should not.
#[test]
fn a_glb_file_whose_chunks_are_not_aligned() {
    let mut json = common::kite().json("").into_bytes();
    json.resize(json.len().next_multiple_of(4) + 1, b' ');
    let buffer = common::kite().buffer();
    let mut file = b"glTF\x02\0\0\0".to_vec();
    file.extend((28 + json.len() as u32 + buffer.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &buffer)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(kind);
        file.extend(chunk);
    }
    let at = 20 + json.len();
    let text = "the binary chunk does not begin at a multiple of 4 bytes";
    assert_eq!(read("a.glb", file), (3, vec![format!("a.glb: byte {at}: {text}")]));
}
