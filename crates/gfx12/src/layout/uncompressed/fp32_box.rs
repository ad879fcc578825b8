//! Box node with plain f32 planes (type 5), 128 bytes.
//!
//! | bits | dword | field |
//! |---|---|---|
//! | 32 i.. | i | child pointer i, i = 0..=3; 0xFFFFFFFF = none |
//! | 128 + 192 i + 32 k.. | 4 + 6 i + k | box i: min x, y, z, max x, y, z, f32 |
//! | 896 + 8 i.. | 28, byte i | cull flags of child i in the low 4 bits, high 4 bits unused |
//! | 928..960 | 29 | primitives below, for software |
//! | 960..1024 | 30, 31 | unused |
//!
//! Sources: GPURT, Mesa (the same node on older parts), captured vectors.
//!
//! ```
//! use gfx12::layout::{CullFlags, NodeBits, uncompressed::{DualPointer, Fp32BoxNode}};
//! let mut words = [0; 32];
//! (words[1], words[10], words[28]) = (0x29, 0x3F80_0000, 0x0000_0400);
//! let node = Fp32BoxNode::decode(&NodeBits::from_words(words));
//! assert_eq!(node.children[1], DualPointer(0x29));
//! assert_eq!(node.boxes[1].min.x, 1.0);
//! assert_eq!(node.cull_flags(1), CullFlags::ONLY_TRIANGLES);
//! assert_eq!(node.encode().words(), &words);
//! ```

use super::dual_pointer::DualPointer;
use crate::layout::NodeBits;
use crate::layout::child_entry::CullFlags;
use geometry::{Aabb, Vec3};

/// An fp32 box node, every bit of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fp32BoxNode {
    /// The children; [`DualPointer::INVALID`] for none.
    pub children: [DualPointer; 4],
    /// Their boxes.
    pub boxes: [Aabb; 4],
    /// One byte a child; the low four bits are cull flags.
    pub flag_bytes: [u8; 4],
    /// Dword 29.
    pub primitive_count: u32,
    /// Dwords 30 and 31.
    pub unused: [u32; 2],
}

impl Fp32BoxNode {
    /// Reads a node.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            children: std::array::from_fn(|slot| DualPointer(bits.word(slot))),
            boxes: std::array::from_fn(|slot| {
                let plane = |k| bits.float(4 + 6 * slot + k);
                Aabb::new(
                    Vec3::new(plane(0), plane(1), plane(2)),
                    Vec3::new(plane(3), plane(4), plane(5)),
                )
            }),
            flag_bytes: bits.word(28).to_le_bytes(),
            primitive_count: bits.word(29),
            unused: [bits.word(30), bits.word(31)],
        }
    }

    /// Writes a node.
    #[must_use]
    pub fn encode(&self) -> NodeBits {
        let mut bits = NodeBits::ZERO;
        for (slot, (child, bounds)) in self.children.iter().zip(&self.boxes).enumerate() {
            bits.set_word(slot, child.0);
            let planes = bounds.min.to_array().into_iter().chain(bounds.max.to_array());
            for (k, plane) in planes.enumerate() {
                bits.set_float(4 + 6 * slot + k, plane);
            }
        }
        bits.set_word(28, u32::from_le_bytes(self.flag_bytes));
        bits.set_word(29, self.primitive_count);
        bits.set_word(30, self.unused[0]);
        bits.set_word(31, self.unused[1]);
        bits
    }

    /// What the subtree of a slot (0..=3) holds.
    #[must_use]
    pub fn cull_flags(&self, slot: usize) -> CullFlags {
        CullFlags::from_bits_truncate(self.flag_bytes[slot])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_decode_and_come_back(bytes in any::<[u8; 128]>()) {
            let node = Fp32BoxNode::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(node.encode().to_bytes(), bytes);
        }
    }
}
