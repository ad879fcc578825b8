//! Instance node of the format `gfx12-bvh4x2` (type 6), 128 bytes.
//!
//! Source: GPURT.
//!
//! ```
//! use gfx12::layout::{NodeBits, bvh4x2::{Bvh4x2InstanceNode, Bvh4Pointer}};
//! let mut words = [0; 32];
//! words[12..16].copy_from_slice(&[0x1000, 0x8080_0000, 0x5, 0x5500_0007]);
//! let node = Bvh4x2InstanceNode::decode(&NodeBits::from_words(words));
//! assert_eq!((node.child_root, node.user_data, node.mask), (Bvh4Pointer(5), 7, 0x55));
//! assert_eq!(node.child_base.address(), 0x8000);
//! assert_eq!(node.encode().words(), &words);
//! ```

use super::pointer::Bvh4Pointer;
use crate::layout::base_pointer::BasePointer;
use bvh4::layout::cull_flags::mask_text;
use geometry::Transform;
use machine::fields::Show;

machine::fields! {
    /// An uncompressed instance node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT"]
    pub struct Bvh4x2InstanceNode: 32 words {
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 0..384;
        /// The structure below, with flags.
        pub child_base: BasePointer = 384..448;
        /// Its root; not a parent, as in the compressed format.
        pub child_root: Bvh4Pointer = 448..480;
        /// 24 bits for the caller: the offset into the shader binding table.
        pub user_data: u32 = 480..504;
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u8 = 504..512, Show::Each(mask_text);
        /// For software; GPURT keeps its 64-byte sideband record there.
        pub software: [u32; 16] = 512..1024, Show::Unused;
    }
}
