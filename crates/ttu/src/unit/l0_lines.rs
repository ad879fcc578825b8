//! The lines of the L0: which are there, which may go.
//!
//! A line that has arrived is pinned until the first query that waited for it has been set up, and
//! with grouped wake-up until all of them have been looked up; a line whose block waits in the
//! setup FIFO is pinned too, because the setup unit has still to read it. The lines of a block that
//! takes several are put in together. Blocks that do not begin where lines do may share a line at
//! their ends.

use super::slot_set::SlotSet;
use crate::config::{Config, Replace};
use std::ops::Range;

/// A line of the L0.
#[derive(Debug, Clone, Copy)]
struct Line {
    tag: u64,
    stamp: u64,
    /// Blocks in the setup FIFO that lie here.
    pins: u32,
    /// Woken queries that have still to look it up.
    waiters: u32,
}

const NO_TAG: u64 = u64::MAX;

/// All lines.
#[derive(Debug)]
pub(super) struct Lines {
    lines: Vec<Line>,
    /// The tags once more, side by side, for the search.
    tags: Vec<u64>,
    ways: usize,
    is_lru: bool,
    /// Lines that have arrived, while no query that waited for them has been set up.
    guards: Vec<Range<u64>>,
    /// Slots that have been woken together and have not been looked up again.
    woken: SlotSet,
    clock: u64,
}

impl Lines {
    pub(super) fn new(config: &Config) -> Self {
        let empty = Line { tag: NO_TAG, stamp: 0, pins: 0, waiters: 0 };
        Self {
            lines: vec![empty; config.l0_lines as usize],
            tags: vec![NO_TAG; config.l0_lines as usize],
            ways: config.l0_ways() as usize,
            is_lru: config.l0_replace == Replace::Lru,
            guards: Vec::with_capacity(config.l0_lines as usize),
            woken: SlotSet::new(config.slots, false),
            clock: 0,
        }
    }

    fn set(&self, line: u64) -> Range<usize> {
        let sets = (self.lines.len() / self.ways) as u64;
        let first = (line % sets) as usize * self.ways;
        first..first + self.ways
    }

    fn find(&self, line: u64) -> Option<usize> {
        let set = self.set(line);
        let first = set.start;
        self.tags[set].iter().position(|&tag| tag == line).map(|way| first + way)
    }

    pub(super) fn holds(&self, mut lines: Range<u64>) -> bool {
        lines.all(|line| self.find(line).is_some())
    }

    /// A block that `slot` has found goes into the setup FIFO.
    pub(super) fn pin(&mut self, lines: Range<u64>, slot: u32) {
        let was_woken = self.woken.take(slot);
        for line in lines {
            if let Some(found) = self.find(line) {
                self.clock += 1;
                let line = &mut self.lines[found];
                line.pins += 1;
                line.waiters -= u32::from(was_woken);
                line.stamp = if self.is_lru { self.clock } else { line.stamp };
            }
        }
    }

    /// A block leaves the setup FIFO: its lines have been read.
    pub(super) fn read(&mut self, lines: Range<u64>) {
        self.guards.retain(|all| !(all.start <= lines.start && lines.end <= all.end));
        for line in lines {
            if let Some(found) = self.find(line) {
                self.lines[found].pins -= 1;
            }
        }
    }

    /// The slot is one of those that the lines wait for.
    pub(super) fn expect(&mut self, slot: u32) {
        self.woken.insert(slot);
    }

    fn is_held(&self, line: &Line) -> bool {
        let is_guarded = || self.guards.iter().any(|guarded| guarded.contains(&line.tag));
        line.pins > 0 || line.waiters > 0 || is_guarded()
    }

    /// Places for new lines, in the place of the oldest that nothing holds; all or none.
    pub(super) fn victims(&self, lines: Range<u64>) -> Option<Vec<usize>> {
        let mut chosen: Vec<usize> = Vec::with_capacity(1);
        for line in lines.clone() {
            let present = self.find(line);
            let oldest = || {
                let free = |way: &usize| {
                    let old = &self.lines[*way];
                    !lines.contains(&old.tag) && !self.is_held(old) && !chosen.contains(way)
                };
                self.set(line).filter(free).min_by_key(|&way| (self.lines[way].stamp, way))
            };
            chosen.push(present.or_else(oldest)?);
        }
        Some(chosen)
    }

    /// Puts lines into the places found for them, each with its waiters; says how many others had
    /// to go.
    pub(super) fn put(
        &mut self,
        lines: Range<u64>,
        places: &[usize],
        waiters_for: impl Fn(u64) -> u32,
    ) -> u64 {
        let mut evictions = 0;
        for (line, &place) in lines.clone().zip(places) {
            self.clock += 1;
            let old = &mut self.lines[place];
            let is_same = old.tag == line;
            evictions += u64::from(old.tag != NO_TAG && !is_same);
            let (pins, waiters) = if is_same { (old.pins, old.waiters) } else { (0, 0) };
            let waiters = waiters + waiters_for(line);
            *old = Line { tag: line, stamp: self.clock, pins, waiters };
            self.tags[place] = line;
        }
        self.guards.push(lines);
        evictions
    }
}
