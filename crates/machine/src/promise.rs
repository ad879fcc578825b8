//! For which rays the margin of an image promises that nothing is lost (G-36).
//!
//! The hardware's box test is not conservative. Boxes that were widened by `10uR` make up for its
//! roundings, for rays that start within `R`, 16 diameters of the scene, of every box, and whose
//! arithmetic neither overflows nor underflows: the reciprocal of a direction that is subnormal is
//! infinite, and products with that of a huge one lose their low bits. Other rays may lose hits at
//! grazing angles, on hardware and here.

use geometry::{Aabb, Ray, slab};

/// Diameters within which a ray must start: one less than the encoder's 16, since the boxes of an
/// image are a little larger than what was encoded.
const DIAMETERS: f32 = 15.0;

/// The promise of an image that was encoded with a margin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    bounds: Aabb,
    reach: f32,
}

impl Promise {
    /// The promise for a scene within `bounds`, in world space.
    #[must_use]
    pub fn new(bounds: &Aabb) -> Self {
        let diameter = if bounds.is_empty() { 0.0 } else { bounds.extent().length() };
        Self { bounds: *bounds, reach: DIAMETERS * diameter }
    }

    /// Whether no hit of this ray is lost.
    #[must_use]
    pub fn holds_for(&self, ray: &Ray) -> bool {
        let scale = ray.direction.abs().max_element();
        (1e-30..=1e25).contains(&scale) && slab::reach(ray.origin, &self.bounds) <= self.reach
    }
}
