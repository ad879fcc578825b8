//! Resource descriptor T#: 128 bits in four scalar registers that tell the instruction how to work.
//!
//! Sources: RDNA4 ISA guide 10.9, PAL, Radeon GPU Detective (bit 115), captured vectors.
//!
//! ```
//! use gfx12::layout::{Resource, SortHeuristic};
//! let hiprt = Resource::hiprt(SortHeuristic::Closest);
//! assert_eq!(hiprt.words(), [0, 0x8310_0000, 0xFFFF_FFFF, 0x8168_03FF]);
//! assert_eq!((hiprt.box_grow, hiprt.pointer_flags), (6, false));
//! assert_eq!(hiprt.last_unit, (1 << 42) - 1);
//! ```

use super::Bits;
pub use bvh4::layout::SortHeuristic;
use machine::fields::Show;

machine::fields! {
    /// A resource descriptor. Any 128 bits are one; what the instruction does not read is kept.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    #[source = "RDNA4 ISA guide 10.9, PAL, Radeon GPU Detective, captured vectors"]
    pub struct Resource: 4 words {
        /// Bits 8..48 of the byte address that offsets count from.
        pub base: u64 = 0..40;
        /// Zero.
        pub unused_base: u16 = 40..52, Show::Unused;
        /// Whether primitives come before boxes in the sort.
        pub sort_triangles_first: bool = 52..53;
        /// Which distance sorts.
        pub heuristic: SortHeuristic = 53..55;
        /// How far boxes grow: the exit is multiplied by `1 + box_grow * 2^-24`.
        pub box_grow: u8 = 55..63;
        /// Whether results of a box are sorted.
        pub box_sort_enabled: bool = 63..64;
        /// The last 64-byte unit, counted from the base address, that may be read.
        pub last_unit: u64 = 64..106 => "64 bytes";
        /// Zero.
        pub unused_size: u16 = 106..115, Show::Unused => "bytes";
        /// Whether nodes have the compressed format ("reserved" in AMD's guide, G-4).
        pub compressed_format: bool = 115..116;
        /// Whether type 4 is the high-precision box (otherwise the fp16 one).
        pub box_node_64b: bool = 116..117;
        /// Whether eight results are sorted together, instead of 4 + 4.
        pub wide_sort: bool = 117..118;
        /// Whether type 6 is an instance node.
        pub instance_enabled: bool = 118..119;
        /// Whether the flags of base pointers act.
        pub pointer_flags: bool = 119..120;
        /// Dual: whether barycentric numerators come back, rather than ids.
        pub triangle_return_mode: bool = 120..121;
        /// Zero.
        pub unused_mode: u8 = 121..124, Show::Unused;
        /// 8 in every valid descriptor.
        pub descriptor_type: u8 = 124..128;
    }
}

impl Resource {
    /// What RADV passes: base 0, no bound, sorting, pointer flags on, no growth.
    #[must_use]
    pub const fn radv(heuristic: SortHeuristic) -> Self {
        Self {
            base: 0,
            unused_base: 0,
            sort_triangles_first: true,
            heuristic,
            box_grow: 0,
            box_sort_enabled: true,
            last_unit: (1 << 42) - 1,
            unused_size: 0,
            compressed_format: true,
            box_node_64b: false,
            wide_sort: true,
            instance_enabled: true,
            pointer_flags: true,
            triangle_return_mode: true,
            unused_mode: 0,
            descriptor_type: 8,
        }
    }

    /// What HIPRT passes: as RADV, with pointer flags off and a growth of 6.
    #[must_use]
    pub const fn hiprt(heuristic: SortHeuristic) -> Self {
        Self { box_grow: 6, pointer_flags: false, ..Self::radv(heuristic) }
    }

    /// What siliray passes for `image_bvh_dual_intersect_ray`: as RADV, for nodes of the format
    /// `gfx12-bvh4x2`; type 4 is the high-precision box if `high_precision`.
    #[must_use]
    pub const fn dual(heuristic: SortHeuristic, grow: u8, high_precision: bool) -> Self {
        Self {
            box_grow: grow,
            compressed_format: false,
            box_node_64b: high_precision,
            ..Self::radv(heuristic)
        }
    }

    /// The descriptor of four registers.
    #[must_use]
    pub fn from_words(words: [u32; 4]) -> Self {
        Self::decode(&Bits::from_words(words))
    }

    /// The four registers.
    #[must_use]
    pub fn words(&self) -> [u32; 4] {
        *self.encode().words()
    }

    /// The byte address that offsets count from.
    #[must_use]
    pub const fn base_address(&self) -> u64 {
        self.base << 8
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
        assert!(radv.sort_triangles_first && radv.box_sort_enabled && radv.wide_sort);
        assert!(radv.compressed_format && radv.instance_enabled && radv.pointer_flags);
        assert_eq!((radv.heuristic, radv.box_grow), (SortHeuristic::Midpoint, 0));
        assert_eq!((radv.descriptor_type, radv.base_address()), (8, 0));
        assert_eq!(Resource { box_grow: 6, ..radv }.words()[1], 0x8350_0000);

        let dual = Resource::dual(SortHeuristic::Closest, 6, false);
        assert_eq!(dual.words(), [0, 0x8310_0000, 0xFFFF_FFFF, 0x81E0_03FF]);
        assert!(!dual.compressed_format && !dual.box_node_64b && dual.triangle_return_mode);
        assert!(Resource::dual(SortHeuristic::Closest, 6, true).box_node_64b);
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
            (resource.base, resource.last_unit) = (base, last);
            resource = Resource::from_words(resource.words());
            prop_assert_eq!((resource.base_address(), resource.last_unit), (base << 8, last));
            let others = !0xFFu32;
            prop_assert_eq!(resource.words()[1] & others, words[1] & others);
            prop_assert_eq!(resource.words()[3] & !0x3FF, words[3] & !0x3FF);
        }
    }
}
