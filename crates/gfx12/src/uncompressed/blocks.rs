//! The image as a block-based traversal unit reads it: a box node is a block of four children, of
//! one line, or of half a line where boxes are of high precision. Its planes need no frame.
//! Triangle nodes and instance nodes are leaves that the processor must fetch.

use super::decode::{ReadPrimitives, instance_numbers};
use super::format::Gfx12Bvh4x2;
use super::survey::{Surveyed, Target};
use crate::decode::Memory;
use crate::decode::bounds::unbounded_where_nan;
use crate::layout::uncompressed::dual_pointer::UNIT_BYTES;
use crate::layout::uncompressed::{DualKind, DualPointer};
use geometry::Aabb;
use machine::Checked;
use machine::blocks::{Block, BlockImage, BlockLead, BlockLevel, BlockNode, Frame, MemoryRange};
use std::ops::Range;

/// The blocks of a proved image.
pub(super) fn blocks(checked: &Checked<Gfx12Bvh4x2>) -> BlockImage {
    let memory = Memory::new(checked.image());
    let survey = &checked.proof().survey;
    // The tree's order: BLASes first.
    let (tlas, blases) = match survey.has_tlas() {
        true => (Some(&survey.structures[0]), &survey.structures[1..]),
        false => (None, &survey.structures[..1]),
    };
    let mut sum = BlockImage::default();
    for surveyed in blases {
        let read = ReadPrimitives::new(&memory, surveyed);
        add_level(&memory, surveyed, &|target| read.items(surveyed, target), &mut sum);
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

fn add_level(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    items: &dyn Fn(Target) -> Range<u32>,
    sum: &mut BlockImage,
) {
    let first_block = sum.blocks.len() as u32;
    let mut whole = Aabb::EMPTY;
    for record in &surveyed.boxes {
        let boxes = surveyed.four_boxes(memory, record.pointer).boxes;
        let first_node = sum.nodes.len();
        for (slot, &target) in record.slots.iter().enumerate() {
            let Some(target) = target else { continue };
            let lead = match target {
                Target::Box(number) => BlockLead::Block(first_block + number),
                Target::Leaf(_) | Target::Instance(_) => {
                    let (first, items) = (sum.items.len() as u32, items(target));
                    let count = items.len() as u32;
                    sum.items.extend(items);
                    BlockLead::Items { first, count, memory: leaf_memory(surveyed, target) }
                }
            };
            let bounds = unbounded_where_nan(boxes[slot]);
            if record.parent.is_none() {
                whole = whole.union(bounds);
            }
            sum.nodes.push(BlockNode { cells: (&bounds).into(), mask: 0xFF, lead });
        }
        let children = (sum.nodes.len() - first_node) as u8;
        let MemoryRange { address, bytes } = node_memory(surveyed, record.pointer);
        sum.blocks.push(Block {
            address,
            bytes,
            frame: Frame::GLOBAL,
            root: None,
            first_node: first_node as u32,
            node_count: children,
            root_children: children,
        });
    }
    let has_children = |record: &super::survey::BoxRecord| record.slots.iter().any(Option::is_some);
    let root = surveyed.boxes.first().filter(|root| has_children(root)).map(|_| first_block);
    sum.levels.push(BlockLevel { root, bounds: whole });
}

fn leaf_memory(surveyed: &Surveyed, target: Target) -> MemoryRange {
    match target {
        Target::Box(number) => node_memory(surveyed, surveyed.boxes[number as usize].pointer),
        Target::Leaf(number) => node_memory(surveyed, surveyed.leaves[number as usize].pointer),
        Target::Instance(number) => {
            node_memory(surveyed, surveyed.instances[number as usize].pointer)
        }
    }
}

/// Where a node lies: boxes of full precision and instances take two units.
fn node_memory(surveyed: &Surveyed, pointer: DualPointer) -> MemoryRange {
    let units = match pointer.kind() {
        DualKind::Fp32Box | DualKind::Instance => 2,
        _ => 1,
    };
    MemoryRange { address: surveyed.address(pointer), bytes: units * UNIT_BYTES as u32 }
}
