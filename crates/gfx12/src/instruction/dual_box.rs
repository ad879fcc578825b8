//! Boxes of `image_bvh_dual_intersect_ray`: four children, no masks, no rotation, no reuse.
//!
//! The slab test and flag culling are those of the compressed format. A child pointer of 0xFFFFFFFF
//! stays 0xFFFFFFFF. Type 1 leads the sort (G-28). Sources: GPURT; captures with the 64-bit
//! instruction.

use super::box_test::is_culled_by_flags;
use super::slab::UnitSlabRay;
use super::sort::{SortEntry, SortOrder, sort_4, sort_8};
use super::{NOTHING, RayRegisters};
use crate::layout::bvh4x2::{Bvh4x2Pointer, Fp16BoxNode, Fp32BoxNode, HighPrecisionBoxNode};
use crate::layout::{CullFlags, PointerFlags, Resource};
use geometry::Aabb;

/// Four children in one form, whatever format they were stored in.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FourBoxes {
    /// Child pointers.
    pub children: [Bvh4x2Pointer; 4],
    /// Decoded boxes.
    pub boxes: [Aabb; 4],
    /// What the subtrees hold.
    pub cull_flags: [CullFlags; 4],
}

impl From<&Fp32BoxNode> for FourBoxes {
    fn from(node: &Fp32BoxNode) -> Self {
        Self {
            children: node.children,
            boxes: node.boxes,
            cull_flags: std::array::from_fn(|slot| node.cull_flags(slot)),
        }
    }
}

impl From<&Fp16BoxNode> for FourBoxes {
    fn from(node: &Fp16BoxNode) -> Self {
        let boxes = std::array::from_fn(|slot| node.child_box(slot));
        Self { children: node.children, boxes, cull_flags: [CullFlags::empty(); 4] }
    }
}

impl From<&HighPrecisionBoxNode> for FourBoxes {
    fn from(node: &HighPrecisionBoxNode) -> Self {
        Self {
            children: node.child_pointers(),
            boxes: std::array::from_fn(|slot| node.child_box(slot)),
            cull_flags: node.cull_flags,
        }
    }
}

/// Tests the four boxes; unsorted.
#[must_use]
pub fn test_four(
    node: &FourBoxes,
    resource: &Resource,
    flags: Option<PointerFlags>,
    ray: &RayRegisters,
) -> [SortEntry; 4] {
    let slab = UnitSlabRay::new(ray.origin, ray.direction, ray.extent, resource.box_grow);
    let planes = |axis: usize, slot: usize| {
        let Aabb { min, max } = node.boxes[slot];
        [min[axis], max[axis]]
    };
    let intervals: [_; 4] = slab.test_all(planes);
    std::array::from_fn(|slot| {
        let (pointer, interval) = (node.children[slot].0, &intervals[slot]);
        let culled = || flags.is_some_and(|flags| is_culled_by_flags(node.cull_flags[slot], flags));
        if pointer == NOTHING || !interval.hit || culled() {
            SortEntry::NONE
        } else {
            SortEntry { pointer, distance: interval.distance(resource.heuristic) }
        }
    })
}

/// The words of one box.
#[must_use]
pub fn sorted_alone(mut entries: [SortEntry; 4], resource: &Resource) -> [u32; 4] {
    if resource.box_sort_enabled {
        sort_4(&mut entries, order(resource));
    }
    entries.map(|entry| entry.pointer)
}

/// The words of two boxes sorted together. They no longer say which node they came from.
#[must_use]
pub fn sorted_together(
    first: [SortEntry; 4],
    second: [SortEntry; 4],
    resource: &Resource,
) -> [[u32; 4]; 2] {
    let mut entries: [SortEntry; 8] =
        std::array::from_fn(|k| if k < 4 { first[k] } else { second[k - 4] });
    sort_8(&mut entries, order(resource), true);
    [0, 4].map(|start| std::array::from_fn(|k| entries[start + k].pointer))
}

fn order(resource: &Resource) -> SortOrder {
    if resource.sort_triangles_first { SortOrder::Type1First } else { SortOrder::Distance }
}
