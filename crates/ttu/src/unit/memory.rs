//! What lies behind the L0: an L1, the shared L2, DRAM.
//!
//! Latencies are those of the level that answers; they are not added up (T-12). A line that is on
//! its way to a cache is there when it arrives: a second request for it waits as long as the first
//! has left. The L2 and DRAM move so many bytes a cycle, for all that share them and in the order
//! of requests (T-20).
//!
//! Spilled stack entries are the only writes (T-13, T-21). They have addresses of their own behind
//! those of the image. A write is posted: nothing waits for it, but what comes after it finds the
//! port taken. The L2 takes it without a fetch, since nothing else of the line is ever read, and
//! writes the line back to DRAM when it is replaced.

use crate::config::{CACHE_WAYS, Config};
use crate::counters::Counters;

/// Who answered, and when the bytes begin to arrive: those of a slow port are gathered first.
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

/// A port that moves so many bytes a cycle: a token bucket.
#[derive(Debug)]
pub(crate) struct Bandwidth {
    /// 0 is unlimited.
    bytes_per_cycle: u64,
    /// Bytes promised, counted from cycle 0 at full bandwidth.
    promised: u64,
}

impl Bandwidth {
    pub(crate) fn new(bytes_per_cycle: u32) -> Self {
        Self { bytes_per_cycle: bytes_per_cycle.into(), promised: 0 }
    }

    /// Takes the port for `bytes` from cycle `now` on; says in which cycle the last of them moves.
    pub(crate) fn take(&mut self, bytes: u64, now: u64) -> u64 {
        if self.bytes_per_cycle == 0 {
            return now;
        }
        self.promised = self.promised.max(now * self.bytes_per_cycle) + bytes;
        (self.promised - 1) / self.bytes_per_cycle
    }
}

/// The part that all TTUs share.
#[derive(Debug)]
pub(crate) struct Memory {
    l2: Option<Cache>,
    t_l2: u64,
    t_dram: u64,
    l2_port: Bandwidth,
    dram: Bandwidth,
    line_bytes: u64,
    /// Bytes of a group of spilled entries, and stacks that may spill.
    spill_bytes: u64,
    stacks: u64,
}

/// A group of spilled entries: of which stack of the whole machine, and which from the bottom.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpillGroup {
    pub(crate) stack: u64,
    pub(crate) number: u64,
}

/// The first line behind any image.
const FIRST_SPILL_LINE: u64 = 1 << 60;

impl Memory {
    pub(crate) fn new(config: &Config) -> Self {
        let l2 = (config.l2_kib > 0).then(|| Cache::new(config.l2_kib, config.l0_line_bytes));
        Self {
            l2,
            t_l2: config.t_l2.into(),
            t_dram: config.t_dram.into(),
            l2_port: Bandwidth::new(config.l2_bytes_per_cycle),
            dram: Bandwidth::new(config.dram_bytes_per_cycle),
            line_bytes: config.l0_line_bytes.into(),
            spill_bytes: config.spill_bytes(),
            stacks: u64::from(config.ttus()) * u64::from(config.slots),
        }
    }

    /// Writes a group of stack entries.
    pub(crate) fn spill(&mut self, group: SpillGroup, now: u64, counters: &mut Counters) {
        for (line, bytes) in self.lines_of(group) {
            counters.spill_bytes += bytes;
            self.write(line, bytes, now, counters);
        }
    }

    /// Asks for a spilled group; says when it is there.
    pub(crate) fn fetch_spilled(
        &mut self,
        group: SpillGroup,
        now: u64,
        counters: &mut Counters,
    ) -> u64 {
        self.lines_of(group).fold(now, |at, (line, bytes)| {
            counters.spill_bytes += bytes;
            at.max(self.read(line, bytes, now, counters).at)
        })
    }

    /// The lines of a group, with its bytes in each. Groups of one depth lie side by side.
    fn lines_of(&self, group: SpillGroup) -> impl Iterator<Item = (u64, u64)> + use<> {
        let (line_bytes, bytes) = (self.line_bytes, self.spill_bytes);
        let lines = bytes.div_ceil(line_bytes);
        let first = FIRST_SPILL_LINE + (group.number * self.stacks + group.stack) * lines;
        (0..lines).map(move |n| (first + n, line_bytes.min(bytes - n * line_bytes)))
    }

    /// Asks for some bytes of a line.
    fn read(&mut self, line: u64, bytes: u64, now: u64, counters: &mut Counters) -> Answer {
        counters.l2_bytes += bytes;
        let sent_at = self.l2_port.take(bytes, now);
        let hit_at = sent_at + self.t_l2;
        let Some(l2) = &mut self.l2 else { return Answer { level: Level::L2, at: hit_at } };
        if let Some(way) = l2.find(line) {
            return Answer { level: Level::L2, at: hit_at.max(way.there_at) };
        }
        counters.dram_bytes += self.line_bytes;
        let sent_at = self.dram.take(self.line_bytes, sent_at);
        let at = sent_at + self.t_l2 + self.t_dram;
        self.put(Way { there_at: at, ..Way::new(line) }, sent_at, counters);
        Answer { level: Level::Dram, at }
    }

    /// Writes some bytes of a line.
    fn write(&mut self, line: u64, bytes: u64, now: u64, counters: &mut Counters) {
        counters.l2_bytes += bytes;
        let there_at = self.l2_port.take(bytes, now);
        match self.l2.as_mut().and_then(|l2| l2.find(line)) {
            Some(way) => way.is_written = true,
            None => {
                let written = Way { there_at, is_written: true, ..Way::new(line) };
                self.put(written, there_at, counters);
            }
        }
    }

