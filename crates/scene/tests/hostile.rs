//! Whatever the bytes are: an answer, soon, and no panic.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::kite;
use proptest::prelude::*;
use std::time::{Duration, Instant};

/// Reads without caring for the answer, only that it comes and that a scene is sound.
fn survive(name: &str, bytes: &[u8]) {
    if let Ok(scene) = scene::read(name, bytes) {
        assert!(scene.placed_triangle_count() > 0);
        assert!(scene.bounds().expect("transforms are checked").is_finite());
        let _ = scene::defects(&scene);
    }
}

#[test]
fn every_truncation_of_every_format() {
    for (name, file, _) in kite().every_format() {
        for length in 0..file.len() {
            survive(name, &file[..length]);
        }
    }
}

/// Formats that say how long they are notice every truncation.
#[test]
fn truncated_binary_files_are_refused() {
    let formats = kite().every_format();
    for (name, file, _) in formats
        .iter()
        .filter(|(name, ..)| ["little.ply", "big.ply", "binary.stl", "mesh.glb"].contains(name))
    {
        for length in 0..file.len() {
            assert!(scene::read(name, &file[..length]).is_err(), "{name} cut to {length} bytes");
        }
    }
}

#[test]
fn ten_thousand_damaged_files_are_answered_soon() {
    let start = Instant::now();
    let files = kite().every_format();
    let mut state = 0x1234_5678_9ABC_DEF1u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % below
    };
    for round in 0..10_000 {
        let (name, file, _) = &files[round % files.len()];
        let mut damaged = file.clone();
        for _ in 0..=random(4) {
            let at = random(damaged.len());
            match random(4) {
                0 => damaged[at] ^= 1 << random(8),
                1 => damaged[at] = random(256) as u8,
                2 => damaged.truncate(at.max(1)),
                _ => damaged.insert(at, b"9-{}[]\"e. \n\xFF"[random(12)]),
            }
        }
        survive(name, &damaged);
    }
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

proptest! {
    #[test]
    fn garbage_of_any_name(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for name in ["g", "g.obj", "g.ply", "g.stl", "g.gltf", "g.glb"] {
            survive(name, &bytes);
        }
        survive("g.ply", &[b"ply\nformat binary_big_endian 1.0\n", bytes.as_slice()].concat());
        survive("g.glb", &[b"glTF\x02\0\0\0", bytes.as_slice()].concat());
    }
}

/// Polygons with very many corners, all inward or crossing, take no longer than their size
/// explains.
#[test]
fn monstrous_polygons_end() {
    let start = Instant::now();
    let mut text = String::new();
    for i in 0..60_000 {
        let (sin, cos) = (i as f32 * 2.4).sin_cos();
        let r = 1.0 + (i % 7) as f32;
        text += &format!("v {} {} 0\n", r * cos, r * sin);
    }
    for size in [1_500, 2_000, 60_000] {
        text += "f";
        (1..=size).for_each(|i| text += &format!(" {i}"));
        text += "\n";
    }
    let scene = scene::read("polygons.obj", text.as_bytes()).unwrap();
    assert_eq!(scene.triangle_count(), 1_498 + 1_998 + 59_998);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

/// A thousand primitives of one array: refused before it fills the memory.
#[test]
fn amplified_gltf_is_refused() {
    let start = Instant::now();
    let primitives = vec![r#"{"attributes":{"POSITION":0},"mode":5}"#; 1_000].join(",");
    let text = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"mesh":0}}],
"meshes":[{{"primitives":[{primitives}]}}],
"accessors":[{{"componentType":5126,"count":300000,"type":"VEC3"}}]}}"#
    );
    let error = scene::read("many.gltf", text.as_bytes()).unwrap_err().to_string();
    let start_of_error = "many.gltf: meshes[0].primitives[1]: 300000 elements declared, at most ";
    assert!(error.starts_with(start_of_error), "{error}");
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}
