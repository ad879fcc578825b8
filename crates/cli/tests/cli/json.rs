//! The keys that outsiders rely on, and the values behind them.

use crate::support::{Folder, Said};
use serde_json::Value;

/// The keys of an object, sorted.
fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

pub(crate) fn assert_has(value: &Value, wanted: &[&str]) {
    let found = keys(value);
    for key in wanted {
        assert!(found.contains(key), "{key} is not among {found:?}");
    }
}

/// Every key that a command prints is documented.
pub(crate) fn assert_documented(value: &Value) {
    let text = include_str!("../../../../docs/json.md");
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                assert!(
                    text.contains(&format!("`{key}`")) || text.contains(&format!("\"{key}\"")),
                    "{key}"
                );
                assert_documented(value);
            }
        }
        Value::Array(values) => values.iter().for_each(assert_documented),
        _ => {}
    }
}

#[test]
fn settings_and_figures_of_formats_have_keys_of_their_own() {
    for format in ["gfx12", "gfx12-bvh4x2", "gfx11-bvh4", "ttu", "xphmg-fp32", "tree"] {
        let args = ["build", "organic", "--triangles", "500", "--format", format, "--json"];
        let text = Folder::new().run(&args).text();
        let keys = text.lines().filter_map(|line| line.strip_prefix("  \"")?.split('"').next());
        let mut keys: Vec<&str> = keys.collect();
        let printed = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert!(printed > 10 && keys.len() == printed, "{format}: {text}");
    }
}

#[test]
fn build() {
    let json = Folder::new().json(&["build", "interior", "--triangles", "5000"]);
    assert_has(&json, &["scene", "triangles", "presets"]);
    assert_eq!(json["scene"], "interior");
    assert!(json["triangles"].as_u64().unwrap().abs_diff(5000) < 500);
    let presets = json["presets"].as_array().unwrap();
    let names: Vec<&Value> = presets.iter().map(|preset| &preset["preset"]).collect();
    assert_eq!(names, ["fast", "balanced", "best"]);
    for preset in presets {
        assert_has(
            preset,
            &[
                "preset",
                "sah_cost",
                "sah_cost_wide",
                "seconds",
                "triangles_per_second",
                "depth",
                "leaf_fill",
            ],
        );
        let number = |key: &str| preset[key].as_f64().unwrap();
        assert!(number("sah_cost_wide") > 1.0 && number("sah_cost_wide") < number("sah_cost"));
        assert!(number("leaf_fill") > 0.0 && number("leaf_fill") <= 1.0);
    }
    assert_documented(&json);
}

#[test]
fn build_with_options() {
    let args = ["build", "organic", "--triangles", "5000", "--preset", "best", "--preset", "fast"];
    let narrow = ["--width", "2", "--max-leaf", "1"];
    let json = Folder::new().json(&[&args[..], &narrow[..]].concat());
    let presets = json["presets"].as_array().unwrap();
    assert_eq!((&presets[0]["preset"], &presets[1]["preset"]), (&"best".into(), &"fast".into()));
    for preset in presets {
        let count = |key: &str| preset[key].as_u64().unwrap();
        // In a binary tree with a reference in each leaf there is one node less than leaves.
        assert_eq!(count("nodes") + 1, count("leaves"));
        assert_eq!(count("leaves"), json["triangles"].as_u64().unwrap() + count("duplicates"));
    }
}

/// A mesh whose figures are known: a quad, a polygon of five, one unused vertex, one flat triangle.
const MESH: &str = "v -1 0 0\nv 2 0 0\nv 2 3 0.5\nv -1 3 0\nv 0 5 0\nv 9 9 9\n\
                    f 1 2 3 4\nf 1 2 3 5 4\nf 1 1 2\n";

