//! Rays of a picture.

use geometry::random::Random;
use geometry::{Ray, Vec3};
use scene::Camera;
use serde::{Deserialize, Serialize};
use std::ops::Range;

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

impl View {
    pub(super) fn camera(&self) -> Camera {
        let [eye, target, up] = [self.eye, self.at, self.up].map(Vec3::from_array);
        Camera { eye, target, up, fov: self.fov }
    }

    pub(super) fn rays(&self, range: Range<u64>) -> impl Iterator<Item = Ray> {
        let picture = self.camera().picture(self.width, self.height);
        let (samples, width) = (u64::from(self.samples), u64::from(self.width));
        range.map(move |number| {
            let pixel = number / samples;
            let [x, y] = match samples {
                1 => [0.5; 2],
                _ => square(self.seed, number),
            };
            picture.ray((pixel % width) as f32 + x, (pixel / width) as f32 + y)
        })
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

const fn y_axis() -> [f32; 3] {
    [0.0, 1.0, 0.0]
}
