//! RADV's acceleration-structure header: what its memory starts with, 136 bytes.
//!
//! The nodes lie [`RadvHeader::bvh_offset`] bytes behind its start, a multiple of 64; pointers
//! count from there, so that the root is 0x5. Between them are a [`RadvGeometryInfo`] for each
//! geometry (while a trace is recorded), and in a TLAS the place of each instance's node. All
//! sizes are in bytes.
//!
//! Source: Mesa's `bvh.h`, `header.comp` and `radv_acceleration_structure.c`. The header has grown
//! before: up to [`RadvHeader::leaf_offset`] it is as in Mesa 26.0, behind that as in August 2026.
//!
//! ```
//! use bvh4::layout::RadvHeader;
//! use machine::bits::Bits;
//! let mut words = [0; 34];
//! (words[0], words[1], words[12], words[23]) = (0xC0, 1, 0x440, 2);
//! (words[16], words[17], words[18]) = (2, 1, 1);
//! (words[14], words[20]) = (0x4C0, 0x488);
//! let header = RadvHeader::decode(&Bits::from_words(words));
//! assert_eq!((header.bvh_offset, header.compacted_size, header.geometry_count), (0xC0, 0x440, 2));
//! assert!(header.is_consistent() && header.is_blas());
//! assert_eq!(header.encode().words(), &words);
//! ```

use super::pointer::{NODE_BYTES, UNIT_BYTES};
use machine::bits::Bits;
use machine::fields::{Show, hex};
use std::ops::Range;

machine::fields! {
    /// The header, every bit of it.
    #[derive(Clone, Copy, PartialEq, Debug)]
    #[source = "Mesa's bvh.h, header.comp, radv_acceleration_structure.c"]
    pub struct RadvHeader: 34 words {
        /// Where the nodes start.
        pub bvh_offset: u32 = 0..32, Show::Each(hex) => "bytes";
        /// Opacity of everything: bit 0 only opaque, bit 1 only non-opaque.
        pub root_flags: u32 = 32..64;
        /// Lower corner of everything; NaN if there is nothing.
        pub root_min: [f32; 3] = 64..160 => "scene units";
        /// Upper corner of everything.
        pub root_max: [f32; 3] = 160..256 => "scene units";
        /// Threads that an update takes: 8 for each node from the first box behind the root on.
        pub update_dispatch: [u32; 3] = 256..352;
        /// Padding.
        pub unused_1: u32 = 352..384, Show::Unused;
        /// Bytes up to the end of the last node.
        pub compacted_size: u64 = 384..448, Show::Each(hex) => "bytes";
        /// Bytes when serialized.
        pub serialization_size: u64 = 448..512, Show::Each(hex) => "bytes";
        /// Groups of 64 threads that a copy takes, 16 bytes a thread.
        pub copy_dispatch: [u32; 3] = 512..608;
        /// Padding.
        pub unused_2: u32 = 608..640, Show::Unused;
        /// Bytes when serialized, less what precedes the structure then.
        pub size: u64 = 640..704, Show::Each(hex) => "bytes";
        /// 0 triangles, 1 boxes, 2 instances.
        pub geometry_type: u32 = 704..736;
        /// Geometries; 1 in a TLAS.
        pub geometry_count: u32 = 736..768;
        /// Where the leaf nodes start.
        pub leaf_offset: u64 = 768..832, Show::Each(hex) => "bytes";
        /// Primitives or instances given to the build.
        pub primitive_count: u64 = 832..896;
        /// Instances; 0 in a BLAS.
        pub instance_count: u64 = 896..960;
        /// Where the places of leaves are listed.
        pub leaf_node_offsets_offset: u32 = 960..992, Show::Each(hex) => "bytes";
        /// The build flags of the API.
        pub build_flags: u32 = 992..1024, Show::Each(hex);
        /// 0 TLAS, 1 BLAS.
        pub structure_type: u32 = 1024..1056;
        /// Padding.
        pub unused_3: u32 = 1056..1088, Show::Unused;
    }
}

/// Bytes of what precedes a serialized structure, without the addresses of instances.
const SERIALIZATION_HEADER_BYTES: u64 = 56;
/// Bytes of the smallest header that this one has grown from.
const LEAST_OFFSET: u32 = 120;
/// [`RadvHeader::geometry_type`] of instances.
const INSTANCES: u32 = 2;

