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
//!   A format whose leaves are memory that the processor must fetch says how many bytes that is.
//!
//! Every decoded box must contain what is below it: units cull by it.

use geometry::Aabb;

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
    /// Rotations that frames name: rows.
    pub rotations: Vec<[[f32; 3]; 3]>,
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
        /// Bytes of memory that must be fetched before they can be tested; 0 if nothing is fetched.
        bytes: u32,
        /// Where that memory begins.
        address: u64,
    },
}

impl From<&Aabb> for CellBox {
    fn from(bounds: &Aabb) -> Self {
        Self { min: bounds.min.to_array(), max: bounds.max.to_array() }
    }
}
