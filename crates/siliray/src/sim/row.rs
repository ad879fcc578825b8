//! One run as a row: what was asked, the configuration and its hash, and all figures. A row can be
//! written, read back, and recognised, so that a sweep can be resumed.

use super::sweep::ParameterSweep;
use crate::report::grouped;
use crate::resume::Keyed;
use machine::Image;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ttu::Config;
use ttu::distribution::Distribution;
use ttu::run::{Run, Urgency};

/// Steps of the histogram of latencies.
const LATENCY_STEPS: usize = 64;

/// What a run is about: two runs with equal keys give equal figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunKey {
    /// The scene, by name.
    pub scene: String,
    /// Its triangles.
    pub triangles: u64,
    /// The format of the blocks.
    pub format: String,
    /// Whether the bytes of a file were run as stored, or what was made of them.
    #[serde(default)]
    pub source: String,
    /// The hash of the bytes that are walked.
    #[serde(default)]
    pub image_hash: String,
    /// The preset of the tree, if it was built.
    pub preset: Option<String>,
    /// The kind of queries.
    pub workload: String,
    /// How many.
    pub rays: u64,
    /// The hash of the configuration.
    pub config_hash: String,
}

impl RunKey {
    /// 16 hex digits that name the bytes of an image, and where it starts.
    #[must_use]
    pub fn hash_of(image: &Image) -> String {
        let segments = image.segments.iter();
        let bytes = segments
            .flat_map(|it| it.address.to_le_bytes().into_iter().chain(it.bytes().iter().copied()));
        let start = [&[image.root], &image.bases[..]].concat();
        let start = start.into_iter().flat_map(u64::to_le_bytes);
        let hash = start.chain(bytes).fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        format!("{hash:016x}")
    }
}

/// What people call the configuration of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLabel {
    /// The file or the shipped configuration that it began with.
    #[serde(default)]
    pub config_name: String,
    /// What was set beside it, by parameter.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

impl RunLabel {
    /// A label of `key=value` settings on top of a configuration; the last of a key counts.
    pub fn new<'a>(config_name: &str, settings: impl IntoIterator<Item = &'a String>) -> Self {
        let pair = |setting: &'a String| setting.split_once('=');
        let pairs = settings.into_iter().filter_map(pair);
        Self {
            config_name: config_name.to_owned(),
            settings: pairs.map(|(k, v)| (k.trim().to_owned(), v.trim().to_owned())).collect(),
        }
    }
}

impl std::fmt::Display for RunLabel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.config_name)?;
        self.settings.iter().try_for_each(|(key, value)| write!(f, ", {key}={value}"))
    }
}

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is about.
    #[serde(flatten)]
    pub key: RunKey,
    /// What its configuration is called.
    #[serde(flatten)]
    pub label: RunLabel,
    /// The configuration that produced it.
    pub config: Config,
    /// Cycles from the first beat until the last slot is free.
    pub cycles: u64,
    /// Rays a cycle.
    pub rays_per_cycle: f64,
    /// Rays a second at `clock_mhz`, in millions.
    pub mrays_per_second_at_clock: f64,
    /// Cycles from a query's first beat to its result.
    pub latency: Latency,
    /// Queries with a latency from 0 on, from the first step on, and so on: 64 equal steps up to
    /// the largest.
    pub latency_histogram: Vec<u64>,
    /// The same by priority, the most urgent first, if queries differ in it.
    #[serde(default)]
    pub priorities: Vec<PriorityLatency>,
    /// Blocks a query.
    pub blocks_per_ray: f64,
    /// Bytes that came into L0s and SMs, a query: nodes and leaves.
    pub bytes_per_ray: f64,
    /// Averages of what the units did.
    pub averages: Averages,
    /// TTU cycles with 0, 1, 2 ... slots in use.
    pub slot_occupancy: Vec<u64>,
    /// How many fills woke so many queries.
    pub wakeup_sizes: BTreeMap<String, u64>,
    /// Tests that each traversal unit issued as a share of what it could, by TTU.
    pub unit_use: Vec<Vec<f64>>,
    /// Unit cycles with 0, 1, 2 ... tests issued, up to `tests_per_unit`.
    #[serde(default)]
    pub issue_histogram: Vec<u64>,
    /// Everything that was counted.
    pub counters: BTreeMap<String, u64>,
    /// Sums that were checked to be equal.
    pub invariants: BTreeMap<String, [u64; 2]>,
    /// What limits throughput.
    pub bound: String,
    /// All limits, in blocks a cycle; what is not used limits nothing and is left out.
    pub bounds: BTreeMap<String, f64>,
    /// Blocks a cycle that were reached.
    pub blocks_per_cycle: f64,
    /// What to change, by the limits, and how much that could give.
    #[serde(default)]
    pub advice: String,
    /// What should be known about the figures: parameters without effect, a trace that is cut.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Simulated cycles a second on this computer.
    pub simulated_cycles_per_second: f64,
    /// Queries a second on this computer.
    pub rays_per_second: f64,
}

