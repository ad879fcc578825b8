//! The image as a traversal unit sees it: a node is a block, its boxes need no frame, and a leaf is
//! memory to be fetched: the TriRange, then its triangles.

use super::contents::Contents;
use crate::layout::node::ChildKind;
use crate::layout::records::{TRI_RANGE_BYTES, triangle_bytes};
use geometry::Aabb;
use machine::blocks::{Block, BlockImage, BlockLead, BlockLevel, BlockNode, Frame, MemoryRange};

/// All blocks of a proved image.
pub(super) fn blocks(contents: &Contents<'_>) -> BlockImage {
    let mut sum = BlockImage::default();
    let mut whole = Aabb::EMPTY;
    for node in 0..contents.header.nodes {
        let first_node = sum.nodes.len();
        for slot in 0..contents.shape.width() {
            let child = contents.child(node, slot);
            let bounds = contents.bounds(&child);
            let lead = match child.kind {
                ChildKind::Empty | ChildKind::Reserved => continue,
                ChildKind::Node => BlockLead::Block(child.index),
                ChildKind::Leaf => {
                    let range = contents.range(child.index);
                    let first = sum.items.len() as u32;
                    let triangles = range.first..range.first + range.count;
                    sum.items.extend(triangles.clone());
                    sum.item_memory.extend(triangles.map(|number| MemoryRange {
                        address: contents.triangle_address(number),
                        bytes: triangle_bytes(contents.policy.format) as u32,
                    }));
                    let memory = MemoryRange {
                        address: contents.range_address(child.index),
                        bytes: TRI_RANGE_BYTES as u32,
                    };
                    BlockLead::Items { first, count: range.count, memory }
                }
            };
            if node == 0 {
                whole = whole.union(bounds);
            }
            sum.nodes.push(BlockNode { cells: (&bounds).into(), mask: 0xFF, lead });
        }
        let children = (sum.nodes.len() - first_node) as u8;
        sum.blocks.push(Block {
            address: contents.node_address(node),
            bytes: contents.shape.bytes() as u32,
            frame: Frame::GLOBAL,
            root: None,
            first_node: first_node as u32,
            node_count: children,
            root_children: children,
        });
    }
    let root = (!sum.items.is_empty()).then_some(0);
    sum.levels.push(BlockLevel { root, bounds: whole });
    sum
}
