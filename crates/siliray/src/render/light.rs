//! Sun, sky and the light between surfaces, and the choice of where the sun stands.
//!
//! Files say nothing about light, and a fixed sun leaves half of them in the dark. A dozen
//! positions around the camera are tried on a coarse grid of pixels instead, and the one that
//! lights about half of what is seen wins: that is where shapes read best.
//!
//! A surface has light from the sun, from the sky where it sees it, from the surfaces that it sees
//! instead, and a little from beside the camera. Other surfaces shine by their colour and the mean
//! light of what is seen; near ones less, so that corners and contacts read. A closed room has no
//! sun and no sky: there the light between surfaces is all, and the exposure, which follows the
//! mean light of the picture, makes it bright.

use super::material::Materials;
use super::surface::{SurfacePoint, Surfaces};
use super::{RenderError, ask, sampling};
use geometry::{Ray, Vec3};
use machine::{Answer, Counters, HitKind, Machine};
use scene::Camera;
use scene::appearance::to_srgb;

/// Radiance of the sun, and of the sky overhead, at the horizon and reflected by the ground.
const SUN: Vec3 = Vec3::new(2.55, 2.25, 1.78);
const ZENITH: Vec3 = Vec3::new(0.34, 0.50, 0.78);
const HORIZON: Vec3 = Vec3::new(0.84, 0.89, 0.94);
const GROUND: Vec3 = Vec3::new(0.32, 0.31, 0.29);

/// The light between surfaces where neither sun nor sky reaches.
const INDOORS: f32 = 0.25;

/// What a surface that is quite near sends, of what it would send from afar.
const NEAR: f32 = 0.03;

/// The distance from which on surfaces send all of it, as a share of the scene's radius.
const REACH: f32 = 0.3;

/// Light from beside the camera, as a share of the mean light, so that nothing is quite black.
const FILL: f32 = 0.32;

/// The exposure of a picture whose mean light is one.
const KEY: f32 = 0.48;

/// How far the exposure may go to either side.
const EXPOSURES: [f32; 2] = [0.2, 3.0];

/// Tangent of half the sun's angle: some times the real one's, for shadows that are seen to be
/// soft.
pub(crate) const SUN_SPREAD: f32 = 0.03;

/// Where the sun may stand: degrees to the left of the direction behind the camera, degrees above
/// the horizon, the preferred ones first.
const POSITIONS: [(f32, f32); 12] = [
    (50.0, 45.0),
    (-50.0, 45.0),
    (75.0, 35.0),
    (-75.0, 35.0),
    (100.0, 45.0),
    (-100.0, 45.0),
    (0.0, 60.0),
    (130.0, 40.0),
    (-130.0, 40.0),
    (180.0, 40.0),
    (90.0, 18.0),
    (-90.0, 18.0),
];

/// The share of what is seen that the sun should light.
const WANTED_SHARE: f32 = 0.55;

/// By how large a factor a share may miss for each step down the list of positions (a logarithm).
const RANK_PENALTY: f32 = 0.03;

/// A share too small to tell from none.
const NO_SHARE: f32 = 0.005;

/// Columns and rows of the grid on which positions are tried.
const PROBES: (u32, u32) = (20, 15);

/// The light of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Light {
    /// Unit vector toward the sun.
    pub(crate) sun: Vec3,
    /// Unit vector toward the zenith: the axis of the scene that the camera's up is nearest to.
    pub(crate) up: Vec3,
    /// The mean light of what is seen, which surfaces pass on.
    mean: f32,
    /// How far away surfaces are no longer near.
    reach: f32,
}

/// What is asked for light.
#[derive(Clone, Copy)]
pub(crate) struct World<'a> {
    /// What there is.
    pub(crate) surfaces: &'a Surfaces<'a>,
    /// Its colours.
    pub(crate) materials: &'a Materials<'a>,
    /// Who is asked.
    pub(crate) machine: &'a dyn Machine,
}

