//! Ray against box, as the unit computes it.
//!
//! ```text
//! tA = (min - o) * inv,  tB = (max - o) * inv           per axis, two roundings each, inv = 1 / d
//! near, far = inv >= 0 ? (tA, tB) : (tB, tA)            per axis
//! tn = max of the nears,  tf = min of the fars          NaN loses against a number
//! entry = max(tn, 0),  exit = min(tf, extent)
//! hit = entry <= exit * (1 + grow * 2^-24)              equality hits
//! ```
//!
//! `0 * inf` on one axis is a NaN that loses; three of them make tn or tf NaN, which is a miss.
//! `inv >= 0` holds for +0, -0 and +infinity, and fails for NaN and for -infinity (a direction of
//! -0). Nothing is flushed, and 1 / d is rounded correctly (G-9). Source: GPURT's emulation;
//! captured vectors agree.

use crate::layout::SortHeuristic;
use geometry::{Aabb, Vec3};

/// 2^-24.
const ULP: f32 = f32::EPSILON / 2.0;

/// A ray prepared for box tests.
#[derive(Clone, Copy, Debug)]
pub struct UnitSlabRay {
    origin: [f32; 3],
    inverse: [f32; 3],
    extent: f32,
    growth: f32,
}

/// Which of the two planes of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// The minimum.
    Lower,
    /// The maximum.
    Upper,
}

/// What a box test finds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SlabInterval {
    /// Whether the ray meets the box.
    pub hit: bool,
    /// Entry, clamped to 0 from below.
    pub entry: f32,
    /// Exit, clamped to the extent from above.
    pub exit: f32,
    /// Unclamped entry; 0 in place of NaN.
    near: f32,
    /// Unclamped exit; infinity in place of NaN.
    far: f32,
}

impl UnitSlabRay {
    /// Forms the inverse direction and the growth factor.
    #[must_use]
    pub fn new(origin: Vec3, direction: Vec3, extent: f32, box_grow: u8) -> Self {
        Self::with_inverse(origin, direction.to_array().map(|d| 1.0 / d), extent, box_grow)
    }

    /// The same for an instruction that is given the inverse direction.
    #[must_use]
    #[inline]
    pub fn with_inverse(origin: Vec3, inverse: [f32; 3], extent: f32, box_grow: u8) -> Self {
        Self {
            origin: origin.to_array(),
            inverse,
            extent: if extent.is_nan() { f32::INFINITY } else { extent },
            growth: 1.0 + f32::from(box_grow) * ULP,
        }
    }

    /// Tests a box. Inverted, infinite or NaN planes are fine.
    #[must_use]
    #[inline]
    pub fn test(&self, bounds: &Aabb) -> SlabInterval {
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let [interval] = self.test_all(|side, axis, _| match side {
            Side::Lower => min[axis],
            Side::Upper => max[axis],
        });
        interval
    }

    /// Tests `N` boxes side by side; `plane` gives the plane of a side, an axis and a box.
    ///
    /// No branch hangs on a box, so that compilers do all of them at once.
    #[inline]
    pub fn test_all<const N: usize>(
        &self,
        plane: impl Fn(Side, usize, usize) -> f32,
    ) -> [SlabInterval; N] {
        let mut nears = [f32::NAN; N];
        let mut fars = [f32::NAN; N];
        for axis in 0..3 {
            let (origin, inverse) = (self.origin[axis], self.inverse[axis]);
            let (near_side, far_side) = match inverse >= 0.0 {
                true => (Side::Lower, Side::Upper),
                false => (Side::Upper, Side::Lower),
            };
            let at = |side, slot| (plane(side, axis, slot) - origin) * inverse;
            // `f32::max` and `f32::min` return the other operand when one is NaN.
            for (slot, near) in nears.iter_mut().enumerate() {
                *near = near.max(at(near_side, slot));
            }
            for (slot, far) in fars.iter_mut().enumerate() {
                *far = far.min(at(far_side, slot));
            }
        }
        core::array::from_fn(|slot| self.interval(nears[slot], fars[slot]))
    }

    #[inline]
    fn interval(&self, near: f32, far: f32) -> SlabInterval {
        let is_miss = near.is_nan() | far.is_nan();
        let entry = if is_miss { f32::INFINITY } else { near.max(0.0) };
        let exit = if is_miss { f32::NEG_INFINITY } else { far.min(self.extent) };
        SlabInterval {
            hit: entry <= exit * self.growth,
            entry,
            exit,
            near: if near.is_nan() { 0.0 } else { near },
            far: if far.is_nan() { f32::INFINITY } else { far },
        }
    }
}

