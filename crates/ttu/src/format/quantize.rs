//! Boxes to cells and back, outward and exact.
//!
//! A plane at cell `q` lies at `origin + q 2^e`, a number that need not be an `f32`, or even an
//! `f64`. All comparisons here are of real numbers: `plane - origin` is split by two-sum into a
//! rounded difference and its exact error, and `q 2^e` is exact in `f64`.

use geometry::rounding::{narrow_down, narrow_up};
use geometry::{Aabb, Vec3};
use std::cmp::Ordering;

/// Exponents of cells (T-8).
pub const EXPONENTS: std::ops::RangeInclusive<i32> = -100..=100;

/// The grid of one axis of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// The plane at cell 0.
    pub origin: f32,
    /// A cell is `2^exponent` wide.
    pub exponent: i8,
}

impl Axis {
    /// The finest grid that begins at `min` and reaches `max` in 255 cells; `None` if no exponent
    /// does.
    ///
    /// A flat axis takes the finest cell that is no smaller than an ulp of the plane, so that a
    /// query's coordinates in cells stay small.
    #[must_use]
    pub fn spanning(min: f32, max: f32) -> Option<Self> {
        // A difference of 2^k to 2^(k+1) takes cells of 2^(k-8) or 2^(k-7); begin before both.
        let finest = if min == max {
            ulp_exponent(min.abs())
        } else {
            difference(max, min).0.log2().floor() as i32 - 9
        };
        (finest.clamp(*EXPONENTS.start(), *EXPONENTS.end())..=*EXPONENTS.end())
            .map(|exponent| Self { origin: min, exponent: exponent as i8 })
            .find(|axis| axis.compare(max, 255.0) != Ordering::Greater)
    }

    /// The largest cell whose plane is not above `plane`, which must not lie below the origin.
    #[must_use]
    pub fn floor(&self, plane: f32) -> u8 {
        let mut cell = (difference(plane, self.origin).0 / self.cell()).floor().clamp(0.0, 255.0);
        if cell > 0.0 && self.compare(plane, cell) == Ordering::Less {
            cell -= 1.0;
        } else if cell < 255.0 && self.compare(plane, cell + 1.0) != Ordering::Less {
            cell += 1.0;
        }
        cell as u8
    }

    /// The smallest cell whose plane is not below `plane`; `None` beyond 255.
    #[must_use]
    pub fn ceil(&self, plane: f32) -> Option<u8> {
        let mut cell = (difference(plane, self.origin).0 / self.cell()).ceil().clamp(0.0, 256.0);
        if self.compare(plane, cell) == Ordering::Greater {
            cell += 1.0;
        } else if cell > 0.0 && self.compare(plane, cell - 1.0) != Ordering::Greater {
            cell -= 1.0;
        }
        (cell <= 255.0).then_some(cell as u8)
    }

    /// Compares `plane` with the plane at `cell`, exactly.
    #[must_use]
    pub fn compare(&self, plane: f32, cell: f64) -> Ordering {
        let (rounded, error) = difference(plane, self.origin);
        rounded.total_cmp(&(cell * self.cell())).then(error.total_cmp(&0.0))
    }

    /// The plane at `cell`, rounded down to `f32`.
    #[must_use]
    pub fn plane_below(&self, cell: u8) -> f32 {
        let (sum, error) = two_sum(f64::from(self.origin), f64::from(cell) * self.cell());
        narrow_down(if error < 0.0 { sum.next_down() } else { sum })
    }

    /// The plane at `cell`, rounded up to `f32`.
    #[must_use]
    pub fn plane_above(&self, cell: u8) -> f32 {
        let (sum, error) = two_sum(f64::from(self.origin), f64::from(cell) * self.cell());
        narrow_up(if error > 0.0 { sum.next_up() } else { sum })
    }

    /// `2^exponent`, put together so that it is exact.
    pub(super) fn cell(&self) -> f64 {
        f64::from_bits(((1023 + i64::from(self.exponent)) as u64) << 52)
    }
}

/// The box between two corners in cells, rounded outward.
#[must_use]
pub fn decoded_box(axes: &[Axis; 3], min: [u8; 3], max: [u8; 3]) -> Aabb {
    Aabb::new(
        Vec3::from_array(std::array::from_fn(|k| axes[k].plane_below(min[k]))),
        Vec3::from_array(std::array::from_fn(|k| axes[k].plane_above(max[k]))),
    )
}

