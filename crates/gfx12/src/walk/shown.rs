//! What an observer is told of a lane's steps.

use super::lane::Lane;
use crate::instruction::Answer;
use crate::instruction::box_test::is_culled_by_flags;
use crate::instruction::slab::UnitSlabRay;
use crate::layout::{BoxNode, InstanceNode, NodeBits, NodePointer};
use crate::obb;
use crate::registers::bvh8_outputs;
use crate::stack::StackAddress;
use geometry::Ray;
use machine::{ChildTest, Instruction, Observer, Step, Verdict};

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
        let base = self.base_of(node).0;
        let [ox, oy, oz] = self.space.origin.to_array().map(|x| u64::from(x.to_bits()));
        let [dx, dy, dz] = self.space.direction.to_array().map(|x| u64::from(x.to_bits()));
        let [r0, r1, r2, r3] = self.resource.words().map(u64::from);
        self.observer.see(Step::Instruction(Instruction {
            name: "image_bvh8_intersect_ray",
            inputs: vec![
                ("base", base),
                ("extent", extent.to_bits().into()),
                ("mask", self.query.mask.into()),
                ("origin_x", ox),
                ("origin_y", oy),
                ("origin_z", oz),
                ("direction_x", dx),
                ("direction_y", dy),
                ("direction_z", dz),
                ("node", node.0.into()),
                ("resource_0", r0),
                ("resource_1", r1),
                ("resource_2", r2),
                ("resource_3", r3),
            ],
            outputs: bvh8_outputs(node, answer),
        }));
        if node.is_box() {
            self.show_children(node, &BoxNode::decode(bits), extent);
        }
    }

    /// What the unit made of each child of a box.
    fn show_children(&mut self, pointer: NodePointer, node: &BoxNode, extent: f32) {
        let frame = obb::rotation(node.obb_matrix_index);
        let (origin, direction) = match frame {
            Some(turn) => (turn.point(self.space.origin), turn.vector(self.space.direction)),
            None => (self.space.origin, self.space.direction),
        };
        let grow = self.resource.box_grow;
        let within = UnitSlabRay::new(origin, direction, extent, grow);
        let anywhere = UnitSlabRay::new(origin, direction, f32::INFINITY, grow);
        let flags = self.base_of(pointer).flags();
        let pointers = node.child_pointers();
        for (slot, child) in node.used_children().iter().enumerate() {
            let bounds = node.child_box(slot);
            let interval = anywhere.test(&bounds);
            let verdict = if child.mask & self.query.mask == 0 {
                Verdict::Masked
            } else if is_culled_by_flags(child.cull_flags, flags) {
                Verdict::Culled
            } else if within.test(&bounds).hit {
                Verdict::Visit
            } else if interval.hit {
                Verdict::Behind
            } else {
                Verdict::Miss
            };
            self.observer.see(Step::Child(ChildTest {
                slot: slot as u8,
                pointer: pointers[slot].0.into(),
                bounds,
                frame: frame.copied(),
                interval: interval.hit.then_some([interval.entry, interval.exit]),
                verdict,
            }));
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

    /// What the stack instruction did: pushes, what was lost, and the pop.
    pub(super) fn show_stack(&mut self, before: u32, pushed: &[u32], next: NodePointer) {
        let old = u32::from(StackAddress::from_register(before).valid_entries);
        let left = u32::from(StackAddress::from_register(self.stack_address()).valid_entries);
        for (&pointer, depth) in pushed.iter().zip(old + 1..) {
            self.observer.see(Step::Push { pointer: pointer.into(), depth });
        }
        let popped = !next.is_special();
        let (all, kept) = (old + pushed.len() as u32, left + u32::from(popped));
        if all > kept {
            self.observer.see(Step::Overflow { lost: all - kept });
        }
        let pointer = popped.then(|| next.0.into());
        self.observer.see(Step::Pop { pointer, depth: left });
    }
}
