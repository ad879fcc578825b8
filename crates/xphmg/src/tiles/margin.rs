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
//!
//! In an image of two levels `R` is taken to the space of a BLAS: by a map with linear part `A` a
//! component of a difference grows by at most the longest row of `A`. A box of the TLAS also holds
//! what the rounding of MTX.MUL moves, seen from world space. Each component of a transformed ray
//! is four products and three sums, off by at most `4u (|A| |o| + |m|)`, where the bound of
//! [`machine::instance_dilation`] has `3u` and room for two more.

use geometry::rounding::{add_up, narrow_up, sub_down};
use geometry::{Aabb, Vec3};
use machine::instance_dilation::InstanceDilation;
use tree::Instance;

/// `u`, half a unit in the last place of 1.
const UNIT: f64 = 1.0 / 16_777_216.0;
/// From how many scene diameters away rays may come.
const REACH: f64 = 16.0;

/// The margin of a scene within `bounds`; 0 for an empty one.
#[must_use]
pub fn margin(bounds: &Aabb) -> f32 {
    narrow_up(10.0 * UNIT * reach(bounds))
}

/// The margin of a BLAS in a world within `bounds`, for all instances of it.
#[must_use]
pub fn blas_margin<'a>(bounds: &Aabb, instances: impl Iterator<Item = &'a Instance>) -> f32 {
    let longest_row = |instance: &Instance| {
        let (linear, _) = instance.world_to_object.to_f64();
        (0..3).map(|row| linear.row(row).length()).fold(0.0, f64::max)
    };
    let growth = instances.map(longest_row).fold(0.0, f64::max);
    narrow_up(10.0 * UNIT * reach(bounds) * growth)
}

/// What the rounding of an instance's transform adds to its box in a world within `bounds`.
#[must_use]
pub fn transform_margin(bounds: &Aabb, instance: &Instance) -> f32 {
    let reach = reach(bounds);
    let farthest = f64::from(bounds.min.abs().max(bounds.max.abs()).max_element());
    let origin = Vec3::splat(narrow_up(farthest + reach));
    InstanceDilation::of(instance).dilation(origin, narrow_up(reach))
}

/// How far rays may come from; 0 for an empty scene.
fn reach(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    REACH * (bounds.max.as_dvec3() - bounds.min.as_dvec3()).length()
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
