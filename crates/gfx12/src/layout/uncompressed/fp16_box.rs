//! Box node with binary16 planes (type 4, T# bit 116 clear), 64 bytes. Read, never written.
//!
//! | bits | dword | field |
//! |---|---|---|
//! | 32 i.. | i | child pointer i, i = 0..=3 |
//! | 128 + 96 i + 16 k.. | 4 + 3 i + k / 2 | box i: min x, y, z, max x, y, z, binary16 |
//!
//! Widening to f32 is exact, subnormals included. There are no cull flags. Source: GPURT.
//!
//! ```
//! use gfx12::layout::{HalfNodeBits, uncompressed::Fp16BoxNode};
//! let mut words = [0; 16];
//! words[4..7].copy_from_slice(&[0xC000_BC00, 0x3C00_0001, 0x7BFF_4000]);
//! let node = Fp16BoxNode::decode(&HalfNodeBits::from_words(words));
//! assert_eq!(node.boxes[0].min.to_array(), [-1.0, -2.0, 2f32.powi(-24)]);
//! assert_eq!(node.boxes[0].max.to_array(), [1.0, 2.0, 65504.0]);
//! ```

use super::dual_pointer::DualPointer;
use crate::layout::HalfNodeBits;
use geometry::{Aabb, Vec3};
use half::f16;

/// An fp16 box node, its planes widened.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fp16BoxNode {
    /// The children; [`DualPointer::INVALID`] for none.
    pub children: [DualPointer; 4],
    /// Their boxes.
    pub boxes: [Aabb; 4],
}

impl Fp16BoxNode {
    /// Reads a node.
    #[must_use]
    pub fn decode(bits: &HalfNodeBits) -> Self {
        Self {
            children: std::array::from_fn(|slot| DualPointer(bits.word(slot))),
            boxes: std::array::from_fn(|slot| {
                let plane = |k: usize| {
                    let start = 128 + 96 * slot + 16 * k;
                    f16::from_bits(bits.get(start..start + 16) as u16).to_f32()
                };
                Aabb::new(
                    Vec3::new(plane(0), plane(1), plane(2)),
                    Vec3::new(plane(3), plane(4), plane(5)),
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn planes_are_the_halves_in_order(bytes in any::<[u8; 64]>()) {
            let node = Fp16BoxNode::decode(&HalfNodeBits::from_bytes(&bytes));
            for (slot, bounds) in node.boxes.iter().enumerate() {
                let planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
                for (k, plane) in planes.enumerate() {
                    let at = 16 + 12 * slot + 2 * k;
                    let half = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
                    prop_assert!(half & 0x7FFF > 0x7C00 || f16::from_f32(plane).to_bits() == half);
                }
            }
        }
    }
}
