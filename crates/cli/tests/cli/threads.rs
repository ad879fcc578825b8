//! The number of threads changes no byte of a picture and no figure but the times.

use crate::support::Folder;
use serde_json::Value;

/// Everything but what a clock has a say in.
fn without_times(value: Value) -> Value {
    match value {
        Value::Object(map) => map
            .into_iter()
            .filter(|(key, _)| !key.contains("seconds") && !key.ends_with("per_second"))
            .filter(|(key, _)| key != "timings")
            .map(|(key, value)| (key, without_times(value)))
            .collect(),
        Value::Array(values) => values.into_iter().map(without_times).collect(),
        other => other,
    }
}

/// Runs with 1, 2 and 7 threads; the objects and the files must be the same.
fn same_for_all(args: &[&str], files: &[&str]) {
    let runs = ["1", "2", "7"].map(|threads| {
        let folder = Folder::new();
        let json = folder.json(&[args, &["--threads", threads]].concat());
        let bytes: Vec<Vec<u8>> = files.iter().map(|file| folder.read(file)).collect();
        (without_times(json), bytes)
    });
    assert_eq!(runs[0].0, runs[1].0);
    assert_eq!(runs[0].0, runs[2].0);
    assert!(runs[0].1 == runs[1].1 && runs[0].1 == runs[2].1, "{files:?} differ");
}

#[test]
fn shaded_pictures() {
    let common = ["-o", "p.png", "--size", "97x61", "--triangles", "8000"];
    same_for_all(&[&["render", "forest"], &common[..]].concat(), &["p.png"]);
    let best = ["--preset", "best", "--samples", "2"];
    same_for_all(&[&["render", "interior"], &common[..], &best[..]].concat(), &["p.png"]);
}

#[test]
fn heat_maps() {
    let args = ["-o", "p.png", "--size", "97x61", "--triangles", "8000", "--heatmap", "boxes"];
    same_for_all(&[&["render", "hairball"], &args[..]].concat(), &["p.png"]);
}

#[test]
fn trees_and_scenes() {
    same_for_all(&["build", "organic", "--triangles", "20000"], &[]);
    same_for_all(&["build", "forest", "--triangles", "50000"], &[]);
    same_for_all(&["info", "hairball", "--triangles", "20000"], &[]);
}

#[test]
fn conformance() {
    same_for_all(&["conformance", "--rays", "60", "--seed", "9", "--only", "preset=best"], &[]);
}
