//! The published beam cases, and files that are not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::{Value, json};
use siliray::beam_vectors::KIND;
use siliray::vectors::{self, VectorError, VectorReport, no_attachments};

fn run(file: &Value) -> Result<VectorReport, VectorError> {
    vectors::run(file, &[KIND], &no_attachments)
}

fn shared() -> Value {
    serde_json::from_str(include_str!("vectors/beam.json")).unwrap()
}

#[test]
fn every_published_case_passes() {
    let report = run(&shared()).unwrap();
    assert_eq!(report.failures, []);
    assert_eq!(report.passed, 654 + 19 + 24 + 8 + 16 + 33 + 34);
}

/// Breaks one expectation of each kind and sees exactly that case fail.
#[test]
fn a_wrong_expectation_fails_its_case_alone() {
    let breaks = [
        ("/cases/0/axis_case/2", json!("1z"), "cases g0-000"),
        ("/cases/0/exact/t", json!("7237301/5761638"), "cases g0-000"),
        ("/cases/0/exact/t_exit", json!("inf"), "cases g0-000"),
        ("/cases/1/form/hi", json!("404970bc"), "cases g0-001"),
        ("/cases/2/form/hit", json!(true), "cases g0-002"),
        ("/cases/2/exact/hit", json!(true), "cases g0-002"),
        ("/special/0/form/hit_c1", json!(true), "special sp-21-7"),
        ("/special/1/form/hit_c2eps", json!(true), "special sp-c2eps"),
        ("/special/1/form/naive_hit", json!(true), "special sp-c2eps"),
        ("/special/1/form/t_lower", json!("3f0cd5e6"), "special sp-c2eps"),
        ("/special/13/guarantee", json!(true), "special sp-beyond"),
        ("/extension_shrinking/0/exact/hit", json!(true), "extension_shrinking shrink-000"),
        ("/snap/3/out", json!("80000000"), "snap snap-3"),
        ("/snap_cases/0/form/hit_unsnapped", json!(true), "snap_cases snapcase-00"),
        ("/snap_cases/1/snapped/dB/0", json!("80000000"), "snap_cases snapcase-01"),
        ("/invalid/4/axis", json!("y"), "invalid inv-04"),
        ("/invalid/9/rule", json!("origin_inverted"), "invalid inv-09"),
        ("/construct/0/expect/dA/0", json!("c00d49a0"), "construct aabbs-00"),
        ("/construct/0/nearest_rounding_sticks_out", json!(false), "construct aabbs-00"),
        ("/construct/22/R", json!("443257a8"), "construct dilate-00"),
    ];
    for (place, value, name) in breaks {
        let mut file = shared();
        let target = file.pointer_mut(place).unwrap_or_else(|| panic!("{place}"));
        assert_ne!(*target, value, "{place}");
        *target = value;
        let report = run(&file).unwrap();
        let failed: Vec<&str> = report.failures.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(failed, [name], "{place}");
    }
}

#[test]
fn a_malformed_file_is_located() {
    let cases = [
        ("/kind", json!("isbe"), "kind"),
        ("/cases/3/beam/oA", json!(["00000000"]), "cases[3].beam.oA"),
        ("/cases/3/box/min/1", json!("zz"), "cases[3].box.min[1]"),
        ("/cases/0/exact/t", json!("1/0"), "cases[0].exact.t"),
        ("/construct/2/kind", json!("from_spheres"), "construct[2].kind"),
        ("/snap/0/field", json!("dC"), "snap[0].field"),
    ];
    for (pointer, value, place) in cases {
        let mut file = shared();
        *file.pointer_mut(pointer).unwrap() = value;
        assert_eq!(run(&file).unwrap_err().place, place);
    }
    let mut file = shared();
    file["surprises"] = json!([{}]);
    let report = run(&file).unwrap();
    assert_eq!(report.failures[0].name, "surprises");
}
