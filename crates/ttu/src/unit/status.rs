//! Status entries: what the scheduler knows of each slot.

use crate::counters::Counters;
use crate::explained::Explained;

/// What a slot is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum State {
    #[default]
    Free,
    Ready,
    Fetch,
    Launched,
    Drain,
    Done,
}

/// What each state means.
pub const STATES: [Explained; 6] = [
    state("free", "no query is in the slot"),
    state("ready", "the query arrives, or waits to be picked"),
    state("fetch", "the query waits for a block, or for spilled stack entries, from memory"),
    state("launched", "a block of the query is looked up, set up or tested"),
    state("drain", "nothing is left to walk: the query waits for leaf tests of the SM"),
    state("done", "the result waits to be read by the SM"),
];

const fn state(name: &'static str, meaning: &'static str) -> Explained {
    Explained { name, unit: "slot cycles", meaning }
}

impl State {
    pub(crate) const fn name(self) -> &'static str {
        STATES[self as usize].name
    }
}

/// A status entry.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Status {
    pub(crate) state: State,
    /// When it entered the state.
    pub(crate) since: u64,
    /// The question that it works for.
    pub(crate) job: u32,
    pub(crate) priority: u8,
    pub(crate) accepted_at: u64,
    /// How many slots had become ready before it did.
    pub(crate) readied: u64,
    /// Popped but not set up.
    pub(crate) held: Option<u32>,
    /// Blocks that entered the setup unit.
    pub(crate) blocks: u32,
    /// Refused for want of an MSHR when so many lines had arrived.
    pub(crate) refused_at: Option<u64>,
}

impl Status {
    /// Books the time in its state up to cycle `at`.
    pub(crate) fn book(&mut self, at: u64, counters: &mut Counters) {
        let spent = at - self.since;
        self.since = at;
        *match self.state {
            State::Free => &mut counters.state_free,
            State::Ready => &mut counters.state_ready,
            State::Fetch => &mut counters.state_fetch,
            State::Launched => &mut counters.state_launched,
            State::Drain => &mut counters.state_drain,
            State::Done => &mut counters.state_done,
        } += spent;
    }
}
