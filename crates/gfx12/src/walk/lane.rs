//! One lane of a wave: the registers that both loops keep, and the two instructions that they
//! execute.

use super::options::WalkBack;
use super::shown::show_stack;
use super::walk_image::WalkImage;
use crate::decode::primitives::{Stored, stored};
use crate::instruction::primitive_test::navigation;
use crate::instruction::{
    Answer, Bvh8Operands, RayRegisters, TriangleArithmetic, image_bvh8_intersect_ray,
};
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::{
    BasePointer, BoxNode, InstanceNode, NODE_BYTES, Naming, NodeBits, NodePointer, PointerFlags,
    Resource,
};
use crate::stack::{ENTRY_STRIDE, StackAddress, StackMode, push8_pop1};
use crate::survey::Memory;
use bvh4::walk::Found;
use geometry::{InstanceFlags, Ray, Vec3};
use machine::primitive_test::MergedFlags;
use machine::{
    BudgetExhausted, Counters, Hit, HitKind, MachineError, Observer, PrimitiveTest, RayQuery, Step,
    StepBudget,
};
use std::ops::ControlFlow;
use tree::primitives::Primitive;

/// The state of one ray.
pub(super) struct Lane<'a, O: ?Sized> {
    pub(super) image: &'a WalkImage,
    pub(super) memory: Memory<'a>,
    pub(super) query: &'a RayQuery,
    pub(super) resource: Resource,
    world_bases: [BasePointer; 2],
    pub(super) space: Space,
    lds: [u32; 31 * ENTRY_STRIDE],
    stack: u32,
    budget: StepBudget,
    pub(super) counters: &'a mut Counters,
    pub(super) observer: &'a mut O,
}

/// Where the ray is: its registers, and what they belong to.
#[derive(Clone, Copy)]
pub(super) struct Space {
    pub(super) origin: Vec3,
    pub(super) direction: Vec3,
    /// The base pointers for boxes and for everything else.
    bases: [BasePointer; 2],
    flags: MergedFlags,
    instance: Option<Inside>,
}

/// The instance that a ray is in.
#[derive(Clone, Copy)]
pub(super) struct Inside {
    pub(super) node: NodePointer,
    number: u32,
    /// The nodes of its structure that the unit told the ray to enter, nearest first.
    pub(super) entries: [NodePointer; 4],
}

impl Inside {
    /// Whether there is more than one node to enter.
    pub(super) fn has_several(&self) -> bool {
        self.entries[1] != NodePointer::INVALID
    }

    /// The entries as data of the stack instruction.
    pub(super) fn data(&self) -> [u32; 8] {
        std::array::from_fn(|k| self.entries.get(k).map_or(NodePointer::INVALID.0, |node| node.0))
    }
}

/// What a pair has for a ray.
#[derive(Clone, Copy)]
pub(super) struct PairVisit {
    pub(super) nearer: Option<Hit>,
    pub(super) farther: Option<Hit>,
    /// Where its range goes on, as the instruction says it.
    pub(super) navigation: u32,
}

impl<'a, O: Observer + ?Sized> Lane<'a, O> {
    /// A lane at the root; `flags` go with its base pointer.
    pub(super) fn new(
        image: &'a WalkImage,
        query: &'a RayQuery,
        flags: PointerFlags,
        counters: &'a mut Counters,
        observer: &'a mut O,
    ) -> Self {
        let world_bases = image.world_bases(flags);
        Self {
            image,
            memory: image.memory(),
            query,
            resource: image.resource(query.kind == HitKind::Any),
            world_bases,
            space: world(query, world_bases),
            lds: [0; 31 * ENTRY_STRIDE],
            stack: 0,
            budget: StepBudget::new(image.step_limit),
            counters,
            observer,
        }
    }

    /// `image_bvh8_intersect_ray` on a box or an instance. The ray registers stay as they are.
    pub(super) fn intersect(
        &mut self,
        node: NodePointer,
        extent: f32,
    ) -> Result<Answer, MachineError> {
        self.budget.step()?;
        let bits = self.node(node)?;
        self.counters.bytes += NODE_BYTES;
        if node.is_box() {
            self.counters.nodes += 1;
            self.counters.box_tests += u64::from(BoxNode::child_count.get(&bits) + 1);
        } else {
            self.counters.leaves += 1;
        }
        let mut answer = self.execute(node, extent);
        if node.is_instance() && self.image.structure.is_hiprt() {
            // HIPRT's software tests the mask, and the hardware none.
            let mask = self.image.structure.mask_of(&InstanceNode::decode(&bits));
            if mask & self.query.mask == 0 {
                answer.vdst[7] = NodePointer::INVALID.0;
            }
        }
        if self.observer.is_watching() {
            self.show_step(node, &bits, extent, &answer);
        }
        Ok(answer)
    }

