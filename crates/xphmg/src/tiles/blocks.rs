//! The image as a traversal unit sees it: a node is a block, its boxes need no frame, and a leaf is
//! memory to be fetched: the TriRange, then its triangles.

use super::contents::Contents;
use super::instance::INSTANCE_BYTES;
use super::target::Target;
use crate::layout::node::ChildKind;
use crate::layout::records::{TRI_RANGE_BYTES, triangle_bytes};
use geometry::Aabb;
use machine::blocks::{Block, BlockImage, BlockLead, BlockLevel, BlockNode, Frame, MemoryRange};

/// All blocks of a proved image.
pub(super) fn blocks(contents: &Contents<'_>) -> BlockImage {
    let mut sum = BlockImage::default();
    for level in (1..=contents.header.blases).chain([0]) {
        add_level(contents, level, &mut sum);
    }
    sum
}

fn add_level(image: &Contents<'_>, level: u32, sum: &mut BlockImage) {
    let contents = image.level(level);
    let first_triangle = image.level_triangles(level).start;
    let (first_block, first_item) = (sum.blocks.len() as u32, sum.items.len());
    let mut whole = Aabb::EMPTY;
    for (node, is_reached) in (0..).zip(reached(&contents)) {
        let first_node = sum.nodes.len();
        // Nothing is proved of a node that nothing leads to: it keeps its number, and is empty.
        let width = if is_reached { contents.shape.width() } else { 0 };
        for slot in 0..width {
            let child = contents.child(node, slot);
            let bounds = contents.bounds(&child);
            let first = sum.items.len() as u32;
            let lead = match Target::of_child(image, level, &child) {
                None => continue,
                Some(Target::Instance(index)) => {
                    sum.items.extend(contents.instance_number(index));
                    let memory = MemoryRange {
                        address: contents.range_address(index),
                        bytes: INSTANCE_BYTES as u32,
                    };
                    BlockLead::Items { first, count: 1, memory }
                }
                Some(Target::Range(_, index)) => {
                    let range = contents.range(index);
                    let triangles = range.first..range.first + range.count;
                    sum.items.extend(triangles.clone().map(|number| number - first_triangle));
                    sum.item_memory.extend(triangles.map(|number| MemoryRange {
                        address: contents.triangle_address(number),
                        bytes: triangle_bytes(contents.policy.format) as u32,
                    }));
                    let memory = MemoryRange {
                        address: contents.range_address(index),
                        bytes: TRI_RANGE_BYTES as u32,
                    };
                    BlockLead::Items { first, count: range.count, memory }
                }
                Some(_) => BlockLead::Block(first_block + child.index),
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
    let root = (sum.items.len() > first_item).then_some(first_block);
    sum.levels.push(BlockLevel { root, bounds: whole });
}

/// Which nodes of a proved level its node 0 leads to.
fn reached(contents: &Contents<'_>) -> Vec<bool> {
    let mut reached = vec![false; contents.header.nodes as usize];
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        reached[node as usize] = true;
        let children = (0..contents.shape.width()).map(|slot| contents.child(node, slot));
        let inner = children.filter(|child| child.kind == ChildKind::Node);
        open.extend(inner.map(|child| child.index));
    }
    reached
}
