//! A cluster (GPC): pools of tasks, SMs, and the TTUs at each SM (T-17).
//!
//! A task is a warp of 32 questions. Tasks wait in the pending pool and run from the active one;
//! each pool takes one task a cycle. A task goes to the SM with the fewest tasks, its questions in
//! turn to the TTUs of that SM. Tasks are dealt to clusters before the run, so that clusters that
//! share nothing can be simulated apart.

use super::Options;
use super::leaf_test::test_primitives;
use super::series::{Sample, Series};
use super::timeline::Timeline;
use crate::config::{Config, TASK_QUERIES};
use crate::counters::Counters;
use crate::job::{Job, can_hit};
use crate::reporter::Reporter;
use crate::unit::interface::QueryRequest;
use crate::unit::memory::{Cache, Memory, Path};
use crate::unit::sm::{Feedback, LeafTest, Sm};
use crate::unit::smu::LeafResult;
use crate::unit::tick::Env;
use crate::unit::ttu::Ttu;
use machine::{Observer, Query};
use std::ops::Range;

/// Questions that run together.
#[derive(Debug)]
struct Task {
    jobs: Range<u32>,
    unfinished: u32,
    tpc: usize,
}

/// An SM with its TTUs.
#[derive(Debug)]
pub(super) struct Tpc {
    sm: Sm,
    l1: Option<Cache>,
    pub(super) ttus: Vec<Ttu>,
    tasks: usize,
}

/// A cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) tpcs: Vec<Tpc>,
    pub(super) jobs: Vec<Job>,
    tasks: Vec<Task>,
    /// Tasks that have reached the pending pool, and those that have left it.
    arrived: usize,
    started: usize,
    active: usize,
    pub(super) finished: usize,
    pub(super) series: Series,
}

impl Cluster {
    /// The cluster `number` of the machine, with what it is asked.
    pub(super) fn new(number: u32, queries: &[Query], config: &Config, options: Options) -> Self {
        let tpc = |tpc| Tpc {
            sm: Sm::new(config),
            l1: config.l1.then(|| Cache::new(config.l1_kib, config.l0_line_bytes)),
            ttus: (0..config.ttus_per_tpc)
                .map(|ttu| {
                    let sm = number * config.tpcs_per_gpc + tpc;
                    Ttu::new(ttu, sm, config, Timeline::new(options.trace_events))
                })
                .collect(),
            tasks: 0,
        };
        let tasks: Vec<Task> = (0..queries.len())
            .step_by(TASK_QUERIES)
            .map(|first| {
                let end = (first + TASK_QUERIES).min(queries.len());
                let jobs = first as u32..end as u32;
                Task { unfinished: jobs.len() as u32, jobs, tpc: 0 }
            })
            .collect();
        let job = |(n, query): (usize, &Query)| Job::new(*query, (n / TASK_QUERIES) as u32);
        Self {
            tpcs: (0..config.tpcs_per_gpc).map(tpc).collect(),
            jobs: queries.iter().enumerate().map(job).collect(),
            arrived: tasks.len().min(config.pending_slots as usize),
            tasks,
            started: 0,
            active: 0,
            finished: 0,
            series: Series::new(options.sample_every),
        }
    }

    /// Fills the active pool before the first cycle.
    pub(super) fn fill_pools(&mut self, env: &Env<'_>) {
        while self.start_task(env) {}
    }

    pub(super) fn is_done(&self) -> bool {
        self.finished == self.jobs.len()
    }

    /// What the SMs moved.
    pub(super) fn sm_counters(&self) -> impl Iterator<Item = &Counters> {
        self.tpcs.iter().map(|tpc| &tpc.sm.counters)
    }

    pub(super) fn ttus(&self) -> impl Iterator<Item = &Ttu> {
        self.tpcs.iter().flat_map(|tpc| &tpc.ttus)
    }

    pub(super) fn ttus_mut(&mut self) -> impl Iterator<Item = &mut Ttu> {
        self.tpcs.iter_mut().flat_map(|tpc| &mut tpc.ttus)
    }

    /// One cycle. Says whether anything moved.
    pub(super) fn step<O: Observer + ?Sized>(
        &mut self,
        cycle: u64,
        env: &Env<'_>,
        memory: &mut Memory,
        reporter: &mut Reporter<'_, O>,
    ) -> bool {
        let mut active = false;
        for tpc in &mut self.tpcs {
            let path = &mut Path { l1: tpc.l1.as_mut(), memory, t_l1: env.config.t_l1.into() };
            tpc.sm.start(cycle, &env.world.program, path);
            active |= tpc.serve(cycle, env, &mut self.jobs, reporter);
            let Tpc { sm, l1, ttus, .. } = tpc;
            for ttu in ttus {
                let mut path = Path { l1: l1.as_mut(), memory, t_l1: env.config.t_l1.into() };
                active |= ttu.tick(cycle, env, &self.jobs, sm, &mut path, reporter);
            }
        }
        if active {
            self.collect();
        }
        active |= self.start_task(env);
        let has_room = self.arrived - self.started < env.config.pending_slots as usize;
        if has_room && self.arrived < self.tasks.len() {
            self.arrived += 1;
            active = true;
        }
        active
    }

