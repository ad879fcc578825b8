//! The options of `siliray compare`.

use crate::machine_args::machines;
use crate::named_values::{PRESETS, one_of};
use crate::values;
use clap::Args;
use siliray::build::Preset;
use siliray::compare::Variant;
use siliray::machine::MachineEntry;
use std::ffi::OsString;
use std::path::PathBuf;

/// Compare node formats: bytes, work, cycles and lost hits, for the same scenes and rays.
///
/// One row for each scene, preset and format. Each format gets a tree that was built for it, and is
/// asked the same rays: from the camera, short ones for occlusion, and bounces. Work is counted the
/// same way for every format and machine. Cycles are those of the traversal unit of `siliray sim`
/// with its default configuration, which runs every format. Lost are hits that the scene itself
/// has and the format does not give, wrong the reverse, of all three kinds of rays. Everything but
/// the times is the same each time.
///
/// The table shows the mean over the kinds of rays; --csv, --json and --resume have each.
#[derive(Debug, Args)]
#[command(after_long_help = "\
A FORMAT alone stands for the ways in which it is compared; FORMAT:KEY=VALUE+KEY=VALUE is one way.

Examples:
  siliray compare bunny.ply
  siliray compare bunny.ply bathroom.ply --presets best --html formats.html
  siliray compare bathroom.ply --formats gfx12,cwbvh,xphmg-fp32:node_width=8
  siliray compare forest --formats gfx12:policy=radv --machines gfx12-gpurt,gfx12-radv --csv f.csv
  siliray compare scenes/*.ply --rays 2048 --resume rows.jsonl --html formats.html")]
pub(crate) struct Compare {
    /// Files or built-in scenes
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scenes: Vec<OsString>,

    /// The formats, and how trees are laid out [default: all of them]
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', value_parser = variants)]
    pub(crate) formats: Vec<Variants>,

    /// How trees are built [default: fast, balanced and best]
    #[arg(long, value_name = "PRESET", value_delimiter = ',', value_parser = one_of(PRESETS))]
    pub(crate) presets: Vec<Preset>,

    /// The machines that walk, each on the formats that it reads [default: ttu, or reference where
    /// that does not run the format]
    #[arg(long, value_name = "MACHINE", value_delimiter = ',', value_parser = machines())]
    pub(crate) machines: Vec<&'static MachineEntry>,

    /// Rays of each kind, 1 to 10000000
    #[arg(long, alias = "count", value_name = "N", default_value_t = 1024)]
    #[arg(allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 10_000_000))]
    pub(crate) rays: usize,

    /// Write all figures to this file, as comma-separated values
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,

    /// Write a page with plots to this HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Keep finished rows in this file, and do not make those again that it holds
    #[arg(long, value_name = "FILE")]
    pub(crate) resume: Option<PathBuf>,
}

/// What one value of `--formats` stands for.
#[derive(Debug, Clone)]
pub(crate) struct Variants(pub(crate) Vec<Variant>);

fn variants(text: &str) -> Result<Variants, String> {
    Variant::parse(text).map(Variants).map_err(|error| error.to_string())
}
