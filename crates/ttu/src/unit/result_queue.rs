//! The result queue: leaf data, pointers to other blocks, completion signals.

use std::collections::VecDeque;

/// What a unit reports.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    /// Items for the SM.
    Leaf { first: u32, count: u32, bytes: u32, address: u64 },
    /// A block to be visited.
    Foreign { block: u32, entry_t: f32, child: u8 },
    /// The unit is done with the block.
    Completion,
}

/// An entry of the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) slot: u32,
    pub(crate) outcome: Outcome,
    pushed_at: u64,
}

/// The queue.
#[derive(Debug)]
pub(crate) struct ResultQueue {
    entries: VecDeque<Entry>,
    capacity: usize,
}

impl ResultQueue {
    pub(crate) fn new(capacity: u32) -> Self {
        Self { entries: VecDeque::with_capacity(capacity as usize), capacity: capacity as usize }
    }

    pub(crate) fn has_room(&self) -> bool {
        self.entries.len() < self.capacity
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn push(&mut self, slot: u32, outcome: Outcome, cycle: u64) {
        self.entries.push_back(Entry { slot, outcome, pushed_at: cycle });
    }

    /// The next entry, if it was pushed in an earlier cycle.
    pub(crate) fn pop(&mut self, cycle: u64) -> Option<Entry> {
        self.entries.front().filter(|entry| entry.pushed_at < cycle)?;
        self.entries.pop_front()
    }
}
