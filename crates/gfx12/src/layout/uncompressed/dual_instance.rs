//! Instance node of the uncompressed formats (type 6), 128 bytes.
//!
//! | dwords | field |
//! |---|---|
//! | 0..=11 | world-to-object transform, 3 rows of (m0, m1, m2, translation), f32 |
//! | 12, 13 | child base pointer with flags |
//! | 14 | root pointer of the child structure (not a parent, as in the compressed format) |
//! | 15 | bits 0..24 user data, 24..32 instance mask |
//! | 16..=31 | for software; GPURT keeps its 64-byte sideband record there |
//!
//! Source: GPURT.
//!
//! ```
//! use gfx12::layout::{NodeBits, uncompressed::{DualInstanceNode, DualPointer}};
//! let mut words = [0; 32];
//! words[12..16].copy_from_slice(&[0x1000, 0x8080_0000, 0x5, 0x5500_0007]);
//! let node = DualInstanceNode::decode(&NodeBits::from_words(words));
//! assert_eq!((node.child_root, node.user_data, node.mask), (DualPointer(5), 7, 0x55));
//! assert_eq!(node.child_base.address(), 0x8000);
//! assert_eq!(node.encode().words(), &words);
//! ```

use super::dual_pointer::DualPointer;
use crate::layout::NodeBits;
use crate::layout::base_pointer::BasePointer;
use crate::layout::instance_node::{set_transform_at, transform_at};
use geometry::Transform;

/// An uncompressed instance node, every bit of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DualInstanceNode {
    /// Takes world-space rays to object space.
    pub world_to_object: Transform,
    /// The structure below.
    pub child_base: BasePointer,
    /// Its root.
    pub child_root: DualPointer,
    /// 24 bits for the caller.
    pub user_data: u32,
    /// Culled when this and the ray's mask have no bit in common.
    pub mask: u8,
    /// Dwords 16..=31.
    pub software: [u32; 16],
}

impl DualInstanceNode {
    /// Reads a node.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            world_to_object: transform_at(bits, 0),
            child_base: BasePointer::from_words(bits.word(12), bits.word(13)),
            child_root: DualPointer(bits.word(14)),
            user_data: bits.get(480..504),
            mask: bits.get(504..512) as u8,
            software: std::array::from_fn(|k| bits.word(16 + k)),
        }
    }

    /// Writes a node.
    #[must_use]
    pub fn encode(&self) -> NodeBits {
        let mut bits = NodeBits::ZERO;
        set_transform_at(&mut bits, 0, &self.world_to_object);
        let [low, high] = self.child_base.words();
        bits.set_word(12, low);
        bits.set_word(13, high);
        bits.set_word(14, self.child_root.0);
        bits.set(480..504, self.user_data);
        bits.set(504..512, u32::from(self.mask));
        for (k, &word) in self.software.iter().enumerate() {
            bits.set_word(16 + k, word);
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_decode_and_come_back(bytes in any::<[u8; 128]>()) {
            let node = DualInstanceNode::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(node.encode().to_bytes(), bytes);
        }
    }
}
