//! Scenes through ISBE memory, as users run it.

use crate::support::Folder;

/// The picture of a capture is that of its source in every byte, whatever the scene is made of.
#[test]
fn a_captured_scene_renders_the_same_picture() {
    let folder = Folder::new();
    for scene in ["forest", "interior"] {
        folder.json(&["isbe", "capture", scene, "--triangles", "3000", "-o", "scene.isbe"]);
        folder.json(&["isbe", "check", "scene.isbe"]);
        let size = ["--size", "80x60", "--samples", "1"];
        let source =
            [&["render", scene, "--triangles", "3000", "-o", "source.png"], &size[..]].concat();
        let captured = [&["render", "scene.isbe", "-o", "captured.png"], &size[..]].concat();
        folder.json(&source);
        folder.json(&captured);
        assert_eq!(folder.read("source.png"), folder.read("captured.png"), "{scene}");
    }
}

#[test]
fn a_damaged_dump_is_located_and_leaves_no_mesh() {
    let folder = Folder::new();
    folder.json(&["isbe", "capture", "organic", "--triangles", "1000", "-o", "a.isbe"]);
    let mut bytes = folder.read("a.isbe");
    // Workgroups are of one size, and those that carry names have no primitives.
    let info = folder.json(&["isbe", "info", "a.isbe"]);
    let size = |key: &str| info[key].as_u64().unwrap().next_multiple_of(16) as usize;
    let stride = 32 + size("map_bytes") + size("vertex_bytes") + size("shared_bytes");
    let count = (64 + 128 + 32..).step_by(stride).find(|at| bytes[*at] > 0).unwrap();
    let first_index = count + 4;
    bytes[first_index] = 200;
    std::fs::write(folder.path().join("a.isbe"), &bytes).unwrap();
    let output = folder.run(&["isbe", "check", "a.isbe", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let checked: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(checked["sound"], false);
    assert_eq!(checked["findings"][0]["rule"], "index_over_max");
    assert_eq!(checked["findings"][0]["offset"], first_index);
    let output = folder.run(&["isbe", "mesh", "a.isbe", "-o", "a.ply"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("index_over_max"));
    assert_eq!(folder.files(), ["a.isbe"]);
}
