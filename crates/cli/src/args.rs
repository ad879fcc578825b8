//! The options and their help.

use crate::beam_args::{Beam, Clearance};
use crate::commands::hart::args::{Asm, Disasm, Run};
use crate::commands::isbe::args::Isbe;
use crate::compare_args::Compare;
use crate::failure::Failure;
use crate::image_args::{
    Check, Diff, ImageChoice, ImageOutput, Inspect, Intersect, Refit, Stats, Vectors,
};
use crate::machine_args::MachineChoice;
use crate::named_values::{MEASURES, PRESETS, one_of};
use crate::shared_args::{CameraChoice, RuleChoice, SeedChoice};
use crate::sim_args::Sim;
use crate::trace_args::{Bench, Rays, Trace};
use crate::values;
use crate::walk_args::Walk;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use siliray::build::{MAX_LEAF, Options as BuildOptions, Preset};
use siliray::conformance::Filter;
use siliray::input::accepts_width;
use siliray::machine::{FormatEntry, MachineEntry};
use siliray::render::{MAX_SAMPLES, Measure};
use siliray::tree::bvh::MAX_WIDTH;
use std::ffi::OsString;
use std::path::PathBuf;

/// Ray-tracing silicon, in software.
///
/// siliray reads or makes a scene, builds the tree that ray-tracing hardware walks, traces rays
/// through it, and checks every answer against brute force. Without a command it runs the demo: it
/// builds a scene, renders it, checks it, and writes two pictures and a report to siliray-demo/.
#[derive(Debug, Parser)]
#[command(name = "siliray", version, long_version = LONG_VERSION, max_term_width = 100)]
#[command(after_long_help = AFTER_HELP)]
#[command(subcommand_value_name = "COMMAND", infer_subcommands = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// The version, and what the extensions of the hart implement.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\nextension xphmg: XPHMG d89fed8, RT 0.1.0, gaps from RT 0.1.1"
);

const AFTER_HELP: &str = "\
Scenes:
  A SCENE is a file (.obj, .ply, .stl, .gltf, .glb, .scene.toml, .rra, .isbe) or one of the
  built-in scenes organic, interior, hairball and forest. A file that has the name of a built-in
  scene is written ./forest.

Examples:
  siliray                                  the demo: a scene built, rendered and checked
  siliray info model.glb                   what is in a file, and what is wrong with it
  siliray build interior --triangles 1e6   figures of the tree for each preset
  siliray render forest -o forest.png      a picture
  siliray render hairball -o heat.png --heatmap boxes
  siliray sim interior --sweep slots=8,32  the tree traversal unit, cycle by cycle
  siliray compare bunny.ply                bytes, work and cycles of every node format
  siliray beam interior --from 0,0,0,1,1,1 --to 9,0,0,10,1,1
  siliray clearance housing.stl --mesh battery.stl --along 0,0,120
  siliray conformance                      does every machine agree with brute force?
  siliray run prog.elf --log commit.log    a RISC-V program, instruction by instruction

Exit status:
  0  done
  1  the input is bad, a file cannot be read or written, or a check failed
  2  wrong usage
  130  interrupted; no half-written file is left
  `siliray run` passes on the program's own; see its help";

/// Options that every command takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Print one JSON object to standard output and nothing else
    ///
    /// The keys are stable and documented in docs/json.md. Errors still go to standard error as
    /// text, with nothing on standard output.
    #[arg(long, global = true, help_heading = "Global options")]
    pub(crate) json: bool,

    /// Use N threads, 1 to 256 [default: one for each core]
    ///
    /// Results are the same for any number.
    #[arg(long, global = true, value_name = "N", help_heading = "Global options")]
    #[arg(value_parser = values::threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,

    /// Make a built-in scene of about N triangles, 500 to 100,000,000; 1e6 is a million
    #[arg(long, global = true, value_name = "N", help_heading = "Global options")]
    #[arg(value_parser = values::triangles, allow_negative_numbers = true)]
    pub(crate) triangles: Option<usize>,

    /// Show no progress bars
    #[arg(long, short, global = true, help_heading = "Global options")]
    pub(crate) quiet: bool,
}

