//! The register that addresses the stack.
//!
//! A fresh stack has only its base. Source: RDNA4 ISA guide 12.5.3.
//!
//! ```
//! use gfx12::stack::StackAddress;
//! let address = StackAddress::from_register(0x421);
//! assert_eq!((address.valid_entries, address.entries_to_tlas, address.ring_index), (1, 1, 1));
//! assert_eq!(address.register(), 0x421);
//! ```

use crate::layout::Bits;

machine::fields! {
    /// The fields of the stack address.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    #[source = "RDNA4 ISA guide 12.5.3"]
    pub struct StackAddress: 1 words {
        /// Entries that can be popped.
        pub valid_entries: u8 = 0..5;
        /// Entries above those of the outer structure.
        pub entries_to_tlas: u8 = 5..10;
        /// Where the next push goes.
        pub ring_index: u8 = 10..15;
        /// Dword offset of entry 0 in LDS.
        pub base: u16 = 15..29;
        /// Whether entries of an outer structure lie below.
        pub has_tlas_in_stack: bool = 29..30;
        /// Whether entries were ever lost; no operation clears it.
        pub overflowed: bool = 30..31;
        /// Whether the last pop returned to the outer structure.
        pub blas_to_tlas_pop: bool = 31..32;
    }
}

impl StackAddress {
    /// Reads the register.
    #[must_use]
    #[inline]
    pub fn from_register(register: u32) -> Self {
        Self::decode(&Bits::from_words([register]))
    }

    /// Writes the register.
    #[must_use]
    #[inline]
    pub fn register(&self) -> u32 {
        self.encode().word(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_register_round_trips(register: u32) {
            prop_assert_eq!(StackAddress::from_register(register).register(), register);
        }
    }
}