impl SlabInterval {
    /// The distance that a heuristic sorts by, smaller first.
    #[must_use]
    #[inline]
    pub fn distance(&self, heuristic: SortHeuristic) -> f32 {
        match heuristic {
            SortHeuristic::Closest | SortHeuristic::Reserved => self.entry,
            SortHeuristic::Largest => self.entry - self.exit,
            SortHeuristic::Midpoint => self.near + self.far,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(
        origin: [f32; 3],
        direction: [f32; 3],
        extent: f32,
        grow: u8,
        bounds: [f32; 6],
    ) -> SlabInterval {
        let [a, b, c, d, e, f] = bounds;
        UnitSlabRay::new(origin.into(), direction.into(), extent, grow)
            .test(&Aabb::new(Vec3::new(a, b, c), Vec3::new(d, e, f)))
    }

    #[test]
    fn a_ray_along_an_axis() {
        let first =
            test([0.0, 5.0, 5.0], [1.0, 0.0, 0.0], 4.0, 0, [1.0, 0.0, 0.0, 3.0, 101.0, 101.0]);
        assert_eq!((first.hit, first.entry, first.exit), (true, 1.0, 3.0));
        let clipped =
            test([0.0, 5.0, 5.0], [1.0, 0.0, 0.0], 4.0, 0, [3.0, 0.0, 0.0, 5.0, 101.0, 101.0]);
        assert_eq!((clipped.hit, clipped.entry, clipped.exit), (true, 3.0, 4.0));
        assert!(
            !test([0.0, 5.0, 5.0], [1.0, 0.0, 0.0], 4.0, 0, [5.0, 0.0, 0.0, 7.0, 9.0, 9.0]).hit
        );
    }

    #[test]
    fn a_nan_on_one_axis_is_ignored() {
        // The ray lies in the plane y = 0 of the box: (0 - 0) * inf.
        let grazing =
            test([0.0, 0.0, 0.5], [1.0, 0.0, 0.0], 9.0, 0, [1.0, 0.0, 0.0, 2.0, 1.0, 1.0]);
        assert_eq!((grazing.hit, grazing.entry, grazing.exit), (true, 1.0, 2.0));
        // Three of them are a miss, and the midpoint key is 0 + infinity.
        let nowhere = test([1.0; 3], [0.0; 3], 9.0, 0, [1.0; 6]);
        assert!(!nowhere.hit);
        assert_eq!(nowhere.distance(SortHeuristic::Midpoint), f32::INFINITY);
    }

    #[test]
    fn negative_zero_directions_swap_the_planes() {
        let inside =
            test([0.0, 0.5, 0.5], [1.0, -0.0, 0.0], 9.0, 0, [1.0, 0.0, 0.0, 2.0, 1.0, 1.0]);
        assert!(inside.hit);
        let outside =
            test([0.0, 1.5, 0.5], [1.0, -0.0, 0.0], 9.0, 0, [1.0, 0.0, 0.0, 2.0, 1.0, 1.0]);
        assert!(!outside.hit);
    }

    #[test]
    fn growth_counts_in_24ths_and_rounds() {
        let growth = |grow| UnitSlabRay::new(Vec3::ZERO, Vec3::X, 1.0, grow).growth;
        assert_eq!(growth(1), 1.0);
        assert_eq!(growth(6), 1.0 + 3.0 * f32::EPSILON);
    }

    #[test]
    fn equality_hits_and_a_nan_extent_is_infinite() {
        let bounds = [2.0, -1.0, -1.0, 3.0, 1.0, 1.0];
        assert!(test([0.0; 3], [1.0, 0.0, 0.0], 2.0, 0, bounds).hit);
        assert!(!test([0.0; 3], [1.0, 0.0, 0.0], 2f32.next_down(), 0, bounds).hit);
        assert!(test([0.0; 3], [1.0, 0.0, 0.0], 2f32.next_down(), 6, bounds).hit);
        assert_eq!(test([0.0; 3], [1.0, 0.0, 0.0], f32::NAN, 0, bounds).exit, 3.0);
    }

    #[test]
    fn heuristics() {
        let behind =
            test([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 9.0, 0, [0.0, -1.0, -1.0, 4.0, 1.0, 1.0]);
        assert_eq!(behind.distance(SortHeuristic::Closest), 0.0);
        assert_eq!(behind.distance(SortHeuristic::Largest), -3.0);
        assert_eq!(behind.distance(SortHeuristic::Midpoint), 2.0);
    }
}
