//! Which rule an invalid beam or node box breaks. One error for each, in a fixed order (B-4).

use crate::Aabb;
use std::fmt;

/// Largest magnitude of origins, directions and finite planes: differences must not overflow.
pub const LARGEST: f32 = f32::from_bits(0x7e80_0000); // 2^126

/// Largest finite `tmax`: widening must not overflow.
pub const LARGEST_TMAX: f32 = f32::from_bits(0x7b80_0000); // 2^120

/// A number of a beam, named as in the definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// `oA` on an axis.
    UpperOrigin(usize),
    /// `oB` on an axis.
    LowerOrigin(usize),
    /// `dA` on an axis.
    UpperDirection(usize),
    /// `dB` on an axis.
    LowerDirection(usize),
    /// `tmin`.
    Tmin,
    /// `tmax`.
    Tmax,
}

/// Why a beam is invalid.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BeamError {
    /// No ray was given.
    #[error("empty_set: a beam needs at least one ray")]
    EmptySet,
    /// A number is NaN or infinite where it must not be.
    #[error("not_finite: {part} is {value}")]
    NotFinite {
        /// Which.
        part: Part,
        /// What it is.
        value: f32,
    },
    /// A number is too large to compute with.
    #[error("magnitude: {part} is {value:e}, expected at most {limit:e} in magnitude")]
    Magnitude {
        /// Which.
        part: Part,
        /// What it is.
        value: f32,
        /// The limit.
        limit: f32,
    },
    /// `tmin` is negative, where corner rays may have crossed.
    #[error("tmin_negative: tmin is {tmin:e}")]
    TminNegative {
        /// What it is.
        tmin: f32,
    },
    /// The range is empty.
    #[error("tmax_below_tmin: tmax is {tmax:e}, tmin is {tmin:e}")]
    TmaxBelowTmin {
        /// First parameter.
        tmin: f32,
        /// Last parameter.
        tmax: f32,
    },
    /// The first box is inside out.
    #[error("origin_inverted: oA.{} is {upper:e}, below oB at {lower:e}", name(*axis))]
    OriginInverted {
        /// On which axis.
        axis: usize,
        /// `oA`.
        upper: f32,
        /// `oB`.
        lower: f32,
    },
    /// The box shrinks, or for a shrinking beam: it turns inside out before `tmax`.
    #[error("direction_inverted: dA.{} is {upper:e}, below dB at {lower:e}", name(*axis))]
    DirectionInverted {
        /// On which axis.
        axis: usize,
        /// `dA`.
        upper: f32,
        /// `dB`.
        lower: f32,
    },
}

impl BeamError {
    /// The id of the rule.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::EmptySet => "empty_set",
            Self::NotFinite { .. } => "not_finite",
            Self::Magnitude { .. } => "magnitude",
            Self::TminNegative { .. } => "tmin_negative",
            Self::TmaxBelowTmin { .. } => "tmax_below_tmin",
            Self::OriginInverted { .. } => "origin_inverted",
            Self::DirectionInverted { .. } => "direction_inverted",
        }
    }

    /// The axis, where the rule has one.
    #[must_use]
    pub const fn axis(&self) -> Option<usize> {
        match *self {
            Self::NotFinite { part, .. } | Self::Magnitude { part, .. } => part.axis(),
            Self::OriginInverted { axis, .. } | Self::DirectionInverted { axis, .. } => Some(axis),
            Self::EmptySet | Self::TminNegative { .. } | Self::TmaxBelowTmin { .. } => None,
        }
    }
}

impl Part {
    /// The axis, where it has one.
    #[must_use]
    pub const fn axis(self) -> Option<usize> {
        match self {
            Self::UpperOrigin(axis)
            | Self::LowerOrigin(axis)
            | Self::UpperDirection(axis)
            | Self::LowerDirection(axis) => Some(axis),
            Self::Tmin | Self::Tmax => None,
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::UpperOrigin(axis) => write!(f, "oA.{}", name(axis)),
            Self::LowerOrigin(axis) => write!(f, "oB.{}", name(axis)),
            Self::UpperDirection(axis) => write!(f, "dA.{}", name(axis)),
            Self::LowerDirection(axis) => write!(f, "dB.{}", name(axis)),
            Self::Tmin => f.write_str("tmin"),
            Self::Tmax => f.write_str("tmax"),
        }
    }
}

/// Why a box cannot be the box of a node. The box tests do not detect these.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BoxError {
    /// A plane is NaN.
    #[error("box_nan: a plane on axis {} is NaN", name(*axis))]
    Nan {
        /// On which axis.
        axis: usize,
    },
    /// The box is inside out.
    #[error("box_empty: on axis {} the minimum {min} is above the maximum {max}", name(*axis))]
    Empty {
        /// On which axis.
        axis: usize,
        /// Lower plane.
        min: f32,
        /// Upper plane.
        max: f32,
    },
    /// A finite plane is too large, or an infinite one is on the wrong side (B-5).
    #[error(
        "box_magnitude: planes {min:e} and {max:e} on axis {}, expected at most {LARGEST:e}",
        name(*axis)
    )]
    Magnitude {
        /// On which axis.
        axis: usize,
        /// Lower plane.
        min: f32,
        /// Upper plane.
        max: f32,
    },
}

impl BoxError {
    /// The id of the rule.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Nan { .. } => "box_nan",
            Self::Empty { .. } => "box_empty",
            Self::Magnitude { .. } => "box_magnitude",
        }
    }

    /// The axis.
    #[must_use]
    pub const fn axis(&self) -> usize {
        match *self {
            Self::Nan { axis } | Self::Empty { axis, .. } | Self::Magnitude { axis, .. } => axis,
        }
    }
}

/// Proves that a box may be tested. To be done when a tree is built or loaded, not for each test.
///
/// # Errors
/// The first rule that it breaks, on the lowest axis.
pub fn check_box(bounds: &Aabb) -> Result<(), BoxError> {
    let axes = || (0..3).map(|axis| (axis, bounds.min[axis], bounds.max[axis]));
    if let Some((axis, ..)) = axes().find(|(_, min, max)| min.is_nan() || max.is_nan()) {
        return Err(BoxError::Nan { axis });
    }
    if let Some((axis, min, max)) = axes().find(|(_, min, max)| min > max) {
        return Err(BoxError::Empty { axis, min, max });
    }
    let is_fit = |min: f32, max: f32| {
        (min.abs() <= LARGEST || min == f32::NEG_INFINITY)
            && (max.abs() <= LARGEST || max == f32::INFINITY)
    };
    match axes().find(|(_, min, max)| !is_fit(*min, *max)) {
        Some((axis, min, max)) => Err(BoxError::Magnitude { axis, min, max }),
        None => Ok(()),
    }
}

/// The name of an axis.
#[must_use]
pub const fn name(axis: usize) -> &'static str {
    match axis {
        0 => "x",
        1 => "y",
        _ => "z",
    }
}
