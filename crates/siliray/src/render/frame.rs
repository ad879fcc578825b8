//! One sample of every pixel: what is there and how much light reaches it.

use super::ground::{self, Ground};
use super::light::{Light, World};
use super::rows::Rows;
use super::surface::SurfacePoint;
use super::{RenderError, ask, sampling};
use geometry::Vec3;
use machine::{Answer, Counters, HitKind};
use scene::Camera;

/// One sample of every pixel.
pub(crate) struct Frame {
    /// Pixels in a row.
    pub(crate) width: u32,
    /// The samples, rows from the top.
    pub(crate) samples: Vec<Sample>,
    /// What the machine did.
    pub(crate) counters: Counters,
}

/// What a ray through a pixel found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Sample {
    /// Nothing, in this direction.
    Sky(Vec3),
    /// A surface.
    Surface {
        /// Where.
        point: SurfacePoint,
        /// The share of light that it reflects.
        albedo: Vec3,
        /// Whether the sun reaches it; `None` where it faces away from the sun.
        sun: Option<bool>,
        /// What comes from the sky, in the direction that was tried.
        sky: Vec3,
        /// How much of it is lost in the distance.
        haze: f32,
    },
}

/// What a picture shows, and how.
pub(crate) struct Shot<'a> {
    /// What there is.
    pub(crate) world: World<'a>,
    /// Where it is seen from.
    pub(crate) camera: &'a Camera,
    /// What lights it.
    pub(crate) light: Light,
    /// What it stands on.
    pub(crate) ground: Option<Ground>,
}

impl Frame {
    /// Traces sample number `sample` of every pixel.
    pub(crate) fn trace(
        shot: &Shot<'_>,
        width: u32,
        rows: &Rows<'_>,
        sample: u32,
    ) -> Result<Self, RenderError> {
        let height = rows.height();
        let [dx, dy] = sampling::in_pixel(sample);
        let mut samples = vec![Sample::Sky(Vec3::ZERO); width as usize * height as usize];
        let counters = rows.fill(&mut samples, width, |y, row, counters| {
            for (x, pixel) in (0..).zip(row) {
                let ray = shot.camera.ray(x as f32 + dx, y as f32 + dy, width, height);
                let points =
                    [0, 1].map(|purpose| sampling::point(x, y, PER_SAMPLE * sample, purpose));
                *pixel = shot.sample(&ray, points, counters)?;
            }
            Ok(())
        })?;
        Ok(Self { width, samples, counters })
    }
}

/// Points of light that a sample may have: its own, and those that a pixel without neighbours asks
/// for.
pub(crate) const PER_SAMPLE: u32 = 4;

impl Shot<'_> {
    fn sample(
        &self,
        ray: &geometry::Ray,
        [for_sun, for_sky]: [[f32; 2]; 2],
        counters: &mut Counters,
    ) -> Result<Sample, RenderError> {
        let world = &self.world;
        let hit = ask(world.machine, HitKind::Closest, *ray, &mut Answer::default(), counters)?;
        let below = self.ground.and_then(|ground| ground.meet(ray));
        let (point, albedo, haze) = match (hit, below) {
            (Some(hit), below) if below.is_none_or(|(t, ..)| hit.t <= t) => {
                let point = world.surfaces.at(ray, &hit)?;
                (point, world.materials.albedo(&point.place), 0.0)
            }
            (_, Some((_, point, haze))) => (point, ground::ALBEDO, haze),
            _ => return Ok(Sample::Sky(ray.direction)),
        };
        let sun = self.light.sun_at(world, &point, for_sun, counters)?;
        let sky = self.light.sky_at(world, &point, for_sky, counters)?;
        Ok(Sample::Surface { point, albedo, sun, sky, haze })
    }
}
