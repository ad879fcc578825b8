//! A box test axis by axis, in every form, beside the exact answer: for people.
//!
//! Each form is run by its own steps, the ones that decide elsewhere, so that what is shown is what
//! is computed.

use super::construct::Corners;
use super::oracle::{self, ExactOverlap, ExactRange};
use super::{Axis, Beam, Overlap, naive};
use crate::Aabb;
use crate::slab::widen;
use num_rational::BigRational;

/// A form of the box test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The normative one.
    TwoMultiplications,
    /// All products first, then the selection.
    Speculative,
    /// Four divisions an axis, nothing widened.
    Naive,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::TwoMultiplications, Self::Speculative, Self::Naive];

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoMultiplications => "two multiplications",
            Self::Speculative => "speculative",
            Self::Naive => "naive",
        }
    }

    /// The exit that the entry is compared with.
    #[must_use]
    pub fn widened(self, overlap: &Overlap) -> f32 {
        if self == Self::Naive { overlap.hi } else { widen(overlap.hi) }
    }

    /// Its verdict.
    #[must_use]
    pub fn is_hit(self, overlap: &Overlap) -> bool {
        if self == Self::Naive { overlap.lo <= overlap.hi } else { overlap.is_hit() }
    }

    fn step(self, axis: &Axis, min: f32, max: f32, overlap: &mut Overlap) -> FormStep {
        let quotients = match self {
            Self::Naive => naive::quotients(axis, min, max),
            _ => axis.products(min, max),
        };
        match self {
            Self::TwoMultiplications => axis.cut(quotients, overlap),
            Self::Speculative => axis.cut_selected(quotients, overlap),
            Self::Naive => naive::cut(axis, min, max, overlap),
        }
        FormStep { a_min: quotients.0, b_max: quotients.1, left: *overlap }
    }
}

/// One axis in one form.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormStep {
    /// `Amin`.
    pub a_min: f32,
    /// `Bmax`.
    pub b_max: f32,
    /// What is left of the range after this axis.
    pub left: Overlap,
}

/// One axis without rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactStep {
    /// `Amin`; none for a plane at infinity and a face that stands still.
    pub a_min: Option<BigRational>,
    /// `Bmax` likewise.
    pub b_max: Option<BigRational>,
    /// What is left of the range after this axis.
    pub left: ExactRange,
}

/// One axis: each form in the order of [`Form::ALL`], and without rounding.
#[derive(Debug, Clone, PartialEq)]
pub struct AxisSteps {
    /// The number of its case in the table.
    pub case: &'static str,
    /// Each form.
    pub forms: [FormStep; 3],
    /// Exactly.
    pub exact: ExactStep,
}

/// A box test.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// Axes x, y and z.
    pub axes: [AxisSteps; 3],
    /// What each form computes, in the order of [`Form::ALL`].
    pub forms: [Overlap; 3],
    /// First and last contact, exactly.
    pub exact: Option<ExactOverlap>,
}

/// Tests `bounds`, which must have passed [`super::check_box`], against the beam that was made of
/// `corners`. The exact answer is that of `corners`, before directions are snapped.
#[must_use]
pub fn explain(corners: &Corners, beam: &Beam, bounds: &Aabb) -> Explanation {
    let mut forms = [Overlap { lo: beam.tmin(), hi: beam.tmax() }; 3];
    let mut left = ExactRange::new(corners);
    let axes = std::array::from_fn(|k| {
        let axis = &beam.axes()[k];
        left.cut(corners, bounds, k);
        let [a_min, b_max] = oracle::quotients(corners, bounds, k);
        AxisSteps {
            case: axis.case_name(),
            forms: std::array::from_fn(|form| {
                Form::ALL[form].step(axis, bounds.min[k], bounds.max[k], &mut forms[form])
            }),
            exact: ExactStep { a_min, b_max, left: left.clone() },
        }
    });
    Explanation { axes, forms, exact: left.overlap() }
}
