//! Commands that write and read images.

use crate::json::{assert_documented, assert_has};
use crate::support::{Folder, Said};
use serde_json::Value;
use std::path::Path;

/// A vector file, or the image beside it.
fn vector(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gfx12/tests/vectors");
    folder.join(name).to_str().unwrap().to_owned()
}

/// What HIPRT built: two bases.
fn hiprt<'a>(command: &'a str, file: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
    let layout = ["--raw", "--base", "0x40", "--primitive-base", "0x4c0", "--root", "0x5"];
    [&[command, file], &layout[..], rest].concat()
}

/// A folder with a small scene in a file whose name is not ASCII.
fn with_scene(name: &str) -> Folder {
    let folder = Folder::new();
    let args = ["build", "forest", "--triangles", "600", "--format", "gfx12", "-o", name];
    let json = folder.json(&args);
    assert_documented(&json);
    assert_has(&json, &["format", "bytes", "bytes_per_triangle", "nodes", "output"]);
    assert_eq!((json["format"].as_str(), json["output"].as_str()), (Some("gfx12"), Some(name)));
    folder
}

/// The exit code, and the JSON that was printed all the same.
fn failing_json(folder: &Folder, args: &[&str]) -> (Option<i32>, Value) {
    let output = folder.run(&[args, &["--json"]].concat());
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn a_built_scene_is_sound_and_comes_back() {
    let folder = with_scene("wäldchen.rra");
    let check = folder.json(&["check", "wäldchen.rra"]);
    assert_documented(&check);
    assert_eq!(check["sound"], true);
    assert_eq!(check["findings"], Value::Array(Vec::new()));
    let image = folder.json(&["inspect", "wäldchen.rra"]);
    assert_documented(&image);
    assert_eq!(image["totals"]["outside"], 0);
    let info = folder.json(&["info", "wäldchen.rra"]);
    let original = folder.json(&["info", "forest", "--triangles", "600"]);
    for key in ["triangles", "placed_triangles", "instances", "objects", "non_opaque_geometries"] {
        assert_eq!(info[key], original[key], "{key}");
    }
    assert_eq!(image["totals"]["triangles"], original["triangles"]);
}

#[test]
fn damage_is_named() {
    let folder = with_scene("forest.rra");
    let mut bytes = folder.read("forest.rra");
    let image = folder.json(&["inspect", "forest.rra"]);
    let root = image["structures"][0]["offset"].as_u64().unwrap() as usize + 128;
    // The first instance pointer now leads far away.
    bytes[root + 6] ^= 0x40;
    std::fs::write(folder.path().join("bent.rra"), &bytes).unwrap();
    let (code, check) = failing_json(&folder, &["check", "bent.rra"]);
    assert_eq!((code, &check["sound"]), (Some(1), &Value::Bool(false)));
    assert_has(
        &check["findings"][0],
        &["severity", "rule", "offset", "bits", "found", "expected", "message"],
    );
    let message = check["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("chunk RawAccelStruct 0"), "{message}");
    std::fs::write(folder.path().join("cut.rra"), &bytes[..bytes.len() / 2]).unwrap();
    let (code, check) = failing_json(&folder, &["check", "cut.rra"]);
    assert_eq!((code, check["findings"][0]["rule"].as_str()), (Some(1), Some("index_range")));

    let (code, diff) = failing_json(&folder, &["diff", "forest.rra", "bent.rra"]);
    assert_documented(&diff);
    assert_eq!((code, &diff["equal"]), (Some(1), &Value::Bool(false)));
    let first = &diff["differences"][0];
    assert_eq!((first["pointer"].as_str(), first["kind"].as_str()), (Some("0x15"), Some("box")));
    let fields: Vec<&Value> =
        first["fields"].as_array().unwrap().iter().map(|f| &f["name"]).collect();
    assert!(fields.contains(&&Value::from("primitive_base")), "{fields:?}");
    let same = folder.json(&["diff", "forest.rra", "forest.rra"]);
    assert_eq!((&same["equal"], &same["differences"]), (&Value::Bool(true), &Value::Array(vec![])));
}

#[test]
fn a_raw_image_with_two_bases() {
    let (folder, dump) = (Folder::new(), vector("hiprt-cornell-bvh8.bin"));
    let image = folder.json(&hiprt("inspect", &dump, &["--tree"]));
    assert_documented(&image);
    assert_eq!(image["totals"]["triangles"], 32);
    assert_eq!(image["tree"][3]["pointer"], "0x12");
    assert_eq!(image["left_out"], 0);
    let cut = folder.json(&hiprt("inspect", &dump, &["--tree", "--depth", "1"]));
    let all = image["tree"].as_array().unwrap().len();
    assert_eq!((cut["tree"].as_array().unwrap().len(), &cut["left_out"]), (1, &(all - 1).into()));
    let node = folder.json(&hiprt("inspect", &dump, &["--node", "0x5"]));
    assert_documented(&node);
    assert_has(&node, &["pointer", "offset", "kind", "fields"]);
    assert_eq!((&node["offset"], &node["kind"]), (&Value::from(0x40), &Value::from("box")));
    let field = |name: &str| {
        let fields = node["fields"].as_array().unwrap();
        fields.iter().find(|field| field["name"] == name).unwrap().clone()
    };
    assert_eq!(field("children[0].min_x")["value"], "519 → 129.75");
    assert_eq!(field("children[0].max_x")["bits"], serde_json::json!([300, 312]));
    assert_eq!(field("exponents_x")["raw"], "0x89");
    let check = folder.json(&hiprt("check", &dump, &[]));
    assert_eq!((&check["sound"], &check["nodes"]), (&Value::Bool(true), &Value::from(17)));
}

/// Uncompressed memory: a triangle node behind a box.
#[test]
fn a_raw_image_of_the_uncompressed_format() {
    let folder = Folder::new();
    let mut words = [0u32; 48];
    words[..4].copy_from_slice(&[0x10, u32::MAX, u32::MAX, u32::MAX]);
    let [low, high] = [-1.5f32, 4.0].map(f32::to_bits);
    words[4..10].copy_from_slice(&[low, low, low, high, high, high]);
    // Corners of triangle 0, then the ids.
    words[32 + 3] = 2.5f32.to_bits();
    words[32 + 7] = 3.0f32.to_bits();
    words[32 + 12..].copy_from_slice(&[7, 0, 3, 0x89]);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.path().join("nodes.bin"), &bytes).unwrap();
    let args = |command, rest: &[&'static str]| {
        let raw = [command, "nodes.bin", "--raw", "--raw-format", "gfx12-bvh4x2", "--base", "0"];
        [&raw[..], rest].concat()
    };
    let (_, check) = failing_json(&folder, &args("check", &["--root", "0x5"]));
    assert_documented(&check);
    assert_eq!((&check["sound"], &check["nodes"]), (&Value::Bool(true), &2.into()), "{check}");
    let value = |node: &Value, name: &str| {
        let fields = node["fields"].as_array().unwrap();
        fields.iter().find(|field| field["name"] == name).unwrap()["value"].clone()
    };
    let root = folder.json(&args("inspect", &["--node", "0x5"]));
    assert_eq!(value(&root, "children[0].pointer"), "0x10: primitive at base + 0x80");
    assert_eq!(value(&root, "children[0].max_y"), "4.0");
    let leaf = folder.json(&args("inspect", &["--node", "0x10"]));
    assert_documented(&leaf);
    assert_eq!((&leaf["offset"], &leaf["kind"]), (&0x80.into(), &"primitive".into()));
    assert_eq!(value(&leaf, "vertices[1].x"), "2.5");
    assert_eq!(value(&leaf, "geometry_id"), "3");
    let image = folder.json(&args("inspect", &["--tree", "--root", "0x5"]));
    assert_eq!(
        (&image["totals"]["triangles"], &image["tree"][1]["pointer"]),
        (&1.into(), &"0x10".into())
    );
}

/// The ray of the captured case `box-a-all-hit`, on its own memory.
#[test]
fn one_instruction() {
    let folder = Folder::new();
    let file: Value =
        serde_json::from_slice(&std::fs::read(vector("gfx12-bvh8.json")).unwrap()).unwrap();
    let case =
        file["cases"].as_array().unwrap().iter().find(|case| case["name"] == "box-a-all-hit");
    let case = case.unwrap();
    let word = |value: &Value| {
        let text = value.as_str().unwrap();
        u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
    };
    let dwords = case["memory"]["dwords"].as_array().unwrap();
    let node: Vec<u8> = dwords.iter().flat_map(|w| (word(w) as u32).to_le_bytes()).collect();
    std::fs::write(folder.path().join("node.bin"), &node).unwrap();
    let resource: Vec<String> =
        case["resource"].as_array().unwrap().iter().map(|w| format!("{:#x}", word(w))).collect();
    let resource = resource.join(",");
    let args =
        ["intersect", "node.bin", "--raw", "--base", "0", "--node", "0x5", "--origin", "0,5,5"];
    let rest = ["--direction", "1,0,0", "--resource", &resource];
    let json = folder.json(&[&args[..], &rest[..]].concat());
    assert_documented(&json);
    let expected: Vec<String> =
        case["expected"].as_array().unwrap().iter().map(|w| format!("{:#010x}", word(w))).collect();
    assert_eq!(json["registers"], Value::from(expected));
    assert_eq!(json["decoded"]["registers"][0]["value"], "box at base + 0x80");
}

/// The hardware's answer for a node that is not there looks like a miss, so there is none.
#[test]
fn nodes_outside_the_image() {
    let folder = with_scene("forest.rra");
    let ray = ["--origin", "0,0,0", "--direction", "0,0,1"];
    for node in ["0x22ffb0", "0x22ffb5", "0x22ffb6"] {
        let args = [&["intersect", "forest.rra", "--node", node], &ray[..]].concat();
        let output = folder.run(&args);
        let expected = format!("error: forest.rra: the node {node} at address 0x");
        let text = output.errors();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(text.starts_with(&expected) && text.ends_with("is outside the image\n"), "{text}");
    }
    let args = [&["intersect", "forest.rra", "--node", "0x15"], &ray[..]].concat();
    assert_eq!(folder.json(&args)["decoded"]["warning"], Value::Null);
}

#[test]
fn vector_files() {
    let folder = Folder::new();
    let (bvh8, obb) = (vector("gfx12-bvh8.json"), vector("gfx12-obb.json"));
    let json = folder.json(&["vectors", &bvh8, &obb, &vector("hiprt-cornell-bvh8.json")]);
    assert_documented(&json);
    assert_has(&json, &["files", "failed"]);
    assert_eq!(
        (&json["failed"], &json["files"][1]["passed"]),
        (&Value::from(0), &Value::from(104))
    );
    let mut wrong: Value = serde_json::from_slice(&std::fs::read(&bvh8).unwrap()).unwrap();
    wrong["cases"][0]["expected"][0] = Value::from("0x00000bad");
    std::fs::write(folder.path().join("wrong.json"), wrong.to_string()).unwrap();
    let (code, json) = failing_json(&folder, &["vectors", "wrong.json"]);
    assert_eq!((code, &json["failed"]), (Some(1), &Value::from(1)));
    assert_has(&json["files"][0]["failures"][0], &["name", "expected", "got"]);
    wrong["kind"] = Value::from("tarot");
    std::fs::write(folder.path().join("wrong.json"), wrong.to_string()).unwrap();
    // What cannot be run is a failed row, and the others are run all the same.
    let (code, json) = failing_json(&folder, &["vectors", "wrong.json", "missing.json", &obb]);
    assert_documented(&json);
    assert_eq!((code, &json["failed"]), (Some(1), &Value::from(2)));
    let row = &json["files"][0];
    assert_eq!(
        (&row["kind"], &row["passed"], &row["failed"]),
        (&Value::Null, &0.into(), &1.into())
    );
    let failure = &row["failures"][0];
    assert_eq!((&failure["name"], &failure["got"]), (&"kind".into(), &"\"tarot\"".into()));
    assert!(failure["expected"].as_str().unwrap().contains("gfx12-bvh8"), "{failure}");
    assert_eq!(json["files"][1]["failures"][0]["got"], "No such file or directory (os error 2)");
    assert_eq!(json["files"][2]["passed"], 104);
}

/// A file of which nothing is run must not pass, and nothing outside its folder is read.
#[test]
fn vector_files_that_say_too_little_or_too_much() {
    let folder = Folder::new();
    let head = "\"schema\": \"siliray-vectors/1\", \"kind\":";
    let cases = [
        ("empty", format!("{{{head} \"gfx12-obb\"}}"), "no known section"),
        ("isbe", format!("{{{head} \"isbe\", \"provenance\": \"x\"}}"), "no known section"),
        (
            "unknown",
            format!("{{{head} \"gfx12-obb\", \"matrices\": [], \"rows\": []}}"),
            "an unknown section",
        ),
        (
            "outside",
            format!("{{{head} \"gfx12-dump\", \"file\": \"/etc/passwd\", \"bytes\": 1}}"),
            "it lies outside the vector file's folder",
        ),
    ];
    for (name, text, got) in cases {
        std::fs::write(folder.path().join(name), text).unwrap();
        let (code, json) = failing_json(&folder, &["vectors", name]);
        assert_eq!((code, &json["files"][0]["failed"]), (Some(1), &Value::from(1)), "{name}");
        let found = json["files"][0]["failures"][0]["got"].as_str().unwrap();
        assert!(found.contains(got), "{name}: {found}");
    }
}

/// A file that is nothing like an image is unsound for that one reason.
#[test]
fn no_image_at_all() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("ok.ply"), "ply\nformat ascii 1.0\n").unwrap();
    let (code, check) = failing_json(&folder, &["check", "ok.ply"]);
    assert_documented(&check);
    assert_eq!((code, &check["sound"]), (Some(1), &Value::Bool(false)));
    let finding = &check["findings"][0];
    assert_eq!((&finding["offset"], &finding["rule"]), (&0.into(), &"container_magic".into()));
    let (code, check) =
        failing_json(&folder, &["check", "ok.ply", "--raw", "--base", "0x41", "--root", "5"]);
    assert_eq!(code, Some(1));
    let text = check["findings"].to_string();
    assert!(text.contains("0x41, 0x41") && !text.contains("\\n"), "{text}");
}

