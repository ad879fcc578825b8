//! The image as a block-based traversal unit reads it: a box node is a block of one line with no
//! node inside.
//!
//! Planes are taken as they decode, the sum with the origin rounded to `f32`, and expressed in
//! quanta of the node, rounded outward; where that sum is exact these are the codes themselves. The
//! unit's test is a superset of the instruction's, not a replay of it (T-10). Slots that lead to
//! one child are one node with the union of their boxes. Oriented nodes keep their rotation.
//! Primitive nodes and instance nodes are leaves that the processor must fetch.

use crate::Gfx12;
use crate::decode::hierarchy::slots_box;
use crate::decode::numbering;
use crate::decode::primitives::{PrimitiveNumbers, leaf_bytes};
use crate::format::memory;
use crate::layout::{BoxNode, NODE_BYTES};
use crate::obb;
use crate::survey::{ChildRecord, LeafRecord, Memory, Surveyed, Target};
use geometry::rounding::{narrow_down, narrow_up};
use geometry::{Aabb, Vec3};
use machine::Checked;
use machine::blocks::{
    Block, BlockImage, BlockLead, BlockLevel, BlockNode, CellBox, Frame, MemoryRange,
};
use tree::{Bvh, Tree};

/// The blocks of a proved image.
pub(crate) fn blocks(checked: &Checked<Gfx12>) -> BlockImage {
    let tree = checked.tree();
    let memory = memory(checked);
    let survey = checked.proof().survey();
    let rotations = (0..obb::ROTATION_COUNT).filter_map(|index| obb::rotation(index as u8));
    let mut sum = BlockImage {
        rotations: rotations.map(|r| r.rows.map(|[x, y, z, _]| [x, y, z])).collect(),
        ..BlockImage::default()
    };
    // The tree's order: BLASes first.
    let (tlas, blases) = survey.levels();
    for (surveyed, blas) in blases.iter().zip(&tree.blases) {
        let numbers = PrimitiveNumbers::new(&memory, surveyed);
        let leaf = |leaf: &LeafRecord| {
            (numbers.of_leaf(leaf).collect(), leaf_bytes(&memory, surveyed, leaf))
        };
        let level =
            Level { memory: &memory, surveyed, leaf: &leaf, instance: &|n| n, masks: false };
        level.add(&blas.bvh, &mut sum);
    }
    if let Some(surveyed) = tlas {
        add_top(&memory, surveyed, tree, &mut sum);
    }
    sum
}

fn add_top(memory: &Memory<'_>, surveyed: &Surveyed, tree: &Tree, sum: &mut BlockImage) {
    let numbers = numbering(memory, surveyed).numbers;
    let instance = |number: u32| numbers[number as usize];
    let leaf = |_: &LeafRecord| (Vec::new(), 0);
    let level = Level { memory, surveyed, leaf: &leaf, instance: &instance, masks: true };
    if let Some(tlas) = &tree.tlas {
        level.add(&tlas.bvh, sum);
    }
}

/// Items of a range, and the bytes that it lies in.
type LeafItems<'a> = &'a dyn Fn(&LeafRecord) -> (Vec<u32>, u32);

/// A structure on its way.
struct Level<'a> {
    memory: &'a Memory<'a>,
    surveyed: &'a Surveyed,
    leaf: LeafItems<'a>,
    /// The instance that an instance node shows.
    instance: &'a dyn Fn(u32) -> u32,
    /// Whether the masks of slots mean anything: they are those of instances.
    masks: bool,
}

