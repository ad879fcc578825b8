//! Triangles that several ranges lead to, and which of the ranges are there for them.
//!
//! Where two boxes would each end in a node with a single triangle, RADV stores both in one pair,
//! and either box leads to it although it contains only one of them. Nothing is lost as long as
//! each triangle has one range that *keeps* it: every box above that range contains it. Whoever
//! comes by another range meets it by chance. RADV's exporter copies such a pair for each box; then
//! it is enough that one copy is kept.

use super::contents::{Contents, for_each_stored, hull};
use super::ids::{Bits, bits, id_of};
use super::oriented::is_inside;
use crate::decode::{Pairs, Stored};
use crate::layout::BoxNode;
use crate::obb;
use crate::survey::{LeafRecord, Memory, NO_BOX, Surveyed};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

/// Levels of boxes above a range that are compared; a range below more of them keeps nothing.
const MOST_LEVELS: usize = 64;

/// Which triangles of shared pairs have a range that keeps them.
pub(super) struct Shared<'a> {
    memory: &'a Memory<'a>,
    surveyed: &'a Surveyed,
    pairs: &'a Pairs,
    /// Two for each pair of a structure; `None` if no pair is shared.
    kept: Option<Vec<AtomicBool>>,
    /// Primitives that have several copies, one of which is kept.
    kept_copies: HashSet<(u64, Bits)>,
}

impl<'a> Shared<'a> {
    /// Looks every shared triangle up in every range that leads to it.
    pub(super) fn new(memory: &'a Memory<'a>, surveyed: &'a Surveyed, pairs: &'a Pairs) -> Self {
        let mut shared = Self { memory, surveyed, pairs, kept: None, kept_copies: HashSet::new() };
        if surveyed.structure.is_radv() && surveyed.structure.gpurt().is_some() {
            shared.kept_copies = shared.find_copies();
        }
        // How many ranges begin at a pair, less how many have ended before it.
        let mut change = vec![0i64; pairs.keys().len() + 1];
        for leaf in &surveyed.leaves {
            let range = pairs.of_leaf(leaf);
            change[range.start] += 1;
            change[range.end] -= 1;
        }
        let mut depth = 0;
        let is_shared: Vec<bool> = change
            .iter()
            .map(|change| {
                depth += change;
                depth > 1
            })
            .collect();
        if !is_shared.contains(&true) {
            return shared;
        }
        let kept: Vec<AtomicBool> =
            (0..2 * pairs.keys().len()).map(|_| AtomicBool::new(false)).collect();
        surveyed.leaves.par_iter().with_min_len(1 << 8).for_each(|leaf| {
            for_each_stored(memory, surveyed, pairs, leaf, |place, stored| {
                if is_shared[place / 2] && shared.keeps(leaf, stored) {
                    kept[place].store(true, Ordering::Relaxed);
                }
            });
        });
        shared.kept = Some(kept);
        shared
    }

    /// Whether a range need not care for a primitive: another one keeps it. `place` is twice the
    /// position of its pair, plus its number there.
    pub(super) fn is_kept_elsewhere(
        &self,
        leaf: &LeafRecord,
        place: usize,
        stored: &Stored,
    ) -> bool {
        let is_kept = self.kept.as_ref().is_some_and(|kept| kept[place].load(Ordering::Relaxed));
        let is_copied = || {
            !self.kept_copies.is_empty()
                && self.kept_copies.contains(&(id_of(stored), bits(stored)))
        };
        (is_kept || is_copied()) && !self.keeps(leaf, stored)
    }

    /// The primitives that have several copies, one of which is kept.
    fn find_copies(&self) -> HashSet<(u64, Bits)> {
        let mut counts: HashMap<u64, u32> = HashMap::new();
        let each = |visit: &mut dyn FnMut(&LeafRecord, &Stored)| {
            for leaf in &self.surveyed.leaves {
                for_each_stored(self.memory, self.surveyed, self.pairs, leaf, |_, stored| {
                    visit(leaf, stored);
                });
            }
        };
        each(&mut |_, stored| *counts.entry(id_of(stored)).or_default() += 1);
        let mut kept = HashSet::new();
        each(&mut |leaf, stored| {
            if counts[&id_of(stored)] > 1 && self.keeps(leaf, stored) {
                kept.insert((id_of(stored), bits(stored)));
            }
        });
        kept
    }

    /// What every range is there for; `None` if that is all that it leads to.
    pub(super) fn needed(&self) -> Option<Vec<Contents>> {
        if self.kept.is_none() && self.kept_copies.is_empty() {
            return None;
        }
        let leaves = self.surveyed.leaves.par_iter().with_min_len(1 << 8).map(|leaf| {
            let mut all = Contents::NOTHING;
            for_each_stored(self.memory, self.surveyed, self.pairs, leaf, |place, stored| {
                if !self.is_kept_elsewhere(leaf, place, stored) {
                    all = all.and(Contents::of(stored));
                }
            });
            all
        });
        Some(leaves.collect())
    }

    /// Whether all boxes above a range contain a primitive.
    fn keeps(&self, leaf: &LeafRecord, stored: &Stored) -> bool {
        let (corners, count) = hull(stored);
        let bounds = Contents::of(stored).bounds;
        let (mut number, mut slot) = (leaf.parent, leaf.slot);
        for _ in 0..MOST_LEVELS {
            if number == NO_BOX {
                return true;
            }
            let record = &self.surveyed.boxes[number as usize];
            let node = BoxNode::decode(&self.surveyed.node(self.memory, record.pointer));
            let leads = |child: &usize| self.surveyed.children[*child].slots >> slot & 1 == 1;
            let slots =
                record.children().find(leads).map(|child| self.surveyed.children[child].slots);
            let rotation = obb::rotation(node.obb_matrix_index);
            let contains = |slot: usize| {
                let planes = node.child_box(slot);
                match rotation {
                    None => planes.contains(&bounds),
                    Some(rotation) => {
                        corners[..count].iter().all(|&point| is_inside(rotation, &planes, point))
                    }
                }
            };
            let slots = slots.unwrap_or(0);
            if !(0..8).filter(|k| slots >> k & 1 == 1).any(contains) {
                return false;
            }
            (number, slot) = (record.parent, record.slot);
        }
        false
    }
}