    /// Books finished questions and tasks.
    fn collect(&mut self) {
        for tpc in &mut self.tpcs {
            for ttu in &mut tpc.ttus {
                for query in ttu.finished.drain(..) {
                    let job = &mut self.jobs[query.job as usize];
                    if !job.end_query(&query) {
                        continue;
                    }
                    let task = &mut self.tasks[job.task as usize];
                    task.unfinished -= 1;
                    self.finished += 1;
                    if task.unfinished == 0 {
                        self.active -= 1;
                        tpc.tasks -= 1;
                    }
                }
            }
        }
    }

    /// Moves a task from the pending to the active pool, if there is one and room for it.
    fn start_task(&mut self, env: &Env<'_>) -> bool {
        if self.started == self.arrived || self.active == env.config.active_slots as usize {
            return false;
        }
        let least = (0..self.tpcs.len()).min_by_key(|&tpc| self.tpcs[tpc].tasks).unwrap_or(0);
        let task = &mut self.tasks[self.started];
        task.tpc = least;
        self.started += 1;
        let tpc = &mut self.tpcs[task.tpc];
        let has_root = env.world.has_root(None);
        for (turn, number) in task.jobs.clone().enumerate() {
            let job = &mut self.jobs[number as usize];
            if has_root && can_hit(&job.query) {
                job.live = 1;
                let ttu = turn % tpc.ttus.len();
                tpc.ttus[ttu].request(QueryRequest { job: number, instance: None });
            } else {
                task.unfinished -= 1;
                self.finished += 1;
            }
        }
        if task.unfinished > 0 {
            self.active += 1;
            tpc.tasks += 1;
        }
        true
    }

    /// Books `cycles` in which nothing moves.
    pub(super) fn idle(&mut self, cycles: u64, config: &Config) {
        self.ttus_mut().for_each(|ttu| ttu.idle(cycles, config));
    }

    /// The first time after `cycle` at which something is due.
    pub(super) fn next_event(&self, cycle: u64) -> u64 {
        let sms = self.tpcs.iter().map(|tpc| tpc.sm.next_event()).filter(|&at| at > cycle);
        let ttus = self.ttus().map(|ttu| ttu.next_event(cycle));
        sms.chain(ttus).min().unwrap_or(u64::MAX)
    }

    /// Takes the samples that are due up to `cycle`.
    pub(super) fn sample(&mut self, cycle: u64) {
        if self.series.next() > cycle {
            return;
        }
        let mut sample = Sample::default();
        for ttu in self.ttus() {
            sample += ttu.sample();
        }
        while self.series.next() <= cycle {
            self.series.add(sample);
        }
    }
}

impl Tpc {
    /// The SM's part of a cycle: results of leaves, then ranges that have become shorter.
    fn serve<O: Observer + ?Sized>(
        &mut self,
        cycle: u64,
        env: &Env<'_>,
        jobs: &mut [Job],
        reporter: &mut Reporter<'_, O>,
    ) -> bool {
        let mut active = false;
        while let Some(leaf) = self.sm.result(cycle) {
            active = true;
            if reporter.is_watching() {
                let (_, instance) = self.ttus[leaf.ttu as usize].question(leaf.slot);
                reporter.leaf(&leaf, instance);
            }
            self.leaf(&leaf, env, jobs, reporter);
        }
        while let Some(feedback) = self.sm.feedback.receive(cycle) {
            active = true;
            self.ttus.iter_mut().for_each(|ttu| ttu.shorten(feedback));
        }
        active
    }

    fn leaf<O: Observer + ?Sized>(
        &mut self,
        leaf: &LeafTest,
        env: &Env<'_>,
        jobs: &mut [Job],
        reporter: &mut Reporter<'_, O>,
    ) {
        let ttu = &mut self.ttus[leaf.ttu as usize];
        let (number, instance) = ttu.question(leaf.slot);
        let job = &mut jobs[number as usize];
        let first = leaf.first as usize;
        let items = &env.world.program.items[first..first + leaf.count as usize];
        let tree = &env.world.tree;
        if let (Some(tlas), None) = (&tree.tlas, instance) {
            for &item in items {
                let instance = &tlas.instances[item as usize];
                let is_seen = instance.mask & job.query.mask != 0;
                if is_seen && !job.is_settled() && env.world.has_root(Some(item)) {
                    ttu.stats.counters.instances += 1;
                    job.live += 1;
                    ttu.request_first(QueryRequest { job: number, instance: Some(item) });
                }
            }
        } else {
            ttu.stats.counters.primitives += items.len() as u64;
            let is_shorter = test_primitives(env, job, instance, items, reporter);
            if is_shorter {
                let at = leaf.at + u64::from(env.config.t_feedback);
                self.sm.feedback.send(at, Feedback { job: number, tmax: job.reach() });
            }
        }
        ttu.leaf_tested(LeafResult { slot: leaf.slot, at: leaf.at });
    }
}
