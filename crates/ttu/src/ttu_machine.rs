//! The machine as siliray's other machines look: one question at a time, alone in an empty machine.

use crate::config::{Config, ConfigError};
use crate::job::{Answer, Query};
use crate::run::{Options, Run, RunError, simulate};
use crate::world::World;
use machine::beam::{BeamHit, BeamKind, BeamMachine, BeamQuery, Visit};
use machine::{BudgetExhausted, Counters, Hit, Machine, RayQuery};
use std::ops::ControlFlow;

/// The name of the machine in options and reports.
pub const NAME: &str = "ttu";

/// A TTU that answers one question after the other. Its caches are empty before each, so that the
/// cycles of a question do not depend on what was asked before.
#[derive(Debug)]
pub struct TtuMachine {
    world: World,
    config: Config,
}

impl TtuMachine {
    /// A machine over `world`.
    ///
    /// # Errors
    /// When the configuration is nonsense, or too small for the blocks of the world.
    pub fn new(world: World, config: Config) -> Result<Self, RunError> {
        config.validate().map_err(|error: ConfigError| RunError::Config(error))?;
        world.fits(&config)?;
        Ok(Self { world, config })
    }

    fn ask(
        &self,
        query: &BeamQuery,
        kind: BeamKind,
        counters: &mut Counters,
    ) -> Result<Vec<BeamHit>, BudgetExhausted> {
        let run = self.run(Query::Beam(*query, kind)).map_err(|_| BudgetExhausted { limit: 0 })?;
        counters.queries += 1;
        count(&run, counters);
        Ok(run.answers.into_iter().flat_map(|answer| answer.beam_hits).collect())
    }

    fn run(&self, query: Query) -> Result<Run, RunError> {
        let keep_going = &|_| ControlFlow::Continue(());
        simulate(&self.world, &self.config, &[query], Options::ONLY_ANSWERS, keep_going)
    }
}

impl Machine for TtuMachine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn answer(
        &self,
        query: &RayQuery,
        hits: &mut Vec<Hit>,
        counters: &mut Counters,
    ) -> Result<(), BudgetExhausted> {
        hits.clear();
        counters.queries += 1;
        // A run that does not add up or that is stuck has no answer, as one that takes too long.
        let run = self.run((*query).into()).map_err(|_| BudgetExhausted { limit: 0 })?;
        count(&run, counters);
        hits.extend(run.answers.into_iter().flat_map(|answer| answer.hits));
        Ok(())
    }
}

impl BeamMachine for TtuMachine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn visit(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
        visitor: &mut dyn FnMut(&BeamHit) -> Visit,
    ) -> Result<(), BudgetExhausted> {
        for hit in self.ask(query, BeamKind::Collect, counters)? {
            if visitor(&hit) == Visit::Stop {
                break;
            }
        }
        Ok(())
    }

    fn any(&self, query: &BeamQuery, counters: &mut Counters) -> Result<bool, BudgetExhausted> {
        Ok(!self.ask(query, BeamKind::Any, counters)?.is_empty())
    }

    fn first(
        &self,
        query: &BeamQuery,
        counters: &mut Counters,
    ) -> Result<Option<BeamHit>, BudgetExhausted> {
        Ok(self.ask(query, BeamKind::First, counters)?.first().copied())
    }
}

/// What a run did, as other machines count it.
fn count(run: &Run, counters: &mut Counters) {
    counters.nodes += run.counters.nodes_visited;
    counters.box_tests += run.counters.issue_used;
    counters.leaves += run.counters.leaves;
    counters.triangle_tests += run.counters.primitives;
    counters.instances += run.counters.instances;
    counters.blocks += run.counters.setups;
    counters.bytes += run.counters.l0_fill_bytes + run.counters.sm_fetch_bytes;
    counters.cycles += run.answers.iter().map(Answer::latency).sum::<u64>();
}
