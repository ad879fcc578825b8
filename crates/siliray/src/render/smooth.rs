//! Averaging the light of neighbouring pixels on the same surface.
//!
//! Each pixel asked one question of the sun and one of the sky. The 4x4 window around it holds all
//! sixteen sample points ([`super::sampling`]); the answers of those of its pixels that lie on the
//! same surface are averaged.

use super::frame::{Frame, Sample};
use super::light::Light;
use super::material::Materials;
use super::sampling::TILE;
use super::surface::SurfacePoint;
use geometry::Vec3;
use rayon::prelude::*;

/// Neighbours whose normals have a smaller cosine lie on another surface.
const SAME_NORMAL: f32 = 0.85;

/// Neighbours that rise more steeply than this from the tangent plane lie on another surface.
const SAME_PLANE: f32 = 0.35;

/// Adds the light of each pixel of `frame` to `sums`.
pub(crate) fn add_shaded(frame: &Frame, light: &Light, materials: &Materials, sums: &mut [Vec3]) {
    let width = frame.width as usize;
    sums.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, sum) in row.iter_mut().enumerate() {
            *sum += match frame.samples[y * width + x] {
                Sample::Sky(direction) => light.background(direction),
                Sample::Surface { point, to_camera, .. } => {
                    let (sun, sky) = shares(frame, x, y, &point);
                    let albedo = materials.albedo(point.object, point.geometry);
                    light.shade(point.normal, to_camera, albedo, sun, sky)
                }
            };
        }
    });
}

/// The shares of the sun and of the sky that reach the surface around pixel `(x, y)`.
fn shares(frame: &Frame, x: usize, y: usize, center: &SurfacePoint) -> (f32, f32) {
    let width = frame.width as usize;
    let height = frame.samples.len() / width;
    let window = |middle: usize, end: usize| {
        let first = middle.saturating_sub(TILE as usize / 2);
        first..(first + TILE as usize).min(end)
    };
    let (mut suns, mut sun_count, mut skies, mut sky_count) = (0u32, 0u32, 0u32, 0u32);
    for row in window(y, height) {
        for sample in &frame.samples[row * width..][window(x, width)] {
            let Sample::Surface { point, sun, sky, .. } = sample else { continue };
            if !same_surface(center, point) {
                continue;
            }
            sky_count += 1;
            skies += u32::from(*sky);
            sun_count += u32::from(sun.is_some());
            suns += u32::from(*sun == Some(true));
        }
    }
    let share = |yes: u32, all: u32| yes as f32 / all.max(1) as f32;
    (share(suns, sun_count), share(skies, sky_count))
}

fn same_surface(a: &SurfacePoint, b: &SurfacePoint) -> bool {
    let between = b.position - a.position;
    a.normal.dot(b.normal) > SAME_NORMAL
        && a.normal.dot(between).abs() <= SAME_PLANE * between.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::Counters;

    fn surface(position: Vec3, normal: Vec3, sun: Option<bool>, sky: bool) -> Sample {
        let point = SurfacePoint { position, normal, object: 0, geometry: 0 };
        Sample::Surface { point, to_camera: Vec3::Z, sun, sky }
    }

    #[test]
    fn only_the_same_surface_counts() {
        let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let samples = vec![
            surface(at(0.0, 0.0), Vec3::Z, Some(true), true),
            surface(at(1.0, 0.1), Vec3::Z, Some(false), false),
            surface(at(2.0, 9.0), Vec3::Z, Some(false), false), // far in front
            surface(at(3.0, 0.0), Vec3::X, Some(false), false), // turned away
        ];
        let frame = Frame { width: 4, samples, counters: Counters::default() };
        let Sample::Surface { point, .. } = frame.samples[0] else { panic!() };
        assert_eq!(shares(&frame, 0, 0, &point), (0.5, 0.5));
    }

    #[test]
    fn pixels_that_face_away_from_the_sun_do_not_darken_it() {
        let samples = vec![
            surface(Vec3::ZERO, Vec3::Z, Some(true), true),
            surface(Vec3::X, Vec3::Z, None, true),
            Sample::Sky(Vec3::Y),
        ];
        let frame = Frame { width: 3, samples, counters: Counters::default() };
        let Sample::Surface { point, .. } = frame.samples[0] else { panic!() };
        assert_eq!(shares(&frame, 0, 0, &point), (1.0, 1.0));
    }
}
