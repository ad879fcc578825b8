//! The box test of `image_bvh8_intersect_ray`: eight quantised boxes, eight results.
//!
//! Flags and masks cull, the slab test decides, repeated pointers are dropped, the rest is sorted.
//! VGPR0..=7 hold child pointers or 0xFFFFFFFF; VGPR8 and 9 hold 0xFFFFFFFF. Sources: GPURT's
//! emulation; captured vectors for masks, order and the last two registers.

use super::slab::{Side, UnitSlabRay};
use super::sort::{SortEntry, SortOrder, sort_8};
use super::{NOTHING, RayRegisters};
use crate::layout::{BoxFrame, BoxNode, ChildEntry, NodePointer, PointerFlags, Resource};
use crate::obb;
pub(crate) use bvh4::unit::culling::is_culled_by_flags;

/// The ten result registers for a box node.
#[must_use]
pub fn box_test(
    node: &BoxNode,
    resource: &Resource,
    flags: Option<PointerFlags>,
    ray: &RayRegisters,
) -> [u32; 10] {
    // Undefined rotations act as none (G-12); disable_box_sort is ignored (G-11).
    let (origin, direction) = match obb::rotation(node.obb_matrix_index) {
        Some(rotation) => (rotation.point(ray.origin), rotation.vector(ray.direction)),
        None => (ray.origin, ray.direction),
    };
    let slab = UnitSlabRay::new(origin, direction, ray.extent, resource.box_grow);
    let culled = |child: &ChildEntry| {
        child.mask & ray.mask == 0
            || flags.is_some_and(|flags| is_culled_by_flags(child.cull_flags, flags))
    };
    let pointers = node.child_pointers();
    let sorted =
        test_children(&node.frame, node.used_children(), &pointers, &slab, resource, culled);
    let mut vdst = [NOTHING; 10];
    vdst[..8].copy_from_slice(&sorted);
    vdst
}

/// Slab tests, removal of reused children, and the sort; shared with instance nodes.
pub(super) fn test_children(
    frame: &BoxFrame,
    children: &[ChildEntry],
    pointers: &[NodePointer],
    slab: &UnitSlabRay,
    resource: &Resource,
    culled: impl Fn(&ChildEntry) -> bool,
) -> [u32; 8] {
    let plane = |side: Side, axis: usize, slot: usize| {
        children.get(slot).map_or(0.0, |child| match side {
            Side::Lower => frame.min_plane(axis, child.min[axis]),
            Side::Upper => frame.max_plane(axis, child.max[axis]),
        })
    };
    let intervals: [_; 8] = slab.test_all(plane);
    let mut entries = [SortEntry::NONE; 8];
    for (slot, (child, pointer)) in children.iter().zip(pointers).enumerate() {
        if intervals[slot].hit && !culled(child) {
            let distance = intervals[slot].distance(resource.heuristic);
            entries[slot] = SortEntry { pointer: pointer.0, distance };
        }
    }
    remove_reused(&mut entries);
    if resource.box_sort_enabled {
        let order = if resource.sort_triangles_first {
            SortOrder::TrianglesFirst
        } else {
            SortOrder::Distance
        };
        sort_8(&mut entries, order, resource.wide_sort);
    }
    entries.map(|entry| entry.pointer)
}

