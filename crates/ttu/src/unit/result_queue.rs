//! What goes through the result queue: leaf data, pointers to other blocks, completion signals.

use super::port::Port;
use machine::blocks::MemoryRange;

/// What a traversal unit reports.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Outcome {
    /// Items for the SM.
    Leaf { first: u32, count: u32, memory: MemoryRange },
    /// A block to be visited.
    Foreign { block: u32, entry_t: f32, child: u8 },
    /// The unit is done with the block.
    Completion,
}

/// An entry of the queue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResultEntry {
    pub(crate) slot: u32,
    pub(crate) outcome: Outcome,
}

/// The queue. An entry can be taken in the cycle after it was pushed.
pub(crate) type ResultQueue = Port<ResultEntry>;
