//! Every command about images, over every format that the registry has.

use crate::json::{assert_documented, assert_has};
use crate::support::{Folder, Said};
use serde_json::Value;
use siliray::machine::FormatEntry;
use siliray::registry::registry;

/// A slope of triangles, no two of them alike.
fn slope() -> String {
    let mut text = String::new();
    for y in 0..8 {
        for x in 0..8 {
            let (x, y) = (x as f32 * 1.25, y as f32 * 0.75);
            text += &format!("v {x} {y} {}\n", 0.3 * x + 0.1 * y * y);
        }
    }
    for y in 0..7 {
        for x in 0..7 {
            let corner = 8 * y + x + 1;
            text += &format!("f {corner} {} {}\n", corner + 1, corner + 9);
        }
    }
    text
}

/// A folder with an image of the slope; the name of its file.
fn image_of(format: &FormatEntry) -> (Folder, String) {
    let folder = Folder::new();
    std::fs::write(folder.path().join("slope.obj"), slope()).unwrap();
    let name = format!("slope.{}", format.ending);
    match format.holds_trees() {
        true => folder.json(&["build", "slope.obj", "--format", format.name, "-o", &name]),
        false => folder.json(&["isbe", "capture", "slope.obj", "-o", &name]),
    };
    (folder, name)
}

