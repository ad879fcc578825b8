//! Images of drivers, as the vector files hold them, pass the check.

use crate::support::check;
use gfx10::{GFX10_NAME, GFX11_NAME, Writer};
use machine::{Image, Segment};
use serde_json::Value;
use std::path::Path;

fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name);
    std::fs::read(path).unwrap()
}

fn number(value: &Value) -> u64 {
    let text = value.as_str().unwrap();
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

fn segment(image: &Value) -> Segment {
    let memory = &image["memory"][0];
    let dwords = memory["dwords"].as_array().unwrap();
    let bytes: Vec<u8> =
        dwords.iter().flat_map(|word| (number(word) as u32).to_le_bytes()).collect();
    Segment::new(number(&memory["address"]), &bytes)
}

/// The images of the file, the one of that name first.
fn image(name: &str) -> Image {
    let file: Value = serde_json::from_slice(&file("gfx10-dump.json")).unwrap();
    let images = file["images"].as_array().unwrap();
    let first = images.iter().find(|image| image["name"] == name).unwrap();
    let mut segments = vec![segment(first)];
    let others = images.iter().filter(|image| image["name"] != name);
    segments.extend(others.map(segment));
    let base = number(&first["base"]);
    let root = number(&first["root"]);
    Image { format: GFX11_NAME, segments, bases: vec![base; 2], root }
}

#[test]
fn images_of_drivers_are_sound() {
    let blas = check(image("radv-gfx11-blas")).ok().unwrap();
    assert!(blas.findings.is_empty(), "{:?}", blas.findings);
    assert_eq!(blas.tree.blases[0].primitives.len(), 3);
    let tlas = check(image("radv-gfx11-tlas")).ok().unwrap();
    // RADV's box is exact; what siliray knows of the transformed one is up to rounding.
    assert!(tlas.findings.iter().all(|found| found.rule == "contained_ulp"), "{:?}", tlas.findings);
    let instances = &tlas.tree.tlas.as_ref().unwrap().instances;
    assert_eq!((instances.len(), instances[0].custom_index, instances[0].mask), (1, 11, 0xFF));
    assert_eq!(tlas.tree.blases[0].primitives.len(), 3);
    let pair = check(image("gpurt-2.0-blas")).ok().unwrap();
    // The file's box says that the pair is opaque, which it is not; its ids are of
    // geometries that the header does not count.
    let mut rules: Vec<_> = pair.findings.iter().map(|found| found.rule).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["cull_flags", "driver_header", "lost_primitive", "missed_culling"]);
    let ids = &pair.tree.blases[0].primitives.ids;
    let ids: Vec<_> = ids.iter().map(|id| (id.geometry, id.primitive)).collect();
    assert_eq!(ids, [(3, 4), (3, 5), (0, 2)]);
}

#[test]
fn a_real_image_of_hiprt_is_sound() {
    let bytes = file("hiprt-cornell-bvh4.bin");
    let raw = |format, writer: Option<Writer>| Image {
        format,
        segments: vec![Segment::new(0, &bytes)],
        bases: [0x40, 0xBC0].into_iter().chain(writer.map(Writer::code)).collect(),
        root: 5,
    };
    for writer in [None, Some(Writer::Hiprt)] {
        let image = check(raw(GFX10_NAME, writer)).ok().unwrap();
        assert!(image.findings.is_empty(), "{:?}", image.findings);
        assert!(image.facts.lossless && image.facts.finite && !image.facts.parents);
        let mut ids: Vec<_> =
            image.tree.blases[0].primitives.ids.iter().map(|id| id.primitive).collect();
        ids.sort_unstable();
        assert_eq!(ids, Vec::from_iter(0..32));
    }
    let rules = |image| {
        let sound = check(image).ok().unwrap();
        sound.findings.iter().map(|found| found.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(raw(GFX11_NAME, None)), ["cull_flag_dword"]);
    // an instance is refused in words.
    let mut scene = raw(GFX10_NAME, Some(Writer::Hiprt));
    scene.segments[0].bytes_mut()[0x40..0x44].copy_from_slice(&0x16u32.to_le_bytes());
    let findings = check(scene).err().unwrap();
    let found = findings.iter().find(|found| found.rule == "node_type").unwrap();
    assert!(found.expected.contains("HIPRT's instances"), "{found:?}");
}
