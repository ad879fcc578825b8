//! A cluster (GPC): pools of tasks, groups of SMs, and the TTUs that each group shares (T-17,
//! T-23).
//!
//! A task is a warp of 32 questions. Tasks wait in the pending pool and run from the active one;
//! each pool takes one task a cycle, of the highest priority, then the oldest. A task goes to the
//! SM with the fewest tasks, its questions in turn to the TTUs of that SM's group. Tasks are dealt
//! to clusters before the run, so that clusters that share nothing can be simulated apart.
//!
//! With `evict`, a task whose queries all wait for memory gives its place to a pending one (T-22).
//! Its queries stay in their slots and go on by themselves, but leaves that they meet wait until
//! the task is active again.

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
use crate::unit::ttu::{Site, Ttu};
use machine::{Observer, Query};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Questions that run together.
#[derive(Debug)]
struct Task {
    jobs: Range<u32>,
    unfinished: u32,
    /// The highest of its questions.
    priority: u8,
    group: usize,
    sm: usize,
}

/// SMs, and the TTUs that they share.
#[derive(Debug)]
pub(super) struct Group {
    sms: Vec<Sm>,
    l1s: Vec<Option<Cache>>,
    pub(super) ttus: Vec<Ttu>,
    /// Active tasks of each SM.
    tasks: Vec<usize>,
}

/// A cluster.
#[derive(Debug)]
pub(super) struct Cluster {
    pub(super) groups: Vec<Group>,
    pub(super) jobs: Vec<Job>,
    tasks: Vec<Task>,
    /// Tasks that have reached the pending pool.
    arrived: usize,
    /// Those that have never left it, the first to be started at the top.
    pending: BinaryHeap<(u8, Reverse<usize>)>,
    /// Those that have come back to it, and those that run.
    evicted: Vec<usize>,
    active: Vec<usize>,
    pub(super) finished: usize,
    pub(super) series: Series,
}

/// What an active task is waiting for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Waits {
    /// For memory alone.
    ForMemory,
    /// For a slot, and perhaps for memory.
    ForSlots,
    /// For nothing.
    No,
}

impl Cluster {
    /// The cluster `number` of the machine, with what it is asked, and how urgent that is.
    pub(super) fn new(
        number: u32,
        queries: &[(Query, u8)],
        config: &Config,
        options: Options,
    ) -> Self {
        let (groups, sms, ttus) = config.groups();
        let group = |group: u32| Group {
            sms: (0..sms).map(|_| Sm::new(config)).collect(),
            l1s: (0..sms)
                .map(|_| config.l1.then(|| Cache::new(config.l1_kib, config.l0_line_bytes)))
                .collect(),
            ttus: (0..ttus)
                .map(|ttu| {
                    let before = (number * groups + group) * ttus;
                    Ttu::new(ttu, before, config, Timeline::new(options.trace_events))
                })
                .collect(),
            tasks: vec![0; sms as usize],
        };
        let tasks: Vec<Task> = queries
            .chunks(TASK_QUERIES)
            .enumerate()
            .map(|(task, queries)| {
                let first = (task * TASK_QUERIES) as u32;
                let jobs = first..first + queries.len() as u32;
                let priority = queries.iter().map(|(_, priority)| *priority).max().unwrap_or(0);
                Task { unfinished: jobs.len() as u32, jobs, priority, group: 0, sm: 0 }
            })
            .collect();
        let job = |(n, (query, priority)): (usize, &(Query, u8))| {
            Job::new(*query, *priority, (n / TASK_QUERIES) as u32)
        };
        let arrived = tasks.len().min(config.pending_slots as usize);
        Self {
            groups: (0..groups).map(group).collect(),
            jobs: queries.iter().enumerate().map(job).collect(),
            arrived,
            pending: (0..arrived).map(|task| (tasks[task].priority, Reverse(task))).collect(),
            tasks,
            evicted: Vec::new(),
            active: Vec::new(),
            finished: 0,
            series: Series::new(options.sample_every),
        }
    }

    /// Fills the active pool before the first cycle.
    pub(super) fn fill_pools(&mut self, env: &Env<'_>) {
        while self.has_room(env) && self.start_task(env) {}
    }

    pub(super) fn is_done(&self) -> bool {
        self.finished == self.jobs.len()
    }

    /// What the SMs moved.
    pub(super) fn sm_counters(&self) -> impl Iterator<Item = &Counters> {
        self.groups.iter().flat_map(|group| &group.sms).map(|sm| &sm.counters)
    }

    pub(super) fn ttus(&self) -> impl Iterator<Item = &Ttu> {
        self.groups.iter().flat_map(|group| &group.ttus)
    }

