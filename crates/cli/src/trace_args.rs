//! The options of the commands around the fast tracer.

use crate::values;
use clap::{Args, Subcommand, ValueEnum};
use siliray::scene::Camera;
use std::ffi::OsString;

/// Measure, against other libraries where they are here.
#[derive(Debug, Args)]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

/// What is measured.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Trace(BenchTrace),
}

/// Trace the same rays with siliray and with other libraries.
///
/// For each scene there are three kinds of rays: from the camera (primary), short ones from what it
/// sees (occlusion, any hit) and long ones from there (bounce). All tracers answer the same
/// rays, in turns; the figures are medians. With one thread and with two: --threads N compares one with
/// N instead. Answers are compared with those of Embree's robust mode, or, without it, of siliray.
///
/// Other libraries are part of the command only if it was built with them: cargo run --release
/// --features peers -- bench trace. docs/bench.md says how to install them.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray bench trace
  siliray bench trace bunny.ply interior --triangles 1e6
  siliray bench trace hairball --peers embree4 --runs 21 --json")]
pub(crate) struct BenchTrace {
    /// Files or built-in scenes [default: every built-in scene]
    ///
    /// The view is the scene's own, or that of a file cameras.json beside it, or one that frames it.
    #[arg(value_name = "SCENE")]
    pub(crate) scenes: Vec<OsString>,

    /// Which other libraries, with commas between them
    #[arg(long, value_name = "PEERS", value_enum, value_delimiter = ',')]
    #[arg(default_values_t = [PeerArg::Embree4, PeerArg::Embree3, PeerArg::Obvhs, PeerArg::Tinybvh])]
    pub(crate) peers: Vec<PeerArg>,

    /// Rays of each kind, 16 to 100000000
    #[arg(long, value_name = "N", default_value_t = 262_144, allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 16, 100_000_000))]
    pub(crate) rays: usize,

    /// Runs of which the median counts, 1 to 1001
    #[arg(long, value_name = "N", default_value_t = 9, allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1001))]
    pub(crate) runs: usize,

    /// Eye, target and vertical field of view in degrees: ex,ey,ez,tx,ty,tz,fov
    #[arg(long, value_name = "CAMERA", value_parser = values::camera, allow_hyphen_values = true)]
    pub(crate) camera: Option<Camera>,
}

/// Another library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PeerArg {
    /// Embree 4
    Embree4,
    /// Embree 3
    Embree3,
    /// obvhs
    Obvhs,
    /// tinybvh
    Tinybvh,
    /// No other library
    None,
}

impl PeerArg {
    /// The name in reports; nothing for no library.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Embree4 => Some("embree4"),
            Self::Embree3 => Some("embree3"),
            Self::Obvhs => Some("obvhs"),
            Self::Tinybvh => Some("tinybvh"),
            Self::None => None,
        }
    }
}
