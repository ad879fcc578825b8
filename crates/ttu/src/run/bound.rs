//! What limits throughput: the first-order bounds of section 2.4, in blocks a cycle, from what a
//! run counted.
//!
//! The bound of the slots is theirs over the latency of one iteration without contention, put
//! together from the closed forms and the measured shares of misses, siblings and depth. The
//! smallest bound is the one to widen first.

use crate::config::{Config, TASK_QUERIES};
use crate::counters::Counters;

/// One limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// What limits.
    pub name: &'static str,
    /// Blocks a cycle, over all TTUs.
    pub blocks_per_cycle: f64,
}

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
        let sms = f64::from(config.gpcs * config.tpcs_per_gpc);
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
            limit(
                "dram",
                over(f64::from(config.dram_bytes_per_cycle), per_block(c.bytes_from_dram)),
            ),
        ];
        limits.sort_by(|a, b| a.blocks_per_cycle.total_cmp(&b.blocks_per_cycle));
        Self { limits, reached: c.setups as f64 / cycles.max(1) as f64 }
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
