//! RT.BBOX: the slab test (specification, section 7).
//!
//! Per axis with `d != 0`: `tn = (near - o) / d`, `tf = (far - o) / d`, one rounded subtraction and
//! one rounded division each. `hit <=> max(tnear, tmin) <= min(tfar, tmax)`.

use super::{RayElements, Verdict};
use crate::numeric::{Rounding, fp32};

/// What to test and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BboxOptions {
    /// How `tn` and `tf` are rounded.
    pub rounding: SlabRounding,
    /// T_CLAMP: return the pair clamped to `[tmin, tmax]`. The decision is the same.
    pub clamp: bool,
    /// W_GUARD's element: ±0 forces a miss.
    pub w: Option<f32>,
}

/// How the slab arithmetic is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlabRounding {
    /// Everything in one mode.
    Mode(Rounding),
    /// Entry toward −Inf, exit toward +Inf: a box that the exact ray meets is never missed.
    Conservative,
}

/// Tests a box; a hit's values are `tnear` and `tfar`.
#[must_use]
pub fn bbox(ray: &RayElements, min: [f32; 3], max: [f32; 3], options: &BboxOptions) -> Verdict<2> {
    let nan = |elements: &[f32]| elements.iter().any(|x| x.is_nan());
    if ray.has_nan() || nan(&min) || nan(&max) || options.w.is_some_and(f32::is_nan) {
        return Verdict::Nan { invalid: false };
    }
    let mut missed = options.w == Some(0.0);
    let (mut tnear, mut tfar) = (f32::NEG_INFINITY, f32::INFINITY);
    let axes = (0..3).map(|k| (ray.origin[k], ray.direction[k], min[k], max[k]));
    for (o, d, low, high) in axes {
        if d == 0.0 {
            missed |= !(low..=high).contains(&o);
            continue;
        }
        let (near, far) = if d > 0.0 { (low, high) } else { (high, low) };
        let (tn, tf) = match options.rounding {
            SlabRounding::Mode(mode) => {
                (plane(mode, mode, near, o, d), plane(mode, mode, far, o, d))
            }
            SlabRounding::Conservative => {
                // A smaller difference makes a smaller quotient when d > 0, a larger one when d <
                // 0.
                let (less, more) = (Rounding::Rdn, Rounding::Rup);
                let (lower, upper) = if d > 0.0 { (less, more) } else { (more, less) };
                (plane(lower, less, near, o, d), plane(upper, more, far, o, d))
            }
        };
        if tn.is_nan() || tf.is_nan() {
            // The NaN case takes precedence over every miss, so it may be returned at once.
            return Verdict::INVALID;
        }
        tnear = max_with_zeros(tnear, tn);
        tfar = min_with_zeros(tfar, tf);
    }
    let enter = max_with_zeros(tnear, ray.tmin);
    let exit = min_with_zeros(tfar, ray.tmax);
    match !missed && enter <= exit {
        false => Verdict::Miss,
        true if options.clamp => Verdict::Hit([enter, exit]),
        true => Verdict::Hit([tnear, tfar]),
    }
}

/// Where the ray meets a plane.
fn plane(difference: Rounding, quotient: Rounding, plane: f32, origin: f32, direction: f32) -> f32 {
    fp32::div(quotient, fp32::sub(difference, plane, origin), direction)
}

/// The larger of two numbers; −0 counts below +0. Neither is NaN.
fn max_with_zeros(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b).is_lt() { b } else { a }
}

/// The smaller of two numbers; −0 counts below +0. Neither is NaN.
fn min_with_zeros(a: f32, b: f32) -> f32 {
    if b.total_cmp(&a).is_lt() { b } else { a }
}
