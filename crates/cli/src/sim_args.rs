//! The options of `siliray sim`.

use crate::args::TreeShape;
use crate::image_args::ImageChoice;
use crate::machine_args::block_formats;
use crate::named_values::{SIM_WORKLOADS, one_of};
use crate::shared_args::{CameraChoice, PresetChoice};
use crate::values;
use clap::Args;
use siliray::machine::FormatEntry;
use siliray::sim::{ParameterSweep, Workload};
use std::ffi::OsString;
use std::path::PathBuf;

/// Simulate the tree traversal unit of US 9,569,559, cycle by cycle.
///
/// The scene's tree is laid out in blocks, and queries go through the whole machine: interface,
/// scheduler, L0, setup, traversal units, result queue, stack management, the SM's leaf tests, and
/// the memory behind it. Answers do not depend on the configuration, and every counter is checked
/// to add up. An image is run as it is stored: what its boxes lose is lost, and a warning says so.
///
/// Queries have priorities: of their own, from the file of --queries, or those of their class, by
/// the parameters priority_closest, priority_any, priority_all and priority_beam. The policies
/// priority and priority_oldest obey them. With evict=true, tasks that wait for memory give way to
/// pending ones.
///
/// A configuration is TOML: key = value, one a line. The shipped ones are patent (the default),
/// deep, cluster, and sm, tpc and gpc, in which SMs share units or do not; --configs shows them and
/// explains every key. docs/ttu.md explains the machine.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray sim interior
  siliray sim bathroom.ply --workload bounce --rays 65536 --json
  siliray sim interior --set l0_lines=16 --sweep slots=8,16,32,64 --csv slots.csv
  siliray sim interior --against l0_mshrs=16
  siliray sim bathroom.ply --config patent --against deep --report both.html
  siliray sim hairball --sweep dispatch=a,b --sweep t_box=6,12,24 --report sweep.html
  siliray sim forest --config cluster --trace trace.json --rays 2048
  siliray sim interior --width 2 --against slots=64
  siliray sim bunny.ply --queries queries.csv --set policy=priority
  siliray sim interior --config deep --against evict=true --rays 4096
  siliray sim interior --config sm --against gpc
  siliray sim --configs")]
pub(crate) struct Sim {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE", required_unless_present = "configs")]
    pub(crate) scene: Option<OsString>,

    /// A file, or one of the shipped configurations: patent, deep, cluster, sm, tpc, gpc
    #[arg(long, value_name = "FILE|NAME", default_value = "patent")]
    pub(crate) config: OsString,

    /// Set a parameter; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) settings: Vec<String>,

    /// Run once for each value; several sweeps run every combination
    #[arg(long = "sweep", value_name = "KEY=A,B,C")]
    #[arg(value_parser = parameter_sweep)]
    pub(crate) sweeps: Vec<ParameterSweep>,

    /// Run a second configuration too and show both side by side: a file, a shipped one, or the
    /// first one with a parameter set; given several times, all of it together makes that one
    #[arg(long, value_name = "FILE|NAME|KEY=VALUE", conflicts_with = "sweeps")]
    pub(crate) against: Vec<String>,

    /// What is asked
    #[arg(long, value_name = "WORKLOAD", default_value = "primary")]
    #[arg(value_parser = one_of(SIM_WORKLOADS))]
    pub(crate) workload: Workload,

    /// Ask the rays, beams, spheres and frustums of this file instead: .npy, .csv or raw, with
    /// their priorities; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["workload", "camera"])]
    pub(crate) queries: Option<PathBuf>,

    /// How many rays or beams, 1 to 100000000 [default: 16384, or all of the file]
    #[arg(long, alias = "count", value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 100_000_000))]
    pub(crate) rays: Option<usize>,

    /// The blocks that the machine reads: an image of another format is converted, an image of this
    /// one is run as it is stored [default: ttu, or the format of the file]
    #[arg(long, value_name = "FORMAT", value_parser = block_formats())]
    pub(crate) format: Option<&'static FormatEntry>,

    /// Build a new tree over the geometry of an image, instead of running the image as it is stored
    #[arg(long)]
    pub(crate) rebuild: bool,

    #[command(flatten)]
    pub(crate) preset: PresetChoice,

    #[command(flatten)]
    pub(crate) shape: TreeShape,

    #[command(flatten)]
    pub(crate) view: CameraChoice,

    /// Count the boxes that tests report although the query misses them, by exact arithmetic
    #[arg(long)]
    pub(crate) false_positives: bool,

    /// Write figures as CSV to this file: of one run over time, of several a line for each
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Write what every slot and unit did to this file, for Perfetto or chrome://tracing; for one
    /// run
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Write a report to this HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Keep finished runs in this file, and do not make those again that it holds
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,

    /// Show the shipped configurations and what every key means, and end
    #[arg(long)]
    pub(crate) configs: bool,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

fn parameter_sweep(text: &str) -> Result<ParameterSweep, String> {
    text.parse().map_err(|error: siliray::sim::SweepError| error.to_string())
}