impl Level<'_> {
    fn add(&self, bvh: &Bvh, sum: &mut BlockImage) {
        let first_block = sum.blocks.len() as u32;
        for record in &self.surveyed.boxes {
            let node = BoxNode::decode(&self.surveyed.node(self.memory, record.pointer));
            let frame = frame_of(&node);
            let first_node = sum.nodes.len() as u32;
            for child in &self.surveyed.children[record.children()] {
                let lead = self.lead(child.target, first_block, sum);
                let cells = cells(&frame, &slots_box(&node, child.slots));
                let mask = if self.masks { slots_mask(&node, child) } else { 0xFF };
                sum.nodes.push(BlockNode { cells, mask, lead });
            }
            let address = self.surveyed.structure.address_of(record.pointer);
            sum.blocks.push(block(address, frame, first_node, record.child_count));
        }
        let bounds = bvh.root().bounds;
        let root = match (self.surveyed.boxes.first(), self.surveyed.leaves.first()) {
            (Some(root), _) => (root.child_count > 0).then_some(first_block),
            // A range without a box above it: a block of its own, around everything.
            (None, Some(_)) => {
                let first_node = sum.nodes.len() as u32;
                let lead = self.lead(Target::Leaf(0), first_block, sum);
                sum.nodes.push(BlockNode { cells: (&bounds).into(), mask: 0xFF, lead });
                let address = self.surveyed.structure.address_of(self.surveyed.structure.root);
                sum.blocks.push(block(address, Frame::GLOBAL, first_node, 1));
                Some(first_block)
            }
            (None, None) => None,
        };
        sum.levels.push(BlockLevel { root, bounds });
    }

    fn lead(&self, target: Target, first_block: u32, sum: &mut BlockImage) -> BlockLead {
        let address_of = |pointer| self.surveyed.structure.address_of(pointer);
        let first = sum.items.len() as u32;
        match target {
            Target::Box(number) => BlockLead::Block(first_block + number),
            Target::Leaf(number) => {
                let leaf = &self.surveyed.leaves[number as usize];
                let (items, bytes) = (self.leaf)(leaf);
                let count = items.len() as u32;
                sum.items.extend(items);
                let memory = MemoryRange { address: address_of(leaf.pointer), bytes };
                BlockLead::Items { first, count, memory }
            }
            Target::Instance(number) => {
                let instance = &self.surveyed.instances[number as usize];
                sum.items.push((self.instance)(number));
                let address = address_of(instance.pointer);
                let memory = MemoryRange { address, bytes: NODE_BYTES as u32 };
                BlockLead::Items { first, count: 1, memory }
            }
        }
    }
}

fn block(address: u64, frame: Frame, first_node: u32, children: u8) -> Block {
    let bytes = NODE_BYTES as u32;
    let (node_count, root_children) = (children, children);
    Block { address, bytes, frame, root: None, first_node, node_count, root_children }
}

fn frame_of(node: &BoxNode) -> Frame {
    let rotation = obb::rotation(node.obb_matrix_index).map(|_| node.obb_matrix_index);
    if node.frame.origin.iter().all(|origin| origin.is_finite()) {
        let exponents = node.frame.exponents.map(|exponent| i16::from(exponent) - 139);
        Frame { origin: node.frame.origin, exponents, rotation }
    } else {
        Frame { rotation, ..Frame::GLOBAL }
    }
}

/// A box in quanta of the frame, rounded outward.
fn cells(frame: &Frame, bounds: &Aabb) -> CellBox {
    let exact = |plane: f32, k: usize, round: fn(f64) -> f32, outward: fn(f64) -> f64| {
        let (plane, origin) = (f64::from(plane), f64::from(frame.origin[k]));
        // Knuth's two-sum: the error of the difference, exactly.
        let difference = plane - origin;
        let seen = difference - plane;
        let error = (plane - (difference - seen)) + (-origin - seen);
        let difference = if error == 0.0 { difference } else { outward(difference) };
        round(difference * (-f64::from(frame.exponents[k])).exp2())
    };
    let low = |plane: Vec3, k: usize| exact(plane[k], k, narrow_down, f64::next_down);
    let high = |plane: Vec3, k: usize| exact(plane[k], k, narrow_up, f64::next_up);
    CellBox {
        min: std::array::from_fn(|k| low(bounds.min, k)),
        max: std::array::from_fn(|k| high(bounds.max, k)),
    }
}

/// The masks of all slots that lead to a child.
fn slots_mask(node: &BoxNode, child: &ChildRecord) -> u8 {
    let slots = (0..8).filter(|slot| child.slots >> slot & 1 == 1);
    slots.fold(0, |mask, slot| mask | node.children[slot].mask)
}
