//! Which 64-byte unit a node gets.
//!
//! With fp32 boxes, boxes come first and leaf nodes behind them. A high-precision box finds its
//! children side by side, so there the children of each box get their units together, box by box.

use super::BoxPrecision;
use crate::layout::bvh4x2::Bvh4Pointer;
use bvh4::encode::draft::{Child, Draft, Leaf};

/// Units of a 128-byte node.
const WIDE: u32 = 2;

/// The units of all nodes of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    precision: BoxPrecision,
    boxes: Vec<u32>,
    leaves: Vec<u32>,
    /// Units that the nodes take together.
    pub(super) units: u32,
}

/// Units that the nodes of a draft take.
pub(super) fn unit_count(draft: &Draft, precision: BoxPrecision) -> u64 {
    let boxes = draft.boxes.len() as u64 * u64::from(precision.box_units());
    boxes + draft.leaves.iter().map(|leaf| u64::from(leaf.units())).sum::<u64>()
}

impl Places {
    /// Gives units to all nodes; they must not be more than [`unit_count`] units below 2^26.
    pub(super) fn new(draft: &Draft, precision: BoxPrecision) -> Self {
        let mut places = Self {
            precision,
            boxes: vec![0; draft.boxes.len()],
            leaves: vec![0; draft.leaves.len()],
            units: precision.box_units(),
        };
        if precision == BoxPrecision::Fp32 {
            for number in 1..draft.boxes.len() {
                places.boxes[number] = places.take(WIDE);
            }
            for (number, leaf) in draft.leaves.iter().enumerate() {
                places.leaves[number] = places.take(leaf.units());
            }
        } else {
            for slot in draft.boxes.iter().flatten().flatten() {
                match slot.child {
                    Child::Box(number) => places.boxes[number as usize] = places.take(1),
                    Child::Leaf(number) => {
                        let units = draft.leaves[number as usize].units();
                        places.leaves[number as usize] = places.take(units);
                    }
                }
            }
        }
        places
    }

    fn take(&mut self, units: u32) -> u32 {
        self.units += units;
        self.units - units
    }

    /// The pointer to a box.
    pub(super) fn box_pointer(&self, number: u32) -> Bvh4Pointer {
        Bvh4Pointer(self.boxes[number as usize] << 3 | u32::from(self.precision.box_type()))
    }

    /// The pointer to a leaf node.
    pub(super) fn leaf_pointer(&self, number: u32, leaf: &Leaf) -> Bvh4Pointer {
        Bvh4Pointer(self.leaves[number as usize] << 3 | u32::from(leaf_type(leaf)))
    }

    /// The pointer to a child of a box.
    pub(super) fn pointer(&self, child: Child, draft: &Draft) -> Bvh4Pointer {
        match child {
            Child::Box(number) => self.box_pointer(number),
            Child::Leaf(number) => self.leaf_pointer(number, &draft.leaves[number as usize]),
        }
    }
}

/// The type of pointers to a leaf node: a pair is named by its second triangle.
const fn leaf_type(leaf: &Leaf) -> u8 {
    match leaf {
        Leaf::Triangle(_) | Leaf::Procedural(_) => 0,
        Leaf::Pair { .. } => 1,
        Leaf::Instance(_) => 6,
    }
}

impl BoxPrecision {
    /// Units of a box node.
    pub(super) const fn box_units(self) -> u32 {
        match self {
            Self::Fp32 => WIDE,
            Self::High => 1,
        }
    }

    /// The type of pointers to a box node.
    pub(super) const fn box_type(self) -> u8 {
        match self {
            Self::Fp32 => 5,
            Self::High => 4,
        }
    }
}
