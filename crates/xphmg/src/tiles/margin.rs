//! How far boxes are widened.
//!
//! A triangle that RT.TRI accepts is passed by the ray within a few roundings of its corners, and a
//! box test that is rounded in one mode is off by three more; all are bounded by `10uR`, where `u =
//! 2^-24` and `R` bounds the distance from the ray's origin to the boxes. `R` is 16 diameters of
//! the scene, as for every format with a margin. Internal arithmetic is FP32 whatever the elements
//! are, so the bound does not depend on their precision.
//!
//! In an offload job the box test is conservative and the margin covers the triangle test
//! alone.

use geometry::Aabb;
use geometry::rounding::{add_up, narrow_up, sub_down};

/// `u`, half a unit in the last place of 1.
const UNIT: f64 = 1.0 / 16_777_216.0;
/// From how many scene diameters away rays may come.
const REACH: f64 = 16.0;

/// The margin of a scene within `bounds`; 0 for an empty one.
#[must_use]
pub fn margin(bounds: &Aabb) -> f32 {
    if bounds.is_empty() {
        return 0.0;
    }
    let diameter = (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length();
    narrow_up(10.0 * UNIT * REACH * diameter)
}

/// A box with every plane moved outward.
#[must_use]
pub fn widen(bounds: &Aabb, by: f32) -> Aabb {
    if bounds.is_empty() || by == 0.0 {
        return *bounds;
    }
    Aabb::new(
        bounds.min.to_array().map(|plane| sub_down(plane, by)).into(),
        bounds.max.to_array().map(|plane| add_up(plane, by)).into(),
    )
}
