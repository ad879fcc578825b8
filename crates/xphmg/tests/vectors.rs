//! The vector file passes section by section, and a changed or broken one is noticed.

#![allow(clippy::unwrap_used)] // also in the helpers, which clippy does not know for tests

use serde_json::{Value, json};
use std::path::Path;
use vectors::{VectorError, VectorReport, no_attachments};
use xphmg::vectors::KIND;

fn run(file: &Value) -> Result<VectorReport, VectorError> {
    vectors::run(file, &[KIND], &no_attachments)
}

fn load() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/xphmg-rt.json");
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

#[test]
fn every_section_passes() {
    let file = load();
    for (section, cases) in [
        ("encodings", 100),
        ("illegal", 13),
        ("legal_edge", 4),
        ("csrs", 68),
        ("prec_sequences", 66),
        ("layouts", 12),
        ("svmem", 26),
        ("rings", 14),
        ("convert", 1096),
        ("bbox", 300),
        ("tri", 258),
        ("rsv", 14),
        ("jobs", 5),
    ] {
        let mut only = json!({"schema": file["schema"], "kind": file["kind"]});
        only[section] = file[section].clone();
        let report = run(&only).unwrap();
        assert_eq!((report.passed, report.failures), (cases, vec![]), "{section}");
    }
}

#[test]
fn a_wrong_expectation_fails_by_name() {
    for (pointer, wrong) in [
        ("/encodings/0/word", json!("0x0005658C")),
        ("/illegal/0/last_ec", json!(2)),
        ("/legal_edge/0/word", json!("0x00057E8B")),
        ("/csrs/0/reset", json!("0x0")),
        ("/csrs/15/write_mask", json!("0x0")),
        ("/csrs/30/name", json!("xmem.x")),
        ("/prec_sequences/1/reads/0x7D2", json!("0x0")),
        ("/layouts/node4/1/flags_word", json!(56)),
        ("/layouts/queue/tail", json!(8)),
        ("/svmem/1/address", json!("0x0")),
        ("/rings/1/full", json!(false)),
        ("/convert/0/bits", json!("0x3C01")),
        ("/convert/0/exc", json!(["NX"])),
        ("/bbox/0/values/0", json!("0x40800001")),
        ("/bbox/0/stat", json!(["FTZ_HIT"])),
        ("/tri/0/p0", json!(0)),
        ("/rsv/0/svpmask0_after", json!("0xFFFFFFFF")),
        ("/rsv/9/trap/mtval", json!("0x0")),
        ("/jobs/0/expect/3/bytes", json!("65")),
        ("/jobs/0/ticket", json!(2)),
    ] {
        let mut file = load();
        *file.pointer_mut(pointer).unwrap() = wrong;
        let report = run(&file).unwrap();
        assert_eq!(report.failures.len(), 1, "{pointer}");
        let section = pointer.split('/').nth(1).unwrap();
        assert!(report.failures[0].name.starts_with(section), "{:?}", report.failures[0].name);
    }
}

#[test]
fn broken_files_are_errors_or_failures() {
    assert!(run(&json!([])).is_err());
    assert!(run(&json!({"schema": "siliray-vectors/1", "kind": "isbe"})).is_err());
    let empty = json!({"schema": "siliray-vectors/1", "kind": "xphmg-rt", "cases": [{}]});
    let report = run(&empty).unwrap();
    assert_eq!((report.passed, report.failures.len()), (0, 2));
    for (pointer, wrong) in [
        ("/convert/0/src", json!("one")),
        ("/convert/0/fmt", json!("FP64")),
        ("/bbox/0/ray", json!(["0x0"])),
        ("/tri/0/imm", json!(-1)),
        ("/csrs/0/access", json!("WO")),
        ("/jobs/0/memory/0/bytes", json!("abc")),
        ("/rsv/0/program/1", json!("svon.two")),
        ("/layouts", json!({"node5": {}})),
    ] {
        let mut file = load();
        *file.pointer_mut(pointer).unwrap() = wrong;
        let error = run(&file).unwrap_err();
        let section = pointer.split('/').nth(1).unwrap();
        assert!(error.place.starts_with(section), "{pointer}: {error}");
    }
}
