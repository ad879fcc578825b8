//! Procedural node (type 7), 64 bytes. The hardware does not read it.
//!
//! GPURT keeps the primitive id in dword 14, Radeon Raytracing Analyzer looks for it in dword 13,
//! where RADV's exporter puts it; siliray writes both (R-5). RADV's memory has no box: that is in
//! the planes of the parent. Sources: GPURT, Mesa, Radeon Raytracing Analyzer.
//!
//! ```
//! use gfx10::layout::ProceduralNode;
//! use machine::bits::HalfNodeBits;
//! let mut words = [0; 16];
//! (words[3], words[12], words[13], words[14]) = (0x3F80_0000, 0x0100_0001, 5, 5);
//! let node = ProceduralNode::decode(&HalfNodeBits::from_words(words));
//! assert_eq!((node.bounds.max.x, node.geometry_id, node.primitive_id), (1.0, 1, 5));
//! ```

use geometry::Aabb;
use machine::fields::Show;

machine::fields! {
    /// A procedural node of GPURT, of siliray, and of files.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, Radeon Raytracing Analyzer (R-5)"]
    pub struct ProceduralNode: 16 words {
        /// The box.
        pub bounds: Aabb = 0..192;
        /// Not written.
        pub undefined: [u32; 6] = 192..384, Show::Unused;
        /// Geometry id.
        pub geometry_id: u32 = 384..408;
        /// Bit 0 opaque.
        pub geometry_flags: u8 = 408..416;
        /// Primitive id, where Radeon Raytracing Analyzer looks for it.
        pub file_primitive_id: u32 = 416..448;
        /// Primitive id, where GPURT keeps it.
        pub primitive_id: u32 = 448..480;
        /// Not written.
        pub undefined_word: u32 = 480..512, Show::Unused;
    }
}

machine::fields! {
    /// A procedural node of RADV.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT, Mesa, Radeon Raytracing Analyzer (R-5)"]
    pub struct RadvProceduralNode: 16 words {
        /// Primitive id.
        pub primitive_id: u32 = 0..32;
        /// Geometry id.
        pub geometry_id: u32 = 32..60;
        /// Bit 3 opaque.
        pub geometry_flags: u8 = 60..64;
        /// Not written.
        pub undefined: [u32; 14] = 64..512, Show::Unused;
    }
}
