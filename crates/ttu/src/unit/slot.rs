//! Status entries: one slot for each query under way.

use super::memory::SpillGroup;
use crate::config::Config;
use crate::counters::Counters;
use crate::form::Form;
use geometry::Beam;

/// What a slot is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Free,
    Ready,
    Fetch,
    Launched,
    Drain,
    Done,
}

impl State {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Ready => "ready",
            Self::Fetch => "fetch",
            Self::Launched => "launched",
            Self::Drain => "drain",
            Self::Done => "done",
        }
    }
}

/// An entry of a traversal stack: 8 bytes in the machine, and the child index for ties.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackEntry {
    pub(crate) block: u32,
    pub(crate) entry_t: f32,
    pub(crate) child: u8,
}

/// A status entry with the query's records in local storage.
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) state: State,
    /// When it entered the state.
    pub(crate) since: u64,
    /// The question that it works for.
    pub(crate) job: u32,
    /// The instance that the query came through.
    pub(crate) instance: Option<u32>,
    pub(crate) form: Form,
    /// The query as it came, if tests are compared with exact arithmetic.
    pub(crate) bare: Option<Beam>,
    pub(crate) mask: u8,
    /// How far boxes matter, as the unit knows it.
    pub(crate) tmax: f32,
    pub(crate) priority: u8,
    pub(crate) accepted_at: u64,
    /// Popped but not launched.
    pub(crate) held: Option<u32>,
    pub(crate) stack: Vec<StackEntry>,
    /// Where the pushes of the current block begin.
    pub(crate) block_base: usize,
    /// Entries at the bottom that lie in memory.
    pub(crate) spilled: usize,
    /// Units that still work on the current block.
    pub(crate) pending_units: u32,
    pub(crate) outstanding_leaves: u32,
    /// Blocks that entered the setup unit.
    pub(crate) blocks: u32,
    /// Came back from memory with grouped wake-up, and has not been looked up again.
    pub(crate) is_woken: bool,
    /// Refused for want of an MSHR when so many lines had arrived.
    pub(crate) refused_at: Option<u64>,
}

impl Slot {
    pub(crate) fn new(form: Form) -> Self {
        Self {
            state: State::Free,
            since: 0,
            job: 0,
            instance: None,
            form,
            bare: None,
            mask: 0,
            tmax: 0.0,
            priority: 0,
            accepted_at: 0,
            held: None,
            stack: Vec::with_capacity(64),
            block_base: 0,
            spilled: 0,
            pending_units: 0,
            outstanding_leaves: 0,
            blocks: 0,
            is_woken: false,
            refused_at: None,
        }
    }

    /// The group above those that lie in memory, if `number` is the slot's and `first` the TTU's first stack.
    pub(crate) fn spill_group(&self, first: u64, number: u32, config: &Config) -> SpillGroup {
        let group = self.spilled as u64 / u64::from(config.spill_group);
        SpillGroup { stack: first + u64::from(number), number: group }
    }

    /// Changes the state in cycle `at` and books the time spent in the old one.
    pub(crate) fn enter(&mut self, state: State, at: u64, counters: &mut Counters) {
        self.book(at, counters);
        self.state = state;
    }

    /// Books the time up to cycle `at`.
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

/// A set of slot numbers.
#[derive(Debug, Clone)]
pub(crate) struct SlotSet {
    words: Vec<u64>,
    len: u32,
}

impl SlotSet {
    pub(crate) fn new(slots: u32, full: bool) -> Self {
        let mut set = Self { words: vec![0; slots.div_ceil(64) as usize], len: 0 };
        if full {
            (0..slots).for_each(|slot| set.insert(slot));
        }
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn insert(&mut self, slot: u32) {
        let word = &mut self.words[slot as usize / 64];
        self.len += u32::from(*word >> (slot % 64) & 1 == 0);
        *word |= 1 << (slot % 64);
    }

    pub(crate) fn remove(&mut self, slot: u32) {
        let word = &mut self.words[slot as usize / 64];
        self.len -= u32::from(*word >> (slot % 64) & 1 == 1);
        *word &= !(1 << (slot % 64));
    }

    /// The first at or after `start`, else the first of all.
    pub(crate) fn next_from(&self, start: u32) -> Option<u32> {
        let first = start as usize / 64;
        let masked = self.words.get(first).map_or(0, |word| word & (!0 << (start % 64)));
        if masked != 0 {
            return Some((first * 64) as u32 + masked.trailing_zeros());
        }
        let found = |k: usize| {
            (self.words[k] != 0).then(|| (k * 64) as u32 + self.words[k].trailing_zeros())
        };
        (first + 1..self.words.len())
            .find_map(found)
            .or_else(|| (0..=first.min(self.words.len() - 1)).find_map(found))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(k, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    (k * 64) as u32 + bit
                })
            })
        })
    }
}
