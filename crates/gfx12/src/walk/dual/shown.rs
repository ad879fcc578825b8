//! What an observer is told of a lane's steps.

use super::lane::Lane;
use super::walk_image::leads_nowhere;
use crate::instruction::Answer;
use crate::layout::NodePointer;
use crate::layout::bvh4x2::{Bvh4x2InstanceNode, Bvh4x2Kind, Bvh4x2Pointer};
use machine::{Instruction, MachineError, Observer, Step};

impl<O: Observer + ?Sized> Lane<'_, O> {
    /// `image_bvh_dual_intersect_ray` was executed on one or two nodes.
    pub(super) fn show_step(&mut self, nodes: [Bvh4x2Pointer; 2], extent: f32, answer: &Answer) {
        let base = self.space.base;
        for node in nodes.into_iter().filter(|node| !node.is_special()) {
            let address = Some(base.address() + node.byte_offset());
            let kind = match node.kind() {
                Bvh4x2Kind::HalfBox | Bvh4x2Kind::Fp32Box => "box",
                Bvh4x2Kind::Triangle0 | Bvh4x2Kind::Triangle1 => "primitive",
                Bvh4x2Kind::Instance => "instance",
                _ => "node",
            };
            self.observer.see(Step::Node { pointer: node.0.into(), address, kind });
        }
        let bits = |x: f32| u64::from(x.to_bits());
        let [ox, oy, oz] = self.space.ray.origin.to_array().map(bits);
        let [dx, dy, dz] = self.space.ray.direction.to_array().map(bits);
        const OUTPUTS: [&str; 10] = ["v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9"];
        self.observer.see(Step::Instruction(Instruction {
            name: "image_bvh_dual_intersect_ray",
            inputs: vec![
                ("base", base.0),
                ("extent", bits(extent)),
                ("mask", self.query.mask.into()),
                ("origin_x", ox),
                ("origin_y", oy),
                ("origin_z", oz),
                ("direction_x", dx),
                ("direction_y", dy),
                ("direction_z", dz),
                ("node_0", nodes[0].0.into()),
                ("node_1", nodes[1].0.into()),
            ],
            outputs: OUTPUTS.into_iter().zip(answer.vdst.map(u64::from)).collect(),
        }));
    }

    /// The lane went into the space of an instance.
    pub(super) fn show_instance(
        &mut self,
        pointer: Bvh4x2Pointer,
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
    pub(super) fn show_walk_back(&mut self, to: Bvh4x2Pointer, from: Bvh4x2Pointer) {
        if self.observer.is_watching() {
            self.observer.see(Step::WalkBack { to: to.0.into(), from: from.0.into() });
        }
    }

    /// What the stack instruction did.
    #[inline]
    pub(super) fn show_stack(&mut self, data: [u32; 8], popped: &[Bvh4x2Pointer]) {
        if !self.observer.is_watching() {
            return;
        }
        let depth = self.depth();
        for pointer in data.into_iter().rev().filter(|&word| !NodePointer(word).is_special()) {
            self.observer.see(Step::Push { pointer: pointer.into(), depth });
        }
        for pointer in popped.iter().filter(|pointer| !pointer.is_special()) {
            self.observer.see(Step::Pop { pointer: Some(pointer.0.into()), depth });
        }
    }
}
