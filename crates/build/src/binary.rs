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

impl BinaryTree {
    /// Brings nodes that lie in any order, the root first and children in pairs, into the order of
    /// this module; `items` are the items by the positions that the leaves name.
    pub(crate) fn laid_out(nodes: &[TaggedBox], items: &[u32]) -> Self {
        let mut placed = vec![nodes[0]; nodes.len()];
        let mut placed_items = Vec::with_capacity(items.len());
        let mut free = 1;
        let mut open = vec![(0, 0)];
        while let Some((from, to)) = open.pop() {
            let node = nodes[from];
            placed[to] = match node.first_child() {
                None => {
                    placed_items.push(items[node.position()]);
                    TaggedBox::leaf(node.bounds(), placed_items.len() - 1)
                }
                Some(child) => {
                    // The left child is taken next: all below it comes before all below the right.
                    open.push((child + 1, free + 1));
                    open.push((child, free));
                    free += 2;
                    TaggedBox::inner(node.bounds(), free - 2)
                }
            };
        }
        Self { nodes: placed, items: placed_items }
    }
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
