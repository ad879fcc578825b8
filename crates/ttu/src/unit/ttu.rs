//! One TTU: its units, and a cycle of it.

use super::interface::Interface;
use super::l0::L0;
use super::memory::Path;
use super::result_queue::ResultQueue;
use super::scheduler::Scheduler;
use super::setup::Setup;
use super::slot::{Slot, SlotSet, State};
use super::sm::Sm;
use super::traversal::Unit;
use crate::beam_ground::BeamGround;
use crate::config::Config;
use crate::counters::Counters;
use crate::distribution::Distribution;
use crate::form::Form;
use crate::job::Job;
use crate::run::timeline::Timeline;
use crate::world::World;
use geometry::{Ray, Vec3};
use std::collections::VecDeque;
use std::ops::Range;

/// What a run has in common.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Env<'a> {
    pub(crate) config: &'a Config,
    pub(crate) world: &'a World,
    /// What beams need, if any are asked.
    pub(crate) beams: Option<&'a BeamGround>,
    /// Whether tests are compared with exact arithmetic.
    pub(crate) counts_false_positives: bool,
}

impl Env<'_> {
    /// The lines of a block.
    pub(crate) fn lines(&self, block: u32) -> Range<u64> {
        self.world.program.blocks[block as usize].lines(self.config.l0_line_bytes)
    }
}

/// What held something up in the last cycle; it does so until something else moves.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stalls {
    pub(crate) queue_full: bool,
    pub(crate) no_unit_slot: bool,
    pub(crate) setup_fifo: bool,
    pub(crate) pinned: bool,
}

/// One tree traversal unit.
#[derive(Debug)]
pub(crate) struct Ttu {
    /// Its number in its SM.
    pub(crate) number: u32,
    /// The number of its first traversal stack in the whole machine.
    pub(crate) first_stack: u64,
    pub(crate) slots: Vec<Slot>,
    pub(crate) free: SlotSet,
    pub(crate) interface: Interface,
    pub(crate) scheduler: Scheduler,
    pub(crate) l0: L0,
    pub(crate) setup: Setup,
    pub(crate) units: Vec<Unit>,
    pub(crate) results: ResultQueue,
    /// Blocks whose root was missed, on their way to the SMU.
    pub(crate) rejects: VecDeque<(u64, u32)>,
    /// Slots that the SM has still to read.
    pub(crate) releasing: Vec<(u64, u32)>,
    pub(crate) stalls: Stalls,
    /// Whether anything moved in this cycle.
    pub(crate) active: bool,
    pub(crate) counters: Counters,
    /// From the first beat until a query leaves the state "launched" for good.
    pub(crate) traversal_latencies: Distribution,
    /// From the first beat until the slot is free.
    pub(crate) latencies: Distribution,
    /// Unit cycles with so many tests issued.
    pub(crate) issues: Vec<u64>,
    /// How many queries a fill woke.
    pub(crate) group_sizes: Distribution,
    /// Cycles with so many slots in use.
    pub(crate) occupancy: Vec<u64>,
    occupied_since: u64,
    /// Slots in use.
    pub(crate) in_use: usize,
    /// Questions that have nothing left to do.
    pub(crate) finished_jobs: Vec<u32>,
    pub(crate) timeline: Timeline,
}

impl Ttu {
    /// The TTU `number` of SM `sm`, of all SMs.
    pub(crate) fn new(number: u32, sm: u32, config: &Config, timeline: Timeline) -> Self {
        let form = Form::dilated(&Ray::new(Vec3::ZERO, Vec3::X), 0.0);
        Self {
            number,
            first_stack: u64::from(sm * config.ttus_per_tpc + number) * u64::from(config.slots),
            slots: (0..config.slots).map(|_| Slot::new(form)).collect(),
            free: SlotSet::new(config.slots, true),
            interface: Interface::new(config.accept_per_cycle),
            scheduler: Scheduler::new(config.slots),
            l0: L0::new(config),
            setup: Setup::new(config.setup_fifo),
            units: (0..config.units).map(|_| Unit::new(config)).collect(),
            results: ResultQueue::new(config.result_queue),
            rejects: VecDeque::with_capacity(8),
            releasing: Vec::with_capacity(8),
            stalls: Stalls::default(),
            active: false,
            counters: Counters::default(),
            traversal_latencies: Distribution::default(),
            latencies: Distribution::default(),
            issues: vec![0; config.tests_per_unit as usize + 1],
            group_sizes: Distribution::default(),
            occupancy: vec![0; config.slots as usize + 1],
            occupied_since: 0,
            in_use: 0,
            finished_jobs: Vec::new(),
            timeline,
        }
    }

