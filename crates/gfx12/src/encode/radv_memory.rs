//! What RADV puts before the nodes of a structure (G-42).

use super::sections::Sections;
use crate::layout::{CullFlags, NODE_BYTES, RadvHeader};
use geometry::Aabb;

/// What a structure holds, as RADV's header states it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RadvContents {
    /// 0 triangles, 1 boxes, 2 instances.
    pub(crate) geometry_type: u32,
    pub(crate) geometry_count: u32,
    /// Primitives or instances.
    pub(crate) primitives: usize,
    /// The box around everything.
    pub(crate) bounds: Aabb,
    /// What is true of everything.
    pub(crate) flags: CullFlags,
    /// The build flags of the API.
    pub(crate) build_flags: u32,
}

/// The build flag of a structure that may be updated.
pub(crate) const ALLOW_UPDATE: u32 = 1;

/// [`RadvContents::geometry_type`] of a TLAS.
pub(crate) const INSTANCES: u32 = 2;

/// What RADV tells rays about what is below a box: its opacity.
pub(crate) const OPACITY: CullFlags = CullFlags::ONLY_OPAQUE.union(CullFlags::ONLY_NON_OPAQUE);

/// The header of a structure.
pub(crate) fn header(contents: &RadvContents, sections: &Sections) -> RadvHeader {
    let RadvContents { geometry_type, geometry_count, primitives, bounds, flags, build_flags } =
        *contents;
    let is_empty = bounds.is_empty();
    let corner = |corner: geometry::Vec3| if is_empty { [f32::NAN; 3] } else { corner.to_array() };
    let is_top = geometry_type == INSTANCES;
    let header = RadvHeader {
        bvh_offset: sections.base as u32,
        root_flags: if is_empty { 0 } else { u32::from((flags & OPACITY).bits()) },
        root_min: corner(bounds.min),
        root_max: corner(bounds.max),
        update_dispatch: [0; 3],
        unused_1: 0,
        compacted_size: 0,
        serialization_size: 0,
        copy_dispatch: [0; 3],
        unused_2: 0,
        size: 0,
        geometry_type,
        geometry_count,
        leaf_offset: sections.base + NODE_BYTES,
        primitive_count: primitives as u64,
        instance_count: if is_top { primitives as u64 } else { 0 },
        leaf_node_offsets_offset: sections.pointers as u32,
        build_flags,
        structure_type: u32::from(!is_top),
        unused_3: 0,
    };
    header.with_sizes(sections.end, (sections.end - sections.boxes) / NODE_BYTES)
}