    /// Puts a line into the L2; a written one that has to go is written back.
    fn put(&mut self, way: Way, now: u64, counters: &mut Counters) {
        if self.l2.as_mut().is_some_and(|l2| l2.insert(way).is_written) {
            counters.dram_bytes += self.line_bytes;
            self.dram.take(self.line_bytes, now);
        }
    }
}

/// The way to memory: through the L1 of the SM, if it is on.
pub(crate) struct Path<'a> {
    pub(crate) l1: Option<&'a mut Cache>,
    pub(crate) memory: &'a mut Memory,
    pub(crate) t_l1: u64,
}

impl Path<'_> {
    /// Asks for some bytes of a line in cycle `now`.
    pub(crate) fn request(
        &mut self,
        line: u64,
        bytes: u64,
        now: u64,
        counters: &mut Counters,
    ) -> Answer {
        if let Some(way) = self.l1.as_mut().and_then(|l1| l1.find(line)) {
            return Answer { level: Level::L1, at: (now + self.t_l1).max(way.there_at) };
        }
        let answer = self.memory.read(line, bytes, now, counters);
        if let Some(l1) = &mut self.l1 {
            l1.insert(Way { there_at: answer.at, ..Way::new(line) });
        }
        answer
    }
}

/// A set-associative cache with LRU replacement; only tags.
#[derive(Debug)]
pub(crate) struct Cache {
    ways: Vec<Way>,
    sets: u64,
    uses: u64,
}

/// A line of a cache.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    line: u64,
    /// When it was used last, in uses of the cache.
    used: u64,
    /// The cycle in which it arrives.
    there_at: u64,
    /// Whether memory has still to be told.
    is_written: bool,
}

impl Way {
    const fn new(line: u64) -> Self {
        Self { line, used: 0, there_at: 0, is_written: false }
    }
}

impl Cache {
    pub(crate) fn new(kib: u32, line_bytes: u32) -> Self {
        let lines = u64::from(kib) * 1024 / u64::from(line_bytes);
        let sets = (lines / CACHE_WAYS as u64).max(1);
        Self { ways: vec![Way::new(u64::MAX); sets as usize * CACHE_WAYS], sets, uses: 0 }
    }

    fn set(&mut self, line: u64) -> &mut [Way] {
        let first = (line % self.sets) as usize * CACHE_WAYS;
        &mut self.ways[first..first + CACHE_WAYS]
    }

    /// The line, if it is there or will be.
    fn find(&mut self, line: u64) -> Option<&mut Way> {
        self.uses += 1;
        let uses = self.uses;
        let way = self.set(line).iter_mut().find(|way| way.line == line)?;
        way.used = uses;
        Some(way)
    }

    /// Puts the line in the place of the one used longest ago, which it gives.
    fn insert(&mut self, way: Way) -> Way {
        self.uses += 1;
        let way = Way { used: self.uses, ..way };
        let oldest = self.set(way.line).iter_mut().min_by_key(|way| way.used);
        oldest.map_or(way, |oldest| std::mem::replace(oldest, way))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(settings: &[&str]) -> Memory {
        Memory::new(&Config::default().with_all(settings).unwrap())
    }

    /// T-20: lines leave the L2 one behind the other.
    #[test]
    fn the_l2_moves_so_many_bytes_a_cycle() {
        let counters = &mut Counters::default();
        let mut narrow = memory(&["l2_bytes_per_cycle=32"]);
        let at = [10, 11, 40].map(|now| narrow.read(now, 128, now, counters).at);
        assert_eq!(at, [173, 177, 203], "four cycles a line");
        let mut unlimited = memory(&["l2_bytes_per_cycle=0"]);
        assert_eq!([1, 2, 3].map(|line| unlimited.read(line, 128, 10, counters).at), [170; 3]);
        let mut default = memory(&[]);
        let at: Vec<u64> = (0..7).map(|line| default.read(line, 128, 10, counters).at).collect();
        assert_eq!(at, [170, 170, 170, 170, 170, 170, 171], "six lines a cycle");
    }

    /// T-21: a write takes the port as a read does.
    #[test]
    fn writes_are_not_free() {
        let mut narrow = memory(&["l2_bytes_per_cycle=8"]);
        let counters = &mut Counters::default();
        narrow.write(99, 64, 10, counters);
        assert_eq!(narrow.read(1, 128, 10, counters).at, 10 + (64 + 128) / 8 - 1 + 160);
        assert_eq!((counters.l2_bytes, counters.dram_bytes), (64 + 128, 0));
    }

    /// A written line that is replaced goes through DRAM before what comes after it.
    #[test]
    fn written_lines_go_back_to_dram() {
        let lines_of_a_set = CACHE_WAYS as u64;
        let after = |is_written: bool| {
            let mut memory = memory(&["l2_kib=2", "dram_bytes_per_cycle=128"]);
            let counters = &mut Counters::default();
            for line in 0..lines_of_a_set {
                memory.put(Way { is_written, ..Way::new(line) }, 0, counters);
            }
            let replaces = memory.read(lines_of_a_set, 128, 10, counters);
            assert_eq!(replaces, Answer { level: Level::Dram, at: 10 + 260 });
            memory.read(lines_of_a_set + 1, 128, 5000, counters);
            let at = memory.read(lines_of_a_set + 2, 128, 5000, counters).at;
            (at - 5000, counters.dram_bytes / 128)
        };
        assert_eq!((after(false), after(true)), ((260 + 1, 3), (260 + 2, 6)));
    }
}
