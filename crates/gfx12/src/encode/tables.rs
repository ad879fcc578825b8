//! What GPURT puts around the nodes: a header before them, and tables behind them.
//!
//! ```text
//! [ header 128 ][ box nodes ][ leaf nodes ][ geometry infos or sidebands ][ node pointers ]
//! ```
//!
//! The tables of a BLAS are indexed by ids: a geometry info for each geometry up to the highest id,
//! and for each of its primitives up to the highest id a node pointer, 0xFFFFFFFF for one that the
//! structure does not hold.

use super::error::EncodeError;
use super::sections::Sections;
use crate::layout::{
    BoxNode, GeometryInfo, GpurtHeader, NODE_BYTES, NodePointer, RTIP_3_1, RadvGeometryInfo,
};
use bvh4::EncodeError as TreeError;
use geometry::Aabb;
use tree::{PrimitiveFlags, Primitives};

/// Bytes of metadata that a file puts before a structure.
pub const METADATA_BYTES: u32 = 128;

/// Ids that geometry infos and 24-bit fields can hold.
const PRIMITIVE_ID_LIMIT: u32 = 1 << 29;
const GEOMETRY_ID_LIMIT: u32 = 1 << 24;
/// Table entries beyond four a primitive that ids may cost.
const SPARE_ENTRIES: u64 = 1 << 20;
/// Bytes of a geometry info, GPURT's or RADV's.
pub(crate) const GEOMETRY_INFO_BYTES: u64 = RadvGeometryInfo::BYTES;
/// Bits of the header's first word: built by a CPU, and instances tested by hardware.
const INFO: u32 = 1 << 1 | 1 << 15;
/// Bit of the same word: instances were rebraided.
const REBRAID_BIT: u32 = 12;
/// First bit of the build flags in the same word; the lowest flag allows updates.
pub(crate) const BUILD_FLAGS_BIT: u32 = 16;
const VERSION: u32 = 16 << 16;
/// Bits of info2: compacted, eight children a node.
const INFO_2: u32 = 0b11;

/// Which ids a BLAS uses.
#[derive(Debug)]
pub(crate) struct IdTable {
    /// For each geometry, how far its primitive ids reach, and where its pointers begin.
    geometries: Vec<GeometryRow>,
    /// Pointers in all.
    pointer_count: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct GeometryRow {
    /// Highest primitive id plus one.
    primitive_count: u32,
    /// Position of its first pointer.
    first: u64,
    opaque: bool,
}

impl IdTable {
    /// Looks at the ids of all primitives.
    pub(crate) fn new(primitives: &Primitives, level: usize) -> Result<Self, EncodeError> {
        let limit = 4 * primitives.len() as u64 + SPARE_ENTRIES;
        let sparse = |entries: u64| {
            let primitives = primitives.len();
            if entries <= limit {
                return Ok(());
            }
            Err(EncodeError::SparseIds { level, entries, primitives, limit })
        };
        let mut geometries: Vec<GeometryRow> = Vec::new();
        for (primitive, id) in primitives.ids.iter().enumerate() {
            let too_large = |which, found, limit| {
                Err(TreeError::Id { level, primitive, which, found, limit }.into())
            };
            if id.primitive >= PRIMITIVE_ID_LIMIT - 1 {
                return too_large("primitive", id.primitive, PRIMITIVE_ID_LIMIT - 1);
            }
            if id.geometry >= GEOMETRY_ID_LIMIT {
                return too_large("geometry", id.geometry, GEOMETRY_ID_LIMIT);
            }
            let geometry = id.geometry as usize;
            if geometry >= geometries.len() {
                sparse(geometry as u64 + 1)?;
                geometries.resize(geometry + 1, GeometryRow::default());
            }
            let row = &mut geometries[geometry];
            row.primitive_count = row.primitive_count.max(id.primitive + 1);
            row.opaque |= id.flags.contains(PrimitiveFlags::OPAQUE);
        }
        let mut pointer_count = 0;
        for row in &mut geometries {
            row.first = pointer_count;
            pointer_count += u64::from(row.primitive_count);
        }
        sparse(pointer_count)?;
        Ok(Self { geometries, pointer_count })
    }

