//! The scalar walk: the plain version of what the kernels do, for any ray, any source and any
//! processor.
//!
//! It is the reference machine's walk: the reference slab test of each child, nearest child first,
//! ranges widened by `4 eps` at both ends; at an oriented node with the ray turned
//! ([`crate::oriented`]). Kernels hand it the rays that are out of the ordinary, and it is the walk
//! that observers of a tracer see.
//!
//! What happens has one place each: a level is entered in `level`, a node in `node`, its children
//! are tested in `child`, primitives in `primitive`, and instances are entered in `instance`.

use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::oriented;
use crate::source::{Child, LevelId, LinkTarget, TraversalSource};
use geometry::{Aabb, InstanceFlags, Interval, Ray, SlabRay, slab};
use machine::primitive_test::MergedFlags;
use machine::{ChildTest, Counters, Observer, PrimitiveTest, Step, Unwatched, Verdict};
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
    watch::<K, S, _>(source, ask, position, ray, answer, counters, &mut Unwatched);
}

/// Answers one ray and tells `observer` every step but the end.
pub(crate) fn watch<K: Kind, S: TraversalSource, O: Observer + ?Sized>(
    source: &S,
    ask: &Ask<'_>,
    position: usize,
    ray: &Ray,
    answer: &mut K::Answer,
    counters: &mut Counters,
    observer: &mut O,
) {
    counters.queries += 1;
    *answer = K::miss();
    if ask.mask == 0 || !ray.is_traceable() {
        return;
    }
    // `tmin`, lowered by `4 eps`.
    let nearest = (ray.tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0);
    let farthest = slab::widen(ray.tmax);
    let mut walk = Walk::<K, S, O> {
        source,
        ask,
        position,
        ray,
        answer,
        counters,
        nearest,
        farthest,
        observer,
    };
    let _ = match source.tlas() {
        None => {
            let flags = MergedFlags::new(ask.flags, InstanceFlags::empty());
            walk.blas(0, &Space { ray: *ray, instance: 0, flags })
        }
        Some(_) => walk.tlas(),
    };
    K::finish(answer);
}

/// One ray under way.
struct Walk<'a, K: Kind, S, O: ?Sized> {
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
    observer: &'a mut O,
}

/// A ray as a level sees it.
struct LevelRay {
    slabs: SlabRay,
    ray: Ray,
    /// By how much the level dilates it beyond what a box test needs.
    dilation: f32,
}

/// What a ray has still to visit: where it enters it, and the link there. The nearest is last.
type Stack<L> = Vec<(f32, L)>;

