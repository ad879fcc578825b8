//! The options of the commands around beams.

use crate::failure::Failure;
use crate::machine_args::MachineChoice;
use crate::shared_args::PresetChoice;
use crate::values;
use clap::Args;
use siliray::geometry::beam::BeamError;
use siliray::geometry::beam::construct::Corners;
use siliray::geometry::{self, Aabb, Frustum, Ray, Sphere, Volume};
use siliray::machine::{BeamShape as Shape, LeafRule};
use std::ffi::OsString;

/// Move a box through a scene, or grow a sphere or a frustum, and say what is met.
///
/// The box goes in a straight line from one place to another, and may grow on the way. t is 0 at
/// the start and 1 at the end. Without --exact a triangle counts as met when its own box is: none
/// is missed, and the first contact is never late. With --exact the triangles themselves are
/// tested, decided exactly.
///
/// A sphere grows from its centre, and t is its radius so far: what is met first is what is
/// nearest. A frustum is what a camera sees between the depths --tmin and --tmax, and t is the
/// depth. Both are decided exactly, in the world: by the boxes of triangles or, with --exact, by
/// the triangles themselves.
///
/// With --box there is no scene: the beam is tested against that box, and each axis is shown with
/// its case, the two products Amin and Bmax and what they leave of the range, as the form with two
/// multiplications, the speculative and the naive form compute them, and as they are exactly.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray beam model.glb --from 0,0,0,1,1,1 --to 9,0,0,10,1,1
  siliray beam interior --from -1,0.5,0,1,2,2 --to -1,0.5,8,1,2,10 --first --exact
  siliray beam forest --from 0,0,0,1,2,1 --to 5,0,5,6,2,6 --all --json
  siliray beam forest --ray 0,1,9,0,0,-1 --dilate -0.5,-1,0,0.5,1,0 --tmax 20 --all
  siliray beam forest --sphere 0,1,0,2.5 --exact
  siliray beam interior --frustum 0,1,3,0,1,0,40 --aspect 1.5 --tmax 6 --all
  siliray beam --box 5,-1,-1,6,1,1 --from 0,0,0,1,1,1 --to 8,0,0,9,1,1
  siliray beam --box 5,-1,-1,6,1,1 --ray 0,0,0,1,0,0 --ray 0,1,0,1,0.1,0 --tmin 2
  siliray beam --box 21,-9,-9,99,3,9 --ray 0,0,0,7,1,0 --dilate 0,0,-1,0,0,1 --json")]
pub(crate) struct Beam {
    /// A file or a built-in scene
    #[arg(value_name = "SCENE", required_unless_present = "bounds")]
    pub(crate) scene: Option<OsString>,

    /// Test this box instead of a scene: minx,miny,minz,maxx,maxy,maxz; inf and -inf leave a side
    /// open
    #[arg(long = "box", id = "bounds", value_name = "BOX", allow_hyphen_values = true)]
    #[arg(value_parser = values::node_box)]
    #[arg(conflicts_with_all = ["scene", "first", "all", "exact", "format", "machine", "rebuild"])]
    #[arg(conflicts_with_all = ["preset", "sphere", "frustum"])]
    pub(crate) bounds: Option<Aabb>,

    #[command(flatten)]
    pub(crate) shape: BeamShape,

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

/// Which beam.
#[derive(Debug, Args)]
pub(crate) struct BeamShape {
    /// The box at the start: minx,miny,minz,maxx,maxy,maxz
    #[arg(long, value_name = "BOX", value_parser = values::aabb, allow_hyphen_values = true)]
    #[arg(requires = "to", conflicts_with_all = ["upper", "rays", "sphere", "frustum"])]
    from: Option<Aabb>,

    /// The box at the end
    #[arg(long, value_name = "BOX", value_parser = values::aabb, allow_hyphen_values = true)]
    #[arg(requires = "from")]
    to: Option<Aabb>,

    /// Corner ray A, of the largest coordinates, as origin and direction: ox,oy,oz,dx,dy,dz
    #[arg(long, value_name = "RAY", value_parser = values::ray, allow_hyphen_values = true)]
    #[arg(requires = "lower", conflicts_with_all = ["rays", "sphere", "frustum"])]
    upper: Option<Ray>,

    /// Corner ray B, of the smallest coordinates
    #[arg(long, value_name = "RAY", value_parser = values::ray, allow_hyphen_values = true)]
    #[arg(requires = "upper")]
    lower: Option<Ray>,

    /// A ray inside the beam, as origin and direction; may be repeated
    #[arg(long = "ray", value_name = "RAY", id = "rays", allow_hyphen_values = true)]
    #[arg(value_parser = values::ray, conflicts_with_all = ["sphere", "frustum"])]
    rays: Vec<Ray>,