    pub(super) fn ttus_mut(&mut self) -> impl Iterator<Item = &mut Ttu> {
        self.groups.iter_mut().flat_map(|group| &mut group.ttus)
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
        let t_l1 = env.config.t_l1.into();
        for group in &mut self.groups {
            for (sm, l1) in group.sms.iter_mut().zip(&mut group.l1s) {
                let path = &mut Path { l1: l1.as_mut(), memory, t_l1 };
                sm.start(cycle, &env.world.program, path);
            }
            active |= group.serve(cycle, env, &mut self.jobs, reporter);
            let Group { sms, l1s, ttus, .. } = group;
            for ttu in ttus {
                let site = &mut Site { sms, l1s, memory, t_l1 };
                active |= ttu.tick(cycle, env, &self.jobs, site, reporter);
            }
        }
        if active {
            self.collect();
        }
        active |= self.has_room(env) && self.next_task(cycle, env, memory);
        active |= env.config.evict && self.exchange(cycle, env, memory);
        let has_room = self.pending.len() + self.evicted.len() < env.config.pending_slots as usize;
        if has_room && self.arrived < self.tasks.len() {
            self.pending.push((self.tasks[self.arrived].priority, Reverse(self.arrived)));
            self.arrived += 1;
            active = true;
        }
        active
    }

    /// Books finished questions and tasks.
    fn collect(&mut self) {
        for group in &mut self.groups {
            for ttu in &mut group.ttus {
                for query in ttu.finished.drain(..) {
                    let job = &mut self.jobs[query.job as usize];
                    if !job.end_query(&query) {
                        continue;
                    }
                    let number = job.task as usize;
                    let task = &mut self.tasks[number];
                    task.unfinished -= 1;
                    self.finished += 1;
                    if task.unfinished > 0 {
                        continue;
                    }
                    if job.is_pending {
                        self.evicted.retain(|&other| other != number);
                        group.sms[task.sm].counters.tasks_ended_pending += 1;
                    } else {
                        self.active.retain(|&other| other != number);
                        group.tasks[task.sm] -= 1;
                    }
                }
            }
        }
    }

    /// Whether the active pool takes one more.
    fn has_room(&self, env: &Env<'_>) -> bool {
        self.active.len() < env.config.active_slots as usize
    }

    /// Moves a task from the pending to the active pool, if there is one that can go on.
    fn next_task(&mut self, cycle: u64, env: &Env<'_>, memory: &mut Memory) -> bool {
        let new = self.pending.peek().map(|&(priority, Reverse(task))| (Reverse(priority), task));
        match self.returning() {
            Some(back) if new.is_none_or(|new| back < new) => {
                self.resume(back.1, cycle, env, memory);
                true
            }
            _ => self.start_task(env),
        }
    }

    /// The first of the evicted tasks for which leaves wait, by priority and age.
    fn returning(&self) -> Option<(Reverse<u8>, usize)> {
        let has_leaves = |&&number: &&usize| {
            let task = &self.tasks[number];
            let held = &self.groups[task.group].sms[task.sm].held;
            held.iter().any(|leaf| task.jobs.contains(&leaf.job))
        };
        let waiting = self.evicted.iter().filter(has_leaves);
        waiting.map(|&task| (Reverse(self.tasks[task].priority), task)).min()
    }

    /// Starts the first of the tasks that have never run.
    fn start_task(&mut self, env: &Env<'_>) -> bool {
        let Some((_, Reverse(number))) = self.pending.pop() else { return false };
        let sms = self.groups.iter().enumerate().flat_map(|(number, group)| {
            group.tasks.iter().enumerate().map(move |(sm, tasks)| (number, sm, tasks))
        });
        let least = sms.min_by_key(|(_, _, tasks)| **tasks);
        let (at, sm) = least.map_or((0, 0), |(group, sm, _)| (group, sm));
        let (task, group) = (&mut self.tasks[number], &mut self.groups[at]);
        (task.group, task.sm) = (at, sm);
        let has_root = env.world.has_root(None);
        for (turn, number) in task.jobs.clone().enumerate() {
            let job = &mut self.jobs[number as usize];
            job.sm = sm as u32;
            if has_root && can_hit(&job.query) {
                job.live = 1;
                let (ttu, priority) = (turn % group.ttus.len(), job.priority);
                group.ttus[ttu].request(QueryRequest { job: number, instance: None, priority });
            } else {
                task.unfinished -= 1;
                self.finished += 1;
            }
        }
        if task.unfinished > 0 {
            self.active.push(number);
            group.tasks[sm] += 1;
        }
        true
    }

    /// Brings an evicted task back, with the leaves that have waited for it.
    fn resume(&mut self, number: usize, cycle: u64, env: &Env<'_>, memory: &mut Memory) {
        self.evicted.retain(|&other| other != number);
        self.active.push(number);
        let task = &self.tasks[number];
        self.jobs[jobs_of(task)].iter_mut().for_each(|job| job.is_pending = false);
        let group = &mut self.groups[task.group];
        group.tasks[task.sm] += 1;
        let (sm, l1) = (&mut group.sms[task.sm], group.l1s[task.sm].as_mut());
        sm.counters.tasks_resumed += 1;
        let path = &mut Path { l1, memory, t_l1: env.config.t_l1.into() };
        sm.take_held(|job| task.jobs.contains(&job), cycle, &env.world.program, path);
    }

