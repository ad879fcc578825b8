//! Which bytes are box or instance nodes already, in units of 64 bytes.

use super::memory::Memory;
use crate::layout::NODE_BYTES;

/// One bit for every 64 bytes of every segment.
#[derive(Debug)]
pub(crate) struct Visited {
    segments: Vec<Vec<u64>>,
}

impl Visited {
    pub(crate) fn new(memory: &Memory<'_>) -> Self {
        let words = |bytes: usize| (bytes / 64 + 2).div_ceil(64);
        Self {
            segments: memory.segments().iter().map(|s| vec![0; words(s.bytes().len())]).collect(),
        }
    }

    /// Claims the node at an address; false if some of it is claimed already, or is no memory.
    pub(crate) fn claim(&mut self, memory: &Memory<'_>, address: u64) -> bool {
        let units = units(memory, address);
        if units.is_none_or(|units| self.holds(units)) {
            return false;
        }
        if let Some((segment, first)) = units {
            for unit in first..=last(first) {
                self.segments[segment][unit / 64] |= 1 << (unit % 64);
            }
        }
        true
    }

    /// Whether some of the node at an address is claimed.
    pub(crate) fn is_claimed(&self, memory: &Memory<'_>, address: u64) -> bool {
        units(memory, address).is_some_and(|units| self.holds(units))
    }

    fn holds(&self, (segment, first): (usize, usize)) -> bool {
        (first..=last(first)).any(|unit| self.segments[segment][unit / 64] >> (unit % 64) & 1 == 1)
    }
}

const fn last(first: usize) -> usize {
    first + NODE_BYTES as usize / 64 - 1
}

/// Segment and first unit of a node.
fn units(memory: &Memory<'_>, address: u64) -> Option<(usize, usize)> {
    let segment = memory.segment_of(address)?;
    let start = memory.segments()[segment].address;
    Some((segment, (address - start) as usize / 64))
}