impl<K: Kind, S: TraversalSource, O: Observer + ?Sized> Walk<'_, K, S, O> {
    fn tlas(&mut self) -> ControlFlow<()> {
        let Some(tlas) = self.source.tlas() else { return ControlFlow::Continue(()) };
        let reach = slab::reach(self.ray.origin, &tlas.level.bounds);
        let dilation = tlas.dilation.dilation(self.ray.origin, reach);
        let slabs = SlabRay::dilated(self.ray, dilation);
        self.level(LevelId::Tlas, &LevelRay { slabs, ray: *self.ray, dilation }, None)
    }

    fn blas(&mut self, number: usize, space: &Space) -> ControlFlow<()> {
        let level = LevelId::Blas(number);
        let Some((_, bounds)) = self.source.root(level) else {
            return ControlFlow::Continue(());
        };
        let slabs = SlabRay::new(&space.ray, slab::reach(space.ray.origin, &bounds));
        self.level(level, &LevelRay { slabs, ray: space.ray, dilation: 0.0 }, Some(space))
    }

    /// Walks a level, of primitives if the ray has a `space` there.
    fn level(&mut self, level: LevelId, ray: &LevelRay, space: Option<&Space>) -> ControlFlow<()> {
        let Some((link, bounds)) = self.source.root(level) else {
            return ControlFlow::Continue(());
        };
        let mut stack = Stack::with_capacity(64);
        let root = Child { bounds, frame: None, slot: 0, link };
        let enter = self.child(&root, self.nearest, Some(&ray.slabs));
        stack.extend(enter.map(|enter| (enter, link)));
        self.pushed(&stack, 0);
        while let Some((enter, link)) = stack.pop() {
            let pointer = self.source.pointer(link);
            self.see(|| Step::Pop { pointer: Some(pointer), depth: stack.len() as u32 });
            if enter > self.farthest {
                let reason = "its box begins behind the best hit";
                self.see(|| Step::Skip { pointer, reason });
                continue;
            }
            match (self.source.target(link), space) {
                (LinkTarget::Node, _) => self.node((level, &bounds), link, enter, ray, &mut stack),
                (LinkTarget::Leaf, Some(space)) => self.leaf(level, link, space)?,
                (LinkTarget::Instance(number), None) => self.instance(number, link)?,
                (LinkTarget::Leaf | LinkTarget::Instance(_) | LinkTarget::Nothing, _) => (),
            }
        }
        ControlFlow::Continue(())
    }

    /// Enters a node: puts the children that the ray reaches onto the stack, the nearest last.
    fn node(
        &mut self,
        (level, bounds): (LevelId, &Aabb),
        node: S::Link,
        enter: f32,
        ray: &LevelRay,
        stack: &mut Stack<S::Link>,
    ) {
        self.counters.nodes += 1;
        self.counters.bytes += S::NODE_BYTES;
        self.entered(level, node, "box");
        let (source, start, rule) = (self.source, stack.len(), self.ask.rule);
        let mut turned = None;
        source.children(level, node, |child| {
            let slabs = match child.frame {
                None => Some(&ray.slabs),
                // All children of a node have one frame.
                Some(frame) => turned
                    .get_or_insert_with(|| {
                        oriented::slab_ray(rule, (&ray.ray, ray.dilation), bounds, frame)
                    })
                    .as_ref(),
            };
            self.counters.box_tests += 1;
            stack.extend(self.child(&child, enter, slabs).map(|enter| (enter, child.link)));
        });
        stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
        self.pushed(stack, start);
    }

    /// Tests a child of a node: where the ray enters it, if it does. Without a way to test it the
    /// child is visited.
    fn child(
        &mut self,
        child: &Child<S::Link>,
        parent: f32,
        slabs: Option<&SlabRay>,
    ) -> Option<f32> {
        let Some(slabs) = slabs else {
            self.tested(child, None, Verdict::Visit);
            return Some(parent);
        };
        let test = |farthest| slabs.interval(&child.bounds, self.nearest, farthest);
        let interval = test(self.farthest);
        if self.observer.is_watching() {
            let (interval, verdict) = match (interval, test(f32::INFINITY)) {
                (Some(_), _) => (interval, Verdict::Visit),
                (None, Some(behind)) => (Some(behind), Verdict::Behind),
                (None, None) => (None, Verdict::Miss),
            };
            self.tested(child, interval, verdict);
        }
        interval.map(|interval| interval.enter)
    }

    /// Enters an instance, unless the ray does not see it.
    fn instance(&mut self, number: usize, link: S::Link) -> ControlFlow<()> {
        let Some(tlas) = self.source.tlas() else { return ControlFlow::Continue(()) };
        let instance = &tlas.instances[number];
        let pointer = self.source.pointer(link);
        if instance.mask & self.ask.mask == 0 {
            self.see(|| Step::Skip { pointer, reason: "its mask hides it" });
            return ControlFlow::Continue(());
        }
        self.counters.instances += 1;
        let space = Space {
            ray: instance.world_to_object.ray(self.ray),
            instance: number as u32,
            flags: MergedFlags::new(self.ask.flags, instance.flags),
        };
        self.entered(LevelId::Tlas, link, "instance");
        let address = self.source.address(LevelId::Tlas, link);
        self.see(|| Step::Instance {
            instance: space.instance,
            pointer,
            address,
            world_to_object: instance.world_to_object,
            ray: Some(space.ray),
        });
        self.blas(instance.blas as usize, &space)?;
        self.see(|| Step::Leave);
        ControlFlow::Continue(())
    }

    /// Tests the primitives of a leaf.
    fn leaf(&mut self, level: LevelId, leaf: S::Link, space: &Space) -> ControlFlow<()> {
        self.counters.leaves += 1;
        self.counters.bytes += S::LEAF_BYTES[1];
        self.entered(level, leaf, "leaf");
        let source = self.source;
        source.primitives(level, leaf, |primitive, id, link| {
            self.primitive(space, primitive, id, link)
        })
    }

    /// Tests a primitive, and takes the hit into account if there is one.
    fn primitive(
        &mut self,
        space: &Space,
        primitive: Primitive<'_>,
        id: PrimitiveId,
        link: S::Link,
    ) -> ControlFlow<()> {
        match primitive {
            Primitive::Triangle(_) => self.counters.triangle_tests += 1,
            Primitive::Box(_) => self.counters.procedural_tests += 1,
        }
        self.counters.bytes += S::LEAF_BYTES[0];
        let hit = self.ask.hit(self.position, space, primitive, id);
        let pointer = self.source.pointer(link);
        self.see(|| {
            let (instance, t) = (space.instance, hit.map(|hit| hit.t));
            let PrimitiveId { geometry, primitive, .. } = id;
            Step::Primitive(PrimitiveTest { pointer, instance, geometry, primitive, t })
        });
        let Some(hit) = hit else { return ControlFlow::Continue(()) };
        let outcome = K::offer(self.answer, hit);
        // Where hits narrow the range, one that does not is not kept.
        let is_wanted = !K::NARROWS || outcome != Outcome::Continue;
        self.see(|| Step::offered(hit, is_wanted));
        match outcome {
            Outcome::Continue => (),
            Outcome::Narrow(t) => self.farthest = slab::widen(t),
            Outcome::Done => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Tells the observer of a step, if it watches.
    #[inline(always)]
    fn see(&mut self, step: impl FnOnce() -> Step) {
        if self.observer.is_watching() {
            self.observer.see(step());
        }
    }

    /// What is behind a link is read.
    #[inline]
    fn entered(&mut self, level: LevelId, link: S::Link, kind: &'static str) {
        let source = self.source;
        self.see(|| Step::Node {
            pointer: source.pointer(link),
            address: source.address(level, link),
            kind,
        });
    }

    /// A child was tested.
    #[inline]
    fn tested(&mut self, child: &Child<S::Link>, interval: Option<Interval>, verdict: Verdict) {
        let &Child { bounds, frame, slot, link } = child;
        let pointer = self.source.pointer(link);
        let interval = interval.map(|interval| [interval.enter, interval.exit]);
        let frame = frame.copied();
        self.see(|| Step::Child(ChildTest { slot, pointer, bounds, frame, interval, verdict }));
    }

    /// Entries from `start` on were laid on the stack.
    #[inline]
    fn pushed(&mut self, stack: &Stack<S::Link>, start: usize) {
        if self.observer.is_watching() {
            for (place, &(_, link)) in stack.iter().enumerate().skip(start) {
                let (pointer, depth) = (self.source.pointer(link), place as u32 + 1);
                self.observer.see(Step::Push { pointer, depth });
            }
        }
    }
}
