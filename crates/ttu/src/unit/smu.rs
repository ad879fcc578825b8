//! The stack management unit: what comes out of the result queue (steps 11 and 12 of the event
//! list).
//!
//! Leaves go to the SM, foreign blocks onto the query's stack, completion back to the scheduler.
//! The pushes of one block are kept in order, so that the nearest is popped first (T-7). A stack
//! that outgrows the chip spills its oldest entries in groups to the L2; they are fetched back when
//! nothing else is left (T-21).

use super::local_store::{LocalStore, StackEntry};
use super::memory::Memory;
use super::port::{Port, Wire};
use super::result_queue::{Outcome, ResultEntry, ResultQueue};
use super::scheduler::Notice;
use super::tick::Tick;
use crate::config::{Config, PushOrder, STACK_ENTRY_BYTES};
use crate::reporter;
use machine::blocks::MemoryRange;
use machine::{Observer, Step};

/// A block of a slot has gone to so many traversal units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launched {
    pub(crate) slot: u32,
    pub(crate) units: u32,
}

/// A leaf for the SM.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) slot: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    /// What names its items, or holds them.
    pub(crate) memory: MemoryRange,
}

/// A leaf that the SM has tested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafResult {
    pub(crate) slot: u32,
    pub(crate) at: u64,
}

/// What the stack management unit is connected to.
pub(crate) struct Ports<'a> {
    /// From the setup unit.
    pub(crate) launched: &'a mut Wire<Launched>,
    pub(crate) rejects: &'a mut Port<u32>,
    /// From the traversal units.
    pub(crate) results: &'a mut ResultQueue,
    /// From the SM, and to it.
    pub(crate) leaf_results: &'a mut Wire<LeafResult>,
    pub(crate) leaves: &'a mut Wire<Leaf>,
    pub(crate) stacks: StackPorts<'a>,
}

/// Where its stacks are, and whom it tells what they say.
pub(crate) struct StackPorts<'a> {
    pub(crate) store: &'a mut LocalStore,
    pub(crate) memory: &'a mut Memory,
    /// To the scheduler.
    pub(crate) notices: &'a mut Wire<Notice>,
}

/// How far a slot's query is.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// Units that still work on the current block.
    units: u32,
    outstanding_leaves: u32,
    /// Since when nothing but leaves is outstanding.
    drains_from: Option<u64>,
}

/// The stack management unit.
#[derive(Debug)]
pub(crate) struct Smu {
    slots: Vec<Progress>,
}

impl Smu {
    pub(crate) fn new(config: &Config) -> Self {
        Self { slots: vec![Progress::default(); config.slots as usize] }
    }

