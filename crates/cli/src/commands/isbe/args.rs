//! The options of `siliray isbe` and their help.

use crate::finding_args::FindingChoice;
use crate::program_text::ProgramText;
use crate::values;
use clap::{Args, Subcommand};
use siliray::isbe::mesh::position::PositionSlot;
use siliray::isbe::program::Assignment;
use siliray::isbe::{AttributeId, Stage, Topology};
use std::ffi::OsString;
use std::path::PathBuf;

/// Look into ISBE, the staging memory of NVIDIA mesh shaders.
///
/// ISBE carries attributes from stage to stage and to the primitive engine. These commands say
/// where each byte of it belongs, check and explain dumps of it (.isbe files), turn dumps into
/// meshes and meshes into dumps, and assemble and run the instructions that touch it. docs/isbe.md
/// tells more.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe layout --attributes POINT_SIZE,POSITION_X --vertices 256
  siliray isbe capture bunny.ply -o bunny.isbe
  siliray isbe check bunny.isbe
  siliray isbe mesh bunny.isbe -o again.ply
  siliray isbe asm -e 'ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];'
  siliray isbe run kernel.sass --lanes 32 --input bunny.isbe")]
pub(crate) struct Isbe {
    #[command(subcommand)]
    pub(crate) command: IsbeCommand,
}

/// What can be done with ISBE memory.
#[derive(Debug, Subcommand)]
pub(crate) enum IsbeCommand {
    Info(Info),
    Check(Check),
    Inspect(Inspect),
    Layout(Layout),
    /// List the attributes: ids, names, units and meanings, bits in a header
    ///
    /// A vector such as POSITION stands for all its components, POSITION_X to POSITION_W.
    Attributes,
    Asm(Asm),
    Disasm(Disasm),
    Run(Box<Run>),
    Mesh(Mesh),
    Capture(Capture),
}

/// Say what is in a dump.
#[derive(Debug, Args)]
pub(crate) struct Info {
    #[command(flatten)]
    pub(crate) dump: DumpFile,
}

/// Check every byte of a dump.
///
/// Each finding names the byte and the bits, the rule, what was found and what was expected. The
/// exit status is 1 if there is an error; warnings are no error.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) dump: DumpFile,

    #[command(flatten)]
    pub(crate) findings: FindingChoice,
}

/// Explain the bytes of a dump.
///
/// With --offset: the region, attribute, vertex and lane that a byte of the file belongs to.
/// Otherwise the vertices and primitives of a workgroup, or with --csv every word of its memory.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe inspect bunny.isbe --offset 0x12c4
  siliray isbe inspect bunny.isbe --workgroup 3
  siliray isbe inspect bunny.isbe --csv > bunny.csv")]
pub(crate) struct Inspect {
    #[command(flatten)]
    pub(crate) dump: DumpFile,

    /// A byte of the file; hex with 0x; may be repeated
    #[arg(long, value_name = "N", value_parser = values::address, allow_negative_numbers = true)]
    pub(crate) offset: Vec<u64>,

    /// Which workgroup of the file, from 0 [default: 0; with --csv: all]
    #[arg(long, value_name = "N", conflicts_with = "offset", allow_negative_numbers = true)]
    #[arg(value_parser = values::index)]
    pub(crate) workgroup: Option<usize>,

    /// Print comma-separated values, a row for each word of ATTR and each byte of MAP
    #[arg(long, conflicts_with_all = ["offset", "json"])]
    pub(crate) csv: bool,
}

/// Show where attributes and indices lie.
///
/// Attributes are given by name, as in POSITION (all four components), POSITION_X or GENERIC3, or
/// by id, as in 0x70; `siliray isbe attributes` lists them all.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe layout --attributes POINT_SIZE,POSITION_X --vertices 256
  siliray isbe layout --attributes POSITION,GENERIC0 --vertices 128 \\
      --primitive-attributes VIEWPORT_MASK --primitives 200
  siliray isbe layout --attributes ATTR_POINT_SIZE --vertices 64 --topology lines")]
pub(crate) struct Layout {
    /// The attributes of each vertex
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    #[arg(value_parser = attributes)]
    pub(crate) attributes: Vec<Vec<AttributeId>>,

    /// The declared maximum of vertices, 1 to 256
    #[arg(long, value_name = "N")]
    pub(crate) vertices: u32,

