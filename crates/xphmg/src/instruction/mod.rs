//! The two ray–geometry instructions as plain functions: elements in, a verdict and values out.
//!
//! | file | instruction |
//! |---|---|
//! | [`bbox`] | `rt.bbox`, the slab test |
//! | [`tri`] | `rt.tri`, watertight or Möller–Trumbore |

pub mod bbox;
pub mod tri;

use crate::flags::{Exceptions, Raised};
use crate::numeric::widen;
use crate::policy::Policy;

/// A ray record, widened: origin, direction, tmin, tmax.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayElements {
    /// Origin.
    pub origin: [f32; 3],
    /// Direction, of any length.
    pub direction: [f32; 3],
    /// Smallest parameter.
    pub tmin: f32,
    /// Largest parameter.
    pub tmax: f32,
}

impl RayElements {
    /// The ray of a record's eight elements.
    #[must_use]
    pub fn from_record([ox, oy, oz, dx, dy, dz, tmin, tmax]: [f32; 8]) -> Self {
        Self { origin: [ox, oy, oz], direction: [dx, dy, dz], tmin, tmax }
    }

    fn has_nan(&self) -> bool {
        let all = self.origin.iter().chain(&self.direction).chain([&self.tmin, &self.tmax]);
        all.copied().any(f32::is_nan)
    }
}

/// What one test decided, before anything is narrowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict<const VALUES: usize> {
    /// A hit with its values, in FP32.
    Hit([f32; VALUES]),
    /// A miss.
    Miss,
    /// A NaN among the elements, or made on the way: a miss whose values are NaN. `invalid` says
    /// that an operation made it, which is NV.
    Nan {
        /// Whether an operation made the NaN.
        invalid: bool,
    },
}

impl<const VALUES: usize> Verdict<VALUES> {
    /// A NaN that an operation made.
    const INVALID: Self = Self::Nan { invalid: true };

    /// What the test itself raised, beside reading and narrowing.
    #[must_use]
    pub fn raised(&self) -> Raised {
        match self {
            Self::Nan { invalid: true } => Raised::exceptions(Exceptions::NV),
            _ => Raised::default(),
        }
    }
}

/// Widens elements, collecting what reading them raises.
#[must_use]
pub fn read_elements<const COUNT: usize>(
    elements: [u32; COUNT],
    policy: &Policy,
    raised: &mut Raised,
) -> [f32; COUNT] {
    elements.map(|bits| {
        let element = widen(bits, policy);
        *raised |= element.raised;
        element.value
    })
}