/// The JSON of a command that may fail, and its exit status.
fn answer(folder: &Folder, args: &[&str]) -> (Option<i32>, Value) {
    let output = folder.run(&[args, &["--json"]].concat());
    let errors = output.errors();
    let json = serde_json::from_slice(&output.stdout);
    (output.status.code(), json.map_err(|_| format!("{args:?}: {errors}")).unwrap())
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

#[test]
fn every_format_is_checked_and_shown() {
    for format in registry().formats() {
        let (folder, file) = image_of(format);
        let check = folder.json(&["check", &file]);
        assert_documented(&check);
        assert_eq!((&check["sound"], list(&check["counts"]).len()), (&true.into(), 0), "{check}");
        let image = folder.json(&["inspect", &file, "--tree"]);
        assert_documented(&image);
        assert_eq!(image["format"], format.name);
        let tree = list(&image["tree"]);
        assert!(tree.len() > 4 && image["totals"].as_object().unwrap().len() > 2, "{image}");
        for entry in tree.iter().take(6).chain(tree.last()) {
            assert_eq!(entry["state"], "read");
            let pointer = entry["pointer"].as_str().unwrap();
            let node = folder.json(&["inspect", &file, "--node", pointer]);
            assert_documented(&node);
            assert_eq!(node["offset"], entry["offset"], "{} {pointer}", format.name);
            assert!(!list(&node["fields"]).is_empty());
        }
        let text = folder.run(&["inspect", &file, "--tree", "--depth", "1"]);
        assert!(text.text().contains(" below\n"), "{}", format.name);
        let nowhere = folder.run(&["inspect", &file, "--node", "0xfffffffffff5"]);
        let errors = nowhere.errors();
        assert_eq!(nowhere.status.code(), Some(1), "{}: {errors}", format.name);
        assert!(errors.starts_with(&format!("error: {file}: 0xfffffffffff5 ")), "{errors}");
    }
}

#[test]
fn primitives_bytes_and_points_are_found() {
    for format in registry().formats() {
        let (folder, file) = image_of(format);
        let tree = folder.json(&["inspect", &file, "--tree"])["tree"].clone();
        let last = list(&tree).last().unwrap();
        let byte = format!("@{:#x}", last["offset"].as_u64().unwrap() + 1);
        let found = folder.json(&["inspect", &file, "--find", &byte]);
        assert_documented(&found);
        assert_has(&found["hits"][0], &["way", "beside"]);
        let ends = |hits: &Value| -> Vec<Value> {
            list(hits).iter().map(|hit| list(&hit["way"]).last().unwrap().clone()).collect()
        };
        assert!(ends(&found["hits"]).contains(last), "{}", format.name);
        let (code, nothing) = answer(&folder, &["inspect", &file, "--find", "4711"]);
        assert_eq!((code, list(&nothing["hits"]).len()), (Some(1), 0), "{}", format.name);
        let primitive = answer(&folder, &["inspect", &file, "--find", "0:24"]).1;
        let holders = ends(&primitive["hits"]);
        assert_eq!(holders.is_empty(), !format.holds_trees(), "{}", format.name);
        // Places are found where the fields of nodes are planes.
        let has_planes = list(&tree).iter().take(3).any(|entry| {
            let pointer = entry["pointer"].as_str().unwrap();
            let node = folder.json(&["inspect", &file, "--node", pointer]);
            list(&node["fields"]).iter().any(|field| field["name"] == "children[0].min_x")
        });
        if !has_planes && format.name != "ttu" {
            continue;
        }
        // The middle of triangle 24, which is the fourth of its row.
        let corners = [[3.75f32, 2.25], [5.0, 2.25], [5.0, 3.0]];
        let middle = |k: usize| corners.iter().map(|corner| corner[k]).sum::<f32>() / 3.0;
        let heights = corners.map(|[x, y]| 0.3 * x + 0.1 * y * y);
        let height = heights.iter().sum::<f32>() / 3.0;
        let point = format!("{},{},{height}", middle(0), middle(1));
        let around = folder.json(&["inspect", &file, "--find", &point]);
        assert_documented(&around);
        let nodes = ends(&around["hits"]);
        assert!(holders.iter().any(|end| nodes.contains(end)), "{} {around}", format.name);
        assert!(nodes.len() < 20, "{} {around}", format.name);
        let (code, _) = answer(&folder, &["inspect", &file, "--find", "-9,900,-9"]);
        assert_eq!(code, Some(1), "{}", format.name);
    }
}

#[test]
fn differences_are_summed_and_named() {
    for format in registry().formats() {
        let (folder, file) = image_of(format);
        let same = folder.json(&["diff", &file, &file]);
        assert_documented(&same);
        assert_eq!((&same["equal"], &same["summary"]["changed"]), (&true.into(), &0.into()));
        let tree = folder.json(&["inspect", &file, "--tree"])["tree"].clone();
        let node = &list(&tree)[list(&tree).len() - 1];
        let mut bytes = folder.read(&file);
        // Of a dump the SM: most other bytes decide how the rest is read.
        let at = if format.holds_trees() { node["offset"].as_u64().unwrap() as usize } else { 12 };
        bytes[at] ^= 1;
        let bent = format!("bent.{}", format.ending);
        std::fs::write(folder.path().join(&bent), &bytes).unwrap();
        let (code, diff) = answer(&folder, &["diff", &file, &bent]);
        assert_documented(&diff);
        assert_eq!((code, &diff["summary"]["changed"]), (Some(1), &1.into()), "{diff}");
        let difference = &diff["differences"][0];
        assert!(difference["offsets"][0].as_u64() <= node["offset"].as_u64());
        assert!(!list(&difference["fields"]).is_empty(), "{} {diff}", format.name);
        assert_eq!((&diff["left_out"], &diff["other_bytes"]), (&0.into(), &0.into()), "{diff}");
        let short = folder.run(&["diff", &file, &bent, "--limit", "0"]);
        let text = short.text();
        let end = "… 1 more; --all lists them\n";
        assert!(text.starts_with("different; ") && text.ends_with(end), "{text}");
        let kinds = list(&diff["summary"]["kinds"]);
        let changed = kinds.iter().map(|kind| kind["changed"].as_u64().unwrap()).sum::<u64>();
        assert_eq!(changed, 1, "{diff}");
        let field = &diff["summary"]["fields"][0];
        assert_eq!(field["offset"], difference["offsets"][0], "{diff}");
    }
}

/// Whatever is cut off or bent: an answer or an error, never a panic.
#[test]
fn damaged_files_are_answered() {
    for format in registry().formats() {
        let (folder, file) = image_of(format);
        let bytes = folder.read(&file);
        let damaged = format!("damaged.{}", format.ending);
        let mut files: Vec<Vec<u8>> =
            [0, 7, 40, 200, bytes.len() / 2, bytes.len() - 1].map(|n| bytes[..n].to_vec()).into();
        for start in [8, 16, 64, 200] {
            let mut bent = bytes.clone();
            bent.iter_mut().skip(start).step_by(131).for_each(|byte| *byte ^= 0xA5);
            files.push(bent);
        }
        for bytes in files {
            std::fs::write(folder.path().join(&damaged), &bytes).unwrap();
            for args in [
                &["check", &*damaged][..],
                &["inspect", &damaged],
                &["inspect", &damaged, "--tree"],
                &["inspect", &damaged, "--node", "0x15"],
                &["inspect", &damaged, "--find", "0.5,0.5,0.5"],
                &["inspect", &damaged, "--find", "@0x90"],
                &["diff", &file, &damaged],
            ] {
                let output = folder.run(args);
                let code = output.status.code();
                let errors = output.errors();
                assert!(matches!(code, Some(0..=2)), "{args:?}: {code:?} {errors}");
                assert!(!errors.contains("panicked"), "{args:?}: {errors}");
            }
        }
    }
}

/// Findings that are many are counted by rule; errors are listed, the rest where it is asked for.
#[test]
fn findings_are_summed_by_rule() {
    let folder = Folder::new();
    let build = ["build", "organic", "--triangles", "2000", "--format", "gfx12", "-o", "a.rra"];
    folder.json(&[&build[..], &["--policy", "radv"]].concat());
    let mut bytes = folder.read("a.rra");
    let tree = folder.json(&["inspect", "a.rra", "--tree"])["tree"].clone();
    for entry in list(&tree).iter().filter(|entry| entry["kind"] == "box") {
        // The parent pointer: wrong, and safe.
        bytes[entry["offset"].as_u64().unwrap() as usize + 9] ^= 0x11;
    }
    std::fs::write(folder.path().join("b.rra"), &bytes).unwrap();
    let check = folder.json(&["check", "b.rra"]);
    assert_documented(&check);
    let count = &list(&check["counts"])[0];
    assert_eq!(count["severity"], "warning");
    let all = list(&check["findings"]).len();
    assert!(count["count"].as_u64() > Some(20) && all > 20, "{count}");
    let rule = count["rule"].as_str().unwrap();
    let text = folder.run(&["check", "b.rra"]);
    let text = text.text();
    assert!(text.lines().count() < 10 && text.contains(&format!("\n{rule} ")), "{text}");
    let listed = |option: &[&str]| {
        let output = folder.run(&[&["check", "b.rra"], option].concat());
        output.text().matches("  expected ").count()
    };
    assert_eq!((listed(&[]), listed(&["--all"])), (0, all));
    assert_eq!(listed(&["--severity", "warning", "--limit", "2"]) % 2, 0);
    let some = folder.json(&["check", "b.rra", "--rule", rule, "--limit", "3"]);
    assert_eq!((list(&some["findings"]).len(), &some["counts"]), (3, &check["counts"]));
    let none = folder.json(&["check", "b.rra", "--severity", "error"]);
    assert_eq!(list(&none["findings"]).len(), 0);
    assert_eq!(folder.run(&["check", "b.rra", "--severity", "bad"]).status.code(), Some(2));
    let status = |fail_on| folder.run(&["check", "b.rra", "--fail-on", fail_on]).status.code();
    assert_eq!(
        ["error", "warning", "note", "bad"].map(status),
        [Some(0), Some(1), Some(1), Some(2)]
    );
}

/// A file for the viewer says so where its ending does not; a driver's memory is what it is.
#[test]
fn an_ending_does_not_make_memory() {
    let folder = Folder::new();
    let warns = |policy: &str, file: &str| {
        let build = ["build", "organic", "--triangles", "500", "--format", "gfx12"];
        let output = folder.run(&[&build[..], &["--policy", policy, "-o", file]].concat());
        assert_eq!(output.status.code(), Some(0));
        output.errors().contains("is an .rra file")
    };
    // A name without an ending promises nothing.
    let found = [("dense", "a.bin"), ("dense", "a.rra"), ("radv", "b.bin"), ("gpurt", "c")];
    assert_eq!(found.map(|(policy, file)| warns(policy, file)), [true, false, false, false]);
}

/// Formats without an intersection instruction are refused in words.
#[test]
fn intersect_needs_an_instruction() {
    for format in registry().formats().iter().filter(|format| format.holds_trees()) {
        let (folder, file) = image_of(format);
        let ray = ["--origin", "0,0,9", "--direction", "0,0,-1"];
        let output = folder.run(&[&["intersect", &file, "--node", "0"][..], &ray].concat());
        let error = output.errors();
        assert!(!error.contains("panicked"), "{}: {error}", format.name);
        if !format.name.starts_with("gfx") {
            assert_eq!(output.status.code(), Some(1), "{}: {error}", format.name);
            assert!(error.contains("has no intersection instruction"), "{error}");
        }
    }
}

/// Every kind of tile is built, checked, inspected and compared from the command line.
#[test]
fn every_tile_is_made_and_seen() {
    let folder = Folder::new();
    let build = |format: &str, more: &[&str], file: &str| {
        let scene = ["build", "organic", "--triangles", "600", "--preset", "fast", "-o", file];
        folder.json(&[&scene[..], &["--format", format], more].concat())
    };
    for (format, bytes) in [("fp32", 4), ("fp16", 2), ("bf16", 2), ("int16q", 2)]
        .into_iter()
        .chain([("int8q", 1), ("e4m3", 1), ("e5m2", 1)])
    {
        let name = format!("xphmg-{format}");
        let plain = build(&name, &[], "plain.xphmg");
        let wide = build(&name, &["--width", "8"], "wide.xphmg");
        let literal = build(&name, &["--set", "node_layout=literal88"], "literal.xphmg");
        assert_eq!((&plain["node_width"], &wide["node_width"]), (&"4".into(), &"8".into()));
        assert_eq!(literal["node_layout"], "literal88");
        let tile = if bytes == 4 { 128 } else { 64 };
        for (file, node, children) in
            [("plain", tile, 4), ("wide", 2 * tile, 8), ("literal", 88, 3)]
        {
            let file = format!("{file}.xphmg");
            let check = folder.json(&["check", &file]);
            assert_eq!(
                (&check["sound"], &check["findings"].as_array().unwrap().len()),
                (&true.into(), &0),
                "{name} {file}"
            );
            let shown = folder.json(&["inspect", &file, "--node", "0x0"]);
            assert_eq!(shown["bytes"], node, "{name} {file}");
            let fields = shown["fields"].as_array().unwrap();
            let boxes = fields.iter().filter(|it| it["name"].as_str().unwrap().ends_with("max_z"));
            assert_eq!(boxes.count(), children, "{name} {file}");
            let found = folder.json(&["conformance", &file, "--rays", "20"]);
            let machines = found["images"][0]["machines"].as_array().unwrap();
            assert!(machines.iter().all(|it| it["mismatches"] == 0), "{name} {file}: {machines:?}");
            let asked = machines.iter().filter(|it| it["refused"].is_null()).count();
            assert!(asked >= 3, "{name} {file}: {machines:?}");
        }
        let differs = folder.run(&["diff", "plain.xphmg", "wide.xphmg", "--json"]);
        assert_eq!(differs.status.code(), Some(1), "{name}");
        let same = folder.run(&["diff", "plain.xphmg", "plain.xphmg", "--json"]);
        assert_eq!(same.status.code(), Some(0), "{name}");
    }
    let pictures = ["literal.xphmg", "plain.xphmg"].map(|image| {
        let args = ["render", image, "--size", "40x30", "--machine", "hart", "-o", "a.png"];
        let done = folder.run(&args);
        assert!(done.status.success(), "{}", done.errors());
        folder.read("a.png")
    });
    assert!(pictures[0] == pictures[1], "a literal image looks otherwise to the program");
}