/// What siliray can do. The help of a command is that of its options.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Demo(Demo),
    Info(Info),
    Convert(Convert),
    Build(Build),
    Render(Render),
    Sim(Sim),
    Compare(Compare),
    Trace(Trace),
    Rays(Rays),
    Walk(Walk),
    View(View),
    Beam(Beam),
    #[command(alias = "sweep")]
    Clearance(Clearance),
    Bench(Bench),
    Conformance(Conformance),
    Check(Check),
    Inspect(Inspect),
    Intersect(Intersect),
    Diff(Diff),
    Stats(Stats),
    Refit(Refit),
    Vectors(Vectors),
    Isbe(Isbe),
    Run(Run),
    Asm(Asm),
    Disasm(Disasm),
    Completions(Completions),
    #[command(hide = true)]
    Man(Man),
}

/// See the tree, the rays and the bytes of an image in a browser.
///
/// The page runs siliray itself: nothing leaves this computer, and the server, on loopback, hands
/// out the page and one file. A scene is built and encoded first; an image is shown as it is, sound
/// or not. Without a file the page is empty, and takes one that is dropped onto it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  siliray view dump.rra --open
  siliray view interior --format ttu
  siliray view dump.rra --export report.html")]
pub(crate) struct View {
    /// An image, a dump, a program, a scene file, or a built-in scene
    #[arg(value_name = "SCENE|IMAGE")]
    pub(crate) scene: Option<OsString>,

    /// The port [default: any free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) port: u16,

    /// Open the page in the browser of the desktop
    #[arg(long)]
    pub(crate) open: bool,

    /// Write one HTML file with the page and the image in it, and serve nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["port", "open"])]
    pub(crate) export: Option<PathBuf>,

    /// The format that a scene is encoded in [default: gfx12]
    #[arg(long, value_name = "FORMAT", value_parser = crate::machine_args::tree_formats())]
    pub(crate) format: Option<&'static FormatEntry>,

    #[command(flatten)]
    pub(crate) preset: crate::shared_args::PresetChoice,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Take a scene through every format and every machine, and write a report (the default).
///
/// Writes report.html, which needs nothing but a browser, its pictures (shaded.png, boxes.png,
/// lost.png), and the scene as a GFX12 file, sound and with one field broken (scene.rra,
/// broken.rra). Every machine is compared with brute force; a difference that its hardware is not
/// known for is an error.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray demo
  siliray demo hairball --triangles 50000
  siliray demo model.obj -o model-report")]
pub(crate) struct Demo {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE", default_value = DEMO_SCENE)]
    pub(crate) scene: OsString,

