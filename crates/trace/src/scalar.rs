//! The scalar walk: the plain version of what the kernels do, for any ray, any source and any
//! processor.
//!
//! It is the reference machine's walk: the reference slab test of each child, nearest child first,
//! ranges widened by `4 eps` at both ends. All children of an oriented node are visited: their
//! boxes lie in another frame, whose rounding the reference test does not cover. Kernels hand it
//! the rays that are out of the ordinary.
//!
//! What happens has one place each: a level is entered in `level`, a node in `node`, its children
//! are tested in `child`, primitives in `primitive`, and instances are entered in `instance`.

use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::source::{Child, LevelId, LinkTarget, TraversalSource};
use geometry::{InstanceFlags, Ray, SlabRay, slab};
use machine::Counters;
use machine::primitive_test::MergedFlags;
use std::ops::ControlFlow;
use tree::PrimitiveId;
use tree::primitives::Primitive;

/// Answers one ray.
pub(crate) fn answer<K: Kind, S: TraversalSource>(
    source: &S,
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
    // `tmin`, lowered by `4 eps`.
    let nearest = (ray.tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0);
    let farthest = slab::widen(ray.tmax);
    let mut walk = Walk::<K, S> { source, ask, position, ray, answer, counters, nearest, farthest };
    let _ = match source.top() {
        None => {
            let flags = MergedFlags::new(ask.flags, InstanceFlags::empty());
            walk.blas(0, &Space { ray: *ray, instance: 0, flags })
        }
        Some(_) => walk.tlas(),
    };
    K::finish(answer);
}

/// One ray under way.
struct Walk<'a, K: Kind, S> {
    source: &'a S,
    ask: &'a Ask<'a>,
    position: usize,
    ray: &'a Ray,
    answer: &'a mut K::Answer,
    counters: &'a mut Counters,
    /// The start of the range in which a box matters.
    nearest: f32,
    /// The end of it.
    farthest: f32,
}

/// What a ray has still to visit: where it enters it, and the link there. The nearest is last.
type Stack<L> = Vec<(f32, L)>;

impl<K: Kind, S: TraversalSource> Walk<'_, K, S> {
    fn tlas(&mut self) -> ControlFlow<()> {
        let Some(top) = self.source.top() else { return ControlFlow::Continue(()) };
        let reach = slab::reach(self.ray.origin, &top.level.bounds);
        let dilation = top.dilation.dilation(self.ray.origin, reach);
        self.level(LevelId::Tlas, &SlabRay::dilated(self.ray, dilation), None)
    }

    fn blas(&mut self, number: usize, space: &Space) -> ControlFlow<()> {
        let level = LevelId::Blas(number);
        let Some((_, bounds)) = self.source.root(level) else {
            return ControlFlow::Continue(());
        };
        let slabs = SlabRay::new(&space.ray, slab::reach(space.ray.origin, &bounds));
        self.level(level, &slabs, Some(space))
    }

    /// Walks a level, of primitives if the ray has a `space` there.
    fn level(&mut self, level: LevelId, slabs: &SlabRay, space: Option<&Space>) -> ControlFlow<()> {
        let Some((root, bounds)) = self.source.root(level) else {
            return ControlFlow::Continue(());
        };
        let mut stack = Stack::with_capacity(64);
        self.counters.box_tests += 1;
        if let Some(interval) = slabs.interval(&bounds, self.nearest, self.farthest) {
            stack.push((interval.enter, root));
        }
        while let Some((enter, link)) = stack.pop() {
            if enter > self.farthest {
                continue;
            }
            match (self.source.target(link), space) {
                (LinkTarget::Node, _) => self.node(level, link, enter, slabs, &mut stack),
                (LinkTarget::Leaf, Some(space)) => self.leaf(level, link, space)?,
                (LinkTarget::Instance(number), None) => self.instance(number)?,
                (LinkTarget::Leaf | LinkTarget::Instance(_) | LinkTarget::Nothing, _) => (),
            }
        }
        ControlFlow::Continue(())
    }

    /// Enters a node: puts the children that the ray reaches onto the stack, the nearest last.
    fn node(
        &mut self,
        level: LevelId,
        node: S::Link,
        enter: f32,
        slabs: &SlabRay,
        stack: &mut Stack<S::Link>,
    ) {
        self.counters.nodes += 1;
        let (source, start) = (self.source, stack.len());
        source.children(level, node, |child| {
            stack.extend(self.child(&child, enter, slabs).map(|enter| (enter, child.link)));
        });
        stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    /// Tests a child of a node: where the ray enters it, if it does.
    fn child(&mut self, child: &Child<S::Link>, parent: f32, slabs: &SlabRay) -> Option<f32> {
        self.counters.box_tests += 1;
        if child.is_oriented {
            return Some(parent);
        }
        let interval = slabs.interval(&child.bounds, self.nearest, self.farthest)?;
        Some(interval.enter)
    }

    /// Enters an instance, unless the ray does not see it.
    fn instance(&mut self, number: usize) -> ControlFlow<()> {
        let Some(top) = self.source.top() else { return ControlFlow::Continue(()) };
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
        self.blas(instance.blas as usize, &space)
    }

    /// Tests the primitives of a leaf.
    fn leaf(&mut self, level: LevelId, leaf: S::Link, space: &Space) -> ControlFlow<()> {
        self.counters.leaves += 1;
        let source = self.source;
        source.primitives(level, leaf, |primitive, id| self.primitive(space, primitive, id))
    }

    /// Tests a primitive, and takes the hit into account if there is one.
    fn primitive(
        &mut self,
        space: &Space,
        primitive: Primitive<'_>,
        id: PrimitiveId,
    ) -> ControlFlow<()> {
        match primitive {
            Primitive::Triangle(_) => self.counters.triangle_tests += 1,
            Primitive::Box(_) => self.counters.procedural_tests += 1,
        }
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
}
