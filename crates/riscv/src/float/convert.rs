//! To and from integers, and between the formats.

use super::format::{Format, Value};
use super::{NV, NX};
use xphmg::numeric::Rounding;
use xphmg::numeric::round::{Finite, round_shift};

/// The integer nearest to `bits` in the mode. Out of range gives the nearest bound, NaN the largest
/// value, both with NV alone.
pub(crate) fn to_integer(
    format: Format,
    bits: u64,
    rounding: Rounding,
    range: (i128, i128),
) -> (i128, u8) {
    let (least, most) = range;
    let Finite { negative, exponent, significand } = match format.value(bits) {
        Value::Nan { .. } | Value::Infinity { negative: false } => return (most, NV),
        Value::Infinity { .. } => return (least, NV),
        Value::Zero { .. } => return (0, 0),
        Value::Finite(number) => number,
    };
    let bound = if negative { least } else { most };
    if exponent + significand.ilog2() as i32 > 64 {
        return (bound, NV);
    }
    let (magnitude, inexact) = if exponent >= 0 {
        (significand << exponent, false)
    } else {
        round_shift(significand, exponent.unsigned_abs(), false, negative, rounding)
    };
    let value = if negative { -(magnitude as i128) } else { magnitude as i128 };
    if !(least..=most).contains(&value) {
        return (bound, NV);
    }
    (value, if inexact { NX } else { 0 })
}

/// An integer in the format.
pub(crate) fn from_integer(format: Format, value: i128, rounding: Rounding) -> (u64, u8) {
    let number = Finite { negative: value < 0, exponent: 0, significand: value.unsigned_abs() };
    format.round(number, false, rounding)
}

/// A double as a single.
pub(crate) fn to_single(bits: u64, rounding: Rounding) -> (u64, u8) {
    convert(Format::Double, Format::Single, bits, rounding)
}

/// A single as a double: exact.
pub(crate) fn to_double(bits: u64) -> (u64, u8) {
    convert(Format::Single, Format::Double, bits, Rounding::Rne)
}

fn convert(from: Format, to: Format, bits: u64, rounding: Rounding) -> (u64, u8) {
    match from.value(bits) {
        Value::Nan { signals } => (to.nan(), if signals { NV } else { 0 }),
        Value::Infinity { negative } => (to.infinity(negative), 0),
        Value::Zero { negative } => (to.zero(negative), 0),
        Value::Finite(number) => to.round(number, false, rounding),
    }
}