impl Light {
    /// The light that suits the view.
    pub(crate) fn choose(
        world: &World<'_>,
        camera: &Camera,
        width: u32,
        height: u32,
        counters: &mut Counters,
    ) -> Result<Self, RenderError> {
        let up = upward(camera);
        let points = probe(world, camera, width, height, counters)?;
        let count = points.len().max(1) as f32;
        let mut best = (f32::INFINITY, up, 0.0);
        for (rank, (azimuth, elevation)) in POSITIONS.into_iter().enumerate() {
            let sun = position(camera, up, azimuth, elevation);
            let (mut lit, mut light) = (0u32, 0.0);
            for point in points.iter().filter(|point| point.normal.dot(sun) > 0.0) {
                if sees(world, point, sun, counters)? {
                    lit += 1;
                    light += point.normal.dot(sun);
                }
            }
            let miss = ((lit as f32 / count + NO_SHARE) / WANTED_SHARE).ln().abs();
            let penalty = miss + rank as f32 * RANK_PENALTY;
            if penalty < best.0 {
                best = (penalty, sun, light / count);
            }
        }
        let (_, sun, sunlight) = best;
        let reach = REACH * world.surfaces.radius;
        let mut light = Self { sun, up, mean: 0.0, reach };
        // With a mean of 0 only the sky itself shines.
        let mut sky = Vec3::ZERO;
        for (number, point) in (0..).zip(&points) {
            let place = sampling::point(number % PROBES.0, number / PROBES.0, 0, 1);
            sky += light.sky_at(world, point, place, counters)?;
        }
        light.mean = INDOORS + luminance(SUN) * sunlight + luminance(sky / count);
        Ok(light)
    }

    /// What a ray that hits nothing sees.
    pub(crate) fn background(&self, direction: Vec3) -> Vec3 {
        let height = direction.dot(self.up).max(0.0);
        HORIZON.lerp(ZENITH, 1.0 - (1.0 - height).max(0.0).powi(3))
    }

    /// What comes to a point from the sky, or from what is in front of it, in a direction around
    /// its normal.
    pub(crate) fn sky_at(
        &self,
        world: &World<'_>,
        point: &SurfacePoint,
        place: [f32; 2],
        counters: &mut Counters,
    ) -> Result<Vec3, RenderError> {
        let direction = sampling::cosine_direction(point.normal, place);
        let ray = Ray::new(lifted(point), direction);
        let answer = &mut Answer::default();
        let Some(hit) = ask(world.machine, HitKind::Closest, ray, answer, counters)? else {
            let below = direction.dot(self.up) < 0.0;
            return Ok(if below { GROUND } else { self.background(direction) });
        };
        let other = world.surfaces.at(&ray, &hit)?;
        let far = (hit.t / self.reach).clamp(0.0, 1.0);
        let open = NEAR + (1.0 - NEAR) * far * (2.0 - far);
        Ok(world.materials.albedo(&other.place) * (self.mean * open))
    }

    /// The light that reaches a surface. `sun` is the share of the sun that does, `sky` what comes
    /// from the sky and other surfaces.
    pub(crate) fn on(&self, normal: Vec3, to_camera: Vec3, sun: f32, sky: Vec3) -> Vec3 {
        let direct = SUN * (normal.dot(self.sun).max(0.0) * sun);
        let fill = FILL * self.mean * normal.dot(to_camera).max(0.0);
        direct + sky + Vec3::splat(fill)
    }

    /// Whether the sun reaches a point; `None` where it faces away from it.
    pub(crate) fn sun_at(
        &self,
        world: &World<'_>,
        point: &SurfacePoint,
        place: [f32; 2],
        counters: &mut Counters,
    ) -> Result<Option<bool>, RenderError> {
        if point.normal.dot(self.sun) <= 0.0 {
            return Ok(None);
        }
        let direction = sampling::cone_direction(self.sun, SUN_SPREAD, place);
        sees(world, point, direction, counters).map(Some)
    }
}

/// Whether nothing lies between `point` and the end of the world along `direction`.
fn sees(
    world: &World<'_>,
    point: &SurfacePoint,
    direction: Vec3,
    counters: &mut Counters,
) -> Result<bool, RenderError> {
    let ray = Ray::new(lifted(point), direction);
    Ok(ask(world.machine, HitKind::Any, ray, &mut Answer::default(), counters)?.is_none())
}

/// A point far enough off the surface that rounding of the point itself does not put it behind.
fn lifted(point: &SurfacePoint) -> Vec3 {
    let offset = point.position.abs().max_element().max(f32::MIN_POSITIVE) * 2.0e-5;
    point.position + point.normal * offset
}

/// The exposure for a picture on whose surfaces this light falls, by its geometric mean.
pub(crate) fn exposure(lights: impl Iterator<Item = f32>) -> f32 {
    let (mut sum, mut count) = (0.0f64, 0u32);
    for light in lights {
        sum += f64::from(light.max(1.0e-4)).ln();
        count += 1;
    }
    let mean = (sum / f64::from(count.max(1))).exp() as f32;
    (KEY / mean).clamp(EXPOSURES[0], EXPOSURES[1])
}

