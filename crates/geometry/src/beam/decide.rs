//! The box test decided exactly.
//!
//! A box that the normative test misses is a certain miss. One whose computed entry, raised by
//! `1 + 5 eps` and `EXIT_BIAS`, still lies before the computed exit is a certain hit, by the same
//! proof. Only the band between is settled by cross multiplication. Its purpose is to count false
//! positives and to serve the exact leaf rule; traversal does not need it.

use super::{Axis, Beam, Overlap};
use crate::Aabb;
use crate::expansion::Expansion;
use crate::half_lines::{Number, System, solve};
use crate::slab::EXIT_BIAS;

/// `1 + 5 eps`, which raises an entry for the certain hit.
pub const ENTRY_UPPER_SCALE: f32 = f32::from_bits(0x3f80_0005);

/// How a beam and a box were told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The normative test misses, so the exact test does.
    CertainMiss,
    /// The bounds are so far apart that rounding does not matter.
    CertainHit,
    /// The exact test hits, by cross multiplication.
    CloseHit,
    /// The normative test hits, the exact test does not: a false positive.
    FalsePositive,
}

impl Verdict {
    /// Whether the exact test hits.
    #[must_use]
    pub const fn is_hit(self) -> bool {
        matches!(self, Self::CertainHit | Self::CloseHit)
    }
}

impl Beam {
    /// Decides exactly whether this beam meets `bounds`, which must have passed
    /// [`super::check_box`]. An entry beyond `2^127` counts as a miss, as in the normative test
    /// (B-1).
    #[must_use]
    pub fn decide(&self, bounds: &Aabb) -> Verdict {
        match self.overlap(bounds) {
            None => Verdict::CertainMiss,
            Some(overlap) if is_certain(&overlap) => Verdict::CertainHit,
            Some(_) if self.meets_exactly(bounds) => Verdict::CloseHit,
            Some(_) => Verdict::FalsePositive,
        }
    }

    /// Whether some parameter of the range satisfies all six inequalities, exactly.
    #[must_use]
    pub fn meets_exactly(&self, bounds: &Aabb) -> bool {
        solve(&BoxSystem { axes: self.axes(), bounds }, self.tmin(), self.tmax()).is_some()
    }
}

fn is_certain(overlap: &Overlap) -> bool {
    overlap.lo * ENTRY_UPPER_SCALE + EXIT_BIAS <= overlap.hi
}

/// The six inequalities of a box.
struct BoxSystem<'a> {
    axes: &'a [Axis; 3],
    bounds: &'a Aabb,
}

impl System for BoxSystem<'_> {
    type Exact = Expansion;

    fn for_each_constraint<N: Number>(&self, add: &mut dyn FnMut(N, N)) -> Option<()> {
        for (k, axis) in self.axes.iter().enumerate() {
            list_axis(axis, self.bounds.min[k], self.bounds.max[k], add);
        }
        Some(())
    }
}

/// `oA + t dA >= MIN` and `oB + t dB <= MAX`; an unbounded side has no inequality (B-5).
pub(super) fn list_axis<N: Number>(axis: &Axis, min: f32, max: f32, add: &mut dyn FnMut(N, N)) {
    if min.is_finite() {
        add(N::new(min).minus(&N::new(axis.upper_origin)), N::new(axis.upper_direction));
    }
    if max.is_finite() {
        add(N::new(axis.lower_origin).minus(&N::new(max)), N::new(-axis.lower_direction));
    }
}
