//! Sun, sky, and the choice of where the sun stands.
//!
//! Files say nothing about light, and a fixed sun leaves half of them in the dark. A dozen
//! positions around the camera are tried on a coarse grid of pixels instead, and the one that
//! lights about half of what is seen wins: that is where shapes read best.

use super::surface::{SurfacePoint, Surfaces};
use super::{RenderError, ask};
use geometry::{Ray, Vec3};
use machine::{Answer, Counters, HitKind, Machine};
use scene::Camera;

/// Radiance of the sun, and of the sky overhead, at the horizon and reflected by the ground.
const SUN: Vec3 = Vec3::new(2.50, 2.12, 1.62);
const ZENITH: Vec3 = Vec3::new(0.16, 0.32, 0.62);
const HORIZON: Vec3 = Vec3::new(0.62, 0.74, 0.86);
const GROUND: Vec3 = Vec3::new(0.20, 0.17, 0.14);

/// What a ray that goes down past everything sees: a hazy distance rather than a floor.
const BELOW: Vec3 = Vec3::new(0.30, 0.38, 0.48);

/// Share of the sky's light that reaches an open surface which faces the zenith.
const AMBIENT: f32 = 0.40;

/// How bright a picture is made before it is developed.
const EXPOSURE: f32 = 0.62;

/// A little light from the camera, so that nothing is quite black.
const FILL: f32 = 0.10;

/// Tangent of half the sun's angle: four times the real one's, for shadows that are seen to be
/// soft.
pub(crate) const SUN_SPREAD: f32 = 0.02;

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
    /// Unit vector toward the zenith.
    up: Vec3,
    /// How far away things still hide the sky.
    pub(crate) sky_reach: f32,
}

impl Light {
    /// The light that suits the view.
    pub(crate) fn choose(
        surfaces: &Surfaces<'_>,
        machine: &dyn Machine,
        camera: &Camera,
        width: u32,
        height: u32,
        counters: &mut Counters,
    ) -> Result<Self, RenderError> {
        let up = upward(camera);
        let points = probe(surfaces, machine, camera, width, height, counters)?;
        let mut best = (f32::INFINITY, up);
        for (rank, (azimuth, elevation)) in POSITIONS.into_iter().enumerate() {
            let sun = position(camera, azimuth, elevation);
            let mut lit = 0u32;
            for point in points.iter().filter(|point| point.normal.dot(sun) > 0.0) {
                lit += u32::from(sees(machine, point, sun, f32::INFINITY, counters)?);
            }
            let share = lit as f32 / points.len().max(1) as f32;
            let miss = ((share + NO_SHARE) / WANTED_SHARE).ln().abs();
            let penalty = miss + rank as f32 * RANK_PENALTY;
            if penalty < best.0 {
                best = (penalty, sun);
            }
        }
        Ok(Self { sun: best.1, up, sky_reach: 0.3 * surfaces.radius })
    }

    /// What a ray that hits nothing sees.
    pub(crate) fn background(&self, direction: Vec3) -> Vec3 {
        let height = direction.dot(self.up);
        let away = 1.0 - (1.0 - height.abs()).max(0.0).powi(3);
        HORIZON.lerp(if height >= 0.0 { ZENITH } else { BELOW }, away)
    }

    /// The light that a surface sends to the camera. `sun` and `sky` are the shares of each that
    /// reach it.
    pub(crate) fn shade(
        &self,
        normal: Vec3,
        to_camera: Vec3,
        albedo: Vec3,
        sun: f32,
        sky: f32,
    ) -> Vec3 {
        let direct = SUN * (normal.dot(self.sun).max(0.0) * sun);
        let dome = (ZENITH + HORIZON) * AMBIENT;
        let ambient = GROUND.lerp(dome, 0.5 + 0.5 * normal.dot(self.up));
        // Light that bounces between neighbours brightens their corners, the more the lighter they
        // are: the sum of the geometric series over bounces.
        let bounced = Vec3::splat(sky) / (Vec3::ONE - albedo * (1.0 - sky));
        let fill = FILL * normal.dot(to_camera).max(0.0);
        albedo * (direct + ambient * bounced + Vec3::splat(fill))
    }
}

/// Whether nothing lies between `point` and whatever is `reach` away along `direction`.
pub(crate) fn sees(
    machine: &dyn Machine,
    point: &SurfacePoint,
    direction: Vec3,
    reach: f32,
    counters: &mut Counters,
) -> Result<bool, RenderError> {
    // Far enough off the surface that rounding of the point itself does not put it behind.
    let offset = point.position.abs().max_element().max(f32::MIN_POSITIVE) * 2.0e-5;
    let ray = Ray::new(point.position + point.normal * offset, direction).between(0.0, reach);
    Ok(ask(machine, HitKind::Any, ray, &mut Answer::default(), counters)?.is_none())
}

/// Linear light as a pixel: the filmic curve of Narkowicz ("ACES filmic tone mapping curve", 2015),
/// then the transfer function of sRGB.
pub(crate) fn tone(light: Vec3) -> [u8; 3] {
    light.to_array().map(|x| {
        let x = EXPOSURE * x.max(0.0);
        let film = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
        to_srgb(film)
    })
}

fn to_srgb(linear: f32) -> u8 {
    let linear = linear.clamp(0.0, 1.0);
    let encoded =
        if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
    (encoded * 255.0).round() as u8
}

/// The surfaces that a coarse grid of pixels sees.
fn probe(
    surfaces: &Surfaces<'_>,
    machine: &dyn Machine,
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
        if let Some(hit) = ask(machine, HitKind::Closest, ray, &mut answer, counters)? {
            points.push(surfaces.at(&ray, &hit)?);
        }
    }
    Ok(points)
}

/// Unit vector toward the zenith.
fn upward(camera: &Camera) -> Vec3 {
    camera.up.as_dvec3().normalize().as_vec3()
}

fn position(camera: &Camera, azimuth: f32, elevation: f32) -> Vec3 {
    let up = upward(camera);
    let [right, ..] = camera.axes();
    let behind = right.cross(up).normalize();
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
        assert!(near(position(&camera, 0.0, 0.0), Vec3::Z));
        assert!(near(position(&camera, 90.0, 0.0), Vec3::NEG_X));
        assert!(near(position(&camera, -90.0, 0.0), Vec3::X));
        assert!(near(position(&camera, 37.0, 90.0), Vec3::Y));
    }

    #[test]
    fn tones_rise_from_black_to_white() {
        assert_eq!(tone(Vec3::ZERO), [0, 0, 0]);
        assert_eq!(tone(Vec3::splat(1.0e9)), [255, 255, 255]);
        let ramp: Vec<u8> = (0..40).map(|i| tone(Vec3::splat(i as f32 * 0.1))[1]).collect();
        assert!(ramp.is_sorted());
        // The sRGB curve itself, against the standard's own value for mid grey.
        assert_eq!(to_srgb(0.214_041), 127);
    }
}
