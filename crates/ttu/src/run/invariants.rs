//! What must add up at the end of every run (section 2.5). A sum that does not is an error of the
//! run.

use crate::config::Config;
use crate::counters::Counters;

/// Two sums that must be equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invariant {
    /// The claim.
    pub claim: &'static str,
    /// One side.
    pub left: u64,
    /// The other side.
    pub right: u64,
}

/// A claim that does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the counters do not add up: {claim}, but {left} is not {right}")]
pub struct Violated {
    /// The claim.
    pub claim: &'static str,
    /// One side.
    pub left: u64,
    /// The other side.
    pub right: u64,
}

/// All of them, for a run of `cycles`; `issues` counts unit cycles by the number of tests issued.
#[must_use]
pub fn all(c: &Counters, issues: &[u64], config: &Config, cycles: u64) -> Vec<Invariant> {
    let weighted = issues.iter().zip(0..).map(|(times, tests)| times * tests);
    let in_use = c.state_ready + c.state_fetch + c.state_launched + c.state_drain + c.state_done;
    let slots = u64::from(config.slots) * u64::from(config.ttus());
    let units = u64::from(config.units) * u64::from(config.ttus());
    let issue_slots = u64::from(config.tests_per_unit) * units * cycles;
    let bubbles =
        c.bubbles_empty + c.bubbles_dependency + c.bubbles_result_queue + c.bubbles_partial;
    let claim = |claim, left, right| Invariant { claim, left, right };
    vec![
        claim("time in states = lifetime of queries", in_use, c.lifetime),
        claim("time in all states = slots x cycles", in_use + c.state_free, slots * cycles),
        claim("lookups = hits + misses + merges", c.lookups, c.hits + c.misses + c.merges),
        claim(
            "picks = lookups + mshr_full + late_culls",
            c.picks,
            c.lookups + c.mshr_full + c.late_culls,
        ),
        claim("setups = hits", c.setups, c.hits),
        claim("setups = root_rejects + launches", c.setups, c.root_rejects + c.launches),
        claim("result pushes = result pops", c.result_pushes, c.result_pops),
        claim(
            "leaves + foreign + completions = result pushes",
            c.leaves + c.foreign + c.completions,
            c.result_pushes,
        ),
        claim("foreign = stack pushes", c.foreign, c.stack_pushes),
        claim(
            "tasks evicted = tasks resumed + tasks that ended pending",
            c.tasks_evicted,
            c.tasks_resumed + c.tasks_ended_pending,
        ),
        claim("stack pushes + accepted = stack pops", c.stack_pushes + c.accepted, c.stack_pops),
        claim(
            "issue slots used + bubbles = tests x units x cycles",
            c.issue_used + bubbles,
            issue_slots,
        ),
        claim("unit cycles = units x cycles", issues.iter().sum(), units * cycles),
        claim("issue slots used = tests x issues", c.issue_used, weighted.sum()),
        claim(
            "bytes into the L0 = line x fills",
            c.l0_fill_bytes,
            u64::from(config.l0_line_bytes) * c.fills,
        ),
        claim(
            "bytes into the L0 = bytes from L1 + L2 + DRAM",
            c.l0_fill_bytes,
            c.bytes_from_l1 + c.bytes_from_l2 + c.bytes_from_dram,
        ),
        claim(
            "spilled bytes = groups x their bytes",
            c.spill_bytes,
            (c.spills + c.spill_fills) * config.spill_bytes(),
        ),
        claim("misses = fetches", c.misses, c.fetches),
        claim("misses + merges = woken", c.misses + c.merges, c.woken),
        claim("accepted = finished", c.accepted, c.finished),
    ]
}

/// The first claim that does not hold.
///
/// # Errors
/// That claim.
pub fn check(invariants: &[Invariant]) -> Result<(), Violated> {
    match invariants.iter().find(|invariant| invariant.left != invariant.right) {
        None => Ok(()),
        Some(&Invariant { claim, left, right }) => Err(Violated { claim, left, right }),
    }
}
