//! The instance test: culling, the ray's transform, the flags of the child, and the embedded boxes.
//!
//! | VGPR | value |
//! |---|---|
//! | 2, 3 | merged child base pointer, culled or not |
//! | 6 | user data, 24 bits |
//! | 7 | low bytes of the first four sorted results, a miss is 0xFF; 0xFFFFFFFF if culled (G-17) |
//! | 0, 1, 4, 5 | undefined: 0xDEADBEEF |
//! | 8, 9 | 0xFFFFFFFF |
//!
//! The transform is [`Transform::point`](geometry::Transform::point) and
//! [`Transform::vector`](geometry::Transform::vector), fused operations in a stated order. Cull
//! flags and masks of the embedded entries do not act. Source: GPURT's emulation.

use super::box_test::test_children;
use super::slab::UnitSlabRay;
use super::{Answer, NOTHING, RayRegisters, UNDEFINED};
use crate::layout::{BasePointer, InstanceNode, PointerFlags, Resource};

/// The answer for an instance node.
#[must_use]
pub fn instance_test(
    node: &InstanceNode,
    resource: &Resource,
    base: BasePointer,
    ray: &RayRegisters,
) -> Answer {
    let flags = resource.pointer_flags.then(|| base.flags());
    let mut answer = ray.unchanged(instance_words(base, node.child_base, node.user_data));
    if is_culled(node.mask, node.child_base, flags, ray.mask) {
        return answer;
    }
    answer.origin = node.world_to_object.point(ray.origin);
    answer.direction = node.world_to_object.vector(ray.direction);
    let slab = UnitSlabRay::new(answer.origin, answer.direction, ray.extent, resource.box_grow);
    let pointers = node.child_pointers();
    let sorted =
        test_children(&node.frame, node.used_children(), &pointers, &slab, resource, |_| false);
    answer.vdst[7] = u32::from_le_bytes(std::array::from_fn(|k| sorted[k] as u8));
    answer
}

/// What every instance returns but its result in VGPR7, which says "culled".
pub(super) fn instance_words(caller: BasePointer, child: BasePointer, user_data: u32) -> [u32; 10] {
    let [low, high] = caller.entering(child).words();
    let u = UNDEFINED;
    [u, u, low, high, u, u, user_data, NOTHING, NOTHING, NOTHING]
}

/// Masks without a common bit cull, and a ray that skips the kind of primitive the child holds.
pub(super) fn is_culled(
    mask: u8,
    child: BasePointer,
    flags: Option<PointerFlags>,
    ray_mask: u8,
) -> bool {
    let holds_procedurals = child.flags().contains(PointerFlags::SKIP_TRIANGLES);
    let skip = if holds_procedurals {
        PointerFlags::SKIP_PROCEDURAL
    } else {
        PointerFlags::SKIP_TRIANGLES
    };
    mask & ray_mask == 0 || flags.is_some_and(|flags| flags.contains(skip))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{ChildEntry, NodeBits, SortHeuristic};
    use geometry::{Transform, Vec3};

    fn node(children: &[ChildEntry]) -> InstanceNode {
        let mut node = InstanceNode::decode(&NodeBits::ZERO);
        node.world_to_object = Transform::translation(Vec3::new(0.0, 0.0, -10.0));
        node.world_to_object.rows[0][0] = 2.0;
        node.child_base = BasePointer::new(0x8000, PointerFlags::SKIP_PROCEDURAL).unwrap();
        node.user_data = 0x00AB_CDEF;
        node.mask = 0x0F;
        node.frame.exponents = [127; 3];
        node.child_count = children.len() as u8;
        node.children[..children.len()].copy_from_slice(children);
        node
    }

    fn unit_box(node_type: u8, range_length: u8) -> ChildEntry {
        ChildEntry { max: [0xFFF; 3], node_type, range_length, ..ChildEntry::default() }
    }

    fn ray() -> RayRegisters {
        RayRegisters {
            origin: Vec3::new(0.25, 0.5, 0.0),
            direction: Vec3::new(0.0, 0.0, 3.0),
            extent: 100.0,
            mask: 0x11,
        }
    }

    #[test]
    fn radv_instances_answer_5_or_ff() {
        let resource = Resource::radv(SortHeuristic::Closest);
        let base = BasePointer::new(0x40, PointerFlags::FORCE_OPAQUE).unwrap();
        let node = node(&[unit_box(5, 1)]);
        let hit = instance_test(&node, &resource, base, &ray());
        let merged = base.entering(node.child_base).words();
        let u = UNDEFINED;
        let expected =
            [u, u, merged[0], merged[1], u, u, 0x00AB_CDEF, 0xFFFF_FF05, NOTHING, NOTHING];
        assert_eq!(hit.vdst, expected);
        assert_eq!(
            (hit.origin, hit.direction),
            (Vec3::new(0.5, 0.5, -10.0), Vec3::new(0.0, 0.0, 3.0))
        );
        let short = RayRegisters { extent: 3.0, ..ray() };
        let missed = instance_test(&node, &resource, base, &short);
        assert_eq!((missed.vdst[7], missed.origin), (NOTHING, hit.origin));
    }

    #[test]
    fn gpurt_roots() {
        let resource = Resource::radv(SortHeuristic::Closest);
        let base = BasePointer::default();
        let boxes = node(&[unit_box(1, 0); 4]);
        assert_eq!(instance_test(&boxes, &resource, base, &ray()).vdst[7], 0xFFFF_FF01);
        let mut inverted = unit_box(1, 1);
        (inverted.min, inverted.max) = ([0xFFF; 3], [0; 3]);
        let primitive = node(&[inverted, unit_box(1, 0), unit_box(1, 0), unit_box(1, 0)]);
        assert_eq!(instance_test(&primitive, &resource, base, &ray()).vdst[7], 0xFFFF_FF11);
    }

    #[test]
    fn culled_instances_leave_the_ray_alone() {
        let resource = Resource::radv(SortHeuristic::Closest);
        let node = node(&[unit_box(5, 1)]);
        let masked = RayRegisters { mask: 0xF0, ..ray() };
        let skipping = BasePointer::new(0, PointerFlags::SKIP_TRIANGLES).unwrap();
        for (base, ray) in [(BasePointer::default(), masked), (skipping, ray())] {
            let answer = instance_test(&node, &resource, base, &ray);
            assert_eq!((answer.vdst[7], answer.vdst[6]), (NOTHING, 0x00AB_CDEF));
            assert_eq!((answer.origin, answer.direction), (ray.origin, ray.direction));
        }
        let unflagged = Resource { pointer_flags: false, ..resource };
        let answer = instance_test(&node, &unflagged, skipping, &ray());
        assert_eq!(answer.vdst[7], 0xFFFF_FF05, "flags act only with T# bit 119");
    }
}
