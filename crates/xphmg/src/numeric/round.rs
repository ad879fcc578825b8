//! A finite number rounded to a floating format, with what happened on the way. The caller decides what
//! an overflow or a subnormal becomes.

use super::{FloatLayout, Rounding};
use std::cmp::Ordering;

/// A finite number after rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounded {
    /// Magnitude of the result, without the sign bit. Meaningless after an overflow.
    pub magnitude: u32,
    /// The result differs from the number.
    pub inexact: bool,
    /// Rounded with unbounded exponent, the magnitude lies below the smallest normal number: tininess after
    /// rounding, as RISC-V defines it.
    pub tiny: bool,
    /// Rounded with unbounded exponent, the magnitude exceeds the largest finite number.
    pub overflow: bool,
}

/// Rounds a finite `value` to `layout`.
///
/// A value that was rounded to odd beforehand gives the same result as the exact one, as long as `layout`
/// has at least two bits less (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
#[must_use]
pub fn round(value: f64, layout: FloatLayout, mode: Rounding) -> Rounded {
    let negative = value.is_sign_negative();
    let (significand, exponent) = parts(value);
    if significand == 0 {
        return Rounded { magnitude: 0, inexact: false, tiny: false, overflow: false };
    }
    // The value is significand * 2^exponent with bit 52 of the significand set.
    let leading = exponent + 52;
    let unbounded = cut(significand, 52 - layout.fraction_bits, negative, mode);
    // Rounding up may carry into the next binade.
    let carried = unbounded.kept >> (layout.fraction_bits + 1) != 0;
    let rounded_leading = leading + i32::from(carried);
    let tiny = rounded_leading < layout.min_exponent();

    let below_normal = u32::try_from(layout.min_exponent() - leading).unwrap_or(0);
    // Below the smallest normal number the spacing no longer shrinks.
    let real = cut(significand, 52 - layout.fraction_bits + below_normal, negative, mode);
    // The implicit bit of a normal number adds one to its biased exponent, and so does a carry.
    let biased = (leading.max(layout.min_exponent()) + layout.bias() - 1) as u64;
    let magnitude = (biased << layout.fraction_bits) + real.kept;
    let overflow = magnitude > u64::from(layout.largest_finite());
    let magnitude = magnitude.min(u64::from(u32::MAX)) as u32;
    Rounded { magnitude, inexact: real.inexact, tiny, overflow }
}

/// Significand with bit 52 set and exponent of a finite number; a zero significand for zero.
fn parts(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52 & 0x7FF) as i32 {
        0 if fraction == 0 => (0, 0),
        0 => {
            let shift = fraction.leading_zeros() - 11;
            (fraction << shift, -1074 - shift as i32)
        }
        biased => (fraction | 1 << 52, biased - 1075),
    }
}

/// A significand without its last bits.
struct Cut {
    kept: u64,
    inexact: bool,
}

/// Cuts the last `drop` bits of a significand of 53 bits and rounds.
fn cut(significand: u64, drop: u32, negative: bool, mode: Rounding) -> Cut {
    // More than 54 bits below the last one, all that counts is that something is there.
    let (kept, dropped, half) = match drop {
        0 => return Cut { kept: significand, inexact: false },
        1..=54 => (significand >> drop, significand & ((1 << drop) - 1), 1 << (drop - 1)),
        _ => (0, 1, 2),
    };
    let rest = (dropped != 0).then(|| dropped.cmp(&half));
    let raise = mode.raises(negative, kept & 1 == 1, rest);
    Cut { kept: kept + u64::from(raise), inexact: rest.is_some() }
}

/// Rounds a number to an integer; exact for any `f64`.
#[must_use]
pub fn round_to_integer(value: f64, mode: Rounding) -> f64 {
    let down = value.abs().floor();
    let rest = value.abs() - down;
    let rest = (rest != 0.0).then(|| rest.partial_cmp(&0.5).unwrap_or(Ordering::Equal));
    let odd = down % 2.0 == 1.0;
    let raise = mode.raises(value.is_sign_negative(), odd, rest);
    (down + f64::from(u8::from(raise))).copysign(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::ElementFormat;

    /// The specification's own pair of examples for tininess after rounding.
    #[test]
    fn tininess_is_judged_after_rounding() {
        let layout = ElementFormat::Fp16.float_layout().unwrap();
        let near = |ulp: i32| 2f64.powi(-14) - 2f64.powi(ulp);
        let both = |x: f64| {
            let r = round(x, layout, Rounding::Rne);
            (r.magnitude, r.inexact, r.tiny)
        };
        assert_eq!(both(near(-25)), (0x0400, true, true));
        assert_eq!(both(near(-26)), (0x0400, true, false));
    }

    #[test]
    fn integers_round_by_mode() {
        let all = |x: f64| Rounding::ALL.map(|mode| round_to_integer(x, mode));
        assert_eq!(all(2.5), [2.0, 2.0, 2.0, 3.0, 3.0]);
        assert_eq!(all(-3.5), [-4.0, -3.0, -4.0, -3.0, -4.0]);
        assert_eq!(all(-0.25), [-0.0, -0.0, -1.0, -0.0, -0.0]);
        assert_eq!(all(7.0), [7.0; 5]);
    }
}
