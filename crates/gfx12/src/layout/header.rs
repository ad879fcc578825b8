//! GPURT's acceleration-structure header: 128 bytes before the root node, read by `.rra` tools.
//!
//! Offsets are bytes from the start of this header; the root follows at byte 128.
//!
//! | dword | field |
//! |---|---|
//! | 0 | info: bit 0 type (0 TLAS, 1 BLAS), 1 CPU build, 2..6 mode, 6..9 triangle compression, 9..11 fp16 mode, 12 rebraid, 13 fused instance, 14 high-precision boxes, 15 hardware instance nodes, 16..32 build flags |
//! | 1, 2 | metadata size; total size (metadata + structure) |
//! | 3, 4 | primitives; active primitives |
//! | 5 | OBB metadata offset |
//! | 6 | descriptors: geometries or instances |
//! | 7 | geometry type: 0 triangles, 1 boxes |
//! | 8, 9 | offsets of internal nodes and leaf nodes |
//! | 10 | offset of geometry infos (BLAS) or instance sidebands (TLAS) |
//! | 11 | offset of primitive node pointers |
//! | 12, 13, 14 | internal nodes fp32 (box nodes here), fp16; leaf nodes |
//! | 15 | version: major << 16 \| minor, major 16 |
//! | 16, 17 | uuid, low and high |
//! | 18 | ray-tracing IP level; 6 is RTIP 3.1, the compressed format |
//! | 19..=24 | root bounding box, min x, y, z, max x, y, z, f32 |
//! | 25 | info2: bit 0 compacted, 1 BVH8, 2 legacy leaf compression |
//! | 26 | packed flags: bits 0..8 node flags, 8..16 instance exclusion mask |
//! | 27 | compacted size |
//! | 28..=31 | padding |
//!
//! Source: GPURT's `gpurtAccelStruct.h`. RADV writes 120 bytes of it.
//!
//! ```
//! use gfx12::layout::{GpurtHeader, NodeBits, RTIP_3_1};
//! let mut words = [0; 32];
//! (words[0], words[3], words[8], words[18]) = (0x0004_8001, 32, 128, 6);
//! let header = GpurtHeader::decode(&NodeBits::from_words(words));
//! assert!(header.is_blas() && header.has_hardware_instances());
//! assert_eq!((header.build_flags(), header.primitive_count), (4, 32));
//! assert_eq!(header.rt_ip_level, RTIP_3_1);
//! assert_eq!(header.encode().words(), &words);
//! ```

use super::{Bits, NodeBits};

/// The header, every bit of it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GpurtHeader {
    /// Dword 0; see the methods.
    pub info: u32,
    /// Bytes of metadata before the header.
    pub metadata_size: u32,
    /// Bytes of metadata and structure.
    pub total_size: u32,
    /// Primitives given to the build.
    pub primitive_count: u32,
    /// Primitives that can be hit.
    pub active_primitive_count: u32,
    /// Offset of what GPURT notes about oriented boxes.
    pub obb_metadata_offset: u32,
    /// Geometries or instances.
    pub descriptor_count: u32,
    /// 0 triangles, 1 boxes.
    pub geometry_type: u32,
    /// Offset of internal nodes.
    pub internal_node_offset: u32,
    /// Offset of leaf nodes.
    pub leaf_node_offset: u32,
    /// Offset of geometry infos, or of instance sidebands.
    pub geometry_info_offset: u32,
    /// Offset of one node pointer for each primitive.
    pub primitive_pointer_offset: u32,
    /// Box nodes.
    pub internal_fp32_count: u32,
    /// fp16 box nodes; 0 here.
    pub internal_fp16_count: u32,
    /// Leaf nodes.
    pub leaf_node_count: u32,
    /// Major version in the high half, minor in the low half.
    pub version: u32,
    /// Low and high half of an id.
    pub uuid: [u32; 2],
    /// Generation of the format; [`RTIP_3_1`] for the compressed one.
    pub rt_ip_level: u32,
    /// Lower corner of everything.
    pub root_min: [f32; 3],
    /// Upper corner of everything.
    pub root_max: [f32; 3],
    /// Dword 25.
    pub info2: u32,
    /// Dword 26.
    pub packed_flags: u32,
    /// Bytes after compaction.
    pub compacted_size: u32,
    /// Dwords 28..=31.
    pub padding: [u32; 4],
}

