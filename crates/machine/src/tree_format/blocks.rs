//! The image as blocks: a node of eight children takes two lines, and boxes need no frame.

use super::decode::{Record, directory, slots, u32_at};
use super::{NODE_BYTES, leaf_range};
use crate::Image;
use crate::blocks::{Block, BlockImage, BlockLead, BlockLevel, BlockNode, Frame, MemoryRange};

pub(super) fn blocks(image: &Image) -> BlockImage {
    let mut sum = BlockImage::default();
    // A checked image has a directory.
    for record in directory(image).unwrap_or_default() {
        add_level(image, &record, &mut sum);
    }
    sum
}

fn add_level(image: &Image, record: &Record, sum: &mut BlockImage) {
    let (first_block, first_item) = (sum.blocks.len() as u32, sum.items.len() as u32);
    let lead = |word: u32| match leaf_range(word) {
        Some((first, count)) => {
            let address = record.references_address + 4 * u64::from(first);
            let memory = MemoryRange { address, bytes: 4 * count };
            BlockLead::Items { first: first_item + first, count, memory }
        }
        None => BlockLead::Block(first_block + word),
    };
    let references = image.get(record.references_address, 4 * record.reference_count);
    sum.items.extend(references.unwrap_or_default().chunks_exact(4).map(|r| u32_at(r, 0)));
    let items = &sum.items[first_item as usize..];
    sum.item_memory.extend(items.iter().map(|&item| record.item_memory(item)));
    let nodes = image.get(record.nodes_address, NODE_BYTES * record.node_count);
    for (number, node) in nodes.unwrap_or_default().chunks_exact(NODE_BYTES).enumerate() {
        let address = record.nodes_address + (NODE_BYTES * number) as u64;
        let children = slots(node);
        sum.blocks.push(block(address, sum.nodes.len(), children.len()));
        sum.nodes.extend(children.iter().map(|(word, bounds)| BlockNode {
            cells: bounds.into(),
            mask: 0xFF,
            lead: lead(*word),
        }));
    }
    let root = match lead(record.root_word) {
        BlockLead::Block(root) => Some(root),
        BlockLead::Items { count: 0, .. } | BlockLead::Inside { .. } => None,
        // A root that is a leaf has no node of its own: its word and box stand in the directory.
        leaf @ BlockLead::Items { .. } => {
            let number = sum.blocks.len() as u32;
            sum.blocks.push(block(image.root + record.offset, sum.nodes.len(), 1));
            let cells = (&record.root_bounds).into();
            sum.nodes.push(BlockNode { cells, mask: 0xFF, lead: leaf });
            Some(number)
        }
    };
    sum.levels.push(BlockLevel { root, bounds: record.root_bounds });
}

fn block(address: u64, first_node: usize, children: usize) -> Block {
    Block {
        address,
        bytes: NODE_BYTES as u32,
        frame: Frame::GLOBAL,
        root: None,
        first_node: first_node as u32,
        node_count: children as u8,
        root_children: children as u8,
    }
}
