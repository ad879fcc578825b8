//! How many pairs a range has.
//!
//! A range runs from its first pair over the pairs of its node, and on from pair 0 of the next
//! node, until a descriptor has its stop bit. Most end in their first node. Untrusted ones may run
//! through the whole image, millions of them through the same nodes, so beyond a few nodes a table
//! answers: for each node the number of pairs from its pair 0 to the stop.

use super::memory::Memory;
use crate::layout::{NODE_BYTES, NodeBits, PrimitiveHeader, pair_descriptor_bits};
use std::sync::OnceLock;

/// Most pairs of a range.
pub(crate) const MAX_RANGE_PAIRS: u32 = 1 << 23;

/// Nodes that are walked before the table is asked.
const WALKED_NODES: u32 = 16;

/// Why a range cannot be walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RangeError {
    /// The first pair is not below the pair count.
    FirstPair { pair_count: u32 },
    /// No stop bit before the segment ends.
    NoEnd,
    /// More than [`MAX_RANGE_PAIRS`].
    TooLong,
}

/// The ranges of an image.
#[derive(Debug)]
pub(crate) struct Ranges<'a> {
    memory: &'a Memory<'a>,
    /// For each segment and each place of nodes within 128 bytes (0 or 64): the table.
    tails: Vec<[OnceLock<Vec<u32>>; 2]>,
}

impl<'a> Ranges<'a> {
    pub(crate) fn new(memory: &'a Memory<'a>) -> Self {
        Self { memory, tails: memory.segments().iter().map(|_| Default::default()).collect() }
    }

    /// Pairs of the range that starts at a pair of the node at `address`, which is readable.
    pub(crate) fn pairs(&self, address: u64, first: u8) -> Result<u32, RangeError> {
        let mut node = self.memory.node(address).ok_or(RangeError::NoEnd)?;
        let (mut address, mut first) = (address, u32::from(first));
        if first >= pair_count(&node) {
            return Err(RangeError::FirstPair { pair_count: pair_count(&node) });
        }
        let mut pairs = 0;
        for _ in 0..WALKED_NODES {
            if let Some(stop) = first_stop(&node, first) {
                return Ok(pairs + stop + 1 - first);
            }
            pairs += pair_count(&node) - first;
            first = 0;
            address += NODE_BYTES;
            node = self.memory.node(address).ok_or(RangeError::NoEnd)?;
        }
        match self.tail(address) {
            0 => Err(RangeError::NoEnd),
            tail if tail > MAX_RANGE_PAIRS - pairs => Err(RangeError::TooLong),
            tail => Ok(pairs + tail),
        }
    }

    /// Pairs from pair 0 of a node to the stop; 0 if there is none.
    fn tail(&self, address: u64) -> u32 {
        let Some(number) = self.memory.segment_of(address) else { return 0 };
        let segment = &self.memory.segments()[number];
        let offset = address - segment.address;
        let phase = offset % NODE_BYTES;
        let tails = self.tails[number][usize::from(phase >= 64)]
            .get_or_init(|| table(&segment.bytes()[phase as usize..]));
        tails.get((offset / NODE_BYTES) as usize).copied().unwrap_or(0)
    }
}

/// Pairs to the stop for each 128 bytes, taken as a primitive node; from the end backward.
fn table(bytes: &[u8]) -> Vec<u32> {
    let mut tails = vec![0; bytes.len() / NODE_BYTES as usize];
    let mut next = 0u32;
    for (tail, node) in tails.iter_mut().zip(bytes.chunks_exact(NODE_BYTES as usize)).rev() {
        let node = NodeBits::from_bytes(node);
        next = match first_stop(&node, 0) {
            Some(stop) => stop + 1,
            None if next == 0 => 0,
            None => next.saturating_add(pair_count(&node)),
        };
        *tail = next;
    }
    tails
}

/// The pair count of a primitive node.
pub(crate) fn pair_count(node: &NodeBits) -> u32 {
    PrimitiveHeader::pair_count.get(node) + 1
}

/// The first pair from `first` on with a stop bit.
fn first_stop(node: &NodeBits, first: u32) -> Option<u32> {
    (first..pair_count(node)).find(|&pair| node.flag(pair_descriptor_bits(pair as usize).start))
}
