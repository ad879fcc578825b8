//! One block: 128 bytes, a root and up to twelve nodes below it. Little endian.
//!
//! [`BlockFields`] and [`NodeFields`] are the tables; [`Block`] and [`Node`] say what they mean.
//!
//! Nodes `0..k` are the children of the root. An unused node has the planes min = 255, max = 0. A
//! mask of 0 filters nothing.
//!
//! The block of the specification, byte for byte:
//!
//! ```
//! use ttu::format::block::{Block, Lead, Node};
//!
//! let node = |min, max, lead| Node { min, max, mask: 0, lead };
//! let block = Block {
//!     origin: [0.0; 3],
//!     exponents: [-4, -5, -6],
//!     root_children: 2,
//!     refit_dirty: false,
//!     block_base: 17,
//!     reference_base: 40,
//!     root_max: [160; 3],
//!     flags: 0,
//!     parent: u32::MAX,
//!     nodes: vec![
//!         node([1, 3, 6], [16, 32, 64], Lead::Leaf { offset: 0, count: 2 }),
//!         node([32, 0, 19], [160, 160, 160], Lead::Inside { first: 2, count: 2 }),
//!         node([32, 0, 19], [76, 160, 71], Lead::Foreign { offset: 0 }),
//!         node([96, 32, 32], [160, 157, 160], Lead::Leaf { offset: 2, count: 1 }),
//!     ],
//! };
//! let bytes = block.to_bytes();
//! let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
//! assert_eq!(&hex[..64], "000000000000000000000000fcfbfa141100000028000000a0a0a000ffffffff");
//! assert_eq!(&hex[64..128], "0103061020400600200013a0a0a004022000134ca0470100602020a09da00202");
//! assert_eq!(&hex[128..], "ffffff0000000300".repeat(8));
//! assert_eq!(Block::from_bytes(&bytes), block);
//! ```

use machine::bits::{Bits, NodeBits};
use machine::fields::{MinusOne, Show, hex};

machine::fields! {
    /// The 128 bytes of a block.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[source = "US 9,569,559; docs/spec/ttu.md"]
    pub struct BlockFields: 32 words {
        /// Lower corner of the block root, exactly.
        pub origin: [f32; 3] = 0..96 => "scene units";
        /// A cell is 2^e wide (T-8: -100..=100).
        pub exponents: [i8; 3] = 96..120;
        /// Nodes in use, 1..=12.
        pub node_count: u8 = 120..124;
        /// Nodes that are children of the root: the first ones; stored less 1.
        pub root_children: u8 as MinusOne = 124..127, Show::Each(|raw| (raw + 1).to_string());
        /// Boxes may be stale after a refit.
        pub refit_dirty: bool = 127..128;
        /// Number of the first foreign block.
        pub block_base: u32 = 128..160;
        /// Number of the first primitive reference.
        pub reference_base: u32 = 160..192;
        /// Upper corner of the root in cells; its lower corner is 0.
        pub root_max: [u8; 3] = 192..216 => "steps of the grid";
        /// Bit 0 opaque only, bit 1 alpha present, bits 2..5 mask class, bits 5..8 version (0).
        pub flags: u8 = 216..224, Show::Each(hex);
        /// Number of the block above, 0xFFFFFFFF for none.
        pub parent: u32 = 224..256, Show::Each(block_text);
        /// The nodes.
        pub nodes: [NodeFields; 12] = 256..1024;
    }
}

machine::fields! {
    /// The 8 bytes of a node.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "US 9,569,559; docs/spec/ttu.md"]
    pub struct NodeFields: 2 words {
        /// Lower corner in cells.
        pub min: [u8; 3] = 0..24 => "steps of the grid";
        /// Upper corner in cells.
        pub max: [u8; 3] = 24..48 => "steps of the grid";
        /// 0 inside, 1 foreign, 2 leaf, 3 unused.
        pub kind: u8 = 48..50;
        /// Child nodes or references, stored less 1.
        pub count: u8 as MinusOne = 50..53, Show::Each(|raw| (raw + 1).to_string());
        /// Folded mask of the instances below; 0 filters nothing (T-16).
        pub mask: u8 = 53..56;
        /// First child node (inside), block from `block_base` (foreign), reference from
        /// `reference_base` (leaf).
        pub offset: u8 = 56..64;
    }
}

/// A block by number.
pub(super) fn block_text(number: u64) -> String {
    if number == u64::from(NO_BLOCK) { "none".to_owned() } else { format!("block {number}") }
}

/// Bytes of a block: one line.
pub const BLOCK_BYTES: usize = 128;

/// Nodes that fit a block.
pub const MAX_NODES: usize = 12;

/// Most children of a block's root.
pub const MAX_ROOT_CHILDREN: usize = 8;

/// Most primitives of a leaf.
pub const MAX_LEAF: usize = 8;

/// The number that names no block.
pub const NO_BLOCK: u32 = u32::MAX;

/// Exponents of cells (T-8).
pub const EXPONENTS: std::ops::RangeInclusive<i16> = -100..=100;

/// Bytes of a node.
pub(super) const NODE_BYTES: usize = 8;
const UNUSED: NodeFields =
    NodeFields { min: [255; 3], max: [0; 3], kind: 3, count: 1, mask: 0, offset: 0 };

/// Flag: everything below is opaque.
pub const OPAQUE_ONLY: u8 = 1;
/// Flag: something below is not opaque.
pub const ALPHA_PRESENT: u8 = 2;

