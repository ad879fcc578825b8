//! The reference ray-box test: two multiplications an axis, conservative by proof.
//!
//! A ray is tested as a *beam* that is `2e` wide: `oA = o + e` and `oB = o - e` (rounded outward)
//! share the direction. On an axis with `d > 0` the ray is inside the slab for
//! `(MIN - oA) / d <= t <= (MAX - oB) / d`; with `d < 0` the two bounds trade places; with `d = 0`
//! the reciprocal is infinite and each bound becomes an infinity that accepts or refuses.
//!
//! Three facts make it exact to cull with, for any tree and both triangle rules:
//!
//! 1. *Never too narrow.* Every bound carries three roundings, so a lower bound may exceed an upper
//!    one by a factor below `(1 + 2u)^3 < EXIT_SCALE = 1 + 4 eps`. The exit is widened by that
//!    scale, and by `2^-120` for products that underflow: `fl(fl(hi * EXIT_SCALE) + EXIT_BIAS)`,
//!    unfused (B-2).
//! 2. *Never too thin.* The watertight rule accepts a triangle whose sheared vertices moved by up
//!    to `gamma(6) R`. Dilating by `e = 7uR` covers that, where `R` is the largest distance, on any
//!    axis, from the origin to the box (B-9).
//! 3. *Monotone.* Every step is a rounded operation that is monotone in the planes and in `e`, so
//!    the interval of a box contains the interval of every box inside it, bit for bit.
//!
//! A NaN arises only from `0 * inf`: a ray that lies in a face plane. That is a touch, so the
//! candidate is dropped and the constraint holds.

use crate::rounding::{add_down, add_up};
use crate::{Aabb, Ray};
use glam::{BVec3, Vec3};

/// `1 + 4 eps`, the factor that widens the exit.
pub const EXIT_SCALE: f32 = f32::from_bits(0x3f80_0004);

/// `2^-120`, the term that covers products near the bottom of the exponent range.
pub const EXIT_BIAS: f32 = f32::from_bits(0x0380_0000);

/// `7u = 7 * 2^-24`, the dilation for each unit of reach.
pub const DILATION: f32 = 7.0 / 16_777_216.0;

/// The smallest direction that is divided by; a smaller one is snapped outward.
const SMALLEST_DIRECTION: f32 = f32::MIN_POSITIVE;

/// The part of a ray inside a box: entered at `enter`, left at `exit`, which is already widened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Computed entry parameter, at least the `tmin` of the question.
    pub enter: f32,
    /// Widened exit parameter; never below `enter`.
    pub exit: f32,
}

impl Interval {
    /// `t` moved into the interval.
    #[must_use]
    pub fn clamp(&self, t: f32) -> f32 {
        t.clamp(self.enter, self.exit)
    }
}

/// A ray prepared for box tests, dilated for everything within a given reach.
#[derive(Debug, Clone, Copy)]
pub struct SlabRay {
    /// `oA`, the origin plus the dilation.
    upper_origin: Vec3,
    /// `oB`, the origin minus the dilation.
    lower_origin: Vec3,
    /// `1 / dA`, which goes with the minimum planes.
    inverse_for_min: Vec3,
    /// `1 / dB`, which goes with the maximum planes.
    inverse_for_max: Vec3,
    /// On which axes the ray runs toward smaller coordinates.
    backward: BVec3,
}

impl SlabRay {
    /// Prepares `ray` for boxes no farther than `reach` (see [`reach`]) from its origin.
    #[must_use]
    pub fn new(ray: &Ray, reach: f32) -> Self {
        Self::dilated(ray, DILATION * reach)
    }

    /// Prepares `ray` with the dilation itself.
    #[must_use]
    pub fn dilated(ray: &Ray, dilation: f32) -> Self {
        let (upper, lower) = snap_outward(ray.direction);
        Self {
            upper_origin: ray.origin.map(|origin| add_up(origin, dilation)),
            lower_origin: ray.origin.map(|origin| add_down(origin, -dilation)),
            inverse_for_min: Vec3::select(
                upper.cmpeq(Vec3::ZERO),
                // The sign matters: a beam that only widens backward must flip its bound.
                Vec3::select(lower.cmplt(Vec3::ZERO), Vec3::NEG_INFINITY, Vec3::INFINITY),
                upper.recip(),
            ),
            inverse_for_max: Vec3::select(lower.cmpeq(Vec3::ZERO), Vec3::INFINITY, lower.recip()),
            backward: lower.cmplt(Vec3::ZERO),
        }
    }

    /// The interval of `[tmin, tmax]` in which the ray is inside `bounds`, or `None`.
    ///
    /// `bounds` must not be empty; this test does not detect inverted boxes.
    #[must_use]
    pub fn interval(&self, bounds: &Aabb, tmin: f32, tmax: f32) -> Option<Interval> {
        let at_min = (bounds.min - self.upper_origin) * self.inverse_for_min;
        let at_max = (bounds.max - self.lower_origin) * self.inverse_for_max;
        let lower = Vec3::select(self.backward, at_max, at_min);
        let upper = Vec3::select(self.backward, at_min, at_max);
        let enter = later(lower.z, later(lower.y, later(lower.x, tmin)));
        let exit = widen(earlier(upper.z, earlier(upper.y, earlier(upper.x, tmax))));
        // An axis that is never inside the slab gives `enter = +inf`, also when tmax is infinite.
        (enter <= exit && enter < f32::INFINITY).then_some(Interval { enter, exit })
    }
}

/// The directions `(dA, dB)` of the two corner rays. Directions too small to divide by become the
/// beam between zero and the smallest normal number, which contains the ray.
fn snap_outward(direction: Vec3) -> (Vec3, Vec3) {
    let snap = |d: f32| match d {
        d if d == 0.0 || d.abs() >= SMALLEST_DIRECTION => (d, d),
        d if d > 0.0 => (SMALLEST_DIRECTION, 0.0),
        _ => (0.0, -SMALLEST_DIRECTION),
    };
    let [x, y, z] = direction.to_array().map(snap);
    (Vec3::new(x.0, y.0, z.0), Vec3::new(x.1, y.1, z.1))
}

/// Whether the slab test takes a ray in this direction for a beam.
#[must_use]
pub fn is_snapped(direction: Vec3) -> bool {
    direction.to_array().iter().any(|d| *d != 0.0 && d.abs() < SMALLEST_DIRECTION)
}

/// `R`: the largest distance on any axis from `origin` to a point of `bounds`, rounded up.
#[must_use]
pub fn reach(origin: Vec3, bounds: &Aabb) -> f32 {
    let to_min = (bounds.min - origin).abs();
    let to_max = (bounds.max - origin).abs();
    to_min.max(to_max).max_element().next_up()
}

/// The exit parameter widened so that no rounding can place it before a true entry (B-2).
#[must_use]
pub fn widen(exit: f32) -> f32 {
    exit * EXIT_SCALE + EXIT_BIAS
}

/// The larger of the two; a NaN candidate is dropped.
fn later(candidate: f32, best: f32) -> f32 {
    if candidate > best { candidate } else { best }
}

/// The smaller of the two; a NaN candidate is dropped.
fn earlier(candidate: f32, best: f32) -> f32 {
    if candidate < best { candidate } else { best }
}
