//! The scheduler: picks a ready slot, pops its stack (steps 3 and 4 of the event list).
//!
//! A slot that comes back from memory is picked again without a pop (T-2). With grouped wake-up those slots come
//! before all others, in the order in which they began to wait. A slot whose lookup was refused for want of an MSHR
//! comes after all others until a line has arrived: nothing it could do would succeed before.

use super::memory::Path;
use super::slot::{SlotSet, State};
use super::ttu::{Env, Ttu};
use crate::config::Policy;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A block on its way to the lookup stage.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Popped {
    pub(crate) available_at: u64,
    pub(crate) slot: u32,
    pub(crate) block: u32,
}

/// The state of the scheduler.
#[derive(Debug)]
pub(crate) struct Scheduler {
    pub(crate) ready: SlotSet,
    refused: SlotSet,
    /// Slots that become ready later.
    wakes: BinaryHeap<Reverse<(u64, u32)>>,
    /// Slots to be picked before all others.
    pub(crate) woken: VecDeque<u32>,
    pub(crate) popping: Vec<Popped>,
    next: u32,
    /// How often lines have arrived.
    pub(crate) arrivals: u64,
    /// The line looked up last.
    pub(crate) last_line: u64,
}

impl Scheduler {
    pub(crate) fn new(slots: u32) -> Self {
        Self {
            ready: SlotSet::new(slots, false),
            refused: SlotSet::new(slots, false),
            wakes: BinaryHeap::with_capacity(2 * slots as usize),
            woken: VecDeque::with_capacity(slots as usize),
            popping: Vec::with_capacity(16),
            next: 0,
            arrivals: 0,
            last_line: u64::MAX,
        }
    }

    /// The slot can be picked from cycle `at` on.
    pub(crate) fn wake(&mut self, slot: u32, at: u64) {
        self.wakes.push(Reverse((at, slot)));
    }

    /// A line has arrived: refused slots may try again.
    pub(crate) fn forgive(&mut self) {
        self.arrivals += 1;
        while let Some(slot) = self.refused.next_from(0) {
            self.refused.remove(slot);
            self.ready.insert(slot);
        }
    }

    pub(crate) fn next_wake(&self) -> u64 {
        self.wakes.peek().map_or(u64::MAX, |wake| wake.0.0)
    }
}

impl Ttu {
    /// PICK.
    pub(crate) fn pick(&mut self, cycle: u64, env: &Env<'_>, path: &mut Path<'_>) {
        while let Some(Reverse((at, slot))) = self.scheduler.wakes.peek().copied() {
            if at > cycle {
                break;
            }
            self.scheduler.wakes.pop();
            self.active = true;
            match self.slots[slot as usize].state {
                // After a late cull: the stack decides.
                State::Launched => self.proceed(slot, at, env, path),
                State::Fetch => {
                    self.enter(slot, State::Ready, at);
                    self.scheduler.ready.insert(slot);
                }
                _ if self.slots[slot as usize].refused_at == Some(self.scheduler.arrivals) => {
                    self.scheduler.refused.insert(slot);
                }
                _ => self.scheduler.ready.insert(slot),
            }
        }
        let room = env.config.pick_per_cycle as usize * (1 + env.config.t_pop as usize);
        for _ in 0..env.config.pick_per_cycle {
            if self.scheduler.popping.len() >= room {
                return;
            }
            let Some(slot) = self.choose(env) else { return };
            self.launch(slot, cycle, env);
        }
    }

    /// The slot to be picked, taken out of its set.
    fn choose(&mut self, env: &Env<'_>) -> Option<u32> {
        if let Some(slot) = self.scheduler.woken.pop_front() {
            return Some(slot);
        }
        let is_refused = self.scheduler.ready.is_empty();
        let set = if is_refused { &self.scheduler.refused } else { &self.scheduler.ready };
        let next = set.next_from(self.scheduler.next)?;
        let in_turn = |slot: u32| slot.wrapping_sub(self.scheduler.next) % env.config.slots;
        let slot_of = |number: u32| &self.slots[number as usize];
        let slot = match env.config.policy {
            Policy::RoundRobin => next,
            Policy::Oldest => {
                set.iter().min_by_key(|&n| (slot_of(n).accepted_at, n)).unwrap_or(next)
            }
            Policy::Priority => set
                .iter()
                .min_by_key(|&n| (Reverse(slot_of(n).priority), in_turn(n)))
                .unwrap_or(next),
            Policy::LastLine => {
                let line = |n: u32| {
                    let slot = slot_of(n);
                    let block = slot.held.or_else(|| slot.stack.last().map(|entry| entry.block));
                    let block = &env.world.program.blocks[block.unwrap_or(0) as usize];
                    block.lines(env.config.l0_line_bytes).start
                };
                let near = set.iter().filter(|&n| line(n) == self.scheduler.last_line);
                near.min_by_key(|&n| in_turn(n)).unwrap_or(next)
            }
        };
        if is_refused {
            self.scheduler.refused.remove(slot);
        } else {
            self.scheduler.ready.remove(slot);
        }
        Some(slot)
    }

    fn launch(&mut self, number: u32, cycle: u64, env: &Env<'_>) {
        self.active = true;
        self.counters.picks += 1;
        self.scheduler.next = (number + 1) % env.config.slots;
        self.enter(number, State::Launched, cycle);
        let slot = &mut self.slots[number as usize];
        slot.refused_at = None;
        if let Some(block) = slot.held {
            self.scheduler.popping.push(Popped { available_at: cycle + 1, slot: number, block });
            return;
        }
        let available_at = cycle + 1 + u64::from(env.config.t_pop);
        let Some(entry) = slot.stack.pop() else { return };
        self.counters.stack_pops += 1;
        self.counters.sram_read_bytes += 8;
        slot.block_base = slot.stack.len();
        if entry.entry_t > slot.tmax {
            self.counters.late_culls += 1;
            self.scheduler.wake(number, available_at);
        } else {
            slot.held = Some(entry.block);
            self.scheduler.popping.push(Popped { available_at, slot: number, block: entry.block });
        }
    }
}