    /// Position of a primitive's pointer.
    pub(crate) fn position(&self, geometry: u32, primitive: u32) -> usize {
        (self.geometries[geometry as usize].first + u64::from(primitive)) as usize
    }

    /// Pointers in all.
    pub(crate) fn pointer_count(&self) -> usize {
        self.pointer_count as usize
    }

    /// Number of geometries.
    pub(crate) fn geometry_count(&self) -> u32 {
        self.geometries.len() as u32
    }

    /// Writes RADV's geometry infos.
    pub(crate) fn write_radv_infos(&self, geometry_type: u32, bytes: &mut [u8]) {
        let rows = bytes.chunks_exact_mut(GEOMETRY_INFO_BYTES as usize).zip(&self.geometries);
        for (out, row) in rows {
            let GeometryRow { primitive_count, opaque, .. } = *row;
            let info = RadvGeometryInfo { primitive_count, flags: opaque.into(), geometry_type };
            info.encode().write_bytes(out);
        }
    }

    /// Writes GPURT's geometry infos.
    pub(crate) fn write_infos(&self, bytes: &mut [u8]) {
        let rows = bytes.chunks_exact_mut(GEOMETRY_INFO_BYTES as usize).zip(&self.geometries);
        for (out, row) in rows {
            let info = GeometryInfo {
                primitive_count: row.primitive_count,
                // Vulkan and DXR number the flag of an opaque geometry 1.
                flags: u8::from(row.opaque),
                unknown: 0,
                primitive_pointer_offset: (4 * row.first) as u32,
            };
            info.encode().write_bytes(out);
        }
    }
}

/// Counts that the header states.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HeaderCounts {
    pub(crate) is_blas: bool,
    pub(crate) primitives: usize,
    pub(crate) active: usize,
    pub(crate) descriptors: u32,
    pub(crate) procedural: bool,
    pub(crate) boxes: usize,
    pub(crate) leaves: usize,
    pub(crate) rebraided: bool,
}

/// The header of a structure.
pub(crate) fn header(counts: &HeaderCounts, sections: &Sections, root: &BoxNode) -> GpurtHeader {
    let bounds = root_bounds(root);
    let total = (sections.end + u64::from(METADATA_BYTES)) as u32;
    GpurtHeader {
        info: INFO | u32::from(counts.is_blas) | u32::from(counts.rebraided) << REBRAID_BIT,
        metadata_size: METADATA_BYTES,
        total_size: total,
        primitive_count: counts.primitives as u32,
        active_primitive_count: counts.active as u32,
        obb_metadata_offset: 0,
        descriptor_count: counts.descriptors,
        geometry_type: u32::from(counts.procedural),
        internal_node_offset: NODE_BYTES as u32,
        leaf_node_offset: sections.leaves as u32,
        geometry_info_offset: sections.records as u32,
        primitive_pointer_offset: sections.pointers as u32,
        internal_fp32_count: counts.boxes as u32,
        internal_fp16_count: 0,
        leaf_node_count: counts.leaves as u32,
        version: VERSION,
        uuid: [0; 2],
        rt_ip_level: RTIP_3_1,
        root_min: bounds.min.to_array(),
        root_max: bounds.max.to_array(),
        info2: INFO_2,
        packed_flags: 0,
        compacted_size: total,
        padding: [0; 4],
    }
}

/// The decoded boxes of a node together; zero for a structure that holds nothing. Taken from the
/// codes, so that a decoded tree gives the same header.
pub(crate) fn root_bounds(root: &BoxNode) -> Aabb {
    let used = root.used_children().iter().enumerate().filter(|(_, child)| child.is_valid());
    let all = used.fold(Aabb::EMPTY, |all, (slot, _)| all.union(root.child_box(slot)));
    if all.is_empty() { Aabb::new(geometry::Vec3::ZERO, geometry::Vec3::ZERO) } else { all }
}

/// Writes node pointers, 0xFFFFFFFF where there is none.
pub(crate) fn write_pointers(pointers: &[NodePointer], bytes: &mut [u8]) {
    for (out, pointer) in bytes.chunks_exact_mut(4).zip(pointers) {
        out.copy_from_slice(&pointer.0.to_le_bytes());
    }
}
