//! The interface: takes queries from the SM (step 1 of the event list).
//!
//! A query takes as many beats as its record has port widths. The slot is the lowest free one; it
//! can be picked in the cycle after the last beat, later if the unit forms the reciprocals itself.
//! Without a free slot the interface raises queue-full.

use super::slot::{StackEntry, State};
use super::ttu::{Env, Ttu};
use crate::config::{RAY_BYTES, Rcp};
use crate::job::{Job, node_mask, record_bytes};
use std::collections::VecDeque;

/// A query that the SM wants to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch {
    pub(crate) job: u32,
    /// The instance that it goes through.
    pub(crate) instance: Option<u32>,
}

/// The state of the interface.
#[derive(Debug)]
pub(crate) struct Interface {
    pub(crate) inbox: VecDeque<Launch>,
    /// When each port is free.
    pub(crate) ports: Vec<u64>,
    /// When the reciprocal unit is free.
    rcp_free: u64,
}

impl Interface {
    pub(crate) fn new(ports: u32) -> Self {
        Self { inbox: VecDeque::new(), ports: vec![0; ports as usize], rcp_free: 0 }
    }
}

impl Ttu {
    /// ACCEPT.
    pub(crate) fn accept(&mut self, cycle: u64, env: &Env<'_>, jobs: &mut [Job]) {
        self.stalls.queue_full = false;
        for port in 0..self.interface.ports.len() {
            if self.interface.ports[port] > cycle {
                continue;
            }
            let Some(&launch) = self.interface.inbox.front() else { return };
            let Some(number) = self.free.next_from(0) else {
                self.stalls.queue_full = true;
                self.counters.queue_full_stalls += 1;
                return;
            };
            self.interface.inbox.pop_front();
            self.free.remove(number);
            self.take(number, launch, port, cycle, env, jobs);
        }
    }

    fn take(
        &mut self,
        number: u32,
        launch: Launch,
        port: usize,
        cycle: u64,
        env: &Env<'_>,
        jobs: &mut [Job],
    ) {
        self.active = true;
        self.counters.accepted += 1;
        let job = &mut jobs[launch.job as usize];
        let level = env.world.level_of(launch.instance);
        let bytes = record_bytes(&job.query);
        let beats = u64::from(env.config.beats(bytes));
        self.interface.ports[port] = cycle + beats;
        let mut ready_at = cycle + beats;
        if env.config.rcp == Rcp::Ttu {
            let values = if bytes == RAY_BYTES { 3 } else { 6 };
            let start = ready_at.max(self.interface.rcp_free);
            self.interface.rcp_free = start + values;
            ready_at = start + u64::from(env.config.t_rcp) + values - 1;
        }
        self.counters.sram_written_bytes += u64::from(bytes) + 8;
        self.enter(number, State::Ready, cycle);
        let slot = &mut self.slots[number as usize];
        slot.job = launch.job;
        slot.instance = launch.instance;
        slot.form = env.world.form(&job.query, launch.instance, env.beams);
        if env.counts_false_positives {
            slot.bare = env.world.bare(&job.query, launch.instance, env.beams);
        }
        slot.mask = node_mask(&job.query, launch.instance);
        slot.tmax = job.reach();
        slot.priority = u8::from(launch.instance.is_some());
        slot.accepted_at = cycle;
        slot.held = None;
        slot.stack.clear();
        slot.spilled = 0;
        slot.block_base = 0;
        slot.pending_units = 0;
        slot.outstanding_leaves = 0;
        slot.blocks = 0;
        slot.is_woken = false;
        slot.refused_at = None;
        job.begin(cycle);
        // Levels without a root are never launched.
        let block = env.world.program.levels[level].root.unwrap_or(0);
        slot.stack.push(StackEntry { block, entry_t: 0.0, child: 0 });
        self.scheduler.wake(number, ready_at);
    }
}
