//! One lane of a wave: the registers of a ray, and the instructions that it executes.

use super::Extent;
use super::ring::Stack;
use super::walk_image::WalkImage;
use crate::instruction::{Operands, image_bvh64_intersect_ray};
use crate::layout::Resource;
use crate::stack::{INVALID, TERMINAL};
use crate::structure::Structure;
use bvh4::image::{Dialect, Shape};
use bvh4::layout::{BasePointer, Bvh4Kind, Bvh4Pointer, PointerFlags};
use bvh4::survey::{Memory, Space as _};
use bvh4::unit::UnitSlabRay;
use bvh4::unit::culling::is_culled_by_flags;
use bvh4::walk::{BoxRay, Found};
use geometry::{Aabb, InstanceFlags, Ray};
use machine::primitive_test::MergedFlags;
use machine::{
    Counters, HitKind, Instruction, MachineError, Observer, PrimitiveTest, RayQuery, Step,
    StepBudget, Verdict,
};
use std::ops::ControlFlow;
use tree::primitives::Primitive;

/// The state of one ray.
pub(super) struct Lane<'a, O: ?Sized> {
    pub(super) image: &'a WalkImage,
    pub(super) found: Found<'a>,
    memory: Memory<'a>,
    query: &'a RayQuery,
    resource: Resource,
    world: Space,
    pub(super) space: Space,
    pub(super) stack: Stack,
    budget: StepBudget,
    counters: &'a mut Counters,
    observer: &'a mut O,
}

/// Where the ray is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Space {
    ray: Ray,
    structure: Structure,
    base: BasePointer,
    flags: MergedFlags,
    /// The instance that the ray is in.
    pub(super) inside: Option<Inside>,
}