/// A block, taken apart. Any 128 bytes have such a form; which forms are sound says
/// [`super::check`](mod@super::check).
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Lower corner of the root.
    pub origin: [f32; 3],
    /// Cells are `2^exponents` wide.
    pub exponents: [i8; 3],
    /// How many of the nodes are children of the root.
    pub root_children: u8,
    /// Boxes may be stale after a refit.
    pub refit_dirty: bool,
    /// First foreign block.
    pub block_base: u32,
    /// First primitive reference.
    pub reference_base: u32,
    /// Upper corner of the root, in cells.
    pub root_max: [u8; 3],
    /// Opacity, mask class, version.
    pub flags: u8,
    /// The block above.
    pub parent: u32,
    /// The nodes in use; stored numbers above twelve are cut.
    pub nodes: Vec<Node>,
}

/// A node of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Lower corner in cells.
    pub min: [u8; 3],
    /// Upper corner in cells.
    pub max: [u8; 3],
    /// Folded mask of the instances below, 3 bits; 0 filters nothing (T-16).
    pub mask: u8,
    /// Where the node leads.
    pub lead: Lead,
}

/// Where a node leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lead {
    /// To nodes of the same block.
    Inside {
        /// The first of them.
        first: u8,
        /// How many.
        count: u8,
    },
    /// To the root of another block, counted from `block_base`.
    Foreign {
        /// Which one.
        offset: u8,
    },
    /// To primitives, counted from `reference_base`.
    Leaf {
        /// The first of them.
        offset: u8,
        /// How many.
        count: u8,
    },
    /// Nowhere.
    Unused,
}

impl Block {
    /// The bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; BLOCK_BYTES] {
        let fields = BlockFields {
            origin: self.origin,
            exponents: self.exponents,
            node_count: self.nodes.len() as u8 & 0xF,
            root_children: self.root_children,
            refit_dirty: self.refit_dirty,
            block_base: self.block_base,
            reference_base: self.reference_base,
            root_max: self.root_max,
            flags: self.flags,
            parent: self.parent,
            nodes: std::array::from_fn(|k| self.nodes.get(k).map_or(UNUSED, Node::fields)),
        };
        fields.encode().to_bytes()
    }

    /// Takes bytes apart.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; BLOCK_BYTES]) -> Self {
        let fields = BlockFields::decode(&NodeBits::from_bytes(bytes));
        let count = usize::from(fields.node_count).min(MAX_NODES);
        Self {
            origin: fields.origin,
            exponents: fields.exponents,
            root_children: fields.root_children,
            refit_dirty: fields.refit_dirty,
            block_base: fields.block_base,
            reference_base: fields.reference_base,
            root_max: fields.root_max,
            flags: fields.flags,
            parent: fields.parent,
            nodes: fields.nodes[..count].iter().map(Node::from_fields).collect(),
        }
    }

    /// Where node `index` begins in the block.
    #[must_use]
    pub const fn node_offset(index: usize) -> usize {
        BlockFields::nodes.element(index).start / 8
    }

    /// Whether the bytes of node `index` are those of an unused one.
    #[must_use]
    pub fn is_unused(bytes: &[u8; BLOCK_BYTES], index: usize) -> bool {
        let node = bytes.get(Self::node_offset(index)..).unwrap_or_default();
        NodeFields::decode(&Bits::from_bytes(node)) == UNUSED
    }

    /// The format version, bits 5..8 of the flags.
    #[must_use]
    pub const fn version(&self) -> u8 {
        self.flags >> 5
    }
}

impl Node {
    fn fields(&self) -> NodeFields {
        let (kind, count, offset) = match self.lead {
            Lead::Inside { first, count } => (0, count, first),
            Lead::Foreign { offset } => (1, 1, offset),
            Lead::Leaf { offset, count } => (2, count, offset),
            Lead::Unused => (3, 1, 0),
        };
        NodeFields { min: self.min, max: self.max, kind, count, mask: self.mask & 7, offset }
    }

    pub(super) fn from_fields(fields: &NodeFields) -> Self {
        let NodeFields { min, max, kind, count, mask, offset } = *fields;
        let lead = match kind {
            0 => Lead::Inside { first: offset, count },
            1 => Lead::Foreign { offset },
            2 => Lead::Leaf { offset, count },
            _ => Lead::Unused,
        };
        Self { min, max, mask, lead }
    }
}

/// The 8-bit mask of an instance folded to the 3 bits of a node: bits 0..3, 3..6 and 6..8 (T-16).
#[must_use]
pub fn fold_mask(mask: u8) -> u8 {
    u8::from(mask & 0x07 != 0) | u8::from(mask & 0x38 != 0) << 1 | u8::from(mask & 0xC0 != 0) << 2
}

/// The largest 8-bit mask that folds to these 3 bits; 0, which filters nothing, gives all bits.
#[must_use]
pub fn unfold_mask(folded: u8) -> u8 {
    if folded == 0 {
        return 0xFF;
    }
    let part = |bit: u8, bits: u8| if folded >> bit & 1 == 1 { bits } else { 0 };
    part(0, 0x07) | part(1, 0x38) | part(2, 0xC0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folded mask culls nothing that the full masks would let through.
    #[test]
    fn folding_only_ever_culls_less() {
        for mask in 1..=255u8 {
            assert_eq!(unfold_mask(fold_mask(mask)) & mask, mask);
        }
    }

    #[test]
    fn any_bytes_can_be_taken_apart() {
        let bytes = std::array::from_fn(|k| (k * 37 + 11) as u8);
        let block = Block::from_bytes(&bytes);
        assert!(block.nodes.len() <= MAX_NODES);
        assert_eq!(Block::from_bytes(&[0xFF; BLOCK_BYTES]).nodes.len(), MAX_NODES);
    }
}
