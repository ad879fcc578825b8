//! The published cases, and files that are not vector files.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use isbe::vectors::KIND;
use serde_json::{Value, json};
use vectors::{VectorError, VectorReport, no_attachments};

fn run(file: &Value) -> Result<VectorReport, VectorError> {
    vectors::run(file, &[KIND], &no_attachments)
}

fn shared() -> Value {
    serde_json::from_str(include_str!("vectors/isbe.json")).unwrap()
}

#[test]
fn every_published_case_passes() {
    let report = run(&shared()).unwrap();
    assert_eq!(report.failures, []);
    assert_eq!(report.passed, 18 + 3 + 8 + 5 + 7 + 8 + 7 + 216 + 8 + 2 + 6 + 2 + 7);
}

/// Breaks one expectation of each section and sees exactly that case fail.
#[test]
fn a_wrong_expectation_fails_its_case_alone() {
    let breaks = [
        ("/layouts/0/vertex_points/3/2", json!("0001"), "layouts A"),
        ("/layouts/2/inverse/0/1/padding", json!(false), "layouts B33"),
        ("/layouts/3/gs_omap/13", json!("01000201"), "layouts C"),
        ("/layouts/0/table/7/2", json!("880"), "layouts A"),
        ("/layout_errors/0/error", json!("bad_maximum"), "layout_errors E-over"),
        ("/map_addresses/3/output", json!("304"), "map_addresses 3"),
        ("/map_writes/2/bytes", json!("02010000aa"), "map_writes W3"),
        ("/map_writes/3/error", json!("out_of_range"), "map_writes W4"),
        ("/methods/4/word", json!("02000701"), "methods 4"),
        ("/instructions/1/hi", json!("000000000000f400"), "instructions 1"),
        ("/instructions/3/min_sm", json!(80), "instructions 3"),
        ("/instructions/3/fields/skew", json!(true), "instructions 3"),
        ("/instruction_errors/6/error", json!("out_of_range"), "instruction_errors 6"),
        ("/attribute_ids/0/name", json!("PRIMITIVE_ID"), "attribute_ids 05c"),
        ("/sph_sets/0/vmap/21", json!("10020001"), "sph_sets 0"),
        ("/task_header/0/words/04", json!("0000003d"), "task_header 0"),
        ("/hazards/5/hazards", json!([]), "hazards H6"),
        ("/meshes/1/expect/culled", json!([3, 10, 17]), "meshes grid-culled"),
        ("/containers/3/findings", json!([]), "containers count-over"),
    ];
    for (place, value, name) in breaks {
        let mut file = shared();
        let target = file.pointer_mut(place).unwrap_or_else(|| panic!("{place}"));
        assert_ne!(*target, value);
        *target = value;
        let report = run(&file).unwrap();
        let failed: Vec<&str> = report.failures.iter().map(|f| f.name.as_str()).collect();
        // A mesh is also what the container of its name must hold.
        let failed: Vec<&str> =
            failed.into_iter().filter(|n| *n != "containers grid-culled").collect();
        assert_eq!(failed, [name], "{place}");
    }
}

#[test]
fn a_malformed_file_is_located() {
    let cases = [
        ("/schema", json!("siliray-vectors/2"), "schema"),
        ("/kind", json!("beam"), "kind"),
        ("/layouts/4/V", json!(7), "layouts[4].V"),
        ("/layouts/4/V/1", json!("071"), "layouts[4].V[1]"),
        ("/layouts/0/inverse/1", json!([]), "layouts[0].inverse[1]"),
        ("/map_writes/0/size", json!(24), "map_writes[0].size"),
        ("/methods/0/method", json!("SET_OTHER"), "methods[0].method"),
        ("/instructions/0/fields/access", json!("ATT"), "instructions[0].fields.access"),
        ("/meshes/0/attr", json!("0"), "meshes[0].attr"),
        ("/containers/0/hex", json!(null), "containers[0].hex"),
        ("/hazards/0/edges", json!([[0]]), "hazards[0].edges[0]"),
    ];
    for (place, value, expected) in cases {
        let mut file = shared();
        *file.pointer_mut(place).unwrap() = value;
        assert_eq!(run(&file).unwrap_err().place, expected);
    }
    let unknown = json!({"schema": "siliray-vectors/1", "kind": "isbe", "riddles": [{}]});
    let names: Vec<String> = run(&unknown).unwrap().failures.into_iter().map(|f| f.name).collect();
    assert_eq!(names, ["the file", "riddles"]);
}
