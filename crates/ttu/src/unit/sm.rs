//! The SM as far as the TTU sees it: it tests the primitives of leaves, transforms queries for instances, and sends
//! shorter `tmax` back.
//!
//! A leaf that the SMU hands over in cycle `c` has its result at `c + t_leaf`, later if more primitives than
//! `tris_per_cycle` are ahead of it. Where a format keeps primitives in memory, they are fetched first, through the
//! same memory. An instance is a leaf whose result is a new query (T-16): the query that met it does not wait for it, so
//! slots cannot wait for each other in a circle.

use super::memory::Bandwidth;
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
    pub(crate) at: u64,
    pub(crate) job: u32,
    pub(crate) tmax: f32,
}

/// The state of one SM.
#[derive(Debug)]
pub(crate) struct Sm {
    t_leaf: u64,
    tris_per_cycle: u64,
    /// Leaves whose primitives are on their way.
    arriving: BinaryHeap<Reverse<LeafTest>>,
    testing: VecDeque<LeafTest>,
    pub(crate) feedback: VecDeque<Feedback>,
    /// Where the primitives come in (T-20).
    port: Bandwidth,
    free_at: u64,
    sequence: u64,
}

impl Sm {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            t_leaf: config.t_leaf.into(),
            tris_per_cycle: config.tris_per_cycle.into(),
            arriving: BinaryHeap::new(),
            testing: VecDeque::new(),
            feedback: VecDeque::new(),
            port: Bandwidth::new(config.sm_fetch_bytes_per_cycle),
            free_at: 0,
            sequence: 0,
        }
    }

    /// When primitives that arrive from cycle `at` on are all there.
    pub(crate) fn fetched(&mut self, bytes: u64, at: u64) -> u64 {
        self.port.take(bytes, at)
    }

    /// Takes a leaf whose primitives are there from cycle `at` on.
    pub(crate) fn take(&mut self, at: u64, ttu: u32, slot: u32, first: u32, count: u32) {
        self.sequence += 1;
        let leaf = LeafTest { at, sequence: self.sequence, ttu, slot, first, count };
        self.arriving.push(Reverse(leaf));
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

    /// The next shorter range that has arrived.
    pub(crate) fn arrived_feedback(&mut self, cycle: u64) -> Option<Feedback> {
        self.feedback.front().filter(|feedback| feedback.at <= cycle)?;
        self.feedback.pop_front()
    }

    /// When something happens next.
    pub(crate) fn next_event(&self) -> u64 {
        let heads = [
            self.arriving.peek().map(|leaf| leaf.0.at),
            self.testing.front().map(|leaf| leaf.at),
            self.feedback.front().map(|feedback| feedback.at),
        ];
        heads.into_iter().flatten().min().unwrap_or(u64::MAX)
    }
}
