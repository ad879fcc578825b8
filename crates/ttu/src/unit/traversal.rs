//! The traversal units of a TTU (steps 9 and 10 of the event list).

use super::local_store::LocalStore;
use super::port::Wire;
use super::result_queue::ResultQueue;
use super::setup::UnitWrite;
use super::stats::Stats;
use super::tick::Tick;
use super::traversal_unit::TraversalUnit;
use crate::config::Config;
use machine::Observer;

/// What the traversal units are connected to.
pub(crate) struct Ports<'a> {
    pub(crate) store: &'a LocalStore,
    /// To the stack management unit.
    pub(crate) results: &'a mut ResultQueue,
    /// To the setup unit: units that have a place more.
    pub(crate) freed: &'a mut Wire<usize>,
}

/// All traversal units of a TTU.
#[derive(Debug)]
pub(crate) struct TraversalUnits {
    units: Vec<TraversalUnit>,
}

impl TraversalUnits {
    pub(crate) fn new(config: &Config) -> Self {
        Self { units: (0..config.units).map(|n| TraversalUnit::new(n, config)).collect() }
    }

    /// Puts a block into a free place of a unit.
    pub(crate) fn write(&mut self, write: &UnitWrite) {
        self.units[write.unit].write(write);
    }

    /// UNITS. The unit that reports first changes every cycle, so that a full queue is fair. Says
    /// whether anything moved.
    pub(crate) fn tick<O: Observer + ?Sized>(
        &mut self,
        tick: &mut Tick<'_, '_, O>,
        to: &mut Ports<'_>,
    ) -> bool {
        let count = self.units.len();
        let start = (tick.cycle % count as u64) as usize;
        let mut active = false;
        for number in (start..count).chain(0..start) {
            let unit = &mut self.units[number];
            if !unit.is_busy() {
                unit.idle(1, tick.env.config, tick.stats);
                continue;
            }
            tick.reporter.next_unit();
            let (moved, left) = unit.tick(tick, to.store, to.results);
            active |= moved;
            if let Some(left) = left {
                to.freed.push_back(number);
                tick.stats.timeline.unit(left);
            }
        }
        active
    }

    /// Books `cycles` in which nothing moves.
    pub(crate) fn idle(&self, cycles: u64, config: &Config, stats: &mut Stats) {
        self.units.iter().for_each(|unit| unit.idle(cycles, config, stats));
    }

    pub(crate) fn next_event(&self, cycle: u64) -> u64 {
        self.units.iter().map(|unit| unit.next_event(cycle)).min().unwrap_or(u64::MAX)
    }

    /// Units that work on a block.
    pub(crate) fn busy(&self) -> u64 {
        self.units.iter().filter(|unit| unit.is_busy()).count() as u64
    }

    /// Tests that each has issued.
    pub(crate) fn tests(&self) -> Vec<u64> {
        self.units.iter().map(|unit| unit.used).collect()
    }
}
