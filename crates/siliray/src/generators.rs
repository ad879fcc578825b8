//! Rays that need not be stored: a generator and a range of numbers stand for them.
//!
//! | generator | ray number *n* |
//! |---|---|
//! | [`View`] | sample *n* mod `samples` of pixel *n* / `samples`, row by row |
//! | [`Lidar`] | beam *n* mod `elevations`, then azimuth, then sweep along a path |
//! | [`Occlusion`] | sample *n* mod `samples` above triangle *n* / `samples` |
//! | [`Scatter`] | from anywhere in a box in any direction, chosen by the seed |
//!
//! A ray follows from generator, scene and number alone, whoever makes it and beside which others:
//! that is what lets many machines share the work, and one of them fail.
//!
//! ```
//! use siliray::generators::{Generated, Generator};
//! let json = r#"{"kind": "scatter", "low": [0, 0, 0], "high": [1, 2, 3], "seed": 7}"#;
//! let generated = Generated::new(Generator::from_json(json)?, None)?;
//! let (mut all, mut some) = (Vec::new(), Vec::new());
//! generated.rays(0..100, &mut all);
//! generated.rays(40..42, &mut some);
//! assert_eq!(some, all[40..42]);
//! # Ok::<(), siliray::generators::GeneratorError>(())
//! ```

use crate::flat_scene::MOST_TRIANGLES;
use crate::image_scene::{self, NotFinite};
use crate::input::Input;
use crate::render::sampling::cosine_direction;
use crate::render::{CameraError, check_camera};
use geometry::random::Random;
use geometry::{Ray, Vec3};
use scene::{Camera, Scene, Shape};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// How far above a surface rays begin, as a share of the largest coordinate beside it.
const LIFT: f32 = 1e-4;

/// A rule for rays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Generator {
    /// A picture.
    Camera(View),
    /// Sweeps of a rotating scanner.
    Lidar(Lidar),
    /// Above every triangle of the scene.
    Occlusion(Occlusion),
    /// From anywhere to anywhere.
    Scatter(Scatter),
}

/// The pixels of a picture, row by row from the upper left.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Where the camera is.
    pub eye: [f32; 3],
    /// What it looks at.
    pub at: [f32; 3],
    /// What is up in the picture.
    #[serde(default = "y_axis")]
    pub up: [f32; 3],
    /// How much of the world is as high as the picture, in degrees.
    pub fov: f32,
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Rays of a pixel. One goes through its centre; more go through places that the seed chooses.
    #[serde(default = "one")]
    pub samples: u32,
    /// Chooses places in pixels.
    #[serde(default)]
    pub seed: u64,
}

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

/// Rays from points of each placed triangle, cosine distributed about its front side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occlusion {
    /// Rays of a triangle.
    pub samples: u32,
    /// Chooses points and directions.
    #[serde(default)]
    pub seed: u64,
    /// Where rays end; without it, nowhere.
    #[serde(default)]
    pub reach: Option<f32>,
}

/// Rays in all directions from a box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scatter {
    /// Smallest corner of the box.
    pub low: [f32; 3],
    /// Largest corner of the box.
    pub high: [f32; 3],
    /// Chooses everything.
    #[serde(default)]
    pub seed: u64,
}

