//! One axis of a beam, prepared once: what every box test needs.
//!
//! `hi(t) >= MIN` bounds `t` by `Amin = (MIN - oA) / dA`: from below if `dA > 0`, from above if
//! `dA < 0`. `lo(t) <= MAX` bounds it by `Bmax = (MAX - oB) / dB`, the other way round. So the
//! signs of the query alone say which of the two quotients is a lower and which an upper bound
//! (B-3):
//!
//! | case | dA | dB | lower | upper |
//! |---|---|---|---|---|
//! | 1, 1z, 0 | >= 0 | >= 0 | Amin | Bmax |
//! | 2, 2z | <= 0 | < 0 | Bmax | Amin |
//! | 3 | > 0 | < 0 | max(Amin, Bmax) | |
//! | 4, 4z | < 0 | >= 0 | | min(Amin, Bmax) |
//!
//! A zero direction has an infinite inverse, whose product with the difference is an infinity that
//! accepts or refuses, or, for a plane on the origin, NaN, which the test drops.

/// The numbers of one axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    /// `oA`.
    pub upper_origin: f32,
    /// `oB`.
    pub lower_origin: f32,
    /// `dA`.
    pub upper_direction: f32,
    /// `dB`.
    pub lower_direction: f32,
    /// `1 / dA`; for zero an infinity whose sign depends on the case.
    pub upper_inverse: f32,
    /// `1 / dB`; for zero plus infinity.
    pub lower_inverse: f32,
    /// Which quotient bounds what.
    pub case: Case,
}

/// How the two faces of a beam move on one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Neither face runs toward smaller coordinates: `Amin` is the lower bound, `Bmax` the upper.
    Forward,
    /// The lower face runs toward smaller coordinates, the upper one does not run the other way:
    /// `Bmax` is the lower bound, `Amin` the upper.
    Backward,
    /// The faces run apart: both quotients are lower bounds.
    Opening,
    /// The faces run toward each other (shrinking beams only): both are upper bounds.
    Closing,
}

impl Axis {
    /// Prepares an axis. Directions are taken as they are; constructors snap them first.
    #[must_use]
    pub fn new(
        upper_origin: f32,
        lower_origin: f32,
        upper_direction: f32,
        lower_direction: f32,
    ) -> Self {
        let case = match (upper_direction, lower_direction) {
            (upper, lower) if lower >= 0.0 && upper < 0.0 => Case::Closing,
            (_, lower) if lower >= 0.0 => Case::Forward,
            (upper, _) if upper > 0.0 => Case::Opening,
            _ => Case::Backward,
        };
        // A face that stands still never bounds from the wrong side: in case 2z `Amin` is an upper
        // bound, so the sign of its infinity is turned.
        let zero_upper = if case == Case::Backward { f32::NEG_INFINITY } else { f32::INFINITY };
        let inverse = |direction: f32, zero: f32| {
            if direction == 0.0 { zero } else { 1.0 / direction }
        };
        Self {
            upper_origin,
            lower_origin,
            upper_direction,
            lower_direction,
            upper_inverse: inverse(upper_direction, zero_upper),
            lower_inverse: inverse(lower_direction, f32::INFINITY),
            case,
        }
    }

    /// The case by its number in the table, as in `2z`.
    #[must_use]
    pub fn case_name(&self) -> &'static str {
        match (self.case, self.upper_direction == 0.0, self.lower_direction == 0.0) {
            (Case::Forward, true, true) => "0",
            (Case::Forward, true, false) | (Case::Closing, _, true) => "4z",
            (Case::Forward, false, true) => "1z",
            (Case::Forward, false, false) => "1",
            (Case::Backward, true, _) => "2z",
            (Case::Backward, false, _) => "2",
            (Case::Opening, ..) => "3",
            (Case::Closing, _, false) => "4",
        }
    }
}
