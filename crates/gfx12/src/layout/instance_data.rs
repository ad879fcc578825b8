//! What drivers keep beside an instance node, for software only.
//!
//! RADV appends 128 bytes to every instance node ([`RadvInstanceData`]). GPURT keeps 64 bytes in an
//! array of their own ([`GpurtSideband`]); the index of a record is the distance of its node from
//! the first leaf, in nodes.
//!
//! ```
//! use gfx12::layout::{GpurtSideband, HalfNodeBits};
//! let mut words = [0; 16];
//! words[..5].copy_from_slice(&[3, 0x0200_002A, 128, 0, 0x3F80_0000]);
//! let record = GpurtSideband::decode(&HalfNodeBits::from_words(words));
//! assert_eq!((record.instance_index, record.instance_id, record.flags), (3, 42, 2));
//! assert_eq!(record.object_to_world.rows[0][0], 1.0);
//! assert_eq!(record.encode().words(), &words);
//! ```

use geometry::Transform;
use machine::fields::Show;

machine::fields! {
    /// The 128 bytes behind an instance node of RADV.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "Mesa"]
    pub struct RadvInstanceData: 32 words {
        /// The inverse of the node's transform.
        pub object_to_world: Transform = 0..384;
        /// The index that the application chose.
        pub custom_index: u32 = 384..416;
        /// Position in the list of instances.
        pub instance_index: u32 = 416..448;
        /// Where the nodes start in the child structure.
        pub bvh_offset: u32 = 448..480 => "bytes";
        /// Where the child structure lists its leaves.
        pub leaf_node_offsets_offset: u32 = 480..512 => "bytes";
        /// Nothing reads it.
        pub unused: [u32; 16] = 512..1024, Show::Unused;
    }
}

machine::fields! {
    /// GPURT's 64-byte record for an instance.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT"]
    pub struct GpurtSideband: 16 words {
        /// Position in the list of instances.
        pub instance_index: u32 = 0..32;
        /// The id that the application chose, 24 bits.
        pub instance_id: u32 = 32..56;
        /// Flags of the instance.
        pub flags: u8 = 56..64;
        /// Bytes of metadata before the child structure; 0 marks an inactive instance.
        pub blas_metadata_size: u32 = 64..96 => "bytes";
        /// 0.
        pub reserved: u32 = 96..128;
        /// The inverse of the node's transform.
        pub object_to_world: Transform = 128..512;
    }
}