impl RadvHeader {
    /// Bytes of it.
    pub const BYTES: u64 = 136;

    /// The header that some bytes begin with, if they do.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.get(..Self::BYTES as usize)?;
        // Most bytes that are none show it in their first dword.
        let bvh_offset = bytes.first_chunk().map_or(0, |first| u32::from_le_bytes(*first));
        if bvh_offset < LEAST_OFFSET || !bvh_offset.is_multiple_of(UNIT_BYTES as u32) {
            return None;
        }
        Some(Self::decode(&Bits::from_bytes(bytes))).filter(Self::is_consistent)
    }

    /// Whether this is a BLAS.
    #[must_use]
    pub const fn is_blas(&self) -> bool {
        self.geometry_type != INSTANCES
    }

    /// The header of a structure whose nodes end at `end`, with all sizes that follow from that;
    /// `nodes` counts from the first box behind the root on.
    #[must_use]
    pub fn with_sizes(self, end: u64, nodes: u64) -> Self {
        let addresses = if self.is_blas() { 0 } else { 8 * self.primitive_count };
        let precedes = SERIALIZATION_HEADER_BYTES + addresses;
        let serialization_size = end + precedes.next_multiple_of(128);
        Self {
            update_dispatch: [8 * (nodes as u32 + 1), 1, 1],
            compacted_size: end,
            serialization_size,
            copy_dispatch: [end.div_ceil(1024) as u32, 1, 1],
            size: serialization_size - precedes,
            ..self
        }
    }

    /// Fields that others contradict: their bits, what is there, and what should be.
    #[must_use]
    pub fn contradictions(&self) -> Vec<(Range<u32>, String, String)> {
        let mut found = Vec::new();
        let mut expect = |bits, is: u64, wanted: u64, why: &str| {
            if is != wanted {
                found.push((bits, format!("{is:#x}"), format!("{wanted:#x}, {why}")));
            }
        };
        let first = u64::from(self.bvh_offset) + NODE_BYTES;
        expect(Self::leaf_offset.bits(), self.leaf_offset, first, "behind the root");
        let precedes = self.serialization_size.saturating_sub(self.size);
        let addresses = precedes.saturating_sub(SERIALIZATION_HEADER_BYTES) / 8;
        let why = "as the sizes when serialized say";
        expect(Self::instance_count.bits(), self.instance_count, addresses, why);
        if !self.is_blas() {
            let why = "the number of instances";
            expect(Self::primitive_count.bits(), self.primitive_count, self.instance_count, why);
            let why = "for instances are of one geometry";
            expect(Self::geometry_count.bits(), self.geometry_count.into(), 1, why);
        }
        // A header that is shorter has something else there.
        if self.structure_type <= 1 {
            let (kind, why) = (u64::from(self.is_blas()), "as the type of the geometries says");
            expect(Self::structure_type.bits(), self.structure_type.into(), kind, why);
        }
        found
    }

    /// Whether its sizes fit together, as those of no other bytes would.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        let end = self.compacted_size;
        self.bvh_offset.is_multiple_of(UNIT_BYTES as u32)
            && self.copy_dispatch == [end.div_ceil(1024) as u32, 1, 1]
            && end >= u64::from(self.bvh_offset) + NODE_BYTES
            && self.serialization_size.checked_sub(self.size).is_some_and(|precedes| {
                precedes >= SERIALIZATION_HEADER_BYTES
                    && precedes.is_multiple_of(8)
                    && self.serialization_size.checked_sub(end)
                        == Some(precedes.next_multiple_of(128))
            })
    }
}

machine::fields! {
    /// What RADV notes about each geometry of a BLAS while a trace is recorded, 12 bytes.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    #[source = "Mesa's bvh.h, header.comp, radv_acceleration_structure.c"]
    pub struct RadvGeometryInfo: 3 words {
        /// Primitives of the geometry.
        pub primitive_count: u32 = 0..32;
        /// Flags of the API; bit 0: opaque.
        pub flags: u32 = 32..64;
        /// 0 triangles, 1 boxes, 2 instances.
        pub geometry_type: u32 = 64..96;
    }
}

impl RadvGeometryInfo {
    /// Bytes of it.
    pub const BYTES: u64 = 12;
}
