//! The plain walk of a beam over a tree, nearest box first.

use super::covering::covering_boxes;
use super::space::enter;
use super::{
    BeamHit, BeamMachine, BeamQuery, BeamView, BeamWorld, BeamWorldError, LeafRule, Visit,
};
use crate::{BudgetExhausted, Counters, StepBudget};
use geometry::Aabb;
use std::ops::ControlFlow;
use tree::{Bvh, Tree};

/// The reference machine for beams.
#[derive(Debug, Clone)]
pub struct BeamReference<'a> {
    world: BeamWorld<'a>,
    /// For each BLAS whose own boxes do not cover its primitives, boxes that do.
    covering: Vec<Option<Vec<Aabb>>>,
    /// The same for the TLAS.
    covering_tlas: Option<Vec<Aabb>>,
    step_limit: u64,
}

impl<'a> BeamReference<'a> {
    /// A machine over `tree` without a step limit.
    ///
    /// # Errors
    /// As [`BeamWorld::new`].
    pub fn new(tree: &'a Tree) -> Result<Self, BeamWorldError> {
        let world = BeamWorld::new(tree)?;
        let blases = tree.blases.iter();
        let covering = blases.map(|b| covering_boxes(&b.bvh, |item| b.primitives.bounds(item)));
        let covering = covering.collect();
        let covering_tlas = tree.tlas.as_ref().and_then(|tlas| {
            covering_boxes(&tlas.bvh, |instance| world.placed_bounds(instance as u32))
        });
        Ok(Self { world, covering, covering_tlas, step_limit: u64::MAX })
    }

    /// The same machine, allowed to visit `steps` nodes a query.
    #[must_use]
    pub fn with_step_limit(self, steps: u64) -> Self {
        Self { step_limit: steps, ..self }
    }
}

impl BeamMachine for BeamReference<'_> {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&BeamHit) -> Visit,
    ) -> Result<(), BudgetExhausted> {
        debug_assert!(keeps_subnormals(), "flush-to-zero modes are unsupported (B-14)");
        counters.queries += 1;
        let mut walk = Walk {
            machine: self,
            query,
            counters,
            visitor,
            until: query.beam.tmax(),
            budget: StepBudget::new(self.step_limit),
        };
        let tree = self.world.tree();
        let outcome = match &tree.tlas {
            None => {
                (0..tree.blases.len()).try_for_each(|blas| match self.world.world(query, blas) {
                    Some(view) => walk.blas(blas, &view),
                    None => ControlFlow::Continue(()),
                })
            }
            Some(_) => walk.tlas(),
        };
        match outcome {
            ControlFlow::Break(Some(exhausted)) => Err(exhausted),
            ControlFlow::Break(None) | ControlFlow::Continue(()) => Ok(()),
        }
    }
}

/// Why a walk ends early: because the visitor has enough, or the budget has not.
type Stop = Option<BudgetExhausted>;

/// One query under way.
struct Walk<'a> {
    machine: &'a BeamReference<'a>,
    query: &'a BeamQuery,
    counters: &'a mut Counters,
    visitor: &'a mut dyn FnMut(&BeamHit) -> Visit,
    /// Later contacts are of no interest.
    until: f32,
    budget: StepBudget,
}

impl Walk<'_> {
    fn tlas(&mut self) -> ControlFlow<Stop> {
        let machine = self.machine;
        let Some(tlas) = &machine.world.tree().tlas else { return ControlFlow::Continue(()) };
        let (query, boxes) = (self.query, machine.covering_tlas.as_deref());
        let enter = |bounds: &Aabb| enter(&query.beam, bounds);
        self.bvh(&tlas.bvh, boxes, &enter, &mut |walk, instance| {
            let Some(view) = machine.world.placed(query, instance) else {
                return ControlFlow::Continue(());
            };
            walk.counters.instances += 1;
            walk.blas(tlas.instances[instance as usize].blas as usize, &view)
        })
    }

    fn blas(&mut self, blas: usize, view: &BeamView<'_>) -> ControlFlow<Stop> {
        let machine = self.machine;
        let bvh = &machine.world.tree().blases[blas].bvh;
        // The parts of a split triangle cover it, which is all that the exact rule needs.
        let boxes = match view.space.leaf {
            LeafRule::Conservative => machine.covering[blas].as_deref(),
            LeafRule::Exact => None,
        };
        self.bvh(bvh, boxes, &|bounds| view.space.enter(bounds), &mut |walk, item| {
            match view.space.leaf {
                LeafRule::Conservative => walk.counters.box_tests += 1,
                LeafRule::Exact => walk.counters.triangle_tests += 1,
            }
            view.hit(item as usize).map_or(ControlFlow::Continue(()), |hit| walk.show(&hit))
        })
    }

    fn show(&mut self, hit: &BeamHit) -> ControlFlow<Stop> {
        match (self.visitor)(hit) {
            Visit::Continue => ControlFlow::Continue(()),
            Visit::Until(t) => {
                self.until = self.until.min(t);
                ControlFlow::Continue(())
            }
            Visit::Stop => ControlFlow::Break(None),
        }
    }

    /// Walks a hierarchy and hands over the items of every leaf that the beam reaches in time.
    fn bvh(
        &mut self,
        bvh: &Bvh,
        boxes: Option<&[Aabb]>,
        enter: &dyn Fn(&Aabb) -> Option<f32>,
        item: &mut dyn FnMut(&mut Self, u32) -> ControlFlow<Stop>,
    ) -> ControlFlow<Stop> {
        let bounds = |index: usize| boxes.map_or(bvh.nodes()[index].bounds, |boxes| boxes[index]);
        let mut stack: Vec<(f32, usize)> = Vec::with_capacity(64);
        self.counters.box_tests += 1;
        stack.extend(enter(&bounds(0)).map(|t| (t, 0)));
        while let Some((t, index)) = stack.pop() {
            if t > self.until {
                continue;
            }
            if let Err(exhausted) = self.budget.step() {
                return ControlFlow::Break(Some(exhausted));
            }
            let node = &bvh.nodes()[index];
            if node.link.is_leaf() {
                self.counters.leaves += 1;
                for &reference in bvh.items(node) {
                    item(self, reference)?;
                }
            } else {
                self.counters.nodes += 1;
                let start = stack.len();
                for child in node.link.range().rev() {
                    self.counters.box_tests += 1;
                    stack.extend(enter(&bounds(child)).map(|t| (t, child)));
                }
                stack[start..].sort_by(|a, b| b.0.total_cmp(&a.0));
            }
        }
        ControlFlow::Continue(())
    }
}

/// Whether halving the smallest normal number leaves something.
fn keeps_subnormals() -> bool {
    std::hint::black_box(f32::MIN_POSITIVE) * 0.5 > 0.0
}