impl Keyed for Row {
    type Key = RunKey;

    fn key(&self) -> &RunKey {
        &self.key
    }
}

/// Quotients of counters; 0 where there is nothing to divide.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Averages {
    /// Box tests a query.
    pub tests_per_ray: f64,
    /// Share of children tested that were met.
    pub useful_tests: f64,
    /// Share of children met that the query misses exactly, if that was counted.
    pub false_positives: Option<f64>,
    /// Cycles from a request to memory to its fill.
    pub fetch_latency: f64,
    /// Depth of a traversal stack after a push.
    pub stack_depth: f64,
    /// Entries of the result queue.
    pub result_queue: f64,
}

impl Averages {
    fn new(run: &Run, rays: u64) -> Self {
        let counters = &run.counters;
        let share = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let ttu_cycles = run.cycles * u64::from(run.config.ttus());
        Self {
            tests_per_ray: share(counters.children_tested, rays),
            useful_tests: share(counters.children_hit, counters.children_tested),
            false_positives: run
                .counts_false_positives
                .then(|| share(counters.false_positives, counters.children_hit)),
            fetch_latency: share(counters.fetch_cycles, counters.fetches),
            stack_depth: share(counters.stack_depth_sum, counters.stack_pushes),
            result_queue: share(counters.result_queue_entries, ttu_cycles),
        }
    }
}

/// A distribution in four numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// Mean.
    pub mean: f64,
    /// Half do not exceed it.
    pub p50: u64,
    /// 95 of 100 do not exceed it.
    pub p95: u64,
    /// The largest.
    pub max: u64,
}

impl From<&Distribution> for Latency {
    fn from(latencies: &Distribution) -> Self {
        Self {
            mean: latencies.mean(),
            p50: latencies.percentile(0.5),
            p95: latencies.percentile(0.95),
            max: latencies.max(),
        }
    }
}

/// How long the queries of one priority take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PriorityLatency {
    /// The priority.
    pub priority: u8,
    /// How many have it.
    pub queries: u64,
    /// Cycles from the first beat to the result.
    pub latency: Latency,
}

impl From<&Urgency> for PriorityLatency {
    fn from(Urgency { priority, latencies }: &Urgency) -> Self {
        let (priority, queries) = (*priority, latencies.total());
        Self { priority, queries, latency: latencies.into() }
    }
}

impl Row {
    /// What it is called among the rows of a sweep: its swept values, or its configuration.
    #[must_use]
    pub fn names(&self, sweeps: &[ParameterSweep]) -> Vec<String> {
        match sweeps {
            [] => vec![self.label.to_string()],
            sweeps => sweeps.iter().map(|sweep| self.value(sweep).to_owned()).collect(),
        }
    }

    /// Its value of a swept parameter.
    pub(super) fn value(&self, sweep: &ParameterSweep) -> &str {
        self.label.settings.get(&sweep.key).map_or("", String::as_str)
    }

