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

mod lidar;
mod occlusion;
mod picture;
mod scatter;
#[cfg(test)]
mod tests;

pub use lidar::Lidar;
pub use occlusion::{Occlusion, PlacedTriangles};
pub use picture::View;
pub use scatter::Scatter;

use crate::flat_scene::MOST_TRIANGLES;
use crate::image_scene::NotFinite;
use crate::render::{CameraError, check_camera};
use geometry::Ray;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::Arc;

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
        /// What is asked for; it may end behind the last number.
        range: Range<u128>,
        /// Rays that there are.
        count: u64,
    },
    /// Rays above triangles without a scene.
    #[error("rays of occlusion need the scene that they start from")]
    NoTriangles,
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
    pub const fn needs_triangles(&self) -> bool {
        matches!(self, Self::Occlusion(_))
    }
}

/// The rays of a generator, made when they are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Generated {
    generator: Generator,
    /// There, if rays start from it.
    triangles: Option<Arc<PlacedTriangles>>,
    count: u64,
}

impl Generated {
    /// The rays of `generator`, which start from `triangles` if it needs some.
    ///
    /// # Errors
    /// When it needs some and there are none.
    pub fn new(
        generator: Generator,
        triangles: Option<Arc<PlacedTriangles>>,
    ) -> Result<Self, GeneratorError> {
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
                let triangles = triangles.as_ref().ok_or(GeneratorError::NoTriangles)?;
                product([triangles.len(), occlusion.samples as usize, 1])
            }
            Generator::Scatter(_) => u64::MAX,
        };
        Ok(Self { generator, triangles, count })
    }

    /// How many rays there are: of scattered ones, as many as there are numbers.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The numbers of `count` rays from number `first` on; without `count`, of all that follow.
    ///
    /// # Errors
    /// When they begin or end behind the last one.
    pub fn range(&self, first: u64, count: Option<u64>) -> Result<Range<u64>, GeneratorError> {
        let asked = count.unwrap_or(self.count.saturating_sub(first));
        match first.checked_add(asked) {
            Some(end) if end <= self.count => Ok(first..end),
            _ => {
                let range = u128::from(first)..u128::from(first) + u128::from(asked);
                Err(GeneratorError::Range { range, count: self.count })
            }
        }
    }

    /// Replaces `rays` by those of a range, as far as there are any.
    pub fn rays(&self, range: Range<u64>, rays: &mut Vec<Ray>) {
        let range = range.start..range.end.min(self.count);
        rays.clear();
        match (&self.generator, &self.triangles) {
            (Generator::Camera(view), _) => rays.extend(view.rays(range)),
            (Generator::Lidar(lidar), _) => rays.extend(lidar.rays(range)),
            (Generator::Occlusion(occlusion), Some(triangles)) => {
                rays.extend(range.map(|number| occlusion.ray(number, triangles)));
            }
            // `new` has seen to it that there are some.
            (Generator::Occlusion(_), None) => {}
            (Generator::Scatter(scatter), _) => {
                rays.extend(range.map(|number| scatter.ray(number)));
            }
        }
    }
}
