//! Memory of RDNA2 and RDNA3: what it is taken for, and which options say more of it.

use crate::support::Folder;
use serde_json::Value;

const FORMATS: [&str; 2] = ["gfx10-bvh4", "gfx11-bvh4"];

fn build(folder: &Folder, scene: &str, format: &str, policy: &str, file: &str) {
    let policy = format!("policy={policy}");
    let args = ["build", scene, "--triangles", "900", "--format", format, "--set", &policy];
    folder.json(&[&args[..], &["-o", file]].concat());
}

/// The memory of the only segment of a container, as another file; and where its nodes begin.
fn memory_of(folder: &Folder, container: &str, memory: &str) -> usize {
    let bytes = folder.read(container);
    let long = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let bases = u32::from_le_bytes(bytes[32..36].try_into().unwrap()) as usize;
    let (base, record) = (long(40), 40 + 8 * bases);
    let start = (record + 16).next_multiple_of(128);
    std::fs::write(folder.path().join(memory), &bytes[start..start + long(record + 8)]).unwrap();
    base - long(record)
}

/// Where the nodes of RADV's memory begin.
fn radv_root(folder: &Folder) -> usize {
    let bytes = folder.read("memory.bin");
    u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize
}

/// Commands that open an image, with options that make them quick.
fn commands(file: &str) -> [Vec<&str>; 9] {
    [
        vec!["check", file],
        vec!["inspect", file],
        vec!["diff", file, file],
        vec!["stats", file],
        vec!["sim", file, "--rays", "16"],
        vec!["walk", file, "--pixel", "4,3", "--size", "8x6"],
        vec!["render", file, "-o", "picture.png", "--size", "4x3", "--samples", "1"],
        vec!["trace", file, "--rays", "rays.bin", "-o", "hits.bin"],
        vec!["conformance", file, "--rays", "16"],
    ]
}

#[test]
fn dumps_of_radv_are_known_by_their_bytes() {
    for format in FORMATS {
        let folder = Folder::new();
        build(&folder, "interior", format, "radv", "memory.bin");
        build(&folder, "forest", format, "radv", "forest.bin");
        build(&folder, "interior", format, "radv", "dump.gamma");
        build(&folder, "forest", format, "radv", "forest.gamma");
        folder.json(&["rays", "interior", "--rays", "16", "-o", "rays.bin"]);
        for file in ["memory.bin", "forest.bin", "dump.gamma", "forest.gamma"] {
            let found = folder.json(&["inspect", file]);
            assert_eq!(found["format"], format, "{file}");
            assert_ne!(found["structures"], Value::Array(Vec::new()), "{file}");
            for args in commands(file) {
                let (status, _, errors) = folder.said(&args);
                assert_eq!((status, &*errors), (Some(0), ""), "{args:?}");
            }
        }
    }
}

