//! Reading a node: where it lies, and whether an instruction may look there.

use crate::layout::base_pointer::ADDRESS_MASK;
use machine::bits::Bits;

/// Memory that instructions read.
pub trait Memory {
    /// The `len` bytes at `address`, if they all exist.
    fn get(&self, address: u64, len: usize) -> Option<&[u8]>;
}

/// The node of `WORDS` dwords at an offset from the base of a T#; `None` if it is out of bounds:
/// a unit of it lies behind the last one that the T# allows, or there is no memory (G-15).
#[inline]
pub fn read_node<const WORDS: usize, M: Memory + ?Sized>(
    memory: &M,
    base: u64,
    last_unit: u64,
    offset: u64,
) -> Option<Bits<WORDS>> {
    let last_byte = offset + 4 * WORDS as u64 - 1;
    if last_byte / 64 > last_unit {
        return None;
    }
    memory.get((base + offset) & ADDRESS_MASK, 4 * WORDS).map(Bits::from_bytes)
}
