//! Rays of a rotating scanner.

use geometry::{Ray, Vec3};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A scanner that turns about an axis while it moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lidar {
    /// Corners of the path; between them the scanner moves evenly, each leg in the same time.
    pub path: Vec<[f32; 3]>,
    /// Turns: the first at the beginning of the path, the last at its end.
    pub sweeps: u32,
    /// Directions of a turn, from `forward` on towards its left.
    pub azimuths: u32,
    /// Angles of the beams above the plane of turning, in degrees.
    pub elevations: Vec<f32>,
    /// The axis.
    #[serde(default = "z_axis")]
    pub up: [f32; 3],
    /// Where azimuth 0 is, as seen along the axis.
    #[serde(default = "x_axis")]
    pub forward: [f32; 3],
    /// How far it sees; without it, any distance.
    #[serde(default)]
    pub reach: Option<f32>,
}

impl Lidar {
    /// Unit vectors forward, to the left and up; not of unit length if they are none.
    pub(super) fn axes(&self) -> [Vec3; 3] {
        let up = Vec3::from_array(self.up).normalize_or_zero();
        let left = up.cross(Vec3::from_array(self.forward)).normalize_or_zero();
        [left.cross(up), left, up]
    }

    pub(super) fn rays(&self, range: Range<u64>) -> impl Iterator<Item = Ray> {
        let elevations = self.elevations.iter();
        let beams: Vec<(f32, f32)> =
            elevations.map(|degrees| degrees.to_radians().sin_cos()).collect();
        let axes = self.axes();
        range.map(move |number| self.ray(number, &beams, &axes))
    }

    /// A ray; `beams` are sine and cosine of the elevations.
    fn ray(&self, number: u64, beams: &[(f32, f32)], axes: &[Vec3; 3]) -> Ray {
        let (beam, turned) = (number % beams.len() as u64, number / beams.len() as u64);
        let azimuths = u64::from(self.azimuths);
        let (azimuth, sweep) = (turned % azimuths, turned / azimuths);
        let angle = std::f64::consts::TAU * azimuth as f64 / azimuths as f64;
        let (sine, cosine) = angle.sin_cos();
        let (rise, run) = beams[beam as usize];
        let [forward, left, up] = *axes;
        let direction = (forward * cosine as f32 + left * sine as f32) * run + up * rise;
        let reach = self.reach.unwrap_or(f32::INFINITY);
        Ray::new(self.place(sweep), direction).between(0.0, reach)
    }

    /// Where the scanner is during a sweep.
    fn place(&self, sweep: u64) -> Vec3 {
        let legs = self.path.len() - 1;
        let last = u64::from(self.sweeps).saturating_sub(1).max(1);
        let along = sweep as f64 / last as f64 * legs as f64;
        let leg = (along as usize).min(legs.saturating_sub(1));
        let from = Vec3::from_array(self.path[leg]);
        let to = self.path.get(leg + 1).map_or(from, |to| Vec3::from_array(*to));
        from.lerp(to, (along - leg as f64) as f32)
    }
}

const fn x_axis() -> [f32; 3] {
    [1.0, 0.0, 0.0]
}

const fn z_axis() -> [f32; 3] {
    [0.0, 0.0, 1.0]
}
