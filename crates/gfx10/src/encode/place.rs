//! Which 64-byte unit a node gets.
//!
//! siliray and GPURT put boxes first, breadth first, and leaf nodes behind them; GPURT's base is
//! its header, two units before the root. RADV has the root, then a leaf node for each primitive in
//! order, then the other boxes.

use super::Policy;
use bvh4::encode::draft::{Child, Draft, Leaf};
use bvh4::layout::Bvh4Pointer;

/// Units of a 128-byte node.
const WIDE: u32 = 2;

/// The pointers to all nodes of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    pub(super) boxes: Vec<Bvh4Pointer>,
    pub(super) leaves: Vec<Bvh4Pointer>,
    /// Units from the base to the end of the last node.
    pub(super) units: u32,
    /// The unit behind the boxes that come before the leaves.
    pub(super) first_leaf: u32,
    /// Places for leaves: where RADV's policy is, one for each item, and for what is stored twice.
    pub(super) leaf_places: u32,
}

/// The root pointer.
pub(super) const fn root(policy: Policy) -> Bvh4Pointer {
    match policy {
        Policy::Own | Policy::Radv => Bvh4Pointer::ROOT,
        Policy::Gpurt => Bvh4Pointer::ROOT_BEHIND_HEADER,
    }
}

/// Units that all nodes of a draft take at most; `items` primitives or instances were given.
pub(super) fn most_units(draft: &Draft, items: usize) -> u64 {
    let boxes = 2 * draft.boxes.len() as u64;
    let leaves: u64 = draft.leaves.iter().map(|leaf| u64::from(leaf.units())).sum();
    2 + boxes + leaves + 2 * items as u64
}

impl Places {
    /// Gives units to all nodes; `is_half` says which boxes are small.
    pub(super) fn new(draft: &Draft, policy: Policy, items: usize, is_half: &[bool]) -> Self {
        let none = Bvh4Pointer::INVALID;
        let mut places = Self {
            boxes: vec![none; draft.boxes.len()],
            leaves: vec![none; draft.leaves.len()],
            units: policy.writer().first_unit(),
            first_leaf: 0,
            leaf_places: draft.leaves.len() as u32,
        };
        if policy == Policy::Radv {
            places.place_boxes(0..1, is_half);
            places.first_leaf = places.units;
            places.place_in_order(draft, items);
            places.place_boxes(1..draft.boxes.len(), is_half);
        } else {
            places.place_boxes(0..draft.boxes.len(), is_half);
            places.first_leaf = places.units;
            for (number, leaf) in draft.leaves.iter().enumerate() {
                places.leaves[number] = places.take(leaf.units(), leaf_type(leaf));
            }
        }
        places
    }

    fn place_boxes(&mut self, boxes: std::ops::Range<usize>, is_half: &[bool]) {
        for number in boxes {
            let (units, node_type) = if is_half[number] { (1, 4) } else { (WIDE, 5) };
            self.boxes[number] = self.take(units, node_type);
        }
    }

    /// A place for every item; a leaf that another one of the same item came before gets a place
    /// behind them.
    fn place_in_order(&mut self, draft: &Draft, items: usize) {
        let units = draft.leaves.first().map_or(1, Leaf::units);
        let first = self.take(units * items as u32, 0).unit();
        self.leaf_places = items as u32;
        let mut is_taken = vec![false; items];
        for (number, leaf) in draft.leaves.iter().enumerate() {
            let item = leaf.first_item() as usize;
            self.leaves[number] = if std::mem::replace(&mut is_taken[item], true) {
                self.leaf_places += 1;
                self.take(units, leaf_type(leaf))
            } else {
                pointer(first + units * item as u32, leaf_type(leaf))
            };
        }
    }

    fn take(&mut self, units: u32, node_type: u8) -> Bvh4Pointer {
        self.units += units;
        pointer(self.units - units, node_type)
    }

    /// The pointer to a child of a box.
    pub(super) fn pointer(&self, child: Child) -> Bvh4Pointer {
        match child {
            Child::Box(number) => self.boxes[number as usize],
            Child::Leaf(number) => self.leaves[number as usize],
        }
    }
}

const fn pointer(unit: u32, node_type: u8) -> Bvh4Pointer {
    Bvh4Pointer(unit << 3 | node_type as u32)
}

/// The type of pointers to a leaf node: a pair is named by its second triangle.
const fn leaf_type(leaf: &Leaf) -> u8 {
    match leaf {
        Leaf::Triangle(_) => 0,
        Leaf::Pair { .. } => 1,
        Leaf::Instance(_) => 6,
        Leaf::Procedural(_) => 7,
    }
}
