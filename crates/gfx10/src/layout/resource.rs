//! Resource descriptor T#: 128 bits in four scalar registers that tell the instruction how to work.
//!
//! GFX10.3 has neither heuristic nor pointer flags; such bits are ignored there (R-13). Sources:
//! ISA guides, PAL (whose heuristic the guides call reserved), Mesa.
//!
//! ```
//! use bvh4::layout::SortHeuristic;
//! use gfx10::{Generation, layout::Resource};
//! let radv = Resource::radv(Generation::Gfx11, SortHeuristic::Midpoint);
//! assert_eq!(radv.words(), [0, 0x8040_0000, 0xFFFF_FFFF, 0x8180_03FF]);
//! assert!(radv.pointer_flags && radv.for_generation(Generation::Gfx10).words()[3] == 0x8100_03FF);
//! ```

use crate::Generation;
use bvh4::image::Rule;
use bvh4::layout::SortHeuristic;
use machine::Finding;
use machine::bits::Bits;
use machine::fields::Show;
use std::ops::Range;

machine::fields! {
    /// A resource descriptor. Any 128 bits are one; what the instruction does not read is kept.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    #[source = "RDNA2 and RDNA3 ISA guides, PAL, Mesa (R-13)"]
    pub struct Resource: 4 words {
        /// Bits 8..48 of the byte address that offsets count from.
        pub base: u64 = 0..40;
        /// Zero.
        pub unused_base: u16 = 40..53, Show::Unused;
        /// GFX11: which distance sorts; 3 acts as 0.
        pub heuristic: SortHeuristic = 53..55;
        /// How far boxes grow: the exit is multiplied by `1 + box_grow * 2^-24` (R-25).
        pub box_grow: u8 = 55..63;
        /// Whether results of a box are sorted.
        pub box_sort_enabled: bool = 63..64;
        /// The last 64-byte unit, counted from the base address, that may be read.
        pub last_unit: u64 = 64..106 => "64 bytes";
        /// Zero.
        pub unused_size: u16 = 106..119, Show::Unused => "bytes";
        /// GFX11: whether the flags of pointers act.
        pub pointer_flags: bool = 119..120;
        /// Whether barycentric numerators come back, rather than ids.
        pub triangle_return_mode: bool = 120..121;
        /// How caches treat reads; no effect here.
        pub cache_policy: u8 = 121..123;
        /// Large pages; no effect here.
        pub big_page: bool = 123..124;
        /// 8 in every valid descriptor.
        pub descriptor_type: u8 = 124..128;
    }
}

impl Resource {
    /// What RADV passes: base 0, no bound, sorting, no growth; on GFX11 pointer flags.
    #[must_use]
    pub const fn radv(generation: Generation, heuristic: SortHeuristic) -> Self {
        Self {
            base: 0,
            unused_base: 0,
            heuristic,
            box_grow: 0,
            box_sort_enabled: true,
            last_unit: (1 << 42) - 1,
            unused_size: 0,
            pointer_flags: true,
            triangle_return_mode: true,
            cache_policy: 0,
            big_page: false,
            descriptor_type: 8,
        }
        .for_generation(generation)
    }

    /// What HIPRT passes: a growth of 6, no pointer flags.
    #[must_use]
    pub const fn hiprt(heuristic: SortHeuristic) -> Self {
        let radv = Self::radv(Generation::Gfx11, heuristic);
        Self { box_grow: 6, pointer_flags: false, ..radv }
    }

    /// The descriptor as a generation reads it: without what it does not have (R-13).
    #[must_use]
    #[inline]
    pub const fn for_generation(self, generation: Generation) -> Self {
        match generation {
            Generation::Gfx10 => {
                Self { heuristic: SortHeuristic::Closest, pointer_flags: false, ..self }
            }
            Generation::Gfx11 => self,
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
    #[inline]
    pub const fn base_address(&self) -> u64 {
        self.base << 8
    }

    /// What is wrong with a descriptor for a generation: bits that it lacks, a heuristic that is
    /// none (R-13).
    #[must_use]
    pub fn check(&self, generation: Generation) -> Option<Finding> {
        let lacks = match generation {
            Generation::Gfx10 => vec![Self::heuristic.bits(), Self::pointer_flags.bits()],
            Generation::Gfx11 => Vec::new(),
        };
        let lacks = lacks.into_iter().chain([Self::unused_base.bits(), Self::unused_size.bits()]);
        let bits = self.encode();
        let is_set = |field: &Range<u32>| field.clone().any(|bit| bits.flag(bit as usize));
        let (bits, found) = match lacks.into_iter().find(is_set) {
            Some(field) => {
                let found = format!("bits {}..{} set", field.start, field.end);
                (field, found)
            }
            None if self.words()[1] >> 21 & 3 == 3 => {
                (Self::heuristic.bits(), "heuristic 3, which acts as 0".to_owned())
            }
            None => return None,
        };
        Some(Finding {
            severity: Rule::Resource.severity(),
            rule: Rule::Resource.name(),
            offset: 0,
            bits,
            found,
            expected: format!("a descriptor of {}", generation.name()),
            place: "T#".into(),
            count: 1,
            weight: 0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_other_generations_are_named() {
        let radv = |generation| Resource::radv(generation, SortHeuristic::Midpoint);
        assert_eq!(radv(Generation::Gfx11).check(Generation::Gfx11), None);
        assert_eq!(radv(Generation::Gfx10).check(Generation::Gfx10), None);
        let bits = |found: Option<Finding>| found.map(|found| found.bits);
        assert_eq!(bits(radv(Generation::Gfx11).check(Generation::Gfx10)), Some(53..55));
        let flagged = Resource { pointer_flags: true, ..radv(Generation::Gfx10) };
        assert_eq!(bits(flagged.check(Generation::Gfx10)), Some(119..120));
        // GFX12's: triangles first, hardware instances.
        let newer = Resource::from_words([0, 0x8010_0000, 0xFFFF_FFFF, 0x81C0_03FF]);
        assert_eq!(bits(newer.check(Generation::Gfx11)), Some(40..53));
        let third = Resource::from_words([0, 0x8060_0000, 0xFFFF_FFFF, 0x8180_03FF]);
        assert!(third.check(Generation::Gfx11).unwrap().found.contains("heuristic 3"));
    }
}
