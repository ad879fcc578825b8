//! One lane of a wave: the registers that both phases keep, and the instructions that they execute.

use super::walk_image::{WalkImage, leads_nowhere};
use crate::bvh4x2::decode::{own_triangle, primitive_id};
use crate::bvh4x2::survey::Structure;
use crate::instruction::{
    Answer, DualOperands, RayRegisters, TriangleArithmetic, image_bvh_dual_intersect_ray,
};
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer, TriangleNode};
use crate::layout::{BasePointer, NodePointer, PointerFlags, Resource};
use crate::stack::{ENTRY_STRIDE, StackAddress, StackMode, push8_pop1, push8_pop2};
use crate::survey::Memory;
use crate::walk::shown::show_stack;
use bvh4::decode::instance::instance_flags;
use bvh4::image::dialect::four_boxes;
use bvh4::walk::Found;
use geometry::{InstanceFlags, Ray, moller_trumbore};
use machine::primitive_test::MergedFlags;
use machine::{Counters, MachineError, Observer, PrimitiveTest, RayQuery, Step, StepBudget};
use std::ops::ControlFlow;
use tree::primitives::Primitive;

/// The state of one ray.
pub(super) struct Lane<'a, O: ?Sized> {
    pub(super) image: &'a WalkImage,
    pub(super) memory: Memory<'a>,
    pub(super) found: Found<'a>,
    pub(super) resource: Resource,
    pub(super) query: &'a RayQuery,
    world: Space,
    pub(super) space: Space,
    lds: [u32; 31 * ENTRY_STRIDE],
    stack: u32,
    budget: StepBudget,
    counters: &'a mut Counters,
    pub(super) observer: &'a mut O,
}

/// Where the ray is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    pub(super) ray: Ray,
    pub(super) base: BasePointer,
    flags: MergedFlags,
    inside: Option<Inside>,
}

/// The instance that a ray is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inside {
    pub(super) instance: Bvh4Pointer,
    /// Its number.
    number: u32,
    /// The root of its structure.
    pub(super) root: Bvh4Pointer,
}

impl<'a, O: Observer + ?Sized> Lane<'a, O> {
    /// A lane in world space with an empty stack.
    pub(super) fn new(
        image: &'a WalkImage,
        query: &'a RayQuery,
        found: Found<'a>,
        counters: &'a mut Counters,
        observer: &'a mut O,
    ) -> Self {
        let skips = PointerFlags::SKIP_TRIANGLES | PointerFlags::SKIP_PROCEDURAL;
        let flags = PointerFlags::of_ray(query.flags.bits()) - skips;
        let world = Space {
            ray: query.shape,
            base: image.world_base(flags),
            flags: MergedFlags::new(query.flags, InstanceFlags::empty()),
            inside: None,
        };
        Self {
            image,
            memory: image.memory(),
            found,
            resource: image.resource(),
            query,
            world,
            space: world,
            lds: [0; 31 * ENTRY_STRIDE],
            stack: 0,
            budget: StepBudget::new(image.step_limit),
            counters,
            observer,
        }
    }

    /// World space and an empty stack again.
    pub(super) fn restart(&mut self) {
        if self.observer.is_watching() {
            let reason = "entries were lost: from here on one node a step";
            self.observer.see(Step::Restart { reason });
        }
        self.space = self.world;
        self.stack = 0;
        self.found.restart();
    }

    /// `image_bvh_dual_intersect_ray`. The ray registers stay as they are. The law decides about
    /// primitives, so what the unit says of them is computed only where it is compared with the
    /// law.
    pub(super) fn intersect(
        &mut self,
        nodes: [Bvh4Pointer; 2],
        extent: f32,
    ) -> Result<Answer, MachineError> {
        self.budget.step()?;
        for node in nodes.into_iter().filter(|node| is_box(*node)) {
            debug_assert!(!node.is_special());
            let address = self.space.base.address() + node.byte_offset();
            let boxes = four_boxes::<Structure>(&self.memory, address, node);
            let children = boxes.iter().flat_map(|boxes| boxes.children);
            let present = children.filter(|child| *child != Bvh4Pointer::INVALID);
            self.counters.nodes += 1;
            self.counters.box_tests += present.count() as u64;
            self.counters.bytes += node.node_bytes() as u64;
        }
        if nodes[0].kind() == Bvh4Kind::Instance {
            self.counters.leaves += 1;
            self.counters.bytes += nodes[0].node_bytes() as u64;
        }
        let is_used = |node: Bvh4Pointer| cfg!(debug_assertions) || !is_leaf(node);
        let used = nodes.map(|node| if is_used(node) { node } else { Bvh4Pointer::INVALID });
        let Ray { origin, direction, .. } = self.space.ray;
        let ray = RayRegisters { origin, direction, extent, mask: self.query.mask };
        let (resource, base) = (self.resource, self.space.base);
        let operands = DualOperands { resource, base, ray, nodes: used };
        let arithmetic = TriangleArithmetic::default();
        let answer = image_bvh_dual_intersect_ray(&self.memory, &operands, arithmetic);
        if self.observer.is_watching() {
            self.show_step(nodes, &ray, &answer);
        }
        Ok(answer)
    }

    /// `ds_bvh_stack_push8_pop2_rtn_b64`.
    pub(super) fn push_pop_two(&mut self, data: [u32; 8]) -> [Bvh4Pointer; 2] {
        let (size, before) = (self.image.options.stack_size, self.stack);
        let (lds, stack) = (&mut self.lds, &mut self.stack);
        let pair = push8_pop2(lds, stack, NodePointer::INVALID, data, size);
        let pair = pair.map(|node| Bvh4Pointer(node.0));
        if self.observer.is_watching() {
            // The second triangle of a pair brings the first.
            let popped: &[u32] = match pair {
                [_, top] if top.kind() == Bvh4Kind::Triangle1 => &[top.0],
                [top, none] if none.is_special() => &[top.0],
                [second, top] => &[top.0, second.0],
            };
            let pushed = (NodePointer::INVALID, &data, false);
            show_stack(&mut *self.observer, [before, self.stack], pushed, popped);
        }
        pair
    }

