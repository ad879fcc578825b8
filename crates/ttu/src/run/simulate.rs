//! Questions in, answers and figures out.

use super::bound::Bound;
use super::cluster::Cluster;
use super::invariants::{self, Invariant, Violated};
use super::series::Series;
use super::timeline::Timeline;
use crate::config::{Config, ConfigError, TASK_QUERIES};
use crate::counters::Counters;
use crate::distribution::Distribution;
use crate::job::Answer;
use crate::reporter::Reporter;
use crate::unit::memory::Memory;
use crate::unit::tick::Env;
use crate::world::{TooSmall, World};
use machine::beam::BeamWorldError;
use machine::{Observer, Query, Shape, Unwatched};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a caller may want besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Cycles between samples of the time series, before it is thinned.
    pub sample_every: u64,
    /// Most events of a TTU's timeline; 0 keeps none.
    pub trace_events: usize,
    /// Whether every box that a test reports is tested again by exact arithmetic, for the counter
    /// `false_positives`. It takes time on this computer, and no cycle of the machine.
    pub count_false_positives: bool,
}

impl Options {
    /// No samples but the first, no events.
    pub const ONLY_ANSWERS: Self =
        Self { sample_every: u64::MAX, trace_events: 0, count_false_positives: false };
}

impl Default for Options {
    fn default() -> Self {
        Self { sample_every: 256, ..Self::ONLY_ANSWERS }
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The configuration that produced it.
    pub config: Config,
    /// One answer for each question, in their order.
    pub answers: Vec<Answer>,
    /// Cycles from the first beat until the last slot is free.
    pub cycles: u64,
    /// Sums over all TTUs.
    pub counters: Counters,
    /// Whether `false_positives` is among what was counted.
    pub counts_false_positives: bool,
    /// What was checked to add up.
    pub invariants: Vec<Invariant>,
    /// Cycles of a query from its first beat to its result.
    pub latencies: Distribution,
    /// The same until it left the state "launched" for good.
    pub traversal_latencies: Distribution,
    /// The latencies of questions by their priority, if they differ in it; the most urgent first.
    pub urgencies: Vec<Urgency>,
    /// Unit cycles with 0, 1, 2 ... tests issued, up to `tests_per_unit`.
    pub issues: Vec<u64>,
    /// Queries that fills woke.
    pub group_sizes: Distribution,
    /// TTU cycles with so many slots in use.
    pub occupancy: Vec<u64>,
    /// Tests that each traversal unit issued, by TTU.
    pub unit_tests: Vec<Vec<u64>>,
    /// Figures over time.
    pub series: Series,
    /// What the slots of each TTU did, if that was asked for.
    pub timelines: Vec<Timeline>,
    /// What limits throughput.
    pub bound: Bound,
    /// Time on this computer.
    pub wall: Duration,
}

/// Why a run has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A parameter is nonsense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The L0 cannot hold a block of the format.
    #[error(transparent)]
    TooSmall(#[from] TooSmall),
    /// The counters do not add up: a defect of siliray.
    #[error(transparent)]
    Violated(#[from] Violated),
    /// Nothing can happen any more although questions are open: a defect of siliray.
    #[error("the machine is stuck in cycle {cycle} with {open} open questions")]
    Stuck {
        /// The cycle.
        cycle: u64,
        /// Questions without an answer.
        open: usize,
    },
    /// Something in the world is too large for beams.
    #[error(transparent)]
    Beams(#[from] BeamWorldError),
    /// The caller did not want to wait any longer.
    #[error("the run was interrupted")]
    Interrupted,
}

/// What is asked, and how urgent each question is.
#[derive(Debug, Clone, Copy)]
pub struct Questions<'a> {
    /// The questions.
    pub queries: &'a [Query],
    /// The priority of each, 255 the most urgent. Those without one, or behind the end, have that
    /// of their class ([`Config::class_priority`]).
    pub priorities: &'a [Option<u8>],
}

impl<'a> From<&'a [Query]> for Questions<'a> {
    fn from(queries: &'a [Query]) -> Self {
        Self { queries, priorities: &[] }
    }
}

impl<'a> From<&'a Vec<Query>> for Questions<'a> {
    fn from(queries: &'a Vec<Query>) -> Self {
        Self::from(&queries[..])
    }
}

/// The questions of one priority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Urgency {
    /// Their priority.
    pub priority: u8,
    /// Cycles of each from its first beat to its result.
    pub latencies: Distribution,
}

