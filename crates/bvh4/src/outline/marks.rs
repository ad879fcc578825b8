//! A byte for every node of an image: what an outline has seen of it.

use crate::survey::Memory;
use std::collections::HashMap;

/// Nodes begin at multiples of so many bytes in their segments, unless an image is unsound.
const UNIT: u64 = 64;

/// A byte for every address, 0 at first.
pub struct Marks<'a> {
    memory: &'a Memory<'a>,
    /// For each segment, and each unit of it.
    units: Vec<Vec<u8>>,
    /// At other addresses.
    others: HashMap<u64, u8>,
}

impl<'a> Marks<'a> {
    /// No marks yet.
    #[must_use]
    pub fn new(memory: &'a Memory<'a>) -> Self {
        let units = |bytes: usize| vec![0; bytes.div_ceil(UNIT as usize)];
        let segments = memory.segments().iter();
        let units = segments.map(|segment| units(segment.bytes().len())).collect();
        Self { memory, units, others: HashMap::new() }
    }

    /// The byte of an address.
    pub fn at(&mut self, address: u64) -> &mut u8 {
        let unit = self.memory.segment_of(address).and_then(|number| {
            let byte = address - self.memory.segments()[number].address;
            byte.is_multiple_of(UNIT).then_some((number, (byte / UNIT) as usize))
        });
        match unit {
            Some((segment, unit)) => &mut self.units[segment][unit],
            None => self.others.entry(address).or_default(),
        }
    }

    /// Whether an address had no mark; it has one now.
    pub fn mark(&mut self, address: u64) -> bool {
        std::mem::replace(self.at(address), 1) == 0
    }
}
