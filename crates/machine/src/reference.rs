//! The reference machine: the plain walk over a tree.
//!
//! A stack of nodes, nearest child first, boxes tested with the reference slab test. No format, no
//! hardware; the semantics that every other machine is compared with, and the one to read first.
//!
//! Culling is exact. A box is skipped when its interval does not meet the range from `tmin` to the best
//! hit so far, both ends moved outward by `4 eps`: a hit inside a box that contains its triangle
//! cannot be lost ([`geometry::hit`]), and one inside the boxes of a split triangle lies within a few
//! `u` of one of them ([`geometry::watertight`]).

use crate::instance_dilation::InstanceDilation;
use crate::primitive_test::InstanceView;
use crate::{BudgetExhausted, Counters, Hit, HitKind, Machine, RayQuery, StepBudget};
use geometry::{Aabb, Ray, SlabRay, TriangleRule, slab};
use std::ops::{ControlFlow, Range};
use tree::primitives::Primitive;
use tree::{Blas, Bvh, Tlas, Tree};

/// The reference machine over a tree.
#[derive(Debug, Clone, Copy)]
pub struct Reference<'a> {
    tree: &'a Tree,
    rule: TriangleRule,
    instance_dilation: InstanceDilation,
    step_limit: u64,
}

impl<'a> Reference<'a> {
    /// A machine over `tree` without a step limit: a [`Bvh`] is known to be a tree, so walks end.
    #[must_use]
    pub fn new(tree: &'a Tree, rule: TriangleRule) -> Self {
        let instance_dilation = tree.tlas.as_ref().map(InstanceDilation::new).unwrap_or_default();
        Self { tree, rule, instance_dilation, step_limit: u64::MAX }
    }

    /// The same machine, allowed to visit `steps` nodes a query.
    #[must_use]
    pub fn with_step_limit(self, steps: u64) -> Self {
        Self { step_limit: steps, ..self }
    }
}

impl Machine for Reference<'_> {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn answer(
        &self,
        query: &RayQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted> {
        hits.clear();
        counters.queries += 1;
        if !query.can_hit() {
            return Ok(());
        }
        let mut walk = Walk {
            rule: self.rule,
            query,
            hits,
            counters,
            budget: StepBudget::new(self.step_limit),
        };
        let outcome = match &self.tree.tlas {
            None => self.tree.blases.iter().try_for_each(|blas| {
                walk.blas(blas, &InstanceView::world(&blas.primitives, query))
            }),
            Some(tlas) => walk.tlas(self.tree, tlas, &self.instance_dilation),
        };
        match outcome {
            ControlFlow::Break(Stop::Budget(exhausted)) => {
                hits.clear();
                Err(exhausted)
            }
            ControlFlow::Break(Stop::Found) | ControlFlow::Continue(()) => {
                if query.kind == HitKind::All {
                    hits.sort_by(Hit::total_cmp);
                    hits.dedup(); // a split triangle is met in several leaves
                }
                Ok(())
            }
        }
    }
}

/// Why a walk ends early.
enum Stop {
    /// An any query has its hit.
    Found,
    /// Too many steps.
    Budget(BudgetExhausted),
}

/// One query under way.
struct Walk<'a> {
    rule: TriangleRule,
    query: &'a RayQuery,
    hits: &'a mut Vec<Hit>,
    counters: &'a mut Counters,
    budget: StepBudget,
}

impl Walk<'_> {
    fn tlas(&mut self, tree: &Tree, tlas: &Tlas, dilation: &InstanceDilation) -> ControlFlow<Stop> {
        let query = self.query;
        let reach = slab::reach(query.ray.origin, &tlas.bvh.root().bounds);
        let slabs = SlabRay::dilated(&query.ray, dilation.dilation(query.ray.origin, reach));
        self.bvh(&tlas.bvh, &slabs, |walk, item| {
            let instance = &tlas.instances[item as usize];
            let blas = &tree.blases[instance.blas as usize];
            match InstanceView::placed(&blas.primitives, query, item, instance) {
                None => ControlFlow::Continue(()),
                Some(view) => {
                    walk.counters.instances += 1;
                    walk.blas(blas, &view)
                }
            }
        })
    }

    fn blas(&mut self, blas: &Blas, view: &InstanceView<'_>) -> ControlFlow<Stop> {
        let reach = slab::reach(view.ray.origin, &blas.bvh.root().bounds);
        let slabs = SlabRay::new(&view.ray, reach);
        self.bvh(&blas.bvh, &slabs, |walk, item| walk.primitive(view, item as usize))
    }

    fn primitive(&mut self, view: &InstanceView<'_>, index: usize) -> ControlFlow<Stop> {
        match view.primitives.get(index) {
            Primitive::Triangle(_) => self.counters.triangle_tests += 1,
            Primitive::Box(_) => self.counters.procedural_tests += 1,
        }
        let Some(hit) = view.hit(self.rule, index) else { return ControlFlow::Continue(()) };
        match self.query.kind {
            HitKind::All => self.hits.push(hit),
            HitKind::Any => {
                self.hits.push(hit);
                return ControlFlow::Break(Stop::Found);
            }
            HitKind::Closest => {
                if hit.is_closer_than(self.hits.first()) {
                    self.hits.clear();
                    self.hits.push(hit);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Walks a hierarchy nearest first and hands over the items of every leaf that the ray reaches.
    fn bvh(
        &mut self,
        bvh: &Bvh,
        slabs: &SlabRay,
        mut item: impl FnMut(&mut Self, u32) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let mut stack: Vec<(f32, u32)> = Vec::with_capacity(64);
        stack.extend(self.enter(slabs, &bvh.root().bounds).map(|enter| (enter, 0)));
        while let Some((enter, index)) = stack.pop() {
            if enter > self.farthest() {
                continue;
            }
            if let Err(exhausted) = self.budget.step() {
                return ControlFlow::Break(Stop::Budget(exhausted));
            }
            let node = &bvh.nodes()[index as usize];
            if node.link.is_leaf() {
                self.counters.leaves += 1;
                for &reference in bvh.items(node) {
                    item(self, reference)?;
                }
            } else {
                self.counters.nodes += 1;
                self.push_children(bvh, node.link.range(), slabs, &mut stack);
            }
        }
        ControlFlow::Continue(())
    }

    /// Pushes the children that the ray reaches, the nearest last; the lower index wins a tie.
    fn push_children(
        &mut self,
        bvh: &Bvh,
        children: Range<usize>,
        slabs: &SlabRay,
        stack: &mut Vec<(f32, u32)>,
    ) {
        let start = stack.len();
        for index in children.rev() {
            let enter = self.enter(slabs, &bvh.nodes()[index].bounds);
            stack.extend(enter.map(|enter| (enter, index as u32)));
        }
        stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
    }

    fn enter(&mut self, slabs: &SlabRay, bounds: &Aabb) -> Option<f32> {
        self.counters.box_tests += 1;
        slabs
            .interval(bounds, nearest(&self.query.ray), self.farthest())
            .map(|interval| interval.enter)
    }

    /// The end of the range in which a box still matters.
    fn farthest(&self) -> f32 {
        let best = match self.query.kind {
            HitKind::Closest => self.hits.first().map(|hit| hit.t),
            HitKind::Any | HitKind::All => None,
        };
        slab::widen(best.unwrap_or(self.query.ray.tmax))
    }
}

/// The start of the range in which a box matters: `tmin`, lowered by `4 eps`.
fn nearest(ray: &Ray) -> f32 {
    (ray.tmin * (2.0 - slab::EXIT_SCALE)).next_down().max(0.0)
}
