//! Which bytes are nodes already, in units of 64 bytes.

use super::memory::Memory;
use crate::layout::pointer::NODE_BYTES;
use std::ops::Range;

/// One bit for every 64 bytes of every segment.
#[derive(Debug)]
pub struct Visited {
    segments: Vec<Vec<u64>>,
}

impl Visited {
    /// Nothing is claimed yet.
    #[must_use]
    pub fn new(memory: &Memory<'_>) -> Self {
        let words = |bytes: usize| (bytes / 64 + 2).div_ceil(64);
        Self {
            segments: memory.segments().iter().map(|s| vec![0; words(s.bytes().len())]).collect(),
        }
    }

    /// Claims a node of so many bytes at an address; false if some of it is claimed already, or is
    /// no memory.
    pub fn claim(&mut self, memory: &Memory<'_>, address: u64, bytes: u64) -> bool {
        let Some((segment, units)) = units(memory, address, bytes) else { return false };
        if self.holds(segment, units.clone()) {
            return false;
        }
        for unit in units {
            self.segments[segment][unit / 64] |= 1 << (unit % 64);
        }
        true
    }

    /// Whether some of the 128-byte node at an address is claimed.
    #[must_use]
    pub fn is_claimed(&self, memory: &Memory<'_>, address: u64) -> bool {
        units(memory, address, NODE_BYTES)
            .is_some_and(|(segment, units)| self.holds(segment, units))
    }

    fn holds(&self, segment: usize, mut units: Range<usize>) -> bool {
        units.any(|unit| self.segments[segment][unit / 64] >> (unit % 64) & 1 == 1)
    }
}

/// Segment and units of a node.
fn units(memory: &Memory<'_>, address: u64, bytes: u64) -> Option<(usize, Range<usize>)> {
    let segment = memory.segment_of(address)?;
    let first = (address - memory.segments()[segment].address) as usize / 64;
    Some((segment, first..first + (bytes / 64) as usize))
}