    /// `ds_bvh_stack_push8_pop1_rtn_b32`, without range mode.
    pub(super) fn push_pop_one(&mut self, last: Bvh4Pointer, data: [u32; 8]) -> Bvh4Pointer {
        let mode = StackMode { size: self.image.options.stack_size, range_mode: false };
        let (last, before) = (NodePointer(last.0), self.stack);
        let next = Bvh4Pointer(push8_pop1(&mut self.lds, &mut self.stack, last, data, mode).0);
        if self.observer.is_watching() {
            let registers = [before, self.stack];
            show_stack(&mut *self.observer, registers, (last, &data, false), &[next.0]);
        }
        next
    }

    /// Whether the last pop returned to the TLAS.
    pub(super) fn popped_to_top(&self) -> bool {
        StackAddress::from_register(self.stack).blas_to_tlas_pop
    }

    /// Goes into the structure below an instance, and gives the data for the stack: its root, or
    /// nothing where the instance was culled.
    pub(super) fn enter(
        &mut self,
        instance: Bvh4Pointer,
        answer: &Answer,
    ) -> Result<[u32; 8], MachineError> {
        let number = self.image.instance_number(instance)?;
        let base = BasePointer::from_words(answer.vdst[2], answer.vdst[3]);
        let root = Bvh4Pointer(answer.vdst[7]);
        self.space = Space {
            ray: Ray { origin: answer.origin, direction: answer.direction, ..self.query.shape },
            base,
            flags: MergedFlags::new(self.query.flags, instance_flags(base.flags())),
            inside: Some(Inside { instance, number, root }),
        };
        self.counters.instances += u64::from(!root.is_special());
        if self.observer.is_watching() {
            self.show_instance(instance, number)?;
        }
        let mut data = [Bvh4Pointer::INVALID.0; 8];
        data[7] = root.0;
        data[6] = NodePointer::SKIP_0_7.0;
        Ok(data)
    }

    /// Goes back to the ray of the world.
    pub(super) fn leave(&mut self) {
        if self.observer.is_watching() && self.space.inside.is_some() {
            self.observer.see(Step::Leave);
        }
        self.space = self.world;
    }

    /// The instance that the lane is in.
    pub(super) fn inside(&self) -> Option<Inside> {
        self.space.inside
    }

    /// The parent of a node of the structure that the lane is in.
    pub(super) fn parent(&self, node: Bvh4Pointer) -> Result<Bvh4Pointer, MachineError> {
        WalkImage::parent(&self.memory, self.space.base, node)
    }

    /// Puts the primitive behind a pointer to the law. `words` are what the unit said of it.
    pub(super) fn take(
        &mut self,
        pointer: Bvh4Pointer,
        words: &[u32],
    ) -> Result<ControlFlow<()>, MachineError> {
        let Space { ray, base, flags, inside } = self.space;
        let address = base.address() + pointer.byte_offset();
        let bits = self.memory.half_node(address);
        let node = TriangleNode::decode(&bits.ok_or_else(|| leads_nowhere(pointer, address))?);
        let which = usize::from(pointer.node_type());
        debug_assert!(words_agree(words, &node, which, &ray), "{words:x?} for {node:?}");
        let number = inside.map_or(0, |inside| inside.number);
        let rule = self.image.options.rule;
        let id = primitive_id(&node, which);
        let hit = if node.info(which).procedural {
            self.counters.procedural_tests += 1;
            flags.hit(rule, &ray, Primitive::Box(&node.procedural_box()), id, number)
        } else {
            self.counters.triangle_tests += 1;
            let triangle = own_triangle(&node, which);
            flags.hit(rule, &ray, Primitive::Triangle(&triangle), id, number)
        };
        self.counters.leaves += 1;
        self.counters.bytes += pointer.node_bytes() as u64;
        if self.observer.is_watching() {
            self.observer.see(Step::Primitive(PrimitiveTest {
                pointer: pointer.0.into(),
                instance: number,
                geometry: id.geometry,
                primitive: id.primitive,
                t: hit.map(|hit| hit.t),
            }));
        }
        let found = &mut self.found;
        Ok(hit.map_or(ControlFlow::Continue(()), |hit| found.offer(hit, &mut *self.observer)))
    }
}

/// Whether a triangle, or a procedural, is behind a pointer.
pub(super) fn is_leaf(pointer: Bvh4Pointer) -> bool {
    matches!(pointer.kind(), Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1)
}

/// Whether a box is behind a pointer.
pub(super) fn is_box(pointer: Bvh4Pointer) -> bool {
    matches!(pointer.kind(), Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box)
}

/// Whether the quotient of the unit's words is the `t` of Möller-Trumbore in the node's order of
/// corners, infinity on a miss. A culled triangle says nothing.
fn words_agree(words: &[u32], node: &TriangleNode, which: usize, ray: &Ray) -> bool {
    const CULLED: [f32; 2] = [f32::INFINITY, 1.0];
    let [numerator, denominator] = [words[0], words[1]].map(f32::from_bits);
    let t = numerator / denominator;
    let agrees = match moller_trumbore::intersect(ray, &node.triangle(which)) {
        Some(hit) => hit.t == t,
        None => t == f32::INFINITY || t.is_nan(),
    };
    agrees || node.info(which).procedural || [numerator, denominator] == CULLED
}
