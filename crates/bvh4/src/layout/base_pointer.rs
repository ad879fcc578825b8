//! Base pointer: the address of a BVH and ten flags, in 64 bits.
//!
//! | bits | field |
//! |---|---|
//! | 0..3 | zero |
//! | 3..54 | address / 64, of which 3..45 act (48-bit addresses); the low part is `address >> 3` |
//! | 54 | force opaque |
//! | 55 | force non-opaque |
//! | 56 | disable triangle (face) culling |
//! | 57 | flip facing |
//! | 58 | cull back-facing triangles |
//! | 59 | cull front-facing triangles |
//! | 60 | cull opaque |
//! | 61 | cull non-opaque |
//! | 62 | skip triangles |
//! | 63 | skip procedural |
//!
//! Operand of the instruction, and dwords 12 and 13 of an instance node. Addresses are bytes and
//! multiples of 64. Sources: GPURT, Mesa.
//!
//! ```
//! use bvh4::layout::{BasePointer, PointerFlags};
//! let flags = PointerFlags::FORCE_OPAQUE | PointerFlags::SKIP_PROCEDURAL;
//! let base = BasePointer::new(0x7F_1234_5640, flags).unwrap();
//! assert_eq!(base.0, 0x8040_000F_E246_8AC8);
//! assert_eq!((base.address(), base.flags()), (0x7F_1234_5640, flags));
//! ```

use super::cull_flags::flag_names;
use bitflags::bitflags;
use machine::fields::Field;
use std::fmt;
use std::ops::Range;

/// A 64-bit base pointer. Any value is one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BasePointer(pub u64);

bitflags! {
    /// The flags of a base pointer, numbered from its bit 54. This is also the numbering of the ray
    /// flags of DXR and SPIR-V, except for two that no pointer carries ([`PointerFlags::of_ray`]).
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    pub struct PointerFlags: u16 {
        /// Everything counts as opaque.
        const FORCE_OPAQUE = 1 << 0;
        /// Nothing counts as opaque.
        const FORCE_NON_OPAQUE = 1 << 1;
        /// The two face-culling flags have no effect; only instances set it.
        const DISABLE_FACE_CULL = 1 << 2;
        /// Front and back trade places; only instances set it.
        const FLIP_FACING = 1 << 3;
        /// Back-facing triangles are culled.
        const CULL_BACK_FACING = 1 << 4;
        /// Front-facing triangles are culled.
        const CULL_FRONT_FACING = 1 << 5;
        /// Opaque primitives are culled.
        const CULL_OPAQUE = 1 << 6;
        /// Non-opaque primitives are culled.
        const CULL_NON_OPAQUE = 1 << 7;
        /// Triangles are culled. In an instance: its structure holds procedurals.
        const SKIP_TRIANGLES = 1 << 8;
        /// Procedurals are culled.
        const SKIP_PROCEDURAL = 1 << 9;
    }
}

impl PointerFlags {
    /// The flags that can rule out what a box holds.
    pub const CULLING: Self = Self::CULL_OPAQUE
        .union(Self::CULL_NON_OPAQUE)
        .union(Self::SKIP_TRIANGLES)
        .union(Self::SKIP_PROCEDURAL);
}

const FLAG_SHIFT: u32 = 54;
const ADDRESS_FIELD: u64 = 0x003F_FFFF_FFFF_FFF8;
/// Addresses have 48 bits; what lies above is cut off.
pub const ADDRESS_MASK: u64 = (1 << 48) - 1;

/// The bits of the flags where a field is a base pointer.
#[must_use]
pub const fn flag_bits(field: &Field) -> Range<u32> {
    let Range { start, end } = field.bits();
    start + FLAG_SHIFT..end
}

impl BasePointer {
    /// The pointer to a 48-bit address: `None` if it is not a multiple of 64 or has more bits.
    #[must_use]
    pub fn new(address: u64, flags: PointerFlags) -> Option<Self> {
        (address.is_multiple_of(64) && address <= ADDRESS_MASK)
            .then(|| Self(address >> 3).with_flags(flags))
    }

