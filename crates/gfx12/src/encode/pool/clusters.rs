//! Ranges gathered into clusters, each of which will be a primitive node.
//!
//! A cluster starts with a range that has few neighbours left, and takes in whichever neighbour
//! adds the fewest bits a triangle, until none fits.

use super::ranges::{Members, Ranges};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where no neighbour fits, so many ranges before and behind the first one in the tree are tried.
const NEARBY: u32 = 12;

/// A partition of the ranges of a pool.
#[derive(Debug)]
pub(super) struct Clusters<'a> {
    pub(super) ranges: &'a mut Ranges,
    /// Clusters; some may be empty.
    pub(super) all: Vec<Cluster>,
    /// The cluster of each range.
    pub(super) of: Vec<u32>,
}

/// Some ranges, what they hold and what they take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cluster {
    pub(super) members: Members,
    pub(super) triangles: u32,
    /// Bits; [`TOO_LARGE`] for a range that no node can hold.
    pub(super) bits: u32,
}

/// The bits of a range that does not fit into a node and is left alone.
pub(super) const TOO_LARGE: u32 = u32::MAX;

const NO_CLUSTER: u32 = u32::MAX;

impl<'a> Clusters<'a> {
    /// Clusters filled one after another; `company_bits` as in [`super::SearchEffort`].
    pub(super) fn grown(ranges: &'a mut Ranges, company_bits: u32) -> Self {
        let count = ranges.len();
        let clusters = Self { ranges, all: Vec::new(), of: vec![NO_CLUSTER; count] };
        let mut growth = Growth {
            shared: vec![0; count],
            waiting: BinaryHeap::with_capacity(count),
            candidates: Vec::new(),
            seen: vec![NO_CLUSTER; count],
            clusters,
            company_bits,
        };
        for range in 0..count as u32 {
            let others = growth.clusters.ranges.neighbours(range).filter(|&other| other != range);
            growth.shared[range as usize] = others.count() as u32;
            growth.waiting.push(Reverse((growth.shared[range as usize], range)));
        }
        while let Some(Reverse((shared, range))) = growth.waiting.pop() {
            // Others stand in the queue again since they lost a neighbour.
            if growth.is_waiting(range) && shared == growth.shared[range as usize] {
                growth.start(range);
            }
        }
        growth.clusters
    }

    /// The ranges of each cluster that has any.
    pub(super) fn members(&self) -> Vec<Members> {
        let members = self.all.iter().map(|cluster| cluster.members);
        members.filter(|members| !members.as_slice().is_empty()).collect()
    }
}

struct Growth<'a> {
    clusters: Clusters<'a>,
    company_bits: u32,
    /// For each range, vertices in common with others that wait, each of those counted.
    shared: Vec<u32>,
    /// Ranges that wait, by `shared`; also as it was before.
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    /// Neighbours of the open cluster.
    candidates: Vec<u32>,
    /// The last cluster of which each range was a candidate.
    seen: Vec<u32>,
}

impl Growth<'_> {
    fn is_waiting(&self, range: u32) -> bool {
        self.clusters.of[range as usize] == NO_CLUSTER
    }

    /// Fills a cluster.
    fn start(&mut self, seed: u32) {
        self.candidates.clear();
        let ranges = &mut *self.clusters.ranges;
        let members = Members::default().with(seed).unwrap_or_default();
        let bits = ranges.bits(&members).unwrap_or(TOO_LARGE);
        let mut open = Cluster { members, triangles: ranges.triangles(seed), bits };
        self.place(seed);
        while bits != TOO_LARGE
            && let Some((range, extended)) = self.best_addition(&open, seed)
        {
            open = extended;
            self.place(range);
        }
        self.clusters.all.push(open);
    }

    /// Puts a range into the cluster that is being filled.
    fn place(&mut self, range: u32) {
        let cluster = self.clusters.all.len() as u32;
        self.clusters.of[range as usize] = cluster;
        for other in self.clusters.ranges.neighbours(range) {
            if self.clusters.of[other as usize] != NO_CLUSTER {
                continue;
            }
            self.shared[other as usize] -= 1;
            self.waiting.push(Reverse((self.shared[other as usize], other)));
            if self.seen[other as usize] != cluster {
                self.seen[other as usize] = cluster;
                self.candidates.push(other);
            }
        }
    }

    fn best_addition(&mut self, open: &Cluster, seed: u32) -> Option<(u32, Cluster)> {
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain(|&range| self.is_waiting(range));
        let best = self.best_of(open, &candidates);
        self.candidates = candidates;
        best.or_else(|| {
            let end = (seed + NEARBY + 1).min(self.clusters.ranges.len() as u32);
            let nearby = seed.saturating_sub(NEARBY)..end;
            let nearby: Vec<u32> = nearby.filter(|&range| self.is_waiting(range)).collect();
            self.best_of(open, &nearby)
        })
    }

    fn best_of(&mut self, open: &Cluster, candidates: &[u32]) -> Option<(u32, Cluster)> {
        let mut best: Option<(f32, u32, Cluster)> = None;
        for &range in candidates {
            let Some(members) = open.members.with(range) else { break };
            let Some(bits) = self.clusters.ranges.bits(&members) else { continue };
            let triangles = self.clusters.ranges.triangles(range);
            let added =
                bits.saturating_sub(open.bits) + self.company_bits * self.shared[range as usize];
            let cost = added as f32 / triangles as f32;
            if best.as_ref().is_none_or(|best| cost < best.0) {
                let triangles = open.triangles + triangles;
                best = Some((cost, range, Cluster { members, triangles, bits }));
            }
        }
        best.map(|(_, range, extended)| (range, extended))
    }
}
