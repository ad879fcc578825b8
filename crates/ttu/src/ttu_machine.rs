//! The machine as siliray's other machines look: one question at a time, alone in an empty machine.

use crate::config::{Config, ConfigError};
use crate::job::Answer as RunAnswer;
use crate::run::{self, Options, Run, RunError};
use crate::world::World;
use machine::{Answer, Counters, MachineError, Observer, Query};
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

    fn ask<O: Observer + ?Sized>(
        &self,
        query: &Query,
        answer: &mut Answer,
        observer: &mut O,
    ) -> Result<(), MachineError> {
        answer.hits.clear();
        let (options, keep_going) = (Options::ONLY_ANSWERS, &|_| ControlFlow::Continue(()));
        let queries: &[Query] = &[*query];
        let run =
            run::watch(&self.world, &self.config, queries.into(), options, keep_going, observer);
        let run = run.map_err(|error| match error {
            RunError::Beams(error) => error.into(),
            error => MachineError::Failed { machine: NAME, reason: error.to_string() },
        })?;
        answer.counters += counters_of(&run);
        answer.hits.extend(run.answers.into_iter().flat_map(|answer| answer.hits));
        Ok(())
    }
}

machine::traced_machine!(TtuMachine, NAME, ask);

/// What a run did, as other machines count it.
#[must_use]
pub fn counters_of(run: &Run) -> Counters {
    Counters {
        queries: run.answers.len() as u64,
        nodes: run.counters.nodes_visited,
        box_tests: run.counters.children_tested,
        leaves: run.counters.leaves,
        triangle_tests: run.counters.primitives,
        procedural_tests: 0,
        instances: run.counters.instances,
        blocks: run.counters.setups,
        bytes: run.counters.block_bytes + run.counters.leaf_bytes,
        cycles: run.answers.iter().map(RunAnswer::latency).sum(),
    }
}
