//! Where pictures are taken from, what heat maps are written as, and what is said of odd files.

use crate::support::{Folder, Said};
use serde_json::json;

const MESH: &str = "v -1 0 0\nv 2 0 0\nv 2 3 0.5\nv -1 3 0\nf 1 2 3 4\n";

fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn render(folder: &Folder, output: &str, options: &[&str]) -> serde_json::Value {
    let common = ["render", "mesh.obj", "-o", output, "--size", "200x15"];
    folder.json(&[&common[..], options].concat())
}

#[test]
fn a_heat_map_has_a_scale_and_a_legend_or_is_numbers() {
    let folder = folder(&[("mesh.obj", MESH)]);
    let map = render(&folder, "map.npy", &["--heatmap", "nodes", "--scale", "7"]);
    assert_eq!(map["heatmap"]["brightest"], 7);
    let bytes = folder.read("map.npy");
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.len() == 128 + 4 * 200 * 15);

    render(&folder, "map.png", &["--heatmap", "nodes"]);
    render(&folder, "mesh.png", &["--samples", "1"]);
    // The height stands at byte 20 of a PNG file.
    let height =
        |name: &str| folder.read(name)[20..24].iter().fold(0, |h, &b| h << 8 | u32::from(b));
    assert_eq!(height("mesh.png"), 15);
    assert!(height("map.png") > 30);

    let no_map = folder.run(&["render", "mesh.obj", "-o", "mesh.npy"]);
    assert_eq!(no_map.status.code(), Some(2));
    let text = no_map.errors();
    assert!(text.starts_with("error: only heat maps are written as .npy\n  hint: add"), "{text}");
}

#[test]
fn the_view_is_that_of_the_file_beside_or_as_asked() {
    let cameras = r#"{"mesh": {"eye": [1, 2, 9], "at": [0, 1, 0], "up": [0, 2, 0], "fov": 50}}"#;
    let folder = folder(&[("mesh.obj", MESH), ("cameras.json", cameras)]);
    let options = ["--samples", "1"];
    let beside = render(&folder, "p.png", &options);
    assert_eq!(beside["camera"], json!([1.0, 2.0, 9.0, 0.0, 1.0, 0.0, 50.0]));
    assert_eq!(beside["up"], json!([0.0, 2.0, 0.0]));
    let asked = ["--camera", "0,0,5,0,0,0,40,1,0,0"];
    let asked = render(&folder, "p.png", &[&options[..], &asked].concat());
    assert_eq!(asked["camera"], json!([0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 40.0]));
    assert_eq!(asked["up"], json!([1.0, 0.0, 0.0]));
}

#[test]
fn an_odd_file_is_read_with_a_warning() {
    let folder = folder(&[("odd.obj", &format!("{MESH}f\nnonsense\nf 1\n"))]);
    let told = "odd.obj: line 6: a face of fewer than 3 corners is passed over (2 times)";
    let also = "odd.obj: line 7: a line that is no statement of OBJ is passed over";
    let output = folder.run(&["info", "odd.obj", "--json"]);
    assert!(output.status.success());
    let errors = output.errors();
    assert_eq!(errors, format!("warning: {told}\nwarning: {also}\n"));
    let info: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(info["warnings"], json!([told, also]));
}
