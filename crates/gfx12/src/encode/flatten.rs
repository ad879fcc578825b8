//! The order in which nodes lie in memory.
//!
//! Depth first, families together: when a box node is visited, its box children get the next free
//! places side by side, and its leaves join the end of the list of leaves; then its first child is
//! visited with everything below it. The order depends on the shape of the tree alone, so a tree
//! that was decoded is laid out as it was. Entries that hold nothing get no place.
//!
//! The list of leaves is cut into *runs*: primitive nodes are shared within a run and never between
//! two, so that runs can be packed in parallel. Runs consist of *pools*: within one, leaves may be
//! reordered. A run or pool is a maximal subtree with at most [`RUN_REFERENCES`] or
//! [`POOL_REFERENCES`] references, or the leaves directly below one larger node.

use std::ops::Range;
use tree::{Bvh, Node};

/// Most references of a run that has more than one box above its leaves.
const RUN_REFERENCES: u32 = 16384;

/// The same of a pool: few enough that leaves of a box mostly lie within the 15 nodes that a range
/// length reaches, however they are reordered.
const POOL_REFERENCES: u32 = 1400;

/// A tree, flattened.
#[derive(Debug)]
pub(crate) struct Flat {
    /// Box nodes in the order of memory; the root is the first.
    pub(crate) boxes: Vec<FlatBox>,
    /// Leaf entries in the order of memory.
    pub(crate) leaves: Vec<u32>,
    /// For each leaf, the place of the box above it.
    pub(crate) leaf_parents: Vec<u32>,
    /// The runs, in order.
    pub(crate) runs: Vec<Range<usize>>,
    /// The pools, in order; each lies within a run.
    pub(crate) pools: Vec<Range<usize>>,
    /// For each entry its place among `boxes` or `leaves`; [`NO_PLACE`] for one that holds nothing.
    pub(crate) places: Vec<u32>,
}

/// A box node to be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlatBox {
    /// The entry it stands for.
    pub(crate) entry: u32,
    /// Place of its parent among the boxes; [`NO_PLACE`] for the root.
    pub(crate) parent: u32,
    /// Its slot in the parent.
    pub(crate) slot: u8,
}

/// No place at all.
pub(crate) const NO_PLACE: u32 = u32::MAX;

/// Which entries hold something: a leaf with references and a box, or a node above one.
pub(crate) fn references_below(bvh: &Bvh) -> Vec<u32> {
    let entries = bvh.nodes();
    let mut below = vec![0u32; entries.len()];
    for (index, entry) in entries.iter().enumerate().rev() {
        below[index] = if !entry.link.is_leaf() {
            entry.link.range().map(|child| below[child]).fold(0, u32::saturating_add)
        } else if entry.bounds.is_empty() {
            0
        } else {
            entry.link.count() as u32
        };
    }
    below
}

impl Flat {
    /// Flattens a tree.
    pub(crate) fn new(bvh: &Bvh) -> Self {
        let below = references_below(bvh);
        let mut flat = Self {
            boxes: vec![FlatBox { entry: 0, parent: NO_PLACE, slot: 0 }],
            leaves: Vec::new(),
            leaf_parents: Vec::new(),
            runs: Vec::new(),
            pools: Vec::new(),
            places: vec![NO_PLACE; bvh.nodes().len()],
        };
        let [mut run_cuts, mut pool_cuts] = [vec![0], vec![0]];
        let mut open = vec![0u32];
        while let Some(place) = open.pop() {
            let FlatBox { entry, parent, .. } = flat.boxes[place as usize];
            let above = if parent == NO_PLACE { entry } else { flat.boxes[parent as usize].entry };
            let size = below[entry as usize].max(below[above as usize]);
            if size > RUN_REFERENCES {
                run_cuts.push(flat.leaves.len());
            }
            if size > POOL_REFERENCES {
                pool_cuts.push(flat.leaves.len());
            }
            flat.visit(bvh, &below, place, &mut open);
        }
        let ranges = |mut cuts: Vec<usize>| -> Vec<Range<usize>> {
            cuts.push(flat.leaves.len());
            cuts.dedup();
            cuts.windows(2).map(|cut| cut[0]..cut[1]).collect()
        };
        (flat.runs, flat.pools) = (ranges(run_cuts), ranges(pool_cuts));
        flat.merge_pools(bvh);
        flat
    }

    /// Joins pools that follow each other in a run while they are small enough together.
    fn merge_pools(&mut self, bvh: &Bvh) {
        let size = |pool: &Range<usize>| {
            let leaves = &self.leaves[pool.clone()];
            leaves.iter().map(|&leaf| bvh.nodes()[leaf as usize].link.count()).sum::<usize>()
        };
        let mut run_starts = self.runs.iter().map(|run| run.start).peekable();
        let mut merged: Vec<(Range<usize>, usize)> = Vec::new();
        for pool in &self.pools {
            let starts_run = run_starts.next_if_eq(&pool.start).is_some();
            let own = size(pool);
            match merged.last_mut() {
                Some((last, total)) if !starts_run && *total + own <= POOL_REFERENCES as usize => {
                    last.end = pool.end;
                    *total += own;
                }
                _ => merged.push((pool.clone(), own)),
            }
        }
        self.pools = merged.into_iter().map(|(pool, _)| pool).collect();
    }

    /// Gives places to the children of a box.
    fn visit(&mut self, bvh: &Bvh, below: &[u32], place: u32, open: &mut Vec<u32>) {
        let first = self.boxes.len() as u32;
        let mut slot = 0;
        for child in children(bvh, self.boxes[place as usize].entry) {
            if below[child as usize] == 0 {
                continue;
            }
            if bvh.nodes()[child as usize].link.is_leaf() {
                self.places[child as usize] = self.leaves.len() as u32;
                self.leaves.push(child);
                self.leaf_parents.push(place);
            } else {
                self.places[child as usize] = self.boxes.len() as u32;
                self.boxes.push(FlatBox { entry: child, parent: place, slot });
                slot += 1;
            }
        }
        open.extend((first..self.boxes.len() as u32).rev());
    }

    /// Gives the leaves another order.
    pub(crate) fn reorder(&mut self, leaves: Vec<u32>) {
        let parents: Vec<u32> = leaves
            .iter()
            .map(|&leaf| self.leaf_parents[self.places[leaf as usize] as usize])
            .collect();
        for (place, &leaf) in leaves.iter().enumerate() {
            self.places[leaf as usize] = place as u32;
        }
        (self.leaves, self.leaf_parents) = (leaves, parents);
    }

    /// The children of a box that hold something, as entries: boxes first, then leaves, each in the
    /// order of memory; `as_given`, in the order of the hierarchy.
    pub(crate) fn slots(&self, bvh: &Bvh, place: usize, as_given: bool) -> Vec<u32> {
        let held = |child: &u32| self.places[*child as usize] != NO_PLACE;
        let mut slots: Vec<u32> = children(bvh, self.boxes[place].entry).filter(held).collect();
        if !as_given {
            let is_leaf = |child: u32| bvh.nodes()[child as usize].link.is_leaf();
            let order = |&child: &u32| (is_leaf(child), self.places[child as usize]);
            slots.sort_by_key(order);
        }
        slots
    }
}

/// The children of an entry. A root that is a leaf stands below itself, because the root of a
/// structure is always a box.
fn children(bvh: &Bvh, entry: u32) -> Range<u32> {
    let Node { link, .. } = bvh.nodes()[entry as usize];
    if link.is_leaf() {
        return entry..entry + 1;
    }
    let range = link.range();
    range.start as u32..range.end as u32
}
