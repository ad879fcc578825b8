//! What an observer is told of a lane's steps.

use super::lane::{Lane, is_box};
use super::walk_image::leads_nowhere;
use crate::bvh4x2::survey::Structure;
use crate::instruction::box_test::is_culled_by_flags;
use crate::instruction::{Answer, NOTHING, RayRegisters};
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode};
use crate::registers::dual_outputs;
use crate::walk::shown::{box_ray, ray_inputs};
use bvh4::image::dialect::four_boxes;
use machine::{Instruction, MachineError, Observer, Step, Verdict};

impl<O: Observer + ?Sized> Lane<'_, O> {
    /// `image_bvh_dual_intersect_ray` was executed on one or two nodes.
    pub(super) fn show_step(
        &mut self,
        nodes: [Bvh4Pointer; 2],
        ray: &RayRegisters,
        answer: &Answer,
    ) {
        self.show_node(nodes[0]);
        let mut inputs = ray_inputs(self.space.base, ray);
        inputs.extend([("node_0", nodes[0].0.into()), ("node_1", nodes[1].0.into())]);
        self.observer.see(Step::Instruction(Instruction {
            name: "image_bvh_dual_intersect_ray",
            inputs,
            outputs: dual_outputs(nodes, &self.resource, answer),
        }));
        self.show_children(nodes[0], ray);
        if !nodes[1].is_special() {
            self.show_node(nodes[1]);
            self.show_children(nodes[1], ray);
        }
    }

    /// A node is read.
    fn show_node(&mut self, node: Bvh4Pointer) {
        let address = Some(self.space.base.address() + node.byte_offset());
        let kind = match node.kind() {
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => "box",
            Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 => "primitive",
            Bvh4Kind::Instance => "instance",
            _ => "node",
        };
        self.observer.see(Step::Node { pointer: node.0.into(), address, kind });
    }

    /// What the unit made of each child of a box.
    fn show_children(&mut self, pointer: Bvh4Pointer, ray: &RayRegisters) {
        let address = self.space.base.address() + pointer.byte_offset();
        let node = if is_box(pointer) {
            four_boxes::<Structure>(&self.memory, address, pointer)
        } else {
            None
        };
        let Some(node) = node else { return };
        let box_ray = box_ray(ray, self.resource.box_grow, None);
        let flags = self.space.base.flags();
        for (slot, child) in node.children.into_iter().enumerate().filter(|(_, c)| c.0 != NOTHING) {
            let is_culled = is_culled_by_flags(node.cull_flags[slot], flags);
            let unseen = is_culled.then_some(Verdict::Culled);
            let step = box_ray.child(slot, child.0, node.boxes[slot], unseen);
            self.observer.see(step);
        }
    }

    /// The lane went into the space of an instance.
    pub(super) fn show_instance(
        &mut self,
        pointer: Bvh4Pointer,
        instance: u32,
    ) -> Result<(), MachineError> {
        let address = self.image.world_base_address() + pointer.byte_offset();
        let bits = self.memory.node(address).ok_or_else(|| leads_nowhere(pointer, address))?;
        self.observer.see(Step::Instance {
            instance,
            pointer: pointer.0.into(),
            address: Some(address),
            world_to_object: Bvh4x2InstanceNode::decode(&bits).world_to_object,
            ray: Some(self.space.ray),
        });
        Ok(())
    }

    /// Entries were lost, and the walk returns to `to`.
    #[inline]
    pub(super) fn show_walk_back(&mut self, to: Bvh4Pointer, from: Bvh4Pointer) {
        if self.observer.is_watching() {
            self.observer.see(Step::WalkBack { to: to.0.into(), from: from.0.into() });
        }
    }
}
