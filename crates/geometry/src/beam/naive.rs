//! The naive test: four divisions an axis.
//!
//! The readable reference and the baseline of the benchmarks. It has one rounding fewer in each
//! value than the normative test, and yet it is not conservative: it has no widening.

use super::{Axis, Beam, Overlap};
use crate::Aabb;

/// Whether `beam` meets `bounds`, up to rounding.
#[must_use]
pub fn meets(beam: &Beam, bounds: &Aabb) -> bool {
    let overlap = overlap(beam, bounds);
    overlap.lo <= overlap.hi
}

/// The computed entry and exit; the entry lies behind the exit for a miss.
#[must_use]
pub fn overlap(beam: &Beam, bounds: &Aabb) -> Overlap {
    let mut overlap = Overlap { lo: beam.tmin(), hi: beam.tmax() };
    for (k, axis) in beam.axes().iter().enumerate() {
        cut(axis, bounds.min[k], bounds.max[k], &mut overlap);
    }
    overlap
}

/// `Amin` and `Bmax` as quotients.
#[must_use]
pub fn quotients(axis: &Axis, min: f32, max: f32) -> (f32, f32) {
    let (upper, lower) = (axis.upper_direction, axis.lower_direction);
    let (a_min, a_max) = ((min - axis.upper_origin) / upper, (max - axis.upper_origin) / upper);
    let (b_min, b_max) = ((min - axis.lower_origin) / lower, (max - axis.lower_origin) / lower);
    // Two of the four only say in which order planes are passed, which the signs say too.
    debug_assert!((upper <= 0.0 || a_min <= a_max) && (lower <= 0.0 || b_min <= b_max));
    (a_min, b_max)
}

/// Cuts `overlap` to the parameters at which the axis overlaps `[min, max]`.
pub fn cut(axis: &Axis, min: f32, max: f32, overlap: &mut Overlap) {
    let (upper, lower) = (axis.upper_direction, axis.lower_direction);
    let (a_min, b_max) = quotients(axis, min, max);
    if (upper == 0.0 && axis.upper_origin < min) || (lower == 0.0 && axis.lower_origin > max) {
        overlap.hi = f32::NEG_INFINITY;
    }
    if upper > 0.0 {
        overlap.lo = overlap.lo.max(a_min);
    } else if upper < 0.0 {
        overlap.hi = overlap.hi.min(a_min);
    }
    if lower > 0.0 {
        overlap.hi = overlap.hi.min(b_max);
    } else if lower < 0.0 {
        overlap.lo = overlap.lo.max(b_max);
    }
}
