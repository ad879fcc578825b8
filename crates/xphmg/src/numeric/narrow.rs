//! Writing a result: one FP32 value to one element of the effective format (specification, section
//! 4).
//!
//! | source | format, mode | SAT | result | flags |
//! |---|---|---|---|---|
//! | 65520 | FP16 RNE | 0 | 7C00 | OF NX |
//! | 65536 | FP16 RNE | 1 | 7BFF | NX, SAT_HIT |
//! | 464 | E4M3 RNE | 0 | 7E | NX: a tie, and 448 has the even fraction |
//! | −456 | E4M3 RDN | 0 | 7F | OF NX: an infinity, which E4M3 has not |

use super::widen::power_of_two;
use super::{FloatLayout, round};
use crate::flags::{Exceptions, Raised, Stickies};
use crate::policy::{NanPolicy, Policy};

/// An element with what its making raised. DOWNCAST_TAKEN and the SEEN bits belong to the
/// instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Narrowed {
    /// The element, in the low bits.
    pub bits: u32,
    /// What was raised.
    pub raised: Raised,
}

impl Narrowed {
    const fn new(bits: u64, exceptions: Exceptions) -> Self {
        Self { bits: bits as u32, raised: Raised::exceptions(exceptions) }
    }
}

/// Narrows an internal result.
///
/// ```
/// use xphmg::flags::Exceptions;
/// use xphmg::numeric::narrow;
/// use xphmg::policy::Policy;
/// let narrowed = narrow(65520.0, &Policy::default()); // FP16, to nearest even
/// assert_eq!(narrowed.bits, 0x7C00);
/// assert_eq!(narrowed.raised.exceptions, Exceptions::OF | Exceptions::NX);
/// ```
#[must_use]
pub fn narrow(value: f32, policy: &Policy) -> Narrowed {
    match policy.format.float_layout() {
        Some(layout) => narrow_float(value, layout, policy),
        None => narrow_integer(value, policy),
    }
}

/// X-19, step by step.
fn narrow_float(value: f32, layout: FloatLayout, policy: &Policy) -> Narrowed {
    let negative = value.is_sign_negative();
    let sign = if negative { layout.sign() } else { 0 };
    let saturated = Narrowed {
        bits: (layout.largest_finite() | sign) as u32,
        raised: Raised { exceptions: Exceptions::NX, stickies: Stickies::SAT_HIT },
    };
    // Step 1.
    if value.is_nan() {
        let signalling = value.to_bits() & 1 << 22 == 0;
        let exceptions = if signalling { Exceptions::NV } else { Exceptions::empty() };
        return Narrowed::new(nan(layout, policy.nan), exceptions);
    }
    // Step 2.
    if value.is_infinite() {
        return match layout.infinity() {
            _ if policy.saturate => saturated,
            Some(infinity) => Narrowed::new(infinity | sign, Exceptions::empty()),
            None => overflow_to_infinity(layout, sign, policy),
        };
    }
    // Step 3.
    let rounded = round::round(f64::from(value), layout, policy.rounding);
    if rounded.overflow {
        return if policy.saturate {
            saturated
        } else if policy.rounding.overflows_to_infinity(negative) {
            overflow_to_infinity(layout, sign, policy)
        } else {
            Narrowed::new(layout.largest_finite() | sign, Exceptions::OF | Exceptions::NX)
        };
    }
    // Step 5 comes before 4's flags only in this order of writing: both raise UF and NX.
    let subnormal = rounded.magnitude != 0 && rounded.magnitude >> layout.fraction_bits == 0;
    if policy.flush && subnormal {
        return Narrowed {
            bits: sign as u32,
            raised: Raised {
                exceptions: Exceptions::UF | Exceptions::NX,
                stickies: Stickies::FTZ_HIT,
            },
        };
    }
    // Step 4.
    let mut exceptions = Exceptions::empty();
    exceptions.set(Exceptions::NX, rounded.inexact);
    exceptions.set(Exceptions::UF, rounded.inexact && rounded.tiny);
    Narrowed::new(rounded.magnitude | sign, exceptions)
}

/// The infinity of an overflow, or the NaN that stands for it in a format without infinities.
fn overflow_to_infinity(layout: FloatLayout, sign: u64, policy: &Policy) -> Narrowed {
    let bits = match layout.infinity() {
        Some(infinity) => infinity | sign,
        None => nan(layout, policy.nan),
    };
    Narrowed::new(bits, Exceptions::OF | Exceptions::NX)
}

/// What NAN_POL makes of a NaN. Where +Inf does not exist the largest finite number stands for it.
fn nan(layout: FloatLayout, policy: NanPolicy) -> u64 {
    match policy {
        NanPolicy::Propagate => layout.canonical_nan(),
        NanPolicy::Zero => 0,
        NanPolicy::Infinity => layout.infinity().unwrap_or(layout.largest_finite()),
    }
}

/// X-21: rounding comes before the zero point is added.
fn narrow_integer(value: f32, policy: &Policy) -> Narrowed {
    let bits = policy.format.bits();
    let (low, high) = if policy.unsigned {
        (0, (1i64 << bits) - 1)
    } else {
        (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1)
    };
    let element = |code: i64| code as u32 & ((1u64 << bits) - 1) as u32;
    if value.is_nan() {
        let code = if policy.nan == NanPolicy::Zero { 0 } else { high };
        return Narrowed { bits: element(code), raised: Raised::exceptions(Exceptions::NV) };
    }
    // A power of two times an FP32 number is exact in f64.
    let scaled = f64::from(value) * power_of_two(-policy.scale_log2);
    let rounded = if scaled.is_infinite() {
        scaled
    } else {
        round::round_to_integer(scaled, policy.rounding)
    };
    let code = rounded + f64::from(policy.zero_point);
    let clamped = code.clamp(low as f64, high as f64);
    let raised = if clamped != code {
        if policy.saturate {
            Raised { exceptions: Exceptions::NX, stickies: Stickies::SAT_HIT }
        } else {
            Raised::exceptions(Exceptions::NV)
        }
    } else if rounded != scaled {
        Raised::exceptions(Exceptions::NX)
    } else {
        Raised::default()
    };
    Narrowed { bits: element(clamped as i64), raised }
}
