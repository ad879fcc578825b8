//! An order of leaves in which neighbours share vertices.
//!
//! Primitive nodes are filled in the order of the leaves. Within a pool any order will do, as long
//! as one leaf of a box lies within the reach of a range length, 15 nodes, of the next. So the
//! ranges of a pool are gathered into clusters, each of which will be a node, and the clusters are
//! lined up such that those with leaves of one box lie near each other. A pool in which some box
//! still is out of reach is divided; what cannot be divided keeps the order of the tree.
//!
//! | file | step |
//! |---|---|
//! | `ranges` | the ranges of a pool, and the bits that some of them take together |
//! | `clusters` | a first clustering: nodes filled one after another |
//! | `rearrange` | ranges moved and exchanged so that fewer nodes do |
//! | `line_up` | an order of clusters |
//!
//! The order of a tree that was decoded is that of its primitives, which decoding numbers as they
//! lie in memory. A pool with procedurals keeps the order of the tree, because those are numbered
//! apart.

mod clusters;
mod line_up;
mod ranges;
mod rearrange;

use super::SMALL_LEVEL;
use super::flatten::Flat;
use super::run::RunPacker;
use super::triangle_fill::Footprint;
use clusters::Clusters;
use ranges::{Members, Ranges};
use rayon::prelude::*;
use std::ops::Range;

/// Most nodes from a leaf to the next of the same box.
const REACH: u32 = 15;

/// How much is tried.
#[derive(Debug, Clone, Copy)]
struct SearchEffort {
    /// What each common vertex with ranges that wait weighs against putting a range into a cluster,
    /// in bits: one that is left behind alone will not find company later. The best of several is
    /// taken.
    company_bits: &'static [u32],
    /// Longest path of ranges that move for each other, and most ranges looked at on the way.
    path: u8,
    steps: usize,
    /// How many times ranges are exchanged.
    exchanges: usize,
}

/// For a small level.
const THOROUGH: SearchEffort =
    SearchEffort { company_bits: &[2, 5, 10], path: 8, steps: 600, exchanges: 1 };
/// For a large one.
const QUICK: SearchEffort = SearchEffort { company_bits: &[5], path: 2, steps: 40, exchanges: 0 };

/// Reorders the leaves of every pool; `keep` keeps the order of decoded primitives.
pub(crate) fn order_leaves(flat: &mut Flat, packer: &RunPacker<'_>, keep: bool) {
    let mut pools = flat.pools.iter().cloned().peekable();
    let pools_of_runs: Vec<Vec<Range<usize>>> = flat
        .runs
        .iter()
        .map(|run| std::iter::from_fn(|| pools.next_if(|pool| pool.start < run.end)).collect())
        .collect();
    let effort = if packer.reference_count() <= SMALL_LEVEL { &THOROUGH } else { &QUICK };
    let orders: Vec<Vec<u32>> = pools_of_runs
        .par_iter()
        .map(|pools| {
            let mut run =
                RunOrder { flat, packer, keep, effort, open: packer.empty_node(), order: vec![] };
            for pool in pools {
                run.add_pool(pool.clone());
            }
            run.order
        })
        .collect();
    let leaves = orders.concat();
    flat.reorder(leaves);
}

/// The order of a run so far.
struct RunOrder<'a> {
    flat: &'a Flat,
    packer: &'a RunPacker<'a>,
    keep: bool,
    effort: &'static SearchEffort,
    /// The node that the next leaf may still go into.
    open: Footprint,
    order: Vec<u32>,
}

impl RunOrder<'_> {
    fn add_pool(&mut self, pool: Range<usize>) {
        let leaves = &self.flat.leaves[pool.clone()];
        let has_procedural = leaves.iter().any(|&leaf| {
            self.packer.items(leaf).iter().any(|&item| !self.packer.is_triangle(item))
        });
        if has_procedural {
            return self.add_in_order(leaves);
        }
        let chosen =
            if self.keep { by_primitive(leaves, self.packer) } else { self.by_cluster(&pool) };
        let mut after = self.open;
        let starts = self.packer.simulate(&chosen, &mut after);
        if self.within_reach(&chosen, &starts) {
            self.open = after;
            self.order.extend(chosen);
            return;
        }
        match self.middle(&pool).filter(|_| !self.keep) {
            Some(middle) => {
                self.add_pool(pool.start..middle);
                self.add_pool(middle..pool.end);
            }
            None => self.add_in_order(leaves),
        }
    }

    fn add_in_order(&mut self, leaves: &[u32]) {
        self.packer.simulate(leaves, &mut self.open);
        self.order.extend_from_slice(leaves);
    }

    /// The leaves cluster by cluster.
    fn by_cluster(&self, pool: &Range<usize>) -> Vec<u32> {
        let leaves = &self.flat.leaves[pool.clone()];
        let mut ranges = Ranges::new(leaves, self.packer);
        let mut best: Option<Vec<Members>> = None;
        for &company_bits in self.effort.company_bits {
            let mut clusters = Clusters::grown(&mut ranges, company_bits);
            clusters.rearrange(self.effort);
            let members = clusters.members();
            if best.as_ref().is_none_or(|best| members.len() < best.len()) {
                best = Some(members);
            }
        }
        let clusters = best.unwrap_or_default();
        let order = line_up::line_up(&clusters, &self.flat.leaf_parents[pool.clone()]);
        order.into_iter().map(|position| leaves[position as usize]).collect()
    }

    /// Whether the leaves of each box can be told to follow each other.
    fn within_reach(&self, leaves: &[u32], starts: &[u32]) -> bool {
        let mut last_starts: Vec<(u32, u32)> = Vec::with_capacity(leaves.len());
        for (&leaf, &start) in leaves.iter().zip(starts) {
            let place = self.flat.places[leaf as usize] as usize;
            last_starts.push((self.flat.leaf_parents[place], start));
        }
        // Stable: within a box, leaves stay in the order of memory.
        last_starts.sort_by_key(|&(parent, _)| parent);
        last_starts.windows(2).all(|two| two[0].0 != two[1].0 || two[1].1 - two[0].1 <= REACH)
    }

    /// The place between two boxes that is nearest to the middle of a pool.
    fn middle(&self, pool: &Range<usize>) -> Option<usize> {
        let parents = &self.flat.leaf_parents;
        let middle = pool.start.midpoint(pool.end);
        let cuts = (pool.start + 1..pool.end).filter(|&cut| parents[cut - 1] != parents[cut]);
        cuts.min_by_key(|&cut| cut.abs_diff(middle))
    }
}

/// The leaves in the order of their first primitives.
fn by_primitive(leaves: &[u32], packer: &RunPacker<'_>) -> Vec<u32> {
    let mut order = leaves.to_vec();
    order.sort_by_key(|&leaf| packer.items(leaf).first().copied());
    order
}
