//! Rays from anywhere to anywhere.

use geometry::random::Random;
use geometry::{Ray, Vec3};
use serde::{Deserialize, Serialize};

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

impl Scatter {
    pub(super) fn ray(&self, number: u64) -> Ray {
        let [low, high] = [self.low, self.high].map(Vec3::from_array);
        let mut random = Random::new(self.seed, number as usize);
        Ray::new(random.point(low, high), random.direction())
    }
}
