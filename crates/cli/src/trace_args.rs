//! The options of the commands around the fast tracer.

use crate::args::{PresetArg, RuleArg};
use crate::machine_args::MachineChoice;
use crate::values;
use clap::{Args, Subcommand, ValueEnum};
use siliray::scene::Camera;
use siliray::trace::{Kernel, Mode};
use siliray::workload::Workload;
use std::ffi::OsString;
use std::path::PathBuf;

/// Measure, against other libraries where they are here.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray bench trace
  siliray bench trace interior --triangles 1e6 --runs 21
  siliray bench beam")]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

/// What is measured.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Trace(BenchTrace),
    Beam(BenchBeam),
}

/// Test boxes against beams, on one thread: by division, in plain code, with AVX2 and AVX-512.
///
/// The forms run in turns on the same beams and boxes. All but the naive one give the same bits.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray bench beam
  siliray bench beam --runs 101 --json")]
pub(crate) struct BenchBeam {
    /// Runs of which the median counts, 1 to 1001
    #[arg(long, value_name = "N", default_value_t = 31, allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1001))]
    pub(crate) runs: usize,

    /// Chooses the beams and boxes
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    #[arg(value_parser = values::seed)]
    pub(crate) seed: u64,
}

/// Trace the same rays with siliray and with other libraries.
///
/// For each scene there are three kinds of rays: from the camera (primary), short ones from what it
/// sees (occlusion, any hit) and long ones from there (bounce). All tracers answer the same rays,
/// in turns; the figures are medians. With one thread and with two: --threads N compares one with N
/// instead. Answers are compared with those of Embree's robust mode, or, without it, of siliray.
///
/// Other libraries are part of the command only if it was built with them: cargo run --release
/// --features peers -- bench trace. docs/bench.md says how to install them.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray bench trace
  siliray bench trace bunny.ply interior --triangles 1e6
  siliray bench trace hairball --peers embree4 --runs 21 --json
  siliray bench trace interior --kernel avx2")]
pub(crate) struct BenchTrace {
    /// Files or built-in scenes [default: every built-in scene]
    ///
    /// The view is the scene's own, or that of a file cameras.json beside it, or one that frames
    /// it.
    #[arg(value_name = "SCENE")]
    pub(crate) scenes: Vec<OsString>,

    /// Which other libraries, with commas between them
    #[arg(long, value_name = "PEERS", value_enum, value_delimiter = ',')]
    #[arg(default_values_t = [
        PeerArg::Embree4,
        PeerArg::Embree3,
        PeerArg::Obvhs,
        PeerArg::Tinybvh,
    ])]
    pub(crate) peers: Vec<PeerArg>,

    /// Rays of each kind, 16 to 100000000
    #[arg(long, alias = "count", value_name = "N", default_value_t = 1 << 20)]
    #[arg(allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 16, 100_000_000))]
    pub(crate) rays: usize,

    /// Runs of which the median counts, 1 to 1001
    #[arg(long, value_name = "N", default_value_t = 7, allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1001))]
    pub(crate) runs: usize,

    /// Eye, target, vertical field of view in degrees and up: ex,ey,ez,tx,ty,tz,fov[,ux,uy,uz]
    #[arg(long, value_name = "CAMERA", value_parser = values::camera, allow_hyphen_values = true)]
    pub(crate) camera: Option<Camera>,

    /// The instructions that siliray uses: scalar, avx2 or avx512 [default: the fastest of this
    /// processor]
    #[arg(long, value_name = "KERNEL", value_parser = values::kernel)]
    pub(crate) kernel: Option<Kernel>,
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

/// Trace the rays of a file and write their hits.
///
/// Rays are .npy (an array (N, 8) of float32: ox oy oz tmin dx dy dz tmax, or records with these
/// fields) or raw little-endian float32 in that order. Hits are records of t, u, v (float32),
/// instance, geometry and primitive (uint32), as .npy if the output is called so, else raw; a miss
/// has t = +inf and ids 0xffffffff. For --query any there is one byte a ray instead, 1 for a hit;
/// for --query all each hit follows the number of its ray (uint64). Rays are read and traced in
/// parts, so that any number of them fits in memory.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray rays interior --workload bounce -o rays.npy
  siliray trace interior --rays rays.npy -o hits.npy
  siliray trace model.glb --rays shadow.bin -o blocked.bin --query any
  siliray trace capture.rra --rays rays.npy -o hits.npy --mode in-place")]
pub(crate) struct Trace {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The file of rays
    #[arg(long, value_name = "FILE")]
    pub(crate) rays: PathBuf,

    /// The file of hits to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Which hits are wanted
    #[arg(long, value_name = "QUERY", value_enum, default_value_t = QueryArg::Closest)]
    pub(crate) query: QueryArg,

    /// What the fast tracer reads: a copy made for the processor (prepared), or the bytes that the
    /// hardware would read (in-place) [default: prepared for scenes, in-place for images]
    #[arg(long, value_name = "MODE", value_parser = values::trace_mode)]
    pub(crate) mode: Option<Mode>,

    /// How much time to spend on the tree [default: best]
    #[arg(long, value_name = "PRESET", value_enum)]
    pub(crate) preset: Option<PresetArg>,

    #[command(flatten)]
    pub(crate) tracer: MachineChoice,

    /// The arithmetic that decides whether a ray meets a triangle
    #[arg(long, value_name = "RULE", value_enum, default_value_t = RuleArg::Watertight)]
    pub(crate) rule: RuleArg,

    /// The instructions that the tracer uses: scalar, avx2 or avx512 [default: the fastest of this
    /// processor]
    #[arg(long, value_name = "KERNEL", value_parser = values::kernel)]
    pub(crate) kernel: Option<Kernel>,
}

/// Make rays to trace, as benchmarks do.
///
/// Primary rays run from the camera through a square picture; occlusion and bounce rays start from
/// what it sees, in all directions. The same scene, view and number give the same rays.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray rays interior -o rays.npy
  siliray rays bunny.ply --workload bounce --count 1e6 -o bounce.bin")]
pub(crate) struct Rays {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The file to write: .npy, or raw numbers for any other ending
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Which rays
    #[arg(long, value_name = "WORKLOAD", value_enum, default_value_t = WorkloadArg::Primary)]
    pub(crate) workload: WorkloadArg,

    /// How many, 1 to 16777216
    #[arg(long, alias = "rays", value_name = "N", default_value_t = 262_144)]
    #[arg(allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1 << 24))]
    pub(crate) count: usize,

    /// Eye, target, vertical field of view in degrees and up: ex,ey,ez,tx,ty,tz,fov[,ux,uy,uz]
    #[arg(long, value_name = "CAMERA", value_parser = values::camera, allow_hyphen_values = true)]
    pub(crate) camera: Option<Camera>,
}

/// Which hits are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryArg {
    /// The first hit of each ray
    Closest,
    /// Whether each ray hits anything
    Any,
    /// Every hit of each ray, the nearest first
    All,
}

/// Which rays are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum WorkloadArg {
    /// From the camera
    Primary,
    /// Short ones from what the camera sees
    #[value(alias = "ao")]
    Occlusion,
    /// Long ones from what the camera sees
    Bounce,
}

impl From<WorkloadArg> for Workload {
    fn from(workload: WorkloadArg) -> Self {
        match workload {
            WorkloadArg::Primary => Self::Primary,
            WorkloadArg::Occlusion => Self::Occlusion,
            WorkloadArg::Bounce => Self::Bounce,
        }
    }
}