#[test]
fn info() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("mesh.obj"), MESH).unwrap();
    let json = folder.json(&["info", "mesh.obj"]);
    assert_has(&json, &["triangles", "vertices", "instances", "bounds", "defects"]);
    assert_eq!(json["triangles"], 6);
    assert_eq!(json["vertices"], 6);
    assert_eq!(json["instances"], 0);
    assert_eq!(json["bounds"]["min"], serde_json::json!([-1.0, 0.0, 0.0]));
    assert_eq!(json["bounds"]["max"], serde_json::json!([2.0, 5.0, 0.5]));
    let defects = json["defects"].as_array().unwrap();
    let count = |kind: &str| {
        defects
            .iter()
            .find(|defect| defect["kind"] == kind)
            .map_or(0, |d| d["count"].as_u64().unwrap())
    };
    assert_eq!((count("degenerate_triangles"), count("unused_vertices")), (1, 1));
    assert_documented(&json);
}

#[test]
fn render() {
    let folder = Folder::new();
    let common = ["render", "organic", "--triangles", "2000", "-o", "p.png", "--size", "40x30"];
    let shaded = folder.json(&[&common[..], &["--samples", "1"]].concat());
    assert_has(&shaded, &["rays", "seconds", "output"]);
    assert_eq!(shaded["output"], "p.png");
    // At least one ray for each pixel, at most three, and those that choose the light.
    let rays = shaded["rays"].as_u64().unwrap();
    assert!((1200..1200 * 3 + 20 * 15 * 13).contains(&rays), "{rays}");
    assert_documented(&shaded);

    let heat = folder.json(&[&common[..], &["--heatmap", "triangles"]].concat());
    assert_eq!(heat["rays"], 1200);
    assert_eq!(heat["heatmap"]["measure"], "triangles");
    let mean = heat["heatmap"]["mean"].as_f64().unwrap();
    let tests = heat["counters"]["triangle_tests"].as_f64().unwrap();
    assert!((mean * 1200.0 - tests).abs() < 1e-6 * tests);
    assert_documented(&heat);

    let machine = ["--heatmap", "boxes", "--machine", "gfx12-gpurt"];
    let hardware = folder.json(&[&common[..], &machine].concat());
    assert_eq!(
        (&hardware["format"], &hardware["machine"]),
        (&"gfx12".into(), &"gfx12-gpurt".into())
    );
    assert_ne!(hardware["counters"]["box_tests"], heat["counters"]["box_tests"]);
    assert_documented(&hardware);

    let bytes = folder.read("p.png");
    let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let legend = 34;
    assert_eq!((reader.info().width, reader.info().height), (40, 30 + legend));
}

#[test]
fn conformance() {
    let json = Folder::new().json(&["conformance", "--rays", "30", "--only", "format=tree"]);
    assert_eq!((&json["seed"], &json["mismatches"]), (&1.into(), &0.into()));
    let cells = json["cells"].as_array().unwrap();
    for kind in ["closest", "any", "all"] {
        assert!(cells.iter().any(|cell| cell["query"] == kind));
    }
    for cell in cells {
        let contract = [
            "format",
            "machine",
            "query",
            "triangle_rule",
            "scene",
            "cases",
            "mismatches",
            "losses",
        ];
        assert_has(cell, &contract);
        assert_eq!((&cell["format"], &cell["cases"]), (&"tree".into(), &30.into()));
    }
    assert_documented(&json);
}

#[test]
fn demo() {
    let folder = Folder::new();
    let json = folder.json(&["demo", "forest", "--triangles", "3000", "-o", "out/put"]);
    let machines = json["machines"].as_array().unwrap();
    assert!(machines.len() > 5 && json["formats"].as_array().unwrap().len() > 5);
    assert!(machines.iter().all(|row| row["mismatches"] == 0 && row["hits"].as_u64() > Some(0)));
    assert!(json["broken"]["losses"].as_u64() > Some(0), "{}", json["broken"]);
    assert_documented(&json);
    let page = String::from_utf8(folder.read("out/put/report.html")).unwrap();
    assert!(page.contains("agree with brute force") && page.contains("<h1>forest</h1>"));
    assert_eq!(page.matches("data:image/png;base64,").count(), 3);
    assert_eq!(folder.run(&["check", "out/put/scene.rra"]).status.code(), Some(0));
    let written = page.split('"').filter(|part| !part.starts_with("data:"));
    assert!(written.into_iter().all(|part| !part.contains("{{") && !part.contains("NaN")));
}
