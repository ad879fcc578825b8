//! A wide hierarchy of boxes over numbered items.
//!
//! Entries are stored in one array. Entry 0 is the root. An entry is either a *node*, whose one to
//! eight children are consecutive entries further on in the array, or a *leaf*, whose items are
//! consecutive references:
//!
//! ```text
//! entries     [0: node 1..4] [1: leaf 0..2] [2: node 4..6] [3: leaf 2..3] [4: leaf 3..5] [5: leaf 5..6]
//! references  [7 2] [5] [0 2] [1]                           item 2 is referred to twice: a spatial split
//! ```
//!
//! [`Bvh::new`] proves that this is a tree: children lie behind their parent, every entry but the root
//! has one parent, every range is in bounds. Walks over a `Bvh` therefore end and never miss an index.

use geometry::Aabb;
use std::ops::Range;

/// Most children that a node may have.
pub const MAX_WIDTH: usize = 8;

/// Most references that a leaf may have.
pub const MAX_LEAF: usize = (1 << 24) - 1;

/// A hierarchy over the items `0..item_count`.
#[derive(Debug, Clone, PartialEq)]
pub struct Bvh {
    entries: Vec<Entry>,
    references: Vec<u32>,
    item_count: usize,
}

/// A box and what is below it: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The box around everything below.
    pub bounds: Aabb,
    /// What is below.
    pub link: Link,
}

/// Where an entry leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    first: u32,
    /// Bit 31: leaf. Bits 0..24: count.
    packed: u32,
}

const LEAF: u32 = 1 << 31;

impl Link {
    /// A node whose children are `count` entries from `first` on.
    #[must_use]
    pub const fn node(first: u32, count: usize) -> Self {
        Self { first, packed: count as u32 & !LEAF }
    }

    /// A leaf with `count` references from `first` on.
    #[must_use]
    pub const fn leaf(first: u32, count: usize) -> Self {
        Self { first, packed: count as u32 | LEAF }
    }

    /// Whether this is a leaf.
    #[must_use]
    pub const fn is_leaf(self) -> bool {
        self.packed & LEAF != 0
    }

    /// Positions of the children (of a node) or of the references (of a leaf).
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        let first = self.first as usize;
        first..first + (self.packed & !LEAF) as usize
    }

    /// How many children or references there are.
    #[must_use]
    pub const fn count(self) -> usize {
        (self.packed & !LEAF) as usize
    }
}

/// Why an array of entries is not a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BvhError {
    /// There is no root.
    #[error("a hierarchy needs a root entry")]
    NoRoot,
    /// A node has no children or too many.
    #[error("entry {entry} has {count} children, expected 1 to {MAX_WIDTH}")]
    Width {
        /// Position of the node.
        entry: usize,
        /// Its number of children.
        count: usize,
    },
    /// Children lie outside the array or not behind their parent.
    #[error("entry {entry} names children {children:?}, expected within {behind:?}")]
    Children {
        /// Position of the node.
        entry: usize,
        /// The range that it names.
        children: Range<usize>,
        /// The range in which children may lie.
        behind: Range<usize>,
    },
    /// An entry has no parent, or two.
    #[error("entry {entry} has {parents} parents, expected 1")]
    Parents {
        /// Position of the entry.
        entry: usize,
        /// How many nodes name it.
        parents: usize,
    },
    /// A leaf's references lie outside the array.
    #[error("entry {entry} names references {range:?} of {available}")]
    References {
        /// Position of the leaf.
        entry: usize,
        /// The range that it names.
        range: Range<usize>,
        /// How many references there are.
        available: usize,
    },
    /// A reference names an item that does not exist.
    #[error("reference {reference} names item {item} of {items}")]
    Item {
        /// Position of the reference.
        reference: usize,
        /// The item that it names.
        item: u32,
        /// How many items there are.
        items: usize,
    },
    /// A plane of a box is NaN.
    #[error("entry {entry} has a box with a NaN plane")]
    NanBox {
        /// Position of the entry.
        entry: usize,
    },
}

impl Bvh {
    /// Proves that the arrays form a hierarchy over the items `0..item_count`.
    ///
    /// # Errors
    /// The first violation, in the order of the entries.
    pub fn new(
        entries: Vec<Entry>,
        references: Vec<u32>,
        item_count: usize,
    ) -> Result<Self, BvhError> {
        if entries.is_empty() {
            return Err(BvhError::NoRoot);
        }
        let mut has_parent = vec![false; entries.len()];
        for (index, entry) in entries.iter().enumerate() {
            if entry.bounds.min.is_nan() || entry.bounds.max.is_nan() {
                return Err(BvhError::NanBox { entry: index });
            }
            let range = entry.link.range();
            if entry.link.is_leaf() {
                if range.end > references.len() {
                    let available = references.len();
                    return Err(BvhError::References { entry: index, range, available });
                }
            } else {
                check_children(index, range, &mut has_parent)?;
            }
        }
        if let Some(orphan) = (1..entries.len()).find(|&entry| !has_parent[entry]) {
            return Err(BvhError::Parents { entry: orphan, parents: 0 });
        }
        if let Some(reference) = references.iter().position(|&item| item as usize >= item_count) {
            let item = references[reference];
            return Err(BvhError::Item { reference, item, items: item_count });
        }
        Ok(Self { entries, references, item_count })
    }

