//! Child entry: one quantised box with what lies behind it, 96 bits in three dwords.
//!
//! | bits | field |
//! |---|---|
//! | 0..12 | min_x |
//! | 12..24 | min_y |
//! | 24..28 | cull flags |
//! | 28..32 | unused |
//! | 32..44 | min_z |
//! | 44..56 | max_x |
//! | 56..64 | instance (cull) mask |
//! | 64..76 | max_y |
//! | 76..88 | max_z |
//! | 88..92 | node type |
//! | 92..96 | range length, in 128-byte nodes: the distance to the next child of the same class |
//!
//! Eight of them in a box node, four in an instance node. Codes are those of
//! [`BoxFrame`](super::BoxFrame). Sources: GPURT, Mesa (whose table lacks max_z, G-25).
//!
//! ```
//! use gfx12::layout::{Bits, ChildEntry};
//! let entry = ChildEntry::decode(&Bits::from_words([0x0000_0207, 0xFF48_8103, 0x101C_8294]));
//! assert_eq!((entry.min, entry.max), ([519, 0, 259], [1160, 660, 456]));
//! assert_eq!((entry.node_type, entry.range_length, entry.mask), (0, 1, 0xFF));
//! assert_eq!(entry.encode().words(), &[0x0000_0207, 0xFF48_8103, 0x101C_8294]);
//! ```

use super::Bits;
use bitflags::bitflags;

/// One child of a box or instance node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct ChildEntry {
    /// Lower codes, 12 bits each.
    pub min: [u16; 3],
    /// Upper codes, 12 bits each.
    pub max: [u16; 3],
    /// What the subtree holds.
    pub cull_flags: CullFlags,
    /// Four bits that nothing reads.
    pub unused: u8,
    /// Culled when this and the ray's mask have no bit in common.
    pub mask: u8,
    /// Four type bits of the child's pointer.
    pub node_type: u8,
    /// Nodes from this child to the next of the same class, 0..=15.
    pub range_length: u8,
}

bitflags! {
    /// What a subtree holds, so that a ray may skip it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    pub struct CullFlags: u8 {
        /// Only opaque primitives.
        const ONLY_OPAQUE = 1 << 0;
        /// Only non-opaque primitives.
        const ONLY_NON_OPAQUE = 1 << 1;
        /// Only triangles.
        const ONLY_TRIANGLES = 1 << 2;
        /// Only procedurals.
        const ONLY_PROCEDURAL = 1 << 3;
    }
}

/// Bits of an entry.
pub const CHILD_ENTRY_BITS: usize = 96;

impl ChildEntry {
    /// The impossible box that GPURT and RADV write into unused slots.
    pub const UNUSED: Self = Self {
        min: [0xFFF; 3],
        max: [0; 3],
        cull_flags: CullFlags::all(),
        unused: 0xF,
        mask: 0,
        node_type: 0,
        range_length: 0,
    };

    /// Reads three dwords.
    #[must_use]
    #[inline]
    pub fn decode(bits: &Bits<3>) -> Self {
        Self {
            min: [bits.get(0..12), bits.get(12..24), bits.get(32..44)].map(|code| code as u16),
            max: [bits.get(44..56), bits.get(64..76), bits.get(76..88)].map(|code| code as u16),
            cull_flags: CullFlags::from_bits_truncate(bits.get(24..28) as u8),
            unused: bits.get(28..32) as u8,
            mask: bits.get(56..64) as u8,
            node_type: bits.get(88..92) as u8,
            range_length: bits.get(92..96) as u8,
        }
    }

    /// Writes three dwords.
    #[must_use]
    pub fn encode(&self) -> Bits<3> {
        let Self { min, max, cull_flags, unused, mask, node_type, range_length } = *self;
        let mut bits = Bits::ZERO;
        bits.set(0..12, u32::from(min[0]));
        bits.set(12..24, u32::from(min[1]));
        bits.set(24..28, u32::from(cull_flags.bits()));
        bits.set(28..32, u32::from(unused));
        bits.set(32..44, u32::from(min[2]));
        bits.set(44..56, u32::from(max[0]));
        bits.set(56..64, u32::from(mask));
        bits.set(64..76, u32::from(max[1]));
        bits.set(76..88, u32::from(max[2]));
        bits.set(88..92, u32::from(node_type));
        bits.set(92..96, u32::from(range_length));
        bits
    }

    /// GPURT's own question, whether a slot holds a child at all.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        !(self.min[0] == 0xFFF && self.min[1] == 0xFFF && self.max[1] == 0 && self.max[2] == 0)
    }

    /// Whether the codes are inverted beyond the quantum that decoding adds: no ray enters.
    #[must_use]
    pub fn is_inverted(&self) -> bool {
        self.min.iter().zip(self.max).any(|(&min, max)| min > max + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_entry_round_trips(words: [u32; 3]) {
            let bits = Bits::from_words(words);
            prop_assert_eq!(ChildEntry::decode(&bits).encode(), bits);
        }
    }

    #[test]
    fn unused_slots_are_the_drivers() {
        assert_eq!(ChildEntry::UNUSED.encode().words(), &[0xFFFF_FFFF, 0x0000_0FFF, 0]);
        assert!(!ChildEntry::UNUSED.is_valid() && ChildEntry::UNUSED.is_inverted());
    }

    #[test]
    fn fields_sit_where_the_table_says() {
        let entry = ChildEntry { max: [0, 0, 0xABC], node_type: 6, ..ChildEntry::default() };
        assert_eq!(entry.encode().words(), &[0, 0, 0x06AB_C000]);
    }
}
