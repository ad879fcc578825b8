//! Pictures of a scene, as a machine sees it.
//!
//! A camera asks one closest query for each pixel. A *shaded* picture asks two more where something
//! is hit: toward the sun and into the sky. A *heat map* shows instead how much work the machine
//! did for the pixel. Rows are rendered in parallel; every pixel depends on its position alone, so
//! the picture is the same for any number of threads.
//!
//! | file | concept |
//! |---|---|
//! | [`picture`] | pixels, and PNG |
//! | [`heat_map`] | what a heat map counts, and its colours |
//! | `legend` | the scale of a heat map, drawn below it |
//! | `frame` | one sample of every pixel: what is there and how much light reaches it |
//! | [`losses`] | where a machine does not see what is there |
//! | `rows` | pictures row by row, on all threads |
//! | `sampling` | the fixed pattern of sample points |
//! | `surface` | from the ids of a hit to a point and a normal |
//! | `light` | sun, sky, the light between surfaces, and where the sun stands |
//! | `ground` | what objects stand on |
//! | `material` | the colour of a place on a geometry |
//! | `texture` | pictures on surfaces, decoded and sampled |
//! | `smooth` | averaging the light of neighbouring pixels on the same surface |

mod frame;
mod ground;
pub mod heat_map;
mod legend;
mod light;
pub mod losses;
mod material;
pub mod picture;
mod rows;
pub(crate) mod sampling;
mod smooth;
pub mod surface;
mod texture;

pub use heat_map::{HeatMap, Measure, NotCounted, measures};
pub use losses::LostPixels;
pub use picture::{Picture, PngError};

use build::ProgressFn;
use frame::{Frame, Shot};
use geometry::{Ray, TriangleRule, Vec3};
use ground::Ground;
use light::{Light, World};
use machine::{
    Answer, Counters, Hit, HitKind, Machine, MachineEntry, MachineError, MachineInput, Query,
};
use material::Materials;
use rows::Rows;
use scene::{Camera, Scene};
use smooth::Shade;
use std::ops::Range;
use surface::Surfaces;
use tree::Tree;

/// Most pixels on one side of a picture.
pub const MAX_SIDE: u32 = 16_384;

/// Most pixels of a picture: as many as 8K has.
pub const MAX_PIXELS: u64 = 1 << 25;

/// Most samples of a pixel.
pub const MAX_SAMPLES: u32 = 256;

/// How a picture is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// What the pixels show.
    pub style: Style,
}

/// What the pixels of a picture show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Surfaces in sunlight, with soft shadows; each pixel is the mean of `samples` points of it.
    Shaded {
        /// Points of each pixel, 1 to [`MAX_SAMPLES`].
        samples: u32,
    },
    /// How much work the machine did for the ray through the middle of the pixel.
    HeatMap(Measure),
}

/// A picture and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendering {
    /// The picture.
    pub picture: Picture,
    /// What the machine counted; `queries` is the number of rays.
    pub counters: Counters,
    /// The scale of the colours, for a heat map.
    pub heat_map: Option<HeatMap>,
    /// What is not shown as the scene's file says: pictures on surfaces that cannot be decoded.
    pub warnings: Vec<String>,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RenderError {
    /// The picture has no pixels or too many.
    #[error(
        "a picture of {width}x{height} pixels, expected 1x1 to {MAX_SIDE}x{MAX_SIDE} and at most \
         {MAX_PIXELS} pixels"
    )]
    Size {
        /// Pixels in a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// There are no such rows.
    #[error("rows {first} to {end} of a picture with {height} rows")]
    Rows {
        /// The first row.
        first: u32,
        /// The row behind the last.
        end: u32,
        /// How many rows there are.
        height: u32,
    },
    /// A pixel has no samples or too many.
    #[error("{0} samples a pixel, expected 1 to {MAX_SAMPLES}")]
    Samples(u32),
    /// The camera sees nothing.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// A hit names a primitive that the tree does not have.
    #[error(
        "the machine {machine} hit instance {instance}, geometry {geometry}, primitive \
         {primitive}, which the tree does not have"
    )]
    UnknownPrimitive {
        /// Name of the machine.
        machine: &'static str,
        /// Which instance.
        instance: u32,
        /// Which geometry.
        geometry: u32,
        /// Which primitive.
        primitive: u32,
    },
    /// The machine gave up.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The watcher asked to stop.
    #[error("cancelled")]
    Cancelled,
}

/// Why a camera sees nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CameraError {
    /// A coordinate is NaN or infinite.
    #[error("the camera has a coordinate that is not finite")]
    NotFinite,
    /// There is no direction to look in.
    #[error("the camera's eye and target are the same point, or too close to tell apart")]
    NoDirection,
    /// The direction up is the direction in which the camera looks.
    #[error("the camera looks along its own up direction")]
    NoUp,
    /// The field of view is not an angle that a pinhole can have.
    #[error("the camera's field of view must lie between 0.001 and 179 degrees")]
    Fov,
}

/// What is seen.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The tree that the machine walks, or that its image decodes to.
    pub tree: &'a Tree,
    /// The scene that it was built from: it has colours, or names that tell them.
    pub scene: Option<&'a Scene>,
    /// What the machine stands on: it may have numbered the things of the scene anew.
    pub input: Option<&'a MachineInput>,
}

impl<'a> View<'a> {
    /// A tree that comes from nowhere.
    #[must_use]
    pub const fn of(tree: &'a Tree) -> Self {
        Self { tree, scene: None, input: None }
    }
}