#[test]
fn every_command_takes_the_options_of_raw_memory() {
    let folder = Folder::new();
    build(&folder, "interior", "gfx11-bvh4", "own", "image");
    let base = format!("{:#x}", memory_of(&folder, "image", "memory.bin"));
    folder.json(&["rays", "interior", "--rays", "16", "-o", "rays.bin"]);
    let raw = ["--raw", "--base", &base, "--root", "0x5", "--writer", "own"];
    let raw = [&raw[..], &["--raw-format", "gfx11-bvh4"]].concat();
    for args in commands("memory.bin") {
        let (status, text, errors) = folder.said(&[&args[..], &raw].concat());
        assert_eq!((status, &*errors), (Some(0), ""), "{args:?}: {text}");
        let (status, _, errors) = folder.said(&args);
        assert_ne!(status, Some(0), "{args:?} without options");
        assert!(errors.starts_with("error: "), "{args:?}: {errors}");
    }
    // Of a scene, they say nothing.
    let (status, _, errors) = folder.said(&["walk", "interior", "--raw-format", "gfx12"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains("--raw-format has no effect"), "{errors}");
    let (status, _, errors) = folder.said(&["conformance", "--structure", "1"]);
    assert_eq!((status, errors.contains("name one")), (Some(2), true), "{errors}");
}

/// The box that was made smaller is named, with its planes and how far it falls short.
#[test]
fn a_box_that_was_shrunk_is_named_first() {
    let folder = Folder::new();
    build(&folder, "interior", "gfx10-bvh4", "radv", "memory.bin");
    let root = radv_root(&folder);
    let mut bytes = folder.read("memory.bin");
    // The far plane of slot 1 on y.
    let plane = root + 16 + 24 + 16;
    let y = f32::from_le_bytes(bytes[plane..plane + 4].try_into().unwrap());
    bytes[plane..plane + 4].copy_from_slice(&(y - 0.25).to_le_bytes());
    std::fs::write(folder.path().join("memory.bin"), bytes).unwrap();
    let found = folder.json(&["check", "memory.bin"]);
    let finding = &found["findings"][0];
    assert_eq!(finding["rule"], "contained");
    assert_eq!(finding["offset"], root);
    assert_eq!(finding["bits"], serde_json::json!([320, 512]));
    assert!(finding["place"].as_str().unwrap().ends_with("box 0x5, slot 1"), "{finding}");
    assert!(finding["found"].as_str().unwrap().contains("outside on y"), "{finding}");
    let contained = found["findings"].as_array().unwrap().iter();
    assert_eq!(contained.filter(|finding| finding["rule"] == "contained").count(), 1);
}

/// Loops that refuse an image are named, and a wrong field of the header is the one that is blamed.
#[test]
fn what_loops_refuse_is_said_of_a_sound_image() {
    let folder = Folder::new();
    build(&folder, "interior", "gfx10-bvh4", "radv", "memory.bin");
    let root = radv_root(&folder);
    let memory = folder.read("memory.bin");
    let broken = |at: usize, word: u32| {
        let mut bytes = memory.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        std::fs::write(folder.path().join("broken.bin"), bytes).unwrap();
        folder.json(&["check", "broken.bin"])["findings"].clone()
    };
    let parents = broken(root - 40, 0x1235);
    assert_eq!(parents[0]["rule"], "parent");
    assert_eq!(parents[1]["rule"], "refused");
    assert_eq!(parents[1]["place"], "machine gfx10-radv");
    let places = broken(96, 0x40);
    assert_eq!((&places[0]["rule"], &places[1]), (&"driver_header".into(), &Value::Null));
    assert_eq!(places[0]["bits"], serde_json::json!([768, 832]));
}

/// Bytes that no structure holds are told with their places.
#[test]
fn bytes_outside_of_structures_are_told() {
    let folder = Folder::new();
    build(&folder, "interior", "gfx10-bvh4", "own", "a");
    let mut bytes = folder.read("a");
    // The padding of the container, in no image.
    bytes[100] ^= 0x5A;
    std::fs::write(folder.path().join("b"), &bytes).unwrap();
    let (status, text, _) = folder.said(&["diff", "a", "b"]);
    assert_eq!(status, Some(1));
    assert!(text.contains("1 byte of the files, in no image, differs, at byte 0x64"), "{text}");
    // The flags of RADV's header, which is in the image.
    build(&folder, "interior", "gfx10-bvh4", "radv", "a");
    let mut bytes = folder.read("a");
    bytes[124] ^= 1;
    std::fs::write(folder.path().join("b"), &bytes).unwrap();
    let (status, text, _) = folder.said(&["diff", "a", "b"]);
    assert_eq!(status, Some(1));
    assert!(text.contains("1 byte of no structure differs, at byte 0x7c and 0x7c"), "{text}");
}

#[test]
fn structures_of_images_are_listed_and_chosen() {
    let folder = Folder::new();
    build(&folder, "forest", "gfx11-bvh4", "own", "forest");
    let found = folder.json(&["inspect", "forest"]);
    let structures = found["structures"].as_array().unwrap();
    assert_eq!(
        (&structures[0]["level"], &structures[1]["level"]),
        (&"TLAS".into(), &"BLAS".into())
    );
    let one = folder.json(&["inspect", "forest", "--structure", "1"]);
    assert_eq!(one["totals"]["instances"], 0);
    assert_eq!(one["totals"]["boxes"], structures[1]["box_nodes"]);
    let (status, _, errors) = folder.said(&["inspect", "forest", "--structure", "99"]);
    assert_eq!((status, errors.contains("no structure 99")), (Some(2), true), "{errors}");
}

#[test]
fn what_differs_from_the_scene_has_the_bits_of_its_node() {
    let folder = Folder::new();
    build(&folder, "interior", "gfx10-bvh4", "radv", "image");
    let args = ["check", "image", "--scene", "hairball", "--triangles", "900", "--json"];
    let (status, found, errors) = folder.said(&args);
    assert_eq!(status, Some(1), "{errors}");
    let found: Value = serde_json::from_str(&found).unwrap();
    let findings = found["findings"].as_array().unwrap().iter();
    let source: Vec<&Value> = findings.filter(|finding| finding["rule"] == "source").collect();
    assert!(source.iter().any(|finding| finding["bits"] == serde_json::json!([0, 512])));
}
