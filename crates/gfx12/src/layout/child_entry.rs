//! Child entry: one quantised box with what lies behind it, 96 bits in three dwords.
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

use super::CullFlags;
use bvh4::layout::cull_flags::mask_text;
use machine::fields::Show;

machine::fields! {
    /// One child of a box or instance node.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    #[source = "GPURT, Mesa (G-25)"]
    pub struct ChildEntry: 3 words {
        /// Lower codes.
        pub min: [u16; 3] = 0..12 | 12..24 | 32..44 => "steps of the grid";
        /// Upper codes; a plane lies one quantum further.
        pub max: [u16; 3] = 44..56 | 64..76 | 76..88 => "steps of the grid";
        /// What the subtree holds.
        pub cull_flags: CullFlags = 24..28;
        /// Four bits that nothing reads.
        pub unused: u8 = 28..32;
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u8 = 56..64, Show::Each(mask_text);
        /// Four type bits of the child's pointer.
        pub node_type: u8 = 88..92;
        /// 128-byte nodes from this child to the next of the same class.
        pub range_length: u8 = 92..96;
    }
}

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