/// Several boxes may guard one child: of equal neighbours the first stays. A miss between two hits
/// resets the memory, so the child is then reported twice (G-10).
fn remove_reused(entries: &mut [SortEntry; 8]) {
    let mut previous = entries[0].pointer;
    for entry in &mut entries[1..] {
        if entry.pointer == previous {
            entry.pointer = NOTHING;
        } else {
            previous = entry.pointer;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{CullFlags, NodeBits, SortHeuristic};
    use geometry::Vec3;

    /// Boxes one behind the other on the x axis, quantum 1, stored in the given order.
    fn row(starts: &[u16], node_type: u8, range_length: u8) -> BoxNode {
        let mut node = BoxNode::decode(&NodeBits::ZERO);
        node.internal_base = 0x10;
        node.primitive_base = 0x200;
        node.frame.exponents = [139; 3];
        node.obb_matrix_index = BoxNode::NO_ROTATION;
        node.child_count = starts.len() as u8;
        for (child, &start) in node.children.iter_mut().zip(starts) {
            child.min = [start, 0, 0];
            child.max = [start, 9, 9];
            child.mask = 0xFF;
            child.node_type = node_type;
            child.range_length = range_length;
        }
        node
    }

    fn ray() -> RayRegisters {
        RayRegisters {
            origin: Vec3::new(-1.0, 5.0, 4.0),
            direction: Vec3::new(1.0, 0.0, 0.0),
            extent: 1000.0,
            mask: 0xFF,
        }
    }

    fn answer(node: &BoxNode, flags: PointerFlags) -> Vec<u32> {
        let resource = Resource::radv(SortHeuristic::Closest);
        let words = box_test(node, &resource, Some(flags), &ray());
        words.into_iter().filter(|&word| word != NOTHING).collect()
    }

    #[test]
    fn a_reused_child_is_reported_once_unless_a_miss_intervenes() {
        let mut node = row(&[3, 1, 2], 5, 0);
        assert_eq!(answer(&node, PointerFlags::empty()), [0x15]);
        // Slot 1 out of the ray's way: A, miss, A.
        node.children[1].min[1] = 20;
        node.children[1].max[1] = 30;
        assert_eq!(answer(&node, PointerFlags::empty()), [0x15, 0x15]);
    }

    #[test]
    fn reuse_keeps_the_key_of_the_first_box() {
        // Two boxes guard 0x15, the first hit one far away; 0x25 lies between.
        let mut node = row(&[7, 1, 4], 5, 0);
        node.children[1].range_length = 1;
        assert_eq!(answer(&node, PointerFlags::empty()), [0x25, 0x15]);
    }

    #[test]
    fn flags_cull_subtrees() {
        use PointerFlags as F;
        let mut node = row(&[1, 2, 3, 4], 5, 1);
        let all = [0x15, 0x25, 0x35, 0x45];
        for (child, flag) in node.children.iter_mut().zip(CullFlags::all().iter()) {
            child.cull_flags = flag;
        }
        assert_eq!(answer(&node, F::empty()), all);
        assert_eq!(answer(&node, F::CULL_OPAQUE), [0x25, 0x35, 0x45]);
        assert_eq!(answer(&node, F::CULL_NON_OPAQUE), [0x15, 0x35, 0x45]);
        assert_eq!(answer(&node, F::SKIP_TRIANGLES), [0x15, 0x25, 0x45]);
        assert_eq!(answer(&node, F::SKIP_PROCEDURAL), [0x15, 0x25, 0x35]);
        assert_eq!(answer(&node, F::FORCE_OPAQUE | F::CULL_OPAQUE), [0u32; 0]);
        assert_eq!(answer(&node, F::FORCE_NON_OPAQUE | F::CULL_OPAQUE), all);
        assert_eq!(answer(&node, F::FORCE_NON_OPAQUE | F::CULL_NON_OPAQUE), [0u32; 0]);
        let resource = Resource::radv(SortHeuristic::Closest);
        let unflagged = box_test(&node, &resource, None, &ray());
        assert_eq!(unflagged[..4], all);
    }

    #[test]
    fn oriented_boxes_see_the_rotated_ray() {
        // Index 22: 90 degrees about z, so that world +y is the frame's -x... and +x its +y.
        let mut node = row(&[10], 5, 1);
        node.obb_matrix_index = 22;
        let rotation = obb::rotation(22).unwrap();
        let inverse = obb::rotation(23).unwrap();
        assert_eq!(rotation.point(Vec3::X), Vec3::Y);
        let resource = Resource::radv(SortHeuristic::Closest);
        let moved = RayRegisters {
            origin: inverse.point(ray().origin),
            direction: inverse.vector(ray().direction),
            ..ray()
        };
        assert_eq!(box_test(&node, &resource, None, &moved)[0], 0x15);
        assert_eq!(box_test(&node, &resource, None, &ray())[0], NOTHING);
        node.obb_matrix_index = 104;
        assert_eq!(box_test(&node, &resource, None, &ray())[0], 0x15, "G-12");
    }
}
