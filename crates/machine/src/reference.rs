//! The reference machine: the plain walk over a tree.
//!
//! A stack of nodes, nearest child first, boxes tested with the reference slab test, or, for beams,
//! with the beam's own. No format, no hardware; the semantics that every other machine is compared
//! with, and the one to read first.
//!
//! Culling is exact. A box is skipped when its interval does not meet the range from `tmin` to the
//! best hit so far, both ends moved outward by `4 eps`: a hit inside a box that contains its
//! triangle cannot be lost ([`geometry::hit`]), and one inside the boxes of a split triangle lies
//! within a few `u` of one of them ([`geometry::watertight`]). The beam's box test is monotone and
//! needs no widening.

use crate::beam::covering::{covering_boxes, cut_items};
use crate::beam::{BeamSpace, BeamWorld, BeamWorldError, enter};
use crate::instance_dilation::InstanceDilation;
use crate::primitive_test::InstanceView;
use crate::registry::{NodeNames, loses_nothing};
use crate::{
    Answer, BeamQuery, ChildTest, Counters, Fetches, FormatEntry, Found, Hit, LeafRule, Machine,
    MachineEntry, MachineError, MachineInput, Observer, PrimitiveTest, Query, RayQuery, Shape,
    Step, Unwatched, Verdict,
};
use geometry::{Aabb, Ray, SlabRay, TriangleRule, slab};
use std::ops::{ControlFlow, Deref};
use std::sync::{Arc, OnceLock};
use tree::primitives::Primitive;
use tree::{Blas, Bvh, PrimitiveId, Primitives, Tlas, Tree};

/// The name of the machine in options and reports.
pub const NAME: &str = "reference";

/// The machine, for the registry: it reads every format that decodes to a tree.
pub const MACHINES: &[MachineEntry] = &[MachineEntry {
    name: NAME,
    summary: "the plain walk over the decoded tree",
    reads: FormatEntry::holds_trees,
    format: crate::tree_format::NAME,
    settings: &[],
    takes_trees: true,
    nodes: NodeNames::Tree,
    stack_sizes: &[],
    has_capabilities: false,
    takes_beams: true,
    oracle: None,
    may_lose: loses_nothing,
    make: |input, options| {
        let tree = Arc::clone(input.tree());
        let fetches = match input {
            MachineInput::Tree(tree) => Fetches::of_tree(tree),
            MachineInput::Image(image) => image.fetches().unwrap_or_default(),
        };
        Ok(Box::new(Reference { fetches, ..Reference::new(tree, options.rule) }))
    },
}];

/// The reference machine over a tree, borrowed or shared.
#[derive(Debug, Clone)]
pub struct Reference<T> {
    tree: T,
    rule: TriangleRule,
    instance_dilation: InstanceDilation,
    /// What visits read; nothing if that is not known.
    fetches: Fetches,
    /// What beams need, found when the first is asked.
    beams: OnceLock<Result<Beams, BeamWorldError>>,
}

/// What beams need of a tree.
#[derive(Debug, Clone)]
struct Beams {
    world: BeamWorld,
    /// For each BLAS whose own boxes do not cover what splits have cut, boxes that do.
    covering: Vec<Option<Vec<Aabb>>>,
    /// The same for the TLAS, which may refer to an instance from several leaves.
    covering_tlas: Option<Vec<Aabb>>,
}

impl<T: Deref<Target = Tree>> Reference<T> {
    /// A machine over `tree` without a step limit: a [`Bvh`] is known to be a tree, so walks end.
    #[must_use]
    pub fn new(tree: T, rule: TriangleRule) -> Self {
        let instance_dilation = tree.tlas.as_ref().map(InstanceDilation::new).unwrap_or_default();
        Self { tree, rule, instance_dilation, fetches: Fetches::default(), beams: OnceLock::new() }
    }

    fn beams(&self) -> Result<&Beams, BeamWorldError> {
        self.beams.get_or_init(|| Beams::new(&self.tree)).as_ref().map_err(|error| *error)
    }

