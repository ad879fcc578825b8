//! What lies behind the L0: an L1, the shared L2, DRAM with a token bucket.
//!
//! Latencies are those of the level that answers; they are not added up (T-12). A line that is on its way to a cache is
//! there when it arrives: a second request for it waits as long as the first has left.

use crate::config::{CACHE_WAYS, Config};

/// Who answered, and when the first bytes arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) level: Level,
    pub(crate) at: u64,
}

/// A level of the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    L1,
    L2,
    Dram,
}

/// The part that all TTUs share.
#[derive(Debug)]
pub(crate) struct Memory {
    l2: Option<Cache>,
    t_l2: u64,
    t_dram: u64,
    dram_bytes_per_cycle: u64,
    line_bytes: u64,
    /// Bytes that DRAM has promised, counted from cycle 0 at full bandwidth.
    dram_promised: u64,
}

impl Memory {
    pub(crate) fn new(config: &Config) -> Self {
        let l2 = (config.l2_kib > 0).then(|| Cache::new(config.l2_kib, config.l0_line_bytes));
        Self {
            l2,
            t_l2: config.t_l2.into(),
            t_dram: config.t_dram.into(),
            dram_bytes_per_cycle: config.dram_bytes_per_cycle.into(),
            line_bytes: config.l0_line_bytes.into(),
            dram_promised: 0,
        }
    }

    /// Asks for a line in cycle `now`.
    pub(crate) fn request(&mut self, line: u64, now: u64) -> Answer {
        let hit_at = now + self.t_l2;
        let Some(l2) = &mut self.l2 else { return Answer { level: Level::L2, at: hit_at } };
        if let Some(there_at) = l2.find(line) {
            return Answer { level: Level::L2, at: hit_at.max(there_at) };
        }
        // The bucket: a transfer begins when everything promised before has gone.
        let start = self.dram_promised.max(now * self.dram_bytes_per_cycle);
        self.dram_promised = start + self.line_bytes;
        let at = start.div_ceil(self.dram_bytes_per_cycle) + self.t_l2 + self.t_dram;
        l2.insert(line, at);
        Answer { level: Level::Dram, at }
    }
}

/// A set-associative cache with LRU replacement; only tags.
#[derive(Debug)]
pub(crate) struct Cache {
    /// Line, time of last use, time of arrival.
    ways: Vec<(u64, u64, u64)>,
    sets: u64,
    uses: u64,
}

const NO_LINE: u64 = u64::MAX;

impl Cache {
    pub(crate) fn new(kib: u32, line_bytes: u32) -> Self {
        let lines = u64::from(kib) * 1024 / u64::from(line_bytes);
        let sets = (lines / CACHE_WAYS as u64).max(1);
        Self { ways: vec![(NO_LINE, 0, 0); sets as usize * CACHE_WAYS], sets, uses: 0 }
    }

    fn set(&mut self, line: u64) -> &mut [(u64, u64, u64)] {
        let first = (line % self.sets) as usize * CACHE_WAYS;
        &mut self.ways[first..first + CACHE_WAYS]
    }

    /// When the line is there, if it is or will be.
    pub(crate) fn find(&mut self, line: u64) -> Option<u64> {
        self.uses += 1;
        let uses = self.uses;
        let way = self.set(line).iter_mut().find(|way| way.0 == line)?;
        way.1 = uses;
        Some(way.2)
    }

    /// Puts the line in the place of the one used longest ago.
    pub(crate) fn insert(&mut self, line: u64, at: u64) {
        self.uses += 1;
        let uses = self.uses;
        if let Some(way) = self.set(line).iter_mut().min_by_key(|way| way.1) {
            *way = (line, uses, at);
        }
    }
}
