//! The setup unit: query and block to local coordinates, the test of the root, dispatch (steps 7 and 8 of the event
//! list). One block begins a cycle and takes `t_setup` cycles; an oriented one takes 4 more (T-11).

use super::traversal::UnitSlot;
use super::ttu::{Env, Ttu};
use crate::config::{Dispatch, T_ORIENTED};
use crate::job::Job;
use crate::program::{Launch, Tested};
use std::collections::VecDeque;

/// A block that waits.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    available_at: u64,
    slot: u32,
    block: u32,
}

/// A block in the pipeline.
#[derive(Debug, Clone, Copy)]
struct InPipe {
    done_at: u64,
    slot: u32,
    block: u32,
    tested: Tested,
}

/// The state of the setup unit.
#[derive(Debug)]
pub(crate) struct Setup {
    fifo: VecDeque<Waiting>,
    capacity: usize,
    pipe: VecDeque<InPipe>,
}

impl Setup {
    pub(crate) fn new(capacity: u32) -> Self {
        let capacity = capacity as usize;
        Self {
            fifo: VecDeque::with_capacity(capacity),
            capacity,
            pipe: VecDeque::with_capacity(16),
        }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.fifo.len() < self.capacity
    }

    pub(crate) fn take(&mut self, slot: u32, block: u32, available_at: u64) {
        self.fifo.push_back(Waiting { available_at, slot, block });
    }

    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        let waiting = self.fifo.front().map(|waiting| waiting.available_at);
        let done = self.pipe.front().map(|front| front.done_at - 1);
        waiting.into_iter().chain(done).filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }
}

impl Ttu {
    /// SETUP.
    pub(crate) fn set_up(&mut self, cycle: u64, env: &Env<'_>, jobs: &mut [Job]) {
        self.begin_setup(cycle, env, jobs);
        self.stalls.no_unit_slot = false;
        let mut written = 0;
        while let Some(front) = self.setup.pipe.front().filter(|front| front.done_at <= cycle + 1) {
            let (slot, block) = (front.slot, front.block);
            if env.config.root_test && !front.tested.root {
                self.counters.root_rejects += 1;
                self.slots[slot as usize].pending_units = 1;
                // The end of setup is the next cycle; the SMU sees it in the one after.
                self.rejects.push_back((cycle + 2, slot));
            } else if written == env.config.writable {
                self.counters.setup_write_port += 1;
                return;
            } else if let Some(units) = self.units_for(block, env) {
                written += 1;
                self.counters.launches += 1;
                let tested = front.tested;
                self.dispatch(slot, block, units, &tested, cycle + 1, env);
            } else {
                self.stalls.no_unit_slot = true;
                self.counters.setup_no_unit_slot += 1;
                return;
            }
            self.active = true;
            self.setup.pipe.pop_front();
        }
    }

    fn begin_setup(&mut self, cycle: u64, env: &Env<'_>, jobs: &mut [Job]) {
        let Some(&Waiting { slot, block, .. }) =
            self.setup.fifo.front().filter(|waiting| waiting.available_at <= cycle)
        else {
            return;
        };
        if self.setup.pipe.len() >= env.config.t_setup as usize {
            return;
        }
        self.active = true;
        self.setup.fifo.pop_front();
        self.l0.read(env.lines(block));
        let program = &env.world.program;
        let mut done_at = cycle + u64::from(env.config.t_setup);
        if program.is_oriented(block) {
            self.counters.oriented_setups += 1;
            done_at += u64::from(T_ORIENTED);
        }
        let status = &mut self.slots[slot as usize];
        status.blocks += 1;
        status.held = None;
        jobs[status.job as usize].blocks += 1;
        let launch = Launch { form: &status.form, tmax: status.tmax, mask: status.mask };
        let tested = program.test(block, &launch);
        self.counters.setups += 1;
        self.counters.sram_read_bytes += u64::from(program.blocks[block as usize].bytes) + 64;
        self.setup.pipe.push_back(InPipe { done_at, slot, block, tested });
    }

    /// The units that get the block: the first, and how many; `None` if a slot is missing.
    fn units_for(&self, block: u32, env: &Env<'_>) -> Option<(usize, usize)> {
        match env.config.dispatch {
            Dispatch::B => {
                let free = |unit: &usize| self.units[*unit].free_slots();
                // The last of equal ones wins in `max_by_key`, so they are asked backward.
                let best = (0..self.units.len()).rev().max_by_key(free)?;
                (self.units[best].free_slots() > 0).then_some((best, 1))
            }
            Dispatch::A => {
                let children = usize::from(env.world.program.blocks[block as usize].root_children);
                let used = children.min(self.units.len());
                self.units[..used].iter().all(|unit| unit.free_slots() > 0).then_some((0, used))
            }
        }
    }

    fn dispatch(
        &mut self,
        slot: u32,
        block: u32,
        (first, used): (usize, usize),
        tested: &Tested,
        readable_at: u64,
        env: &Env<'_>,
    ) {
        let children = u32::from(env.world.program.blocks[block as usize].root_children);
        let all = (1u32 << children) - 1;
        self.slots[slot as usize].pending_units = used as u32;
        for unit in first..first + used {
            let group = if used == 1 {
                all
            } else {
                (0..children)
                    .filter(|child| *child as usize % used == unit)
                    .fold(0, |g, c| g | 1 << c)
            };
            self.counters.sram_written_bytes += u64::from(env.config.l0_line_bytes);
            let contents = UnitSlot::new(slot, block, readable_at, group as u16, tested);
            self.units[unit].write(contents);
        }
    }
}