/// The same, rounded inward: the largest box of `f32` planes inside. Whatever has `f32` planes and
/// lies between the cells lies in it, and its own cells are these again. A box without such planes
/// is rounded outward.
#[must_use]
pub fn inner_box(axes: &[Axis; 3], min: [u8; 3], max: [u8; 3]) -> Aabb {
    let outer = decoded_box(axes, min, max);
    let mut inner = outer;
    for k in 0..3 {
        if axes[k].compare(outer.min[k], f64::from(min[k])) == Ordering::Less {
            inner.min[k] = outer.min[k].next_up();
        }
        if axes[k].compare(outer.max[k], f64::from(max[k])) == Ordering::Greater {
            inner.max[k] = outer.max[k].next_down();
        }
    }
    if inner.is_empty() { outer } else { inner }
}

/// `a - b` as a rounded `f64` and its exact error; no negative zeros, so that a total order
/// compares them.
fn difference(a: f32, b: f32) -> (f64, f64) {
    let (sum, error) = two_sum(f64::from(a), -f64::from(b));
    (sum + 0.0, error + 0.0)
}

/// Knuth's two-sum.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_seen = sum - a;
    let a_seen = sum - b_seen;
    (sum, (a - a_seen) + (b - b_seen))
}

/// The exponent of the smallest power of two that is not below an ulp of `magnitude`.
fn ulp_exponent(magnitude: f32) -> i32 {
    (f64::from(magnitude.next_up()) - f64::from(magnitude)).log2().ceil() as i32
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::exact::rational;
    use num_rational::BigRational;
    use proptest::prelude::*;

    fn plane(axis: &Axis, cell: u8) -> BigRational {
        let width = BigRational::from_float(f64::from(axis.exponent).exp2()).unwrap();
        rational(axis.origin) + BigRational::from_integer(cell.into()) * width
    }

    /// Floats of all magnitudes, some close to each other.
    fn pair() -> impl Strategy<Value = (f32, f32)> {
        let float = || (-1.0f32..1.0, -60i32..30).prop_map(|(x, e)| x * (e as f32).exp2());
        prop_oneof![
            (float(), float()),
            (float(), 0u32..400)
                .prop_map(|(x, steps)| { (x, (0..steps).fold(x, |x, _| x.next_up())) }),
        ]
        .prop_map(|(a, b)| (a.min(b), a.max(b)))
    }

    proptest! {
        /// The finest grid, and the tightest cells that contain a part of it, by rational
        /// arithmetic.
        #[test]
        fn cells_are_tight_and_outward((min, max) in pair(), a in 0.0f32..=1.0, b in 0.0f32..=1.0) {
            let axis = Axis::spanning(min, max).unwrap();
            prop_assert!(plane(&axis, 255) >= rational(max));
            if min != max && axis.exponent > -100 {
                let finer = Axis { exponent: axis.exponent - 1, ..axis };
                prop_assert!(plane(&finer, 255) < rational(max));
            }
            let inner = |share: f32| (min + (max - min) * share).clamp(min, max);
            let (low, high) = (inner(a.min(b)), inner(a.max(b)));
            let (floor, ceil) = (axis.floor(low), axis.ceil(high).unwrap());
            prop_assert!(plane(&axis, floor) <= rational(low));
            prop_assert!(floor == 255 || plane(&axis, floor + 1) > rational(low));
            prop_assert!(plane(&axis, ceil) >= rational(high));
            prop_assert!(ceil == 0 || plane(&axis, ceil - 1) < rational(high));
            prop_assert!(rational(axis.plane_below(floor)) <= plane(&axis, floor));
            prop_assert!(rational(axis.plane_above(ceil)) >= plane(&axis, ceil));
        }
    }

    /// The numbers of the specification's worked example.
    #[test]
    fn worked_example() {
        let axes = [10.0, 5.0, 2.5].map(|max| Axis::spanning(0.0, max).unwrap());
        assert_eq!(axes.map(|axis| axis.exponent), [-4, -5, -6]);
        assert_eq!(axes.map(|axis| axis.floor(0.1)), [1, 3, 6]);
        assert_eq!(axes.map(|axis| axis.ceil(1.0)), [Some(16), Some(32), Some(64)]);
        assert_eq!([axes[0].ceil(10.0), axes[1].ceil(5.0), axes[2].ceil(2.5)], [Some(160); 3]);
    }

    #[test]
    fn no_grid_reaches_that_far() {
        assert_eq!(Axis::spanning(-3e38, 3e38), None);
        assert_eq!(Axis::spanning(0.0, 0.0).map(|axis| axis.exponent), Some(-100));
        assert_eq!(Axis::spanning(5.0, 5.0).map(|axis| axis.exponent), Some(-21));
    }
}
