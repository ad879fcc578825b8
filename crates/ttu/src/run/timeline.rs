//! What every slot did and when: the raw material of a trace.

use crate::unit::slot::State;

/// A stretch of time that a slot spent in one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The slot.
    pub slot: u32,
    /// The state.
    pub state: &'static str,
    /// First cycle.
    pub start: u64,
    /// The cycle after the last.
    pub end: u64,
    /// The question that it worked for.
    pub job: u32,
}

/// Events of one TTU, as many as were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    limit: usize,
    /// The events, in the order of their ends.
    pub events: Vec<Event>,
    /// Stretches in which a unit held blocks: unit, first cycle, the cycle after the last, blocks.
    pub units: Vec<(u32, u64, u64, u32)>,
    /// Whether there were more.
    pub is_cut: bool,
}

impl Timeline {
    /// A timeline that keeps `limit` events.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }

    pub(crate) fn state(&mut self, slot: u32, state: State, start: u64, end: u64, job: u32) {
        if self.limit == 0 || state == State::Free || start == end {
            return;
        }
        if self.events.len() >= self.limit {
            self.is_cut = true;
            return;
        }
        self.events.push(Event { slot, state: state.name(), start, end, job });
    }

    pub(crate) fn unit(&mut self, unit: u32, start: u64, end: u64, block: u32) {
        if self.limit == 0 {
            return;
        }
        if self.units.len() >= self.limit {
            self.is_cut = true;
            return;
        }
        self.units.push((unit, start, end, block));
    }
}
