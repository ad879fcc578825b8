//! The scheduler: status entries, picking a ready slot, popping its stack (steps 3 and 4 of the
//! event list).
//!
//! A slot that comes back from memory is picked again without a pop (T-2). With grouped wake-up
//! those slots come before all others, in the order in which they began to wait. A slot whose
//! lookup was refused for want of an MSHR comes after all others until a line has arrived: nothing
//! it could do would succeed before.

use super::interface::Accepted;
use super::local_store::LocalStore;
use super::port::{Port, Wire};
use super::slot_set::SlotSet;
use super::stats::Stats;
use super::status::{State, Status};
use super::tick::{Env, Tick};
use crate::config::{Config, Policy, STACK_ENTRY_BYTES, Wakeup};
use crate::reporter;
use machine::{Observer, Step};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A block of a slot, on its way to the lookup stage or to the setup unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockRequest {
    pub(crate) slot: u32,
    pub(crate) block: u32,
}

/// What other units tell the scheduler about a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Notice {
    /// The L0 has asked memory for its block: it waits from cycle `at` on.
    Waits { slot: u32, at: u64 },
    /// The L0 can ask for no line more: the slot may try again from cycle `at` on.
    Refused { slot: u32, at: u64 },
    /// The L0 has what the slot waited for.
    Arrived { slot: u32 },
    /// The L0 has told all slots that waited for a block.
    Filled,
    /// The setup unit has read its block.
    SetUp { slot: u32 },
    /// Its stack has an entry, to be picked from cycle `at` on.
    Ready { slot: u32, at: u64 },
    /// Its stack comes back from memory in cycle `back_at`.
    Refills { slot: u32, at: u64, back_at: u64 },
    /// Its stack is empty and leaves are outstanding.
    Drains { slot: u32, at: u64 },
    /// Its result is complete.
    Done { slot: u32, at: u64 },
}

/// A query whose result the SM has read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Released {
    pub(crate) slot: u32,
    pub(crate) job: u32,
    pub(crate) accepted_at: u64,
    pub(crate) done_at: u64,
    /// Blocks that entered the setup unit for it.
    pub(crate) blocks: u32,
}

/// What the scheduler is connected to.
pub(crate) struct Ports<'a> {
    pub(crate) notices: &'a mut Wire<Notice>,
    pub(crate) store: &'a mut LocalStore,
    /// The line that the L0 looked up last.
    pub(crate) last_line: u64,
    /// To the L0.
    pub(crate) popped: &'a mut Port<BlockRequest>,
    /// To the stack management unit: slots whose entry had become too far.
    pub(crate) culled: &'a mut Port<u32>,
    /// To the interface and the SM.
    pub(crate) released: &'a mut Wire<Released>,
}

/// The scheduler.
#[derive(Debug)]
pub(crate) struct Scheduler {
    entries: Vec<Status>,
    ready: SlotSet,
    refused: SlotSet,
    /// Slots that become ready later.
    wakes: BinaryHeap<Reverse<(u64, u32)>>,
    /// Slots to be picked before all others.
    woken: VecDeque<u32>,
    /// Slots that the SM has still to read.
    releasing: Vec<(u64, u32)>,
    next: u32,
    /// How often slots have become ready.
    readied: u64,
    /// How often lines have arrived.
    arrivals: u64,
    /// Slots in use, and since when so many.
    in_use: usize,
    in_use_since: u64,
}

impl Scheduler {
    pub(crate) fn new(slots: u32) -> Self {
        Self {
            entries: (0..slots).map(|_| Status::default()).collect(),
            ready: SlotSet::new(slots, false),
            refused: SlotSet::new(slots, false),
            wakes: BinaryHeap::with_capacity(2 * slots as usize),
            woken: VecDeque::with_capacity(slots as usize),
            releasing: Vec::with_capacity(8),
            next: 0,
            readied: 0,
            arrivals: 0,
            in_use: 0,
            in_use_since: 0,
        }
    }

