//! The SM as far as the TTU sees it: it tests the primitives of leaves, transforms queries for
//! instances, and sends shorter `tmax` back.
//!
//! A leaf that the SMU hands over in cycle `c` has its result `t_leaf` after it is in the SM, later
//! if more primitives than `tris_per_cycle` are ahead of it. It is read first, through the same
//! memory and a port of the SM's own (T-20): the leaf's own memory, then the items that this only
//! names, as [`machine::blocks`] has it for every format. An instance is a leaf whose result is a
//! new query (T-16): the query that met it does not wait for it, so slots cannot wait for each
//! other in a circle.

use super::memory::{Bandwidth, Path};
use super::port::Port;
use super::smu::Leaf;
use crate::config::{Config, SECTOR_BYTES};
use crate::counters::Counters;
use crate::program::Program;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A leaf on its way through the SM.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LeafTest {
    /// When what it waits for is there: its own memory, its items, or its result.
    pub(crate) at: u64,
    /// Order of arrival, for ties.
    sequence: u64,
    pub(crate) ttu: u32,
    pub(crate) slot: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// A leaf whose task has given its place away (T-22).
#[derive(Debug)]
pub(crate) struct HeldLeaf {
    pub(crate) job: u32,
    ttu: u32,
    leaf: Leaf,
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
    line_bytes: u32,
    /// Leaves whose own memory is on its way, if it only names the items.
    reading: BinaryHeap<Reverse<LeafTest>>,
    /// Leaves whose items are on their way.
    arriving: BinaryHeap<Reverse<LeafTest>>,
    testing: VecDeque<LeafTest>,
    /// Leaves that wait for their task.
    pub(crate) held: Vec<HeldLeaf>,
    /// To the TTUs.
    pub(crate) feedback: Port<Feedback>,
    /// Where primitives come in.
    fetch_port: Bandwidth,
    free_at: u64,
    sequence: u64,
    /// Sectors of a leaf, for reuse.
    sectors: Vec<u64>,
    /// What it moved.
    pub(crate) counters: Counters,
}

impl Sm {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            // There and back.
            t_leaf: u64::from(config.t_leaf) + 2 * u64::from(config.t_link),
            tris_per_cycle: config.tris_per_cycle.into(),
            line_bytes: config.l0_line_bytes,
            reading: BinaryHeap::new(),
            arriving: BinaryHeap::new(),
            testing: VecDeque::new(),
            held: Vec::new(),
            feedback: Port::unlimited(),
            fetch_port: Bandwidth::new(config.sm_fetch_bytes_per_cycle),
            free_at: 0,
            sequence: 0,
            sectors: Vec::new(),
            counters: Counters::default(),
        }
    }

    /// Keeps a leaf of a TTU until its task comes back.
    pub(crate) fn hold(&mut self, leaf: Leaf, ttu: u32, job: u32) {
        self.counters.leaves_held += 1;
        self.held.push(HeldLeaf { job, ttu, leaf });
    }

    /// Takes the leaves that have waited for a task, in their order.
    pub(crate) fn take_held(
        &mut self,
        is_of_task: impl Fn(u32) -> bool,
        cycle: u64,
        program: &Program,
        path: &mut Path<'_>,
    ) {
        let held = std::mem::take(&mut self.held);
        for waiting in held {
            if is_of_task(waiting.job) {
                self.take(waiting.leaf, waiting.ttu, cycle, program, path);
            } else {
                self.held.push(waiting);
            }
        }
    }

    /// Takes a leaf of a TTU, and asks for its memory.
    pub(crate) fn take(
        &mut self,
        leaf: Leaf,
        ttu: u32,
        cycle: u64,
        program: &Program,
        path: &mut Path<'_>,
    ) {
        let Leaf { slot, first, count, memory } = leaf;
        self.sectors.clear();
        self.sectors.extend(memory.lines(SECTOR_BYTES));
        let at = self.fetch(cycle, path);
        self.sequence += 1;
        let leaf = Reverse(LeafTest { at, sequence: self.sequence, ttu, slot, first, count });
        let items = program.item_memory(first, count);
        let item_bytes: u64 = items.iter().map(|item| u64::from(item.bytes)).sum();
        self.counters.leaf_bytes += u64::from(memory.bytes) + item_bytes;
        if item_bytes > 0 {
            self.reading.push(leaf);
        } else {
            self.arriving.push(leaf);
        }
    }

    /// When the sectors are there, asked for in this cycle.
    fn fetch(&mut self, cycle: u64, path: &mut Path<'_>) -> u64 {
        if self.sectors.is_empty() {
            return cycle;
        }
        let bytes_of = |sectors: &[u64]| u64::from(SECTOR_BYTES) * sectors.len() as u64;
        let line_of = |sector: u64| sector / u64::from(self.line_bytes / SECTOR_BYTES);
        let mut at = cycle;
        for sectors in self.sectors.chunk_by(|&a, &b| line_of(a) == line_of(b)) {
            let (line, bytes) = (line_of(sectors[0]), bytes_of(sectors));
            at = at.max(path.request(line, bytes, cycle, &mut self.counters).at);
        }
        let bytes = bytes_of(&self.sectors);
        self.counters.sm_fetch_bytes += bytes;
        self.fetch_port.take(bytes, at)
    }

    /// Asks for the items of leaves that name them now, and moves leaves whose items have come into
    /// the testers.
    pub(crate) fn start(&mut self, cycle: u64, program: &Program, path: &mut Path<'_>) {
        while let Some(Reverse(leaf)) = self.reading.peek().copied().filter(|l| l.0.at <= cycle) {
            self.reading.pop();
            self.sectors.clear();
            for memory in program.item_memory(leaf.first, leaf.count) {
                self.sectors.extend(memory.lines(SECTOR_BYTES));
            }
            self.sectors.sort_unstable();
            self.sectors.dedup();
            let at = self.fetch(cycle, path);
            self.arriving.push(Reverse(LeafTest { at, ..leaf }));
        }
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
            self.reading.peek().map(|leaf| leaf.0.at),
            self.arriving.peek().map(|leaf| leaf.0.at),
            self.testing.front().map(|leaf| leaf.at),
            Some(self.feedback.next_event()),
        ];
        heads.into_iter().flatten().min().unwrap_or(u64::MAX)
    }
}
