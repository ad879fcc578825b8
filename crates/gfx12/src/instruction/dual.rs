//! `image_bvh_dual_intersect_ray`: one ray against two nodes of the format `gfx12-bvh4x2`.
//!
//! Slot 0 is the first pointer and VGPR0..=3 and 8; slot 1 is the second and VGPR4..=7 and 9.
//!
//! | pointer | four words |
//! |---|---|
//! | special, types 2, 3, 7, and 6 where it is no instance | 0xFFFFFFFF each |
//! | types 4, 5 | child pointers, sorted ([`dual_box`](super::dual_box)) |
//! | types 0, 1 | a triangle's numerators ([`dual_triangle`](super::dual_triangle)) |
//!
//! An instance in slot 0 owns all registers, as in [`instance_test`](super::instance_test), except
//! that VGPR7 is the child's root and there are no boxes; slot 1 is then not looked at. Two
//! instances, or T# bit 115 set, give 0xFFFFFFFF ten times (G-29, G-20). VGPR8 and 9 are geometry
//! ids of triangles. VIMAGE opcode 128. No capture of the instruction is public; its per-node
//! results are those captured with `image_bvh64_intersect_ray`.

use super::dual_box::{FourBoxes, sorted_alone, sorted_together, test_four};
use super::dual_triangle::{out_of_bounds, triangle_test};
use super::instance_test::{instance_words, is_culled};
use super::memory::{Memory, read_node};
use super::sort::SortEntry;
use super::triangle::TriangleArithmetic;
use super::{Answer, NOTHING, RayRegisters, Warning};
use crate::layout::bvh4x2::{
    Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, Fp16BoxNode, Fp32BoxNode, HighPrecisionBoxNode,
    TriangleNode,
};
use crate::layout::{BasePointer, Bits, PointerFlags, Resource};

/// Operands of `image_bvh_dual_intersect_ray`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DualOperands {
    /// The T#.
    pub resource: Resource,
    /// VADDR0.
    pub base: BasePointer,
    /// VADDR1, 2 and 3.
    pub ray: RayRegisters,
    /// VADDR4: the pointers of slots 0 and 1.
    pub nodes: [Bvh4Pointer; 2],
}

/// What one slot holds before the boxes are sorted.
enum Slot {
    Nothing,
    Boxes([SortEntry; 4]),
    Triangle { words: [u32; 4], geometry_id: u32 },
}

/// Executes the instruction. Any memory and any registers have an answer.
#[must_use]
pub fn image_bvh_dual_intersect_ray<M: Memory + ?Sized>(
    memory: &M,
    operands: &DualOperands,
    arithmetic: TriangleArithmetic,
) -> Answer {
    let DualOperands { resource, ray, nodes, .. } = operands;
    let nothing = ray.unchanged([NOTHING; 10]);
    if resource.compressed_format {
        return Answer { warning: Some(Warning::CompressedFormatSet), ..nothing };
    }
    let is_instance = |pointer: Bvh4Pointer| {
        resource.instance_enabled && pointer.kind() == Bvh4Kind::Instance && !pointer.is_special()
    };
    if is_instance(nodes[0]) {
        return if is_instance(nodes[1]) { nothing } else { instance(memory, operands) };
    }
    let slots = nodes.map(|pointer| test_slot(memory, operands, pointer, arithmetic));
    ray.unchanged(assemble(&slots, resource))
}

fn instance<M: Memory + ?Sized>(memory: &M, operands: &DualOperands) -> Answer {
    let DualOperands { resource, base, ray, nodes } = operands;
    let Some(bits) = read_node(memory, resource, *base, nodes[0].byte_offset()) else {
        return ray.unchanged([NOTHING; 10]);
    };
    let node = Bvh4x2InstanceNode::decode(&bits);
    let mut answer = ray.unchanged(instance_words(*base, node.child_base, node.user_data));
    if !is_culled(node.mask, node.child_base, flags(operands), ray.mask) {
        answer.vdst[7] = node.child_root.0;
        answer.origin = node.world_to_object.point(ray.origin);
        answer.direction = node.world_to_object.vector(ray.direction);
    }
    answer
}

/// The base pointer's flags, where they act.
fn flags(operands: &DualOperands) -> Option<PointerFlags> {
    operands.resource.pointer_flags.then(|| operands.base.flags())
}

fn test_slot<M: Memory + ?Sized>(
    memory: &M,
    operands: &DualOperands,
    pointer: Bvh4Pointer,
    arithmetic: TriangleArithmetic,
) -> Slot {
    let DualOperands { resource, base, ray, .. } = operands;
    if pointer.is_special() {
        return Slot::Nothing;
    }
    let offset = pointer.byte_offset();
    let half = || -> Option<Bits<16>> { read_node(memory, resource, *base, offset) };
    let boxes = match pointer.kind() {
        Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 => {
            let Some(bits) = half() else {
                return Slot::Triangle { words: out_of_bounds(), geometry_id: NOTHING };
            };
            let node = TriangleNode::decode(&bits);
            let which = usize::from(pointer.node_type());
            let words = triangle_test(&node, which, resource, flags(operands), ray, arithmetic);
            return Slot::Triangle { words, geometry_id: node.geometry_id };
        }
        Bvh4Kind::Fp32Box => read_node(memory, resource, *base, offset)
            .map(|bits| FourBoxes::from(&Fp32BoxNode::decode(&bits))),
        Bvh4Kind::HalfBox if resource.box_node_64b => {
            half().map(|bits| FourBoxes::from(&HighPrecisionBoxNode::decode(&bits)))
        }
        Bvh4Kind::HalfBox => half().map(|bits| FourBoxes::from(&Fp16BoxNode::decode(&bits))),
        Bvh4Kind::OldTriangle | Bvh4Kind::Instance | Bvh4Kind::User => None,
    };
    boxes
        .map_or(Slot::Nothing, |node| Slot::Boxes(test_four(&node, resource, flags(operands), ray)))
}

/// Sorts boxes, together where both slots hold one and the T# asks for it, and lays out the words.
fn assemble(slots: &[Slot; 2], resource: &Resource) -> [u32; 10] {
    let words = match slots {
        [Slot::Boxes(first), Slot::Boxes(second)]
            if resource.wide_sort && resource.box_sort_enabled =>
        {
            sorted_together(*first, *second, resource)
        }
        _ => [0, 1].map(|slot| match &slots[slot] {
            Slot::Nothing => [NOTHING; 4],
            Slot::Boxes(entries) => sorted_alone(*entries, resource),
            Slot::Triangle { words, .. } => *words,
        }),
    };
    let mut vdst = [NOTHING; 10];
    for slot in 0..2 {
        vdst[4 * slot..4 * slot + 4].copy_from_slice(&words[slot]);
        if let Slot::Triangle { geometry_id, .. } = slots[slot] {
            vdst[8 + slot] = geometry_id;
        }
    }
    vdst
}
