//! The walk of a beam over a tracer's world, eight boxes at a time, nearest first.

use super::bounds::BeamBounds;
use super::boxes::{Planes, box_at};
use super::visit::Visit;
use crate::kernel::Kernel;
use crate::source::{LevelId, TraversalSource};
use crate::world::{Pointer, Target, World};
use geometry::{Aabb, Beam};
use machine::beam::BeamSpace;
use machine::{
    BeamQuery, ChildTest, Counters, Found, Hit, LeafRule, Observer, PrimitiveTest, Step, Unwatched,
    Verdict,
};
use std::ops::ControlFlow;
use tree::PrimitiveId;
use tree::primitives::Primitive;

/// What answers a tracer's beam queries, with the vector instructions of this processor. Made by
/// [`crate::Tracer::beams`]. Its answers are those of [`machine::Oracle`], bit for bit.
#[derive(Debug, Clone, Copy)]
pub struct Beams<'a> {
    pub(crate) world: &'a World,
    pub(crate) beam_bounds: &'a BeamBounds,
    pub(crate) kernel: Kernel,
}

impl Beams<'_> {
    /// The same machine with a kernel of one's choice.
    #[must_use]
    pub fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }
}

impl Beams<'_> {
    /// Answers a query into `hits`, which is cleared first, and adds what it did to `counters`.
    pub fn answer(&self, query: &BeamQuery, hits: &mut Vec<Hit>, counters: &mut Counters) {
        self.watch(query, hits, counters, &mut Unwatched);
    }

    /// The same, and tells `observer` every step but the end.
    pub(crate) fn watch<O: Observer + ?Sized>(
        &self,
        query: &BeamQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
        observer: &mut O,
    ) {
        let mut found = Found::new(query.kind, query.shape.beam.tmax(), hits);
        let mut visitor = |hit: &Hit, observer: &mut O| match found.offer(*hit, observer) {
            ControlFlow::Continue(()) => Visit::Until(found.farthest()),
            ControlFlow::Break(()) => Visit::Stop,
        };
        self.walk(query, counters, &mut visitor, observer);
        found.finish();
    }

    /// Shows every primitive that the beam meets to `visitor`, at least once, in any order, and
    /// adds what it did to `counters`. After [`Visit::Until`] primitives with a later `t` may be
    /// left out; after [`Visit::Stop`] nothing more is shown.
    pub fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&Hit) -> Visit,
    ) {
        self.walk(query, counters, &mut |hit, _| visitor(hit), &mut Unwatched);
    }

    fn walk<O: Observer + ?Sized>(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&Hit, &mut O) -> Visit,
        observer: &mut O,
    ) {
        counters.queries += 1;
        let until = query.shape.beam.tmax();
        let stack = Vec::with_capacity(self.world.stack_size);
        let mut walk = Walk { beams: self, query, counters, visitor, until, stack, observer };
        let _stopped = match &self.world.tlas {
            Some(tlas) => {
                walk.level(tlas.level.root, &self.beam_bounds.tlas, Some(&query.shape.beam), None)
            }
            None => (0..self.world.blases.len()).try_for_each(|number| {
                let space = BeamSpace::world(query);
                space.map_or(ControlFlow::Continue(()), |space| walk.blas(number, &space))
            }),
        };
    }
}

/// One query under way.
struct Walk<'a, O: ?Sized> {
    beams: &'a Beams<'a>,
    query: &'a BeamQuery,
    counters: &'a mut Counters,
    visitor: &'a mut dyn FnMut(&Hit, &mut O) -> Visit,
    /// Later contacts are of no interest.
    until: f32,
    /// Where to go, and from when on; the nearest last.
    stack: Vec<(f32, Pointer)>,
    observer: &'a mut O,
}

/// A BLAS as a beam sees it.
#[derive(Clone, Copy)]
struct Below<'a> {
    number: usize,
    space: &'a BeamSpace,
}