/// Why there are no rays.
#[derive(Debug, thiserror::Error)]
pub enum GeneratorError {
    /// It is not JSON, or not of a generator.
    #[error("the generator is none: {0}")]
    Json(#[from] serde_json::Error),
    /// A member makes no sense.
    #[error("the generator's {member}: found {found}, expected {expected}")]
    Member {
        /// Which.
        member: &'static str,
        /// What is found.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
    /// A camera that sees nothing.
    #[error("the generator is no camera: {0}")]
    Camera(#[from] CameraError),
    /// A range that ends behind the last ray.
    #[error("rays {} to {} are asked for, and there are {count}", range.start, range.end)]
    Range {
        /// What is asked for.
        range: Range<u64>,
        /// Rays that there are.
        count: u64,
    },
    /// Rays above triangles without a scene.
    #[error("rays of occlusion need the scene that they start from")]
    NoGround,
    /// The scene of an image is not one.
    #[error(transparent)]
    NotFinite(#[from] NotFinite),
    /// Too many placed triangles.
    #[error("the scene places {found} triangles, expected at most {MOST_TRIANGLES}")]
    TooLarge {
        /// How many there are.
        found: usize,
    },
}

/// What rays of occlusion start from: the placed triangles, instance by instance, geometry by
/// geometry.
#[derive(Debug, Clone, PartialEq)]
pub struct Ground {
    triangles: Vec<[Vec3; 3]>,
}

impl Ground {
    /// The triangles of a scene or of an image.
    ///
    /// # Errors
    /// When there are too many, or an image has corners that are not finite.
    pub fn of(input: &Input) -> Result<Self, GeneratorError> {
        let scene = match input {
            Input::Scene(scene) => Cow::Borrowed(scene),
            Input::Image(image) => {
                Cow::Owned(image_scene::scene_of(image.checked.tree(), String::new())?)
            }
        };
        let found = scene.placed_triangle_count();
        if found > MOST_TRIANGLES {
            return Err(GeneratorError::TooLarge { found });
        }
        Ok(Self { triangles: triangles(&scene) })
    }

    /// Triangles that there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }
}

fn triangles(scene: &Scene) -> Vec<[Vec3; 3]> {
    let mut triangles = Vec::new();
    for placed in scene.flattened() {
        let Shape::Triangles { positions, indices } = &placed.geometry.shape else { continue };
        let corner = |corner: u32| placed.point(positions[corner as usize]);
        triangles.extend(indices.iter().map(|corners| corners.map(corner)));
    }
    triangles
}

impl Generator {
    /// A generator as JSON: its `kind` and its members.
    ///
    /// # Errors
    /// When it is none, or a member makes no sense.
    pub fn from_json(text: &str) -> Result<Self, GeneratorError> {
        let generator: Self = serde_json::from_str(text)?;
        generator.check().map(|()| generator)
    }

    fn check(&self) -> Result<(), GeneratorError> {
        let some = |member, found: usize| match found {
            0 => {
                let found = found.to_string();
                Err(GeneratorError::Member { member, found, expected: "at least 1" })
            }
            _ => Ok(()),
        };
        let positive = |member, reach: Option<f32>| match reach {
            Some(reach) if reach.is_nan() || reach <= 0.0 => {
                let found = reach.to_string();
                Err(GeneratorError::Member { member, found, expected: "a positive number" })
            }
            _ => Ok(()),
        };
        match self {
            Self::Camera(view) => {
                some("width", view.width as usize)?;
                some("height", view.height as usize)?;
                some("samples", view.samples as usize)?;
                Ok(check_camera(&view.camera())?)
            }
            Self::Lidar(lidar) => {
                some("path", lidar.path.len())?;
                some("sweeps", lidar.sweeps as usize)?;
                some("azimuths", lidar.azimuths as usize)?;
                some("elevations", lidar.elevations.len())?;
                positive("reach", lidar.reach)?;
                let is_axis = lidar.axes().iter().all(|axis| axis.is_normalized());
                let found = format!("{:?} and forward {:?}", lidar.up, lidar.forward);
                let expected = "two directions that are not parallel";
                let problem = GeneratorError::Member { member: "up", found, expected };
                if is_axis { Ok(()) } else { Err(problem) }
            }
            Self::Occlusion(occlusion) => {
                some("samples", occlusion.samples as usize)?;
                positive("reach", occlusion.reach)
            }
            Self::Scatter(scatter) => {
                let corners = scatter.low.iter().zip(&scatter.high);
                let is_box =
                    corners.clone().all(|(low, high)| low <= high && (high - low) < f32::MAX);
                let found = format!("{:?} to {:?}", scatter.low, scatter.high);
                let expected = "corners of a box, the smallest first";
                let problem = GeneratorError::Member { member: "low", found, expected };
                if is_box { Ok(()) } else { Err(problem) }
            }
        }
    }

    /// Whether its rays start from the scene.
    #[must_use]
    pub const fn needs_ground(&self) -> bool {
        matches!(self, Self::Occlusion(_))
    }
}

/// The rays of a generator, made when they are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    generator: Generator,
    /// There, if rays start from it.
    ground: Option<Arc<Ground>>,
    count: u64,
}

impl Generated {
    /// The rays of `generator`, which start from `ground` if it needs one.
    ///
    /// # Errors
    /// When it needs one and there is none.
    pub fn new(generator: Generator, ground: Option<Arc<Ground>>) -> Result<Self, GeneratorError> {
        let product = |factors: [usize; 3]| {
            factors.into_iter().fold(1u64, |product, factor| product.saturating_mul(factor as u64))
        };
        let count = match &generator {
            Generator::Camera(View { width, height, samples, .. }) => {
                product([*width as usize, *height as usize, *samples as usize])
            }
            Generator::Lidar(Lidar { sweeps, azimuths, elevations, .. }) => {
                product([*sweeps as usize, *azimuths as usize, elevations.len()])
            }
            Generator::Occlusion(occlusion) => {
                let ground = ground.as_ref().ok_or(GeneratorError::NoGround)?;
                product([ground.len(), occlusion.samples as usize, 1])
            }
            Generator::Scatter(_) => u64::MAX,
        };
        Ok(Self { generator, ground, count })
    }

    /// How many rays there are: of scattered ones, as many as there are numbers.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Whether there are all rays of a range.
    ///
    /// # Errors
    /// When it ends behind the last one.
    pub fn check(&self, range: &Range<u64>) -> Result<(), GeneratorError> {
        let (range, count) = (range.clone(), self.count);
        if range.end > count { Err(GeneratorError::Range { range, count }) } else { Ok(()) }
    }

    /// Replaces `rays` by those of a range, as far as there are any.
    pub fn rays(&self, range: Range<u64>, rays: &mut Vec<Ray>) {
        let range = range.start..range.end.min(self.count);
        rays.clear();
        match (&self.generator, &self.ground) {
            (Generator::Camera(view), _) => {
                let picture = view.camera().picture(view.width, view.height);
                let (samples, width) = (u64::from(view.samples), u64::from(view.width));
                rays.extend(range.map(|number| {
                    let pixel = number / samples;
                    let [x, y] = match samples {
                        1 => [0.5; 2],
                        _ => square(view.seed, number),
                    };
                    picture.ray((pixel % width) as f32 + x, (pixel / width) as f32 + y)
                }));
            }
            (Generator::Lidar(lidar), _) => {
                let beams: Vec<(f32, f32)> =
                    lidar.elevations.iter().map(|degrees| degrees.to_radians().sin_cos()).collect();
                let axes = lidar.axes();
                rays.extend(range.map(|number| lidar.ray(number, &beams, &axes)));
            }
            (Generator::Occlusion(occlusion), Some(ground)) => {
                rays.extend(range.map(|number| occlusion.ray(number, ground)));
            }
            // `new` has seen to it that there is a ground.
            (Generator::Occlusion(_), None) => {}
            (Generator::Scatter(scatter), _) => {
                let [low, high] = [scatter.low, scatter.high].map(Vec3::from_array);
                rays.extend(range.map(|number| {
                    let mut random = Random::new(scatter.seed, number as usize);
                    Ray::new(random.point(low, high), random.direction())
                }));
            }
        }
    }
}

impl View {
    fn camera(&self) -> Camera {
        let [eye, target, up] = [self.eye, self.at, self.up].map(Vec3::from_array);
        Camera { eye, target, up, fov: self.fov }
    }
}

impl Lidar {
    /// Unit vectors forward, to the left and up; not of unit length if they are none.
    fn axes(&self) -> [Vec3; 3] {
        let up = Vec3::from_array(self.up).normalize_or_zero();
        let left = up.cross(Vec3::from_array(self.forward)).normalize_or_zero();
        [left.cross(up), left, up]
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

impl Occlusion {
    fn ray(&self, number: u64, ground: &Ground) -> Ray {
        let [a, b, c] = ground.triangles[(number / u64::from(self.samples)) as usize];
        let mut random = Random::new(self.seed, number as usize);
        // Uniform on the triangle: the half of a square beyond its diagonal is folded back.
        let (mut u, mut v) = (random.unit(), random.unit());
        if u + v > 1.0 {
            (u, v) = (1.0 - u, 1.0 - v);
        }
        let (ab, ac) = (b - a, c - a);
        let size = ab.abs().max_element().max(ac.abs().max_element());
        let normal = (ab / size).cross(ac / size).normalize_or(Vec3::Y);
        let direction = cosine_direction(normal, [random.unit(), random.unit()]);
        let point = a + ab * u + ac * v;
        let lift = LIFT * size.max(point.abs().max_element());
        let reach = self.reach.unwrap_or(f32::INFINITY);
        Ray::new(point + normal * lift, direction).between(0.0, reach)
    }
}

/// A place in the unit square.
fn square(seed: u64, number: u64) -> [f32; 2] {
    let mut random = Random::new(seed, number as usize);
    [random.unit(), random.unit()]
}

const fn one() -> u32 {
    1
}

const fn x_axis() -> [f32; 3] {
    [1.0, 0.0, 0.0]
}

const fn y_axis() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}

const fn z_axis() -> [f32; 3] {
    [0.0, 0.0, 1.0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use scene::builtin::Builtin;

    fn generated(json: &str) -> Generated {
        Generated::new(Generator::from_json(json).unwrap(), Some(Arc::new(ground()))).unwrap()
    }

    fn all(json: &str, range: Range<u64>) -> Vec<Ray> {
        let mut rays = Vec::new();
        generated(json).rays(range, &mut rays);
        rays
    }

    const CAMERA: &str = r#"{"kind": "camera", "eye": [1, 2, 9], "at": [0, 1, 0], "fov": 40,
        "width": 13, "height": 7, "samples": 3, "seed": 5}"#;
    const LIDAR: &str = r#"{"kind": "lidar", "path": [[0, 0, 1], [4, 0, 1], [4, 8, 2]],
        "sweeps": 5, "azimuths": 8, "elevations": [-15, 0, 10], "reach": 120}"#;
    const OCCLUSION: &str = r#"{"kind": "occlusion", "samples": 6, "seed": 3, "reach": 2.5}"#;
    const SCATTER: &str = r#"{"kind": "scatter", "low": [-1, 0, 2], "high": [1, 5, 9]}"#;

    fn ground() -> Ground {
        Ground::of(&Input::Scene(Builtin::Interior.scene(300))).unwrap()
    }

    /// A ray is the same in whatever range it is asked for.
    #[test]
    fn rays_follow_from_their_numbers() {
        for json in [CAMERA, LIDAR, OCCLUSION, SCATTER] {
            let generator = Generator::from_json(json).unwrap();
            let count = generated(json).count().min(1000);
            let whole = all(json, 0..count);
            assert_eq!(whole.len() as u64, count);
            assert!(whole.iter().all(Ray::is_traceable));
            for start in (0..count).step_by(37) {
                let end = (start + 37).min(count);
                let part = all(json, start..end);
                assert_eq!(part, whole[start as usize..end as usize]);
            }
            let written = serde_json::to_string(&generator).unwrap();
            assert_eq!(Generator::from_json(&written).unwrap(), generator);
        }
    }

    #[test]
    fn a_camera_sees_pixels_in_rows() {
        let json = r#"{"kind": "camera", "eye": [1, 2, 9], "at": [0, 1, 0], "fov": 40,
            "width": 13, "height": 7}"#;
        let Generator::Camera(view) = Generator::from_json(json).unwrap() else { panic!() };
        for (number, ray) in all(json, 0..91).iter().enumerate() {
            let (x, y) = ((number % 13) as f32 + 0.5, (number / 13) as f32 + 0.5);
            assert_eq!(*ray, view.camera().ray(x, y, 13, 7));
        }
    }

    #[test]
    fn a_lidar_turns_and_moves() {
        let rays = all(LIDAR, 0..120);
        let close = |a: Vec3, b: [f32; 3]| (a - Vec3::from_array(b)).length() < 1e-6;
        // Sweep 1 of 0 to 4 over two legs is in the middle of the first.
        assert!(close(rays[24].origin, [2.0, 0.0, 1.0]));
        assert!(close(rays[119].origin, [4.0, 8.0, 2.0]));
        // The level beam of azimuth 0 looks along x, that of azimuth 2 of 8 along y.
        assert!(close(rays[1].direction, [1.0, 0.0, 0.0]));
        assert!(close(rays[7].direction, [0.0, 1.0, 0.0]));
        assert!((rays[0].direction.z - (-15f32).to_radians().sin()).abs() < 1e-6);
        assert!(rays.iter().all(|ray| ray.tmax == 120.0));
    }

    #[test]
    fn occlusion_starts_above_its_triangle() {
        let ground = ground();
        let rays = all(OCCLUSION, 0..6 * ground.len() as u64);
        for (number, ray) in rays.iter().enumerate() {
            let [a, b, c] = ground.triangles[number / 6].map(|corner| corner.as_dvec3());
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let height = (ray.origin.as_dvec3() - a).dot(normal);
            assert!((0.0..0.01).contains(&height), "{number}: {height}");
            assert!(ray.direction.as_dvec3().dot(normal) > -1e-5, "{number}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (json, expected) in [
            ("[]", "the generator is none: "),
            (r#"{"kind": "laser"}"#, "the generator is none: unknown variant `laser`"),
            (r#"{"kind": "occlusion", "samples": 1, "rays": 2}"#, "the generator is none: unknown"),
            (
                r#"{"kind": "occlusion", "samples": 0}"#,
                "the generator's samples: found 0, expected at least 1",
            ),
            (
                r#"{"kind": "occlusion", "samples": 1, "reach": -1}"#,
                "the generator's reach: found -1, expected a positive number",
            ),
            (
                r#"{"kind": "scatter", "low": [0, 0, 1], "high": [1, 1, 0]}"#,
                "the generator's low: found [0.0, 0.0, 1.0] to",
            ),
            (
                r#"{"kind": "lidar", "path": [[0, 0, 0]], "sweeps": 1, "azimuths": 1,
                    "elevations": [0], "forward": [0, 0, 1]}"#,
                "the generator's up: found",
            ),
        ] {
            let error = Generator::from_json(json).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{json}: {error}");
        }
        let error = generated(CAMERA).check(&(270..274)).unwrap_err();
        let expected = "rays 270 to 274 are asked for, and there are 273";
        assert_eq!(error.to_string(), expected);
        let alone = Generated::new(Generator::from_json(OCCLUSION).unwrap(), None).unwrap_err();
        assert_eq!(alone.to_string(), "rays of occlusion need the scene that they start from");
    }
}
