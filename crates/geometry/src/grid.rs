//! Grids of 256 planes an axis whose cells are a power of two wide: where formats store 8-bit
//! planes. Boxes to cells and back, exactly.
//!
//! A plane at cell `q` lies at `origin + q 2^e`, a number that need not be an `f32`, or even an
//! `f64`. All comparisons here are of real numbers: `plane - origin` is split by two-sum into a
//! rounded difference and its exact error, and `q 2^e` is exact in `f64`. Lower planes take the
//! largest cell that is not above them, upper planes the smallest that is not below.

use crate::expansion::two_sum;
use crate::rounding::{narrow_down, narrow_up};
use crate::{Aabb, Vec3};
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// The grid of one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridAxis {
    /// The plane at cell 0.
    pub origin: f32,
    /// A cell is `2^exponent` wide.
    pub exponent: i16,
}

impl GridAxis {
    /// The finest grid with one of the `exponents` that begins at `min` and reaches `max` in 255
    /// cells; `None` if none does.
    ///
    /// A flat axis takes the finest cell that is no smaller than an ulp of the plane, so that
    /// coordinates in cells stay small.
    #[must_use]
    pub fn spanning(min: f32, max: f32, exponents: RangeInclusive<i16>) -> Option<Self> {
        // No negative zero, so that the order of what lies inside does not decide on its sign.
        let origin = min + 0.0;
        let finest = if min == max {
            (f64::from(min.abs().next_up()) - f64::from(min.abs())).log2().ceil()
        } else {
            // A difference of 2^k to 2^(k+1) takes cells of 2^(k-8) or 2^(k-7); begin before both.
            difference(max, min).0.log2().floor() - 9.0
        };
        let finest = (finest as i16).clamp(*exponents.start(), *exponents.end());
        (finest..=*exponents.end())
            .map(|exponent| Self { origin, exponent })
            .find(|axis| axis.compare(max, 255.0) != Ordering::Greater)
    }

    /// The largest cell whose plane is not above `plane`; 0 if none is.
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
        let (sum, error) = two_sum(self.origin.into(), f64::from(cell) * self.cell());
        narrow_down(if error < 0.0 { sum.next_down() } else { sum })
    }

    /// The plane at `cell`, rounded up to `f32`.
    #[must_use]
    pub fn plane_above(&self, cell: u8) -> f32 {
        let (sum, error) = two_sum(self.origin.into(), f64::from(cell) * self.cell());
        narrow_up(if error > 0.0 { sum.next_up() } else { sum })
    }

    /// `2^exponent`, put together so that it is exact.
    #[must_use]
    pub fn cell(&self) -> f64 {
        f64::from_bits(((1023 + i64::from(self.exponent)) as u64) << 52)
    }
}

/// The box between two corners in cells, rounded outward.
#[must_use]
pub fn outer_box(axes: &[GridAxis; 3], min: [u8; 3], max: [u8; 3]) -> Aabb {
    box_of(axes, (min, GridAxis::plane_below), (max, GridAxis::plane_above))
}

/// The same, rounded inward: the largest box of `f32` planes inside. Whatever has `f32` planes and
/// lies between the cells lies in it, and its own cells are these again. A box without such planes
/// is rounded outward.
#[must_use]
pub fn inner_box(axes: &[GridAxis; 3], min: [u8; 3], max: [u8; 3]) -> Aabb {
    let inner = box_of(axes, (min, GridAxis::plane_above), (max, GridAxis::plane_below));
    if inner.is_empty() { outer_box(axes, min, max) } else { inner }
}

