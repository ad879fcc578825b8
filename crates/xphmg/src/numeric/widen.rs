//! Reading an element: exactly to FP32, after the flush of subnormals (X-20) and through the
//! inverse of the quantisation (X-21).

use super::FloatLayout;
use crate::flags::{Exceptions, Raised, Stickies};
use crate::policy::Policy;

/// An element as RT computes with it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Widened {
    /// Its value; any NaN for a NaN.
    pub value: f32,
    /// What reading it raised.
    pub raised: Raised,
}

/// Widens the element in the low bits of `bits`.
///
/// ```
/// use xphmg::numeric::widen;
/// use xphmg::policy::Policy;
/// let half = Policy::default(); // FP16
/// assert_eq!(widen(0x3C00, &half).value, 1.0);
/// assert_eq!(widen(0x8001, &half).value, -(2f32.powi(-24)));
/// ```
#[must_use]
pub fn widen(bits: u32, policy: &Policy) -> Widened {
    match policy.format.float_layout() {
        Some(layout) => widen_float(bits, layout, policy.flush),
        None => Widened { value: widen_integer(bits, policy), raised: Raised::default() },
    }
}

fn widen_float(bits: u32, layout: FloatLayout, flush: bool) -> Widened {
    let magnitude = u64::from(bits) & (layout.sign() - 1);
    let negative = u64::from(bits) & layout.sign() != 0;
    let signed = |value: f32| if negative { -value } else { value };
    let fraction_bits = layout.fraction_bits;
    let (biased, fraction) = (magnitude >> fraction_bits, magnitude & ((1 << fraction_bits) - 1));
    let mut raised = Raised::default();
    let is_nan = match layout.infinity() {
        Some(infinity) if magnitude == infinity => {
            return Widened { value: signed(f32::INFINITY), raised };
        }
        Some(infinity) => magnitude > infinity,
        None => magnitude > layout.largest_finite(),
    };
    if is_nan {
        // E4M3 has quiet NaNs only (X-16).
        let quiet = !layout.infinities || fraction >> (fraction_bits - 1) == 1;
        raised.exceptions =
            if quiet { Exceptions::QNAN_SEEN } else { Exceptions::SNAN_SEEN | Exceptions::NV };
        return Widened { value: f32::NAN, raised };
    }
    if biased == 0 && fraction != 0 && flush {
        raised.stickies = Stickies::FTZ_HIT;
        return Widened { value: signed(0.0), raised };
    }
    let (significand, exponent) = match biased {
        0 => (fraction, layout.min_exponent()),
        _ => (fraction | 1 << fraction_bits, biased as i32 - layout.bias()),
    };
    // Both factors and the product are FP32 numbers or, for FP32's own subnormals, exact in f64.
    let value = significand as f64 * power_of_two(exponent - fraction_bits as i32);
    Widened { value: signed(value as f32), raised }
}

/// `(q - Z) * 2^s`: an integer of at most 17 bits times a power of two, exact.
fn widen_integer(bits: u32, policy: &Policy) -> f32 {
    let shift = 32 - policy.format.bits();
    let code = if policy.unsigned {
        i64::from(bits << shift >> shift)
    } else {
        i64::from((bits << shift) as i32 >> shift)
    };
    let scaled = (code - i64::from(policy.zero_point)) as f64 * power_of_two(policy.scale_log2);
    scaled as f32
}

/// `2^exponent` for exponents of normal `f64` numbers.
pub(super) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}
