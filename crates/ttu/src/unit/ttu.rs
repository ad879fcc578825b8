//! One TTU: its units, the ports between them, and a cycle of it.

use super::interface::{self, Accepted, Interface, QueryRequest};
use super::l0::{self, L0};
use super::local_store::LocalStore;
use super::memory::{Cache, Memory, Path};
use super::port::{Port, Wire};
use super::result_queue::ResultQueue;
use super::scheduler::{self, BlockRequest, Notice, Released, Scheduler};
use super::setup::{self, Setup, UnitWrite};
use super::sm::{Feedback, Sm};
use super::smu::{self, Launched, Leaf, LeafResult, Smu};
use super::stats::Stats;
use super::tick::{Env, Tick};
use super::traversal::{self, TraversalUnits};
use crate::config::Config;
use crate::job::Job;
use crate::reporter::Reporter;
use crate::run::Sample;
use crate::run::timeline::Timeline;
use machine::Observer;

/// The ports between units, named after what goes through them.
#[derive(Debug)]
struct Wires {
    /// Interface to scheduler.
    accepted: Wire<Accepted>,
    /// Scheduler to L0, to the stack management unit, and to the interface and the SM.
    popped: Port<BlockRequest>,
    culled: Port<u32>,
    released: Wire<Released>,
    /// L0 to setup unit.
    found: Port<BlockRequest>,
    /// Setup unit to L0, to the traversal units, and to the stack management unit.
    read: Wire<u32>,
    writes: Wire<UnitWrite>,
    launched: Wire<Launched>,
    rejects: Port<u32>,
    /// Traversal units to setup unit, and to the stack management unit.
    freed: Wire<usize>,
    results: ResultQueue,
    /// SM to stack management unit, and back.
    leaf_results: Wire<LeafResult>,
    leaves: Wire<Leaf>,
    /// All to the scheduler.
    notices: Wire<Notice>,
}

impl Wires {
    fn new(config: &Config) -> Self {
        Self {
            accepted: Wire::new(),
            popped: Port::unlimited(),
            culled: Port::unlimited(),
            released: Wire::new(),
            found: Port::new(config.setup_fifo),
            read: Wire::new(),
            writes: Wire::new(),
            launched: Wire::new(),
            rejects: Port::unlimited(),
            freed: Wire::new(),
            results: ResultQueue::new(config.result_queue),
            leaf_results: Wire::new(),
            leaves: Wire::new(),
            notices: Wire::new(),
        }
    }
}

/// What a group of SMs shares its TTUs with: the SMs, their L1s, and the memory behind them.
pub(crate) struct Site<'a> {
    pub(crate) sms: &'a mut [Sm],
    pub(crate) l1s: &'a mut [Option<Cache>],
    pub(crate) memory: &'a mut Memory,
    pub(crate) t_l1: u64,
}

/// One tree traversal unit.
#[derive(Debug)]
pub(crate) struct Ttu {
    /// Its number in its group.
    number: u32,
    interface: Interface,
    scheduler: Scheduler,
    l0: L0,
    setup: Setup,
    units: TraversalUnits,
    smu: Smu,
    store: LocalStore,
    wires: Wires,
    pub(crate) stats: Stats,
    /// Queries that the SM has read; it takes them out.
    pub(crate) finished: Vec<Released>,
}

impl Ttu {
    /// The TTU `number` of its group; `index` counts the TTUs of all groups before it.
    pub(crate) fn new(number: u32, index: u32, config: &Config, timeline: Timeline) -> Self {
        let first_stack = u64::from(index + number) * u64::from(config.slots);
        Self {
            number,
            interface: Interface::new(config),
            scheduler: Scheduler::new(config.slots),
            l0: L0::new(config),
            setup: Setup::new(config),
            units: TraversalUnits::new(config),
            smu: Smu::new(config),
            store: LocalStore::new(first_stack, config),
            wires: Wires::new(config),
            stats: Stats::new(config, timeline),
            finished: Vec::new(),
        }
    }