    fn execute(&self, node: NodePointer, extent: f32) -> Answer {
        let Space { origin, direction, .. } = self.space;
        let ray = RayRegisters { origin, direction, extent, mask: self.query.mask };
        let operands =
            Bvh8Operands { resource: self.resource, base: self.base_of(node), ray, node };
        image_bvh8_intersect_ray(&self.memory, &operands, TriangleArithmetic::default())
    }

    /// The children that a box reports. Each is named once: a step that walks back takes the last
    /// of two for the one that was left, and would not see what stands between them.
    pub(super) fn children(&self, answer: &Answer) -> [u32; 8] {
        let mut children: [u32; 8] = std::array::from_fn(|k| answer.vdst[k]);
        if self.image.has_repeats {
            for k in 1..8 {
                if children[..k].contains(&children[k]) {
                    children[k] = NodePointer::INVALID.0;
                }
            }
        }
        children
    }

    /// Whether the walk must begin again now that entries were lost: nodes on the way up were
    /// tested with extents that no longer hold.
    pub(super) fn must_restart(&self, found: &Found<'_>) -> bool {
        self.image.options.walk_back == WalkBack::Restarting && found.has_shrunk()
    }

    /// Goes back to the root's structure with an empty stack.
    pub(super) fn restart(&mut self) -> NodePointer {
        if self.observer.is_watching() {
            let reason = "entries were lost, and the extent has changed since the walk began";
            self.observer.see(Step::Restart { reason });
        }
        self.leave();
        self.stack = 0;
        self.image.structure.root
    }

    /// `ds_bvh_stack_push8_pop1_rtn_b32`.
    pub(super) fn push_pop(
        &mut self,
        last: NodePointer,
        data: [u32; 8],
        range_mode: bool,
    ) -> NodePointer {
        let mode = StackMode { size: self.image.options.stack_size, range_mode };
        let before = self.stack;
        let next = push8_pop1(&mut self.lds, &mut self.stack, last, data, mode);
        if self.observer.is_watching() {
            let registers = [before, self.stack];
            show_stack(&mut *self.observer, registers, (last, &data, range_mode), &[next.0]);
        }
        next
    }

    /// Whether the last pop returned to the TLAS.
    pub(super) fn popped_to_top(&self) -> bool {
        StackAddress::from_register(self.stack).blas_to_tlas_pop
    }

    /// Goes into the structure below an instance, with what the unit said of its boxes.
    pub(super) fn enter(
        &mut self,
        instance: NodePointer,
        answer: &Answer,
    ) -> Result<Inside, MachineError> {
        let bits = self.node(instance)?;
        let flags = BasePointer::from_words(answer.vdst[2], answer.vdst[3]).flags();
        let node = InstanceNode::decode(&bits);
        let below = self.image.structure.below(&self.memory, &node);
        let number = self.image.instance_number(instance)?;
        let entries = entries(&node, below.naming(), answer.vdst[7]);
        let inside = Inside { node: instance, number, entries };
        self.space = Space {
            origin: answer.origin,
            direction: answer.direction,
            bases: [below.box_base, below.primitive_base]
                .map(|address| BasePointer(address >> 3).with_flags(flags)),
            flags: MergedFlags::new(self.query.flags, self.image.instance_flags(number, flags)),
            instance: Some(inside),
        };
        if self.observer.is_watching() {
            self.show_instance(instance, inside.number, &bits);
        }
        Ok(inside)
    }

    /// Goes back to the ray of the world.
    pub(super) fn leave(&mut self) {
        if self.observer.is_watching() && self.space.instance.is_some() {
            self.observer.see(Step::Leave);
        }
        self.space = world(self.query, self.world_bases);
    }

    /// The instance that the lane is in.
    pub(super) fn inside(&self) -> Option<Inside> {
        self.space.instance
    }

    /// The parent that a box or an instance node names.
    pub(super) fn parent(&self, node: NodePointer) -> Result<NodePointer, MachineError> {
        let dword = if node.is_instance() { 14 } else { 2 };
        Ok(NodePointer(self.node(node)?.word(dword)))
    }