/// The instance that a ray is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Inside {
    pub(super) instance: Bvh4Pointer,
    pub(super) root: Bvh4Pointer,
    /// Entries on the stack when it was entered.
    pub(super) depth: u32,
    number: u32,
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
        let structure = image.structure;
        let world = Space {
            ray: query.shape,
            structure,
            base: base_pointer(&structure, PointerFlags::of_ray(query.flags.bits())),
            flags: MergedFlags::new(query.flags, InstanceFlags::empty()),
            inside: None,
        };
        Self {
            image,
            found,
            memory: image.memory(),
            query,
            resource: image.resource(query.kind == HitKind::Any),
            world,
            space: world,
            stack: image.stack(),
            budget: StepBudget::new(image.step_limit),
            counters,
            observer,
        }
    }

    /// Whether coming back would not find the order of the way down again.
    pub(super) fn must_restart(&self) -> bool {
        self.image.kind.extent == Extent::Restarting && self.found.has_shrunk()
    }

    /// World space and an empty stack again; the extent stays as it is to the end.
    pub(super) fn restart(&mut self) {
        if self.observer.is_watching() {
            let reason = "entries were lost, and the extent has shrunk since";
            self.observer.see(Step::Restart { reason });
        }
        self.found.fix_extent();
        self.found.restart();
        self.space = self.world;
        self.stack.clear();
    }

    /// `image_bvh64_intersect_ray` on a box.
    pub(super) fn intersect(&mut self, node: Bvh4Pointer) -> Result<[u32; 4], MachineError> {
        self.budget.step()?;
        let extent = match self.image.kind.extent {
            Extent::Shipped => self.found.farthest(),
            Extent::Now | Extent::Restarting => self.found.extent(),
        };
        let Ray { origin, direction, .. } = self.space.ray;
        let pointer = self.space.base.0 + u64::from(node.0);
        let (origin, direction) = (origin.to_array(), direction.to_array());
        let operands = Operands::of_ray(pointer, extent, origin, direction);
        let generation = self.image.kind.generation;
        let words = image_bvh64_intersect_ray(&self.memory, generation, &self.resource, &operands);
        let boxes = self.space.structure.four_boxes(&self.memory, node);
        let children = boxes.iter().flat_map(|boxes| boxes.children);
        self.counters.nodes += 1;
        self.counters.box_tests +=
            children.filter(|child| *child != Bvh4Pointer::INVALID).count() as u64;
        self.counters.bytes += node.node_bytes() as u64;
        if self.observer.is_watching() {
            self.show_box(node, &operands, words);
        }
        Ok(words)
    }

    /// Goes into the structure below an instance, if the ray sees it: the root is next.
    pub(super) fn enter(
        &mut self,
        instance: Bvh4Pointer,
    ) -> Result<Option<Bvh4Pointer>, MachineError> {
        self.budget.step()?;
        self.counters.leaves += 1;
        self.counters.bytes += instance.node_bytes() as u64;
        self.show_node(instance, "instance");
        let node = self.world.structure.instance(&self.memory, instance);
        let node = node.ok_or_else(|| self.image.leads_nowhere(instance))?;
        if node.mask & self.query.mask == 0 {
            return Ok(None);
        }
        let number = self.image.instance_number(instance)?;
        let (below, root) = (node.below, node.below.root());
        let inside = Inside { instance, root, depth: self.stack.depth(), number };
        self.space = Space {
            // By the one arithmetic of transforms.
            ray: node.world_to_object.ray(&self.query.shape),
            structure: below,
            base: self.world.base.entering(base_pointer(&below, node.base_flags)),
            flags: MergedFlags::new(self.query.flags, node.flags),
            inside: Some(inside),
        };
        self.counters.instances += 1;
        if self.observer.is_watching() {
            self.observer.see(Step::Instance {
                instance: number,
                pointer: instance.0.into(),
                address: Some(self.world.structure.address_of(instance)),
                world_to_object: node.world_to_object,
                ray: Some(self.space.ray),
            });
        }
        Ok(Some(root))
    }

    /// Goes back to the ray of the world.
    pub(super) fn leave(&mut self) {
        if self.observer.is_watching() && self.space.inside.is_some() {
            self.observer.see(Step::Leave);
        }
        self.space = self.world;
    }

    /// The parent of a node of the structure that the lane is in.
    pub(super) fn parent(&mut self, node: Bvh4Pointer) -> Result<Bvh4Pointer, MachineError> {
        let parent = self.image.parent(&self.memory, &self.space.structure, node)?;
        if self.observer.is_watching() && !parent.is_special() {
            self.observer.see(Step::WalkBack { to: parent.0.into(), from: node.0.into() });
        }
        Ok(parent)
    }

    /// Pushes and pops.
    pub(super) fn next(&mut self, last: Bvh4Pointer, data: [u32; 4]) -> Bvh4Pointer {
        let before = self.stack.depth();
        let next = self.stack.next(last.0, data);
        if self.observer.is_watching() {
            let is_node = next != INVALID && next != TERMINAL;
            let pushed = behind(last.0, data);
            for (count, &pointer) in (1..).zip(pushed.iter().rev()) {
                self.observer.see(Step::Push { pointer: pointer.into(), depth: before + count });
            }
            let pointer = is_node.then_some(next.into());
            self.observer.see(Step::Pop { pointer, depth: self.stack.depth() });
        }
        Bvh4Pointer(next)
    }

    /// Puts a primitive behind a pointer to the law.
    pub(super) fn take(
        &mut self,
        pointer: Bvh4Pointer,
        slot: &Aabb,
    ) -> Result<ControlFlow<()>, MachineError> {
        self.budget.step()?;
        let Space { ray, structure, flags, inside, .. } = self.space;
        let address = structure.address_of(pointer);
        let bits = self.memory.half_node(address);
        let bits = bits.ok_or_else(|| self.image.leads_nowhere(pointer))?;
        let stored = if pointer.kind() == Bvh4Kind::User {
            let leaf = structure.leaf(&self.memory, pointer, slot);
            leaf.ok_or_else(|| self.image.leads_nowhere(pointer))?.primitives[0]
        } else {
            structure.triangle(&bits, pointer.node_type().into())
        };
        let number = inside.map_or(0, |inside| inside.number);
        let rule = self.image.rule;
        let hit = match &stored.shape {
            Shape::Box(bounds) => {
                self.counters.procedural_tests += 1;
                flags.hit(rule, &ray, Primitive::Box(bounds), stored.id, number)
            }
            Shape::Triangle(triangle) => {
                self.counters.triangle_tests += 1;
                flags.hit(rule, &ray, Primitive::Triangle(triangle), stored.id, number)
            }
        };
        self.counters.leaves += 1;
        self.counters.bytes += pointer.node_bytes() as u64;
        self.show_node(pointer, "primitive");
        if self.observer.is_watching() {
            self.observer.see(Step::Primitive(PrimitiveTest {
                pointer: pointer.0.into(),
                instance: number,
                geometry: stored.id.geometry,
                primitive: stored.id.primitive,
                t: hit.map(|hit| hit.t),
            }));
        }
        let found = &mut self.found;
        Ok(hit.map_or(ControlFlow::Continue(()), |hit| found.offer(hit, &mut *self.observer)))
    }

    /// The planes of the slot that leads to a leaf, where its writer keeps no other box.
    pub(super) fn slot_of(&self, leaf: Bvh4Pointer) -> Result<Aabb, MachineError> {
        self.image.slot_of(&self.space.structure, leaf)
    }

    fn show_node(&mut self, node: Bvh4Pointer, kind: &'static str) {
        if self.observer.is_watching() {
            let address = Some(self.space.structure.address_of(node));
            self.observer.see(Step::Node { pointer: node.0.into(), address, kind });
        }
    }

    /// What the unit made of a box.
    fn show_box(&mut self, pointer: Bvh4Pointer, operands: &Operands, words: [u32; 4]) {
        self.show_node(pointer, "box");
        let names = ["child_0", "child_1", "child_2", "child_3"];
        let resource = ["resource_0", "resource_1", "resource_2", "resource_3"];
        let mut inputs = operands.named();
        inputs.extend(resource.into_iter().zip(self.resource.words().map(u64::from)));
        self.observer.see(Step::Instruction(Instruction {
            name: "image_bvh64_intersect_ray",
            inputs,
            outputs: names.into_iter().zip(words.map(u64::from)).collect(),
        }));
        let Some(node) = self.space.structure.four_boxes(&self.memory, pointer) else { return };
        let slab = |extent| {
            let (origin, inverse) = (operands.origin.into(), operands.inverse);
            UnitSlabRay::with_inverse(origin, inverse, extent, self.resource.box_grow)
        };
        let box_ray = BoxRay::new(slab(operands.extent), slab(f32::INFINITY), None);
        let flags = self.resource.pointer_flags.then(|| self.space.base.flags());
        for (slot, child) in node.children.into_iter().enumerate() {
            if child != Bvh4Pointer::INVALID {
                let is_half = pointer.kind() == Bvh4Kind::HalfBox;
                let is_culled = !is_half
                    && flags.is_some_and(|it| is_culled_by_flags(node.cull_flags[slot], it));
                let unseen = is_culled.then_some(Verdict::Culled);
                let step = box_ray.child(slot, child.0, node.boxes[slot], unseen);
                self.observer.see(step);
            }
        }
    }
}

/// What the stack takes of a box's answer.
fn behind(last: u32, data: [u32; 4]) -> Vec<u32> {
    let first = match data.iter().position(|&node| node == last) {
        _ if last == INVALID => 0,
        Some(position) => position + 1,
        None => 4,
    };
    data[first..].iter().copied().filter(|&node| node != INVALID).collect()
}

/// The pointer to a structure; the check proved its address: a multiple of 64 below 2^48.
fn base_pointer(structure: &Structure, flags: PointerFlags) -> BasePointer {
    let flags = if structure.has_flags() { flags } else { PointerFlags::empty() };
    BasePointer(structure.base >> 3).with_flags(flags)
}
