//! A wide hierarchy of boxes over numbered items.
//!
//! Nodes are stored in one array. Node 0 is the root. A node is either *inner*, with one to eight
//! children that are consecutive nodes further on in the array, or a *leaf*, whose items are
//! consecutive indices:
//!
//! ```text
//! nodes    [0: inner 1..4] [1: leaf 0..2] [2: inner 4..6]
//!          [3: leaf 2..3]  [4: leaf 3..5] [5: leaf 5..6]
//! indices  [7 2] [5] [0 2] [1]        item 2 is in two leaves: a spatial split
//! ```
//!
//! [`Bvh::new`] proves that this is a tree: children lie behind their parent, every node but the
//! root has one parent, every range is in bounds. Walks over a `Bvh` therefore end and never miss
//! an index.

use geometry::Aabb;
use std::ops::Range;

/// Most children that an inner node may have.
pub const MAX_WIDTH: usize = 8;

/// Most items that a leaf may have.
pub const MAX_LEAF: usize = (1 << 24) - 1;

/// A hierarchy over the items `0..item_count`.
#[derive(Debug, Clone, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
    indices: Vec<u32>,
    item_count: usize,
}

/// A box and what is below it: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// The box around everything below.
    pub bounds: Aabb,
    /// What is below.
    pub link: NodeLink,
}

/// Where a node leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NodeLink {
    first: u32,
    /// Bit 31: leaf. Bits 0..24: count.
    packed: u32,
}

const LEAF: u32 = 1 << 31;

impl NodeLink {
    /// An inner node whose children are `count` nodes from `first` on.
    #[must_use]
    pub const fn inner(first: u32, count: usize) -> Self {
        Self { first, packed: count as u32 & !LEAF }
    }

    /// A leaf with `count` indices from `first` on.
    #[must_use]
    pub const fn leaf(first: u32, count: usize) -> Self {
        Self { first, packed: count as u32 | LEAF }
    }

    /// Whether this is a leaf.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        self.packed & LEAF != 0
    }

    /// Positions of the children (of an inner node) or of the indices (of a leaf).
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + (self.packed & !LEAF) as usize
    }

    /// How many children or indices there are.
    #[must_use]
    pub const fn count(self) -> usize {
        (self.packed & !LEAF) as usize
    }
}

/// Why an array of nodes is not a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BvhError {
    /// There is no root.
    #[error("a hierarchy needs a root node")]
    NoRoot,
    /// An inner node has no children or too many.
    #[error("node {node} has {count} children, expected 1 to {MAX_WIDTH}")]
    Width {
        /// Position of the node.
        node: usize,
        /// Its number of children.
        count: usize,
    },
    /// Children lie outside the array or not behind their parent.
    #[error("node {node} names children {children:?}, expected within {behind:?}")]
    Children {
        /// Position of the node.
        node: usize,
        /// The range that it names.
        children: Range<usize>,
        /// The range in which children may lie.
        behind: Range<usize>,
    },
    /// A node has no parent, or two.
    #[error("node {node} has {parents} parents, expected 1")]
    Parents {
        /// Position of the node.
        node: usize,
        /// How many inner nodes name it.
        parents: usize,
    },
    /// A leaf's range of indices lies outside the array.
    #[error("node {node} names indices {range:?} of {available}")]
    Indices {
        /// Position of the leaf.
        node: usize,
        /// The range that it names.
        range: Range<usize>,
        /// How many indices there are.
        available: usize,
    },
    /// An index names an item that does not exist.
    #[error("index {position} names item {item} of {items}")]
    Item {
        /// Position in the array of indices.
        position: usize,
        /// The item that it names.
        item: u32,
        /// How many items there are.
        items: usize,
    },
    /// A plane of a box is NaN.
    #[error("node {node} has a box with a NaN plane")]
    NanBox {
        /// Position of the node.
        node: usize,
    },
}

impl Bvh {
    /// Proves that the arrays form a hierarchy over the items `0..item_count`.
    ///
    /// # Errors
    /// The first violation, in the order of the nodes.
    pub fn new(nodes: Vec<Node>, indices: Vec<u32>, item_count: usize) -> Result<Self, BvhError> {
        if nodes.is_empty() {
            return Err(BvhError::NoRoot);
        }
        let mut has_parent = vec![false; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            if node.bounds.min.is_nan() || node.bounds.max.is_nan() {
                return Err(BvhError::NanBox { node: index });
            }
            let range = node.link.range();
            if node.link.is_leaf() {
                if range.end > indices.len() {
                    let available = indices.len();
                    return Err(BvhError::Indices { node: index, range, available });
                }
            } else {
                check_children(index, range, &mut has_parent)?;
            }
        }
        if let Some(orphan) = (1..nodes.len()).find(|&node| !has_parent[node]) {
            return Err(BvhError::Parents { node: orphan, parents: 0 });
        }
        if let Some(position) = indices.iter().position(|&item| item as usize >= item_count) {
            let item = indices[position];
            return Err(BvhError::Item { position, item, items: item_count });
        }
        Ok(Self { nodes, indices, item_count })
    }

    /// The hierarchy over nothing: one leaf without items.
    #[must_use]
    pub fn empty() -> Self {
        let root = Node { bounds: Aabb::EMPTY, link: NodeLink::leaf(0, 0) };
        Self { nodes: vec![root], indices: Vec::new(), item_count: 0 }
    }

