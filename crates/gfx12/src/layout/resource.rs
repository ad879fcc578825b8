//! Resource descriptor T#: 128 bits in four scalar registers that tell the instruction how to work.
//!
//! | bits | field |
//! |---|---|
//! | 0..40 | base address bits 8..48 |
//! | 40..52 | zero |
//! | 52 | sort_triangles_first |
//! | 53..55 | sort heuristic: 0 closest, 1 largest interval, 2 closest midpoint, 3 reserved |
//! | 55..63 | box_grow, in units of 2^-24 |
//! | 63 | box_sort_en |
//! | 64..106 | size in 64-byte units minus 1 |
//! | 106..115 | zero |
//! | 115 | compressed_format_en ("reserved" in AMD's guide, G-4) |
//! | 116 | box_node_64B: type 4 is the high-precision box |
//! | 117 | wide_sort_en: one sort over 8 instead of 4 + 4 |
//! | 118 | instance_en: type 6 is an instance node |
//! | 119 | pointer_flags: the flags of base pointers act |
//! | 120 | triangle_return_mode (dual and older: 1 = barycentrics) |
//! | 121..124 | zero |
//! | 124..128 | type, must be 8 |
//!
//! Sources: RDNA4 ISA guide 10.9, PAL, Radeon GPU Detective (bit 115), captured vectors.
//!
//! ```
//! use gfx12::layout::{Resource, SortHeuristic};
//! let hiprt = Resource::hiprt(SortHeuristic::Closest);
//! assert_eq!(hiprt.words(), [0, 0x8310_0000, 0xFFFF_FFFF, 0x8168_03FF]);
//! assert_eq!((hiprt.box_grow(), hiprt.pointer_flags()), (6, false));
//! assert_eq!(hiprt.last_unit(), (1 << 42) - 1);
//! ```

use super::Bits;

/// A resource descriptor. Any 128 bits are one; what the instruction does not read is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Resource {
    bits: Bits<4>,
}

/// Which distance sorts the children of a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SortHeuristic {
    /// Smallest entry.
    Closest,
    /// Longest interval inside the box.
    Largest,
    /// Smallest middle of the unclamped interval.
    Midpoint,
    /// The fourth code; acts like [`SortHeuristic::Closest`].
    Reserved,
}

impl Resource {
    /// The descriptor of four registers.
    #[must_use]
    pub const fn from_words(words: [u32; 4]) -> Self {
        Self { bits: Bits::from_words(words) }
    }

    /// The four registers.
    #[must_use]
    pub const fn words(&self) -> [u32; 4] {
        *self.bits.words()
    }

    /// What RADV passes: base 0, no bound, sorting, pointer flags on, no growth.
    #[must_use]
    pub const fn radv(heuristic: SortHeuristic) -> Self {
        Self::from_words([0, 0x8010_0000 | heuristic.code() << 21, 0xFFFF_FFFF, 0x81E8_03FF])
    }

    /// What HIPRT passes: as RADV, with pointer flags off and a growth of 6.
    #[must_use]
    pub const fn hiprt(heuristic: SortHeuristic) -> Self {
        Self::from_words([0, 0x8310_0000 | heuristic.code() << 21, 0xFFFF_FFFF, 0x8168_03FF])
    }

    /// What siliray passes for `image_bvh_dual_intersect_ray`: uncompressed nodes, wide sort,
    /// pointer flags and barycentrics on; type 4 is the high-precision box if `high_precision`.
    #[must_use]
    pub const fn dual(heuristic: SortHeuristic, grow: u8, high_precision: bool) -> Self {
        let high = if high_precision { 0x81F0_03FF } else { 0x81E0_03FF };
        let low = 0x8010_0000 | (grow as u32) << 23 | heuristic.code() << 21;
        Self::from_words([0, low, 0xFFFF_FFFF, high])
    }

    /// The byte address that offsets count from.
    #[must_use]
    pub fn base_address(&self) -> u64 {
        (u64::from(self.bits.word(0)) | u64::from(self.bits.get(32..40)) << 32) << 8
    }

    /// Sets the base address; bits below 256 and above 2^48 are dropped.
    pub fn set_base_address(&mut self, address: u64) {
        self.bits.set(0..32, (address >> 8) as u32);
        self.bits.set(32..40, (address >> 40) as u32 & 0xFF);
    }

    /// Whether primitives come before boxes in the sort.
    #[must_use]
    pub fn sort_triangles_first(&self) -> bool {
        self.bits.flag(52)
    }

