//! Boxes of nodes as a hierarchy has them: along the axes, those of a child's slots together.

use super::bounds::{unbounded_where_nan, union};
use crate::layout::BoxNode;
pub(crate) use bvh4::decode::hierarchy::{Items, bvh, node_places, tree};
use geometry::{Aabb, Transform, Vec3};

/// The box along the axes around a box in a rotated frame; all of space where that has no bounds.
pub(super) fn around_turned(rotation: &Transform, stored: &Aabb) -> Aabb {
    if stored.is_empty() {
        return Aabb::EMPTY;
    }
    let around = if stored.is_finite() { rotation.preimage_bounds(stored).ok() } else { None };
    around.unwrap_or(Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY))
}

/// The union of the decoded boxes of some slots.
pub(crate) fn slots_box(node: &BoxNode, slots: u8) -> Aabb {
    (0..8)
        .filter(|slot| slots >> slot & 1 == 1)
        .map(|slot| unbounded_where_nan(node.child_box(slot)))
        .fold(Aabb::EMPTY, union)
}