    /// The hierarchy over nothing: one leaf without references.
    #[must_use]
    pub fn empty() -> Self {
        let root = Entry { bounds: Aabb::EMPTY, link: Link::leaf(0, 0) };
        Self { entries: vec![root], references: Vec::new(), item_count: 0 }
    }

    /// All entries; the root is entry 0.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// All references, in the order of the leaves.
    #[must_use]
    pub fn references(&self) -> &[u32] {
        &self.references
    }

    /// How many items the references choose from.
    #[must_use]
    pub fn item_count(&self) -> usize {
        self.item_count
    }

    /// The root entry.
    #[must_use]
    pub fn root(&self) -> &Entry {
        &self.entries[0]
    }

    /// The children of a node; none for a leaf.
    #[must_use]
    pub fn children(&self, entry: &Entry) -> &[Entry] {
        if entry.link.is_leaf() { &[] } else { &self.entries[entry.link.range()] }
    }

    /// The items of a leaf; none for a node.
    #[must_use]
    pub fn items(&self, entry: &Entry) -> &[u32] {
        if entry.link.is_leaf() { &self.references[entry.link.range()] } else { &[] }
    }
}

fn check_children(
    parent: usize,
    children: Range<usize>,
    has_parent: &mut [bool],
) -> Result<(), BvhError> {
    let count = children.len();
    if count == 0 || count > MAX_WIDTH {
        return Err(BvhError::Width { entry: parent, count });
    }
    let behind = parent + 1..has_parent.len();
    if children.start < behind.start || children.end > behind.end {
        return Err(BvhError::Children { entry: parent, children, behind });
    }
    for child in children {
        if std::mem::replace(&mut has_parent[child], true) {
            return Err(BvhError::Parents { entry: child, parents: 2 });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    fn entry(link: Link) -> Entry {
        Entry { bounds: Aabb::new(Vec3::new(-1.0, 0.0, 2.0), Vec3::new(3.0, 4.0, 9.0)), link }
    }

    fn example() -> (Vec<Entry>, Vec<u32>) {
        let links = [
            Link::node(1, 3),
            Link::leaf(0, 2),
            Link::node(4, 2),
            Link::leaf(2, 1),
            Link::leaf(3, 2),
            Link::leaf(5, 1),
        ];
        (links.map(entry).to_vec(), vec![7, 2, 5, 0, 2, 1])
    }

    #[test]
    fn an_entry_is_32_bytes() {
        assert_eq!(size_of::<Entry>(), 32);
    }

    #[test]
    fn the_example_is_a_tree() {
        let (entries, references) = example();
        let bvh = Bvh::new(entries, references, 8).unwrap();
        let node = &bvh.children(bvh.root())[1];
        assert_eq!(bvh.children(node).len(), 2);
        assert_eq!(bvh.items(&bvh.children(node)[0]), &[0, 2]);
    }

    /// What one change to the example's links must be answered with.
    #[test]
    fn every_rule_is_enforced() {
        let cases: [(usize, Link, BvhError); 5] = [
            (0, Link::node(1, 0), BvhError::Width { entry: 0, count: 0 }),
            (0, Link::node(1, 9), BvhError::Width { entry: 0, count: 9 }),
            (2, Link::node(2, 2), BvhError::Children { entry: 2, children: 2..4, behind: 3..6 }),
            (2, Link::node(3, 2), BvhError::Parents { entry: 3, parents: 2 }),
            (5, Link::leaf(5, 2), BvhError::References { entry: 5, range: 5..7, available: 6 }),
        ];
        for (position, link, expected) in cases {
            let (mut entries, references) = example();
            entries[position].link = link;
            assert_eq!(Bvh::new(entries, references, 8), Err(expected));
        }
        let (mut entries, references) = example();
        entries[2].link = Link::node(5, 1);
        let orphan = Bvh::new(entries, references, 8);
        assert_eq!(orphan, Err(BvhError::Parents { entry: 4, parents: 0 }));
        let (entries, references) = example();
        let item = Bvh::new(entries.clone(), references.clone(), 7);
        assert_eq!(item, Err(BvhError::Item { reference: 0, item: 7, items: 7 }));
        assert_eq!(Bvh::new(Vec::new(), references.clone(), 8), Err(BvhError::NoRoot));
        let mut nan = entries;
        nan[3].bounds.max.y = f32::NAN;
        assert_eq!(Bvh::new(nan, references, 8), Err(BvhError::NanBox { entry: 3 }));
    }
}
