//! The normative test of a beam against a box.
//!
//! Per axis two subtractions, two multiplications and the selects of the sign case; per box one
//! widening. `Overlap::is_hit` never says no to a box that the exact test meets at a parameter up
//! to `2^127`: each bound carries three roundings, so a computed lower bound exceeds a computed
//! upper one by a factor below `(1 + 2u)^3 < EXIT_SCALE`, and `EXIT_BIAS` covers products that
//! underflow. The proof is in `docs/beam.md`. The operations are separate and in this order, so
//! that every target agrees bit for bit (B-2); a compiler must not fuse them, and flush-to-zero
//! modes are unsupported (B-14).
//!
//! Every step is monotone in the planes, so a box inside another has an overlap inside the other's:
//! culling by boxes never changes which primitives' own boxes are met (B-12).

use super::{Axis, Beam, Case};
use crate::Aabb;
use crate::slab::widen;

/// `1 - 4 eps`, which lowers an entry to a guaranteed bound.
pub const ENTRY_LOWER_SCALE: f32 = f32::from_bits(0x3f7f_fff8);

/// When a beam is inside a box, as computed; meaningless unless [`Overlap::is_hit`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Entry; may exceed the exact one by `3u`.
    pub lo: f32,
    /// Exit, not widened.
    pub hi: f32,
}

impl Overlap {
    /// Whether the beam meets the box. An axis that never overlaps gives `lo = +inf`, which must
    /// not pass for an infinite `tmax`.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.lo <= widen(self.hi) && self.lo < f32::INFINITY
    }
}

impl Beam {
    /// When this beam is inside `bounds`, which must have passed [`super::check_box`]; `None` for a
    /// miss.
    #[must_use]
    pub fn overlap(&self, bounds: &Aabb) -> Option<Overlap> {
        Some(self.bounds(bounds)).filter(Overlap::is_hit)
    }

    /// The computed bounds, of a miss too.
    #[must_use]
    pub fn bounds(&self, bounds: &Aabb) -> Overlap {
        let (min, max) = (bounds.min.to_array(), bounds.max.to_array());
        let mut overlap = Overlap { lo: self.tmin, hi: self.tmax };
        for ((axis, min), max) in self.axes.iter().zip(min).zip(max) {
            axis.cut(axis.products(min, max), &mut overlap);
        }
        overlap
    }

    /// A guaranteed lower bound of the exact first contact (B-7).
    #[must_use]
    pub fn t_lower(&self, overlap: &Overlap) -> f32 {
        later(overlap.lo * ENTRY_LOWER_SCALE - crate::slab::EXIT_BIAS, self.tmin)
    }

    /// A guaranteed upper bound of the exact last contact.
    #[must_use]
    pub fn t_upper(&self, overlap: &Overlap) -> f32 {
        earlier(widen(overlap.hi), self.tmax)
    }
}

impl Axis {
    /// `Amin` and `Bmax` as products.
    #[must_use]
    pub fn products(&self, min: f32, max: f32) -> (f32, f32) {
        let a = (min - self.upper_origin) * self.upper_inverse;
        let b = (max - self.lower_origin) * self.lower_inverse;
        (a, b)
    }

    /// Cuts `overlap` to the parameters that `Amin` and `Bmax` allow, as the case has it.
    pub fn cut(&self, (a, b): (f32, f32), overlap: &mut Overlap) {
        match self.case {
            Case::Forward => {
                overlap.lo = later(a, overlap.lo);
                overlap.hi = earlier(b, overlap.hi);
            }
            Case::Backward => {
                overlap.lo = later(b, overlap.lo);
                overlap.hi = earlier(a, overlap.hi);
            }
            Case::Opening => overlap.lo = later(b, later(a, overlap.lo)),
            Case::Closing => overlap.hi = earlier(b, earlier(a, overlap.hi)),
        }
    }
}

/// The larger of the two. A NaN candidate is a touch (`0 * inf`) and is dropped.
pub(super) fn later(candidate: f32, best: f32) -> f32 {
    if candidate > best { candidate } else { best }
}

/// The smaller of the two. A NaN candidate is a touch (`0 * inf`) and is dropped.
pub(super) fn earlier(candidate: f32, best: f32) -> f32 {
    if candidate < best { candidate } else { best }
}
