//! A finite number rounded to a floating format, with what happened on the way: the one place where
//! results are rounded, RT's and the hart's. The caller decides what an overflow or a subnormal
//! becomes.

use super::{FloatLayout, Rounding};
use std::cmp::Ordering;

/// ± significand · 2^exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finite {
    /// The sign.
    pub negative: bool,
    /// The weight of the significand's last bit.
    pub exponent: i32,
    /// The magnitude, in units of that weight.
    pub significand: u128,
}

/// A finite number after rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounded {
    /// Magnitude of the result, without the sign bit. Meaningless after an overflow.
    pub magnitude: u64,
    /// The result differs from the number.
    pub inexact: bool,
    /// Rounded with unbounded exponent, the magnitude lies below the smallest normal number:
    /// tininess after rounding, as RISC-V defines it.
    pub tiny: bool,
    /// Rounded with unbounded exponent, the magnitude exceeds the largest finite number.
    pub overflow: bool,
}

/// Rounds a finite `value` to `layout`.
///
/// A value that was rounded to odd beforehand gives the same result as the exact one, as long as
/// `layout` has at least two bits less (Boldo and Melquiond, "Emulation of FMA and correctly
/// rounded sums").
#[must_use]
pub fn round(value: f64, layout: FloatLayout, mode: Rounding) -> Rounded {
    round_finite(Finite::from_f64(value), false, layout, mode)
}

/// Rounds a number to `layout`. With `sticky` it is a little larger in magnitude than it says, and
/// must have at least two bits more than the format.
#[must_use]
#[inline]
pub fn round_finite(number: Finite, sticky: bool, layout: FloatLayout, mode: Rounding) -> Rounded {
    let Finite { negative, exponent, significand } = number;
    if significand == 0 {
        return Rounded { magnitude: 0, inexact: false, tiny: false, overflow: false };
    }
    let leading = exponent + significand.ilog2() as i32;
    // The significand in units of the last place that a number with this leading bit has.
    let round_below = |leading: i32| {
        let shift = leading - layout.fraction_bits as i32 - exponent;
        match u32::try_from(shift) {
            Ok(shift) => round_shift(significand, shift, sticky, negative, mode),
            Err(_) => (significand << -shift, sticky),
        }
    };
    // Below the smallest normal number the spacing no longer shrinks.
    let bounded = leading.max(layout.min_exponent());
    let (kept, inexact) = round_below(bounded);
    // The implicit bit of a normal number adds one to its biased exponent, and so does a carry.
    let biased = (bounded + layout.bias() - 1) as u64;
    let magnitude = (biased << layout.fraction_bits) + kept as u64;
    // With an unbounded exponent, rounding up may carry into the next binade.
    let tiny = leading < layout.min_exponent() && {
        let carried = round_below(leading).0 >> (layout.fraction_bits + 1) != 0;
        leading + i32::from(carried) < layout.min_exponent()
    };
    Rounded { magnitude, inexact, tiny, overflow: magnitude > layout.largest_finite() }
}

/// Drops the low `shift` bits of a magnitude: the rounded rest, and whether something was lost.
/// `sticky` says that the magnitude is a little more than its bits.
#[must_use]
#[inline]
pub fn round_shift(
    magnitude: u128,
    shift: u32,
    sticky: bool,
    negative: bool,
    mode: Rounding,
) -> (u128, bool) {
    let kept = magnitude.checked_shr(shift).unwrap_or(0);
    let lost = magnitude - kept.checked_shl(shift).unwrap_or(0);
    let rest = (lost != 0 || sticky).then(|| match shift {
        1..=128 => lost.cmp(&(1 << (shift - 1))).then(u8::from(sticky).cmp(&0)),
        _ => Ordering::Less,
    });
    let raise = mode.raises(negative, kept & 1 == 1, rest);
    (kept + u128::from(raise), rest.is_some())
}

impl Finite {
    /// The parts of a finite `f64`.
    fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let fraction = u128::from(bits & ((1 << 52) - 1));
        let (significand, exponent) = match (bits >> 52 & 0x7FF) as i32 {
            0 => (fraction, -1074),
            biased => (fraction | 1 << 52, biased - 1075),
        };
        Self { negative: value.is_sign_negative(), exponent, significand }
    }
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
