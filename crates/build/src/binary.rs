//! The binary tree that every preset makes before it is collapsed.
//!
//! Node 0 is the root, and the two children of a node are neighbours. Every leaf holds one
//! reference; leaf sizes are chosen later, by [`crate::plan`]. Node 1 is unused: pairs of children
//! then start at even numbers, where 64 bytes hold a pair and are one line of a cache. A tree over
//! `n` references thus has `2n` nodes.

use crate::tagged_box::{Bounds, TaggedBox};

/// The number of the first node that is a child.
pub(crate) const FIRST_CHILD: usize = 2;

/// What the tags of a tagged box mean in a tree: the first child of an inner node or the item of a
/// leaf; and the number of references below, which is 1 for a leaf and for nothing else.
pub(crate) trait Node {
    /// An inner node over `count` references whose children are `first_child` and the next one.
    fn inner(bounds: Bounds, first_child: usize, count: usize) -> Self;
    /// A leaf that refers to `item`.
    fn leaf(bounds: Bounds, item: u32) -> Self;
    /// The first child, unless this is a leaf.
    fn first_child(&self) -> Option<usize>;
    /// The item of a leaf.
    fn item(&self) -> u32;
    /// The number of references below.
    fn count(&self) -> usize;
}

impl Node for TaggedBox {
    #[inline(always)]
    fn inner(bounds: Bounds, first_child: usize, count: usize) -> Self {
        Self::new(bounds, first_child as u32, count as u32)
    }

    #[inline(always)]
    fn leaf(bounds: Bounds, item: u32) -> Self {
        Self::new(bounds, item, 1)
    }

    #[inline(always)]
    fn first_child(&self) -> Option<usize> {
        (self.tag_b() != 1).then_some(self.tag_a() as usize)
    }

    #[inline(always)]
    fn item(&self) -> u32 {
        self.tag_a()
    }

    #[inline(always)]
    fn count(&self) -> usize {
        self.tag_b() as usize
    }
}
