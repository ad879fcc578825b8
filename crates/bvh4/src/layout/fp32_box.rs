//! Box node with plain f32 planes (type 5), 128 bytes.
//!
//! Sources: GPURT, Mesa (the same node on older parts), captured vectors.
//!
//! ```
//! use bvh4::layout::{Bvh4Pointer, CullFlags, Fp32BoxNode};
//! use machine::bits::NodeBits;
//! let mut words = [0; 32];
//! (words[1], words[10], words[28]) = (0x29, 0x3F80_0000, 0x0000_0400);
//! let node = Fp32BoxNode::decode(&NodeBits::from_words(words));
//! assert_eq!(node.children[1], Bvh4Pointer(0x29));
//! assert_eq!(node.boxes[1].min.x, 1.0);
//! assert_eq!(node.cull_flags(1), CullFlags::ONLY_TRIANGLES);
//! assert_eq!(node.encode().words(), &words);
//! ```

use super::cull_flags::CullFlags;
use super::pointer::Bvh4Pointer;
use geometry::Aabb;
use machine::fields::{FieldValue, Show};

machine::fields! {
    /// An fp32 box node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, captured vectors"]
    pub struct Fp32BoxNode: 32 words {
        /// The children; 0xFFFFFFFF for none.
        pub children: [Bvh4Pointer; 4] = 0..128;
        /// Their boxes.
        pub boxes: [Aabb; 4] = 128..896;
        /// One byte a child; the low four bits are cull flags.
        pub flag_bytes: [u8; 4] = 896..928, Show::Each(CullFlags::text);
        /// Primitives below, for software.
        pub primitive_count: u32 = 928..960;
        /// Nothing reads it.
        pub unused: [u32; 2] = 960..1024, Show::Unused;
    }
}

impl Fp32BoxNode {
    /// What the subtree of a slot (0..=3) holds.
    #[must_use]
    pub fn cull_flags(&self, slot: usize) -> CullFlags {
        CullFlags::from_bits_truncate(self.flag_bytes[slot])
    }
}
