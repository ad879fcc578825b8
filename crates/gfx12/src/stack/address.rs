//! The register that addresses the stack.
//!
//! | bits | field |
//! |---|---|
//! | 0..5 | valid_entries |
//! | 5..10 | entries_to_tlas |
//! | 10..15 | ring index of the next push |
//! | 15..29 | base, dword offset in LDS |
//! | 29 | has_tlas_in_stack |
//! | 30 | overflowed |
//! | 31 | blas_to_tlas_pop: what the last pop found |
//!
//! A fresh stack has only its base. Source: RDNA4 ISA guide 12.5.3.
//!
//! ```
//! use gfx12::stack::StackAddress;
//! let address = StackAddress::decode(0x421);
//! assert_eq!((address.valid_entries, address.entries_to_tlas, address.ring_index), (1, 1, 1));
//! assert_eq!(address.encode(), 0x421);
//! ```

use crate::layout::Bits;

/// The fields of the stack address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct StackAddress {
    /// Entries that can be popped.
    pub valid_entries: u8,
    /// Entries above those of the outer structure.
    pub entries_to_tlas: u8,
    /// Where the next push goes.
    pub ring_index: u8,
    /// Dword offset of entry 0.
    pub base: u16,
    /// Whether entries of an outer structure lie below.
    pub has_tlas_in_stack: bool,
    /// Whether entries were ever lost; no operation clears it.
    pub overflowed: bool,
    /// Whether the last pop returned to the outer structure.
    pub blas_to_tlas_pop: bool,
}

impl StackAddress {
    /// Reads the register.
    #[must_use]
    pub fn decode(register: u32) -> Self {
        let bits = Bits::from_words([register]);
        Self {
            valid_entries: bits.get(0..5) as u8,
            entries_to_tlas: bits.get(5..10) as u8,
            ring_index: bits.get(10..15) as u8,
            base: bits.get(15..29) as u16,
            has_tlas_in_stack: bits.flag(29),
            overflowed: bits.flag(30),
            blas_to_tlas_pop: bits.flag(31),
        }
    }

    /// Writes the register.
    #[must_use]
    pub fn encode(&self) -> u32 {
        let mut bits = Bits::from_words([0]);
        bits.set(0..5, u32::from(self.valid_entries));
        bits.set(5..10, u32::from(self.entries_to_tlas));
        bits.set(10..15, u32::from(self.ring_index));
        bits.set(15..29, u32::from(self.base));
        bits.set_flag(29, self.has_tlas_in_stack);
        bits.set_flag(30, self.overflowed);
        bits.set_flag(31, self.blas_to_tlas_pop);
        bits.word(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_register_round_trips(register: u32) {
            prop_assert_eq!(StackAddress::decode(register).encode(), register);
        }
    }
}
