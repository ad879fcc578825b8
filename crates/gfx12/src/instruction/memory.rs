//! Reading a node: where it lies, and whether the instruction may look there.
//!
//! ```text
//! address = T# base + base pointer + node offset           modulo 2^48
//! ```
//!
//! Every 64-byte unit of the node, counted from the T# base, must not lie behind the last one that
//! the T# allows (G-15). Memory that does not exist is treated as out of bounds.

use crate::layout::{BasePointer, Bits, Resource};
use bvh4::layout::base_pointer::ADDRESS_MASK;
pub use bvh4::unit::Memory;
use bvh4::unit::memory;

/// The node of `WORDS` dwords at an offset from a base; `None` if it is out of bounds (G-15).
pub(super) fn read_node<const WORDS: usize, M: Memory + ?Sized>(
    memory: &M,
    resource: &Resource,
    base: BasePointer,
    byte_offset: u64,
) -> Option<Bits<WORDS>> {
    let offset = (base.address() + byte_offset) & ADDRESS_MASK;
    memory::read_node(memory, resource.base_address(), resource.last_unit, offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{PointerFlags, SortHeuristic};
    use machine::Segment;

    #[test]
    fn the_three_parts_of_an_address_add_up() {
        let bytes: Vec<u8> = (0..=255).collect();
        let memory = Segment::new(0x1_0000, &bytes);
        let mut resource = Resource::radv(SortHeuristic::Closest);
        resource.base = 0xF0;
        let base = BasePointer::new(0xFC0, PointerFlags::all()).unwrap();
        let node: Bits<16> = read_node(&memory, &resource, base, 0x80).unwrap();
        assert_eq!(node.word(0), u32::from_le_bytes([0x40, 0x41, 0x42, 0x43]));
    }

    #[test]
    fn every_unit_must_be_in_bounds() {
        let memory = Segment::new(0, &[0; 512]);
        let mut resource = Resource::radv(SortHeuristic::Closest);
        let base = BasePointer::default();
        for last in 0..8 {
            resource.last_unit = last;
            let whole: Option<Bits<32>> = read_node(&memory, &resource, base, 256);
            let half: Option<Bits<16>> = read_node(&memory, &resource, base, 256);
            assert_eq!((whole.is_some(), half.is_some()), (last >= 5, last >= 4));
        }
    }

    #[test]
    fn memory_that_does_not_exist_is_out_of_bounds() {
        let memory = Segment::new(0, &[0; 192]);
        let resource = Resource::radv(SortHeuristic::Closest);
        let node: Option<Bits<32>> = read_node(&memory, &resource, BasePointer::default(), 128);
        assert_eq!(node, None);
    }
}
