//! The walk of a beam over a tracer's world, eight boxes at a time, nearest first.

use super::bounds::BeamBounds;
use super::boxes::Planes;
use super::kernel::BeamKernel;
use super::visit::Visit;
use crate::world::{Pointer, Target, World};
use geometry::{Aabb, Beam};
use machine::beam::BeamSpace;
use machine::{BeamQuery, Counters, Found, Hit, LeafRule, Unwatched};
use std::ops::ControlFlow;
use tree::PrimitiveId;
use tree::primitives::Primitive;

/// What answers a tracer's beam queries, with the vector instructions of this processor. Made by
/// [`crate::Tracer::beams`]. Its answers are those of [`machine::Oracle`], bit for bit.
#[derive(Debug, Clone, Copy)]
pub struct Beams<'a> {
    pub(crate) world: &'a World,
    pub(crate) beam_bounds: &'a BeamBounds,
    pub(crate) kernel: BeamKernel,
}

impl Beams<'_> {
    /// The same machine with a kernel of one's choice.
    #[must_use]
    pub fn with_kernel(self, kernel: BeamKernel) -> Self {
        Self { kernel, ..self }
    }
}

impl Beams<'_> {
    /// Answers a query into `hits`, which is cleared first, and adds what it did to `counters`.
    pub fn answer(&self, query: &BeamQuery, hits: &mut Vec<Hit>, counters: &mut Counters) {
        let mut found = Found::new(query.kind, query.shape.beam.tmax(), hits);
        self.visit(query, counters, &mut |hit| match found.offer(*hit, &mut Unwatched) {
            ControlFlow::Continue(()) => Visit::Until(found.farthest()),
            ControlFlow::Break(()) => Visit::Stop,
        });
        found.finish();
    }

    /// Shows every primitive that the beam meets to `visitor`, at least once, in any order, and adds
    /// what it did to `counters`. After [`Visit::Until`] primitives with a later `t` may be left out;
    /// after [`Visit::Stop`] nothing more is shown.
    pub fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&Hit) -> Visit,
    ) {
        counters.queries += 1;
        let until = query.shape.beam.tmax();
        let stack = Vec::with_capacity(self.world.stack_size);
        let mut walk = Walk { beams: self, query, counters, visitor, until, stack };
        let _stopped = match &self.world.top {
            Some(top) => {
                walk.level(top.level.root, &self.beam_bounds.top, Some(&query.shape.beam), None)
            }
            None => (0..self.world.blases.len()).try_for_each(|number| {
                let space = BeamSpace::world(query);
                space.map_or(ControlFlow::Continue(()), |space| walk.blas(number, &space))
            }),
        };
    }
}

/// One query under way.
struct Walk<'a> {
    beams: &'a Beams<'a>,
    query: &'a BeamQuery,
    counters: &'a mut Counters,
    visitor: &'a mut dyn FnMut(&Hit) -> Visit,
    /// Later contacts are of no interest.
    until: f32,
    /// Where to go, and from when on; the nearest last.
    stack: Vec<(f32, Pointer)>,
}

/// A BLAS as a beam sees it.
#[derive(Clone, Copy)]
struct Below<'a> {
    number: usize,
    space: &'a BeamSpace,
}

impl Walk<'_> {
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
        self.counters.box_tests += 1;
        let entered = match beam {
            Some(beam) => beam.overlap(bounds).map(|overlap| beam.t_lower(&overlap)),
            None => Some(self.query.shape.beam.tmin()),
        };
        let bottom = self.stack.len();
        self.stack.extend(entered.map(|t| (t, root)));
        while self.stack.len() > bottom {
            let Some((t, pointer)) = self.stack.pop() else { break };
            if t > self.until {
                continue;
            }
            match pointer.target() {
                Target::Node => self.node(pointer, t, beam, below),
                Target::Leaf => self.triangles(pointer, below)?,
                Target::Boxes(list) => self.boxes(list, below)?,
                Target::Instance(number) => self.instance(number)?,
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
        let Some(beam) = beam else {
            self.stack.extend(node.slots().map(|slot| (t, node.children[slot])));
            return;
        };
        let is_exact = below.is_some_and(|below| below.space.leaf == LeafRule::Exact);
        let planes: &Planes<8> =
            if is_exact { &node.planes } else { beam_bounds.whole(world, pointer) };
        let overlaps = kernel.node(beam, planes);
        let start = self.stack.len();
        for slot in node.slots().filter(|&slot| overlaps[slot].is_hit()) {
            self.stack.push((beam.t_lower(&overlaps[slot]), node.children[slot]));
        }
        self.stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    fn instance(&mut self, number: usize) -> ControlFlow<()> {
        let Beams { world, beam_bounds, .. } = *self.beams;
        let Some(top) = &world.top else { return ControlFlow::Continue(()) };
        let instance = &top.instances[number];
        let bounds = &beam_bounds.placed[number];
        let Some(space) = BeamSpace::placed(self.query, instance, bounds, number as u32) else {
            return ControlFlow::Continue(());
        };
        self.counters.instances += 1;
        self.blas(instance.blas as usize, &space)
    }

    fn triangles(&mut self, leaf: Pointer, below: Option<Below<'_>>) -> ControlFlow<()> {
        let Some(Below { number, space }) = below else { return ControlFlow::Continue(()) };
        let world = self.beams.world;
        self.counters.leaves += 1;
        (0..leaf.triangles()).try_for_each(|column| {
            let (triangle, name) = world.arena.triangle(leaf, column);
            self.primitive(
                space,
                Primitive::Triangle(&triangle),
                world.primitive_ids[number].id(name),
            )
        })
    }

    fn boxes(&mut self, list: usize, below: Option<Below<'_>>) -> ControlFlow<()> {
        let Some(Below { space, .. }) = below else { return ControlFlow::Continue(()) };
        let boxes = self.beams.world.box_list(list);
        self.counters.leaves += 1;
        boxes.iter().try_for_each(|(b, id)| self.primitive(space, Primitive::Box(b), *id))
    }

    fn primitive(
        &mut self,
        space: &BeamSpace,
        primitive: Primitive<'_>,
        id: PrimitiveId,
    ) -> ControlFlow<()> {
        match space.leaf {
            LeafRule::Conservative => self.counters.box_tests += 1,
            LeafRule::Exact => self.counters.triangle_tests += 1,
        }
        let Some(hit) = space.hit(primitive, id) else { return ControlFlow::Continue(()) };
        match (self.visitor)(&hit) {
            Visit::Continue => {}
            Visit::Until(t) => self.until = self.until.min(t),
            Visit::Stop => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }
}