    /// All nodes; the root is node 0.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Which items the leaves hold: indices into whatever the hierarchy is over, the primitives of
    /// a BLAS or the instances of a TLAS. A leaf's [`NodeLink::range`] counts in this array.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// How many items there are; every index is below it.
    #[must_use]
    pub fn item_count(&self) -> usize {
        self.item_count
    }

    /// The root node.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.nodes[0]
    }

    /// The children of an inner node; none for a leaf.
    #[must_use]
    pub fn children(&self, node: &Node) -> &[Node] {
        if node.link.is_leaf() { &[] } else { &self.nodes[node.link.range()] }
    }

    /// The items of a leaf; none for an inner node.
    #[must_use]
    pub fn items(&self, node: &Node) -> &[u32] {
        if node.link.is_leaf() { &self.indices[node.link.range()] } else { &[] }
    }
}

impl Bvh {
    /// The same hierarchy with the smallest boxes that contain everything below them.
    #[must_use]
    pub fn refitted(&self, item_bounds: impl Fn(u32) -> Aabb) -> Self {
        let mut nodes = self.nodes.clone();
        // Children lie behind their parents.
        for index in (0..nodes.len()).rev() {
            let link = nodes[index].link;
            nodes[index].bounds = if link.is_leaf() {
                let items = self.indices[link.range()].iter().map(|&item| item_bounds(item));
                items.filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union)
            } else {
                let children = nodes[link.range()].iter().map(|child| child.bounds);
                children.filter(|bounds| !bounds.is_empty()).fold(Aabb::EMPTY, Aabb::union)
            };
        }
        Self { nodes, indices: self.indices.clone(), item_count: self.item_count }
    }
}

fn check_children(
    parent: usize,
    children: Range<usize>,
    has_parent: &mut [bool],
) -> Result<(), BvhError> {
    let count = children.len();
    if count == 0 || count > MAX_WIDTH {
        return Err(BvhError::Width { node: parent, count });
    }
    let behind = parent + 1..has_parent.len();
    if children.start < behind.start || children.end > behind.end {
        return Err(BvhError::Children { node: parent, children, behind });
    }
    for child in children {
        if std::mem::replace(&mut has_parent[child], true) {
            return Err(BvhError::Parents { node: child, parents: 2 });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    fn node(link: NodeLink) -> Node {
        Node { bounds: Aabb::new(Vec3::new(-1.0, 0.0, 2.0), Vec3::new(3.0, 4.0, 9.0)), link }
    }

    fn example() -> (Vec<Node>, Vec<u32>) {
        let links = [
            NodeLink::inner(1, 3),
            NodeLink::leaf(0, 2),
            NodeLink::inner(4, 2),
            NodeLink::leaf(2, 1),
            NodeLink::leaf(3, 2),
            NodeLink::leaf(5, 1),
        ];
        (links.map(node).to_vec(), vec![7, 2, 5, 0, 2, 1])
    }

    #[test]
    fn a_node_is_32_bytes() {
        assert_eq!(size_of::<Node>(), 32);
    }

    #[test]
    fn the_example_is_a_tree() {
        let (nodes, indices) = example();
        let bvh = Bvh::new(nodes, indices, 8).unwrap();
        let node = &bvh.children(bvh.root())[1];
        assert_eq!(bvh.children(node).len(), 2);
        assert_eq!(bvh.items(&bvh.children(node)[0]), &[0, 2]);
    }

    /// What one change to the example's links must be answered with.
    #[test]
    fn every_rule_is_enforced() {
        let cases: [(usize, NodeLink, BvhError); 5] = [
            (0, NodeLink::inner(1, 0), BvhError::Width { node: 0, count: 0 }),
            (0, NodeLink::inner(1, 9), BvhError::Width { node: 0, count: 9 }),
            (
                2,
                NodeLink::inner(2, 2),
                BvhError::Children { node: 2, children: 2..4, behind: 3..6 },
            ),
            (2, NodeLink::inner(3, 2), BvhError::Parents { node: 3, parents: 2 }),
            (5, NodeLink::leaf(5, 2), BvhError::Indices { node: 5, range: 5..7, available: 6 }),
        ];
        for (position, link, expected) in cases {
            let (mut nodes, indices) = example();
            nodes[position].link = link;
            assert_eq!(Bvh::new(nodes, indices, 8), Err(expected));
        }
        let (mut nodes, indices) = example();
        nodes[2].link = NodeLink::inner(5, 1);
        let orphan = Bvh::new(nodes, indices, 8);
        assert_eq!(orphan, Err(BvhError::Parents { node: 4, parents: 0 }));
        let (nodes, indices) = example();
        let item = Bvh::new(nodes.clone(), indices.clone(), 7);
        assert_eq!(item, Err(BvhError::Item { position: 0, item: 7, items: 7 }));
        assert_eq!(Bvh::new(Vec::new(), indices.clone(), 8), Err(BvhError::NoRoot));
        let mut nan = nodes;
        nan[3].bounds.max.y = f32::NAN;
        assert_eq!(Bvh::new(nan, indices, 8), Err(BvhError::NanBox { node: 3 }));
    }
}
