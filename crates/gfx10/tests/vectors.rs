//! Every vector file passes, and a changed one is noticed.

use gfx10::vectors::KINDS;
use serde_json::{Value, json};
use std::path::Path;
use vectors::VectorReport;

fn load(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name);
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn attachment(name: &str) -> std::io::Result<Vec<u8>> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name))
}

fn report(file: &Value) -> VectorReport {
    vectors::run(file, &KINDS, &attachment).unwrap()
}

#[test]
fn all_files_pass() {
    for (name, cases) in [
        ("gfx10-bvh4.json", 72 + 6 + 4 + 9),
        ("gfx10-dump.json", 7 + 13 + 22 + 3),
        ("hiprt-cornell-bvh4.json", 3 + 17 + 32),
    ] {
        let report = report(&load(name));
        assert_eq!((report.failures, report.passed), (vec![], cases), "{name}");
    }
}

#[test]
fn a_wrong_expectation_fails() {
    for (name, pointer) in [
        ("gfx10-bvh4.json", "/cases/0/expected/2"),
        ("gfx10-bvh4.json", "/operands/3/inverse/1"),
        ("gfx10-bvh4.json", "/resources/1/fields/box_grow"),
        ("gfx10-bvh4.json", "/stack/2/steps/1/address"),
        ("gfx10-dump.json", "/pointers/1/parent_gpurt"),
        ("gfx10-dump.json", "/halves/0/up"),
        ("gfx10-dump.json", "/nodes/9/fields/triangles/1/i_source"),
        ("gfx10-dump.json", "/images/1/nodes/1/parent"),
        ("hiprt-cornell-bvh4.json", "/boxes/5/boxes/1/max/2"),
        ("hiprt-cornell-bvh4.json", "/triangles/7/primitives/1"),
    ] {
        let mut file = load(name);
        let value = file.pointer_mut(pointer).unwrap();
        assert!(!value.is_null() && *value != json!("0x77"), "{pointer}");
        *value = json!("0x77");
        assert_eq!(report(&file).failures.len(), 1, "{name} {pointer}");
    }
}
