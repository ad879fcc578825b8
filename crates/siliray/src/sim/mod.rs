//! Runs of the tree traversal unit: workloads, sweeps, rows, traces, reports.
//!
//! | file | concept |
//! |---|---|
//! | [`workload`] | what is asked: rays and beams of a scene |
//! | [`questions`] | the queries of a workload or of a file, by name |
//! | [`sweep`] | the cross product of settings |
//! | [`sweep_run`] | runs of many configurations |
//! | [`row`] | one run as a row: figures, the configuration and what was set |
//! | [`csv`] | rows as CSV |
//! | [`side_by_side`] | two rows beside each other |
//! | [`trace_json`] | what slots and units did, for Perfetto and chrome://tracing |
//! | [`report`], `plot` | runs as one HTML file |

pub mod csv;
mod plot;
pub mod questions;
pub mod report;
pub mod row;
pub mod side_by_side;
pub mod sweep;
pub mod sweep_run;
pub mod trace_json;
pub mod workload;

pub use questions::{NamedQueries, QueriesError};
pub use row::{PriorityLatency, Row, RunKey, RunLabel};
pub use sweep::{ParameterSweep, SweepError};
pub use sweep_run::{CompletedRun, NamedConfig, SweepRun, SweepRunError};
pub use workload::{Workload, WorkloadError};

use geometry::TriangleRule;
use machine::{AnyChecked, Query};
use std::ops::ControlFlow;
use ttu::program::ProgramError;
use ttu::run::{Options, Run};
use ttu::{Config, RunError, World, simulate};

/// Why an image has no run.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// Its format has no blocks, or one is too large for the machine.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The run has no result.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Runs queries over an image of any format with blocks: its cycles, counters and limits.
///
/// ```
/// use siliray::build::{Options, build};
/// use siliray::input::encode_checked;
/// use siliray::machine::Settings;
/// use siliray::scene::builtin::Builtin;
/// use siliray::sim::{Workload, simulate_image};
/// use siliray::ttu::Config;
///
/// let scene = Builtin::Interior.scene(1_000);
/// let camera = scene.camera().ok_or("no camera")?;
/// let tree = Options::default().build(&scene)?;
/// let format = siliray::registry::registry().format("cwbvh").ok_or("no format")?;
/// let image = encode_checked(&tree, format, &Settings::default())?;
/// let queries = Workload::ALL[0].queries(&scene.name, image.tree(), &camera, 64)?;
/// let run = simulate_image(&*image, &Config::default(), &queries)?;
/// assert!(run.cycles > 0 && run.counters.sm_fetch_bytes > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the format has no blocks, or the configuration is nonsense or too small for it.
pub fn simulate_image(
    image: &dyn AnyChecked,
    config: &Config,
    queries: &[Query],
) -> Result<Run, SimulateError> {
    let world = World::new(image, TriangleRule::Watertight)?;
    let keep_going = |_| ControlFlow::Continue(());
    Ok(simulate(&world, config, queries, Options::ONLY_ANSWERS, &keep_going)?)
}