/// Nothing waits for a pipe or reads a device that has no end.
#[test]
fn only_regular_files_are_read() {
    let folder = Folder::new();
    let ray = ["--node", "5", "--origin", "0,0,0", "--direction", "0,0,1"];
    let made = std::process::Command::new("mkfifo").arg(folder.path().join("pipe")).status();
    assert!(made.unwrap().success());
    for (name, reason) in [
        ("/dev/zero", "this is not a regular file"),
        ("pipe", "this is not a regular file"),
        (".", "this is a directory, not a file"),
    ] {
        for args in [
            vec!["info", name],
            vec!["check", name],
            vec!["check", name, "--raw", "--base", "0", "--root", "5"],
            vec!["inspect", name],
            [&["intersect", name], &ray[..]].concat(),
            vec!["diff", name, name],
            vec!["isbe", "check", name],
        ] {
            let output = folder.run(&args);
            let errors = output.errors();
            assert_eq!(output.status.code(), Some(1), "{args:?}: {errors}");
            // A folder is checked whole, and pipes in it are left out.
            let reason = if (args[0], name) == ("check", ".") { "no image in it" } else { reason };
            assert!(
                errors.starts_with(&format!("error: {name}: {reason}\n")),
                "{args:?}: {errors}"
            );
        }
        let (code, json) = failing_json(&folder, &["vectors", name]);
        assert_eq!((code, &json["files"][0]["failures"][0]["got"]), (Some(1), &reason.into()));
    }
}

