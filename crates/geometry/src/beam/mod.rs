//! Beams: boxes that move, grow or shrink linearly, and what they meet.
//!
//! A beam is a pair of corner rays A (upper) and B (lower) that share one parameter `t`:
//!
//! ```text
//! hi_k(t) = oA_k + t dA_k        lo_k(t) = oB_k + t dB_k        k = x, y, z
//! Box(t)  = [lo_x, hi_x] x [lo_y, hi_y] x [lo_z, hi_z]
//! beam    = union of Box(t) for t in [tmin, tmax]
//! ```
//!
//! `Box(t)` interpolates linearly in the Minkowski sense, so the beam is the convex hull of its
//! first and last box. With `dA = dB` it is a box in motion; with `oA = oB` as well, a ray. The
//! test against an axis-aligned box is that of US patent 9,569,559: two multiplications an axis.
//! What the patent leaves open (rounding, zero directions, ties) is settled here by proof.
//! `docs/spec/beam.md` has the proofs, and the decisions B-1 to B-14.
//!
//! ```
//! use geometry::{Aabb, Beam, Vec3};
//!
//! // A unit box flies 10 to the right; a wall stands at x = 4.
//! let flyer = Aabb::new(Vec3::ZERO, Vec3::ONE);
//! let beam = Beam::swept(&flyer, Vec3::new(10.0, 0.0, 0.0), 1.0)?;
//! let wall = Aabb::new(Vec3::new(4.0, -9.0, -9.0), Vec3::new(4.5, 9.0, 9.0));
//! let overlap = beam.overlap(&wall).unwrap();
//! assert!((overlap.lo - 0.3).abs() < 1e-6); // first contact
//! assert!(beam.t_lower(&overlap) <= 0.3); // never late (B-7)
//! # Ok::<(), geometry::beam::BeamError>(())
//! ```
//!
//! | file | concept |
//! |---|---|
//! | [`axis`] | one axis of a beam, prepared once: inverses and the sign case |
//! | [`construct`] | constructors, all rounded outward |
//! | [`error`] | which rule an invalid beam or node box breaks |
//! | [`box_test`] | the normative box test: two multiplications an axis, conservative by proof |
//! | [`variants`] | the same test by comparison, and speculatively |
//! | [`naive`] | four divisions an axis: the readable reference |
//! | [`decide`] | the box test decided exactly |
//! | [`triangle`] | the triangle test, exact |
//! | [`transform`] | a beam moved by an affine map, outward |
//! | `explain` | a box test axis by axis, in every form, beside the exact answer |
//! | `oracle` | the box test in rational and integer arithmetic (feature `exact`) |
//! | `generate` | cases that are likely to go wrong (feature `exact`) |

pub mod axis;
pub mod box_test;
pub mod construct;
pub mod decide;
pub mod error;
#[cfg(feature = "exact")]
pub mod explain;
#[cfg(feature = "exact")]
pub mod generate;
pub mod naive;
#[cfg(feature = "exact")]
pub mod oracle;
pub mod transform;
pub mod triangle;
pub mod variants;

pub use axis::{Axis, Case};
pub use box_test::Overlap;
pub use error::{BeamError, BoxError, check_box};
pub use triangle::Contact;

use crate::Aabb;
use glam::Vec3;

/// A valid beam, prepared for tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    axes: [Axis; 3],
    tmin: f32,
    tmax: f32,
}

impl Beam {
    /// Its axes x, y and z.
    #[must_use]
    pub const fn axes(&self) -> &[Axis; 3] {
        &self.axes
    }

    /// First parameter; never negative.
    #[must_use]
    pub const fn tmin(&self) -> f32 {
        self.tmin
    }

    /// Last parameter; infinite for "no limit" (B-1).
    #[must_use]
    pub const fn tmax(&self) -> f32 {
        self.tmax
    }

    /// Corner ray A: origin and direction, after snapping.
    #[must_use]
    pub fn upper(&self) -> (Vec3, Vec3) {
        let pick = |part: fn(&Axis) -> f32| Vec3::from_array(self.axes.each_ref().map(part));
        (pick(|axis| axis.upper_origin), pick(|axis| axis.upper_direction))
    }

    /// Corner ray B: origin and direction, after snapping.
    #[must_use]
    pub fn lower(&self) -> (Vec3, Vec3) {
        let pick = |part: fn(&Axis) -> f32| Vec3::from_array(self.axes.each_ref().map(part));
        (pick(|axis| axis.lower_origin), pick(|axis| axis.lower_direction))
    }

    /// `Box(t)`, rounded to nearest: for pictures and messages, not for decisions.
    #[must_use]
    pub fn box_at(&self, t: f32) -> Aabb {
        let ((upper, up), (lower, down)) = (self.upper(), self.lower());
        Aabb::new(lower + down * t, upper + up * t)
    }
}
