//! The box test without rounding: three independent oracles, for tests and vector files. Slow.
//!
//! They take the numbers of a beam as they are, valid or not, so that they can also judge what
//! snapping changes.

use super::construct::Corners;
use crate::Aabb;
use crate::exact::rational;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// First and last parameter at which a beam meets a box; no last one for "never leaves".
pub type ExactOverlap = (BigRational, Option<BigRational>);

/// All lower and upper bounds as fractions; the largest lower one against the smallest upper one.
#[must_use]
pub fn by_bounds(corners: &Corners, bounds: &Aabb) -> Option<ExactOverlap> {
    let mut range = ExactRange::new(corners);
    (0..3).for_each(|k| range.cut(corners, bounds, k));
    range.overlap()
}

/// The parameters that are left after some axes.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactRange {
    /// The largest lower bound.
    pub first: BigRational,
    /// The smallest upper bound; none for "never leaves".
    pub last: Option<BigRational>,
    /// Whether a face that stands still is on the right side of its plane, on every axis.
    pub is_possible: bool,
}

impl ExactRange {
    /// The range of a beam.
    #[must_use]
    pub fn new(corners: &Corners) -> Self {
        Self {
            first: rational(corners.tmin),
            last: corners.tmax.is_finite().then(|| rational(corners.tmax)),
            is_possible: true,
        }
    }

    /// Cuts the range to the parameters at which axis `k` overlaps.
    pub fn cut(&mut self, corners: &Corners, bounds: &Aabb, k: usize) {
        for (need, slope) in inequalities(corners, bounds, k).into_iter().flatten() {
            if slope.is_zero() {
                self.is_possible &= !need.is_positive();
                continue;
            }
            let is_lower = slope.is_positive();
            let bound = need / slope;
            if !is_lower {
                let last = self.last.take();
                self.last = Some(last.map_or(bound.clone(), |last| last.min(bound)));
            } else if bound > self.first {
                self.first = bound;
            }
        }
    }

    /// The range, unless nothing is left.
    #[must_use]
    pub fn overlap(self) -> Option<ExactOverlap> {
        let is_crossed = self.last.as_ref().is_some_and(|last| self.first > *last);
        (self.is_possible && !is_crossed).then_some((self.first, self.last))
    }
}

/// `Amin` and `Bmax` on axis `k`; none for a plane that is not there and a face that stands still.
#[must_use]
pub fn quotients(corners: &Corners, bounds: &Aabb, k: usize) -> [Option<BigRational>; 2] {
    let quotient =
        |(need, slope): (BigRational, BigRational)| (!slope.is_zero()).then(|| need / slope);
    inequalities(corners, bounds, k).map(|inequality| inequality.and_then(quotient))
}

/// Every parameter at which something changes, and one beyond all of them, tried one after the
/// other; the first at which the boxes overlap.
#[must_use]
pub fn by_events(corners: &Corners, bounds: &Aabb) -> Option<BigRational> {
    let mut events = vec![rational(corners.tmin)];
    events.extend(corners.tmax.is_finite().then(|| rational(corners.tmax)));
    for k in 0..3 {
        let rays = [
            (corners.upper_origin[k], corners.upper_direction[k]),
            (corners.lower_origin[k], corners.lower_direction[k]),
        ];
        for (origin, direction) in rays.into_iter().filter(|(_, direction)| *direction != 0.0) {
            let planes = [bounds.min[k], bounds.max[k]];
            events.extend(
                planes
                    .into_iter()
                    .filter(|plane| plane.is_finite())
                    .map(|plane| (rational(plane) - rational(origin)) / rational(direction)),
            );
        }
    }
    let beyond =
        events.iter().fold(BigRational::zero(), |a, b| a.max(b.clone())) + BigRational::one();
    events.push(beyond);
    events.sort();
    let all = (0..3).flat_map(|k| inequalities(corners, bounds, k)).flatten();
    let inequalities: Vec<_> = all.collect();
    let is_inside = |t: &BigRational| {
        *t >= rational(corners.tmin)
            && (!corners.tmax.is_finite() || *t <= rational(corners.tmax))
            && inequalities.iter().all(|(need, slope)| &(slope * t) >= need)
    };
    events.into_iter().find(is_inside)
}

/// Cross multiplication of integers, for coordinates that are multiples of `2^-40` below `2^20`;
/// `None` for others.
#[must_use]
pub fn by_integers(corners: &Corners, bounds: &Aabb) -> Option<bool> {
    let mut first = (grid(corners.tmin)?, GRID);
    let mut last = if corners.tmax.is_finite() { Some((grid(corners.tmax)?, GRID)) } else { None };
    for k in 0..3 {
        let (oa, ob) = (grid(corners.upper_origin[k])?, grid(corners.lower_origin[k])?);
        let (da, db) = (grid(corners.upper_direction[k])?, grid(corners.lower_direction[k])?);
        let (min, max) = (grid(bounds.min[k])?, grid(bounds.max[k])?);
        for (need, slope) in [(min - oa, da), (ob - max, -db)] {
            match slope.signum() {
                0 if need > 0 => return Some(false),
                0 => {}
                1 if first.0 * slope < need * first.1 => first = (need, slope),
                -1 if last.is_none_or(|(n, d)| -need * d < n * -slope) => {
                    last = Some((-need, -slope))
                }
                _ => {}
            }
        }
    }
    Some(last.is_none_or(|(n, d)| first.0 * d <= n * first.1))
}

/// `2^40`.
const GRID: i128 = 1 << 40;

fn grid(x: f32) -> Option<i128> {
    let scaled = f64::from(x) * GRID as f64;
    (scaled.fract() == 0.0 && scaled.abs() < (1u64 << 60) as f64).then_some(scaled as i128)
}

/// `slope * t >= need`, as need and slope, for `MIN` and `MAX` of axis `k`, where they are finite.
fn inequalities(
    corners: &Corners,
    bounds: &Aabb,
    k: usize,
) -> [Option<(BigRational, BigRational)>; 2] {
    let (min, max) = (bounds.min[k], bounds.max[k]);
    let upper = || {
        let need = rational(min) - rational(corners.upper_origin[k]);
        (need, rational(corners.upper_direction[k]))
    };
    let lower = || {
        let need = rational(corners.lower_origin[k]) - rational(max);
        (need, -rational(corners.lower_direction[k]))
    };
    [min.is_finite().then(upper), max.is_finite().then(lower)]
}