/// Asked now and then, with the number of questions answered so far; breaks to interrupt.
pub type KeepGoing<'a> = &'a (dyn Fn(u64) -> ControlFlow<()> + Sync);

/// Runs `queries` through the machine.
///
/// # Errors
/// When the configuration is nonsense or does not fit the format, when the caller interrupts, and
/// when the counters do not add up.
pub fn simulate<'a>(
    world: &World,
    config: &Config,
    queries: impl Into<Questions<'a>>,
    options: Options,
    keep_going: KeepGoing<'_>,
) -> Result<Run, RunError> {
    watch(world, config, queries.into(), options, keep_going, &mut Unwatched)
}

/// The same, watched.
pub(crate) fn watch<O: Observer + ?Sized>(
    world: &World,
    config: &Config,
    questions: Questions<'_>,
    options: Options,
    keep_going: KeepGoing<'_>,
    observer: &mut O,
) -> Result<Run, RunError> {
    config.validate()?;
    world.fits(config)?;
    let asks_beams = questions.queries.iter().any(|query| matches!(query.shape, Shape::Beam(_)));
    let beams = if asks_beams { Some(world.beams()?) } else { None };
    let counts_false_positives = options.count_false_positives;
    let env = Env { config, world, beams, counts_false_positives };
    run(&env, questions, options, keep_going, &mut Reporter::new(observer))
}

fn run<O: Observer + ?Sized>(
    env: &Env<'_>,
    questions: Questions<'_>,
    options: Options,
    keep_going: KeepGoing<'_>,
    reporter: &mut Reporter<'_, O>,
) -> Result<Run, RunError> {
    // WebAssembly has no clock of its own.
    let start = (!cfg!(target_family = "wasm")).then(Instant::now);
    let config = env.config;
    let mut clusters: Vec<Cluster> = distribute(questions, config)
        .iter()
        .zip(0..)
        .map(|(part, number)| Cluster::new(number, part, config, options))
        .collect();
    let progress = Progress { answered: AtomicU64::new(0), keep_going };
    let shares_memory = config.l2_kib > 0 || config.l2_bytes_per_cycle > 0;
    let cycles = if shares_memory {
        run_together(&mut clusters, env, &progress, reporter)?
    } else {
        let alone = std::slice::from_mut;
        let cycles: Result<Vec<u64>, RunError> = if clusters.len() == 1 || reporter.is_watching() {
            let each = |cluster| run_together(alone(cluster), env, &progress, reporter);
            clusters.iter_mut().map(each).collect()
        } else {
            let each = |cluster| {
                let mut nobody = Unwatched;
                run_together(alone(cluster), env, &progress, &mut Reporter::new(&mut nobody))
            };
            clusters.par_iter_mut().map(each).collect()
        };
        let cycles = cycles?;
        let longest = cycles.iter().copied().max().unwrap_or(0);
        for (cluster, own) in clusters.iter_mut().zip(cycles) {
            cluster.idle(longest - own, config);
        }
        longest
    };
    let wall = start.map_or(Duration::ZERO, |start| start.elapsed());
    summarize(env, clusters, questions.queries.len(), cycles, wall)
}

/// Distributes tasks over clusters in turn (T-17), with the priorities of their questions (T-18).
fn distribute(questions: Questions<'_>, config: &Config) -> Vec<Vec<(Query, u8)>> {
    let clusters = config.gpcs as usize;
    let mut parts = vec![Vec::new(); clusters];
    for (number, query) in questions.queries.iter().enumerate() {
        let own = questions.priorities.get(number).copied().flatten();
        let priority = own.unwrap_or_else(|| config.class_priority(query));
        parts[number / TASK_QUERIES % clusters].push((*query, priority));
    }
    parts
}

/// The latencies of questions by their priority, the most urgent first; nothing if all are equally
/// urgent.
fn urgencies(clusters: &[Cluster]) -> Vec<Urgency> {
    let jobs = || clusters.iter().flat_map(|cluster| &cluster.jobs);
    let Some(first) = jobs().next() else { return Vec::new() };
    if jobs().all(|job| job.priority == first.priority) {
        return Vec::new();
    }
    let mut by_priority: BTreeMap<Reverse<u8>, Distribution> = BTreeMap::new();
    for job in jobs() {
        by_priority.entry(Reverse(job.priority)).or_default().add(job.latency());
    }
    let urgency = |(Reverse(priority), latencies)| Urgency { priority, latencies };
    by_priority.into_iter().map(urgency).collect()
}

struct Progress<'a> {
    answered: AtomicU64,
    keep_going: KeepGoing<'a>,
}