#[test]
fn wrong_usage() {
    let folder = with_scene("forest.rra");
    let dump = vector("hiprt-cornell-bvh8.bin");
    std::fs::write(folder.path().join("raw.bin"), [7; 256]).unwrap();
    let ray = ["--origin", "0,0,0", "--direction", "0,0,1"];
    let cases: &[(Vec<&str>, i32, &str)] = &[
        (vec!["check", "raw.bin"], 1, "raw memory needs --raw, --base and --root"),
        (vec!["check", &dump, "--raw"], 2, "--base"),
        (vec!["check", "forest.rra", "--structure", "99"], 2, "no structure 99, expected 0 to "),
        (vec!["inspect", "forest.rra", "--structure", "-1"], 2, "expected a whole number from 0"),
        (vec!["inspect", "forest.rra", "--node", "5", "--depth", "1"], 2, "--depth"),
        (vec!["check", &dump, "--raw", "--base", "-1"], 2, "expected an address of 48 bits"),
        (vec!["check", &dump, "--raw", "--base", "0x41", "--root", "0x5"], 1, "errors"),
        (vec!["check", &dump, "--raw", "--base", "0"], 2, "raw memory needs --root"),
        (vec!["inspect", &dump, "--raw", "--base", "0"], 2, "raw memory needs --root"),
        (vec!["diff", &dump, &dump, "--raw", "--base", "0"], 2, "raw memory needs --root"),
        (vec!["check", "forest.rra", "--triangles", "1000"], 2, "--triangles has no effect"),
        (
            vec!["inspect", "forest.rra", "--node", "0xfffff5"],
            1,
            "error: forest.rra: 0xfffff5 leads to",
        ),
        (vec!["inspect", "forest.rra", "--node", "five"], 2, "a number of 64 bits"),
        (
            [&["intersect", "forest.rra", "--node", "1", "--node", "2"], &ray[..]].concat(),
            2,
            "takes one node, found 2",
        ),
        (
            vec![
                "intersect",
                "forest.rra",
                "--node",
                "5",
                "--origin",
                "0,0",
                "--direction",
                "0,0,1",
            ],
            2,
            "3 numbers",
        ),
        (vec!["build", "interior", "-o", "x.rra"], 2, "--format"),
        (
            vec!["build", "interior", "--format", "gfx12", "--preset", "fast", "--preset", "best"],
            2,
            "one tree",
        ),
        (vec!["check", "no/such.rra"], 1, "error: no/such.rra: No such file"),
    ];
    for (args, code, text) in cases {
        let output = folder.run(args);
        let errors = output.errors();
        assert_eq!(output.status.code(), Some(*code), "{args:?}: {errors}");
        assert!(errors.contains(text), "{args:?}: {errors}");
    }
}