    /// The folder to write to; it is made if need be
    #[arg(long, short, value_name = "FOLDER", default_value = DEMO_FOLDER)]
    pub(crate) output: PathBuf,
}

/// The scene of the demo.
pub(crate) const DEMO_SCENE: &str = "interior";

/// Its triangles, unless a number is given: as many as brute force answers for in a moment.
pub(crate) const DEMO_TRIANGLES: usize = 60_000;

/// Where the demo writes.
const DEMO_FOLDER: &str = "siliray-demo";

impl Default for Demo {
    fn default() -> Self {
        Self { scene: DEMO_SCENE.into(), output: DEMO_FOLDER.into() }
    }
}

/// Say what is in a scene, and what is wrong with it.
///
/// Shows how many triangles, vertices, objects and instances there are, the box around them, and
/// defects such as triangles without area, duplicates and unused vertices. Defects are no error:
/// every machine copes with them. Of an image, the figures of its TLAS and of each BLAS, too.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray info bunny.ply
  siliray info forest --triangles 1e6 --json")]
pub(crate) struct Info {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,
}

/// Write a scene as a file of another format.
///
/// The ending of the file says which. A mesh (.obj, .ply, .stl) has everything in world space,
/// procedural boxes as twelve triangles each. A description (.scene.toml) keeps objects, instances,
/// masks, flags and cameras; its meshes are written beside it as PLY files whose names begin with
/// its own. Of an image, what it stores is written. Textures and the colours of vertices are lost.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray convert model.glb -o model.ply
  siliray convert forest --triangles 1e4 -o forest.scene.toml
  siliray convert capture.rra -o capture.scene.toml")]
pub(crate) struct Convert {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The file to write: .scene.toml, .obj, .ply or .stl
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
}

/// Build the tree of a scene and show its figures.
///
/// One row for each preset. The SAH cost is the work that a random ray through the scene's box has
/// to expect, with a box test and a triangle test costing one each; lower is better. It is given
/// for the binary tree and for the wide tree that machines walk. Overlap is the end-point overlap:
/// how much of the surface also lies in boxes that are not its own; lower is better.
///
/// With --format, the tree of one preset is laid out as an image, and with -o written to a file. Of
/// an image, a new tree is built over its geometry; its own tree plays no part.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray build bunny.ply
  siliray build interior --preset best --width 4
  siliray build hairball --triangles 2e6 --json
  siliray build interior --format gfx12 -o interior.rra
  siliray build bunny.ply --format gfx12 --policy radv --preset best -o bunny.rra
  siliray build hairball --format gfx12 --obb --json
  siliray build bunny.ply --format gfx12-bvh4x2 -o bunny.bvh4x2
  siliray build bunny.ply --format xphmg-e4m3 --width 8 -o wide.xphmg
  siliray build bunny.ply --format xphmg-fp16 --set node_layout=literal88 -o literal.xphmg")]
pub(crate) struct Build {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// How much time to spend; may be repeated [default: fast, balanced and best, or
    /// balanced with --format]
    #[arg(long = "preset", value_name = "PRESET", value_parser = one_of(PRESETS))]
    pub(crate) presets: Vec<Preset>,

    #[command(flatten)]
    pub(crate) shape: TreeShape,

    #[command(flatten)]
    pub(crate) image: ImageOutput,
}

/// The shape of a tree.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct TreeShape {
    /// Most children of a node, 2 to 8 [default: as the format holds them best]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 2, MAX_WIDTH))]
    width: Option<usize>,

    /// Most triangles in a leaf, 1 to 64 [default: as the format holds them best]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, MAX_LEAF))]
    max_leaf: Option<usize>,
}

impl TreeShape {
    /// An option of these, if one is given.
    pub(crate) fn asked(self) -> Option<&'static str> {
        let width = self.width.map(|_| "--width");
        width.or_else(|| self.max_leaf.map(|_| "--max-leaf"))
    }

    /// Most children of a node and most triangles in a leaf.
    pub(crate) fn sizes(self) -> [Option<usize>; 2] {
        [self.width, self.max_leaf]
    }

    /// Options with this shape, for trees that a machine walks in a format.
    pub(crate) fn of(
        self,
        options: BuildOptions,
        machine: &MachineEntry,
        format: Option<&'static FormatEntry>,
    ) -> Result<BuildOptions, Failure> {
        if let Some(width) = self.width {
            accepts_width(machine, format, width)
                .map_err(|error| Failure::usage(format!("--width: {error}")))?;
        }
        let width = self.width.unwrap_or(options.width);
        Ok(BuildOptions { width, max_leaf: self.max_leaf.unwrap_or(options.max_leaf), ..options })
    }
}

/// Render a picture of a scene.
///
/// The picture shows the scene in the colours of its file and in soft light, as the machine traces
/// it, on a ground that is not part of the scene; or, with --heatmap, how much work each pixel took
/// that machine, from dark blue (little) to yellow (much), with a legend below. A heat map is
/// written as numbers if the file is called .npy. The file is written when the picture is complete;
/// an existing file is replaced.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray render forest -o forest.png
  siliray render bunny.ply -o bunny.png --size 1920x1080 --samples 16
  siliray render interior -o heat.png --heatmap nodes --preset fast --scale 200
  siliray render interior -o heat.npy --heatmap nodes
  siliray render forest -o gfx12.png --heatmap boxes --machine gfx12-gpurt
  siliray render model.glb -o top.png --camera 0,9,0,0,0,0,50,0,0,-1")]
