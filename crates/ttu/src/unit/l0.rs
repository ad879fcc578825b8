//! The L0: lookups, misses on their way, fills (steps 5 and 6 of the event list).
//!
//! A block is found if all its lines are there. A line that has arrived is pinned until the first query that waited
//! for it has been set up, and with grouped wake-up until all of them have been looked up; a line whose
//! block waits in the setup FIFO is pinned too, because the setup unit has still to read it. The lines of a block
//! that takes several are put in together, and a query joins a fetch only if that brings all of its lines, so that no
//! query holds one line and waits for another. Blocks that do not begin where lines do may share a line at their ends.

use super::memory::{Level, Path};
use super::slot::State;
use super::ttu::{Env, Ttu};
use crate::config::{Config, Replace, Wakeup};
use std::collections::VecDeque;
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

/// A block on its way.
#[derive(Debug)]
struct Miss {
    first: u64,
    count: u32,
    requested_at: u64,
    arrives_at: u64,
    waiters: Vec<u32>,
}

impl Miss {
    fn lines(&self) -> Range<u64> {
        self.first..self.first + u64::from(self.count)
    }
}

fn covers(all: &Range<u64>, part: &Range<u64>) -> bool {
    all.start <= part.start && part.end <= all.end
}

/// A lookup under way.
#[derive(Debug, Clone, Copy)]
struct Lookup {
    resolves_at: u64,
    slot: u32,
    block: u32,
}

/// The state of the L0.
#[derive(Debug)]
pub(crate) struct L0 {
    lines: Vec<Line>,
    /// The tags once more, side by side, for the search.
    tags: Vec<u64>,
    ways: usize,
    is_lru: bool,
    /// Lines that have arrived, while no query that waited for them has been set up.
    guards: Vec<Range<u64>>,
    misses: Vec<Miss>,
    spare_waiters: Vec<Vec<u32>>,
    lookups: VecDeque<Lookup>,
    /// When the block on the fill port is complete.
    filling: Option<(u64, Miss)>,
    clock: u64,
    pub(crate) line_bytes: u32,
}