    /// One cycle, from the back to the front (T-1): what a unit sends to one behind it arrives in
    /// the next cycle, what it sends to one before it in this one. Says whether anything moved.
    pub(crate) fn tick<O: Observer + ?Sized>(
        &mut self,
        cycle: u64,
        env: &Env<'_>,
        jobs: &[Job],
        site: &mut Site<'_>,
        reporter: &mut Reporter<'_, O>,
    ) -> bool {
        let Self { store, wires, .. } = self;
        let Site { sms, l1s, memory, t_l1 } = site;
        let tick = &mut Tick { cycle, env, stats: &mut self.stats, reporter };
        let mut active = self.smu.tick(
            tick,
            &mut smu::Ports {
                launched: &mut wires.launched,
                rejects: &mut wires.rejects,
                results: &mut wires.results,
                leaf_results: &mut wires.leaf_results,
                leaves: &mut wires.leaves,
                stacks: smu::StackPorts { store, memory, notices: &mut wires.notices },
            },
        );
        while let Some(leaf) = wires.leaves.pop_front() {
            let number = store.queries[leaf.slot as usize].job;
            let job = &jobs[number as usize];
            let sm = &mut sms[job.sm as usize];
            if job.is_pending {
                sm.hold(leaf, self.number, number);
                continue;
            }
            let path = &mut Path { l1: l1s[job.sm as usize].as_mut(), memory, t_l1: *t_l1 };
            sm.take(leaf, self.number, cycle, &env.world.program, path);
        }
        active |= self.units.tick(
            tick,
            &mut traversal::Ports { store, results: &mut wires.results, freed: &mut wires.freed },
        );
        active |= self.setup.tick(
            tick,
            &mut setup::Ports {
                found: &mut wires.found,
                read: &mut wires.read,
                store,
                freed: &mut wires.freed,
                writes: &mut wires.writes,
                launched: &mut wires.launched,
                rejects: &mut wires.rejects,
                notices: &mut wires.notices,
            },
        );
        while let Some(write) = wires.writes.pop_front() {
            self.units.write(&write);
        }
        let own_l1 = self.number as usize % l1s.len();
        let path = &mut Path { l1: l1s[own_l1].as_mut(), memory, t_l1: *t_l1 };
        active |= self.l0.tick(
            tick,
            &mut l0::Ports {
                popped: &mut wires.popped,
                found: &mut wires.found,
                read: &mut wires.read,
                notices: &mut wires.notices,
                path,
            },
        );
        active |= self.smu.go_on(
            tick,
            &mut wires.culled,
            &mut smu::StackPorts { store, memory, notices: &mut wires.notices },
        );
        active |= self.scheduler.tick(
            tick,
            &mut scheduler::Ports {
                notices: &mut wires.notices,
                store,
                last_line: self.l0.last_line(),
                popped: &mut wires.popped,
                culled: &mut wires.culled,
                released: &mut wires.released,
            },
        );
        while let Some(query) = wires.released.pop_front() {
            self.interface.free(query.slot);
            store.queries[query.slot as usize].is_live = false;
            self.finished.push(query);
        }
        let mut accepts = interface::Ports { jobs, store, accepted: &mut wires.accepted };
        active |= self.interface.tick(tick, &mut accepts);
        while let Some(query) = wires.accepted.pop_front() {
            self.scheduler.admit(query, tick.stats);
        }
        tick.stats.counters.result_queue_entries += wires.results.len() as u64;
        active
    }

    /// A query from the SM.
    pub(crate) fn request(&mut self, request: QueryRequest) {
        self.interface.request(request);
    }

    /// A query that the SM has found in a leaf of another one.
    pub(crate) fn request_first(&mut self, request: QueryRequest) {
        self.interface.request_first(request);
    }

    /// The SM has tested a leaf.
    pub(crate) fn leaf_tested(&mut self, result: LeafResult) {
        self.wires.leaf_results.push_back(result);
    }

    /// The SM knows that boxes matter less far.
    pub(crate) fn shorten(&mut self, feedback: Feedback) {
        self.stats.counters.feedbacks += self.store.shorten(feedback.job, feedback.tmax);
    }

    /// The question that a slot works for, and the placement that its query came through.
    pub(crate) fn question(&self, slot: u32) -> (u32, Option<u32>) {
        let query = &self.store.queries[slot as usize];
        (query.job, query.instance)
    }

    /// The question of each query in a slot, and whether it waits for memory.
    pub(crate) fn jobs(&self) -> impl Iterator<Item = (u32, bool)> + '_ {
        self.scheduler.jobs()
    }

    /// The questions of queries that wait for a slot.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = u32> + '_ {
        self.interface.waiting()
    }

    /// Books `cycles` in which nothing moves.
    pub(crate) fn idle(&mut self, cycles: u64, config: &Config) {
        self.units.idle(cycles, config, &mut self.stats);
        self.interface.idle(cycles, &mut self.stats);
        self.setup.idle(cycles, &mut self.stats);
        self.l0.idle(cycles, &mut self.stats);
        self.stats.counters.result_queue_entries += cycles * self.wires.results.len() as u64;
    }

    /// The first time after `cycle` at which something is due.
    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        let Wires { popped, culled, found, rejects, .. } = &self.wires;
        let times = [
            self.units.next_event(cycle),
            self.setup.next_event(),
            self.l0.next_event(cycle),
            self.scheduler.next_event(cycle),
            self.interface.next_event(cycle),
            popped.next_event(),
            culled.next_event(),
            found.next_event(),
            rejects.next_event(),
        ];
        times.into_iter().filter(|&at| at > cycle).min().unwrap_or(u64::MAX)
    }

    /// The machine as it is now.
    pub(crate) fn sample(&self) -> Sample {
        let (slots, fetching) = self.scheduler.in_use();
        Sample {
            cycle: 0,
            slots,
            fetching,
            units: self.units.busy(),
            results: self.wires.results.len() as u64,
            finished: self.stats.counters.finished,
            bytes: self.stats.counters.l0_fill_bytes,
            tests: self.stats.counters.issue_used,
        }
    }

    /// Books everything up to cycle `end`.
    pub(crate) fn finish(&mut self, end: u64) {
        self.scheduler.finish(end, &mut self.stats);
        let counters = &mut self.stats.counters;
        let tests = counters.issue_used;
        counters.multiplications = 7 * tests;
        counters.additions = 7 * tests;
        counters.compares = 8 * tests;
    }

    /// Tests that each traversal unit has issued.
    pub(crate) fn unit_tests(&self) -> Vec<u64> {
        self.units.tests()
    }
}
