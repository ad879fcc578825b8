//! How much a TLAS must widen a ray.
//!
//! Hits on an instance are defined in its own space, with a ray that was transformed in `f32`. A
//! box of the TLAS lies in world space, so the two disagree by rounding, and a TLAS that tests the
//! bare ray can lose hits.
//!
//! Let `M` be the stored world-to-object map with linear part `A` and translation `m`, and `W` the
//! inverse of `A`. With `u = 2^-24`, and `|.|` the largest absolute row sum or component:
//!
//! * the transformed origin is off by at most `3u (|A| |o| + |m|)`, the direction, after `t` steps,
//!   by `3u |A| R`, where `R` is the reach of the root box;
//! * in object space a hit lies within `7u R'` of the triangle's box by dilation, `2u |o'|` by
//!   rounding that outward, and `11u R'` by the widening of the exit, with `R' <= |A| R` and
//!   `|o'| <= |A| |o| + |m|`.
//!
//! Mapped back by `W`, all of it stays below `24u |W| (|A| (R + |o|) + |m|)`. A third more is used,
//! so that the rounding of these norms needs no thought.

use geometry::Vec3;
use tree::{Instance, Tlas};

/// The largest sensitivities over all instances of a TLAS.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct InstanceDilation {
    /// Largest `|W| |A|`.
    condition: f64,
    /// Largest `|W| |m|`.
    offset: f64,
}

impl InstanceDilation {
    /// The figures of `tlas`.
    #[must_use]
    pub fn new(tlas: &Tlas) -> Self {
        tlas.instances.iter().map(Self::of).fold(Self::default(), |worst, one| Self {
            condition: worst.condition.max(one.condition),
            offset: worst.offset.max(one.offset),
        })
    }

    /// The figures of one instance.
    #[must_use]
    pub fn of(instance: &Instance) -> Self {
        let (linear, translation) = instance.world_to_object.to_f64();
        let inverse = row_norm(linear.inverse());
        Self {
            condition: inverse * row_norm(linear),
            offset: inverse * translation.abs().max_element(),
        }
    }

    /// The dilation for a ray from `origin` whose reach into the TLAS's root box is `reach`.
    #[must_use]
    pub fn dilation(&self, origin: Vec3, reach: f32) -> f32 {
        let distance = f64::from(reach) + f64::from(origin.abs().max_element());
        geometry::rounding::narrow_up(
            (self.condition * distance + self.offset) * (32.0 / 16_777_216.0),
        )
    }
}

fn row_norm(matrix: glam::DMat3) -> f64 {
    (0..3).map(|r| matrix.row(r).abs().element_sum()).fold(0.0, f64::max)
}