    fn walk<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        let Answer { hits, counters } = answer;
        hits.clear();
        counters.queries += 1;
        let tmax = match &query.shape {
            Shape::Ray(ray) => ray.tmax,
            Shape::Beam(shape) => shape.beam.tmax(),
        };
        let mut walk = Walk {
            rule: self.rule,
            fetches: &self.fetches,
            found: Found::new(query.kind, tmax, hits),
            counters,
            observer,
        };
        // A walk that is broken off has found what it wanted.
        let (ControlFlow::Break(()) | ControlFlow::Continue(())) = match query.shape {
            Shape::Ray(ray) => {
                let query = query.with_shape(ray);
                if query.can_hit() {
                    walk.ray(&self.tree, &query, &self.instance_dilation)
                } else {
                    ControlFlow::Continue(())
                }
            }
            Shape::Beam(shape) => {
                debug_assert!(keeps_subnormals(), "flush-to-zero modes are unsupported (B-14)");
                walk.beam(&self.tree, &query.with_shape(shape), self.beams()?)
            }
        };
        if walk.observer.is_watching() {
            walk.observer.see(Step::End);
        }
        walk.found.finish();
        Ok(())
    }
}

impl<T: Deref<Target = Tree> + Send + Sync> Machine for Reference<T> {
    fn name(&self) -> &'static str {
        NAME
    }

    fn watch(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut dyn Observer,
    ) -> Result<(), MachineError> {
        self.walk(query, answer, observer)
    }

    fn answer_into(&self, query: &Query, answer: &mut Answer) -> Result<(), MachineError> {
        self.walk(query, answer, &mut Unwatched)
    }
}

impl Beams {
    fn new(tree: &Tree) -> Result<Self, BeamWorldError> {
        let world = BeamWorld::new(tree)?;
        let covering = tree.blases.iter().map(|Blas { bvh, primitives }| {
            let is_cut = cut_items(bvh, &primitives.ids);
            covering_boxes(bvh, &is_cut, |item| primitives.bounds(item))
        });
        let covering = covering.collect();
        let covering_tlas = tree.tlas.as_ref().and_then(|tlas| {
            let is_cut = cut_items(&tlas.bvh, &[]);
            covering_boxes(&tlas.bvh, &is_cut, |item| world.instance_bounds(item as u32))
        });
        Ok(Self { world, covering, covering_tlas })
    }
}

/// One query under way.
struct Walk<'a, O: ?Sized> {
    rule: TriangleRule,
    fetches: &'a Fetches,
    found: Found<'a>,
    counters: &'a mut Counters,
    observer: &'a mut O,
}

/// A level to walk.
struct Level<'a> {
    bvh: &'a Bvh,
    /// Boxes that stand in for those of the nodes.
    boxes: Option<&'a [Aabb]>,
    /// What a visit of a node reads.
    bytes: &'a [u32],
}

/// When a shape is inside a box.
type Interval = Option<[f32; 2]>;

impl<'a, O: Observer + ?Sized> Walk<'a, O> {
    fn ray(
        &mut self,
        tree: &'a Tree,
        query: &RayQuery,
        dilation: &InstanceDilation,
    ) -> ControlFlow<()> {
        let Some(tlas) = &tree.tlas else {
            return tree.blases.iter().enumerate().try_for_each(|(number, blas)| {
                self.ray_in_blas(number, blas, &InstanceView::world(&blas.primitives, query))
            });
        };
        let reach = slab::reach(query.shape.origin, &tlas.bvh.root().bounds);
        let slabs = SlabRay::dilated(&query.shape, dilation.dilation(query.shape.origin, reach));
        let (test, level) = (ray_test(&slabs, &query.shape), self.tlas(&tlas.bvh, None));
        self.bvh(&level, &test, slab::widen, |walk, item| {
            let instance = &tlas.instances[item as usize];
            let number = instance.blas as usize;
            let blas = &tree.blases[number];
            match InstanceView::placed(&blas.primitives, query, item, instance) {
                None => ControlFlow::Continue(()),
                Some(view) => {
                    walk.enter_instance(tlas, item, Some(view.ray));
                    walk.ray_in_blas(number, blas, &view)?;
                    walk.leave_instance();
                    ControlFlow::Continue(())
                }
            }
        })
    }