/// Renders what `machine`, which walks `view`, sees from `camera`.
///
/// # Errors
/// When the settings or the camera make no sense, the machine fails, or `watch` breaks.
pub fn render(
    view: &View<'_>,
    machine: &dyn Machine,
    camera: &Camera,
    settings: &Settings,
    watch: &ProgressFn<'_>,
) -> Result<Rendering, RenderError> {
    let Settings { width, height, style } = *settings;
    check_camera(camera)?;
    check_size(width, height)?;
    match style {
        Style::HeatMap(measure) => {
            let rows = Rows::new(watch, height, 1);
            heat_map::render(machine, camera, width, &rows, measure)
        }
        Style::Shaded { samples } => {
            if !(1..=MAX_SAMPLES).contains(&samples) {
                return Err(RenderError::Samples(samples));
            }
            // Each sample is traced, then shaded.
            let rows = Rows::new(watch, height, 2 * samples);
            shaded(view, machine, camera, width, &rows, samples)
        }
    }
}

/// Renders the pixels that a machine of the registry loses, which walks `input`.
///
/// # Errors
/// As [`render`], and when a transform is singular.
pub fn render_losses(
    input: &MachineInput,
    machine: (&MachineEntry, &dyn Machine),
    rule: TriangleRule,
    camera: &Camera,
    [width, height]: [u32; 2],
    watch: &ProgressFn<'_>,
) -> Result<(Rendering, LostPixels), RenderError> {
    check_camera(camera)?;
    check_size(width, height)?;
    losses::render(input, machine, rule, camera, width, &Rows::new(watch, height, 1))
}

/// The counts of some rows of a heat map: what [`HeatMap::counts`] of the whole map has there.
///
/// # Errors
/// As [`render`], and when the map has no such rows.
pub fn heat_map_rows(
    machine: &dyn Machine,
    camera: &Camera,
    [width, height]: [u32; 2],
    rows: Range<u32>,
    measure: Measure,
    watch: &ProgressFn<'_>,
) -> Result<Vec<u32>, RenderError> {
    check_camera(camera)?;
    check_size(width, height)?;
    if rows.is_empty() || rows.end > height {
        return Err(RenderError::Rows { first: rows.start, end: rows.end, height });
    }
    let mut counts = vec![0; width as usize * rows.len()];
    let part = Rows::new(watch, rows.end - rows.start, 1).from(rows.start);
    heat_map::count(machine, camera, [width, height], &part, measure, &mut counts)?;
    Ok(counts)
}

/// One hit of a ray; what that took is added to `counters`.
fn ask(
    machine: &dyn Machine,
    kind: HitKind,
    ray: Ray,
    answer: &mut Answer,
    counters: &mut Counters,
) -> Result<Option<Hit>, MachineError> {
    answer.counters = Counters::default();
    machine.answer_into(&Query::ray(kind, ray), answer)?;
    *counters += answer.counters;
    Ok(answer.hits.first().copied())
}

fn check_size(width: u32, height: u32) -> Result<(), RenderError> {
    let pixels = u64::from(width) * u64::from(height);
    if width.min(height) == 0 || width.max(height) > MAX_SIDE || pixels > MAX_PIXELS {
        return Err(RenderError::Size { width, height });
    }
    Ok(())
}

/// Whether rays through this camera go anywhere.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn check_camera(camera: &Camera) -> Result<(), CameraError> {
    let Camera { eye, target, up, fov } = *camera;
    if ![eye, target, up].into_iter().all(Vec3::is_finite) || !fov.is_finite() {
        return Err(CameraError::NotFinite);
    }
    if !(0.001..=179.0).contains(&fov) {
        return Err(CameraError::Fov);
    }
    let [_, _, forward] = camera.axes();
    if !forward.is_finite() {
        return Err(CameraError::NoDirection);
    }
    let sideways = forward.as_dvec3().cross(up.as_dvec3().normalize()).length();
    if sideways > 1.0e-6 { Ok(()) } else { Err(CameraError::NoUp) }
}

fn shaded(
    view: &View<'_>,
    machine: &dyn Machine,
    camera: &Camera,
    width: u32,
    rows: &Rows<'_>,
    samples: u32,
) -> Result<Rendering, RenderError> {
    let (surfaces, materials) = (Surfaces::new(*view, machine.name()), Materials::new(view.scene));
    let world = World { surfaces: &surfaces, materials: &materials, machine };
    let mut counters = Counters::default();
    let light = Light::choose(&world, camera, width, rows.height(), &mut counters)?;
    let ground = Ground::new(&surfaces, &light, camera.eye);
    let shot = Shot { world, camera, light, ground };
    let mut sums = vec![Shade::default(); width as usize * rows.height() as usize];
    for sample in 0..samples {
        let frame = Frame::trace(&shot, width, rows, sample)?;
        counters += frame.counters;
        counters += smooth::add_shaded(&shot, &frame, rows, sample, &mut sums)?;
    }
    let scale = 1.0 / samples as f32;
    let lights = sums.iter().map(|sum| sum.incident * scale).filter(|&light| light > 0.0);
    let exposure = light::exposure(lights) * scale;
    let pixels = sums.into_iter().map(|sum| light::tone(sum.colour * exposure)).collect();
    let picture = Picture { width, height: rows.height(), pixels };
    let warnings = materials.warnings(view.scene.map_or("", |scene| &scene.name));
    Ok(Rendering { picture, counters, heat_map: None, warnings })
}
