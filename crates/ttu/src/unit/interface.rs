//! The interface: takes queries from the SM (steps 1 and 2 of the event list).
//!
//! A query takes as many beats as its record has port widths. The slot is the lowest free one; it
//! can be picked in the cycle after the last beat, later if the unit forms the reciprocals itself.
//! Without a free slot the interface raises queue-full.

use super::local_store::{LocalStore, QueryRecord};
use super::port::Wire;
use super::slot_set::SlotSet;
use super::stats::Stats;
use super::tick::{Env, Tick};
use crate::config::{Config, RAY_BYTES, Rcp, STACK_ENTRY_BYTES};
use crate::job::{Job, node_mask, record_bytes};
use machine::Observer;
use std::collections::VecDeque;

/// A query that the SM wants to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryRequest {
    pub(crate) job: u32,
    /// The placement that it goes through.
    pub(crate) instance: Option<u32>,
    pub(crate) priority: u8,
}

/// A query that has a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accepted {
    pub(crate) slot: u32,
    pub(crate) job: u32,
    pub(crate) priority: u8,
    /// The cycle of its first beat.
    pub(crate) at: u64,
    pub(crate) ready_at: u64,
}

/// What the interface is connected to.
pub(crate) struct Ports<'a> {
    /// The questions, as the SM holds them.
    pub(crate) jobs: &'a [Job],
    pub(crate) store: &'a mut LocalStore,
    /// To the scheduler.
    pub(crate) accepted: &'a mut Wire<Accepted>,
}

/// The interface.
#[derive(Debug)]
pub(crate) struct Interface {
    inbox: VecDeque<QueryRequest>,
    free: SlotSet,
    /// When each port is free.
    ports: Vec<u64>,
    /// When the reciprocal unit is free.
    rcp_free: u64,
    /// A query waits for a slot.
    is_full: bool,
    /// Queries of higher priority come first.
    by_priority: bool,
}

impl Interface {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            inbox: VecDeque::new(),
            free: SlotSet::new(config.slots, true),
            ports: vec![0; config.accept_per_cycle as usize],
            rcp_free: 0,
            is_full: false,
            by_priority: config.is_by_priority(),
        }
    }

    /// A query that waits behind the others of its priority.
    pub(crate) fn request(&mut self, request: QueryRequest) {
        let is_before = |other: &QueryRequest| other.priority >= request.priority;
        let place =
            if self.by_priority { self.inbox.partition_point(is_before) } else { self.inbox.len() };
        self.inbox.insert(place, request);
    }

    /// A query that comes before the others of its priority: its question is under way.
    pub(crate) fn request_first(&mut self, request: QueryRequest) {
        let is_before = |other: &QueryRequest| other.priority > request.priority;
        let place = if self.by_priority { self.inbox.partition_point(is_before) } else { 0 };
        self.inbox.insert(place, request);
    }

    /// The questions of queries that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        self.inbox.iter().map(|request| request.job)
    }

    /// The slot can be given away again.
    pub(crate) fn free(&mut self, slot: u32) {
        self.free.insert(slot);
    }

    /// ACCEPT. Says whether anything moved.
    pub(crate) fn tick<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) -> bool {
        let (cycle, env) = (tick.cycle, tick.env);
        let Tick { stats, reporter, .. } = tick;
        self.is_full = false;
        let mut active = false;
        for port in 0..self.ports.len() {
            if self.ports[port] > cycle {
                continue;
            }
            let Some(&request) = self.inbox.front() else { break };
            let Some(slot) = self.free.next_from(0) else {
                self.is_full = true;
                stats.counters.queue_full_stalls += 1;
                break;
            };
            active = true;
            self.inbox.pop_front();
            self.free.remove(slot);
            let job = &to.jobs[request.job as usize];
            let bytes = record_bytes(&job.query);
            stats.counters.accepted += 1;
            stats.counters.sram_written_bytes += u64::from(bytes) + STACK_ENTRY_BYTES;
            let ready_at = self.receive(port, bytes, cycle, env.config);
            // Levels without a root are never launched.
            let level = env.world.level_of(request.instance);
            let root = env.world.program.levels[level].root.unwrap_or(0);
            to.store.put(slot, record(request, job, env), root);
            if reporter.is_watching() {
                reporter.accepted(request, &job.query, env, root);
            }
            let QueryRequest { job, priority, .. } = request;
            to.accepted.push_back(Accepted { slot, job, priority, at: cycle, ready_at });
        }
        active
    }

    /// Takes the beats of a query; says when it can be picked.
    fn receive(&mut self, port: usize, bytes: u32, cycle: u64, config: &Config) -> u64 {
        let last = cycle + u64::from(config.beats(bytes));
        self.ports[port] = last;
        let there = last + u64::from(config.t_link);
        if config.rcp == Rcp::Sm {
            return there;
        }
        let values = if bytes == RAY_BYTES { 3 } else { 6 };
        let start = there.max(self.rcp_free);
        self.rcp_free = start + values;
        start + u64::from(config.t_rcp) + values - 1
    }

    /// Books `cycles` in which nothing moves.
    pub(crate) fn idle(&self, cycles: u64, stats: &mut Stats) {
        stats.counters.queue_full_stalls += cycles * u64::from(self.is_full);
    }

    /// The first time after `cycle` at which a port is free.
    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        self.ports.iter().copied().filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }
}

fn record(request: QueryRequest, job: &Job, env: &Env<'_>) -> QueryRecord {
    let QueryRequest { instance, .. } = request;
    let query = &job.query;
    let exact_beam = match env.counts_false_positives {
        true => env.world.exact_beam(query, instance, env.beams),
        false => None,
    };
    QueryRecord {
        job: request.job,
        instance,
        local: env.world.local_query(query, instance, env.beams),
        exact_beam,
        mask: node_mask(query, instance),
        tmax: job.reach(),
        is_live: true,
    }
}
