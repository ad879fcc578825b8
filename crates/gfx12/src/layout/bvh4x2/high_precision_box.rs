//! Box node with 18-bit planes that share an exponent (type 4, T# bit 116 set), 64 bytes.
//!
//! The children lie one after the other: an instance takes two units, type 3 too, everything else
//! one. A plane is a sign (bit 17) and a magnitude in steps of `2^(E - 143)`; decoding pushes it
//! away from the box where truncation could have cut something off. Source: GPURT.
//!
//! ```
//! use gfx12::layout::bvh4x2::high_precision_box::decode_plane;
//! let plane = |code, is_max| decode_plane(code, 128, is_max).to_bits(); // steps of 2^-15
//! assert_eq!(plane(0x0A000, false), 1.25f32.to_bits());
//! assert_eq!(plane(0x1A666, true), 0x4053_337F); // 3.3, truncated and pushed out
//! assert_eq!(plane(0x28000, false), 0xBF80_00FF); // -1 as a minimum
//! assert_eq!(plane(0x28000, true), 0xBF80_0000); // -1 as a maximum
//! assert_eq!(plane(0, true), 0x37FF_FFFF);
//! ```

use super::pointer::Bvh4Pointer;
use crate::layout::CullFlags;
use geometry::{Aabb, Vec3};
use machine::fields::Show;

machine::fields! {
    /// A high-precision box node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    #[source = "GPURT"]
    pub struct HighPrecisionBoxNode: 16 words {
        /// 64-byte unit of the first child.
        pub child_base: u32 = 0..29, Show::Each(|units| format!("base + {:#x}", units << 6))
            => "64 bytes";
        /// Types of the children; 2 for no child.
        pub child_types: [u8; 4] = 29..41;
        /// What the subtrees hold; "only procedural" of child 3 is not stored.
        pub cull_flags: [CullFlags; 4] = 41..45 | 45..49 | 49..53 | 53..56;
        /// Common exponents of x, y, z.
        pub exponents: [u8; 3] = 56..80, Show::Each(step_text);
        /// Codes of the boxes: min x, y, z, max x, y, z.
        pub planes: [[u32; 6]; 4] = 80..512;
    }
}

fn step_text(exponent: u64) -> String {
    format!("{exponent}: steps of 2^{}", exponent as i64 - 143)
}

impl HighPrecisionBoxNode {
    /// The type of an absent child.
    pub const NO_CHILD: u8 = 2;
    /// Codes of an absent child: an inverted box.
    pub const NO_PLANES: [u32; 6] = [0x1FFFF, 0x1FFFF, 0x1FFFF, 0x3FFFF, 0x3FFFF, 0x3FFFF];

    /// Pointers of the four children.
    #[must_use]
    pub fn child_pointers(&self) -> [Bvh4Pointer; 4] {
        let mut unit = self.child_base;
        self.child_types.map(|node_type| {
            let pointer = if node_type == Self::NO_CHILD {
                Bvh4Pointer::INVALID
            } else {
                Bvh4Pointer(unit << 3 | u32::from(node_type))
            };
            unit = unit.wrapping_add(if matches!(node_type, 6 | 3) { 2 } else { 1 });
            pointer
        })
    }

    /// The decoded box of a slot (0..=3).
    #[must_use]
    pub fn child_box(&self, slot: usize) -> Aabb {
        let codes = self.planes[slot];
        let low = |axis: usize| decode_plane(codes[axis], self.exponents[axis], false);
        let high = |axis: usize| decode_plane(codes[3 + axis], self.exponents[axis], true);
        Aabb::new(Vec3::new(low(0), low(1), low(2)), Vec3::new(high(0), high(1), high(2)))
    }
}

/// The plane of an 18-bit code under a common exponent. Where away from zero is also away from the
/// box, the bits that truncation dropped are taken for ones (G-34: below an exponent of 25 the
/// result may be subnormal, where this forgets that there is no hidden bit).
#[must_use]
pub fn decode_plane(code: u32, exponent: u8, is_max: bool) -> f32 {
    let (sign, magnitude) = (code >> 17 & 1, code & 0x1FFFF);
    let exponent = u32::from(exponent);
    let outward = is_max == (sign == 0);
    let (field, mantissa) = match magnitude.checked_ilog2() {
        Some(log) => {
            let shift = (16 - log).min(exponent);
            let field = exponent - shift;
            let tail = if outward && field != 255 { (1 << (7 + shift)) - 1 } else { 0 };
            (field, (magnitude << (7 + shift) | tail) & 0x7F_FFFF)
        }
        None if outward => (exponent.saturating_sub(17), 0x7F_FFFF),
        None => (0, 0),
    };
    f32::from_bits(sign << 31 | field << 23 | mantissa)
}

/// The code of a plane that is finite and fits the exponent: the magnitude, truncated. Decoding it
/// is conservative when the exponent is at least 25 (G-34).
#[must_use]
pub fn encode_plane(plane: f32, exponent: u8) -> u32 {
    let steps = f64::from(plane.abs()) * (143.0 - f64::from(exponent)).exp2();
    u32::from(plane.is_sign_negative()) << 17 | (steps as u32).min(0x1FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::HalfNodeBits;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_have_children_and_boxes(bytes in any::<[u8; 64]>()) {
            let node = HighPrecisionBoxNode::decode(&HalfNodeBits::from_bytes(&bytes));
            let _ = (node.child_pointers(), node.child_box(3));
        }

        #[test]
        fn truncation_is_conservative(plane in any::<f32>(), slack in 0u8..30) {
            let field = (plane.to_bits() >> 23 & 0xFF) as u8;
            prop_assume!(plane.is_finite());
            let exponent = field.saturating_add(slack).clamp(25, 254);
            let code = encode_plane(plane, exponent);
            prop_assert!(decode_plane(code, exponent, false) <= plane);
            prop_assert!(decode_plane(code, exponent, true) >= plane);
        }
    }

    #[test]
    fn children_lie_side_by_side() {
        let mut node = HighPrecisionBoxNode::decode(&HalfNodeBits::ZERO);
        node.child_base = 4;
        node.child_types = [6, 2, 1, 4];
        assert_eq!(node.child_pointers().map(|p| p.0), [0x26, 0xFFFF_FFFF, 0x39, 0x44]);
    }
}
