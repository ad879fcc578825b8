//! Which 64-byte unit each node of a draft gets, and nodes as bytes.

use super::contents::{Contents, all_of};
use super::draft::{Child, Draft, DraftBox, Leaf, WIDTH};
use super::error::EncodeError;
use super::margin::widen;
use crate::layout::{Bvh4Pointer, parent_slot_address};
use geometry::Aabb;
use machine::bits::{HalfNodeBits, NodeBits};

/// The pointers to all nodes of a draft. Nodes are placed one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    /// Of the boxes.
    pub boxes: Vec<Bvh4Pointer>,
    /// Of the leaves.
    pub leaves: Vec<Bvh4Pointer>,
    /// The unit of the first node.
    pub first: u32,
    /// Units from the base to the end of the last node.
    pub units: u32,
    /// The unit behind the boxes that come before the leaves.
    pub first_leaf: u32,
    /// Places for leaves, used or not.
    pub leaf_places: u32,
    /// The type of pointers to procedurals.
    procedural_type: u8,
}

impl Places {
    /// No node has a place yet.
    #[must_use]
    pub fn new(draft: &Draft, first: u32, procedural_type: u8) -> Self {
        let none = Bvh4Pointer::INVALID;
        Self {
            boxes: vec![none; draft.boxes.len()],
            leaves: vec![none; draft.leaves.len()],
            first,
            units: first,
            first_leaf: first,
            leaf_places: draft.leaves.len() as u32,
            procedural_type,
        }
    }

    /// The next units.
    pub fn take(&mut self, units: u32) -> u32 {
        self.units += units;
        self.units - units
    }

    /// Places a box of 64 or of 128 bytes.
    pub fn place_box(&mut self, number: usize, is_half: bool) {
        let (units, node_type) = if is_half { (1, 4) } else { (2, 5) };
        self.boxes[number] = Bvh4Pointer(self.take(units) << 3 | node_type);
    }

    /// Places all leaves, side by side.
    pub fn place_leaves(&mut self, draft: &Draft) {
        self.first_leaf = self.units;
        for (number, leaf) in draft.leaves.iter().enumerate() {
            self.place_leaf(number, leaf);
        }
    }

    /// Places a leaf.
    pub fn place_leaf(&mut self, number: usize, leaf: &Leaf) {
        let unit = self.take(leaf.units());
        self.place_leaf_at(number, leaf, unit);
    }

    /// Gives a leaf a unit that was taken before.
    pub fn place_leaf_at(&mut self, number: usize, leaf: &Leaf, unit: u32) {
        // A pair is named by its second triangle.
        let node_type = match leaf {
            Leaf::Triangle(_) => 0,
            Leaf::Pair { .. } => 1,
            Leaf::Instance(_) => 6,
            Leaf::Procedural(_) => self.procedural_type,
        };
        self.leaves[number] = Bvh4Pointer(unit << 3 | u32::from(node_type));
    }

    /// The pointer to a child of a box.
    #[must_use]
    pub fn pointer(&self, child: Child) -> Bvh4Pointer {
        match child {
            Child::Box(number) => self.boxes[number as usize],
            Child::Leaf(number) => self.leaves[number as usize],
        }
    }
}

/// The nodes of a level, each with its place.
#[derive(Debug)]
pub struct Nodes {
    /// Boxes and leaves.
    pub draft: Draft,
    /// Where they lie.
    pub places: Places,
    /// The planes of all slots as they will be stored, before they are rounded.
    pub planes: Vec<Planes>,
    /// What is below each slot, in the order of the boxes.
    pub contents: Vec<[Contents; WIDTH]>,
}

/// The planes of the slots of a box.
pub type Planes = [Option<Aabb>; WIDTH];

/// A node as bits.
#[derive(Debug)]
pub enum NodeBytes {
    /// 64 bytes.
    Half(HalfNodeBits),
    /// 128 bytes.
    Whole(Box<NodeBits>),
}

impl Nodes {
    /// What is below a box.
    #[must_use]
    pub fn below(&self, number: usize) -> Contents {
        all_of(&self.draft.boxes[number], &self.contents[number])
    }

    /// The children of a box.
    #[must_use]
    pub fn children(&self, slots: &DraftBox) -> [Bvh4Pointer; WIDTH] {
        slots.map(|slot| slot.map_or(Bvh4Pointer::INVALID, |slot| self.places.pointer(slot.child)))
    }

    /// Writes nodes behind the base, and parents into the table before it.
    pub fn write(
        &self,
        box_bytes: impl Fn(usize, &DraftBox) -> NodeBytes,
        leaf_bytes: impl Fn(&Leaf) -> NodeBytes,
        before: &mut [u8],
        nodes: &mut [u8],
    ) {
        let mut put = |pointer: Bvh4Pointer, node: NodeBytes| {
            let place = &mut nodes[pointer.byte_offset() as usize..];
            match node {
                NodeBytes::Half(bits) => bits.write_bytes(&mut place[..64]),
                NodeBytes::Whole(bits) => bits.write_bytes(&mut place[..128]),
            }
        };
        let Self { draft, places, .. } = self;
        for ((number, slots), &pointer) in draft.boxes.iter().enumerate().zip(&places.boxes) {
            put(pointer, box_bytes(number, slots));
            for slot in slots.iter().flatten() {
                let (base, child) = (before.len() as u64, places.pointer(slot.child));
                if let Some(start) = parent_slot_address(base, child, places.first) {
                    before[start as usize..][..4].copy_from_slice(&pointer.0.to_le_bytes());
                }
            }
        }
        for (leaf, &pointer) in draft.leaves.iter().zip(&places.leaves) {
            put(pointer, leaf_bytes(leaf));
        }
    }
}

/// The planes of all slots, a margin wider.
///
/// # Errors
/// Infinite planes.
pub fn widened(level: usize, draft: &Draft, margin: f32) -> Result<Vec<Planes>, EncodeError> {
    let mut planes = vec![[None; WIDTH]; draft.boxes.len()];
    for (node, slots) in draft.boxes.iter().enumerate() {
        for (slot, used) in slots.iter().enumerate() {
            let Some(used) = used else { continue };
            let bounds = widen(&used.bounds, margin);
            if !bounds.is_finite() {
                return Err(EncodeError::InfinitePlane { level, node, slot });
            }
            planes[node][slot] = Some(bounds);
        }
    }
    Ok(planes)
}
