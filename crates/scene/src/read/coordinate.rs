//! Which numbers may be coordinates: finite ones up to 2^126, so that a difference of two of them,
//! and a box around them, never overflows.

use crate::error::ErrorKind;

/// The greatest magnitude of a coordinate.
pub(crate) const MOST: f32 = f32::from_bits(0x7E80_0000);

/// A coordinate stored as any number.
pub(crate) fn narrow(value: f64) -> Result<f32, ErrorKind> {
    if !value.is_finite() {
        return Err(ErrorKind::NotFinite { value });
    }
    if value.abs() > f64::from(MOST) {
        return Err(ErrorKind::TooLarge { value });
    }
    Ok(value as f32)
}

/// A coordinate stored as a single.
pub(crate) fn check(value: f32) -> Result<f32, ErrorKind> {
    if value.abs() <= MOST { Ok(value) } else { narrow(f64::from(value)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_two_to_the_126() {
        assert_eq!(f64::from(MOST), 2f64.powi(126));
        assert_eq!(check(-MOST), Ok(-MOST));
        assert_eq!(check(f32::MAX), Err(ErrorKind::TooLarge { value: f64::from(f32::MAX) }));
        assert_eq!(narrow(1e300), Err(ErrorKind::TooLarge { value: 1e300 }));
        let infinite = ErrorKind::NotFinite { value: f64::NEG_INFINITY };
        assert_eq!(check(f32::NEG_INFINITY), Err(infinite));
        assert!(check(f32::NAN).is_err());
    }
}
