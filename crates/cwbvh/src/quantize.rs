//! Planes to cells and back, exactly.
//!
//! A plane at cell `q` lies at `p + q 2^(e - 127)`, a number that need not be an `f32`. All
//! comparisons here are of real numbers: the difference of two `f32` is split by two-sum into a
//! rounded part and its error, and `q 2^(e - 127)` is exact in `f64`. Lower planes take the largest
//! cell that is not above them, upper planes the smallest that is not below.

use geometry::{Aabb, Vec3, rounding};
use std::cmp::Ordering;

/// The grid of one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// The plane at cell 0.
    pub origin: f32,
    /// A cell is `2^(biased - 127)` wide.
    pub biased: u8,
}

/// Exponents that stand for a number: 0 and 255 do not.
pub const EXPONENTS: std::ops::RangeInclusive<u8> = 1..=254;

impl Axis {
    /// The finest grid that begins at `min` and reaches `max` in 255 cells; `None` if none does.
    ///
    /// A flat axis takes cells no smaller than an ulp of the plane, so that coordinates in cells
    /// stay small.
    #[must_use]
    pub fn spanning(min: f32, max: f32) -> Option<Self> {
        // No negative zero, so that the order of the children does not decide on its sign.
        let origin = min + 0.0;
        let finest = if min == max {
            (f64::from(min.abs().next_up()) - f64::from(min.abs())).log2().ceil()
        } else {
            // A difference of 2^k to 2^(k+1) takes cells of 2^(k-8) or 2^(k-7).
            difference(max, min).0.log2().floor() - 9.0
        };
        let finest = (finest + 127.0).clamp(1.0, 254.0) as u8;
        let mut axes = (finest..=*EXPONENTS.end()).map(|biased| Self { origin, biased });
        axes.find(|axis| axis.compare(max, 255) != Ordering::Greater)
    }

    /// The largest cell whose plane is not above `plane`; 0 if none is.
    #[must_use]
    pub fn floor(&self, plane: f32) -> u8 {
        let near = self.near(plane);
        let cells = near.saturating_sub(1)..=near.saturating_add(1);
        cells.rev().find(|&cell| self.compare(plane, cell) != Ordering::Less).unwrap_or(0)
    }

    /// The smallest cell whose plane is not below `plane`; 255 if none is.
    #[must_use]
    pub fn ceil(&self, plane: f32) -> u8 {
        let near = self.near(plane);
        let mut cells = near.saturating_sub(1)..=near.saturating_add(1);
        cells.find(|&cell| self.compare(plane, cell) != Ordering::Greater).unwrap_or(255)
    }

    /// The cell nearest to `plane`.
    fn near(&self, plane: f32) -> u8 {
        (difference(plane, self.origin).0 / self.cell()).round().clamp(0.0, 255.0) as u8
    }

    /// Compares `plane` with the plane at `cell`, exactly.
    #[must_use]
    pub fn compare(&self, plane: f32, cell: u8) -> Ordering {
        let (rounded, error) = difference(plane, self.origin);
        rounded.total_cmp(&(f64::from(cell) * self.cell())).then(error.total_cmp(&0.0))
    }

    /// The smallest `f32` that is not below the plane at `cell`.
    #[must_use]
    pub fn round_up(&self, cell: u8) -> f32 {
        let (sum, error) = two_sum(self.origin.into(), f64::from(cell) * self.cell());
        rounding::narrow_up(if error > 0.0 { sum.next_up() } else { sum })
    }

    /// The largest `f32` that is not above the plane at `cell`.
    #[must_use]
    pub fn round_down(&self, cell: u8) -> f32 {
        let (sum, error) = two_sum(self.origin.into(), f64::from(cell) * self.cell());
        rounding::narrow_down(if error < 0.0 { sum.next_down() } else { sum })
    }

    /// The width of a cell, put together so that it is exact.
    fn cell(&self) -> f64 {
        f64::from_bits((1023 - 127 + u64::from(self.biased)) << 52)
    }
}

