//! A small model of the memory that a job reads and writes.
//!
//! Which class, domain and stream profile a job belongs to is resolved from its MEMCTL and the
//! registers when it is submitted ([`MemoryPolicy`]). While it runs, its loads and stores also go
//! through a first-level cache of 64 sets and eight ways, cold at its start, of which the class
//! has the ways that CLSMAP gives it; the profile says what is fetched ahead. Only counts come of
//! it: nothing here changes what a job computes.

use crate::layout::records::MemoryControl;
use crate::memory::{Memory, MemoryFault};

/// Sets of the cache.
const SETS: usize = 64;
/// Ways of the cache, as PARAMS says.
const WAYS: usize = 8;
/// Most lines that are fetched ahead.
const MOST_AHEAD: u32 = 16;

/// How the memory of a job is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryPolicy {
    /// What the descriptor asked for.
    pub asked: MemoryControl,
    /// The coherence domain, 0 to 15.
    pub domain: u8,
    /// The class, 0 to 3.
    pub class: u8,
    /// The number of the stream profile, 0 to 3.
    pub profile: u8,
    /// What the profile says.
    pub stream: Stream,
    /// Whether the class may borrow ways where it has none.
    pub hybrid: bool,
    /// The quality of service with which it borrows.
    pub borrow_qos: u8,
    /// The quality of service.
    pub qos: u16,
    /// Bytes of a line.
    pub line: u32,
    /// The ways that the class may fill, one bit each.
    pub ways: u8,
    /// Whether these are borrowed.
    pub borrows: bool,
}

/// What is fetched ahead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stream {
    /// Bytes from one fetch to the next; 0 stands for a line.
    pub stride: u32,
    /// How many lines ahead.
    pub depth: u32,
    /// Ahead of every load, not only of those that miss.
    pub always: bool,
    /// Lines are not kept.
    pub non_temporal: bool,
}

/// What a job's memory did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryCounts {
    /// Loads.
    pub loads: u64,
    /// Stores, which write through.
    pub stores: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Lines that were there.
    pub hits: u64,
    /// Lines that were not.
    pub misses: u64,
    /// Lines fetched ahead.
    pub prefetches: u64,
    /// Of these, lines that were used later.
    pub useful: u64,
}

/// The policy of a job and what came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryUse {
    /// How its memory was treated.
    pub policy: MemoryPolicy,
    /// What it did.
    pub counts: MemoryCounts,
}

impl MemoryCounts {
    /// Every count with its name.
    #[must_use]
    pub const fn named(&self) -> [(&'static str, u64); 7] {
        let Self { loads, stores, bytes, hits, misses, prefetches, useful } = *self;
        [
            ("loads", loads),
            ("stores", stores),
            ("bytes", bytes),
            ("line_hits", hits),
            ("line_misses", misses),
            ("prefetches", prefetches),
            ("useful_prefetches", useful),
        ]
    }

    /// Adds the counts of another job.
    pub const fn add(&mut self, other: &Self) {
        self.loads += other.loads;
        self.stores += other.stores;
        self.bytes += other.bytes;
        self.hits += other.hits;
        self.misses += other.misses;
        self.prefetches += other.prefetches;
        self.useful += other.useful;
    }
}

/// A line in a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kept {
    line: u64,
    /// When it was last used.
    used: u64,
    /// Fetched ahead and not used yet.
    ahead: bool,
}

/// Memory with a cache before it.
pub(super) struct Modelled<'a, M: ?Sized> {
    memory: &'a mut M,
    policy: MemoryPolicy,
    sets: Vec<[Option<Kept>; WAYS]>,
    time: u64,
    counts: MemoryCounts,
}

impl<'a, M: Memory + ?Sized> Modelled<'a, M> {
    /// A cold cache before a memory.
    pub(super) fn new(memory: &'a mut M, policy: MemoryPolicy) -> Self {
        let counts = MemoryCounts::default();
        Self { memory, policy, sets: vec![[None; WAYS]; SETS], time: 0, counts }
    }

    /// What was counted.
    pub(super) const fn usage(&self) -> MemoryUse {
        MemoryUse { policy: self.policy, counts: self.counts }
    }

    fn access(&mut self, address: u64, bytes: usize, is_load: bool) {
        *if is_load { &mut self.counts.loads } else { &mut self.counts.stores } += 1;
        self.counts.bytes += bytes as u64;
        let line_bytes = u64::from(self.policy.line);
        let (first, last) =
            (address / line_bytes, address.saturating_add(bytes.max(1) as u64 - 1) / line_bytes);
        for line in first..=last {
            self.time += 1;
            let is_there = self.touch(line);
            *if is_there { &mut self.counts.hits } else { &mut self.counts.misses } += 1;
            if !is_load {
                continue;
            }
            if !is_there {
                self.keep(line, false);
            }
            if !is_there || self.policy.stream.always {
                self.fetch_ahead(line * line_bytes);
            }
        }
    }

    /// Whether a line is there; it then counts as used.
    fn touch(&mut self, line: u64) -> bool {
        let set = &mut self.sets[(line % SETS as u64) as usize];
        let Some(kept) = set.iter_mut().flatten().find(|kept| kept.line == line) else {
            return false;
        };
        kept.used = self.time;
        self.counts.useful += u64::from(std::mem::take(&mut kept.ahead));
        true
    }

    /// Puts a line into an empty way of the class, or in place of the one unused for longest.
    fn keep(&mut self, line: u64, ahead: bool) -> bool {
        if self.policy.stream.non_temporal && !ahead {
            return false;
        }
        let ways = self.policy.ways;
        let set = &mut self.sets[(line % SETS as u64) as usize];
        let of_class = set.iter_mut().zip(0..).filter(|(_, way)| ways >> way & 1 == 1);
        let oldest = of_class.min_by_key(|(kept, _)| kept.map_or(0, |kept| kept.used));
        let Some((way, _)) = oldest else { return false };
        *way = Some(Kept { line, used: self.time, ahead });
        true
    }

    fn fetch_ahead(&mut self, address: u64) {
        let Stream { stride, depth, .. } = self.policy.stream;
        let step = u64::from(if stride == 0 { self.policy.line } else { stride });
        for ahead in 1..=u64::from(depth.min(MOST_AHEAD)) {
            let line = address.saturating_add(ahead * step) / u64::from(self.policy.line);
            let set = &self.sets[(line % SETS as u64) as usize];
            let is_there = set.iter().flatten().any(|kept| kept.line == line);
            if !is_there && self.keep(line, true) {
                self.counts.prefetches += 1;
            }
        }
    }
}

impl<M: Memory + ?Sized> Memory for Modelled<'_, M> {
    fn load(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryFault> {
        self.memory.load(address, bytes)?;
        self.access(address, bytes.len(), true);
        Ok(())
    }

    fn store(&mut self, address: u64, bytes: &[u8]) -> Result<(), MemoryFault> {
        self.memory.store(address, bytes)?;
        self.access(address, bytes.len(), false);
        Ok(())
    }

    fn spend(&mut self, steps: u64) -> bool {
        self.memory.spend(steps)
    }
}
