//! The stack management unit: what comes out of the result queue (steps 11 and 12 of the event list).
//!
//! Leaves go to the SM, foreign blocks onto the query's stack, completion back to the scheduler. The pushes of one block
//! are kept in order, so that the nearest is popped first (T-7). A stack that outgrows the chip spills its oldest
//! entries in groups to the L2; they are fetched back when nothing else is left (T-21).

use super::memory::{Level, Path};
use super::result_queue::{Entry, Outcome};
use super::slot::{StackEntry, State};
use super::sm::Sm;
use super::ttu::{Env, Ttu};
use crate::config::PushOrder;

impl Ttu {
    /// RESULT → SMU. Blocks that the setup unit refused come first.
    pub(crate) fn manage_stacks(
        &mut self,
        cycle: u64,
        env: &Env<'_>,
        sm: &mut Sm,
        path: &mut Path<'_>,
    ) {
        for _ in 0..env.config.smu_per_cycle {
            if let Some(&(_, slot)) = self.rejects.front().filter(|(at, _)| *at <= cycle) {
                self.active = true;
                self.rejects.pop_front();
                self.complete(slot, cycle, env, path);
                continue;
            }
            let Some(Entry { slot, outcome, .. }) = self.results.pop(cycle) else { return };
            self.active = true;
            self.counters.result_pops += 1;
            match outcome {
                Outcome::Leaf { first, count, bytes, address } => {
                    self.slots[slot as usize].outstanding_leaves += 1;
                    let at = self.fetch_leaf(address, bytes, cycle, sm, path);
                    sm.take(at, self.number, slot, first, count);
                }
                Outcome::Foreign { block, entry_t, child } => {
                    self.push(slot, StackEntry { block, entry_t, child }, cycle, env, path);
                }
                Outcome::Completion => self.complete(slot, cycle, env, path),
            }
        }
    }

    /// When the memory of a leaf is in the SM.
    fn fetch_leaf(
        &mut self,
        address: u64,
        bytes: u32,
        cycle: u64,
        sm: &mut Sm,
        path: &mut Path<'_>,
    ) -> u64 {
        let line = u64::from(self.l0.line_bytes);
        let lines = address / line..(address + u64::from(bytes)).div_ceil(line);
        if bytes == 0 {
            return cycle;
        }
        let all = line * (lines.end - lines.start);
        self.counters.sm_fetch_bytes += all;
        let mut arrives_at = cycle;
        for number in lines {
            let answer = path.request(number, cycle);
            self.counters.l2_bytes += line * u64::from(answer.level != Level::L1);
            arrives_at = arrives_at.max(answer.at);
        }
        sm.fetched(all, arrives_at)
    }

    fn push(
        &mut self,
        number: u32,
        entry: StackEntry,
        cycle: u64,
        env: &Env<'_>,
        path: &mut Path<'_>,
    ) {
        let slot = &mut self.slots[number as usize];
        let place = match env.config.push_order {
            PushOrder::AsIs => slot.stack.len(),
            PushOrder::NearFirst => {
                let is_farther = |other: &StackEntry| {
                    let by_distance = other.entry_t.total_cmp(&entry.entry_t);
                    by_distance.then(other.child.cmp(&entry.child)).is_gt()
                };
                slot.block_base + slot.stack[slot.block_base..].partition_point(is_farther)
            }
        };
        slot.stack.insert(place, entry);
        if slot.stack.len() - slot.spilled > env.config.stack_on_chip as usize {
            path.memory.spill(slot.spill_group(self.first_stack, number, env.config), cycle);
            slot.spilled += env.config.spill_group as usize;
            self.counters.spills += 1;
            self.counters.sram_read_bytes += env.config.spill_bytes();
            self.counters.spill_bytes += env.config.spill_bytes();
            self.counters.l2_bytes += env.config.spill_bytes();
        }
        let depth = slot.stack.len() as u64;
        self.counters.stack_pushes += 1;
        self.counters.sram_written_bytes += 8;
        self.counters.stack_depth_sum += depth;
        self.counters.stack_depth_max = self.counters.stack_depth_max.max(depth);
    }

    /// A unit, or the root test, is done with the block of a slot.
    fn complete(&mut self, number: u32, cycle: u64, env: &Env<'_>, path: &mut Path<'_>) {
        let slot = &mut self.slots[number as usize];
        slot.pending_units -= 1;
        if slot.pending_units == 0 {
            self.proceed(number, cycle + 1, env, path);
        }
    }

    /// What a slot does from cycle `at` on, with no block of its own in the machine.
    pub(crate) fn proceed(&mut self, number: u32, at: u64, env: &Env<'_>, path: &mut Path<'_>) {
        let slot = &mut self.slots[number as usize];
        if !slot.stack.is_empty() {
            if slot.stack.len() == slot.spilled {
                slot.spilled -= env.config.spill_group as usize;
                let group = slot.spill_group(self.first_stack, number, env.config);
                let back_at = path.memory.fetch_spilled(group, at);
                self.counters.spill_fills += 1;
                self.counters.sram_written_bytes += env.config.spill_bytes();
                self.counters.spill_bytes += env.config.spill_bytes();
                self.counters.l2_bytes += env.config.spill_bytes();
                self.enter(number, State::Fetch, at);
                self.scheduler.wake(number, back_at);
            } else {
                self.enter(number, State::Ready, at);
                self.scheduler.wake(number, at);
            }
            return;
        }
        let waits = slot.outstanding_leaves > 0;
        self.traversal_latencies.add(at - slot.accepted_at);
        if waits {
            self.enter(number, State::Drain, at);
        } else {
            self.done(number, at);
        }
    }

    /// The result is complete: the SM reads it in the following cycle.
    pub(crate) fn done(&mut self, number: u32, at: u64) {
        self.enter(number, State::Done, at);
        self.releasing.push((at + 1, number));
    }
}