    /// The attributes of each primitive
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = attributes)]
    pub(crate) primitive_attributes: Vec<Vec<AttributeId>>,

    /// The declared maximum of primitives, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub(crate) primitives: u32,

    /// What the indices of MAP make: points, lines or triangles
    #[arg(long, value_name = "NAME", default_value = "triangles", value_parser = topology)]
    pub(crate) topology: Topology,

    /// Lines of shared memory behind the attributes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) shared_lines: u16,

    /// Allow as many primitives as the method's field has room for, 1023
    #[arg(long)]
    pub(crate) raw_limits: bool,
}

/// Assemble ISBERD, ISBEWR, ALD, AST, AL2P and VILD.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe asm -e 'ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];'
  siliray isbe asm program.txt --sm 86 -o program.bin")]
pub(crate) struct Asm {
    #[command(flatten)]
    pub(crate) source: Source,

    /// Write the words to a file, little endian, instead of printing them
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Disassemble instruction words.
///
/// A file holds words as bytes, little endian, or as 16 hex digits each: for SM70 and later two for
/// an instruction, the low half first. Other instructions are shown as words.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe disasm -e '0000420002017923 000000000000f800'
  siliray isbe disasm program.bin --sm 86")]
pub(crate) struct Disasm {
    #[command(flatten)]
    pub(crate) source: Source,
}

/// Run a program of ISBERD, ISBEWR, ALD, AST, AL2P and VILD, and show what it leaves.
///
/// The program runs on one unit: a mesh workgroup, or a warp of another stage. Its headers and its
/// memory come from --input, or the options below make them, with all memory zero but for the
/// number of a mesh workgroup. --set gives registers their first values, as nothing in such a
/// program computes: R2=5, R2=4*lane+0x10, R3=0.5*lane+1.0, and P0=0xff for lanes 0 to 7. Shown are
/// the registers that were written, the regions without their lines of zeros, and the loads that
/// follow a store: with shared input and output space (bit 25 of the header) these may read what
/// was stored. A fault ends the program with its line and lane, and nothing is written.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe run kernel.sass --lanes 32
  siliray isbe run kernel.sass --lanes 32 --input dump.isbe --workgroup 0 -o after.isbe
  siliray isbe run -e 'ISBERD.O.ATTR.SKEW.32 R1, [R0];' --set 'R0=4*lane' --input dump.isbe
  siliray isbe run -e 'AST a[0x70], R1, R0; ALD R2, a[0x70], R0;' --set R0=lane \\
      --set 'R1=0.5*lane' --stage vertex --share --inputs POSITION --attributes POSITION")]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) program: ProgramText,

    /// How many lanes take part, 1 to 32
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub(crate) lanes: usize,

    /// What a register or predicate begins with; may be repeated
    #[arg(long = "set", value_name = "R=VALUE")]
    pub(crate) registers: Vec<Assignment>,

    /// A .isbe file whose headers and memory are taken
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// Which unit of --input, from 0; without --input, its number
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    #[arg(value_parser = values::index)]
    pub(crate) workgroup: usize,

    /// Write the memory to a .isbe file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Let input and output share storage, as bit 25 of the header does
    #[arg(long)]
    pub(crate) share: bool,

    /// Bytes of PATCH in each space, if --input has none
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) patch: u16,

    /// Bytes of PRIM in each space, if --input has none
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) prim: u16,

    /// Allow as many primitives as the method's field has room for, 1023
    #[arg(long)]
    pub(crate) raw_limits: bool,

    #[command(flatten)]
    pub(crate) unit: UnitShape,
}

/// What a unit is, where no dump says it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options without --input")]
pub(crate) struct UnitShape {
    /// The stage: mesh, vertex, tess-control, tess-evaluation or geometry
    #[arg(long, value_name = "NAME", default_value = "mesh", value_parser = stage)]
    #[arg(conflicts_with = "input")]
    pub(crate) stage: Stage,

    /// The generation: 75 is Turing, 86 GA10x, 120 Blackwell
    #[arg(long, value_name = "N", default_value_t = 86, conflicts_with = "input")]
    pub(crate) sm: u16,

