//! The scalar walk: the plain version of what the kernels do, for any ray and any processor.
//!
//! It is the reference machine's walk over the CPU's copy: the reference slab test of each child, nearest
//! child first, ranges widened by `4 eps` at both ends. Kernels hand it the rays that are out of
//! the ordinary.

use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::world::{Level, Node, Pointer, Target, World};
use geometry::{InstanceFlags, Ray, SlabRay, slab};
use machine::Counters;
use machine::primitive_test::MergedFlags;
use std::ops::ControlFlow;
use tree::primitives::Primitive;

/// Answers one ray.
pub(crate) fn answer<K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    position: usize,
    ray: &Ray,
    answer: &mut K::Answer,
    counters: &mut Counters,
) {
    counters.queries += 1;
    *answer = K::miss();
    if ask.mask == 0 || !ray.is_traceable() {
        return;
    }
    let mut walk =
        Walk::<K> { world, ask, position, answer, counters, farthest: slab::widen(ray.tmax), ray };
    let _ = match &world.top {
        None => {
            let flags = MergedFlags::new(ask.flags, InstanceFlags::empty());
            let space = Space { ray: *ray, instance: 0, flags };
            world
                .blases
                .first()
                .map_or(ControlFlow::Continue(()), |level| walk.blas(level, 0, &space))
        }
        Some(top) => {
            let reach = slab::reach(ray.origin, &top.level.bounds);
            let slabs = SlabRay::dilated(ray, top.dilation.dilation(ray.origin, reach));
            walk.level(&top.level, &slabs, None)
        }
    };
    K::finish(answer);
}

/// One ray under way.
struct Walk<'a, K: Kind> {
    world: &'a World,
    ask: &'a Ask<'a>,
    position: usize,
    answer: &'a mut K::Answer,
    counters: &'a mut Counters,
    /// The end of the range in which a box still matters.
    farthest: f32,
    ray: &'a Ray,
}

/// A BLAS as a ray sees it.
struct Below<'a> {
    blas: usize,
    space: &'a Space,
}

impl<K: Kind> Walk<'_, K> {
    fn blas(&mut self, level: &Level, blas: usize, space: &Space) -> ControlFlow<()> {
        let slabs = SlabRay::new(&space.ray, slab::reach(space.ray.origin, &level.bounds));
        self.level(level, &slabs, Some(&Below { blas, space }))
    }

    fn level(
        &mut self,
        level: &Level,
        slabs: &SlabRay,
        below: Option<&Below<'_>>,
    ) -> ControlFlow<()> {
        if level.root == Pointer::DONE {
            return ControlFlow::Continue(());
        }
        let mut stack: Vec<(f32, Pointer)> = Vec::with_capacity(64);
        self.counters.box_tests += 1;
        if let Some(interval) = slabs.interval(&level.bounds, self.nearest(), self.farthest) {
            stack.push((interval.enter, level.root));
        }
        while let Some((enter, pointer)) = stack.pop() {
            if enter > self.farthest {
                continue;
            }
            match pointer.target() {
                Target::Node => self.children(self.world.arena.node(pointer), slabs, &mut stack),
                Target::Leaf => self.triangles(pointer, below)?,
                Target::Boxes(list) => self.boxes(list, below)?,
                Target::Instance(number) => self.instance(number)?,
                Target::Leave | Target::Done => (),
            }
        }
        ControlFlow::Continue(())
    }

    /// Pushes the children that the ray reaches, the nearest last.
    fn children(&mut self, node: &Node, slabs: &SlabRay, stack: &mut Vec<(f32, Pointer)>) {
        self.counters.nodes += 1;
        let start = stack.len();
        for slot in node.slots() {
            self.counters.box_tests += 1;
            if let Some(interval) =
                slabs.interval(&node.bounds(slot), self.nearest(), self.farthest)
            {
                stack.push((interval.enter, node.children[slot]));
            }
        }
        stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    fn instance(&mut self, number: usize) -> ControlFlow<()> {
        let Some(top) = &self.world.top else { return ControlFlow::Continue(()) };
        let instance = &top.instances[number];
        if instance.mask & self.ask.mask == 0 {
            return ControlFlow::Continue(());
        }
        self.counters.instances += 1;
        let space = Space {
            ray: instance.world_to_object.ray(self.ray),
            instance: number as u32,
            flags: MergedFlags::new(self.ask.flags, instance.flags),
        };
        let blas = instance.blas as usize;
        let level = self.world.blases[blas];
        self.blas(&level, blas, &space)
    }

    fn triangles(&mut self, leaf: Pointer, below: Option<&Below<'_>>) -> ControlFlow<()> {
        let Some(Below { blas, space }) = below else { return ControlFlow::Continue(()) };
        self.counters.leaves += 1;
        for column in 0..leaf.triangles() {
            self.counters.triangle_tests += 1;
            let (triangle, name) = self.world.arena.triangle(leaf, column);
            let id = self.world.names[*blas].id(name);
            self.offer(space, Primitive::Triangle(&triangle), id)?;
        }
        ControlFlow::Continue(())
    }

    fn boxes(&mut self, list: usize, below: Option<&Below<'_>>) -> ControlFlow<()> {
        let Some(Below { space, .. }) = below else { return ControlFlow::Continue(()) };
        self.counters.leaves += 1;
        let world = self.world;
        for (bounds, id) in world.box_list(list) {
            self.counters.procedural_tests += 1;
            self.offer(space, Primitive::Box(bounds), *id)?;
        }
        ControlFlow::Continue(())
    }

    fn offer(
        &mut self,
        space: &Space,
        primitive: Primitive<'_>,
        id: tree::PrimitiveId,
    ) -> ControlFlow<()> {
        let Some(hit) = self.ask.hit(self.position, space, primitive, id) else {
            return ControlFlow::Continue(());
        };
        match K::offer(self.answer, hit) {
            Outcome::Continue => (),
            Outcome::Narrow(t) => self.farthest = slab::widen(t),
            Outcome::Done => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// The start of the range in which a box matters: `tmin`, lowered by `4 eps`.
    fn nearest(&self) -> f32 {
        (self.ray.tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0)
    }
}
