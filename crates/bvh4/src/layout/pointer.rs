//! Node pointer of 4-wide nodes.
//!
//! | bits | field |
//! |---|---|
//! | 0..3 | node type |
//! | 3..32 | byte offset from the BVH base divided by 64 |
//!
//! | type | node | bytes |
//! |---|---|---|
//! | 0 | triangle 0 of a triangle node; also a lone triangle or a procedural | 64 |
//! | 1 | triangle 1 of a triangle node | 64 |
//! | 2, 3 | triangles 2 and 3 of a node of five vertices, before GFX12 (G-30) | 64 |
//! | 4 | box: fp16; on GFX12 high precision if T# bit 116 is set | 64 |
//! | 5 | box: fp32 | 128 |
//! | 6 | user node, an instance by convention; on GFX12 one if T# bit 118 is set | 128 |
//! | 7 | user node, before GFX12 a procedural by convention | 64 |
//!
//! One unit of 64 bytes is 8 in a pointer. 0xFFFFFFFF is no child, 0xFFFFFFFE the end of a walk.
//! Source: GPURT.
//!
//! ```
//! use bvh4::layout::{Bvh4Kind, Bvh4Pointer};
//! assert_eq!(Bvh4Pointer(0x5).byte_offset(), 0);
//! let root = Bvh4Pointer(0x15);
//! assert_eq!((root.byte_offset(), root.kind()), (128, Bvh4Kind::Fp32Box));
//! let second = Bvh4Pointer(0x29);
//! assert_eq!((second.byte_offset(), second.kind()), (320, Bvh4Kind::Triangle1));
//! assert_eq!(second.partner(), Bvh4Pointer(0x28));
//! ```

use std::fmt;

/// A 32-bit node pointer. Any value is one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bvh4Pointer(pub u32);

/// What the three type bits say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Bvh4Kind {
    /// Triangle 0, or a procedural.
    Triangle0,
    /// Triangle 1.
    Triangle1,
    /// Types 2 and 3, which GFX12 does not read (G-30) and nobody writes.
    OldTriangle,
    /// A 64-byte box.
    HalfBox,
    /// A 128-byte box.
    Fp32Box,
    /// An instance.
    Instance,
    /// A node for software.
    User,
}

/// Bytes of a unit.
pub const UNIT_BYTES: u64 = 64;

/// Bytes of a wide node: an fp32 box, an instance.
pub const NODE_BYTES: u64 = 128;

impl Bvh4Pointer {
    /// No child.
    pub const INVALID: Self = Self(0xFFFF_FFFF);
    /// Nothing is left on the stack.
    pub const TERMINAL: Self = Self(0xFFFF_FFFE);
    /// The root where the base is the first node and boxes are fp32.
    pub const ROOT: Self = Self(0x5);
    /// The root behind a GPURT header.
    pub const ROOT_BEHIND_HEADER: Self = Self(0x15);

    /// The pointer to a node of a 3-bit type: `None` if the offset is not a multiple of 64 or lies
    /// beyond the reach of a pointer, or the type has more than 3 bits.
    #[must_use]
    pub fn new(byte_offset: u64, node_type: u8) -> Option<Self> {
        let units = u32::try_from(byte_offset >> 3).ok()?;
        (byte_offset.is_multiple_of(UNIT_BYTES) && node_type < 8)
            .then_some(Self(units | u32::from(node_type)))
    }

    /// Bytes from the BVH base to the node, in 64 bits.
    #[must_use]
    pub const fn byte_offset(self) -> u64 {
        ((self.0 & !7) as u64) << 3
    }

    /// The 64-byte unit at which the node starts.
    #[must_use]
    pub const fn unit(self) -> u32 {
        self.0 >> 3
    }

    /// The three type bits.
    #[must_use]
    #[inline]
    pub const fn node_type(self) -> u8 {
        (self.0 & 7) as u8
    }

    /// What the type bits mean.
    #[must_use]
    #[inline]
    pub const fn kind(self) -> Bvh4Kind {
        match self.node_type() {
            0 => Bvh4Kind::Triangle0,
            1 => Bvh4Kind::Triangle1,
            2 | 3 => Bvh4Kind::OldTriangle,
            4 => Bvh4Kind::HalfBox,
            5 => Bvh4Kind::Fp32Box,
            6 => Bvh4Kind::Instance,
            _ => Bvh4Kind::User,
        }
    }

    /// The name of what it leads to.
    #[must_use]
    pub const fn kind_name(self) -> &'static str {
        match self.kind() {
            Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 => "primitive",
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => "box",
            Bvh4Kind::Instance => "instance",
            Bvh4Kind::User => "procedural",
            Bvh4Kind::OldTriangle => "unused",
        }
    }

    /// Bytes of the node that it leads to.
    #[must_use]
    pub const fn node_bytes(self) -> usize {
        match self.kind() {
            Bvh4Kind::Fp32Box | Bvh4Kind::Instance => NODE_BYTES as usize,
            _ => NODE_BYTES as usize / 2,
        }
    }

    /// Whether no node can be behind this value.
    #[must_use]
    pub const fn is_special(self) -> bool {
        self.0 >> 3 == 0x1FFF_FFFF
    }

    /// Whether the type is a triangle's (0..=3), as the sort counts them (G-30).
    #[must_use]
    pub const fn is_triangle(self) -> bool {
        self.node_type() <= 3
    }

    /// Triangle 0 of the same node.
    #[must_use]
    pub const fn partner(self) -> Self {
        Self(self.0 & !7)
    }
}

impl From<Bvh4Pointer> for u64 {
    fn from(pointer: Bvh4Pointer) -> Self {
        pointer.0.into()
    }
}

machine::field_number!(Bvh4Pointer, u32, Bvh4Pointer, |pointer| pointer.0, |raw| {
    let pointer = Bvh4Pointer(raw as u32);
    if pointer.is_special() {
        return "none".to_owned();
    }
    format!("{pointer}: {} at base + {:#x}", pointer.kind_name(), pointer.byte_offset())
});

impl fmt::Debug for Bvh4Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl fmt::Display for Bvh4Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_round_trip_up_to_the_last_unit() {
        let last = Bvh4Pointer::new(0x7_FFFF_FFC0, 4).unwrap();
        assert_eq!(
            (last.0, last.byte_offset(), last.unit()),
            (0xFFFF_FFFC, 0x7_FFFF_FFC0, 0x1FFF_FFFF)
        );
        assert_eq!(Bvh4Pointer::new(0x8_0000_0000, 4), None);
        assert_eq!(Bvh4Pointer::new(32, 4), None);
        assert_eq!(Bvh4Pointer::new(64, 8), None);
    }
}
