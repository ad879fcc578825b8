//! What limits throughput: the first-order bounds of section 2.4, in blocks a cycle, from what a
//! run counted.
//!
//! The bound of the slots is theirs over the latency of one iteration without contention, put
//! together from the closed forms and the measured shares of misses, siblings and depth. The
//! smallest bound is the one to widen first.

use crate::config::{Config, TASK_QUERIES};
use crate::counters::Counters;
use crate::explained::Explained;

/// One limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// What limits.
    pub name: &'static str,
    /// Blocks a cycle, over all TTUs.
    pub blocks_per_cycle: f64,
}

/// A kind of limit, explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitKind {
    /// Its name and what it means.
    pub explained: Explained,
    /// The parameter that widens it, if one does.
    pub widened_by: Option<&'static str>,
}

/// All limits.
pub const LIMITS: [LimitKind; 13] = [
    kind("pick", "pick_per_cycle", "slots that the scheduler picks"),
    kind("setup", "", "blocks that the setup unit begins: one a cycle and TTU"),
    kind("box_tests", "tests_per_unit", "boxes that the traversal units test"),
    kind("unit_slots", "unit_slots", "places in local stores over the cycles that a block stays"),
    kind("slots", "slots", "slots over the cycles of a block without contention"),
    kind("task_pool", "active_slots", "queries of running tasks over the same cycles"),
    kind("fill_port", "fill_bytes_per_cycle", "bytes that come into the L0"),
    kind("mshrs", "l0_mshrs", "lines on their way to the L0 over the latency of memory"),
    kind("smu", "smu_per_cycle", "results that the stack management unit takes"),
    kind("leaf_tests", "tris_per_cycle", "primitives that the SMs test"),
    kind("sm_fetch", "sm_fetch_bytes_per_cycle", "bytes of leaves that come into the SMs"),
    kind("l2", "l2_bytes_per_cycle", "bytes that the L2 moves"),
    kind("dram", "dram_bytes_per_cycle", "bytes that DRAM moves"),
];

const fn kind(name: &'static str, key: &'static str, meaning: &'static str) -> LimitKind {
    let explained = Explained { name, unit: "blocks a cycle", meaning };
    LimitKind { explained, widened_by: if key.is_empty() { None } else { Some(key) } }
}

impl LimitKind {
    /// The kind of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        LIMITS.into_iter().find(|kind| kind.explained.name == name)
    }
}

/// What to change, and what that could give.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The smallest limit.
    pub limit: &'static str,
    /// The share of it that the run reached.
    pub reached: f64,
    /// The parameter that widens it, its value, and twice that; none if none does.
    pub change: Option<(&'static str, u32, u32)>,
    /// How much larger the smallest limit is then.
    pub gain: f64,
    /// The smallest limit then.
    pub next: &'static str,
}

impl std::fmt::Display for Advice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { limit, reached, change, gain, next } = self;
        write!(f, "{limit} limits")?;
        if *reached < WELL_USED {
            let share = 100.0 * reached;
            write!(
                f,
                " first, but the run uses only {share:.0} % of it: parts wait for each other"
            )?;
        }
        match change {
            None => write!(f, "; no parameter widens it"),
            Some((key, from, to)) => {
                write!(f, ": {key} {from} → {to} would give up to {gain:.2} times")?;
                if next != limit { write!(f, ", then {next} limits") } else { Ok(()) }
            }
        }
    }
}

/// The share of a limit from which on it is said to hold a run up.
const WELL_USED: f64 = 0.7;

/// All limits, and what was reached.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The limits, smallest first.
    pub limits: Vec<Limit>,
    /// Blocks a cycle that the run reached.
    pub reached: f64,
}

