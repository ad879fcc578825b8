//! Triangle node (types 0 and 1): one triangle, or two that share an edge; 64 bytes.
//!
//! Vertices and the id word are the hardware's ([`bvh4::layout::triangle_info`]); what stands
//! between them is each writer's own (R-4). Sources: GPURT, Mesa, HIPRT.
//!
//! ```
//! use gfx10::layout::{GpurtTriangleNode, RadvTriangleNode};
//! use machine::bits::HalfNodeBits;
//! let mut words = [0; 16];
//! words[12..16].copy_from_slice(&[0x0100_0003, 4, 5, 0x8989]);
//! let pair = GpurtTriangleNode::decode(&HalfNodeBits::from_words(words));
//! assert_eq!((pair.geometry_id, pair.geometry_flags, pair.primitive_ids), (3, 1, [4, 5]));
//! words[12..14].copy_from_slice(&[7, 0x8000_0002]);
//! let single = RadvTriangleNode::decode(&HalfNodeBits::from_words(words));
//! assert_eq!((single.primitive_id, single.geometry_id, single.geometry_flags), (7, 2, 8));
//! ```

use geometry::Vec3;
use machine::fields::Show;

machine::fields! {
    /// A triangle node of GPURT, of siliray, and (without geometry) of HIPRT.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, HIPRT (R-4)"]
    pub struct GpurtTriangleNode: 16 words {
        /// v0..=v3.
        pub vertices: [Vec3; 4] = 0..384;
        /// Geometry id of both triangles.
        pub geometry_id: u32 = 384..408;
        /// Bit 0 opaque, bit 1 no duplicate any-hit.
        pub geometry_flags: u8 = 408..416;
        /// Primitive ids of triangles 0 and 1; equal in a single.
        pub primitive_ids: [u32; 2] = 416..480;
        /// A byte for each triangle, then two that nobody writes.
        pub id_word: u32 = 480..512, Show::Flat;
    }
}

machine::fields! {
    /// A triangle node of RADV: one triangle.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, HIPRT (R-4)"]
    pub struct RadvTriangleNode: 16 words {
        /// v0..=v2.
        pub vertices: [Vec3; 3] = 0..288;
        /// Not written.
        pub undefined: [u32; 3] = 288..384, Show::Unused;
        /// Primitive id.
        pub primitive_id: u32 = 384..416;
        /// Geometry id.
        pub geometry_id: u32 = 416..444;
        /// Bit 3 opaque.
        pub geometry_flags: u8 = 444..448;
        /// Not written.
        pub undefined_word: u32 = 448..480, Show::Unused;
        /// A byte for the triangle, then three that nobody writes.
        pub id_word: u32 = 480..512, Show::Flat;
    }
}
