//! The trait of formats that a block-based traversal unit can run.
//!
//! Such a unit fetches one block at a time, tests the children that it holds and follows them: to
//! another block, to primitives, or to an instance. It needs no more of a format than this.

use crate::CheckedImage;
use geometry::Aabb;

/// A format whose nodes come in blocks.
pub trait BlockFormat: crate::Format {
    /// Bytes that one fetch brings.
    fn line_bytes(&self) -> usize;

    /// Most children that a block can have.
    fn max_children(&self) -> usize;

    /// The block at `address`, or `None` if no block is there.
    fn block(&self, image: &CheckedImage, address: u64) -> Option<Block>;
}

/// One block, decoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// Lines that must be fetched for it.
    pub lines: usize,
    /// The children, in slot order.
    pub children: Vec<(Aabb, BlockChild)>,
}

/// Where a child of a block leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockChild {
    /// Another block, at this address.
    Block(u64),
    /// Primitives: the first, and how many.
    Primitives {
        /// Number of the first reference.
        first: u32,
        /// How many references.
        count: u32,
    },
    /// A placement, by number.
    Instance(u32),
}
