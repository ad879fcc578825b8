//! Triangles of a node, in their own order and with their ids.

use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer, TriangleNode};
pub(crate) use bvh4::image::decode::instance_numbers;
use bvh4::layout::triangle_info;
use geometry::Triangle;
use tree::{PrimitiveFlags, PrimitiveId};

/// How many triangles a pointer reaches.
pub(crate) fn triangle_count(pointer: Bvh4Pointer) -> usize {
    1 + usize::from(pointer.kind() == Bvh4Kind::Triangle1)
}

/// A triangle of a node in its own order of corners.
pub(crate) fn own_triangle(node: &TriangleNode, which: usize) -> Triangle {
    triangle_info::own_triangle(node.triangle(which), node.info(which))
}

/// Who a triangle or procedural of a node is.
pub(crate) fn primitive_id(node: &TriangleNode, which: usize) -> PrimitiveId {
    let info = node.info(which);
    let mut flags = PrimitiveFlags::empty();
    flags.set(PrimitiveFlags::OPAQUE, info.opaque);
    flags.set(PrimitiveFlags::DOUBLE_SIDED, info.double_sided);
    PrimitiveId { geometry: node.geometry_id, primitive: node.primitive_ids[which], flags }
}
