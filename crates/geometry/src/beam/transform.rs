//! A beam moved by an affine map, outward.
//!
//! Each row of the map is evaluated in interval arithmetic: a positive entry takes the upper corner
//! for the upper face and the lower corner for the lower one, a negative entry the other way round.
//! Sums are exact and rounded outward once, so `Box(t)` of the result contains the image of
//! `Box(t)` of the beam for every `t`, and is the smallest such box up to that rounding. Rotations
//! widen a beam, as they widen any box.

use super::construct::Corners;
use super::{Beam, BeamError};
use crate::Transform;
use crate::expansion::Expansion;
use glam::Vec3;

impl Transform {
    /// The beam in the space that this transform leads to; `t` keeps its meaning.
    ///
    /// # Errors
    /// When the image is too large to be a valid beam.
    pub fn beam(&self, beam: &Beam) -> Result<Beam, BeamError> {
        let ((upper_origin, upper_direction), (lower_origin, lower_direction)) =
            (beam.upper(), beam.lower());
        let map = |upper: Vec3, lower: Vec3, offset: fn(&[f32; 4]) -> f32| {
            self.rows.each_ref().map(|row| interval_row(row, upper, lower, offset(row)))
        };
        let origins = map(upper_origin, lower_origin, |row| row[3]);
        let directions = map(upper_direction, lower_direction, |_| 0.0);
        let uppers = |rows: &[(Expansion, Expansion); 3]| {
            Vec3::from_array(rows.each_ref().map(|(upper, _)| upper.round_up()))
        };
        let lowers = |rows: &[(Expansion, Expansion); 3]| {
            Vec3::from_array(rows.each_ref().map(|(_, lower)| lower.round_down()))
        };
        Beam::new_shrinking(&Corners {
            upper_origin: uppers(&origins),
            lower_origin: lowers(&origins),
            upper_direction: uppers(&directions),
            lower_direction: lowers(&directions),
            tmin: beam.tmin(),
            tmax: beam.tmax(),
        })
    }
}

/// The upper and the lower end of one row.
fn interval_row(row: &[f32; 4], upper: Vec3, lower: Vec3, offset: f32) -> (Expansion, Expansion) {
    let mut ends = (Expansion::from(offset), Expansion::from(offset));
    for k in 0..3 {
        let (high, low) = if row[k] >= 0.0 { (upper[k], lower[k]) } else { (lower[k], upper[k]) };
        let entry = Expansion::from(row[k]);
        ends.0 = &ends.0 + &(&entry * &Expansion::from(high));
        ends.1 = &ends.1 + &(&entry * &Expansion::from(low));
    }
    ends
}
