//! The brute-force oracle: every primitive of every instance, one after the other.

use super::{BeamHit, BeamMachine, BeamQuery, BeamView, BeamWorld, BeamWorldError, Visit};
use crate::{BudgetExhausted, Counters};
use std::ops::ControlFlow;
use tree::Tree;

/// The machine that looks at everything: right by definition.
#[derive(Debug, Clone)]
pub struct BeamOracle<'a> {
    world: BeamWorld<'a>,
}

impl<'a> BeamOracle<'a> {
    /// An oracle over the geometry of `tree`.
    ///
    /// # Errors
    /// As [`BeamWorld::new`].
    pub fn new(tree: &'a Tree) -> Result<Self, BeamWorldError> {
        Ok(Self { world: BeamWorld::new(tree)? })
    }
}

impl BeamMachine for BeamOracle<'_> {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&BeamHit) -> Visit,
    ) -> Result<(), BudgetExhausted> {
        counters.queries += 1;
        let tree = self.world.tree();
        let show = |view: BeamView<'_>| {
            for hit in (0..view.primitives.len()).filter_map(|index| view.hit(index)) {
                if visitor(&hit) == Visit::Stop {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        };
        let _stopped = match &tree.tlas {
            None => {
                (0..tree.blases.len()).filter_map(|b| self.world.world(query, b)).try_for_each(show)
            }
            Some(tlas) => (0..tlas.instances.len() as u32)
                .filter_map(|instance| self.world.placed(query, instance))
                .try_for_each(show),
        };
        Ok(())
    }
}