    /// RESULT → SMU. Blocks that the setup unit refused come first. Says whether anything moved.
    pub(crate) fn tick<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) -> bool {
        let cycle = tick.cycle;
        while let Some(Launched { slot, units }) = to.launched.pop_front() {
            self.slots[slot as usize].units = units;
        }
        while let Some(LeafResult { slot, at }) = to.leaf_results.pop_front() {
            let progress = &mut self.slots[slot as usize];
            progress.outstanding_leaves -= 1;
            if progress.outstanding_leaves == 0
                && let Some(from) = progress.drains_from.take()
            {
                to.stacks.notices.push_back(Notice::Done { slot, at: at.max(from) });
            }
        }
        let mut active = false;
        for _ in 0..tick.env.config.smu_per_cycle {
            if let Some(slot) = to.rejects.receive(cycle) {
                active = true;
                self.proceed(slot, cycle + 1, tick, &mut to.stacks);
                continue;
            }
            let Some(ResultEntry { slot, outcome }) = to.results.receive(cycle) else { break };
            active = true;
            tick.stats.counters.result_pops += 1;
            let progress = &mut self.slots[slot as usize];
            match outcome {
                Outcome::Leaf { first, count, memory } => {
                    progress.outstanding_leaves += 1;
                    to.leaves.push_back(Leaf { slot, first, count, memory });
                }
                Outcome::Foreign { block, entry_t, child } => {
                    let entry = StackEntry { block, entry_t, child };
                    push(slot, entry, tick, &mut to.stacks);
                }
                Outcome::Completion => {
                    progress.units -= 1;
                    if progress.units == 0 {
                        self.proceed(slot, cycle + 1, tick, &mut to.stacks);
                    }
                }
            }
        }
        active
    }

    /// The stacks of slots whose top entry had become too far decide what comes next. Says whether
    /// there were any.
    pub(crate) fn go_on<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        culled: &mut Port<u32>,
        to: &mut StackPorts<'_>,
    ) -> bool {
        let mut active = false;
        while let Some(slot) = culled.receive(tick.cycle) {
            active = true;
            self.proceed(slot, tick.cycle, tick, to);
        }
        active
    }

    /// What a slot does from cycle `at` on, with no block of its own in the machine.
    fn proceed<O: Observer + ?Sized>(
        &mut self,
        slot: u32,
        at: u64,
        tick: &mut Tick<'_, '_, O>,
        to: &mut StackPorts<'_>,
    ) {
        let config = tick.env.config;
        let Tick { stats, reporter, .. } = tick;
        let instance = to.store.queries[slot as usize].instance;
        let stack = &mut to.store.stacks[slot as usize];
        let progress = &mut self.slots[slot as usize];
        to.notices.push_back(if stack.on_chip() > 0 {
            Notice::Ready { slot, at }
        } else if stack.spilled > 0 {
            stack.spilled -= config.spill_group as usize;
            let back_at =
                to.memory.fetch_spilled(stack.spill_group(config), at, &mut stats.counters);
            stats.counters.spill_fills += 1;
            stats.counters.sram_written_bytes += config.spill_bytes();
            if reporter.is_watching() {
                for (entry, depth) in stack.entries[stack.spilled..].iter().zip(1..) {
                    let step = Step::Push { pointer: entry.block.into(), depth };
                    reporter.see(reporter::SMU, instance, step);
                }
            }
            Notice::Refills { slot, at, back_at }
        } else if progress.outstanding_leaves > 0 {
            progress.drains_from = Some(at);
            Notice::Drains { slot, at }
        } else {
            Notice::Done { slot, at }
        });
    }
}

fn push<O: Observer + ?Sized>(
    slot: u32,
    entry: StackEntry,
    tick: &mut Tick<'_, '_, O>,
    to: &mut StackPorts<'_>,
) {
    let (cycle, config) = (tick.cycle, tick.env.config);
    let Tick { stats, reporter, .. } = tick;
    let instance = to.store.queries[slot as usize].instance;
    let stack = &mut to.store.stacks[slot as usize];
    let place = match config.push_order {
        PushOrder::AsIs => stack.entries.len(),
        PushOrder::NearFirst => {
            let is_farther = |other: &StackEntry| {
                let by_distance = other.entry_t.total_cmp(&entry.entry_t);
                by_distance.then(other.child.cmp(&entry.child)).is_gt()
            };
            stack.block_base + stack.entries[stack.block_base..].partition_point(is_farther)
        }
    };
    stack.entries.insert(place, entry);
    if reporter.is_watching() {
        let (pointer, depth) = (entry.block.into(), stack.on_chip() as u32);
        reporter.see(reporter::SMU, instance, Step::Push { pointer, depth });
    }
    if stack.on_chip() > config.stack_on_chip as usize {
        to.memory.spill(stack.spill_group(config), cycle, &mut stats.counters);
        stack.spilled += config.spill_group as usize;
        stats.counters.spills += 1;
        stats.counters.sram_read_bytes += config.spill_bytes();
        if reporter.is_watching() {
            let step = Step::Overflow { lost: config.spill_group };
            reporter.see(reporter::SMU, instance, step);
        }
    }
    let depth = stack.entries.len() as u64;
    stats.counters.stack_pushes += 1;
    stats.counters.sram_written_bytes += STACK_ENTRY_BYTES;
    stats.counters.stack_depth_sum += depth;
    stats.counters.stack_depth_max = stats.counters.stack_depth_max.max(depth);
}