impl<O: Observer + ?Sized> Walk<'_, O> {
    fn blas(&mut self, number: usize, space: &BeamSpace) -> ControlFlow<()> {
        let Beams { world, beam_bounds, .. } = *self.beams;
        let below = Below { number, space };
        let root = world.blases[number].root;
        self.level(root, &beam_bounds.blases[number], space.beam.as_ref(), Some(below))
    }

    /// Walks a level; a beam that cannot be told from all of space (`None`) meets all of it.
    fn level(
        &mut self,
        root: Pointer,
        bounds: &Aabb,
        beam: Option<&Beam>,
        below: Option<Below<'_>>,
    ) -> ControlFlow<()> {
        if bounds.is_empty() {
            return ControlFlow::Continue(());
        }
        let entered = match beam {
            Some(beam) => beam.overlap(bounds).map(|overlap| beam.t_lower(&overlap)),
            None => Some(self.query.shape.beam.tmin()),
        };
        let bottom = self.stack.len();
        self.tested(0, root, || *bounds, entered);
        self.stack.extend(entered.map(|t| (t, root)));
        self.pushed(bottom);
        while self.stack.len() > bottom {
            let Some((t, pointer)) = self.stack.pop() else { break };
            let (name, depth) = (u64::from(pointer.0), self.stack.len() as u32);
            self.see(|| Step::Pop { pointer: Some(name), depth });
            if t > self.until {
                let reason = "its box begins behind the best hit";
                self.see(|| Step::Skip { pointer: name, reason });
                continue;
            }
            match pointer.target() {
                Target::Node => self.node(pointer, t, beam, below),
                Target::Leaf | Target::Boxes(_) => self.leaf(pointer, below)?,
                Target::Instance(number) => self.instance(number, pointer)?,
                Target::Leave | Target::Done => (),
            }
        }
        ControlFlow::Continue(())
    }

    /// Puts the children of a node that the beam meets onto the stack.
    fn node(&mut self, pointer: Pointer, t: f32, beam: Option<&Beam>, below: Option<Below<'_>>) {
        let Beams { world, beam_bounds, kernel } = *self.beams;
        let node = world.arena.node(pointer);
        self.counters.nodes += 1;
        self.counters.box_tests += node.slots().count() as u64;
        self.counters.bytes += size_of_val(node) as u64;
        self.entered(pointer, "box");
        let start = self.stack.len();
        let Some(beam) = beam else {
            for slot in node.slots() {
                self.tested(slot, node.children[slot], || node.bounds(slot), Some(t));
                self.stack.push((t, node.children[slot]));
            }
            return self.pushed(start);
        };
        let is_exact = below.is_some_and(|below| below.space.leaf == LeafRule::Exact);
        let planes: &Planes<8> =
            if is_exact { &node.planes } else { beam_bounds.whole(world, pointer) };
        let overlaps = kernel.node(beam, planes);
        for slot in node.slots() {
            let (child, overlap) = (node.children[slot], &overlaps[slot]);
            let t = overlap.is_hit().then(|| beam.t_lower(overlap));
            self.tested(slot, child, || box_at(planes, slot), t);
            self.stack.extend(t.map(|t| (t, child)));
        }
        self.stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
        self.pushed(start);
    }

    fn instance(&mut self, number: usize, pointer: Pointer) -> ControlFlow<()> {
        let Beams { world, beam_bounds, .. } = *self.beams;
        let Some(tlas) = &world.tlas else { return ControlFlow::Continue(()) };
        let instance = &tlas.instances[number];
        let bounds = &beam_bounds.placed[number];
        let Some(space) = BeamSpace::placed(self.query, instance, bounds, number as u32) else {
            let reason = "its mask hides it, or the beam misses it";
            self.see(|| Step::Skip { pointer: pointer.0.into(), reason });
            return ControlFlow::Continue(());
        };
        self.counters.instances += 1;
        self.entered(pointer, "instance");
        self.see(|| Step::Instance {
            instance: number as u32,
            pointer: pointer.0.into(),
            address: None,
            world_to_object: instance.world_to_object,
            ray: None,
        });
        self.blas(instance.blas as usize, &space)?;
        self.see(|| Step::Leave);
        ControlFlow::Continue(())
    }

    fn leaf(&mut self, leaf: Pointer, below: Option<Below<'_>>) -> ControlFlow<()> {
        let Some(Below { number, space }) = below else { return ControlFlow::Continue(()) };
        self.counters.leaves += 1;
        self.entered(leaf, "leaf");
        let world = self.beams.world;
        world.primitives(LevelId::Blas(number), leaf, |primitive, id, leaf| {
            self.primitive(space, primitive, id, leaf)
        })
    }

    fn primitive(
        &mut self,
        space: &BeamSpace,
        primitive: Primitive<'_>,
        id: PrimitiveId,
        leaf: Pointer,
    ) -> ControlFlow<()> {
        match space.leaf {
            LeafRule::Conservative => self.counters.box_tests += 1,
            LeafRule::Exact => self.counters.triangle_tests += 1,
        }
        let hit = space.hit(primitive, id);
        self.see(|| {
            let (pointer, t) = (leaf.0.into(), hit.map(|hit| hit.t));
            let (PrimitiveId { geometry, primitive, .. }, instance) = (id, space.instance);
            Step::Primitive(PrimitiveTest { pointer, instance, geometry, primitive, t })
        });
        match hit.map(|hit| (self.visitor)(&hit, self.observer)) {
            None | Some(Visit::Continue) => {}
            Some(Visit::Until(t)) => self.until = self.until.min(t),
            Some(Visit::Stop) => return ControlFlow::Break(()),
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

    /// What is behind a pointer is read.
    #[inline]
    fn entered(&mut self, pointer: Pointer, kind: &'static str) {
        self.see(|| Step::Node { pointer: pointer.0.into(), address: None, kind });
    }

    /// A child was tested; the beam meets its box from `t` on.
    #[inline]
    fn tested(
        &mut self,
        slot: usize,
        child: Pointer,
        bounds: impl FnOnce() -> Aabb,
        t: Option<f32>,
    ) {
        self.see(|| {
            let (slot, pointer, bounds) = (slot as u8, child.0.into(), bounds());
            let verdict = if t.is_some() { Verdict::Visit } else { Verdict::Miss };
            let interval = t.map(|t| [t, f32::INFINITY]);
            Step::Child(ChildTest { slot, pointer, bounds, frame: None, interval, verdict })
        });
    }

    /// Entries from `start` on were laid on the stack.
    #[inline]
    fn pushed(&mut self, start: usize) {
        if self.observer.is_watching() {
            for (place, &(_, pointer)) in self.stack.iter().enumerate().skip(start) {
                let (pointer, depth) = (pointer.0.into(), place as u32 + 1);
                self.observer.see(Step::Push { pointer, depth });
            }
        }
    }
}
