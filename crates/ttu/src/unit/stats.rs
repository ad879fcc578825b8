//! What is counted and recorded of one TTU. Units write it and never read it.

use crate::config::Config;
use crate::counters::Counters;
use crate::distribution::Distribution;
use crate::run::timeline::Timeline;

/// Counts and records.
#[derive(Debug)]
pub(crate) struct Stats {
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
    pub(crate) timeline: Timeline,
}

impl Stats {
    pub(crate) fn new(config: &Config, timeline: Timeline) -> Self {
        Self {
            counters: Counters::default(),
            traversal_latencies: Distribution::default(),
            latencies: Distribution::default(),
            issues: vec![0; config.tests_per_unit as usize + 1],
            group_sizes: Distribution::default(),
            occupancy: vec![0; config.slots as usize + 1],
            timeline,
        }
    }
}
