//! The options of the commands around the fast tracer.

use crate::failure::Failure;
use crate::image_args::ImageChoice;
use crate::machine_args::MachineChoice;
use crate::named_values::{PRESETS, WORKLOADS, one_of};
use crate::output::is_stdout;
use crate::shared_args::{
    CameraChoice, KernelChoice, PresetChoice, QueryChoice, RuleChoice, SeedChoice,
};
use crate::values;
use clap::{Args, Subcommand, ValueEnum};
use siliray::build::Preset;
use siliray::ray_files::Layout;
use siliray::trace::Mode;
use siliray::workload::Workload;
use std::ffi::OsString;
use std::path::PathBuf;

/// Benchmark siliray, optionally against other libraries.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray bench trace
  siliray bench trace interior --triangles 1e6 --runs 21
  siliray bench build bunny.ply
  siliray bench beam")]
pub(crate) struct Bench {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

/// What is measured.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    Trace(BenchTrace),
    Build(BenchBuild),
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

    #[command(flatten)]
    pub(crate) seed: SeedChoice,
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

    #[command(flatten)]
    pub(crate) view: CameraChoice,

    #[command(flatten)]
    pub(crate) kernel: KernelChoice,

    #[command(flatten)]
    pub(crate) preset: PresetChoice,
}

/// Time how long it takes until the first ray: builds, refits and loads.
///
/// Tracers are built by each preset and in place, follow a mesh that bends, are saved and read
/// back. If the command was built with other libraries (cargo run --release --features peers --
/// bench build), Embree 4 does the like in turns with it, with as many threads. The figures are
/// medians.
/// How much memory a build takes at most is measured in a process of its own.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray bench build interior --triangles 1e5
  siliray bench build interior --triangles 1e7 --presets fast,balanced
  siliray --threads 1 bench build bunny.ply --runs 21 --json")]
pub(crate) struct BenchBuild {
    /// Files or built-in scenes
    #[arg(value_name = "SCENE", required = true)]
    pub(crate) scenes: Vec<OsString>,

    /// Runs of which the median counts, 1 to 1001
    #[arg(long, value_name = "N", default_value_t = 7, allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1001))]
    pub(crate) runs: usize,

    /// Which presets, with commas between them
    #[arg(long, value_name = "PRESET", value_parser = one_of(PRESETS), value_delimiter = ',')]
    #[arg(default_values_t = [Preset::Fast, Preset::Balanced, Preset::Best])]
    pub(crate) presets: Vec<Preset>,

    /// Measure only how much memory one build takes: for the process that the command starts
    #[arg(long, value_name = "PRESET", value_parser = one_of(PRESETS), hide = true)]
    pub(crate) peak_of: Option<Preset>,

    /// The same in place
    #[arg(long, requires = "peak_of", hide = true)]
    pub(crate) peak_in_place: bool,
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
/// Rays are NumPy arrays (.npy) of float32 or float64, (N, 8) with ox oy oz tmin dx dy dz tmax or
/// (N, 6) without tmin and tmax, or records with these fields; the same as text (.csv, .txt); or
/// raw little-endian float32 (.bin, .raw, .f32 or no ending), eight a ray; or tables (.parquet,
/// .arrow) with columns of these names. Hits are records of t, u, v (float32), instance, geometry
/// and primitive (uint32), stored as the output's ending says; a miss has t = +inf and ids
/// 0xffffffff. For --query any there is one byte a ray instead, 1 for a hit; for --query all each
/// hit follows the number of its ray (uint64). Rays are read and traced in parts, so that any
/// number of them fits in memory. docs/ray-files.md has all of it.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray rays interior --workload bounce -o rays.npy
  siliray trace interior --rays rays.npy -o hits.npy
  siliray trace interior --rays rays.npy -o hits.csv --positions --normals
  siliray trace model.glb --rays shadow.bin -o blocked.bin --query any
  siliray trace model.glb --rays rays.parquet -o hits.parquet
  siliray trace capture.rra --rays rays.npy -o hits.npy --mode in-place
  siliray rays interior -o - | siliray trace interior --rays - -o - --layout csv")]
pub(crate) struct Trace {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The file of rays; - is standard input
    #[arg(long, value_name = "FILE", allow_hyphen_values = true)]
    pub(crate) rays: PathBuf,

    #[command(flatten)]
    pub(crate) output: RayOutput,

    /// Write where each hit is, too: the point of the ray, float32
    #[arg(long)]
    pub(crate) positions: bool,

    /// Write the unit normal of each hit, too, on the side that the ray comes from
    #[arg(long)]
    pub(crate) normals: bool,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    /// What the fast tracer reads: a copy made for the processor (prepared), or the bytes that the
    /// hardware would read (in-place) [default: prepared for scenes, in-place for images]
    #[arg(long, value_name = "MODE", value_parser = values::trace_mode)]
    pub(crate) mode: Option<Mode>,

    #[command(flatten)]
    pub(crate) tracer: MachineChoice,

    #[command(flatten)]
    pub(crate) rule: RuleChoice,

    #[command(flatten)]
    pub(crate) kernel: KernelChoice,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// A file of rays or hits to write.
#[derive(Debug, Clone, Args)]
pub(crate) struct RayOutput {
    /// The file to write: .npy, .csv or .txt, .bin, .raw or .f32, .parquet, .arrow; - is
    /// standard output
    #[arg(long = "output", short = 'o', value_name = "FILE", allow_hyphen_values = true)]
    pub(crate) file: PathBuf,

    /// How it is stored, whatever its name: npy, csv, raw, parquet or arrow [default: by the
    /// ending; to standard output as rays are read, else raw]
    #[arg(long, value_name = "LAYOUT", value_parser = values::layout)]
    layout: Option<Layout>,
}

impl RayOutput {
    /// How the file is stored; `read` is how rays are.
    pub(crate) fn layout(&self, read: Layout) -> Result<Layout, Failure> {
        let usual = || if is_stdout(&self.file) { Some(read) } else { Layout::of_name(&self.file) };
        self.layout.or_else(usual).ok_or_else(|| {
            let message =
                format!("what {} shall hold does not follow from its ending", self.name());
            Failure::usage(message).hint(format!(
                "{} are known; or add --layout npy, csv, raw, parquet or arrow",
                Layout::endings()
            ))
        })
    }

    /// The file, in words.
    pub(crate) fn name(&self) -> String {
        self.file.to_string_lossy().into_owned()
    }
}

/// Make rays to trace, as benchmarks do.
///
/// Primary rays run from the camera through a square picture; occlusion and bounce rays start from
/// what it sees, in all directions. The same scene, view and number give the same rays.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray rays interior -o rays.npy
  siliray rays bunny.ply --workload bounce --rays 1e6 -o bounce.bin")]
pub(crate) struct Rays {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    #[command(flatten)]
    pub(crate) output: RayOutput,

    /// Which rays
    #[arg(long, value_name = "WORKLOAD", default_value = "primary")]
    #[arg(value_parser = one_of(WORKLOADS))]
    pub(crate) workload: Workload,

    /// How many rays, 1 to 16777216
    #[arg(long, alias = "count", value_name = "N", default_value_t = 262_144)]
    #[arg(allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1 << 24))]
    pub(crate) rays: usize,

    #[command(flatten)]
    pub(crate) view: CameraChoice,
}
