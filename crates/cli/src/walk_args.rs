//! The options of `siliray walk`.

use crate::beam_args::VolumeChoice;
use crate::image_args::ImageChoice;
use crate::machine_args::{MachineChoice, machines};
use crate::shared_args::{CameraChoice, QueryChoice, RuleChoice};
use crate::values;
use clap::Args;
use siliray::geometry::Aabb;
use siliray::machine::MachineEntry;
use siliray::walk::hierarchy::Wanted;
use std::ffi::OsString;
use std::ops::Range;

/// Watch a machine walk, step by step.
///
/// One line for each step: nodes that are read, children with the interval in which the ray is
/// inside their box and what becomes of them, the instruction with its result registers where the
/// machine has one, the stack, instances, primitives, hits. An image is walked as it is stored.
/// With --why, what became of one primitive: the node, the child and the plane where the walk lost
/// it. With --against, the first step at which another machine does something else. --json prints
/// one object a line.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray build bunny.ply --format gfx12 --policy radv -o bunny.rra
  siliray walk bunny.rra --origin 0,0.1,5 --direction 0,0,-1 --machine gfx12-radv
  siliray walk interior --pixel 400,300 --steps 0..40
  siliray walk bunny.rra --pixel 400,300 --machine gfx12-gpurt --why 1042
  siliray walk bunny.rra --pixel 400,300 --machine gfx12-radv --against gfx12-gpurt
  siliray walk interior --beam 0,0,0,1,1,1 2,0,0,3,1,1 --machine reference --json
  siliray walk forest --sphere 0,1,0,2.5 --exact --machine ttu")]
pub(crate) struct Walk {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE")]
    pub(crate) scene: OsString,

    /// Where the ray starts
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true)]
    #[arg(requires = "direction", conflicts_with_all = ["pixel", "beam", "sphere", "frustum"])]
    pub(crate) origin: Option<[f32; 3]>,

    /// Where the ray goes; of any length
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true)]
    #[arg(requires = "origin")]
    pub(crate) direction: Option<[f32; 3]>,

    /// Where the ray or the frustum begins to count
    #[arg(long, value_name = "T", default_value = "0", value_parser = values::float)]
    #[arg(conflicts_with_all = ["pixel", "beam", "sphere"], allow_hyphen_values = true)]
    pub(crate) tmin: f32,

    /// Where it ends
    #[arg(long, value_name = "T", default_value = "inf", value_parser = values::float)]
    #[arg(conflicts_with_all = ["pixel", "beam", "sphere"], allow_hyphen_values = true)]
    pub(crate) tmax: f32,

    /// The ray through a pixel, as `render` with the same size and camera sends it
    #[arg(long, value_name = "X,Y", value_parser = values::pixel)]
    #[arg(conflicts_with_all = ["beam", "sphere", "frustum", "aspect"])]
    pub(crate) pixel: Option<[u32; 2]>,

    /// The size of the picture that the pixel is in
    #[arg(long, value_name = "WxH", default_value = "800x600", value_parser = values::size)]
    #[arg(allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["origin", "beam", "sphere", "frustum"])]
    pub(crate) size: values::Size,

    #[command(flatten)]
    pub(crate) view: CameraChoice,

    /// A box that moves from one place to another: minx,miny,minz,maxx,maxy,maxz twice
    #[arg(long, value_names = ["FROM", "TO"], num_args = 2, value_parser = values::aabb)]
    #[arg(allow_hyphen_values = true, conflicts_with_all = ["sphere", "frustum"])]
    pub(crate) beam: Option<Vec<Aabb>>,

    #[command(flatten)]
    pub(crate) volume: VolumeChoice,

    /// Test triangles, not their boxes, with a beam, a sphere or a frustum
    #[arg(long, conflicts_with_all = ["origin", "pixel"])]
    pub(crate) exact: bool,

    #[command(flatten)]
    pub(crate) query: QueryChoice,

    /// The ray's instance mask
    #[arg(long, value_name = "MASK", default_value = "0xff", value_parser = values::mask)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) mask: u8,

    /// Show only these steps
    #[arg(long, value_name = "A..B", value_parser = values::steps)]
    pub(crate) steps: Option<Range<usize>>,

    /// Follow one primitive: its number, or geometry:primitive, or instance:geometry:primitive
    #[arg(long, value_name = "PRIMITIVE", value_parser = values::primitive)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) why: Option<Wanted>,

    /// Stop where this machine does something else
    #[arg(long, value_name = "MACHINE", value_parser = machines(), conflicts_with = "why")]
    pub(crate) against: Option<&'static MachineEntry>,

    #[command(flatten)]
    pub(crate) tracer: MachineChoice,

    #[command(flatten)]
    pub(crate) rule: RuleChoice,

    #[command(flatten)]
    pub(crate) image: ImageChoice,
}

impl Walk {
    /// Whether the machine must take beams.
    pub(crate) fn takes_beams(&self) -> bool {
        self.beam.is_some() || self.volume.sphere.is_some() || self.volume.frustum.is_some()
    }
}