/// Value of [`GpurtHeader::rt_ip_level`] for the compressed BVH8 format.
pub const RTIP_3_1: u32 = 6;

impl GpurtHeader {
    /// Reads the header.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            info: bits.word(0),
            metadata_size: bits.word(1),
            total_size: bits.word(2),
            primitive_count: bits.word(3),
            active_primitive_count: bits.word(4),
            obb_metadata_offset: bits.word(5),
            descriptor_count: bits.word(6),
            geometry_type: bits.word(7),
            internal_node_offset: bits.word(8),
            leaf_node_offset: bits.word(9),
            geometry_info_offset: bits.word(10),
            primitive_pointer_offset: bits.word(11),
            internal_fp32_count: bits.word(12),
            internal_fp16_count: bits.word(13),
            leaf_node_count: bits.word(14),
            version: bits.word(15),
            uuid: [bits.word(16), bits.word(17)],
            rt_ip_level: bits.word(18),
            root_min: [bits.float(19), bits.float(20), bits.float(21)],
            root_max: [bits.float(22), bits.float(23), bits.float(24)],
            info2: bits.word(25),
            packed_flags: bits.word(26),
            compacted_size: bits.word(27),
            padding: std::array::from_fn(|k| bits.word(28 + k)),
        }
    }

    /// Writes the header.
    #[must_use]
    pub fn encode(&self) -> NodeBits {
        let [min_x, min_y, min_z] = self.root_min.map(f32::to_bits);
        let [max_x, max_y, max_z] = self.root_max.map(f32::to_bits);
        let [pad_0, pad_1, pad_2, pad_3] = self.padding;
        NodeBits::from_words([
            self.info,
            self.metadata_size,
            self.total_size,
            self.primitive_count,
            self.active_primitive_count,
            self.obb_metadata_offset,
            self.descriptor_count,
            self.geometry_type,
            self.internal_node_offset,
            self.leaf_node_offset,
            self.geometry_info_offset,
            self.primitive_pointer_offset,
            self.internal_fp32_count,
            self.internal_fp16_count,
            self.leaf_node_count,
            self.version,
            self.uuid[0],
            self.uuid[1],
            self.rt_ip_level,
            min_x,
            min_y,
            min_z,
            max_x,
            max_y,
            max_z,
            self.info2,
            self.packed_flags,
            self.compacted_size,
            pad_0,
            pad_1,
            pad_2,
            pad_3,
        ])
    }

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

    /// Major version.
    #[must_use]
    pub const fn major_version(&self) -> u32 {
        self.version >> 16
    }
}

/// What GPURT notes about each geometry of a BLAS, 12 bytes.
///
/// | dword | field |
/// |---|---|
/// | 0 | bits 0..29 primitive count, 29..32 flags |
/// | 1 | zero or unknown |
/// | 2 | byte offset into the list of primitive node pointers |
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct GeometryInfo {
    /// Primitives of the geometry, 29 bits.
    pub primitive_count: u32,
    /// Three flags.
    pub flags: u8,
    /// Dword 1.
    pub unknown: u32,
    /// Bytes from the list's start to the geometry's first pointer.
    pub primitive_pointer_offset: u32,
}

impl GeometryInfo {
    /// Reads the record.
    #[must_use]
    pub fn decode(bits: &Bits<3>) -> Self {
        Self {
            primitive_count: bits.get(0..29),
            flags: bits.get(29..32) as u8,
            unknown: bits.word(1),
            primitive_pointer_offset: bits.word(2),
        }
    }

    /// Writes the record.
    #[must_use]
    pub fn encode(&self) -> Bits<3> {
        let mut bits = Bits::ZERO;
        bits.set(0..29, self.primitive_count);
        bits.set(29..32, u32::from(self.flags));
        bits.set_word(1, self.unknown);
        bits.set_word(2, self.primitive_pointer_offset);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back(bytes in any::<[u8; 128]>(), words: [u32; 3]) {
            let header = GpurtHeader::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(header.encode().to_bytes(), bytes);
            let info = Bits::from_words(words);
            prop_assert_eq!(GeometryInfo::decode(&info).encode(), info);
        }
    }
}