    /// One cycle, from the back to the front. Says whether anything moved.
    pub(crate) fn step(
        &mut self,
        cycle: u64,
        env: &Env<'_>,
        jobs: &mut [Job],
        sm: &mut Sm,
        path: &mut Path<'_>,
    ) -> bool {
        self.active = false;
        self.release(cycle, jobs);
        self.manage_stacks(cycle, env, sm, path);
        self.traverse(cycle, env);
        self.set_up(cycle, env, jobs);
        self.fill(cycle, env);
        self.lookup(cycle, env, path);
        self.pick(cycle, env, path);
        self.accept(cycle, env, jobs);
        self.counters.result_queue_entries += self.results.len() as u64;
        self.active
    }

    /// Books `cycles` in which nothing moves.
    pub(crate) fn idle(&mut self, cycles: u64, config: &Config) {
        for unit in &self.units {
            unit.idle(cycles, config, &mut self.counters, &mut self.issues);
        }
        let Stalls { queue_full, no_unit_slot, setup_fifo, pinned } = self.stalls;
        self.counters.queue_full_stalls += cycles * u64::from(queue_full);
        self.counters.setup_no_unit_slot += cycles * u64::from(no_unit_slot);
        self.counters.setup_fifo_full += cycles * u64::from(setup_fifo);
        self.counters.pinned_stalls += cycles * u64::from(pinned);
        self.counters.result_queue_entries += cycles * self.results.len() as u64;
    }

    /// The first time after `cycle` at which something is due.
    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        let times = [
            self.l0.next_event(cycle),
            self.setup.next_event(cycle),
            self.scheduler.next_wake(),
            self.rejects.front().map_or(u64::MAX, |&(at, _)| at),
        ];
        let popped = self.scheduler.popping.iter().map(|popped| popped.available_at);
        let units = self.units.iter().map(|unit| unit.next_event(cycle));
        let releases = self.releasing.iter().map(|&(at, _)| at);
        let ports = self.interface.ports.iter().copied();
        let all = times.into_iter().chain(popped).chain(units).chain(releases).chain(ports);
        all.filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }

    /// Changes the state of a slot in cycle `at`.
    pub(crate) fn enter(&mut self, number: u32, state: State, at: u64) {
        let slot = &mut self.slots[number as usize];
        self.timeline.state(number, slot.state, slot.since, at, slot.job);
        let was_free = slot.state == State::Free;
        slot.enter(state, at, &mut self.counters);
        if was_free {
            self.occupy(at, self.in_use + 1);
        } else if state == State::Free {
            self.occupy(at, self.in_use - 1);
        }
    }

    /// Books how many slots were in use until cycle `at`.
    fn occupy(&mut self, at: u64, in_use: usize) {
        self.occupancy[self.in_use] += at - self.occupied_since;
        self.occupied_since = at;
        self.in_use = in_use;
    }

    /// DONE slots that the SM has read become free; so is their share in the question.
    fn release(&mut self, cycle: u64, jobs: &mut [Job]) {
        let mut index = 0;
        while index < self.releasing.len() {
            let (at, number) = self.releasing[index];
            if at > cycle {
                index += 1;
                continue;
            }
            self.releasing.remove(index);
            self.active = true;
            self.enter(number, State::Free, at);
            self.free.insert(number);
            let slot = &self.slots[number as usize];
            self.counters.finished += 1;
            self.counters.lifetime += at - slot.accepted_at;
            self.latencies.add(at - 1 - slot.accepted_at);
            let job = &mut jobs[slot.job as usize];
            job.live -= 1;
            job.done_at = job.done_at.max(at - 1);
            if job.live == 0 {
                self.finished_jobs.push(slot.job);
            }
        }
    }

    /// Books everything up to cycle `end`.
    pub(crate) fn finish(&mut self, end: u64) {
        for slot in &mut self.slots {
            slot.book(end, &mut self.counters);
        }
        self.occupy(end, self.in_use);
        let tests = self.counters.issue_used;
        self.counters.multiplications = 7 * tests;
        self.counters.additions = 7 * tests;
        self.counters.compares = 8 * tests;
    }

    /// Whether any unit works on a block.
    pub(crate) fn busy_units(&self) -> usize {
        self.units.iter().filter(|unit| unit.is_busy()).count()
    }
}