    /// The box that is moved along the rays, around their points
    #[arg(long, value_name = "BOX", value_parser = values::aabb, allow_hyphen_values = true)]
    #[arg(requires = "rays", conflicts_with_all = ["sphere", "frustum"])]
    dilate: Option<Aabb>,

    #[command(flatten)]
    pub(crate) volume: VolumeChoice,

    /// The parameter at which the beam begins
    #[arg(long, value_name = "T", value_parser = values::float, allow_hyphen_values = true)]
    #[arg(default_value = "0", hide_default_value = true, conflicts_with = "sphere")]
    tmin: f32,

    /// The parameter at which it ends [default: 1 between boxes, else inf]
    #[arg(long, value_name = "T", value_parser = values::float, allow_hyphen_values = true)]
    #[arg(conflicts_with = "sphere")]
    tmax: Option<f32>,

    /// Let the box shrink on the way, as long as it is not inside out at the end
    #[arg(long, conflicts_with_all = ["sphere", "frustum"])]
    shrinking: bool,
}

/// A sphere or a frustum.
#[derive(Debug, Args)]
pub(crate) struct VolumeChoice {
    /// A sphere: x,y,z,radius
    #[arg(long, value_name = "SPHERE", value_parser = values::sphere, allow_hyphen_values = true)]
    #[arg(conflicts_with = "frustum")]
    pub(crate) sphere: Option<Sphere>,

    /// A frustum: the camera ex,ey,ez,tx,ty,tz,fov[,ux,uy,uz]; or 12 numbers, eye, forward, right
    /// and up, for the cross-sections eye + t (forward ± right ± up)
    #[arg(long, value_name = "FRUSTUM", value_parser = values::frustum, allow_hyphen_values = true)]
    pub(crate) frustum: Option<Frustum>,

    /// How many times as wide the frustum is as given; a camera's is as wide as it is high
    #[arg(long, value_name = "TIMES", value_parser = values::float, allow_hyphen_values = true)]
    #[arg(requires = "frustum", default_value = "1", hide_default_value = true)]
    #[arg(conflicts_with = "sphere")]
    aspect: f32,
}

impl VolumeChoice {
    /// What is asked about, if it is one of them; a frustum from one depth to another.
    pub(crate) fn shape(
        &self,
        near: f32,
        far: f32,
        leaf: LeafRule,
    ) -> Result<Option<Shape>, Failure> {
        let wide =
            |frustum: Frustum| Frustum { right: frustum.right * self.aspect, near, far, ..frustum };
        let frustum = self.frustum.map(wide).map(Volume::from);
        let volume = self.sphere.map(Volume::from).or(frustum);
        let shape = volume.map(|volume| Shape::volume(volume, leaf)).transpose();
        shape.map_err(|error| {
            let hint = "near is --tmin, far is --tmax, and right is times --aspect";
            Failure::usage(format!("--frustum is invalid: {error}")).hint(hint)
        })
    }
}

impl BeamShape {
    /// What is asked about.
    pub(crate) fn shape(&self, leaf: LeafRule) -> Result<Shape, Failure> {
        match self.volume.shape(self.tmin, self.tmax.unwrap_or(f32::INFINITY), leaf)? {
            Some(shape) => Ok(shape),
            None => Ok(Shape::new(self.beam()?.1, leaf)),
        }
    }

    /// The corner rays as they were asked for, and the beam that they make.
    pub(crate) fn beam(&self) -> Result<(Corners, geometry::Beam), Failure> {
        let invalid = |error: BeamError| {
            let failure = Failure::usage(format!("the beam is invalid: {error}"));
            match error {
                BeamError::DirectionInverted { .. } if !self.shrinking => {
                    failure.hint("a box that shrinks needs --shrinking and a finite --tmax")
                }
                _ => failure,
            }
        };
        let corners = match (self.from, self.to, self.upper, self.lower) {
            (Some(from), Some(to), ..) => Corners::between(&from, &to),
            (.., Some(upper), Some(lower)) => Corners {
                lower_origin: lower.origin,
                lower_direction: lower.direction,
                ..Corners::around(&upper)
            },
            _ if self.rays.is_empty() => {
                let message = "which beam? expected --from and --to, --upper and --lower, --ray, \
                               --sphere or --frustum";
                return Err(Failure::usage(message));
            }
            _ => Corners::enclosing(&self.rays).map_err(invalid)?,
        };
        let corners = self.dilate.iter().fold(corners, |corners, by| corners.dilated(by));
        let corners =
            Corners { tmin: self.tmin, tmax: self.tmax.unwrap_or(corners.tmax), ..corners };
        let make = if self.shrinking { geometry::Beam::new_shrinking } else { geometry::Beam::new };
        make(&corners).map(|beam| (corners, beam)).map_err(invalid)
    }
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
