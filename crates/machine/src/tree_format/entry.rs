//! The format as users meet it.

use super::decode::directory;
use super::describe::{describe, outline};
use super::{NAME, PlainTree, Rule, SLOTS};
use crate::file::{is_container_of, read_container, write_container};
use crate::{
    ByteSplit, Capabilities, Figures, Format, FormatEntry, Image, TreeEntry, TreeFormat, TreeShape,
};

/// The format, for the registry.
pub const FORMATS: &[FormatEntry] = &[FormatEntry {
    name: NAME,
    summary: "the tree itself, nothing compressed",
    ending: "tree",
    sniff: |start| is_container_of(NAME, start),
    read: |bytes, _| read_container(NAME, bytes),
    check: |image| PlainTree::check(image).erase(),
    outline,
    describe,
    trees: Some(TreeEntry {
        capabilities: |_| Capabilities::ALL,
        settings: &[],
        shape: |_| TreeShape { width: SLOTS, max_leaf: 8, leaf_test_width: 1, splits: true },
        encode: |tree, _| Ok(PlainTree.encode(tree)?.into()),
        figures,
        write: |image, _| Ok(write_container(image)),
        keeps_boxes: true,
        has_blocks: true,
    }),
    structures: &[],
    rules: Rule::ENTRIES,
    writers: &[],
}];

fn figures(image: &Image) -> Figures {
    let [mut geometry, mut ids] = [0; 2];
    for record in directory(image).unwrap_or_default() {
        geometry += record.geometry_bytes();
        ids += record.id_bytes();
    }
    let outline = outline(image);
    Figures {
        bytes: ByteSplit::new(image.byte_count() as u64, geometry, ids),
        box_nodes: outline.total("nodes") as usize,
        primitive_nodes: outline.total("leaves") as usize,
        instance_nodes: outline.total("instances") as usize,
        details: Vec::new(),
    }
}
