//! What every slot did and when: the raw material of a trace.

use crate::unit::status::State;

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

/// A stretch of time that a block spent in a place of a unit's local store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The unit.
    pub unit: u32,
    /// The place in its local store.
    pub place: u8,
    /// The slot that it worked for.
    pub slot: u32,
    /// The block.
    pub block: u32,
    /// First cycle.
    pub start: u64,
    /// The cycle after the last.
    pub end: u64,
}

/// Events of one TTU, as many as were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Timeline {
    limit: usize,
    /// The events, in the order of their ends.
    pub events: Vec<Event>,
    /// What the units held, in the order of their ends.
    pub units: Vec<Held>,
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

    pub(crate) fn unit(&mut self, held: Held) {
        if self.limit == 0 {
            return;
        }
        if self.units.len() >= self.limit {
            self.is_cut = true;
            return;
        }
        self.units.push(held);
    }
}
