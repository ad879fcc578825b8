//! Boxes of `image_bvh_dual_intersect_ray`: four children, no masks, no rotation, no reuse.
//!
//! The slab test and flag culling are those of the compressed format. A child pointer of 0xFFFFFFFF
//! stays 0xFFFFFFFF. Type 1 leads the sort (G-28). Sources: GPURT; captures with the 64-bit
//! instruction.

use super::RayRegisters;
use super::slab::UnitSlabRay;
use super::sort::{SortEntry, SortOrder, sort_4, sort_8};
use crate::layout::bvh4x2::HighPrecisionBoxNode;
use crate::layout::{PointerFlags, Resource};
pub use bvh4::unit::FourBoxes;

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
    node.test(&slab, resource.heuristic, flags)
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
