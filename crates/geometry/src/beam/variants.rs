//! The normative test in two other orders of work. Same hits, bit for bit.

use super::box_test::{earlier, later};
use super::{Axis, Beam, Case, Overlap};
use crate::Aabb;

impl Beam {
    /// The comparison variant: a direction of zero compares instead of multiplying, so that no NaN
    /// and no infinity arises. An axis that never overlaps ends the range instead of starting it
    /// late, so `lo` and `hi` of a miss may differ from those of [`Beam::bounds`].
    #[must_use]
    pub fn overlap_by_comparison(&self, bounds: &Aabb) -> Option<Overlap> {
        let mut overlap = Overlap { lo: self.tmin, hi: self.tmax };
        let mut is_possible = true;
        for (k, axis) in self.axes.iter().enumerate() {
            is_possible &= axis.compare_upper(bounds.min[k], &mut overlap);
            is_possible &= axis.compare_lower(bounds.max[k], &mut overlap);
        }
        (is_possible && overlap.is_hit()).then_some(overlap)
    }

    /// The speculative variant: all six products first, as hardware forms them while it decodes the
    /// cases, then the selection.
    #[must_use]
    pub fn bounds_speculatively(&self, bounds: &Aabb) -> Overlap {
        let products: [(f32, f32); 3] =
            std::array::from_fn(|k| self.axes[k].products(bounds.min[k], bounds.max[k]));
        let mut overlap = Overlap { lo: self.tmin, hi: self.tmax };
        for (axis, products) in self.axes.iter().zip(products) {
            axis.cut_selected(products, &mut overlap);
        }
        overlap
    }
}

impl Axis {
    /// Cuts `overlap` as [`Axis::cut`] does: both products to both ends, with an infinity that
    /// changes nothing where the case has no use for one.
    pub fn cut_selected(&self, (a, b): (f32, f32), overlap: &mut Overlap) {
        let a_is_lower = matches!(self.case, Case::Forward | Case::Opening);
        let b_is_lower = matches!(self.case, Case::Backward | Case::Opening);
        let lower = |is_lower, value| if is_lower { value } else { f32::NEG_INFINITY };
        let upper = |is_lower, value| if is_lower { f32::INFINITY } else { value };
        overlap.lo = later(lower(b_is_lower, b), later(lower(a_is_lower, a), overlap.lo));
        overlap.hi = earlier(upper(b_is_lower, b), earlier(upper(a_is_lower, a), overlap.hi));
    }

    /// `hi(t) >= min`; false if it never is.
    fn compare_upper(&self, min: f32, overlap: &mut Overlap) -> bool {
        if self.upper_direction == 0.0 {
            return self.upper_origin >= min;
        }
        let a = (min - self.upper_origin) * self.upper_inverse;
        if self.upper_direction > 0.0 {
            overlap.lo = later(a, overlap.lo);
        } else {
            overlap.hi = earlier(a, overlap.hi);
        }
        true
    }

    /// `lo(t) <= max`; false if it never is.
    fn compare_lower(&self, max: f32, overlap: &mut Overlap) -> bool {
        if self.lower_direction == 0.0 {
            return self.lower_origin <= max;
        }
        let b = (max - self.lower_origin) * self.lower_inverse;
        if self.lower_direction > 0.0 {
            overlap.hi = earlier(b, overlap.hi);
        } else {
            overlap.lo = later(b, overlap.lo);
        }
        true
    }
}
