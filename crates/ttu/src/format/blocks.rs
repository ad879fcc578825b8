//! The image as a traversal unit sees it.

use super::block::{BLOCK_BYTES, Lead, NO_BLOCK, unfold_mask};
use super::decode::root_bounds;
use super::directory::{
    INSTANCE, INSTANCE_BYTES, LevelKind, LevelRecord, PROCEDURAL_BYTES, Parts, TRIANGLE_BYTES,
};
use geometry::Aabb;
use machine::blocks::{
    Block, BlockImage, BlockLead, BlockLevel, BlockNode, CellBox, Frame, MemoryRange,
};

pub(super) fn blocks(parts: &Parts<'_>, base: u64) -> BlockImage {
    let mut sum = BlockImage::default();
    let directory = parts.directory;
    let references = base + directory.references;
    for number in 0..directory.block_count {
        let block = parts.block(number);
        let first_node = sum.nodes.len() as u32;
        sum.nodes.extend(block.nodes.iter().map(|node| BlockNode {
            cells: CellBox { min: node.min.map(f32::from), max: node.max.map(f32::from) },
            mask: unfold_mask(node.mask),
            lead: match node.lead {
                Lead::Inside { first, count } => BlockLead::Inside { first, count },
                // Of a block that nothing leads to, nothing is proved: its sums may wrap.
                Lead::Foreign { offset } => {
                    BlockLead::Block(block.block_base.wrapping_add(u32::from(offset)))
                }
                Lead::Leaf { offset, count } => {
                    let first = block.reference_base.wrapping_add(u32::from(offset));
                    let memory = MemoryRange {
                        address: references + 4 * u64::from(first),
                        bytes: 4 * u32::from(count),
                    };
                    BlockLead::Items { first, count: count.into(), memory }
                }
                Lead::Unused => BlockLead::NOTHING,
            },
        }));
        sum.blocks.push(Block {
            address: base + directory.blocks + BLOCK_BYTES as u64 * u64::from(number),
            bytes: BLOCK_BYTES as u32,
            frame: Frame {
                origin: block.origin,
                exponents: block.exponents.map(i16::from),
                rotation: None,
            },
            root: Some(CellBox { min: [0.0; 3], max: block.root_max.map(f32::from) }),
            first_node,
            node_count: block.nodes.len() as u8,
            root_children: block.root_children,
        });
    }
    sum.items = (0..directory.reference_count).map(|n| parts.reference(n) & !INSTANCE).collect();
    sum.levels = directory
        .levels
        .iter()
        .map(|record| match record.root {
            NO_BLOCK => BlockLevel { root: None, bounds: Aabb::EMPTY },
            root => BlockLevel { root: Some(root), bounds: root_bounds(&parts.block(root)) },
        })
        .collect();
    sum.item_memory = vec![MemoryRange::default(); sum.items.len()];
    for record in &directory.levels {
        add_item_memory(parts, record, base, &mut sum);
    }
    sum
}

/// Where the items of a level lie: the references in its leaves number them.
fn add_item_memory(parts: &Parts<'_>, record: &LevelRecord, base: u64, sum: &mut BlockImage) {
    let memory_of = |item: u32| match item.checked_sub(record.triangle_count) {
        _ if record.kind == LevelKind::Tlas => {
            let instances = base + parts.directory.instances;
            MemoryRange::element(instances, item, INSTANCE_BYTES as u32)
        }
        Some(number) => MemoryRange::element(base + record.boxes, number, PROCEDURAL_BYTES as u32),
        None => MemoryRange::element(base + record.triangles, item, TRIANGLE_BYTES as u32),
    };
    let mut open = Vec::from_iter((record.root != NO_BLOCK).then_some(record.root));
    while let Some(number) = open.pop() {
        let Block { first_node, node_count, .. } = sum.blocks[number as usize];
        for node in &sum.nodes[first_node as usize..][..usize::from(node_count)] {
            match node.lead {
                BlockLead::Inside { .. } => {}
                BlockLead::Block(below) => open.push(below),
                BlockLead::Items { first, count, .. } => {
                    let leaf = first as usize..first as usize + count as usize;
                    for (memory, &item) in
                        sum.item_memory[leaf.clone()].iter_mut().zip(&sum.items[leaf])
                    {
                        *memory = memory_of(item);
                    }
                }
            }
        }
    }
}
