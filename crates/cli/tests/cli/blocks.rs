//! Block files of the format ttu.

use crate::json::assert_documented;
use crate::support::{Folder, Said};

#[test]
fn a_block_file_is_shown_whole() {
    let folder = Folder::new();
    let built = ["build", "forest", "--triangles", "600", "--format", "ttu", "-o", "f.ttu"];
    assert_documented(&folder.json(&built));
    let totals = folder.json(&["inspect", "f.ttu"]);
    assert_documented(&totals);
    let tree = folder.json(&["inspect", "f.ttu", "--tree"]);
    assert_documented(&tree);
    let of_kind = |kind: &str| {
        let visits = tree["tree"].as_array().unwrap().iter();
        visits.filter(|visit| visit["kind"] == kind).count() as u64
    };
    assert_eq!(Some(of_kind("block")), totals["totals"]["blocks"].as_u64());
    assert_eq!(of_kind("top level"), 1);
    // Every node is inside its block, a block below, or references; the roots are none.
    let levels = of_kind("bottom level") + 1;
    let nodes = of_kind("block") - levels + of_kind("node") + of_kind("references");
    assert_eq!(Some(nodes), totals["totals"]["nodes"].as_u64());
    let short = folder.json(&["inspect", "f.ttu", "--tree", "--depth", "2"]);
    let shown = short["tree"].as_array().unwrap().len() as u64;
    assert_eq!(shown, 2 * levels);
    let all = tree["tree"].as_array().unwrap().len() as u64;
    assert_eq!(short["left_out"].as_u64(), Some(all - shown));
    let text = folder.run(&["inspect", "f.ttu", "--tree", "--depth", "2"]);
    let text = text.text();
    assert!(
        text.starts_with("0x100000000000000 bottom level at byte 0x80\n  [0] 0x0 block "),
        "{text}"
    );
    let node = folder.json(&["inspect", "f.ttu", "--node", "1"]);
    assert_documented(&node);
    assert_eq!((&node["kind"], &node["bytes"]), (&"block".into(), &128.into()));
}

/// What was cut off is counted, and what is left is shown.
#[test]
fn a_block_file_that_was_cut_off_has_pointers_to_nowhere() {
    let folder = Folder::new();
    folder.json(&["build", "forest", "--triangles", "600", "--format", "ttu", "-o", "f.ttu"]);
    std::fs::write(folder.path().join("cut.ttu"), &folder.read("f.ttu")[..1000]).unwrap();
    let totals = folder.json(&["inspect", "cut.ttu"])["totals"].clone();
    assert!(totals["outside"].as_u64() > Some(0), "{totals}");
    assert_eq!(folder.run(&["check", "cut.ttu"]).status.code(), Some(1));
}
