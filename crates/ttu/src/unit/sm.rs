//! The SM as far as the TTU sees it: it tests the primitives of leaves, transforms queries for
//! instances, and sends shorter `tmax` back.
//!
//! A leaf that the SMU hands over in cycle `c` has its result at `c + t_leaf`, later if more
//! primitives than `tris_per_cycle` are ahead of it. Where a format keeps primitives in memory,
//! they are fetched first, through the same memory and a port of the SM's own (T-20). An instance
//! is a leaf whose result is a new query (T-16): the query that met it does not wait for it, so
//! slots cannot wait for each other in a circle.

use super::memory::{Bandwidth, Path};
use super::port::Port;
use super::smu::Leaf;
use super::stats::Stats;
use crate::config::Config;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A leaf on its way through the SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeafTest {
    /// When it reaches the testers, then when its result is there.
    pub(crate) at: u64,
    /// Order of arrival, for ties.
    sequence: u64,
    pub(crate) ttu: u32,
    pub(crate) slot: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// A shorter range on its way to the TTUs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Feedback {
    pub(crate) job: u32,
    pub(crate) tmax: f32,
}

/// The state of one SM.
#[derive(Debug)]
pub(crate) struct Sm {
    t_leaf: u64,
    tris_per_cycle: u64,
    line_bytes: u64,
    /// Leaves whose primitives are on their way.
    arriving: BinaryHeap<Reverse<LeafTest>>,
    testing: VecDeque<LeafTest>,
    /// To the TTUs.
    pub(crate) feedback: Port<Feedback>,
    /// Where primitives come in.
    fetch_port: Bandwidth,
    free_at: u64,
    sequence: u64,
}

impl Sm {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            t_leaf: config.t_leaf.into(),
            tris_per_cycle: config.tris_per_cycle.into(),
            line_bytes: config.l0_line_bytes.into(),
            arriving: BinaryHeap::new(),
            testing: VecDeque::new(),
            feedback: Port::unlimited(),
            fetch_port: Bandwidth::new(config.sm_fetch_bytes_per_cycle),
            free_at: 0,
            sequence: 0,
        }
    }

    /// Takes a leaf of a TTU, and fetches its primitives.
    pub(crate) fn take(
        &mut self,
        leaf: Leaf,
        ttu: u32,
        cycle: u64,
        path: &mut Path<'_>,
        stats: &mut Stats,
    ) {
        let Leaf { slot, first, count, .. } = leaf;
        let at = self.fetch(&leaf, cycle, path, stats);
        self.sequence += 1;
        let leaf = LeafTest { at, sequence: self.sequence, ttu, slot, first, count };
        self.arriving.push(Reverse(leaf));
    }

    /// When the primitives of a leaf are there.
    fn fetch(&mut self, leaf: &Leaf, cycle: u64, path: &mut Path<'_>, stats: &mut Stats) -> u64 {
        if leaf.bytes == 0 {
            return cycle;
        }
        let end = leaf.address + u64::from(leaf.bytes);
        let lines = leaf.address / self.line_bytes..end.div_ceil(self.line_bytes);
        let bytes = self.line_bytes * (lines.end - lines.start);
        stats.counters.sm_fetch_bytes += bytes;
        let arrive = |at: u64, line| path.request(line, cycle, &mut stats.counters).at.max(at);
        self.fetch_port.take(bytes, lines.fold(cycle, arrive))
    }

    /// Moves leaves whose primitives have come into the testers.
    pub(crate) fn start(&mut self, cycle: u64) {
        while let Some(Reverse(leaf)) = self.arriving.peek().copied().filter(|l| l.0.at <= cycle) {
            self.arriving.pop();
            let start = self.free_at.max(leaf.at);
            let busy = u64::from(leaf.count).div_ceil(self.tris_per_cycle).max(1);
            self.free_at = start + busy;
            self.testing.push_back(LeafTest { at: start + self.t_leaf + busy - 1, ..leaf });
        }
    }

    /// The next leaf whose result is there.
    pub(crate) fn result(&mut self, cycle: u64) -> Option<LeafTest> {
        self.testing.front().filter(|leaf| leaf.at <= cycle)?;
        self.testing.pop_front()
    }

    /// When something happens next.
    pub(crate) fn next_event(&self) -> u64 {
        let heads = [
            self.arriving.peek().map(|leaf| leaf.0.at),
            self.testing.front().map(|leaf| leaf.at),
            Some(self.feedback.next_event()),
        ];
        heads.into_iter().flatten().min().unwrap_or(u64::MAX)
    }
}
