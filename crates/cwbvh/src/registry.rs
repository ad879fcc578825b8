//! The format as users meet it, for the registry. The machines `reference` and `ttu` walk it.

use crate::describe::describe;
use crate::directory::{
    HeaderFields, IdFields, InstanceFields, LevelFields, ReferenceFields, TriangleFields, records,
};
use crate::node::Node;
use crate::outline::outline;
use crate::{CAPABILITIES, Cwbvh, NAME, Rule};
use machine::file::{is_container_of, read_container, write_container};
use machine::{Encoded, Figures, Format, FormatEntry, Image, TreeEntry, TreeFormat};

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
        capabilities: CAPABILITIES,
        settings: &[],
        encode: |tree, _| {
            let image = Cwbvh.encode(tree)?;
            let figures = figures(&image, tree.triangle_count());
            Ok(Encoded { image, figures })
        },
        write: |image| Ok(write_container(image)),
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
}];

fn figures(image: &Image, triangles: usize) -> Figures {
    let levels = records(image).map_or(Vec::new(), |(_, levels)| levels);
    // Everything but the ids of triangles and the instances.
    let side_table = |level: &LevelFields| level.arrays().map(|(_, n, size)| n as usize * size)[2];
    let side_bytes: usize = levels.iter().map(side_table).sum();
    Figures {
        bytes: image.byte_count() as u64,
        node_bytes: (image.byte_count() - side_bytes) as u64,
        box_nodes: levels.iter().map(|level| level.node_count as usize).sum(),
        primitive_nodes: outline(image).total("leaves") as usize,
        instance_nodes: levels.iter().map(|level| level.instance_count as usize).sum(),
        triangles,
        details: Vec::new(),
    }
}