/// The box between two corners in cells, as `f32`.
///
/// Planes that are no `f32` are rounded inward. That keeps whatever has `f32` planes and lies
/// between the cells, and encoding the box again gives the same cells. Only a box that has no
/// `f32` inside is rounded outward.
#[must_use]
pub fn decoded_box(axes: &[Axis; 3], low: [u8; 3], high: [u8; 3]) -> Aabb {
    let plane = |round: fn(&Axis, u8) -> f32, cells: [u8; 3]| {
        Vec3::from_array(std::array::from_fn(|k| round(&axes[k], cells[k])))
    };
    let inner = Aabb::new(plane(Axis::round_up, low), plane(Axis::round_down, high));
    if inner.is_empty() {
        return Aabb::new(plane(Axis::round_down, low), plane(Axis::round_up, high));
    }
    inner
}

/// `a - b` as a rounded `f64` and its exact error, without negative zeros.
fn difference(a: f32, b: f32) -> (f64, f64) {
    let (sum, error) = two_sum(a.into(), -f64::from(b));
    (sum + 0.0, error + 0.0)
}

/// Knuth's two-sum.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_seen = sum - a;
    let a_seen = sum - b_seen;
    (sum, (a - a_seen) + (b - b_seen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::exact::rational;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn plane(axis: &Axis, cell: u8) -> BigRational {
        let width = BigRational::from_float(axis.cell()).unwrap();
        rational(axis.origin) + BigRational::from_integer(cell.into()) * width
    }

    /// Floats of all magnitudes, some close to each other.
    fn pair() -> impl Strategy<Value = (f32, f32)> {
        let float = || (-1.0f32..1.0, -60i32..30).prop_map(|(x, e)| x * (e as f32).exp2());
        let close =
            (float(), 0u32..400).prop_map(|(x, steps)| (x, (0..steps).fold(x, |x, _| x.next_up())));
        prop_oneof![(float(), float()), close].prop_map(|(a, b)| (a.min(b), a.max(b)))
    }

    proptest! {
        /// The finest grid, the tightest cells, and cells that survive decoding, by rational
        /// arithmetic.
        #[test]
        fn cells_are_tight_and_outward((min, max) in pair(), a in 0.0f32..=1.0, b in 0.0f32..=1.0) {
            let axis = Axis::spanning(min, max).unwrap();
            prop_assert!(plane(&axis, 255) >= rational(max));
            if min != max && axis.biased > 1 {
                let finer = Axis { biased: axis.biased - 1, ..axis };
                prop_assert!(plane(&finer, 255) < rational(max));
            }
            let inner = |share: f32| (min + (max - min) * share).clamp(min, max);
            let (low, high) = (inner(a.min(b)), inner(a.max(b)));
            let (floor, ceil) = (axis.floor(low), axis.ceil(high));
            prop_assert!(plane(&axis, floor) <= rational(low));
            prop_assert!(floor == 255 || plane(&axis, floor + 1) > rational(low));
            prop_assert!(plane(&axis, ceil) >= rational(high));
            prop_assert!(ceil == 0 || plane(&axis, ceil - 1) < rational(high));
            let decoded = decoded_box(&[axis; 3], [floor; 3], [ceil; 3]);
            prop_assert!(decoded.min.x <= low && decoded.max.x >= high);
            prop_assert_eq!(axis.floor(decoded.min.x), floor);
            prop_assert_eq!(axis.ceil(decoded.max.x), ceil);
        }
    }

    #[test]
    fn no_grid_reaches_that_far() {
        assert!(Axis::spanning(-3e38, 3e38).is_some(), "255 cells of 2^127 reach all numbers");
        assert_eq!(Axis::spanning(5.0, 5.0).map(|axis| axis.biased), Some(127 - 21));
        assert_eq!(Axis::spanning(-0.0, 0.0).map(|axis| axis.origin.to_bits()), Some(0));
    }
}