    /// Which distance sorts.
    #[must_use]
    pub fn heuristic(&self) -> SortHeuristic {
        match self.bits.get(53..55) {
            0 => SortHeuristic::Closest,
            1 => SortHeuristic::Largest,
            2 => SortHeuristic::Midpoint,
            _ => SortHeuristic::Reserved,
        }
    }

    /// How far boxes grow: the exit is multiplied by `1 + box_grow * 2^-24`.
    #[must_use]
    pub fn box_grow(&self) -> u8 {
        self.bits.get(55..63) as u8
    }

    /// The same descriptor with another growth.
    #[must_use]
    pub fn with_box_grow(mut self, grow: u8) -> Self {
        self.bits.set(55..63, u32::from(grow));
        self
    }

    /// Whether results of a box are sorted.
    #[must_use]
    pub fn box_sort_enabled(&self) -> bool {
        self.bits.flag(63)
    }

    /// The last 64-byte unit, counted from the base address, that may be read.
    #[must_use]
    pub fn last_unit(&self) -> u64 {
        u64::from(self.bits.word(2)) | u64::from(self.bits.get(96..106)) << 32
    }

    /// Sets the last unit; bits above 2^42 are dropped.
    pub fn set_last_unit(&mut self, unit: u64) {
        self.bits.set(64..96, unit as u32);
        self.bits.set(96..106, (unit >> 32) as u32 & 0x3FF);
    }

    /// Whether nodes have the compressed format (G-4).
    #[must_use]
    pub fn compressed_format(&self) -> bool {
        self.bits.flag(115)
    }

    /// Whether type 4 is the high-precision box (otherwise the fp16 one).
    #[must_use]
    pub fn box_node_64b(&self) -> bool {
        self.bits.flag(116)
    }

    /// Whether eight results are sorted together.
    #[must_use]
    pub fn wide_sort(&self) -> bool {
        self.bits.flag(117)
    }

    /// Whether type 6 is an instance node.
    #[must_use]
    pub fn instance_enabled(&self) -> bool {
        self.bits.flag(118)
    }

    /// Whether the flags of base pointers act.
    #[must_use]
    pub fn pointer_flags(&self) -> bool {
        self.bits.flag(119)
    }

    /// Dual: whether barycentric numerators come back, rather than ids.
    #[must_use]
    pub fn triangle_return_mode(&self) -> bool {
        self.bits.flag(120)
    }

    /// The type field; 8 in every valid descriptor.
    #[must_use]
    pub fn descriptor_type(&self) -> u8 {
        self.bits.get(124..128) as u8
    }

    /// The same descriptor with one of its 128 bits changed.
    #[must_use]
    pub fn with_bit(mut self, bit: usize, value: bool) -> Self {
        self.bits.set_flag(bit, value);
        self
    }
}

impl SortHeuristic {
    /// The code in bits 53..55.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Closest => 0,
            Self::Largest => 1,
            Self::Midpoint => 2,
            Self::Reserved => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn descriptors_in_use() {
        let radv = Resource::radv(SortHeuristic::Midpoint);
        assert_eq!(radv.words()[1], 0x8050_0000);
        assert!(radv.sort_triangles_first() && radv.box_sort_enabled() && radv.wide_sort());
        assert!(radv.compressed_format() && radv.instance_enabled() && radv.pointer_flags());
        assert_eq!((radv.heuristic(), radv.box_grow()), (SortHeuristic::Midpoint, 0));
        assert_eq!((radv.descriptor_type(), radv.base_address()), (8, 0));
        assert_eq!(radv.with_box_grow(6).words()[1], 0x8350_0000);

        let dual = Resource::dual(SortHeuristic::Closest, 6, false);
        assert_eq!(dual.words(), [0, 0x8310_0000, 0xFFFF_FFFF, 0x81E0_03FF]);
        assert!(!dual.compressed_format() && !dual.box_node_64b() && dual.triangle_return_mode());
        assert!(Resource::dual(SortHeuristic::Closest, 6, true).box_node_64b());
    }

    proptest! {
        #[test]
        fn addresses_and_bounds_round_trip(
            words: [u32; 4],
            base in 0u64..1 << 40,
            last in 0u64..1 << 42,
        ) {
            let mut resource = Resource::from_words(words);
            prop_assert_eq!(resource.words(), words);
            resource.set_base_address(base << 8);
            resource.set_last_unit(last);
            prop_assert_eq!((resource.base_address(), resource.last_unit()), (base << 8, last));
            let others = !0xFFu32;
            prop_assert_eq!(resource.words()[1] & others, words[1] & others);
            prop_assert_eq!(resource.words()[3] & !0x3FF, words[3] & !0x3FF);
        }
    }
}