    /// Gives the place of an idle active task to a pending one, if the pool is full.
    fn exchange(&mut self, cycle: u64, env: &Env<'_>, memory: &mut Memory) -> bool {
        if self.has_room(env) || self.evicted.is_empty() && self.pending.is_empty() {
            return false;
        }
        // A task that comes back only needs a place: whoever does nothing yields, for its slots may
        // be what others wait for. A new one is let in for whoever waits for memory, and is no less
        // urgent.
        let waits = self.waits();
        let idle = |most: Waits, below: u8| {
            let tasks = self.active.iter().zip(&waits).filter(|&(_, &waits)| waits <= most);
            let urgent = tasks.map(|(&task, _)| (self.tasks[task].priority, task));
            urgent.filter(|&(priority, _)| priority <= below).min()
        };
        let back = self.returning().and(idle(Waits::ForSlots, u8::MAX));
        let new = self.pending.peek().and_then(|&(priority, _)| idle(Waits::ForMemory, priority));
        let Some((_, number)) = back.or(new) else { return false };
        self.active.retain(|&other| other != number);
        let task = &self.tasks[number];
        self.jobs[jobs_of(task)].iter_mut().for_each(|job| job.is_pending = true);
        let group = &mut self.groups[task.group];
        group.tasks[task.sm] -= 1;
        group.sms[task.sm].counters.tasks_evicted += 1;
        match (back, self.returning()) {
            (Some(_), Some((_, returning))) => self.resume(returning, cycle, env, memory),
            _ => drop(self.start_task(env)),
        }
        self.evicted.push(number);
        true
    }

    /// What each active task waits for.
    fn waits(&self) -> Vec<Waits> {
        let mut waits = vec![Waits::ForMemory; self.active.len()];
        let mut raise = |job: u32, to: Waits| {
            let task = self.jobs[job as usize].task as usize;
            if let Some(place) = self.active.iter().position(|&active| active == task) {
                waits[place] = waits[place].max(to);
            }
        };
        for ttu in self.ttus() {
            ttu.waiting().for_each(|job| raise(job, Waits::ForSlots));
            let busy = ttu.jobs().filter(|(_, waits_for_memory)| !waits_for_memory);
            busy.for_each(|(job, _)| raise(job, Waits::No));
        }
        waits
    }

    /// Books `cycles` in which nothing moves.
    pub(super) fn idle(&mut self, cycles: u64, config: &Config) {
        self.ttus_mut().for_each(|ttu| ttu.idle(cycles, config));
    }

    /// The first time after `cycle` at which something is due.
    pub(super) fn next_event(&self, cycle: u64) -> u64 {
        let sms = self.groups.iter().flat_map(|group| &group.sms);
        let sms = sms.map(Sm::next_event).filter(|&at| at > cycle);
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

/// Where the questions of a task are.
fn jobs_of(task: &Task) -> Range<usize> {
    task.jobs.start as usize..task.jobs.end as usize
}

impl Group {
    /// The part of the SMs in a cycle: results of leaves, then ranges that have become shorter.
    fn serve<O: Observer + ?Sized>(
        &mut self,
        cycle: u64,
        env: &Env<'_>,
        jobs: &mut [Job],
        reporter: &mut Reporter<'_, O>,
    ) -> bool {
        let mut active = false;
        for number in 0..self.sms.len() {
            while let Some(leaf) = self.sms[number].result(cycle) {
                active = true;
                if reporter.is_watching() {
                    let (_, instance) = self.ttus[leaf.ttu as usize].question(leaf.slot);
                    reporter.leaf(&leaf, instance);
                }
                self.leaf(number, &leaf, env, jobs, reporter);
            }
            while let Some(feedback) = self.sms[number].feedback.receive(cycle) {
                active = true;
                self.ttus.iter_mut().for_each(|ttu| ttu.shorten(feedback));
            }
        }
        active
    }

    fn leaf<O: Observer + ?Sized>(
        &mut self,
        sm: usize,
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
                    let more = u8::try_from(env.config.priority_instance).unwrap_or(u8::MAX);
                    let priority = job.priority.saturating_add(more);
                    let instance = Some(item);
                    ttu.request_first(QueryRequest { job: number, instance, priority });
                }
            }
        } else {
            ttu.stats.counters.primitives += items.len() as u64;
            let is_shorter = test_primitives(env, job, instance, items, reporter);
            if is_shorter {
                let at = leaf.at + u64::from(env.config.t_feedback);
                self.sms[sm].feedback.send(at, Feedback { job: number, tmax: job.reach() });
            }
        }
        ttu.leaf_tested(LeafResult { slot: leaf.slot, at: leaf.at });
    }
}
