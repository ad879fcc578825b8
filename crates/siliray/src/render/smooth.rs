//! Averaging the light of neighbouring pixels on the same surface.
//!
//! Each pixel asked one question of the sun and one of the sky. The 8x8 window around it holds all
//! 64 sample points ([`super::sampling`]); the answers of those of its pixels that lie on the same
//! surface are averaged, for the sun, whose shadows are sharper, those of the inner 4x4 window. A
//! pixel with few such neighbours, as on an edge or a blade of grass, asks more questions of its
//! own: without them the pattern of the points would show as dashes along edges.

use super::RenderError;
use super::frame::{Frame, PER_SAMPLE, Sample, Shot};
use super::light::luminance;
use super::rows::Rows;
use super::sampling::{self, TILE};
use super::surface::SurfacePoint;
use geometry::Vec3;
use machine::Counters;

/// Neighbours whose normals have a smaller cosine lie on another surface.
const SAME_NORMAL: f32 = 0.9;

/// Neighbours that rise more steeply than this from the tangent plane lie on another surface.
const SAME_PLANE: f32 = 0.25;

/// With fewer neighbours than this, a pixel asks on its own.
const ENOUGH: [u32; 2] = [6, 20];

/// What a pixel shows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Shade {
    /// The light that it sends.
    pub(crate) colour: Vec3,
    /// How much light falls on it; 0 for the sky.
    pub(crate) incident: f32,
}

/// Adds what each pixel of `frame` shows to `sums`.
pub(crate) fn add_shaded(
    shot: &Shot<'_>,
    frame: &Frame,
    rows: &Rows<'_>,
    sample: u32,
    sums: &mut [Shade],
) -> Result<Counters, RenderError> {
    let width = frame.width as usize;
    rows.fill(sums, frame.width, |y, row, counters| {
        for (x, sum) in row.iter_mut().enumerate() {
            match frame.samples[y as usize * width + x] {
                Sample::Sky(direction) => sum.colour += shot.light.background(direction),
                Sample::Surface { point, albedo, haze, .. } => {
                    let mut shares = Shares::around(frame, x, y as usize, &point);
                    shares.ask_more(shot, &point, [x as u32, y, sample], counters)?;
                    let to_camera = (shot.camera.eye - point.position).normalize_or_zero();
                    let (sun, sky) = shares.means();
                    let light = shot.light.on(point.normal, to_camera, sun, sky);
                    sum.colour += (albedo * light).lerp(shot.light.background(-to_camera), haze);
                    sum.incident += luminance(light);
                }
            }
        }
        Ok(())
    })
}

/// What the pixels of a window on the same surface found.
#[derive(Debug, Default, PartialEq)]
struct Shares {
    suns: u32,
    sun_count: u32,
    skies: Vec3,
    sky_count: u32,
}

impl Shares {
    fn around(frame: &Frame, x: usize, y: usize, center: &SurfacePoint) -> Self {
        let width = frame.width as usize;
        let height = frame.samples.len() / width;
        let window = |middle: usize, end: usize| {
            let first = middle.saturating_sub(TILE as usize / 2);
            first..(first + TILE as usize).min(end)
        };
        let is_inner = |a: usize, b: usize| a + 2 >= b && a < b + 2;
        let mut shares = Self::default();
        for row in window(y, height) {
            for column in window(x, width) {
                let sample = &frame.samples[row * width + column];
                let Sample::Surface { point, sun, sky, .. } = sample else { continue };
                if !same_surface(center, point) {
                    continue;
                }
                shares.skies += *sky;
                shares.sky_count += 1;
                if is_inner(row, y) && is_inner(column, x) {
                    shares.add_sun(*sun);
                }
            }
        }
        shares
    }

    fn add_sun(&mut self, sun: Option<bool>) {
        self.sun_count += u32::from(sun.is_some());
        self.suns += u32::from(sun == Some(true));
    }

    /// Asks more of the sun and the sky where too few neighbours have asked.
    fn ask_more(
        &mut self,
        shot: &Shot<'_>,
        point: &SurfacePoint,
        [x, y, sample]: [u32; 3],
        counters: &mut Counters,
    ) -> Result<(), RenderError> {
        let more = PER_SAMPLE * sample + 1..PER_SAMPLE * (sample + 1);
        if self.sky_count < ENOUGH[1] {
            for number in more.clone() {
                let place = sampling::point(x, y, number, 1);
                self.skies += shot.light.sky_at(&shot.world, point, place, counters)?;
                self.sky_count += 1;
            }
        }
        // Where all agree, one more would.
        let is_torn = self.suns != 0 && self.suns != self.sun_count;
        if self.sun_count < 2 || is_torn && self.sun_count < ENOUGH[0] {
            for number in more {
                let place = sampling::point(x, y, number, 0);
                self.add_sun(shot.light.sun_at(&shot.world, point, place, counters)?);
            }
        }
        Ok(())
    }

    /// The share of the sun, and the light of the sky.
    fn means(&self) -> (f32, Vec3) {
        let sun = self.suns as f32 / self.sun_count.max(1) as f32;
        (sun, self.skies / self.sky_count.max(1) as f32)
    }
}

fn same_surface(a: &SurfacePoint, b: &SurfacePoint) -> bool {
    let between = b.position - a.position;
    a.normal.dot(b.normal) > SAME_NORMAL
        && a.normal.dot(between).abs() <= SAME_PLANE * between.length()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surface(position: Vec3, normal: Vec3, sun: Option<bool>, sky: f32) -> Sample {
        let point = SurfacePoint { position, normal, place: Default::default() };
        Sample::Surface { point, albedo: Vec3::ONE, sun, sky: Vec3::splat(sky), haze: 0.0 }
    }

    fn means(samples: Vec<Sample>) -> (f32, Vec3) {
        let frame = Frame { width: samples.len() as u32, samples, counters: Counters::default() };
        let Sample::Surface { point, .. } = frame.samples[0] else { panic!() };
        Shares::around(&frame, 0, 0, &point).means()
    }

    #[test]
    fn only_the_same_surface_counts() {
        let at = |x: f32, z: f32| Vec3::new(x, 0.0, z);
        let samples = vec![
            surface(at(0.0, 0.0), Vec3::Z, Some(true), 1.0),
            surface(at(1.0, 0.1), Vec3::Z, Some(false), 0.5),
            surface(at(2.0, 9.0), Vec3::Z, Some(false), 0.0), // far in front
            surface(at(3.0, 0.0), Vec3::X, Some(false), 0.0), // turned away
        ];
        assert_eq!(means(samples), (0.5, Vec3::splat(0.75)));
    }

    #[test]
    fn pixels_that_face_away_from_the_sun_do_not_darken_it() {
        let samples = vec![
            surface(Vec3::ZERO, Vec3::Z, Some(true), 1.0),
            surface(Vec3::X, Vec3::Z, None, 1.0),
            Sample::Sky(Vec3::Y),
        ];
        assert_eq!(means(samples), (1.0, Vec3::ONE));
    }

    /// The sun's window is smaller than the sky's.
    #[test]
    fn far_neighbours_count_for_the_sky_alone() {
        let row = (0..8).map(|x| surface(Vec3::X * x as f32, Vec3::Z, Some(x < 2), x as f32));
        assert_eq!(means(row.collect()), (1.0, Vec3::splat(3.5)));
    }
}
