//! What an observer is told of a lane's steps.

use super::lane::{Lane, Space};
use crate::instruction::box_test::is_culled_by_flags;
use crate::instruction::slab::UnitSlabRay;
use crate::instruction::{Answer, RayRegisters};
use crate::layout::{BasePointer, BoxNode, InstanceNode, NodeBits, NodePointer};
use crate::obb;
use crate::registers::bvh8_outputs;
use crate::stack::{StackAddress, for_each_pushed};
use bvh4::walk::BoxRay;
use geometry::{Ray, Transform};
use machine::{Instruction, Observer, Step, Verdict};

/// Base pointer and ray, as both instructions take them.
pub(super) fn ray_inputs(base: BasePointer, ray: &RayRegisters) -> Vec<(&'static str, u64)> {
    let bits = |x: f32| u64::from(x.to_bits());
    let [ox, oy, oz] = ray.origin.to_array().map(bits);
    let [dx, dy, dz] = ray.direction.to_array().map(bits);
    vec![
        ("base", base.0),
        ("extent", bits(ray.extent)),
        ("mask", ray.mask.into()),
        ("origin_x", ox),
        ("origin_y", oy),
        ("origin_z", oz),
        ("direction_x", dx),
        ("direction_y", dy),
        ("direction_z", dz),
    ]
}

/// A ray in the frame of a box node.
pub(super) fn box_ray(ray: &RayRegisters, grow: u8, frame: Option<&'static Transform>) -> BoxRay {
    let (origin, direction) = match frame {
        Some(turn) => (turn.point(ray.origin), turn.vector(ray.direction)),
        None => (ray.origin, ray.direction),
    };
    let slab = |extent| UnitSlabRay::new(origin, direction, extent, grow);
    BoxRay::new(slab(ray.extent), slab(f32::INFINITY), frame)
}

/// What a stack instruction did between two values of its address register: pushes, what was lost,
/// and pops, in their order.
pub(super) fn show_stack<O: Observer + ?Sized>(
    observer: &mut O,
    registers: [u32; 2],
    (last, data, range_mode): (NodePointer, &[u32; 8], bool),
    popped: &[u32],
) {
    let [mut depth, left] =
        registers.map(|register| StackAddress::from_register(register).valid_entries.into());
    for_each_pushed(last.0, data, range_mode, |pointer| {
        depth += 1;
        observer.see(Step::Push { pointer: pointer.into(), depth });
    });
    let popped = popped.iter().filter(|&&node| !NodePointer(node).is_special());
    let popped: Vec<u64> = popped.map(|&node| node.into()).collect();
    let kept = left + popped.len() as u32;
    if depth > kept {
        observer.see(Step::Overflow { lost: depth - kept });
    }
    for (&pointer, depth) in popped.iter().zip((left..kept).rev()) {
        observer.see(Step::Pop { pointer: Some(pointer), depth });
    }
    if popped.is_empty() {
        observer.see(Step::Pop { pointer: None, depth: left });
    }
}

impl<O: Observer + ?Sized> Lane<'_, O> {
    /// A node is read.
    pub(super) fn show_node(&mut self, node: NodePointer, kind: &'static str) {
        let address = Some(self.address_of(node));
        self.observer.see(Step::Node { pointer: node.0.into(), address, kind });
    }

    /// `image_bvh8_intersect_ray` was executed on a box or an instance.
    pub(super) fn show_step(
        &mut self,
        node: NodePointer,
        bits: &NodeBits,
        extent: f32,
        answer: &Answer,
    ) {
        self.show_node(node, if node.is_box() { "box" } else { "instance" });
        let Space { origin, direction, .. } = self.space;
        let ray = RayRegisters { origin, direction, extent, mask: self.query.mask };
        let mut inputs = ray_inputs(self.base_of(node), &ray);
        let resource = ["resource_0", "resource_1", "resource_2", "resource_3"];
        inputs.push(("node", node.0.into()));
        inputs.extend(resource.into_iter().zip(self.resource.words().map(u64::from)));
        self.observer.see(Step::Instruction(Instruction {
            name: "image_bvh8_intersect_ray",
            inputs,
            outputs: bvh8_outputs(node, answer),
        }));
        if node.is_box() {
            self.show_children(node, &BoxNode::decode(bits), &ray);
        }
    }

    /// What the unit made of each child of a box.
    fn show_children(&mut self, pointer: NodePointer, node: &BoxNode, ray: &RayRegisters) {
        let box_ray = box_ray(ray, self.resource.box_grow, obb::rotation(node.obb_matrix_index));
        let flags = self.base_of(pointer).flags();
        let pointers = node.child_pointers();
        for (slot, child) in node.used_children().iter().enumerate() {
            let unseen = if child.mask & ray.mask == 0 {
                Some(Verdict::Masked)
            } else {
                is_culled_by_flags(child.cull_flags, flags).then_some(Verdict::Culled)
            };
            let step = box_ray.child(slot, pointers[slot].0, node.child_box(slot), unseen);
            self.observer.see(step);
        }
    }

    /// The lane went into the space of an instance.
    pub(super) fn show_instance(&mut self, pointer: NodePointer, instance: u32, bits: &NodeBits) {
        let address = self.image.structure.address_of(pointer);
        let node = InstanceNode::decode(bits);
        let ray =
            Ray { origin: self.space.origin, direction: self.space.direction, ..self.query.shape };
        self.observer.see(Step::Instance {
            instance,
            pointer: pointer.0.into(),
            address: Some(address),
            world_to_object: node.world_to_object,
            ray: Some(ray),
        });
    }

    /// Entries were lost, and the walk returns to `to`.
    #[inline]
    pub(super) fn show_walk_back(&mut self, to: NodePointer, from: NodePointer) {
        if self.observer.is_watching() {
            self.observer.see(Step::WalkBack { to: to.0.into(), from: from.0.into() });
        }
    }
}
