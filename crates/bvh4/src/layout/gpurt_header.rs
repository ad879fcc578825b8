//! GPURT's acceleration-structure header: 128 bytes before the root node, read by `.rra` tools.
//!
//! Offsets are bytes from the start of this header; the root follows at byte 128.
//!
//! Source: GPURT's `gpurtAccelStruct.h`. RADV writes 120 bytes of it.
//!
//! ```
//! use bvh4::layout::{GpurtHeader, RTIP_3_1};
//! use machine::bits::NodeBits;
//! let mut words = [0; 32];
//! (words[0], words[3], words[8], words[18]) = (0x0004_8001, 32, 128, 6);
//! let header = GpurtHeader::decode(&NodeBits::from_words(words));
//! assert!(header.is_blas() && header.has_hardware_instances());
//! assert_eq!((header.build_flags(), header.primitive_count), (4, 32));
//! assert_eq!(header.rt_ip_level, RTIP_3_1);
//! assert_eq!(header.encode().words(), &words);
//! ```

use machine::fields::{Show, hex};

machine::fields! {
    /// The header, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "GPURT's gpurtAccelStruct.h"]
    pub struct GpurtHeader: 32 words {
        /// Bit 0 type (0 TLAS, 1 BLAS), 1 CPU build, 2..6 mode, 6..9 triangle compression, 9..11
        /// fp16 mode, 12 rebraid, 13 fused instance, 14 high-precision boxes, 15 hardware instance
        /// nodes, 16..32 build flags.
        pub info: u32 = 0..32, Show::Each(hex);
        /// Bytes of metadata before the header.
        pub metadata_size: u32 = 32..64 => "bytes";
        /// Bytes of metadata and structure.
        pub total_size: u32 = 64..96 => "bytes";
        /// Primitives given to the build.
        pub primitive_count: u32 = 96..128;
        /// Primitives that can be hit.
        pub active_primitive_count: u32 = 128..160;
        /// Offset of what GPURT notes about oriented boxes.
        pub obb_metadata_offset: u32 = 160..192 => "bytes";
        /// Geometries or instances.
        pub descriptor_count: u32 = 192..224;
        /// 0 triangles, 1 boxes.
        pub geometry_type: u32 = 224..256;
        /// Offset of internal nodes.
        pub internal_node_offset: u32 = 256..288, Show::Each(hex) => "bytes";
        /// Offset of leaf nodes.
        pub leaf_node_offset: u32 = 288..320, Show::Each(hex) => "bytes";
        /// Offset of geometry infos (BLAS), or of instance sidebands (TLAS).
        pub geometry_info_offset: u32 = 320..352, Show::Each(hex) => "bytes";
        /// Offset of one node pointer for each primitive.
        pub primitive_pointer_offset: u32 = 352..384, Show::Each(hex) => "bytes";
        /// Box nodes.
        pub internal_fp32_count: u32 = 384..416;
        /// fp16 box nodes; 0 here.
        pub internal_fp16_count: u32 = 416..448;
        /// Leaf nodes.
        pub leaf_node_count: u32 = 448..480;
        /// Major version, 16, in the high half, minor in the low half.
        pub version: u32 = 480..512, Show::Each(hex);
        /// Low and high half of an id.
        pub uuid: [u32; 2] = 512..576, Show::Each(hex);
        /// Generation of the format; 6 is RTIP 3.1, the compressed one.
        pub rt_ip_level: u32 = 576..608;
        /// Lower corner of everything.
        pub root_min: [f32; 3] = 608..704 => "scene units";
        /// Upper corner of everything.
        pub root_max: [f32; 3] = 704..800 => "scene units";
        /// Bit 0 compacted, 1 BVH8, 2 legacy leaf compression.
        pub info2: u32 = 800..832, Show::Each(hex);
        /// Bits 0..8 node flags, 8..16 instance exclusion mask.
        pub packed_flags: u32 = 832..864, Show::Each(hex);
        /// Bytes after compaction.
        pub compacted_size: u32 = 864..896, Show::Each(hex) => "bytes";
        /// Padding.
        pub padding: [u32; 4] = 896..1024, Show::Each(hex);
    }
}

/// Value of [`GpurtHeader::rt_ip_level`] for the compressed BVH8 format.
pub const RTIP_3_1: u32 = 6;

impl GpurtHeader {
    /// Whether this is a BLAS.
    #[must_use]
    pub const fn is_blas(&self) -> bool {
        self.info & 1 != 0
    }

    /// Whether several instance nodes may stand for one instance.
    #[must_use]
    pub const fn has_rebraid(&self) -> bool {
        self.info >> 12 & 1 != 0
    }

    /// Whether type 6 nodes are read by the instruction.
    #[must_use]
    pub const fn has_hardware_instances(&self) -> bool {
        self.info >> 15 & 1 != 0
    }

    /// The build flags of the API.
    #[must_use]
    pub const fn build_flags(&self) -> u32 {
        self.info >> 16
    }
}

machine::fields! {
    /// What GPURT notes about each geometry of a BLAS, 12 bytes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    #[source = "GPURT's gpurtAccelStruct.h"]
    pub struct GeometryInfo: 3 words {
        /// Primitives of the geometry, 29 bits.
        pub primitive_count: u32 = 0..29;
        /// Three flags.
        pub flags: u8 = 29..32;
        /// Zero or unknown.
        pub unknown: u32 = 32..64, Show::Each(hex);
        /// Bytes from the start of the list of primitive node pointers to the geometry's first.
        pub primitive_pointer_offset: u32 = 64..96 => "bytes";
    }
}
