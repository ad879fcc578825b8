//! Images as blocks: what a block-based traversal unit runs.
//!
//! Such a unit fetches a block, tests the boxes in it against a query in the block's own
//! coordinates, and follows what it hits: to nodes of the same block, to another block, to
//! primitives or to instances. A format gives its image as a [`BlockImage`], once and for all
//! blocks; what a unit makes of it, and in how many cycles, is not the format's business.
//!
//! To join, a format fills in:
//!
//! * `levels`: the BLASes in the order of the tree that
//!   [`TreeFormat::decode`](crate::TreeFormat::decode) gives, then the TLAS if there is one. A
//!   level without items has no root.
//! * `blocks`: where each lies, how many bytes of memory it takes, its frame, the box of its root
//!   if the format stores one, and its nodes. Blocks may share a line of memory; a block may take
//!   several.
//! * `nodes`: boxes in cells of the block's frame, `origin + cell * 2^exponent`, exact as `f32`.
//!   The frame of a format with plain `f32` boxes is [`Frame::GLOBAL`]. The root's children are the
//!   first `root_children` nodes of the block; nodes inside a block lead further behind.
//! * `items`: references to primitives, or to instances in a TLAS, numbered as in the decoded tree.
//! * what the processor reads to test a leaf, for every format alike: first the leaf's own memory,
//!   which is its list of references or its range, or the items themselves where they lie side by
//!   side; then, where that only names them, the records of its items (`item_memory`). Tables that
//!   only a reported hit needs, such as ids, are not read.
//!
//! Every decoded box must contain what is below it: units cull by it.

use geometry::Aabb;
use std::ops::Range;

/// An image as blocks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BlockImage {
    /// The BLASes, then the TLAS.
    pub levels: Vec<BlockLevel>,
    /// All blocks.
    pub blocks: Vec<Block>,
    /// The nodes of all blocks.
    pub nodes: Vec<BlockNode>,
    /// References of all leaves.
    pub items: Vec<u32>,
    /// Where the record of each reference's item lies, if the memory of its leaf only names it;
    /// shorter than `items` where the last of them lie in their leaves.
    pub item_memory: Vec<MemoryRange>,
    /// Rotations that frames name: rows.
    pub rotations: Vec<[[f32; 3]; 3]>,
}

impl BlockImage {
    /// Bytes that are read to test the items of a leaf: its own memory, and what that names.
    #[must_use]
    pub fn leaf_bytes(&self, first: u32, count: u32, memory: MemoryRange) -> u64 {
        let items = self.item_memory.iter().skip(first as usize).take(count as usize);
        u64::from(memory.bytes) + items.map(|item| u64::from(item.bytes)).sum::<u64>()
    }
}

/// Bytes of an image, by their address; none where `bytes` is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryRange {
    /// Where they begin.
    pub address: u64,
    /// How many.
    pub bytes: u32,
}

impl MemoryRange {
    /// The element `number` of an array at `address`.
    #[must_use]
    pub const fn element(address: u64, number: u32, bytes: u32) -> Self {
        Self { address: address + number as u64 * bytes as u64, bytes }
    }

    /// The numbers of the lines that it lies in; `line_bytes` is a power of two.
    #[must_use]
    pub fn lines(&self, line_bytes: u32) -> Range<u64> {
        let shift = line_bytes.trailing_zeros();
        let end = self.address + u64::from(self.bytes) + u64::from(line_bytes) - 1;
        let first = self.address >> shift;
        first..if self.bytes == 0 { first } else { end >> shift }
    }
}

/// One level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockLevel {
    /// The first block; `None` for a level without items.
    pub root: Option<u32>,
    /// The box around everything.
    pub bounds: Aabb,
}

/// One block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Block {
    /// Where it begins.
    pub address: u64,
    /// How many bytes must be fetched for it.
    pub bytes: u32,
    /// Its coordinates.
    pub frame: Frame,
    /// The box of its root, for the test before the children's.
    pub root: Option<CellBox>,
    /// Its first node.
    pub first_node: u32,
    /// How many nodes it has.
    pub node_count: u8,
    /// How many of them are children of the root; the others are inside, behind their parents.
    pub root_children: u8,
}

/// The coordinates of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The point at cell 0.
    pub origin: [f32; 3],
    /// Cells are `2^exponents` wide.
    pub exponents: [i16; 3],
    /// The rotation that a query goes through before anything else, by number.
    pub rotation: Option<u8>,
}

impl Frame {
    /// World coordinates, or those of the level.
    pub const GLOBAL: Self = Self { origin: [0.0; 3], exponents: [0; 3], rotation: None };
}

/// A box in cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CellBox {
    /// Lower corner.
    pub min: [f32; 3],
    /// Upper corner.
    pub max: [f32; 3],
}

/// A node of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlockNode {
    /// Its box.
    pub cells: CellBox,
    /// Seen only by queries whose mask shares a bit with this one.
    pub mask: u8,
    /// Where it leads.
    pub lead: BlockLead,
}

/// Where a node leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockLead {
    /// To nodes of the same block, counted from the block's first.
    Inside {
        /// The first of them.
        first: u8,
        /// How many.
        count: u8,
    },
    /// To another block.
    Block(u32),
    /// To items: primitives of a BLAS, instances of a TLAS.
    Items {
        /// The first reference.
        first: u32,
        /// How many.
        count: u32,
        /// The leaf's own memory: what names the items, or the items themselves.
        memory: MemoryRange,
    },
}

impl BlockLead {
    /// A leaf without items.
    pub const NOTHING: Self =
        Self::Items { first: 0, count: 0, memory: MemoryRange { address: 0, bytes: 0 } };
}

impl From<&Aabb> for CellBox {
    fn from(bounds: &Aabb) -> Self {
        Self { min: bounds.min.to_array(), max: bounds.max.to_array() }
    }
}
