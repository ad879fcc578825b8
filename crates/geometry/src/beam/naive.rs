//! The naive test: four divisions an axis.
//!
//! The readable reference and the baseline of the benchmarks. It has one rounding fewer in each value than
//! the normative form, and yet it is not conservative: it has no widening.

use super::{Beam, Overlap};
use crate::Aabb;

/// The four quotients of one axis, and what the signs make of them.
struct Quotients {
    a_min: f32,
    b_max: f32,
    /// Where A leaves and B enters: never needed, but part of the method.
    spare: [f32; 2],
}

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
        let (min, max) = (bounds.min[k], bounds.max[k]);
        let q = Quotients {
            a_min: (min - axis.upper_origin) / axis.upper_direction,
            b_max: (max - axis.lower_origin) / axis.lower_direction,
            spare: [
                (max - axis.upper_origin) / axis.upper_direction,
                (min - axis.lower_origin) / axis.lower_direction,
            ],
        };
        std::hint::black_box(q.spare);
        let (upper, lower) = (axis.upper_direction, axis.lower_direction);
        if (upper == 0.0 && axis.upper_origin < min) || (lower == 0.0 && axis.lower_origin > max) {
            overlap.hi = f32::NEG_INFINITY;
        }
        if upper > 0.0 {
            overlap.lo = overlap.lo.max(q.a_min);
        } else if upper < 0.0 {
            overlap.hi = overlap.hi.min(q.a_min);
        }
        if lower > 0.0 {
            overlap.hi = overlap.hi.min(q.b_max);
        } else if lower < 0.0 {
            overlap.lo = overlap.lo.max(q.b_max);
        }
    }
    overlap
}
