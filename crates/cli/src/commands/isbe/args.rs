//! The options of `siliray isbe` and their help.

use crate::image_args::FindingChoice;
use crate::program_text::ProgramText;
use crate::values;
use clap::{Args, Subcommand};
use siliray::isbe::AttributeId;
use siliray::isbe::mesh::position::PositionSlot;
use std::ffi::OsString;
use std::path::PathBuf;

/// Look into ISBE, the staging memory of NVIDIA mesh shaders.
///
/// ISBE carries attributes from mesh shaders to the primitive engine. These commands say where each
/// byte of it belongs, check and explain dumps of it (.isbe files), turn dumps into meshes and
/// meshes into dumps, and assemble the instructions that touch it. docs/isbe.md tells more.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe layout --attributes POINT_SIZE,POSITION_X --vertices 256
  siliray isbe capture bunny.ply -o bunny.isbe
  siliray isbe check bunny.isbe
  siliray isbe mesh bunny.isbe -o again.ply
  siliray isbe asm -e 'ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];'")]
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

/// Show where attributes lie.
///
/// Attributes are given by name, as in POSITION (all four components), POSITION_X or GENERIC3, or
/// by id, as in 0x70; `siliray isbe attributes` lists them all.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray isbe layout --attributes POINT_SIZE,POSITION_X --vertices 256
  siliray isbe layout --attributes POSITION,GENERIC0 --vertices 128 \\
      --primitive-attributes VIEWPORT_MASK --primitives 200")]
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

fn attributes(text: &str) -> Result<Vec<AttributeId>, String> {
    AttributeId::parse_all(text.trim()).map_err(|error| error.to_string())
}
