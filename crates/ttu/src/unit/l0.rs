//! The L0: lookups, misses on their way, fills (steps 5 and 6 of the event list).
//!
//! A block is found if all its lines are there. A query joins a fetch only if that brings all of
//! its lines, so that no query holds one line and waits for another.

use super::l0_lines::Lines;
use super::memory::{Level, Path};
use super::port::{Port, Wire};
use super::scheduler::{BlockRequest, Notice};
use super::stats::Stats;
use super::tick::Tick;
use crate::config::{Config, Wakeup};
use std::collections::VecDeque;
use std::ops::Range;

/// A block on its way.
#[derive(Debug)]
struct Miss {
    first: u64,
    count: u32,
    requested_at: u64,
    arrives_at: u64,
    waiters: Vec<BlockRequest>,
}

impl Miss {
    fn lines(&self) -> Range<u64> {
        self.first..self.first + u64::from(self.count)
    }

    fn brings(&self, lines: &Range<u64>) -> bool {
        self.first <= lines.start && lines.end <= self.lines().end
    }
}

/// What the L0 is connected to.
pub(crate) struct Ports<'a, 'm> {
    /// From the scheduler.
    pub(crate) popped: &'a mut Port<BlockRequest>,
    /// To the setup unit.
    pub(crate) found: &'a mut Port<BlockRequest>,
    /// From the setup unit: blocks that it has read.
    pub(crate) read: &'a mut Wire<u32>,
    /// To the scheduler.
    pub(crate) notices: &'a mut Wire<Notice>,
    pub(crate) path: &'a mut Path<'m>,
}

/// The L0.
#[derive(Debug)]
pub(crate) struct L0 {
    lines: Lines,
    misses: Vec<Miss>,
    spare_waiters: Vec<Vec<BlockRequest>>,
    lookups: VecDeque<(u64, BlockRequest)>,
    /// When the block on the fill port is complete.
    filling: Option<(u64, Miss)>,
    /// The line looked up last.
    last_line: u64,
    line_bytes: u64,
    /// What holds something up.
    is_pinned: bool,
    is_setup_full: bool,
}