/// How bright a light is to the eye, by the weights of sRGB's primaries.
pub(crate) fn luminance(light: Vec3) -> f32 {
    light.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// Linear light as a pixel: the filmic curve of Narkowicz ("ACES filmic tone mapping curve", 2015),
/// then the transfer function of sRGB.
pub(crate) fn tone(light: Vec3) -> [u8; 3] {
    light.to_array().map(|x| {
        let x = x.max(0.0);
        to_srgb((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14))
    })
}

/// The surfaces that a coarse grid of pixels sees.
fn probe(
    world: &World<'_>,
    camera: &Camera,
    width: u32,
    height: u32,
    counters: &mut Counters,
) -> Result<Vec<SurfacePoint>, RenderError> {
    let (columns, rows) = PROBES;
    let mut points = Vec::new();
    let mut answer = Answer::default();
    for cell in 0..columns * rows {
        let x = ((cell % columns) as f32 + 0.5) / columns as f32 * width as f32;
        let y = ((cell / columns) as f32 + 0.5) / rows as f32 * height as f32;
        let ray = camera.ray(x, y, width, height);
        if let Some(hit) = ask(world.machine, HitKind::Closest, ray, &mut answer, counters)? {
            points.push(world.surfaces.at(&ray, &hit)?);
        }
    }
    Ok(points)
}

/// Unit vector toward the zenith. A camera that looks down has a tilted up; the world has not.
fn upward(camera: &Camera) -> Vec3 {
    let size = camera.up.abs();
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(1);
    Vec3::AXES[axis] * camera.up[axis].signum()
}

fn position(camera: &Camera, up: Vec3, azimuth: f32, elevation: f32) -> Vec3 {
    let [right, ..] = camera.axes();
    // A camera that lies on its side has no level right of its own.
    let right = (right - up * right.dot(up)).try_normalize();
    let right = right.unwrap_or_else(|| up.any_orthonormal_vector());
    let behind = right.cross(up);
    let (sin, cos) = azimuth.to_radians().sin_cos();
    let level = behind * cos - right * sin;
    let (rise, run) = elevation.to_radians().sin_cos();
    (level * run + up * rise).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_stands_where_the_angles_say() {
        let camera = Camera {
            eye: Vec3::new(1.0, 2.0, 3.0),
            target: Vec3::new(1.0, 1.0, -6.0),
            up: Vec3::Y,
            fov: 40.0,
        };
        // Looking along -z: behind is +z, left is -x.
        let near = |a: Vec3, b: Vec3| a.distance(b) < 1e-6;
        assert!(near(position(&camera, Vec3::Y, 0.0, 0.0), Vec3::Z));
        assert!(near(position(&camera, Vec3::Y, 90.0, 0.0), Vec3::NEG_X));
        assert!(near(position(&camera, Vec3::Y, -90.0, 0.0), Vec3::X));
        assert!(near(position(&camera, Vec3::Y, 37.0, 90.0), Vec3::Y));
    }

    #[test]
    fn tones_rise_from_black_to_white() {
        assert_eq!(tone(Vec3::ZERO), [0, 0, 0]);
        assert_eq!(tone(Vec3::splat(1.0e9)), [255, 255, 255]);
        let ramp: Vec<u8> = (0..40).map(|i| tone(Vec3::splat(i as f32 * 0.1))[1]).collect();
        assert!(ramp.is_sorted());
    }

    #[test]
    fn the_exposure_follows_the_geometric_mean_within_limits() {
        assert!((exposure([0.5, 2.0].into_iter()) - KEY).abs() < 1e-6);
        assert_eq!(exposure([1.0e-6].into_iter()), EXPOSURES[1]);
        assert_eq!(exposure([1.0e6].into_iter()), EXPOSURES[0]);
    }

    #[test]
    fn a_tilted_camera_does_not_tilt_the_world() {
        let camera = |up| Camera { eye: Vec3::ONE, target: Vec3::ZERO, up, fov: 40.0 };
        assert_eq!(upward(&camera(Vec3::new(-0.4, 0.8, -0.4))), Vec3::Y);
        assert_eq!(upward(&camera(Vec3::new(0.1, 0.2, -0.9))), Vec3::NEG_Z);
    }
}