impl L0 {
    pub(crate) fn new(config: &Config) -> Self {
        let empty = Line { tag: NO_TAG, stamp: 0, pins: 0, waiters: 0 };
        Self {
            lines: vec![empty; config.l0_lines as usize],
            tags: vec![NO_TAG; config.l0_lines as usize],
            ways: config.l0_ways() as usize,
            is_lru: config.l0_replace == Replace::Lru,
            guards: Vec::with_capacity(config.l0_lines as usize),
            misses: Vec::with_capacity(config.l0_mshrs as usize),
            spare_waiters: Vec::new(),
            lookups: VecDeque::with_capacity(16),
            filling: None,
            clock: 0,
            line_bytes: config.l0_line_bytes,
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

    fn holds(&self, mut lines: Range<u64>) -> bool {
        lines.all(|line| self.find(line).is_some())
    }

    /// The block leaves the setup FIFO: its lines have been read.
    pub(crate) fn read(&mut self, lines: Range<u64>) {
        self.guards.retain(|guarded| !covers(guarded, &lines));
        for line in lines {
            if let Some(found) = self.find(line) {
                self.lines[found].pins -= 1;
            }
        }
    }

    fn is_held(&self, line: &Line) -> bool {
        let is_guarded = || self.guards.iter().any(|guarded| guarded.contains(&line.tag));
        line.pins > 0 || line.waiters > 0 || is_guarded()
    }

    /// Places for new lines, in the place of the oldest that nothing holds; all or none.
    fn victims(&self, lines: Range<u64>) -> Option<Vec<usize>> {
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

    fn lines_on_their_way(&self) -> u32 {
        let waiting = self.misses.iter().map(|miss| miss.count).sum::<u32>();
        waiting + self.filling.as_ref().map_or(0, |(_, miss)| miss.count)
    }

    /// The fetch that brings all of the lines.
    fn on_its_way(&mut self, lines: &Range<u64>) -> Option<&mut Miss> {
        let filling = self.filling.as_mut().map(|(_, miss)| miss);
        filling.into_iter().chain(&mut self.misses).find(|miss| covers(&miss.lines(), lines))
    }

    /// The first time after `cycle` at which something is due here.
    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        let filling = self.filling.as_ref().map(|(at, _)| *at);
        let lookup = self.lookups.front().map(|lookup| lookup.resolves_at);
        let arrivals = self.misses.iter().map(|miss| miss.arrives_at);
        let all = arrivals.chain(filling).chain(lookup);
        all.filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }
}

impl Ttu {
    /// FILL.
    pub(crate) fn fill(&mut self, cycle: u64, env: &Env<'_>) {
        self.stalls.pinned = false;
        if let Some((done_at, miss)) = self.l0.filling.take() {
            if done_at > cycle {
                self.l0.filling = Some((done_at, miss));
                return;
            }
            let Some(places) = self.l0.victims(miss.lines()) else {
                self.stalls.pinned = true;
                self.counters.pinned_stalls += 1;
                self.l0.filling = Some((done_at, miss));
                return;
            };
            self.put_in(miss, &places, cycle, env);
        }
        let due = self.l0.misses.iter().enumerate().filter(|(_, miss)| miss.arrives_at <= cycle);
        let first = due.min_by_key(|(_, miss)| (miss.arrives_at, miss.requested_at, miss.first));
        if let Some((index, _)) = first {
            self.active = true;
            let miss = self.l0.misses.swap_remove(index);
            let cycles = u64::from(env.config.t_fill()) * u64::from(miss.count);
            self.l0.filling = Some((cycle + cycles, miss));
        }
    }

    /// Puts the lines in and wakes who waits.
    fn put_in(&mut self, mut miss: Miss, places: &[usize], cycle: u64, env: &Env<'_>) {
        self.active = true;
        let grouped = env.config.wakeup == Wakeup::Grouped;
        // A query that joined may need fewer lines than the one that asked.
        let needs = |slot: &u32, line: u64| {
            let block = self.slots[*slot as usize].held;
            block.is_some_and(|block| env.lines(block).contains(&line))
        };
        for (line, &place) in miss.lines().zip(places) {
            self.l0.clock += 1;
            let stamp = self.l0.clock;
            let old = &mut self.l0.lines[place];
            self.counters.evictions += u64::from(old.tag != NO_TAG && old.tag != line);
            let need = || miss.waiters.iter().filter(|slot| needs(slot, line)).count() as u32;
            let waiters = if grouped { need() } else { 0 };
            let (pins, waiters) = match old.tag == line {
                true => (old.pins, old.waiters + waiters),
                false => (0, waiters),
            };
            *old = Line { tag: line, stamp, pins, waiters };
            self.l0.tags[place] = line;
        }
        self.l0.guards.push(miss.lines());
        self.counters.fills += u64::from(miss.count);
        self.counters.l0_fill_bytes += u64::from(miss.count) * u64::from(self.l0.line_bytes);
        self.counters.sram_written_bytes += u64::from(miss.count) * u64::from(self.l0.line_bytes);
        self.counters.fetch_cycles += cycle - miss.requested_at;
        self.counters.fetches += 1;
        self.counters.woken += miss.waiters.len() as u64;
        self.group_sizes.add(miss.waiters.len() as u64);
        for &slot in &miss.waiters {
            self.enter(slot, State::Ready, cycle);
            if grouped {
                self.scheduler.woken.push_back(slot);
                self.slots[slot as usize].is_woken = true;
            } else {
                self.scheduler.ready.insert(slot);
            }
        }
        self.scheduler.forgive();
        miss.waiters.clear();
        self.l0.spare_waiters.push(miss.waiters);
    }

    /// LOOKUP: begins lookups, then resolves those whose outcome is due.
    pub(crate) fn lookup(&mut self, cycle: u64, env: &Env<'_>, path: &mut Path<'_>) {
        let width = env.config.l0_lookups_per_cycle as usize;
        let depth = env.config.t_l0 as usize * width;
        for _ in 0..width {
            if self.l0.lookups.len() >= depth {
                break;
            }
            let popping = self.scheduler.popping.iter().enumerate();
            let due = popping.filter(|(_, popped)| popped.available_at <= cycle);
            let Some((index, popped)) = due.min_by_key(|(index, p)| (p.available_at, *index))
            else {
                break;
            };
            let (slot, block) = (popped.slot, popped.block);
            self.scheduler.popping.remove(index);
            self.active = true;
            let resolves_at = cycle + u64::from(env.config.t_l0) - 1;
            self.l0.lookups.push_back(Lookup { resolves_at, slot, block });
            self.scheduler.last_line = env.lines(block).start;
        }
        self.stalls.setup_fifo = false;
        for _ in 0..width {
            let Some(&lookup) = self.l0.lookups.front().filter(|l| l.resolves_at <= cycle) else {
                return;
            };
            if !self.resolve(lookup, cycle, env, path) {
                self.stalls.setup_fifo = true;
                self.counters.setup_fifo_full += 1;
                return;
            }
            self.active = true;
            self.l0.lookups.pop_front();
        }
    }

    /// The outcome of a lookup, available in the next cycle; false if the setup FIFO has no room.
    fn resolve(&mut self, lookup: Lookup, cycle: u64, env: &Env<'_>, path: &mut Path<'_>) -> bool {
        let Lookup { slot, block, .. } = lookup;
        let lines = env.lines(block);
        if self.l0.holds(lines.clone()) {
            if !self.setup.has_room() {
                return false;
            }
            let was_woken = std::mem::take(&mut self.slots[slot as usize].is_woken);
            for line in lines {
                if let Some(found) = self.l0.find(line) {
                    self.l0.clock += 1;
                    let stamp = self.l0.clock;
                    let is_lru = self.l0.is_lru;
                    let line = &mut self.l0.lines[found];
                    line.pins += 1;
                    line.waiters -= u32::from(was_woken);
                    line.stamp = if is_lru { stamp } else { line.stamp };
                }
            }
            self.counters.lookups += 1;
            self.counters.hits += 1;
            self.setup.take(slot, block, cycle + 1);
            return true;
        }
        let most_waiters = env.config.merge as usize;
        let count = (lines.end - lines.start) as u32;
        let has_room = self.l0.lines_on_their_way() + count <= env.config.l0_mshrs;
        if let Some(miss) = self.l0.on_its_way(&lines) {
            if most_waiters == 0 || miss.waiters.len() < most_waiters {
                miss.waiters.push(slot);
                self.counters.lookups += 1;
                self.counters.merges += 1;
                self.enter(slot, State::Fetch, cycle + 1);
                return true;
            }
        } else if has_room {
            self.request(slot, lines, cycle + 1, path);
            self.counters.lookups += 1;
            self.counters.misses += 1;
            self.enter(slot, State::Fetch, cycle + 1);
            return true;
        }
        self.counters.mshr_full += 1;
        self.enter(slot, State::Ready, cycle + 1);
        self.slots[slot as usize].refused_at = Some(self.scheduler.arrivals);
        self.scheduler.wake(slot, cycle + 1);
        true
    }

    fn request(&mut self, slot: u32, lines: Range<u64>, now: u64, path: &mut Path<'_>) {
        let (first, count) = (lines.start, (lines.end - lines.start) as u32);
        let mut arrives_at = now;
        for line in lines {
            let answer = path.request(line, now);
            arrives_at = arrives_at.max(answer.at);
            let bytes = u64::from(self.l0.line_bytes);
            self.counters.l2_bytes += bytes * u64::from(answer.level != Level::L1);
            *match answer.level {
                Level::L1 => &mut self.counters.bytes_from_l1,
                Level::L2 => &mut self.counters.bytes_from_l2,
                Level::Dram => &mut self.counters.bytes_from_dram,
            } += bytes;
        }
        let mut waiters = self.l0.spare_waiters.pop().unwrap_or_default();
        waiters.push(slot);
        self.l0.misses.push(Miss { first, count, requested_at: now, arrives_at, waiters });
    }
}
