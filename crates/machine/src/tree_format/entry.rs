//! The format as users meet it.

use super::describe::{describe, outline};
use super::{NAME, PlainTree};
use crate::file::{is_container_of, read_container, write_container};
use crate::{Capabilities, Encoded, Figures, Format, FormatEntry, TreeEntry, TreeFormat};

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
        capabilities: Capabilities::ALL,
        settings: &[],
        encode: |tree, _| {
            let image = PlainTree.encode(tree)?;
            let count = |name| outline(&image).total(name) as usize;
            let figures = Figures {
                bytes: image.byte_count() as u64,
                node_bytes: image.byte_count() as u64,
                box_nodes: count("nodes"),
                primitive_nodes: count("leaves"),
                instance_nodes: count("instances"),
                triangles: tree.triangle_count(),
                details: Vec::new(),
            };
            Ok(Encoded { image, figures })
        },
        write: |image| Ok(write_container(image)),
        has_blocks: true,
    }),
    structures: &[],
    rules: &[],
}];