    /// A step at a pair. Of the instruction's answer the loops use the navigation bits alone, since
    /// the law decides about hits; so nothing else of it is computed.
    pub(super) fn visit_pair(&mut self, node: NodePointer) -> Result<PairVisit, MachineError> {
        self.budget.step()?;
        let decoded = self.image.structure.primitive_node(&self.node(node)?);
        let pair = usize::from(node.pair());
        let navigation = navigation(&decoded.pair(pair), pair, decoded.pair_count());
        debug_assert_eq!(self.execute(node, f32::INFINITY).vdst[8] & 3, navigation);
        if self.observer.is_watching() {
            self.show_node(node, "primitive");
        }
        let hits = stored(&decoded, pair).map(|s| s.and_then(|s| self.hit(node, &s)));
        let [nearer, farther] = match hits {
            [Some(a), Some(b)] if b.total_cmp(&a).is_lt() => [Some(b), Some(a)],
            [None, b] => [b, None],
            hits => hits,
        };
        Ok(PairVisit { nearer, farther, navigation })
    }

    /// One more visit of a pair, for what the first has left.
    pub(super) fn visit_pair_again(&mut self) -> Result<(), BudgetExhausted> {
        self.budget.step()
    }

    fn hit(&mut self, node: NodePointer, stored: &Stored) -> Option<Hit> {
        let Space { origin, direction, bases, flags, instance } = self.space;
        let (primitive, id, skip) = match stored {
            Stored::Triangle(triangle, id) => {
                self.counters.triangle_tests += 1;
                (Primitive::Triangle(triangle), *id, PointerFlags::SKIP_TRIANGLES)
            }
            Stored::Box(bounds, id) => {
                self.counters.procedural_tests += 1;
                (Primitive::Box(bounds), *id, PointerFlags::SKIP_PROCEDURAL)
            }
        };
        // An instance node may show one kind of what its structure holds.
        if bases[1].flags().contains(skip) {
            return None;
        }
        let ray = Ray { origin, direction, ..self.query.shape };
        let number = instance.map_or(0, |inside| inside.number);
        let hit = flags.hit(self.image.options.rule, &ray, primitive, id, number);
        if self.observer.is_watching() {
            self.observer.see(Step::Primitive(PrimitiveTest {
                pointer: node.0.into(),
                instance: number,
                geometry: id.geometry,
                primitive: id.primitive,
                t: hit.map(|hit| hit.t),
            }));
        }
        hit
    }

    /// Counts a primitive node of a leaf that is read.
    pub(super) fn count_primitive_node(&mut self, is_first: bool) {
        self.counters.bytes += NODE_BYTES;
        self.counters.leaves += u64::from(is_first);
    }

    /// Offers a hit to what has been found so far.
    pub(super) fn offer(&mut self, found: &mut Found<'_>, hit: Hit) -> ControlFlow<()> {
        found.offer(hit, &mut *self.observer)
    }

    pub(super) fn base_of(&self, node: NodePointer) -> BasePointer {
        self.space.bases[usize::from(!node.is_box())]
    }

    /// Where a node lies.
    pub(super) fn address_of(&self, node: NodePointer) -> u64 {
        self.base_of(node).address().wrapping_add(node.byte_offset()) & ADDRESS_MASK
    }

    fn node(&self, node: NodePointer) -> Result<NodeBits, MachineError> {
        let address = self.address_of(node);
        self.memory.node(address).ok_or_else(|| self.image.leads_nowhere(node, address))
    }
}

/// The nodes that four returned bytes name, each once, in their order.
fn entries(node: &InstanceNode, naming: Naming, bytes: u32) -> [NodePointer; 4] {
    let mut entries = [NodePointer::INVALID; 4];
    let mut count = 0;
    for byte in bytes.to_le_bytes().into_iter().filter(|&byte| byte != 0xFF) {
        let pointer = node.named_by(byte, naming);
        if !entries[..count].contains(&pointer) {
            entries[count] = pointer;
            count += 1;
        }
    }
    entries
}

fn world(query: &RayQuery, bases: [BasePointer; 2]) -> Space {
    Space {
        origin: query.shape.origin,
        direction: query.shape.direction,
        bases,
        flags: MergedFlags::new(query.flags, InstanceFlags::empty()),
        instance: None,
    }
}
