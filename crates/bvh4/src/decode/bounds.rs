//! Boxes that are safe to use: without NaN, whatever an image holds.

use geometry::{Aabb, Vec3};

/// `bounds` with every NaN plane moved to infinity. The hardware's slab test ignores a NaN bound,
/// so the box does not end there.
#[must_use]
pub fn unbounded_where_nan(bounds: Aabb) -> Aabb {
    let low = |x: f32| if x.is_nan() { f32::NEG_INFINITY } else { x };
    let high = |x: f32| if x.is_nan() { f32::INFINITY } else { x };
    Aabb::new(
        Vec3::from_array(bounds.min.to_array().map(low)),
        Vec3::from_array(bounds.max.to_array().map(high)),
    )
}

/// The union of two boxes, in which a NaN plane does not count.
#[must_use]
pub fn union(a: Aabb, b: Aabb) -> Aabb {
    let each =
        |f: fn(f32, f32) -> f32, a: Vec3, b: Vec3| Vec3::new(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z));
    Aabb::new(each(f32::min, a.min, b.min), each(f32::max, a.max, b.max))
}

/// How far boxes may reach in a structure whose contents lie in `all`: as far again as that is
/// wide, and some units of rounding. `None` where there is nothing to go by.
#[must_use]
pub fn widest_box(all: &Aabb) -> Option<Aabb> {
    if all.is_empty() || !all.is_finite() {
        return None;
    }
    let farthest = all.min.abs().max(all.max.abs()).max_element();
    let reach = Vec3::splat(all.extent().length() + farthest * (-20f32).exp2());
    Some(Aabb::new(all.min - reach, all.max + reach))
}
