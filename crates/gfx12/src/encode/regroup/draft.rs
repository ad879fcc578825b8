//! A binary tree over parts while it is made and improved.

use super::half_area;
use geometry::Aabb;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// A binary tree. Node 0 is the root; the others lie in no order.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) nodes: Vec<DraftNode>,
}

/// A node of a draft.
#[derive(Debug, Clone, Copy)]
pub(super) struct DraftNode {
    pub(super) bounds: Aabb,
    /// Both children; of a leaf, [`NONE`] and the part.
    pub(super) children: [u32; 2],
    /// [`NONE`] for the root.
    pub(super) parent: u32,
}

impl DraftNode {
    /// A node that is still to be filled in.
    pub(super) fn unlinked() -> Self {
        Self { bounds: Aabb::EMPTY, children: [NONE; 2], parent: NONE }
    }

    pub(super) fn make_leaf(&mut self, part: u32) {
        self.children = [NONE, part];
    }

    pub(super) fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

impl Draft {
    /// Gives a node two new children; returns the first, the other is the next.
    pub(super) fn adopt(&mut self, parent: usize) -> usize {
        let first = self.nodes.len();
        self.nodes[parent].children = [first as u32, first as u32 + 1];
        let child = DraftNode { parent: parent as u32, ..DraftNode::unlinked() };
        self.nodes.extend([child; 2]);
        first
    }

    /// The other child of a node's parent.
    pub(super) fn sibling(&self, node: usize) -> usize {
        let [left, right] = self.nodes[self.nodes[node].parent as usize].children;
        (if left as usize == node { right } else { left }) as usize
    }

    /// What all inner boxes come to, in half areas.
    pub(super) fn inner_area(&self) -> f64 {
        let inner = self.nodes.iter().filter(|node| !node.is_leaf());
        inner.map(|node| half_area(&node.bounds)).sum()
    }

    /// All nodes, children before their parents.
    pub(super) fn bottom_up(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut open = vec![0u32];
        while let Some(node) = open.pop() {
            order.push(node);
            let node = &self.nodes[node as usize];
            if !node.is_leaf() {
                open.extend(node.children);
            }
        }
        order.reverse();
        order
    }
}
