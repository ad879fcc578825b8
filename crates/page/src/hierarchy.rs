//! How the structures of an outline lie above and below each other.

use crate::entries::Entries;

/// The parent of a root.
pub(crate) const NONE: u32 = u32::MAX;

/// Parents and subtrees, by entry.
pub(crate) struct Hierarchy {
    /// The parent of each entry; [`NONE`] for a root.
    pub(crate) parents: Vec<u32>,
    /// How many entries the subtree of each has, itself included.
    pub(crate) sizes: Vec<u32>,
}

impl Hierarchy {
    pub(crate) fn new(entries: &Entries) -> Self {
        let count = entries.len();
        let (mut parents, mut sizes) = (vec![NONE; count], vec![1; count]);
        let mut above: Vec<usize> = Vec::new();
        for (number, depth) in entries.depths.iter().enumerate() {
            above.truncate(*depth as usize);
            parents[number] = above.last().map_or(NONE, |&parent| parent as u32);
            above.push(number);
        }
        for number in (1..count).rev() {
            if let Some(parent) = index(parents[number]) {
                sizes[parent] += sizes[number];
            }
        }
        Self { parents, sizes }
    }

    /// The children of an entry.
    pub(crate) fn children(&self, entry: usize) -> impl Iterator<Item = usize> {
        let end = entry + self.sizes.get(entry).map_or(0, |size| *size as usize);
        self.side_by_side(entry + 1, end)
    }

    /// The entries without a parent.
    pub(crate) fn roots(&self) -> impl Iterator<Item = usize> {
        self.side_by_side(0, self.sizes.len())
    }

    fn side_by_side(&self, first: usize, end: usize) -> impl Iterator<Item = usize> {
        let next = |entry: &usize| Some(entry + self.sizes[*entry] as usize);
        let first = (first < end).then_some(first);
        std::iter::successors(first, move |entry| next(entry).filter(|next| *next < end))
    }
}

fn index(parent: u32) -> Option<usize> {
    (parent != NONE).then_some(parent as usize)
}