/// Steps between two questions to the caller.
const STEPS_BETWEEN_LOOKS: u64 = 1 << 14;

/// Runs clusters in step until all are done; gives the number of cycles.
fn run_together<O: Observer + ?Sized>(
    clusters: &mut [Cluster],
    env: &Env<'_>,
    progress: &Progress<'_>,
    reporter: &mut Reporter<'_, O>,
) -> Result<u64, RunError> {
    let mut memory = Memory::new(env.config);
    clusters.iter_mut().for_each(|cluster| cluster.fill_pools(env));
    let (mut cycle, mut steps, mut told) = (0, 0u64, 0);
    while !clusters.iter().all(Cluster::is_done) {
        let mut active = false;
        reporter.cycle = cycle;
        for cluster in clusters.iter_mut() {
            cluster.sample(cycle);
            active |= cluster.step(cycle, env, &mut memory, reporter);
        }
        if !active && !clusters.iter().all(Cluster::is_done) {
            let next = clusters.iter().map(|cluster| cluster.next_event(cycle)).min();
            let next = next.unwrap_or(u64::MAX);
            if next == u64::MAX {
                let open = clusters.iter().map(|c| c.jobs.len() - c.finished).sum();
                return Err(RunError::Stuck { cycle, open });
            }
            for cluster in clusters.iter_mut() {
                cluster.idle(next - cycle - 1, env.config);
                cluster.sample(next - 1);
            }
            cycle = next - 1;
        }
        cycle += 1;
        steps += 1;
        if steps.is_multiple_of(STEPS_BETWEEN_LOOKS) {
            let finished: usize = clusters.iter().map(|cluster| cluster.finished).sum();
            let more = finished as u64 - told;
            told = finished as u64;
            let answered = progress.answered.fetch_add(more, Ordering::Relaxed) + more;
            if (progress.keep_going)(answered).is_break() {
                return Err(RunError::Interrupted);
            }
        }
    }
    Ok(cycle)
}

fn summarize(
    env: &Env<'_>,
    mut clusters: Vec<Cluster>,
    queries: usize,
    cycles: u64,
    wall: Duration,
) -> Result<Run, RunError> {
    let config = env.config;
    let mut counters = Counters::default();
    let (mut latencies, mut traversal_latencies, mut group_sizes) = Default::default();
    let mut occupancy = vec![0; config.slots as usize + 1];
    let mut issues = vec![0; config.tests_per_unit as usize + 1];
    let (mut unit_tests, mut timelines) = (Vec::new(), Vec::new());
    clusters.iter().flat_map(Cluster::sm_counters).for_each(|own| counters.add(own));
    for ttu in clusters.iter_mut().flat_map(Cluster::ttus_mut) {
        ttu.finish(cycles);
        let stats = &mut ttu.stats;
        // A depth is a largest value, not a sum.
        let deepest = counters.stack_depth_max.max(stats.counters.stack_depth_max);
        counters.add(&stats.counters);
        counters.stack_depth_max = deepest;
        Distribution::merge(&mut latencies, &stats.latencies);
        Distribution::merge(&mut traversal_latencies, &stats.traversal_latencies);
        Distribution::merge(&mut group_sizes, &stats.group_sizes);
        occupancy.iter_mut().zip(&stats.occupancy).for_each(|(sum, own)| *sum += own);
        issues.iter_mut().zip(&stats.issues).for_each(|(sum, own)| *sum += own);
        timelines.push(std::mem::take(&mut stats.timeline));
        unit_tests.push(ttu.unit_tests());
    }
    let invariants = invariants::all(&counters, &issues, config, cycles);
    invariants::check(&invariants)?;
    let series = Series::sum(clusters.iter().map(|cluster| cluster.series.clone()).collect());
    let bound = Bound::of(config, &counters, cycles);
    let urgencies = urgencies(&clusters);
    let mut parts: Vec<_> = clusters.into_iter().map(|cluster| cluster.jobs.into_iter()).collect();
    let answers = (0..queries)
        .map(|query| {
            let part = (query / TASK_QUERIES) % parts.len();
            parts[part].next().map(|job| job.into_answer()).unwrap_or_default()
        })
        .collect();
    Ok(Run {
        config: config.clone(),
        answers,
        cycles,
        counters,
        counts_false_positives: env.counts_false_positives,
        invariants,
        latencies,
        traversal_latencies,
        urgencies,
        issues,
        group_sizes,
        occupancy,
        unit_tests,
        series,
        timelines,
        bound,
        wall,
    })
}