pub(crate) struct Render {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The PNG file to write; of a heat map, a .npy file for NumPy
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "800x600", value_parser = values::size)]
    #[arg(allow_hyphen_values = true)]
    pub(crate) size: values::Size,

    #[command(flatten)]
    pub(crate) view: CameraChoice,

    /// Rays through each pixel of a shaded picture; more give smoother edges
    #[arg(long, value_name = "N", default_value_t = 4, allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, MAX_SAMPLES as usize))]
    pub(crate) samples: usize,

    /// Show how much work each pixel took instead
    #[arg(long, value_name = "MEASURE", value_parser = one_of(MEASURES))]
    #[arg(conflicts_with = "samples")]
    pub(crate) heatmap: Option<Measure>,

    /// End the scale of the heat map with this count, so that several maps can be compared
    /// [default: what 99.8 % of the pixels do not exceed, rounded up]
    #[arg(long, value_name = "COUNT", requires = "heatmap", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, u32::MAX as usize))]
    pub(crate) scale: Option<usize>,

    #[command(flatten)]
    pub(crate) shape: TreeShape,

    /// Show where the machine misses what is there, in red
    #[arg(long, conflicts_with_all = ["heatmap", "samples"])]
    pub(crate) losses: bool,

    #[command(flatten)]
    pub(crate) tracer: MachineChoice,

    #[command(flatten)]
    pub(crate) rule: RuleChoice,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Compare every machine with brute force.
///
/// For each scene and each preset, rays are drawn that are likely to go wrong: at edges and
/// corners, in face planes, grazing, denormal. Each machine is asked for the closest hit, any hit
/// and all hits, with both triangle rules. The sums for each machine on each format are shown, with
/// --all every scene, preset, rule and query. An answer that differs from brute force in one bit is
/// a mismatch, and the exit status is 1. A loss is a difference that the machine is known for; it
/// is counted and does not fail.
///
/// With images, each machine that reads their format walks them as they are stored, and is compared
/// with brute force on what they store: how many hits it loses, on which primitives, and through
/// which node and child. Rays are aimed at edges of triangles and at boxes of nodes. The exit
/// status is 1 if a machine loses hits that it should not lose, and if every machine that is made
/// for the format refuses an image: then nothing was compared that hardware would do.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray conformance
  siliray conformance capture.rra
  siliray conformance --seed 7 --rays 10000 --only scene=interior --only query=closest
  siliray conformance --only format=gfx12 --only scene=forest --stack-size 2
  siliray conformance --only format=tree --rays 100 --all
  siliray conformance --only format=tree --json")]
pub(crate) struct Conformance {
    /// Images to walk as they are stored, instead of the table
    #[arg(value_name = "IMAGE", conflicts_with = "only")]
    pub(crate) images: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) seed: SeedChoice,

    /// Rays for each scene and preset, 1 to 1000000
    #[arg(long, alias = "count", value_name = "N", default_value_t = 2000)]
    #[arg(value_parser = |text: &str| values::count(text, 1, 1_000_000))]
    #[arg(allow_negative_numbers = true)]
    pub(crate) rays: usize,

    /// Only cells with this value: format=, machine=, scene=, preset=, rule= or query=; may be
    /// repeated
    ///
    /// Several values of one column are alternatives; between columns all must hold.
    #[arg(long, value_name = "COLUMN=VALUE")]
    pub(crate) only: Vec<Filter>,

    /// Show every cell, not only the sums for each machine on each format
    #[arg(long)]
    pub(crate) all: bool,

    /// Entries of the traversal stack, for machines that have one: 8, 16, 32 or 64 on GFX11, 1 to
    /// 31 with the stack instruction of GFX12, else 1 to 255
    #[arg(long, value_name = "N", default_value_t = 16, allow_negative_numbers = true)]
    #[arg(value_parser = values::stack_size)]
    pub(crate) stack_size: u8,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

/// Print completions for a shell.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray completions bash > ~/.local/share/bash-completion/completions/siliray
  siliray completions zsh > ~/.zfunc/_siliray
  siliray completions fish > ~/.config/fish/completions/siliray.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Print the manual page of a command, in roff.
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command; without one, the page of siliray itself
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_long_version_is_the_extensions_own() {
        assert!(LONG_VERSION.ends_with(siliray::xphmg::VERSION));
    }
}