    /// The byte address, 48 bits.
    #[must_use]
    pub const fn address(self) -> u64 {
        ((self.0 & ADDRESS_FIELD) << 3) & ADDRESS_MASK
    }

    /// Bytes that the pointer has beyond the last multiple of 64, in bits that no structure's has.
    #[must_use]
    pub const fn stray_address(self) -> u64 {
        (self.0 & !ADDRESS_FIELD & 7) << 3
    }

    /// The ten flags.
    #[must_use]
    #[inline]
    pub const fn flags(self) -> PointerFlags {
        PointerFlags::from_bits_truncate((self.0 >> FLAG_SHIFT) as u16)
    }

    /// The same address with other flags.
    #[must_use]
    pub fn with_flags(self, flags: PointerFlags) -> Self {
        let address = self.0 & ((1 << FLAG_SHIFT) - 1);
        Self(address | u64::from(flags.bits()) << FLAG_SHIFT)
    }

    /// The pointer of two registers or dwords.
    #[must_use]
    pub const fn from_words(low: u32, high: u32) -> Self {
        Self(low as u64 | (high as u64) << 32)
    }

    /// Low and high dword.
    #[must_use]
    pub const fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// What entering an instance makes of a caller's pointer: the instance's address, and both sets
    /// of flags, except that the caller's force flags win over the instance's.
    #[must_use]
    pub fn entering(self, instance: Self) -> Self {
        let forces = PointerFlags::FORCE_OPAQUE | PointerFlags::FORCE_NON_OPAQUE;
        let mut inherited = instance.flags();
        if self.flags().intersects(forces) {
            inherited.remove(forces);
        }
        instance.with_flags(self.flags() | inherited)
    }
}

impl PointerFlags {
    /// The pointer flags of API ray flags (DXR, SPIR-V): "accept first hit" (0x4) and "skip closest
    /// hit shader" (0x8) have no counterpart, their places belong to instances.
    #[must_use]
    pub const fn of_ray(ray_flags: u32) -> Self {
        Self::from_bits_truncate((ray_flags & !0xC) as u16)
    }
}

machine::field_number!(BasePointer, u64, BasePointer, |pointer| pointer.0, |raw| {
    let pointer = BasePointer(raw);
    let flags = flag_names(pointer.flags().iter_names());
    let flags = if flags.is_empty() { flags } else { format!(", {flags}") };
    format!("address {:#x}{flags}", pointer.address())
});

impl fmt::Debug for BasePointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#018x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_round_trip(units in 0u64..1 << 42, flags in 0u16..1 << 10) {
            let (address, flags) = (units * 64, PointerFlags::from_bits_truncate(flags));
            let base = BasePointer::new(address, flags).unwrap();
            prop_assert_eq!((base.address(), base.flags()), (address, flags));
            let [low, high] = base.words();
            prop_assert_eq!(BasePointer::from_words(low, high), base);
        }
    }

    #[test]
    fn callers_force_flags_win() {
        let caller = BasePointer::new(0x8000, PointerFlags::FORCE_OPAQUE).unwrap();
        let flags = PointerFlags::FORCE_NON_OPAQUE | PointerFlags::SKIP_PROCEDURAL;
        let instance = BasePointer::new(0x4440, flags).unwrap();
        let merged = caller.entering(instance);
        assert_eq!(merged.0, (1 << 54) | (1 << 63) | (0x4440 >> 3));
        let unforced = BasePointer::default().entering(instance);
        assert_eq!(unforced, instance);
    }

    #[test]
    fn misplaced_addresses_are_refused() {
        assert_eq!(BasePointer::new(0x20, PointerFlags::empty()), None);
        assert_eq!(BasePointer::new(1 << 48, PointerFlags::empty()), None);
    }

    #[test]
    fn ray_flags_lose_the_two_that_have_no_place() {
        assert_eq!(PointerFlags::of_ray(0x3FF).bits(), 0x3F3);
    }
}
