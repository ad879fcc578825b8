//! The options of the commands around beams.

use crate::machine_args::MachineChoice;
use crate::shared_args::PresetChoice;
use crate::values;
use clap::Args;
use siliray::geometry::Aabb;
use std::ffi::OsString;

/// Move a box through a scene, and say what it meets.
///
/// The box goes in a straight line from one place to another, and may grow or shrink on the way. t
/// is 0 at the start and 1 at the end. Without --exact a triangle counts as met when its own box
/// is: none is missed, and the first contact is never late. With --exact the triangles themselves
/// are tested, decided exactly.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray beam model.glb --from 0,0,0,1,1,1 --to 9,0,0,10,1,1
  siliray beam interior --from -1,0.5,0,1,2,2 --to -1,0.5,8,1,2,10 --first --exact
  siliray beam forest --from 0,0,0,1,2,1 --to 5,0,5,6,2,6 --all --json")]
pub(crate) struct Beam {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The box at the start: minx,miny,minz,maxx,maxy,maxz
    #[arg(long, value_name = "BOX", value_parser = values::aabb, allow_hyphen_values = true)]
    pub(crate) from: Aabb,

    /// The box at the end
    #[arg(long, value_name = "BOX", value_parser = values::aabb, allow_hyphen_values = true)]
    pub(crate) to: Aabb,

    /// Find what is met first (the default)
    #[arg(long, conflicts_with = "all")]
    pub(crate) first: bool,

    /// Find everything that is met
    #[arg(long)]
    pub(crate) all: bool,

    /// Test triangles, not their boxes
    #[arg(long)]
    pub(crate) exact: bool,

    #[command(flatten)]
    pub(crate) tracer: MachineChoice,
}

/// Slide a part through a scene, and say where it first touches.
///
/// The part is a mesh of its own, where it stands. It moves along a vector without turning. The
/// answer is exact for the triangles of both: whether they touch on the way, and if so, when (as a
/// share of the way), where, and which two triangles. A part that touches at the start is said to.
/// Surfaces are what touches: a part inside a closed solid, away from its surface, touches nothing.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray clearance housing.stl --mesh battery.stl --along 0,0,120
  siliray clearance room.glb --mesh table.obj --along -4,0,0 --json")]
pub(crate) struct Clearance {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// The part: a mesh file
    #[arg(long, value_name = "PART")]
    pub(crate) mesh: OsString,

    /// Where it moves: x,y,z
    #[arg(long, value_name = "VECTOR", value_parser = values::vector, allow_hyphen_values = true)]
    pub(crate) along: [f32; 3],

    #[command(flatten)]
    pub(crate) preset: PresetChoice,
}