impl Bound {
    pub(crate) fn of(config: &Config, c: &Counters, cycles: u64) -> Self {
        let blocks = c.setups.max(1) as f64;
        let per_block = |count: u64| count as f64 / blocks;
        let ttus = f64::from(config.ttus());
        let sms = f64::from(config.sms());
        let over = |width: f64, need: f64| if need > 0.0 { width / need } else { f64::INFINITY };
        let unless_unlimited = |bytes: u32, need: f64| match bytes {
            0 => f64::INFINITY,
            bytes => over(bytes.into(), need),
        };
        let line = f64::from(config.l0_line_bytes);
        let tests = f64::from(config.units * config.tests_per_unit);
        let latency = iteration(config, c);
        let pool = f64::from(config.gpcs * config.active_slots) * TASK_QUERIES as f64;
        let lines = per_block(c.fills);
        let limit = |name, blocks_per_cycle| Limit { name, blocks_per_cycle };
        let mut limits = vec![
            // Picks that a full set of MSHRs sends back are a symptom of that limit, not of this
            // one.
            limit(
                "pick",
                ttus * over(config.pick_per_cycle.into(), per_block(c.picks - c.mshr_full)),
            ),
            limit("setup", ttus),
            limit("box_tests", ttus * over(tests, per_block(c.issue_used))),
            limit(
                "unit_slots",
                ttus * over((config.units * config.unit_slots).into(), unit_cycles(config, c)),
            ),
            limit("slots", ttus * over(config.slots.into(), latency)),
            limit("task_pool", over(pool, latency)),
            limit("fill_port", ttus * over(f64::from(config.fill_bytes_per_cycle) / line, lines)),
            limit("mshrs", ttus * over(config.l0_mshrs.into(), lines * memory_latency(config, c))),
            limit(
                "smu",
                ttus * over(
                    config.smu_per_cycle.into(),
                    per_block(c.result_pushes + c.root_rejects),
                ),
            ),
            limit("leaf_tests", sms * over(config.tris_per_cycle.into(), per_block(c.primitives))),
            limit(
                "sm_fetch",
                sms * unless_unlimited(
                    config.sm_fetch_bytes_per_cycle,
                    per_block(c.sm_fetch_bytes),
                ),
            ),
            limit("l2", unless_unlimited(config.l2_bytes_per_cycle, per_block(c.l2_bytes))),
            limit("dram", over(f64::from(config.dram_bytes_per_cycle), per_block(c.dram_bytes))),
        ];
        limits.sort_by(|a, b| a.blocks_per_cycle.total_cmp(&b.blocks_per_cycle));
        Self { limits, reached: c.setups as f64 / cycles.max(1) as f64 }
    }

    /// What to double, by the limits themselves: they are computed again for that configuration
    /// from what the run counted. Nothing is simulated, so it is an upper bound of first order.
    #[must_use]
    pub fn advice(&self, config: &Config, counters: &Counters, cycles: u64) -> Advice {
        let limit = self.name();
        let table = config.to_table();
        let doubled = LimitKind::find(limit).and_then(|kind| kind.widened_by).and_then(|key| {
            let value = u32::try_from(table.get(key)?.as_integer()?).ok()?;
            let wider = config.with(&format!("{key}={}", value.checked_mul(2)?)).ok()?;
            Some(((key, value, 2 * value), Self::of(&wider, counters, cycles)))
        });
        let (change, then) = doubled.unzip();
        let then = then.as_ref().unwrap_or(self);
        Advice {
            limit,
            reached: self.reached / self.blocks_per_cycle(),
            change,
            gain: then.blocks_per_cycle() / self.blocks_per_cycle(),
            next: then.name(),
        }
    }

    /// The smallest limit.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.limits.first().map_or("none", |limit| limit.name)
    }

    /// Blocks a cycle that the smallest limit allows.
    #[must_use]
    pub fn blocks_per_cycle(&self) -> f64 {
        self.limits.first().map_or(0.0, |limit| limit.blocks_per_cycle)
    }
}

/// Mean cycles of a request until its line has arrived, without contention.
fn memory_latency(config: &Config, c: &Counters) -> f64 {
    let bytes = (c.bytes_from_l1 + c.bytes_from_l2 + c.bytes_from_dram).max(1) as f64;
    let weighted = c.bytes_from_l1 as f64 * f64::from(config.t_l1)
        + c.bytes_from_l2 as f64 * f64::from(config.t_l2)
        + c.bytes_from_dram as f64 * f64::from(config.t_l2 + config.t_dram);
    weighted / bytes + f64::from(config.t_fill())
}

/// Cycles that a block spends in the local stores of units at least: its issues and its tests one
/// behind the other, and the completion; spread over several units it is held by each.
fn unit_cycles(config: &Config, c: &Counters) -> f64 {
    let share = |count: u64| count as f64 / c.setups.max(1) as f64;
    let held = share(c.completions);
    let issues = share(c.issue_used) / f64::from(config.tests_per_unit);
    held * (chain_cycles(config, c) + 1.0) + (issues - held).max(0.0)
}

/// Cycles of dependent tests in a block: most blocks have one level, some one more.
fn chain_cycles(config: &Config, c: &Counters) -> f64 {
    let chain = (c.inside_hits as f64 / c.setups.max(1) as f64).min(1.0);
    f64::from(config.t_box) * (1.0 + chain)
}

/// Cycles that a query spends on one block, by the closed forms; leaves and accepting are spread
/// over its blocks.
fn iteration(config: &Config, c: &Counters) -> f64 {
    let blocks = c.setups.max(1) as f64;
    let share = |count: u64| count as f64 / blocks;
    let front = f64::from(1 + config.t_pop + config.t_l0 + config.t_setup + 2);
    let launched = share(c.launches);
    let issues = share(c.issue_used) / f64::from(config.tests_per_unit);
    let inner = launched * chain_cycles(config, c) + (issues - launched).max(0.0);
    let waits = share(c.misses + c.merges);
    let fetch = waits * (memory_latency(config, c) + f64::from(1 + config.t_l0));
    let queries = share(c.accepted);
    front + inner + fetch + queries * 2.0 + share(c.state_drain)
}
