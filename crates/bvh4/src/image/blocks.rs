//! The image as a block-based traversal unit reads it: a box node is a block of four children, of
//! one line, or of half a line for the small boxes. Its planes need no frame. Leaf nodes and
//! instance nodes are leaves that the processor must fetch.

use super::decode::{ReadPrimitives, instance_numbers};
use super::dialect::Dialect;
use crate::decode::bounds::unbounded_where_nan;
use crate::layout::Bvh4Pointer;
use crate::survey::{Memory, NO_BOX, Survey, Surveyed, Target};
use geometry::Aabb;
use machine::Image;
use machine::blocks::{Block, BlockImage, BlockLead, BlockLevel, BlockNode, Frame, MemoryRange};
use std::ops::Range;

/// The blocks of a proved image.
#[must_use]
pub fn blocks<D: Dialect>(image: &Image, survey: &Survey<D>) -> BlockImage {
    let memory = Memory::new(image);
    // The tree's order: BLASes first.
    let (tlas, blases) = survey.levels();
    let mut sum = BlockImage::default();
    for surveyed in blases {
        let read = ReadPrimitives::new(&memory, surveyed);
        let items = |target: Target| match target {
            Target::Leaf(leaf) => read.items(leaf as usize),
            Target::Box(_) | Target::Instance(_) => 0..0,
        };
        add_level(&memory, surveyed, &items, &mut sum);
    }
    if let Some(surveyed) = tlas {
        let numbers = instance_numbers(&memory, surveyed);
        let items = |target: Target| match target {
            Target::Instance(instance) => {
                let number = numbers[instance as usize];
                number..number + 1
            }
            Target::Box(_) | Target::Leaf(_) => 0..0,
        };
        add_level(&memory, surveyed, &items, &mut sum);
    }
    sum
}

fn add_level<D: Dialect>(
    memory: &Memory<'_>,
    surveyed: &Surveyed<D>,
    items: &dyn Fn(Target) -> Range<u32>,
    sum: &mut BlockImage,
) {
    let first_block = sum.blocks.len() as u32;
    let mut whole = Aabb::EMPTY;
    for record in &surveyed.boxes {
        let Some(node) = surveyed.structure.four_boxes(memory, record.pointer) else { continue };
        for child in &surveyed.children[record.children()] {
            let lead = match child.target {
                Target::Box(number) => BlockLead::Block(first_block + number),
                target => {
                    let (first, items) = (sum.items.len() as u32, items(target));
                    let count = items.len() as u32;
                    sum.items.extend(items);
                    let memory = node_memory(surveyed, surveyed.pointer(target));
                    BlockLead::Items { first, count, memory }
                }
            };
            let bounds = unbounded_where_nan(node.boxes[usize::from(child.slot())]);
            if record.parent == NO_BOX {
                whole = whole.union(bounds);
            }
            sum.nodes.push(BlockNode { cells: (&bounds).into(), mask: 0xFF, lead });
        }
        let MemoryRange { address, bytes } = node_memory(surveyed, record.pointer);
        sum.blocks.push(Block {
            address,
            bytes,
            frame: Frame::GLOBAL,
            root: None,
            first_node: (sum.nodes.len() - usize::from(record.child_count)) as u32,
            node_count: record.child_count,
            root_children: record.child_count,
        });
    }
    let root = surveyed.boxes.first().filter(|root| root.child_count > 0).map(|_| first_block);
    sum.levels.push(BlockLevel { root, bounds: whole });
}

fn node_memory<D: Dialect>(surveyed: &Surveyed<D>, pointer: Bvh4Pointer) -> MemoryRange {
    let address = surveyed.structure.address_of(pointer);
    MemoryRange { address, bytes: pointer.node_bytes() as u32 }
}