    fn ray_in_blas(
        &mut self,
        number: usize,
        blas: &'a Blas,
        view: &InstanceView<'_>,
    ) -> ControlFlow<()> {
        let reach = slab::reach(view.ray.origin, &blas.bvh.root().bounds);
        let slabs = SlabRay::new(&view.ray, reach);
        let (test, level) = (ray_test(&slabs, &view.ray), self.blas(number, &blas.bvh, None));
        self.bvh(&level, &test, slab::widen, |walk, item| {
            let index = item as usize;
            match view.primitives.get(index) {
                Primitive::Triangle(_) => walk.counters.triangle_tests += 1,
                Primitive::Box(_) => walk.counters.procedural_tests += 1,
            }
            walk.tested(item, view.instance, view.primitives, view.hit(walk.rule, index))
        })
    }

    fn beam(&mut self, tree: &'a Tree, query: &BeamQuery, beams: &'a Beams) -> ControlFlow<()> {
        let Some(tlas) = &tree.tlas else {
            let Some(space) = BeamSpace::world(query) else { return ControlFlow::Continue(()) };
            return (0..tree.blases.len())
                .try_for_each(|blas| self.beam_in_blas(tree, blas, &space, beams));
        };
        let test = |bounds: &Aabb, _| enter(&query.shape.beam, bounds).map(|t| [t, f32::INFINITY]);
        self.bvh(
            &self.tlas(&tlas.bvh, beams.covering_tlas.as_deref()),
            &test,
            |t| t,
            |walk, instance| {
                let Some(space) = beams.world.space(tree, query, Some(instance)) else {
                    return ControlFlow::Continue(());
                };
                walk.enter_instance(tlas, instance, None);
                let blas = tlas.instances[instance as usize].blas as usize;
                walk.beam_in_blas(tree, blas, &space, beams)?;
                walk.leave_instance();
                ControlFlow::Continue(())
            },
        )
    }

    fn beam_in_blas(
        &mut self,
        tree: &'a Tree,
        blas: usize,
        space: &BeamSpace,
        beams: &'a Beams,
    ) -> ControlFlow<()> {
        let Blas { bvh, primitives } = &tree.blases[blas];
        // The parts of a split triangle cover it, which is all that the exact rule needs.
        let boxes = match space.leaf {
            LeafRule::Conservative => beams.covering[blas].as_deref(),
            LeafRule::Exact => None,
        };
        let test = |bounds: &Aabb, _| space.enter(bounds).map(|t| [t, f32::INFINITY]);
        self.bvh(
            &self.blas(blas, bvh, boxes),
            &test,
            |t| t,
            |walk, item| {
                match space.leaf {
                    LeafRule::Conservative => walk.counters.box_tests += 1,
                    LeafRule::Exact => walk.counters.triangle_tests += 1,
                }
                let index = item as usize;
                let hit = space.hit(primitives.get(index), primitives.ids[index]);
                walk.tested(item, space.instance, primitives, hit)
            },
        )
    }

    fn enter_instance(&mut self, tlas: &Tlas, instance: u32, ray: Option<Ray>) {
        self.counters.instances += 1;
        if self.observer.is_watching() {
            let world_to_object = tlas.instances[instance as usize].world_to_object;
            let (pointer, address) = (instance.into(), None);
            self.observer.see(Step::Instance { instance, pointer, address, world_to_object, ray });
        }
    }

    fn leave_instance(&mut self) {
        if self.observer.is_watching() {
            self.observer.see(Step::Leave);
        }
    }

    /// A primitive was tested: keeps its hit, if there is one.
    #[inline]
    fn tested(
        &mut self,
        item: u32,
        instance: u32,
        primitives: &Primitives,
        hit: Option<Hit>,
    ) -> ControlFlow<()> {
        if self.observer.is_watching() {
            let PrimitiveId { geometry, primitive, .. } = primitives.ids[item as usize];
            let (pointer, t) = (item.into(), hit.map(|hit| hit.t));
            let test = PrimitiveTest { pointer, instance, geometry, primitive, t };
            self.observer.see(Step::Primitive(test));
        }
        match hit.map(|hit| self.found.offer(hit, &mut *self.observer)) {
            Some(ControlFlow::Break(())) => ControlFlow::Break(()),
            Some(ControlFlow::Continue(())) | None => ControlFlow::Continue(()),
        }
    }