    /// PICK. Says whether anything moved.
    pub(crate) fn tick<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) -> bool {
        let (cycle, env) = (tick.cycle, tick.env);
        while let Some(notice) = to.notices.pop_front() {
            self.hear(notice, cycle, env.config, tick.stats);
        }
        let mut active = self.release(cycle, to.released, tick.stats);
        active |= self.wake(cycle, tick.stats);
        let room = env.config.pick_per_cycle as usize * (1 + env.config.t_pop as usize);
        for _ in 0..env.config.pick_per_cycle {
            if to.popped.len() >= room {
                break;
            }
            let Some(slot) = self.choose(env, to, tick.stats) else { break };
            active = true;
            self.launch(slot, tick, to);
        }
        active
    }

    /// A query has come into a slot.
    pub(crate) fn admit(&mut self, query: Accepted, stats: &mut Stats) {
        let Accepted { slot, job, priority, at, ready_at } = query;
        self.enter(slot, State::Ready, at, stats);
        let Status { state, since, .. } = self.entries[slot as usize];
        self.entries[slot as usize] =
            Status { state, since, job, priority, accepted_at: at, ..Status::default() };
        self.wakes.push(Reverse((ready_at, slot)));
    }

    fn hear(&mut self, notice: Notice, cycle: u64, config: &Config, stats: &mut Stats) {
        match notice {
            Notice::Waits { slot, at } => self.enter(slot, State::Fetch, at, stats),
            Notice::Refused { slot, at } => {
                self.enter(slot, State::Ready, at, stats);
                self.entries[slot as usize].refused_at = Some(self.arrivals);
                self.wakes.push(Reverse((at, slot)));
            }
            Notice::Arrived { slot } => {
                self.enter(slot, State::Ready, cycle, stats);
                match config.wakeup {
                    Wakeup::Grouped => self.woken.push_back(slot),
                    Wakeup::Plain => self.make_ready(slot),
                }
            }
            Notice::Filled => self.retry_refused(),
            Notice::SetUp { slot } => {
                let entry = &mut self.entries[slot as usize];
                entry.held = None;
                entry.blocks += 1;
            }
            Notice::Ready { slot, at } => {
                self.enter(slot, State::Ready, at, stats);
                self.wakes.push(Reverse((at, slot)));
            }
            Notice::Refills { slot, at, back_at } => {
                self.enter(slot, State::Fetch, at, stats);
                self.wakes.push(Reverse((back_at, slot)));
            }
            Notice::Drains { slot, at } => {
                self.end_traversal(slot, at, stats);
                self.enter(slot, State::Drain, at, stats);
            }
            Notice::Done { slot, at } => {
                self.end_traversal(slot, at, stats);
                self.enter(slot, State::Done, at, stats);
                self.releasing.push((at + 1, slot));
            }
        }
    }

    /// Books how long a query was launched, if it is.
    fn end_traversal(&self, slot: u32, at: u64, stats: &mut Stats) {
        let entry = &self.entries[slot as usize];
        if entry.state == State::Launched {
            stats.traversal_latencies.add(at - entry.accepted_at);
        }
    }

    /// A line has arrived: refused slots may try again.
    fn retry_refused(&mut self) {
        self.arrivals += 1;
        while let Some(slot) = self.refused.next_from(0) {
            self.refused.remove(slot);
            self.make_ready(slot);
        }
    }

    fn make_ready(&mut self, slot: u32) {
        self.entries[slot as usize].readied = self.readied;
        self.readied += 1;
        self.ready.insert(slot);
    }

    /// DONE slots that the SM has read become free.
    fn release(&mut self, cycle: u64, released: &mut Wire<Released>, stats: &mut Stats) -> bool {
        let mut active = false;
        let mut index = 0;
        while let Some(&(at, slot)) = self.releasing.get(index) {
            if at > cycle {
                index += 1;
                continue;
            }
            active = true;
            self.releasing.remove(index);
            self.enter(slot, State::Free, at, stats);
            let Status { job, accepted_at, blocks, .. } = self.entries[slot as usize];
            released.push_back(Released { slot, job, accepted_at, done_at: at - 1, blocks });
            stats.counters.finished += 1;
            stats.counters.lifetime += at - accepted_at;
            stats.latencies.add(at - 1 - accepted_at);
        }
        active
    }

    /// Slots that are ready from now on.
    fn wake(&mut self, cycle: u64, stats: &mut Stats) -> bool {
        let mut active = false;
        while let Some(Reverse((at, slot))) = self.wakes.peek().copied().filter(|w| w.0.0 <= cycle)
        {
            self.wakes.pop();
            active = true;
            let entry = &self.entries[slot as usize];
            if entry.state == State::Fetch {
                self.enter(slot, State::Ready, at, stats);
                self.make_ready(slot);
            } else if entry.refused_at == Some(self.arrivals) {
                self.refused.insert(slot);
            } else {
                self.make_ready(slot);
            }
        }
        active
    }

    /// The slot to be picked, taken out of its set.
    fn choose(&mut self, env: &Env<'_>, to: &Ports<'_>, stats: &mut Stats) -> Option<u32> {
        if let Some(slot) = self.woken.pop_front() {
            return Some(slot);
        }
        let is_refused = self.ready.is_empty();
        let set = if is_refused { &self.refused } else { &self.ready };
        let next = set.next_from(self.next)?;
        let in_turn = |slot: u32| slot.wrapping_sub(self.next) % env.config.slots;
        let entry = |slot: u32| &self.entries[slot as usize];
        let slot = match env.config.policy {
            Policy::RoundRobin => Some(next),
            Policy::Oldest => set.iter().min_by_key(|&slot| (entry(slot).accepted_at, slot)),
            Policy::Fifo => set.iter().min_by_key(|&slot| entry(slot).readied),
            Policy::Priority => {
                set.iter().min_by_key(|&slot| (Reverse(entry(slot).priority), in_turn(slot)))
            }
            Policy::PriorityOldest => set.iter().min_by_key(|&slot| {
                let Status { priority, accepted_at, .. } = *entry(slot);
                (Reverse(priority), accepted_at, slot)
            }),
            Policy::LastLine => {
                let line = |slot: u32| {
                    let top = || to.store.stacks[slot as usize].entries.last();
                    let block = entry(slot).held.or_else(|| top().map(|top| top.block));
                    env.lines(block.unwrap_or(0)).start
                };
                let near = set.iter().filter(|&slot| line(slot) == to.last_line);
                near.min_by_key(|&slot| in_turn(slot))
            }
        };
        let slot = slot.unwrap_or(next);
        if env.config.is_by_priority() {
            let is_overtaking = entry(slot).priority > entry(next).priority;
            stats.counters.overtakes += u64::from(is_overtaking);
        }
        let set = if is_refused { &mut self.refused } else { &mut self.ready };
        set.remove(slot);
        Some(slot)
    }

    fn launch<O: Observer + ?Sized>(
        &mut self,
        slot: u32,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) {
        let (cycle, config) = (tick.cycle, tick.env.config);
        let Tick { stats, reporter, .. } = tick;
        stats.counters.picks += 1;
        self.next = (slot + 1) % config.slots;
        self.enter(slot, State::Launched, cycle, stats);
        let entry = &mut self.entries[slot as usize];
        entry.refused_at = None;
        if let Some(block) = entry.held {
            to.popped.send(cycle + 1, BlockRequest { slot, block });
            return;
        }
        let available_at = cycle + 1 + u64::from(config.t_pop);
        let stack = &mut to.store.stacks[slot as usize];
        let Some(top) = stack.pop() else { return };
        if reporter.is_watching() {
            let (pointer, depth) = (Some(top.block.into()), stack.on_chip() as u32);
            let instance = to.store.queries[slot as usize].instance;
            reporter.see(reporter::SCHEDULER, instance, Step::Pop { pointer, depth });
        }
        stats.counters.stack_pops += 1;
        stats.counters.sram_read_bytes += STACK_ENTRY_BYTES;
        if top.entry_t > to.store.queries[slot as usize].tmax {
            stats.counters.late_culls += 1;
            if reporter.is_watching() {
                let reason = "its box begins behind the best hit";
                reporter.see_also(Step::Skip { pointer: top.block.into(), reason });
            }
            to.culled.send(available_at, slot);
        } else {
            entry.held = Some(top.block);
            to.popped.send(available_at, BlockRequest { slot, block: top.block });
        }
    }

    /// Changes the state of a slot in cycle `at`.
    fn enter(&mut self, slot: u32, state: State, at: u64, stats: &mut Stats) {
        let entry = &mut self.entries[slot as usize];
        stats.timeline.state(slot, entry.state, entry.since, at, entry.job);
        let was_free = entry.state == State::Free;
        entry.book(at, &mut stats.counters);
        entry.state = state;
        if was_free {
            self.occupy(at, self.in_use + 1, stats);
        } else if state == State::Free {
            self.occupy(at, self.in_use - 1, stats);
        }
    }

    /// Books how many slots were in use until cycle `at`.
    fn occupy(&mut self, at: u64, in_use: usize, stats: &mut Stats) {
        stats.occupancy[self.in_use] += at - self.in_use_since;
        self.in_use_since = at;
        self.in_use = in_use;
    }

    /// The question of each slot in use, and whether it waits for memory.
    pub(crate) fn jobs(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        let in_use = self.entries.iter().filter(|entry| entry.state != State::Free);
        in_use.map(|entry| (entry.job, entry.state == State::Fetch))
    }

    /// Slots in use, and those of them that wait for memory.
    pub(crate) fn in_use(&self) -> (u64, u64) {
        let fetching = self.entries.iter().filter(|entry| entry.state == State::Fetch).count();
        (self.in_use as u64, fetching as u64)
    }

    /// When something is due next.
    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        let wake = self.wakes.peek().map(|wake| wake.0.0);
        let releases = self.releasing.iter().map(|&(at, _)| at);
        releases.chain(wake).filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }

    /// Books everything up to cycle `end`.
    pub(crate) fn finish(&mut self, end: u64, stats: &mut Stats) {
        for entry in &mut self.entries {
            entry.book(end, &mut stats.counters);
        }
        self.occupy(end, self.in_use, stats);
    }
}