/// A box without the part of a cell by which rounding took it past the box above, so that encoding
/// it again gives the same cells. A plane that lies farther out stays: it is stored so, and the box
/// above is wrong.
#[must_use]
pub fn trimmed(bounds: Aabb, above: &Aabb, axes: &[GridAxis; 3]) -> Aabb {
    let [min, max, low, high] =
        [bounds.min, bounds.max, above.min, above.max].map(|corner| corner.to_array());
    let nearer = |k: usize, plane: f32, limit: f32, excess: f64| {
        if excess > 0.0 && excess < axes[k].cell() { limit } else { plane }
    };
    let excess = |inner: f32, outer: f32| f64::from(inner) - f64::from(outer);
    let trimmed = Aabb::new(
        Vec3::from_array([0, 1, 2].map(|k| nearer(k, min[k], low[k], excess(low[k], min[k])))),
        Vec3::from_array([0, 1, 2].map(|k| nearer(k, max[k], high[k], excess(max[k], high[k])))),
    );
    if trimmed.is_empty() { bounds } else { trimmed }
}

/// Cells of a corner, and how their planes are rounded.
type Corner = ([u8; 3], fn(&GridAxis, u8) -> f32);

fn box_of(axes: &[GridAxis; 3], min: Corner, max: Corner) -> Aabb {
    let [min, max] = [min, max]
        .map(|(cells, round)| Vec3::from_array(std::array::from_fn(|k| round(&axes[k], cells[k]))));
    Aabb::new(min, max)
}

/// `a - b` as a rounded `f64` and its exact error; no negative zeros, so that a total order
/// compares them.
fn difference(a: f32, b: f32) -> (f64, f64) {
    let (sum, error) = two_sum(a.into(), -f64::from(b));
    (sum + 0.0, error + 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::rational;
    use num_rational::BigRational;
    use proptest::prelude::*;

    const WIDE: RangeInclusive<i16> = -126..=127;
    const NARROW: RangeInclusive<i16> = -100..=100;

    fn plane(axis: &GridAxis, cell: u8) -> BigRational {
        let width = BigRational::from_float(f64::from(axis.exponent).exp2()).unwrap();
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
        /// The finest grid, the tightest cells that contain a part of it, and cells that survive
        /// decoding, by rational arithmetic.
        #[test]
        fn cells_are_tight_and_outward(
            (min, max) in pair(),
            a in 0.0f32..=1.0,
            b in 0.0f32..=1.0,
            is_wide: bool,
        ) {
            let exponents = if is_wide { WIDE } else { NARROW };
            let axis = GridAxis::spanning(min, max, exponents.clone()).unwrap();
            prop_assert!(plane(&axis, 255) >= rational(max));
            if min != max && axis.exponent > *exponents.start() {
                let finer = GridAxis { exponent: axis.exponent - 1, ..axis };
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
            let decoded = inner_box(&[axis; 3], [floor; 3], [ceil; 3]);
            prop_assert!(decoded.min.x <= low && decoded.max.x >= high);
            prop_assert_eq!(axis.floor(decoded.min.x), floor);
            prop_assert_eq!(axis.ceil(decoded.max.x), Some(ceil));
        }
    }

    /// The numbers of the worked example of `ttu` blocks.
    #[test]
    fn worked_example() {
        let axes = [10.0, 5.0, 2.5].map(|max| GridAxis::spanning(0.0, max, NARROW).unwrap());
        assert_eq!(axes.map(|axis| axis.exponent), [-4, -5, -6]);
        assert_eq!(axes.map(|axis| axis.floor(0.1)), [1, 3, 6]);
        assert_eq!(axes.map(|axis| axis.ceil(1.0)), [Some(16), Some(32), Some(64)]);
        assert_eq!([axes[0].ceil(10.0), axes[1].ceil(5.0), axes[2].ceil(2.5)], [Some(160); 3]);
    }

    #[test]
    fn grids_reach_as_far_as_their_exponents() {
        let exponent =
            |min, max, exponents| GridAxis::spanning(min, max, exponents).map(|axis| axis.exponent);
        assert_eq!(exponent(-3e38, 3e38, NARROW), None);
        assert_eq!(exponent(-3e38, 3e38, WIDE), Some(121));
        assert_eq!(exponent(0.0, 0.0, NARROW), Some(-100));
        assert_eq!([NARROW, WIDE].map(|range| exponent(5.0, 5.0, range)), [Some(-21); 2]);
        let origin = GridAxis::spanning(-0.0, 0.0, WIDE).map(|axis| axis.origin.to_bits());
        assert_eq!(origin, Some(0));
    }
}
