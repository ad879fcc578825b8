//! Images as memory that instructions read.

use super::Memory;

impl Memory for machine::Segment {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.get(address, len)
    }
}

impl Memory for crate::survey::Memory<'_> {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.get(address, len)
    }
}

impl Memory for machine::Image {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.get(address, len)
    }
}

impl Memory for [machine::Segment] {
    fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.iter().find_map(|segment| segment.get(address, len))
    }
}
