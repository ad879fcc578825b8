//! Commands on images of the format `gfx12-bvh4x2`.

use crate::json::{assert_documented, assert_has};
use crate::support::Folder;
use serde_json::Value;

/// A folder with the image of a scene, and the figures of the build.
fn built(scene: &str, rest: &[&str]) -> (Folder, Value) {
    let folder = Folder::new();
    let args = ["build", scene, "--triangles", "600", "--format", "gfx12-bvh4x2"];
    let json = folder.json(&[&args[..], &["-o", "scene.bvh4x2"], rest].concat());
    assert_documented(&json);
    assert_has(&json, &["format", "bytes", "bytes_per_triangle", "nodes", "output", "precision"]);
    (folder, json)
}

#[test]
fn a_built_scene_is_sound_and_comes_back() {
    for precision in ["fp32", "high"] {
        let (folder, build) = built("forest", &["--precision", precision]);
        assert_eq!(
            (&build["format"], &build["precision"]),
            (&"gfx12-bvh4x2".into(), &precision.into())
        );
        let check = folder.json(&["check", "scene.bvh4x2"]);
        assert_eq!((&check["sound"], &check["findings"]), (&true.into(), &Value::Array(vec![])));
        assert_eq!(check["nodes"], build["nodes"]);
        let image = folder.json(&["inspect", "scene.bvh4x2", "--tree"]);
        assert_documented(&image);
        let original = folder.json(&["info", "forest", "--triangles", "600"]);
        assert_eq!(image["totals"]["triangles"], original["triangles"]);
        assert_eq!(image["totals"]["boxes"], build["box_nodes"]);
        assert_eq!(image["totals"]["instances"], original["instances"]);
        assert_eq!(
            (&image["totals"]["outside"], &image["structures"][0]["level"]),
            (&0.into(), &"TLAS".into())
        );
        let info = folder.json(&["info", "scene.bvh4x2"]);
        for key in ["triangles", "placed_triangles", "instances", "objects"] {
            assert_eq!(info[key], original[key], "{key}");
        }
    }
}

#[test]
fn a_blas_is_chosen_by_number() {
    let (folder, _) = built("forest", &[]);
    let image = folder.json(&["inspect", "scene.bvh4x2", "--structure", "1"]);
    assert_eq!((&image["structure"], &image["totals"]["structures"]), (&1.into(), &1.into()));
    assert_eq!(image["totals"]["triangles"], image["structures"][1]["primitives"]);
    assert_eq!(
        folder.run(&["inspect", "scene.bvh4x2", "--structure", "99"]).status.code(),
        Some(2)
    );
}

#[test]
fn two_nodes_are_tested_by_one_instruction() {
    let (folder, _) = built("organic", &[]);
    let tree = folder.json(&["inspect", "scene.bvh4x2", "--tree", "--depth", "2"]);
    let boxes: Vec<&str> = tree["tree"].as_array().unwrap()[1..]
        .iter()
        .filter(|visit| visit["kind"] == "box")
        .map(|visit| visit["pointer"].as_str().unwrap())
        .collect();
    let ray = ["--origin", "0.1,0.2,-9", "--direction", "0.01,0.02,1"];
    let ask = |nodes: &[&str], rest: &[&str]| {
        let mut args = vec!["intersect", "scene.bvh4x2"];
        args.extend(nodes.iter().flat_map(|&node| ["--node", node]));
        let json = folder.json(&[&args[..], &ray[..], rest].concat());
        assert_documented(&json);
        assert_eq!(json["decoded"]["instruction"], "image_bvh_dual_intersect_ray");
        json["registers"].as_array().unwrap().clone()
    };
    // Without the wide sort, slots stand apart: two nodes answer as each of them alone.
    let narrow = ["--resource", "0,0x83100000,0xffffffff,0x81c003ff"];
    let [first, second] = [boxes[0], boxes[1]];
    let both = ask(&[first, second], &narrow);
    assert_eq!(both[..4], ask(&[first], &narrow)[..4]);
    assert_eq!(both[4..8], ask(&[second], &narrow)[..4]);
    assert!(both[0] != "0xffffffff" || both[4] != "0xffffffff", "{both:?}");
    // With it, the children of both are one list, hits first.
    let sorted = ask(&[first, second], &[]);
    let hits = |registers: &[Value]| {
        let mut hits: Vec<String> = registers[..8].iter().map(|word| word.to_string()).collect();
        hits.sort();
        hits
    };
    assert_eq!(hits(&sorted), hits(&both));
    let three = ["--node", first, "--node", second, "--node", first];
    let args = [&["intersect", "scene.bvh4x2"], &three[..], &ray[..]].concat();
    assert_eq!(folder.run(&args).status.code(), Some(2));
}

#[test]
fn differences_are_named() {
    let (folder, _) = built("organic", &[]);
    let same = folder.json(&["diff", "scene.bvh4x2", "scene.bvh4x2"]);
    assert_eq!(same["equal"], true);
    let node = folder.json(&["inspect", "scene.bvh4x2", "--node", "0x5"]);
    let mut bytes = folder.read("scene.bvh4x2");
    // A plane of the root's first child: its third byte.
    bytes[node["offset"].as_u64().unwrap() as usize + 18] ^= 0x10;
    std::fs::write(folder.path().join("bent.bvh4x2"), &bytes).unwrap();
    let output = folder.run(&["diff", "scene.bvh4x2", "bent.bvh4x2", "--json"]);
    let diff: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_documented(&diff);
    assert_eq!((output.status.code(), diff["differences"].as_array().unwrap().len()), (Some(1), 1));
    let difference = &diff["differences"][0];
    assert_eq!((&difference["pointer"], &difference["kind"]), (&"0x5".into(), &"box".into()));
    assert_eq!(difference["fields"][0]["name"], "children[0].min_x");
    folder.json(&[
        "build",
        "organic",
        "--triangles",
        "600",
        "--format",
        "gfx12",
        "-o",
        "scene.rra",
    ]);
    assert_eq!(folder.run(&["diff", "scene.bvh4x2", "scene.rra"]).status.code(), Some(1));
}

#[test]
fn damage_is_named_with_its_chunk() {
    let (folder, _) = built("organic", &[]);
    let bytes = folder.read("scene.bvh4x2");
    let root = folder.json(&["inspect", "scene.bvh4x2", "--node", "0x5"]);
    let mut bent = bytes.clone();
    // The first child pointer leads far away.
    bent[root["offset"].as_u64().unwrap() as usize + 3] ^= 0x40;
    std::fs::write(folder.path().join("bent.bvh4x2"), &bent).unwrap();
    let output = folder.run(&["check", "bent.bvh4x2", "--json"]);
    let check: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (output.status.code(), &check["findings"][0]["rule"]),
        (Some(1), &"pointer_range".into())
    );
    let message = check["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("chunk Bvh4x2Struct 0"), "{message}");
    std::fs::write(folder.path().join("cut.bvh4x2"), &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(folder.run(&["check", "cut.bvh4x2"]).status.code(), Some(1));
}

#[test]
fn options_of_the_other_format_are_refused() {
    let folder = Folder::new();
    for stray in
        [&["--format", "gfx12-bvh4x2", "--obb"][..], &["--format", "gfx12", "--precision", "high"]]
    {
        let output = folder.run(&[&["build", "organic", "--triangles", "500"], stray].concat());
        assert_eq!(output.status.code(), Some(2), "{stray:?}");
    }
}
