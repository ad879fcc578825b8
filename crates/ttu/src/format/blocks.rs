//! The image as a traversal unit sees it.

use super::block::{BLOCK_BYTES, Lead, NO_BLOCK, unfold_mask};
use super::decode::root_bounds;
use super::directory::{INSTANCE, Parts};
use geometry::Aabb;
use machine::blocks::{Block, BlockImage, BlockLead, BlockLevel, BlockNode, CellBox, Frame};

pub(super) fn blocks(parts: &Parts<'_>, base: u64) -> BlockImage {
    let mut sum = BlockImage::default();
    let directory = parts.directory;
    let base = base + directory.blocks;
    for number in 0..directory.block_count {
        let block = parts.block(number);
        let first_node = sum.nodes.len() as u32;
        sum.nodes.extend(block.nodes.iter().map(|node| BlockNode {
            cells: CellBox { min: node.min.map(f32::from), max: node.max.map(f32::from) },
            mask: unfold_mask(node.mask),
            lead: match node.lead {
                Lead::Inside { first, count } => BlockLead::Inside { first, count },
                Lead::Foreign { offset } => BlockLead::Block(block.block_base + u32::from(offset)),
                Lead::Leaf { offset, count } => BlockLead::Items {
                    first: block.reference_base + u32::from(offset),
                    count: u32::from(count),
                    bytes: 0,
                    address: 0,
                },
                Lead::Unused => BlockLead::Items { first: 0, count: 0, bytes: 0, address: 0 },
            },
        }));
        sum.blocks.push(Block {
            address: base + BLOCK_BYTES as u64 * u64::from(number),
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
    sum
}
