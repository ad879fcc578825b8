//! The format as users meet it, for the registry. The machines `reference` and `ttu` walk it.

use crate::describe::describe;
use crate::directory::{
    HeaderFields, IdFields, InstanceFields, LevelFields, ReferenceFields, TriangleFields, records,
};
use crate::node::Node;
use crate::outline::outline;
use crate::{CAPABILITIES, Cwbvh, NAME, Rule};
use machine::file::{is_container_of, read_container, write_container};
use machine::{ByteSplit, Figures, Format, FormatEntry, Image, TreeEntry, TreeFormat, TreeShape};

/// The format.
pub const FORMATS: &[FormatEntry] = &[FormatEntry {
    name: NAME,
    summary: "the compressed wide BVH of Ylitie, Karras and Laine",
    ending: NAME,
    sniff: |start| is_container_of(NAME, start),
    read: |bytes, _| read_container(NAME, bytes),
    check: |image| Cwbvh::check(image).erase(),
    outline,
    describe,
    trees: Some(TreeEntry {
        capabilities: |_| CAPABILITIES,
        settings: &[],
        shape: |_| TreeShape { width: 8, max_leaf: 3, leaf_test_width: 1, splits: true },
        encode: |tree, _| Ok(Cwbvh.encode(tree)?.into()),
        figures,
        write: |image, _| Ok(write_container(image)),
        keeps_boxes: true,
        has_blocks: true,
    }),
    structures: &[
        Node::TABLE,
        HeaderFields::TABLE,
        LevelFields::TABLE,
        TriangleFields::TABLE,
        IdFields::TABLE,
        ReferenceFields::TABLE,
        InstanceFields::TABLE,
    ],
    rules: Rule::ENTRIES,
    writers: &[],
}];

fn figures(image: &Image) -> Figures {
    let levels = records(image).map_or(Vec::new(), |(_, levels)| levels);
    // Triangles and their ids; in a TLAS the same arrays hold references and instances.
    let arrays = |which: usize| {
        let bytes = |level: &LevelFields| {
            let (_, count, size) = level.arrays()[which];
            u64::from(count) * size as u64
        };
        levels.iter().filter(|level| !level.is_tlas()).map(bytes).sum::<u64>()
    };
    Figures {
        bytes: ByteSplit::new(image.byte_count() as u64, arrays(1), arrays(2)),
        box_nodes: levels.iter().map(|level| level.node_count as usize).sum(),
        primitive_nodes: outline(image).total("leaves") as usize,
        instance_nodes: levels.iter().map(|level| level.instance_count as usize).sum(),
        details: Vec::new(),
    }
}