    /// The output attributes of each vertex
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "POSITION")]
    #[arg(value_parser = attributes, conflicts_with = "input")]
    pub(crate) attributes: Vec<Vec<AttributeId>>,

    /// The declared maximum of output vertices, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 32, conflicts_with = "input")]
    pub(crate) vertices: u16,

    /// The input attributes of each vertex [default: VERTEX_ID]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = attributes)]
    #[arg(conflicts_with = "input")]
    pub(crate) inputs: Vec<Vec<AttributeId>>,

    /// Input vertices; a mesh workgroup has one
    #[arg(long, value_name = "N", default_value_t = 32, conflicts_with = "input")]
    pub(crate) input_vertices: u16,

    /// Primitives of the input MAP; none for mesh
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "input")]
    pub(crate) input_primitives: u16,

    /// Vertices of each of them: control points of a patch, 3 for triangles
    #[arg(long, value_name = "N", default_value_t = 3, conflicts_with = "input")]
    pub(crate) input_corners: u8,

    /// The output attributes of each primitive of a mesh workgroup
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = attributes)]
    #[arg(conflicts_with = "input")]
    pub(crate) primitive_attributes: Vec<Vec<AttributeId>>,

    /// The declared maximum of primitives of a mesh workgroup, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 32, conflicts_with = "input")]
    pub(crate) primitives: u16,

    /// What the indices of a mesh workgroup make: points, lines or triangles
    #[arg(long, value_name = "NAME", default_value = "triangles", value_parser = topology)]
    #[arg(conflicts_with = "input")]
    pub(crate) topology: Topology,

    /// Lines of shared memory of a mesh workgroup
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "input")]
    pub(crate) shared_lines: u16,
}

/// Turn a dump into a mesh.
///
/// POSITION is divided by its w, after the inverse of the view-projection if one is given. Culled
/// primitives, and those with a corner at infinity, are left out and counted.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe mesh dump.isbe -o mesh.ply
  siliray isbe mesh dump.isbe -o mesh.ply --inverse-view-projection camera.json
  siliray isbe mesh dump.isbe -o mesh.stl --position GENERIC3")]
pub(crate) struct Mesh {
    #[command(flatten)]
    pub(crate) dump: DumpFile,

    /// The file to write; its ending names the format: .obj, .ply or .stl
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// A JSON file with 4 rows of 4 numbers, applied to columns: from clip space to the world
    #[arg(long, value_name = "FILE", conflicts_with = "position")]
    pub(crate) inverse_view_projection: Option<PathBuf>,

    /// The attribute that holds world positions: POSITION, or GENERIC0 to GENERIC31
    #[arg(long, value_name = "NAME", default_value = "POSITION")]
    pub(crate) position: PositionSlot,

    /// Keep points and lines: the box around each becomes twelve triangles
    #[arg(long)]
    pub(crate) boxes: bool,
}

/// Split a mesh into meshlets and emit them through the model.
///
/// Each meshlet is one workgroup of the dump. The numbers of its vertices and triangles are noted
/// in shared memory, so that the dump is the same scene again wherever a scene is taken.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe capture bunny.ply -o bunny.isbe
  siliray isbe capture forest --triangles 1e6 -o forest.isbe --vertices 64 --primitives 126")]
pub(crate) struct Capture {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The .isbe file to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// The generation, 75 or later
    #[arg(long, value_name = "N", default_value_t = 86)]
    pub(crate) sm: u16,

    /// Most vertices of a meshlet, 3 to 256
    #[arg(long, value_name = "N", default_value_t = 128)]
    pub(crate) vertices: u16,

    /// Most triangles of a meshlet, 1 to 256
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub(crate) primitives: u16,

    /// Write positions to this attribute as well: GENERIC0 to GENERIC31
    #[arg(long, value_name = "NAME", default_value = "POSITION")]
    pub(crate) position: PositionSlot,
}

/// A dump.
#[derive(Debug, Args)]
pub(crate) struct DumpFile {
    /// A .isbe file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Allow as many primitives as the method's field has room for, 1023
    #[arg(long)]
    pub(crate) raw_limits: bool,
}

/// A program of a generation.
#[derive(Debug, Args)]
pub(crate) struct Source {
    #[command(flatten)]
    pub(crate) program: ProgramText,

    /// The generation: 75 is Turing, 86 GA10x, 120 Blackwell
    #[arg(long, value_name = "N", default_value_t = 86)]
    pub(crate) sm: u16,
}

fn topology(text: &str) -> Result<Topology, String> {
    Topology::from_name(text).ok_or_else(|| "expected points, lines or triangles".to_owned())
}

fn stage(text: &str) -> Result<Stage, String> {
    let names = Stage::ALL.map(Stage::name);
    let found = Stage::ALL.into_iter().find(|stage| stage.name() == text);
    found.ok_or_else(|| format!("expected one of {}", names.join(", ")))
}

fn attributes(text: &str) -> Result<Vec<AttributeId>, String> {
    AttributeId::parse_all(text.trim()).map_err(|error| error.to_string())
}