impl L0 {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            lines: Lines::new(config),
            misses: Vec::with_capacity(config.l0_mshrs as usize),
            spare_waiters: Vec::new(),
            lookups: VecDeque::with_capacity(16),
            filling: None,
            last_line: u64::MAX,
            line_bytes: config.l0_line_bytes.into(),
            is_pinned: false,
            is_setup_full: false,
        }
    }

    /// The line looked up last.
    pub(crate) fn last_line(&self) -> u64 {
        self.last_line
    }

    /// FILL and LOOKUP. Says whether anything moved.
    pub(crate) fn tick<O: ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_, '_>,
    ) -> bool {
        while let Some(block) = to.read.pop_front() {
            self.lines.read(tick.env.lines(block));
        }
        let filled = self.fill(tick, to);
        let looked_up = self.lookup(tick, to);
        filled || looked_up
    }

    /// FILL.
    fn fill<O: ?Sized>(&mut self, tick: &mut Tick<'_, '_, O>, to: &mut Ports<'_, '_>) -> bool {
        let (cycle, env) = (tick.cycle, tick.env);
        self.is_pinned = false;
        let mut active = false;
        if let Some((done_at, miss)) = self.filling.take() {
            let places = if done_at > cycle { None } else { self.lines.victims(miss.lines()) };
            let Some(places) = places else {
                self.is_pinned = done_at <= cycle;
                tick.stats.counters.pinned_stalls += u64::from(self.is_pinned);
                self.filling = Some((done_at, miss));
                return false;
            };
            active = true;
            self.put_in(miss, &places, tick, to.notices);
        }
        let due = self.misses.iter().enumerate().filter(|(_, miss)| miss.arrives_at <= cycle);
        let first = due.min_by_key(|(_, miss)| (miss.arrives_at, miss.requested_at, miss.first));
        if let Some((index, _)) = first {
            active = true;
            let miss = self.misses.swap_remove(index);
            let cycles = u64::from(env.config.t_fill()) * u64::from(miss.count);
            self.filling = Some((cycle + cycles, miss));
        }
        active
    }

    /// Puts the lines in and wakes who waits.
    fn put_in<O: ?Sized>(
        &mut self,
        mut miss: Miss,
        places: &[usize],
        tick: &mut Tick<'_, '_, O>,
        notices: &mut Wire<Notice>,
    ) {
        let (cycle, env, stats) = (tick.cycle, tick.env, &mut *tick.stats);
        let is_grouped = env.config.wakeup == Wakeup::Grouped;
        // A query that joined may need fewer lines than the one that asked.
        let waiters_for = |line: u64| {
            let needs = |waiter: &&BlockRequest| env.lines(waiter.block).contains(&line);
            if is_grouped { miss.waiters.iter().filter(needs).count() as u32 } else { 0 }
        };
        let counters = &mut stats.counters;
        counters.evictions += self.lines.put(miss.lines(), places, waiters_for);
        let bytes = u64::from(miss.count) * self.line_bytes;
        counters.fills += u64::from(miss.count);
        counters.l0_fill_bytes += bytes;
        counters.sram_written_bytes += bytes;
        counters.fetch_cycles += cycle - miss.requested_at;
        counters.fetches += 1;
        counters.woken += miss.waiters.len() as u64;
        stats.group_sizes.add(miss.waiters.len() as u64);
        for BlockRequest { slot, .. } in miss.waiters.drain(..) {
            if is_grouped {
                self.lines.expect(slot);
            }
            notices.push_back(Notice::Arrived { slot });
        }
        notices.push_back(Notice::Filled);
        self.spare_waiters.push(miss.waiters);
    }

    /// LOOKUP: begins lookups, then resolves those whose outcome is due.
    fn lookup<O: ?Sized>(&mut self, tick: &mut Tick<'_, '_, O>, to: &mut Ports<'_, '_>) -> bool {
        let (cycle, env) = (tick.cycle, tick.env);
        let width = env.config.l0_lookups_per_cycle as usize;
        let depth = env.config.t_l0 as usize * width;
        let mut active = false;
        for _ in 0..width {
            if self.lookups.len() >= depth {
                break;
            }
            let Some(popped) = to.popped.receive(cycle) else { break };
            active = true;
            self.lookups.push_back((cycle + u64::from(env.config.t_l0) - 1, popped));
            self.last_line = env.lines(popped.block).start;
        }
        self.is_setup_full = false;
        for _ in 0..width {
            let Some(&(_, request)) = self.lookups.front().filter(|(at, _)| *at <= cycle) else {
                break;
            };
            if !self.resolve(request, tick, to) {
                self.is_setup_full = true;
                tick.stats.counters.setup_fifo_full += 1;
                break;
            }
            active = true;
            self.lookups.pop_front();
        }
        active
    }

    /// The outcome of a lookup, available in the next cycle; false if the setup FIFO has no room.
    fn resolve<O: ?Sized>(
        &mut self,
        request: BlockRequest,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_, '_>,
    ) -> bool {
        let (cycle, env, stats) = (tick.cycle, tick.env, &mut *tick.stats);
        let (slot, at) = (request.slot, cycle + 1);
        let lines = env.lines(request.block);
        if self.lines.holds(lines.clone()) {
            if !to.found.has_room() {
                return false;
            }
            self.lines.pin(lines, slot);
            stats.counters.lookups += 1;
            stats.counters.hits += 1;
            to.found.send(at, request);
            return true;
        }
        let most_waiters = env.config.merge as usize;
        let count = (lines.end - lines.start) as u32;
        let has_room = self.lines_on_their_way() + count <= env.config.l0_mshrs;
        if let Some(miss) = self.on_its_way(&lines) {
            if most_waiters == 0 || miss.waiters.len() < most_waiters {
                miss.waiters.push(request);
                stats.counters.lookups += 1;
                stats.counters.merges += 1;
                to.notices.push_back(Notice::Waits { slot, at });
                return true;
            }
        } else if has_room {
            self.request(request, lines, at, to.path, stats);
            stats.counters.lookups += 1;
            stats.counters.misses += 1;
            to.notices.push_back(Notice::Waits { slot, at });
            return true;
        }
        stats.counters.mshr_full += 1;
        to.notices.push_back(Notice::Refused { slot, at });
        true
    }

    fn lines_on_their_way(&self) -> u32 {
        let waiting = self.misses.iter().map(|miss| miss.count).sum::<u32>();
        waiting + self.filling.as_ref().map_or(0, |(_, miss)| miss.count)
    }

    /// The fetch that brings all of the lines.
    fn on_its_way(&mut self, lines: &Range<u64>) -> Option<&mut Miss> {
        let filling = self.filling.as_mut().map(|(_, miss)| miss);
        filling.into_iter().chain(&mut self.misses).find(|miss| miss.brings(lines))
    }

    fn request(
        &mut self,
        request: BlockRequest,
        lines: Range<u64>,
        now: u64,
        path: &mut Path<'_>,
        stats: &mut Stats,
    ) {
        let (first, count) = (lines.start, (lines.end - lines.start) as u32);
        let mut arrives_at = now;
        for line in lines {
            let answer = path.request(line, self.line_bytes, now, &mut stats.counters);
            arrives_at = arrives_at.max(answer.at);
            *match answer.level {
                Level::L1 => &mut stats.counters.bytes_from_l1,
                Level::L2 => &mut stats.counters.bytes_from_l2,
                Level::Dram => &mut stats.counters.bytes_from_dram,
            } += self.line_bytes;
        }
        let mut waiters = self.spare_waiters.pop().unwrap_or_default();
        waiters.push(request);
        self.misses.push(Miss { first, count, requested_at: now, arrives_at, waiters });
    }

    /// Books `cycles` in which nothing moves.
    pub(crate) fn idle(&self, cycles: u64, stats: &mut Stats) {
        stats.counters.setup_fifo_full += cycles * u64::from(self.is_setup_full);
        stats.counters.pinned_stalls += cycles * u64::from(self.is_pinned);
    }

    /// The first time after `cycle` at which something is due here.
    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        let filling = self.filling.as_ref().map(|(at, _)| *at);
        let lookup = self.lookups.front().map(|(at, _)| *at);
        let arrivals = self.misses.iter().map(|miss| miss.arrives_at);
        let all = arrivals.chain(filling).chain(lookup);
        all.filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }
}
