//! `siliray bench`: measurements.
//!
//! | file | concept |
//! |---|---|
//! | `beam` | boxes that a beam tests in a second |
//! | `build` | how long it takes until the first ray |
//! | `target` | what is measured: siliray in its modes |
//! | `peers` | other libraries, if they were built in; otherwise a file that has none |
//! | `memory` | how much memory a build takes at most |
//! | `measure` | runs in turns, medians, answers compared |
//! | `report` | the rows as JSON and as tables |
//! | `ratios` | siliray's speed over Embree's |

mod beam;
mod build;
mod measure;
mod memory;
#[cfg(not(feature = "peers"))]
#[path = "no_peers.rs"]
mod peers;
#[cfg(feature = "peers")]
mod peers;
mod ratios;
mod report;
mod target;

use super::{build_tree, chosen_view, open, open_to_build};
use crate::args::Global;
use crate::failure::Failure;
use crate::output::Output;
use crate::trace_args::{Bench, BenchCommand, BenchTrace};
use measure::{Plan, median};
use report::{Machine, Report, SceneReport};
use siliray::build::{Options, Preset};
use siliray::cameras::Seen;
use siliray::scene::builtin::Builtin;
use siliray::trace::{Kernel, Tracer};
use siliray::workload::{self, Workload};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Threads of the second row, if nothing else is asked for.
const SECOND_THREADS: usize = 2;

/// Measures what was asked for.
pub(crate) fn run(args: &Bench, global: &Global, output: &Output) -> Result<(), Failure> {
    match &args.command {
        BenchCommand::Trace(args) => trace(args, global, output),
        BenchCommand::Build(args) => build::run(args, global, output),
        BenchCommand::Beam(args) => beam::run(args, output),
    }
}

fn trace(args: &BenchTrace, global: &Global, output: &Output) -> Result<(), Failure> {
    let kernel = args.kernel.kernel.unwrap_or_else(Kernel::fastest);
    let preset = args.preset.preset().unwrap_or(Tracer::PRESET);
    let machine = Machine::this(kernel);
    let builtins = || Builtin::ALL.map(|builtin| OsString::from(builtin.name())).to_vec();
    let names = if args.scenes.is_empty() { builtins() } else { args.scenes.clone() };
    let second = global.threads.unwrap_or(SECOND_THREADS.min(machine.cores));
    let mut threads = vec![1, second];
    threads.dedup();
    // A scene that is not there is found before anything is measured.
    for name in names.iter().filter(|name| !is_builtin(name) && !Path::new(name).exists()) {
        open(name, None)?;
    }
    let bar = output.bar("measuring");
    let mut report = Report { machine, scenes: Vec::new(), missing: Vec::new() };
    for (index, name) in names.iter().enumerate() {
        let scene =
            open_to_build(name, global.triangles.filter(|_| !mixed(&names) || is_builtin(name)))?;
        let (mut targets, tracer) = target::siliray(&scene, kernel, preset)?;
        let (others, missing) = peers::build(&scene, &args.peers, kernel);
        targets.extend(others);
        report.missing = missing;
        // Only to look surfaces up.
        let tree = build_tree(&scene, &Options::preset(Preset::Fast), output)?.tree;
        let camera = chosen_view(&args.view, name, Seen::Scene(&scene), 1.0)?;
        let mut rows = Vec::new();
        for (step, workload) in Workload::ALL.into_iter().enumerate() {
            let done = (step + 1) as f32 / (Workload::ALL.len() + 1) as f32;
            let _ = bar.set((index as f32 + done) / names.len() as f32);
            let rays = workload::rays(workload, &scene.name, &tree, &tracer, &camera, args.rays)
                .map_err(Failure::input)?;
            let plan = Plan { workload, rays: &rays, threads: &threads, runs: args.runs };
            rows.extend(plan.run(&targets)?);
        }
        let triangles = scene.placed_triangle_count();
        report.scenes.push(SceneReport { name: scene.name, triangles, rays: args.rays, rows });
    }
    drop(bar);
    output.result(&report.json(), &report.text())
}

/// A number of triangles is for the built-in scenes among others; alone, a file refuses it.
fn mixed(names: &[OsString]) -> bool {
    names.iter().any(is_builtin)
}

fn is_builtin(name: impl AsRef<OsStr>) -> bool {
    name.as_ref().to_str().and_then(Builtin::from_name).is_some()
}
