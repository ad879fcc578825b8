//! One sample of every pixel: what is there and how much light reaches it.

use super::light::{self, Light, SUN_SPREAD};
use super::rows::Rows;
use super::sampling;
use super::surface::{SurfacePoint, Surfaces};
use super::{RenderError, ask};
use geometry::Vec3;
use machine::{Answer, Counters, HitKind, Machine};
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
        /// Where and which.
        point: SurfacePoint,
        /// Unit vector toward the camera.
        to_camera: Vec3,
        /// Whether the sun reaches it; `None` where it faces away from the sun.
        sun: Option<bool>,
        /// Whether the sky reaches it, in the direction that was tried.
        sky: bool,
    },
}

impl Frame {
    /// Traces sample number `sample` of every pixel.
    pub(crate) fn trace(
        surfaces: &Surfaces<'_>,
        machine: &dyn Machine,
        camera: &Camera,
        width: u32,
        rows: &Rows<'_>,
        sample: u32,
        light: &Light,
    ) -> Result<Self, RenderError> {
        let height = rows.height();
        let [dx, dy] = sampling::in_pixel(sample);
        let mut samples = vec![Sample::Sky(Vec3::ZERO); width as usize * height as usize];
        let counters = rows.fill(&mut samples, width, |y, row, counters| {
            let mut answer = Answer::default();
            for (x, pixel) in (0..).zip(row) {
                let ray = camera.ray(x as f32 + dx, y as f32 + dy, width, height);
                let hit = ask(machine, HitKind::Closest, ray, &mut answer, counters)?;
                *pixel = match hit {
                    None => Sample::Sky(ray.direction),
                    Some(hit) => {
                        let point = surfaces.at(&ray, &hit)?;
                        let points = [0, 1].map(|purpose| sampling::point(x, y, sample, purpose));
                        lit(machine, light, point, -ray.direction, points, counters)?
                    }
                };
            }
            Ok(())
        })?;
        Ok(Self { width, samples, counters })
    }
}

/// Finds out what reaches `point`.
fn lit(
    machine: &dyn Machine,
    light: &Light,
    point: SurfacePoint,
    to_camera: Vec3,
    [for_sun, for_sky]: [[f32; 2]; 2],
    counters: &mut Counters,
) -> Result<Sample, RenderError> {
    let sun = if point.normal.dot(light.sun) > 0.0 {
        let direction = sampling::cone_direction(light.sun, SUN_SPREAD, for_sun);
        Some(light::sees(machine, &point, direction, f32::INFINITY, counters)?)
    } else {
        None
    };
    // Near things hide the sky more surely than far ones, so corners darken gradually.
    let reach = light.sky_reach * (0.05 + 0.95 * for_sun[1]);
    let direction = sampling::cosine_direction(point.normal, for_sky);
    let sky = light::sees(machine, &point, direction, reach, counters)?;
    Ok(Sample::Surface { point, to_camera, sun, sky })
}
