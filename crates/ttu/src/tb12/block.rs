//! One block: 128 bytes, a root and up to twelve nodes below it. Little endian.
//!
//! | bytes | field |
//! |---|---|
//! | 0..12 | `origin`, f32 x 3: the lower corner of the block root, exactly |
//! | 12..15 | `exponents`, i8 x 3: a cell is 2^e wide (T-8: -100..=100) |
//! | 15 | bits 0..4 number of nodes (1..=12), 4..7 children of the root less 1, 7 refit dirty |
//! | 16..20 | `block_base`: number of the first foreign block |
//! | 20..24 | `reference_base`: number of the first primitive reference |
//! | 24..27 | `root_max`, u8 x 3: upper corner of the root in cells; its lower corner is 0 |
//! | 27 | flags: bit 0 opaque only, 1 alpha present, 2..5 mask class, 5..8 version (0) |
//! | 28..32 | `parent`: number of the block above, 0xFFFFFFFF for none |
//! | 32..128 | twelve nodes of 8 bytes |
//!
//! | node bytes | field |
//! |---|---|
//! | 0..3, 3..6 | lower and upper corner in cells |
//! | 6 | bits 0..2 kind (0 inside, 1 foreign, 2 leaf, 3 unused), 2..5 count less 1, 5..8 mask |
//! | 7 | offset: first child node, block from `block_base`, reference from `reference_base` |
//!
//! Nodes `0..k` are the children of the root. An unused node has the planes min = 255, max = 0. A
//! mask of 0 filters nothing.
//!
//! The block of the specification, byte for byte:
//!
//! ```
//! use ttu::tb12::block::{Block, Lead, Node};
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

const NODES_AT: usize = 32;
const NODE_BYTES: usize = 8;
const UNUSED: [u8; NODE_BYTES] = [255, 255, 255, 0, 0, 0, 3, 0];

/// Where node `node` begins in its block.
pub(super) const fn node_offset(node: u8) -> u64 {
    (NODES_AT + NODE_BYTES * node as usize) as u64
}

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
        let mut bytes = [0; BLOCK_BYTES];
        for (k, value) in self.origin.iter().enumerate() {
            bytes[4 * k..][..4].copy_from_slice(&value.to_le_bytes());
        }
        bytes[12..15].copy_from_slice(&self.exponents.map(|e| e as u8));
        bytes[15] = (self.nodes.len() as u8 & 0xF)
            | (self.root_children.wrapping_sub(1) & 7) << 4
            | u8::from(self.refit_dirty) << 7;
        bytes[16..20].copy_from_slice(&self.block_base.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.reference_base.to_le_bytes());
        bytes[24..27].copy_from_slice(&self.root_max);
        bytes[27] = self.flags;
        bytes[28..32].copy_from_slice(&self.parent.to_le_bytes());
        for (k, slot) in bytes[NODES_AT..].chunks_exact_mut(NODE_BYTES).enumerate() {
            slot.copy_from_slice(&self.nodes.get(k).map_or(UNUSED, |node| node.to_bytes()));
        }
        bytes
    }

    /// Takes bytes apart.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; BLOCK_BYTES]) -> Self {
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]));
        let nodes = usize::from(bytes[15] & 0xF).min(MAX_NODES);
        Self {
            origin: [0, 4, 8].map(|at| f32::from_bits(word(at))),
            exponents: std::array::from_fn(|k| bytes[12 + k] as i8),
            root_children: (bytes[15] >> 4 & 7) + 1,
            refit_dirty: bytes[15] >> 7 != 0,
            block_base: word(16),
            reference_base: word(20),
            root_max: std::array::from_fn(|k| bytes[24 + k]),
            flags: bytes[27],
            parent: word(28),
            nodes: bytes[NODES_AT..]
                .chunks_exact(NODE_BYTES)
                .take(nodes)
                .map(|slot| Node::from_bytes(std::array::from_fn(|k| slot[k])))
                .collect(),
        }
    }

    /// Where node `index` begins in the block.
    #[must_use]
    pub const fn node_offset(index: usize) -> usize {
        NODES_AT + NODE_BYTES * index
    }

    /// Whether the bytes of node `index` are those of an unused one.
    #[must_use]
    pub fn is_unused(bytes: &[u8; BLOCK_BYTES], index: usize) -> bool {
        bytes[Self::node_offset(index)..][..NODE_BYTES] == UNUSED
    }

    /// The format version, bits 5..8 of the flags.
    #[must_use]
    pub const fn version(&self) -> u8 {
        self.flags >> 5
    }
}

impl Node {
    fn to_bytes(self) -> [u8; NODE_BYTES] {
        let (kind, count, offset) = match self.lead {
            Lead::Inside { first, count } => (0, count, first),
            Lead::Foreign { offset } => (1, 1, offset),
            Lead::Leaf { offset, count } => (2, count, offset),
            Lead::Unused => (3, 1, 0),
        };
        let description = kind | (count.wrapping_sub(1) & 7) << 2 | (self.mask & 7) << 5;
        let ([a, b, c], [d, e, f]) = (self.min, self.max);
        [a, b, c, d, e, f, description, offset]
    }

    fn from_bytes([a, b, c, d, e, f, description, offset]: [u8; NODE_BYTES]) -> Self {
        let count = (description >> 2 & 7) + 1;
        let lead = match description & 3 {
            0 => Lead::Inside { first: offset, count },
            1 => Lead::Foreign { offset },
            2 => Lead::Leaf { offset, count },
            _ => Lead::Unused,
        };
        Self { min: [a, b, c], max: [d, e, f], mask: description >> 5, lead }
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