    fn blas(&self, number: usize, bvh: &'a Bvh, boxes: Option<&'a [Aabb]>) -> Level<'a> {
        Level { bvh, boxes, bytes: self.fetches.blases.get(number).map_or(&[], Vec::as_slice) }
    }

    fn tlas(&self, bvh: &'a Bvh, boxes: Option<&'a [Aabb]>) -> Level<'a> {
        Level { bvh, boxes, bytes: &self.fetches.tlas }
    }

    /// Walks a hierarchy nearest first and hands over the items of every leaf that the shape
    /// reaches. `widen` moves the end of the range outward.
    fn bvh(
        &mut self,
        &Level { bvh, boxes, bytes }: &Level<'a>,
        test: &impl Fn(&Aabb, f32) -> Interval,
        widen: impl Fn(f32) -> f32,
        mut item: impl FnMut(&mut Self, u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let bounds = |index: usize| boxes.map_or(bvh.nodes()[index].bounds, |boxes| boxes[index]);
        let mut stack: Vec<(f32, u32)> = Vec::with_capacity(64);
        let root = test(&bounds(0), widen(self.found.farthest()));
        self.child_tested(0, 0, &bounds(0), root, test);
        stack.extend(root.map(|interval| (interval[0], 0)));
        self.pushed(&stack, 0);
        while let Some((t, index)) = stack.pop() {
            if self.observer.is_watching() {
                let (pointer, depth) = (Some(index.into()), stack.len() as u32);
                self.observer.see(Step::Pop { pointer, depth });
            }
            if t > widen(self.found.farthest()) {
                if self.observer.is_watching() {
                    let reason = "its box begins behind the best hit";
                    self.observer.see(Step::Skip { pointer: index.into(), reason });
                }
                continue;
            }
            let node = &bvh.nodes()[index as usize];
            self.counters.bytes += bytes.get(index as usize).map_or(0, |&read| read.into());
            if self.observer.is_watching() {
                let kind = if node.link.is_leaf() { "leaf" } else { "box" };
                self.observer.see(Step::Node { pointer: index.into(), address: None, kind });
            }
            if node.link.is_leaf() {
                self.counters.leaves += 1;
                for &index in bvh.items(node) {
                    item(self, index)?;
                }
                continue;
            }
            self.counters.nodes += 1;
            let start = stack.len();
            let farthest = widen(self.found.farthest());
            // The nearest comes last; the lower index wins a tie.
            for (slot, child) in node.link.range().enumerate().rev() {
                self.counters.box_tests += 1;
                let interval = test(&bounds(child), farthest);
                self.child_tested(slot as u8, child, &bounds(child), interval, test);
                stack.extend(interval.map(|interval| (interval[0], child as u32)));
            }
            stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
            self.pushed(&stack, start);
        }
        ControlFlow::Continue(())
    }

    /// Entries from `start` on were laid on the stack.
    #[inline]
    fn pushed(&mut self, stack: &[(f32, u32)], start: usize) {
        if self.observer.is_watching() {
            for (place, &(_, node)) in stack.iter().enumerate().skip(start) {
                let (pointer, depth) = (node.into(), place as u32 + 1);
                self.observer.see(Step::Push { pointer, depth });
            }
        }
    }

    #[inline]
    fn child_tested(
        &mut self,
        slot: u8,
        node: usize,
        bounds: &Aabb,
        interval: Interval,
        test: &impl Fn(&Aabb, f32) -> Interval,
    ) {
        if self.observer.is_watching() {
            let anywhere = || test(bounds, f32::INFINITY);
            let (interval, verdict) = match interval {
                Some(_) => (interval, Verdict::Visit),
                None => match anywhere() {
                    Some(behind) => (Some(behind), Verdict::Behind),
                    None => (None, Verdict::Miss),
                },
            };
            let pointer = node as u64;
            let (bounds, frame) = (*bounds, None);
            let test = ChildTest { slot, pointer, bounds, frame, interval, verdict };
            self.observer.see(Step::Child(test));
        }
    }
}

/// The slab test of a ray, from its `tmin`, lowered by `4 eps`, to the farthest point that matters.
fn ray_test(slabs: &SlabRay, ray: &Ray) -> impl Fn(&Aabb, f32) -> Interval {
    let nearest = (ray.tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0);
    move |bounds, farthest| {
        slabs.interval(bounds, nearest, farthest).map(|interval| [interval.enter, interval.exit])
    }
}

/// Whether halving the smallest normal number leaves something.
fn keeps_subnormals() -> bool {
    std::hint::black_box(f32::MIN_POSITIVE) * 0.5 > 0.0
}
