//! The image as blocks: a node is one, of 80 bytes and up to eight children.

use crate::decode::{item_numbers, level_bounds};
use crate::directory::{INSTANCE_BYTES, Level, REFERENCE_BYTES, TRIANGLE_BYTES};
use crate::node::{Child, NODE_BYTES};
use machine::blocks::{
    Block, BlockImage, BlockLead, BlockLevel, BlockNode, CellBox, Frame, MemoryRange,
};

pub(crate) fn blocks(levels: &[Level<'_>]) -> BlockImage {
    let mut sum = BlockImage::default();
    for level in levels {
        add_level(level, &mut sum);
    }
    sum
}

fn add_level(level: &Level<'_>, sum: &mut BlockImage) {
    let (first_block, first_item) = (sum.blocks.len() as u32, sum.items.len() as u32);
    let root = (level.record.node_count > 0).then_some(first_block);
    sum.levels.push(BlockLevel { root, bounds: level_bounds(level) });
    sum.items.extend(item_numbers(level));
    let item_bytes = if level.record.is_tlas() { REFERENCE_BYTES } else { TRIANGLE_BYTES } as u32;
    if level.record.is_tlas() {
        // Triangles lie in their leaves; of instances there are references.
        sum.item_memory.resize(first_item as usize, MemoryRange::default());
        let instances = level.record.side_table;
        let memory = |&item: &u32| MemoryRange::element(instances, item, INSTANCE_BYTES as u32);
        sum.item_memory.extend(sum.items[first_item as usize..].iter().map(memory));
    }
    for number in 0..u64::from(level.record.node_count) {
        let Some(node) = level.node(number) else { continue };
        let first_node = sum.nodes.len();
        for (slot, child) in node.children() {
            let lead = match child {
                Child::Node(child) => BlockLead::Block(first_block + child as u32),
                Child::Leaf { first, count } => BlockLead::Items {
                    first: first_item + first as u32,
                    count: count.into(),
                    memory: MemoryRange {
                        address: level.item_address(first),
                        bytes: item_bytes * u32::from(count),
                    },
                },
                Child::Empty => continue,
            };
            let cells =
                CellBox { min: node.low(slot).map(f32::from), max: node.high(slot).map(f32::from) };
            sum.nodes.push(BlockNode { cells, mask: 0xFF, lead });
        }
        let children = (sum.nodes.len() - first_node) as u8;
        sum.blocks.push(Block {
            address: level.node_address(number),
            bytes: NODE_BYTES as u32,
            frame: Frame {
                origin: node.origin,
                exponents: node.axes().map(|axis| axis.exponent),
                rotation: None,
            },
            root: None,
            first_node: first_node as u32,
            node_count: children,
            root_children: children,
        });
    }
}
