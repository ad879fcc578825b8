//! From clip space to the world.
//!
//! POSITION is in clip space: the inverse view-projection is applied in homogeneous form, then x, y
//! and z are divided by w. Another slot that holds world positions is taken as it is.

use crate::AttributeId;
use geometry::Vec3;
use std::str::FromStr;

/// Coordinates beyond this overflow in ray-triangle arithmetic.
const LARGEST_COORDINATE: f32 = f32::from_bits(0x7e80_0000);

/// Which attribute holds positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PositionSlot {
    /// POSITION, homogeneous.
    #[default]
    Position,
    /// A generic attribute, 0 to 31, whose first three components are taken as they are.
    Generic(u8),
}

/// A text that is no slot for positions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found {0:?}, expected POSITION or GENERIC0 to GENERIC31")]
pub struct UnknownSlot(pub String);

/// A matrix of four rows, applied to columns.
pub type Matrix = [[f64; 4]; 4];

/// Where positions come from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PositionSource {
    /// The attribute.
    pub slot: PositionSlot,
    /// From clip space to the world; for POSITION only.
    pub inverse_view_projection: Option<Matrix>,
}

impl PositionSlot {
    /// The ids of its four components.
    #[must_use]
    pub fn ids(self) -> [AttributeId; 4] {
        let first = AttributeId::POSITION_X.slot();
        let first = match self {
            Self::Position => first,
            Self::Generic(number) => first + 4 + 4 * usize::from(number.min(31)),
        };
        std::array::from_fn(|component| {
            AttributeId::from_slot(first + component).unwrap_or(AttributeId::POSITION_X)
        })
    }
}

impl FromStr for PositionSlot {
    type Err = UnknownSlot;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let upper = text.to_ascii_uppercase();
        let generic = upper.strip_prefix("GENERIC").and_then(|number| number.parse().ok());
        match generic {
            _ if upper == "POSITION" => Ok(Self::Position),
            Some(number @ 0..32) => Ok(Self::Generic(number)),
            _ => Err(UnknownSlot(text.to_owned())),
        }
    }
}

impl PositionSource {
    /// The position that the components of a vertex mean; `None` if it is at infinity, not a
    /// number, or too far to be traced. An absent w is 1, any other absent component is 0.
    #[must_use]
    pub fn position(&self, components: [Option<u32>; 4]) -> Option<Vec3> {
        let [x, y, z, w] = components.map(|word| word.map(f32::from_bits));
        let [x, y, z] = [x, y, z].map(|number| number.unwrap_or(0.0));
        let w = w.unwrap_or(1.0);
        let position = match (self.slot, &self.inverse_view_projection) {
            (PositionSlot::Generic(_), _) => Vec3::new(x, y, z),
            // Division by 1 is exact, so that a world position passes through bit for bit.
            (PositionSlot::Position, None) => Vec3::new(x / w, y / w, z / w),
            (PositionSlot::Position, Some(matrix)) => {
                let clip = [x, y, z, w].map(f64::from);
                let row = |row: &[f64; 4]| row.iter().zip(clip).map(|(m, c)| m * c).sum::<f64>();
                let [x, y, z, w] = [0, 1, 2, 3].map(|index| row(&matrix[index]));
                Vec3::new((x / w) as f32, (y / w) as f32, (z / w) as f32)
            }
        };
        let traceable = |number: f32| number.abs() <= LARGEST_COORDINATE;
        position.to_array().into_iter().all(traceable).then_some(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(source: &PositionSource, clip: [f32; 4]) -> Option<[f32; 3]> {
        source.position(clip.map(|number| Some(number.to_bits()))).map(|p| p.to_array())
    }

    #[test]
    fn homogeneous_positions_are_divided_last() {
        let plain = PositionSource::default();
        assert_eq!(position(&plain, [2.0, 4.0, -6.0, 2.0]), Some([1.0, 2.0, -3.0]));
        assert_eq!(position(&plain, [1.0, 1.0, 1.0, 0.0]), None);
        assert_eq!(position(&plain, [f32::NAN, 1.0, 1.0, 1.0]), None);
        assert_eq!(position(&plain, [1.0, f32::INFINITY, 1.0, 1.0]), None);
        // The inverse of "swap x and y, then w = z": world (a, b, c) has clip (b, a, 1, c).
        let matrix = [
            [0.0, 1.0, 0.0, 0.0],
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, 0.0],
        ];
        let source = PositionSource { inverse_view_projection: Some(matrix), ..plain };
        assert_eq!(position(&source, [3.0, 5.0, 1.0, 7.0]), Some([5.0, 3.0, 7.0]));
        assert_eq!(position(&source, [3.0, 5.0, 0.0, 7.0]), None);
    }

    #[test]
    fn generic_positions_are_taken_as_they_are() {
        let source = PositionSource { slot: PositionSlot::Generic(3), ..PositionSource::default() };
        assert_eq!(position(&source, [3.0, 5.0, -0.0, 0.0]), Some([3.0, 5.0, -0.0]));
        assert_eq!(source.slot.ids().map(|id| id.value()), [0xb0, 0xb4, 0xb8, 0xbc]);
        assert_eq!("generic31".parse(), Ok(PositionSlot::Generic(31)));
        assert_eq!("POSITION".parse(), Ok(PositionSlot::Position));
        for wrong in ["GENERIC32", "GENERIC", "TEX0", ""] {
            assert!(wrong.parse::<PositionSlot>().is_err());
        }
    }
}
