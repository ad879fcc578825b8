//! The binary tree that every preset makes before it is collapsed.
//!
//! Node 0 is the root. Every leaf holds one reference; leaf sizes are chosen later, by
//! [`crate::collapse`]. The two children of a node are neighbours, then come all descendants of the
//! left child, then all of the right one:
//!
//! ```text
//! [root] [left right] [below left ...] [below right ...]
//! ```
//!
//! so that a subtree's descendants are one range, parents come before children, and the references
//! below a node are one range too. A tree over `n` references has `2n - 1` nodes.

use crate::tagged_box::{Bounds, TaggedBox};

/// A binary tree over references.
pub(crate) struct BinaryTree {
    /// The nodes; see [`Node`] for what the tags mean.
    pub(crate) nodes: Vec<TaggedBox>,
    /// The item of each reference, in the order of the leaves.
    pub(crate) items: Vec<u32>,
}

/// What the tags of a tagged box mean in a tree: the first child or the position of the only
/// reference, and whether it is a leaf.
pub(crate) trait Node {
    /// An inner node whose children are `first_child` and the next one.
    fn inner(bounds: Bounds, first_child: usize) -> Self;
    /// A leaf with the reference at `position`.
    fn leaf(bounds: Bounds, position: usize) -> Self;
    /// The first child, unless this is a leaf.
    fn first_child(&self) -> Option<usize>;
    /// The position of a leaf's reference.
    fn position(&self) -> usize;
}

impl Node for TaggedBox {
    #[inline(always)]
    fn inner(bounds: Bounds, first_child: usize) -> Self {
        Self::new(bounds, first_child as u32, 0)
    }

    #[inline(always)]
    fn leaf(bounds: Bounds, position: usize) -> Self {
        Self::new(bounds, position as u32, 1)
    }

    #[inline(always)]
    fn first_child(&self) -> Option<usize> {
        (self.second() == 0).then_some(self.first() as usize)
    }

    #[inline(always)]
    fn position(&self) -> usize {
        self.first() as usize
    }
}