    /// The figures that tables show: cycles, rays a cycle, millions of rays a second, latencies,
    /// hits in the L0, blocks and bytes a ray, what limits it.
    #[must_use]
    pub fn cells(&self) -> [String; 9] {
        [
            grouped(self.cycles),
            format!("{:.5}", self.rays_per_cycle),
            format!("{:.2}", self.mrays_per_second_at_clock),
            grouped(self.latency.p50),
            grouped(self.latency.p95),
            format!("{:.1} %", self.l0_hit_percent()),
            format!("{:.1}", self.blocks_per_ray),
            format!("{:.0}", self.bytes_per_ray),
            self.bound.clone(),
        ]
    }

    /// The share of lookups in the L0 that found their block, in percent.
    #[must_use]
    pub fn l0_hit_percent(&self) -> f64 {
        let count = |name: &str| self.counters.get(name).copied().unwrap_or(0) as f64;
        100.0 * count("hits") / count("lookups").max(1.0)
    }

    /// The limits, smallest first.
    #[must_use]
    pub fn sorted_bounds(&self) -> Vec<(&str, f64)> {
        let mut sorted: Vec<_> = self.bounds.iter().map(|(name, &b)| (name.as_str(), b)).collect();
        sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
        sorted
    }

    /// The row of a run.
    #[must_use]
    pub fn new(key: RunKey, label: RunLabel, run: &Run) -> Self {
        let rays = key.rays.max(1) as f64;
        let cycles = run.cycles.max(1) as f64;
        let width = f64::from(run.config.tests_per_unit);
        let wall = run.wall.as_secs_f64().max(1e-9);
        let named = run.counters.named().into_iter();
        let limits = run.bound.limits.iter().filter(|limit| limit.blocks_per_cycle.is_finite());
        Self {
            cycles: run.cycles,
            rays_per_cycle: key.rays as f64 / cycles,
            mrays_per_second_at_clock: key.rays as f64 / cycles * f64::from(run.config.clock_mhz),
            latency: (&run.latencies).into(),
            priorities: run.urgencies.iter().map(PriorityLatency::from).collect(),
            latency_histogram: run.latencies.histogram(LATENCY_STEPS),
            averages: Averages::new(run, key.rays),
            blocks_per_ray: run.counters.setups as f64 / rays,
            bytes_per_ray: (run.counters.l0_fill_bytes + run.counters.sm_fetch_bytes) as f64 / rays,
            slot_occupancy: run.occupancy.clone(),
            wakeup_sizes: run.group_sizes.iter().map(|(n, times)| (n.to_string(), times)).collect(),
            unit_use: run
                .unit_tests
                .iter()
                .map(|units| units.iter().map(|&tests| tests as f64 / width / cycles).collect())
                .collect(),
            issue_histogram: run.issues.clone(),
            counters: named
                .filter(|(name, _)| run.counts_false_positives || *name != "false_positives")
                .map(|(name, count)| (name.to_owned(), count))
                .collect(),
            invariants: run
                .invariants
                .iter()
                .map(|i| (i.claim.to_owned(), [i.left, i.right]))
                .collect(),
            bound: run.bound.name().to_owned(),
            bounds: limits.map(|l| (l.name.to_owned(), l.blocks_per_cycle)).collect(),
            blocks_per_cycle: run.bound.reached,
            advice: run.bound.advice(&run.config, &run.counters, run.cycles).to_string(),
            notes: notes(run),
            label,
            simulated_cycles_per_second: cycles * f64::from(run.config.ttus()) / wall,
            rays_per_second: key.rays as f64 / wall,
            config: run.config.clone(),
            key,
        }
    }
}

fn notes(run: &Run) -> Vec<String> {
    let mut notes = run.config.notes();
    if let Some(cut) = run.timelines.iter().find(|timeline| timeline.is_cut) {
        let end = cut.events.last().map_or(0, |event| event.end);
        notes.push(format!(
            "the trace is cut: it holds {} events of a TTU, up to about cycle {end} of {}; ask \
             fewer queries for a whole one",
            cut.events.len(),
            run.cycles
        ));
    }
    notes
}
