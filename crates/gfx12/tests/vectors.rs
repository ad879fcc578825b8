//! Every vector file passes, and a changed or broken one is noticed.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

use gfx12::vectors::KINDS;
use serde_json::{Value, json};
use std::path::Path;
use vectors::{VectorError, VectorReport};

fn load(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn attachment(name: &str) -> std::io::Result<Vec<u8>> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name))
}

fn run(file: &Value) -> Result<VectorReport, VectorError> {
    vectors::run(file, &KINDS, &attachment)
}

fn report(file: &Value) -> VectorReport {
    run(file).unwrap()
}

#[test]
fn all_files_pass() {
    for (name, cases) in [
        ("gfx12-bvh8.json", 8),
        ("gfx12-dual.json", 20),
        ("gfx12-obb.json", 104),
        ("hiprt-cornell-bvh8.json", 3 + 2 + 15),
    ] {
        let report = report(&load(name));
        assert_eq!((report.passed, report.failures), (cases, vec![]), "{name}");
    }
}

#[test]
fn a_wrong_expectation_fails_by_name() {
    let mut file = load("gfx12-bvh8.json");
    file["cases"][1]["expected"][2] = json!("0x35");
    let report = report(&file);
    assert_eq!((report.passed, report.failures.len()), (7, 1));
    let failure = &report.failures[0];
    assert_eq!(failure.name, "cases box-a-extent-4");
    assert_eq!(failure.expected, "VGPR2 35");
    assert_eq!(failure.got, "VGPR2 ffffffff");
    file["cases"][1]["expected"][2] = Value::Null;
    assert_eq!(run(&file).unwrap().passed, 8);
}

#[test]
fn every_field_of_a_dump_counts() {
    for (pointer, wrong) in [
        ("/bytes", json!(4031)),
        ("/sha256", json!("00")),
        ("/header/words/7", json!("0x3")),
        ("/boxes/0/dwords/9", json!("0x0")),
        ("/boxes/0/parent", json!("0x0")),
        ("/boxes/1/exponents/2", json!(136)),
        ("/boxes/0/children/2/pointer", json!("0x13")),
        ("/boxes/0/children/2/range", json!(1)),
        ("/boxes/0/children/3/qmax/1", json!(7)),
        ("/boxes/0/children/3/max/1", json!("0x0")),
        ("/boxes/0/children/2/range_pairs/3/stop", json!(0)),
        ("/boxes/0/children/2/range_pairs/3", json!({"node": 4})),
        ("/boxes/0/children/2/range_pairs/1/prims", json!([26, 27])),
        ("/boxes/0/children/2/prims/1", json!(0)),
        ("/boxes/0/children/2/prims", json!(["0x0", 26, 1])),
        ("/primitive_nodes/4/header/midpoint", json!(1)),
        ("/primitive_nodes/4/pairs/0/descriptor", json!("0x1")),
        ("/primitive_nodes/4/pairs/0/prim_ids/0", json!(99)),
        ("/primitive_nodes/4/pairs/0/triangles/0/indices/1", json!(9)),
        ("/primitive_nodes/4/pairs/0/triangles/0/vertices/2/1", json!("0x1")),
    ] {
        let mut file = load("hiprt-cornell-bvh8.json");
        *file.pointer_mut(pointer).unwrap() = wrong;
        assert_eq!(report(&file).failures.len(), 1, "{pointer}");
    }
}

#[test]
fn parts_of_a_file_may_be_missing_but_not_all() {
    let empty = |kind| json!({"schema": "siliray-vectors/1", "kind": kind});
    for kind in ["gfx12-bvh8", "gfx12-dual", "gfx12-obb"] {
        let report = report(&empty(kind));
        assert_eq!((report.passed, report.failures.len()), (0, 1));
    }
    let mut dump = load("hiprt-cornell-bvh8.json");
    dump.as_object_mut().unwrap().remove("boxes");
    assert_eq!(report(&dump).passed, 3 + 15);
}

#[test]
fn broken_files_are_errors_that_name_the_place() {
    let error = |file: &Value| run(file).unwrap_err().to_string();
    assert_eq!(error(&json!([])), "the file: found [], expected an object");
    assert!(error(&json!({"schema": "other", "kind": "gfx12-obb"})).starts_with("schema: "));
    assert!(error(&json!({"schema": "siliray-vectors/1", "kind": "beam"})).starts_with("kind: "));
    for (pointer, wrong, place) in [
        ("/cases", json!(7), "cases"),
        ("/cases/0/memory", json!({"address": "0x0"}), "cases[0].memory"),
        ("/cases/0/memory/dwords/3", json!("zero"), "cases[0].memory.dwords[3]"),
        ("/cases/0/resource", json!(["0x0"]), "cases[0].resource"),
        ("/cases/0/ray/direction/2", json!(1.5), "cases[0].ray.direction[2]"),
        ("/cases/0/ray", json!("up"), "cases[0].ray"),
        ("/cases/0/expected/9", json!("0x100000000"), "cases[0].expected[9]"),
        ("/cases/0/base", json!(-1), "cases[0].base"),
    ] {
        let mut file = load("gfx12-bvh8.json");
        *file.pointer_mut(pointer).unwrap() = wrong;
        let message = error(&file);
        assert!(message.starts_with(&format!("{place}: found ")), "{pointer}: {message}");
    }
    let mut dump = load("hiprt-cornell-bvh8.json");
    dump["file"] = json!("missing.bin");
    assert!(error(&dump).starts_with("file: found \"missing.bin\": "));
}
