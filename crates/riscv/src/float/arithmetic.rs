//! Sums, products, quotients, roots and fused operations.

use super::format::{Format, Value};
use super::{DZ, NV};
use xphmg::numeric::Rounding;
use xphmg::numeric::round::Finite;

/// Where addends have their leading bit: one place is left for a carry.
const ADDEND_TOP: u32 = 125;

/// `a + b`; subtraction flips the sign of `b`.
pub(crate) fn add(format: Format, a: u64, b: u64, rounding: Rounding) -> (u64, u8) {
    sum(format, format.value(a), format.value(b), rounding)
}

/// `a · b`.
pub(crate) fn multiply(format: Format, a: u64, b: u64, rounding: Rounding) -> (u64, u8) {
    match product(format.value(a), format.value(b)) {
        Ok(Value::Finite(number)) => format.round(number, false, rounding),
        Ok(Value::Infinity { negative }) => (format.infinity(negative), 0),
        Ok(Value::Zero { negative }) => (format.zero(negative), 0),
        Ok(Value::Nan { .. }) => (format.nan(), 0),
        Err(Invalid) => (format.nan(), NV),
    }
}

/// `a · b + c`, rounded once. 0 · ∞ is invalid even if `c` is a quiet NaN.
pub(crate) fn fused_multiply_add(
    format: Format,
    [a, b, c]: [u64; 3],
    rounding: Rounding,
) -> (u64, u8) {
    let addend = format.value(c);
    match product(format.value(a), format.value(b)) {
        Err(Invalid) => (format.nan(), NV),
        Ok(product) => sum(format, product, addend, rounding),
    }
}

/// `a / b`.
pub(crate) fn divide(format: Format, a: u64, b: u64, rounding: Rounding) -> (u64, u8) {
    let negative = format.is_negative(a) != format.is_negative(b);
    match (format.value(a), format.value(b)) {
        (Value::Nan { signals }, Value::Nan { signals: too }) => {
            (format.nan(), if signals || too { NV } else { 0 })
        }
        (Value::Nan { signals }, _) | (_, Value::Nan { signals }) => {
            (format.nan(), if signals { NV } else { 0 })
        }
        (Value::Infinity { .. }, Value::Infinity { .. })
        | (Value::Zero { .. }, Value::Zero { .. }) => (format.nan(), NV),
        (Value::Infinity { .. }, _) => (format.infinity(negative), 0),
        (_, Value::Zero { .. }) => (format.infinity(negative), DZ),
        (Value::Zero { .. }, _) | (_, Value::Infinity { .. }) => (format.zero(negative), 0),
        (Value::Finite(a), Value::Finite(b)) => {
            // Leading bits 58 places apart leave 58 or 59 bits of quotient.
            let a = with_leading_bit_at(a, 116);
            let b = with_leading_bit_at(b, 58);
            let significand = a.significand / b.significand;
            let sticky = !a.significand.is_multiple_of(b.significand);
            let quotient = Finite { negative, exponent: a.exponent - b.exponent, significand };
            format.round(quotient, sticky, rounding)
        }
    }
}

/// The square root.
pub(crate) fn square_root(format: Format, a: u64, rounding: Rounding) -> (u64, u8) {
    match format.value(a) {
        Value::Nan { signals } => (format.nan(), if signals { NV } else { 0 }),
        Value::Zero { negative } => (format.zero(negative), 0),
        Value::Infinity { negative: false } => (format.infinity(false), 0),
        Value::Infinity { .. } | Value::Finite(Finite { negative: true, .. }) => (format.nan(), NV),
        Value::Finite(number) => {
            // The exponent must be even; 120 bits give a root of 60.
            let number = with_leading_bit_at(number, 120);
            let odd = number.exponent.rem_euclid(2) as u32;
            let radicand = number.significand << odd;
            let significand = radicand.isqrt();
            let sticky = significand * significand != radicand;
            let exponent = (number.exponent - odd as i32) / 2;
            format.round(Finite { negative: false, exponent, significand }, sticky, rounding)
        }
    }
}

/// An operation that has no result.
struct Invalid;

/// The exact product. A quiet NaN operand gives a NaN, a signalling one is invalid.
fn product(a: Value, b: Value) -> Result<Value, Invalid> {
    let negative = is_negative(a) != is_negative(b);
    match (a, b) {
        (Value::Nan { signals: true }, _) | (_, Value::Nan { signals: true }) => Err(Invalid),
        (Value::Nan { .. }, _) | (_, Value::Nan { .. }) => Ok(Value::Nan { signals: false }),
        (Value::Infinity { .. }, Value::Zero { .. })
        | (Value::Zero { .. }, Value::Infinity { .. }) => Err(Invalid),
        (Value::Infinity { .. }, _) | (_, Value::Infinity { .. }) => {
            Ok(Value::Infinity { negative })
        }
        (Value::Zero { .. }, _) | (_, Value::Zero { .. }) => Ok(Value::Zero { negative }),
        (Value::Finite(a), Value::Finite(b)) => Ok(Value::Finite(Finite {
            negative,
            exponent: a.exponent + b.exponent,
            significand: a.significand * b.significand,
        })),
    }
}

fn is_negative(value: Value) -> bool {
    match value {
        Value::Nan { .. } => false,
        Value::Infinity { negative } | Value::Zero { negative } => negative,
        Value::Finite(number) => number.negative,
    }
}

fn sum(format: Format, a: Value, b: Value, rounding: Rounding) -> (u64, u8) {
    match (a, b) {
        (Value::Nan { signals: true }, _) | (_, Value::Nan { signals: true }) => (format.nan(), NV),
        (Value::Nan { .. }, _) | (_, Value::Nan { .. }) => (format.nan(), 0),
        (Value::Infinity { negative: a }, Value::Infinity { negative: b }) if a != b => {
            (format.nan(), NV)
        }
        (Value::Infinity { negative }, _) | (_, Value::Infinity { negative }) => {
            (format.infinity(negative), 0)
        }
        (Value::Zero { negative: a }, Value::Zero { negative: b }) => {
            (format.zero(if a == b { a } else { rounding == Rounding::Rdn }), 0)
        }
        (Value::Zero { .. }, Value::Finite(number))
        | (Value::Finite(number), Value::Zero { .. }) => format.round(number, false, rounding),
        (Value::Finite(a), Value::Finite(b)) => sum_of_finite(format, a, b, rounding),
    }
}

/// Both addends get their leading bit at one place, so that the one with the larger exponent is the
/// larger; the other is shifted down to it. Bits can fall off only if it is shifted by 20 places or
/// more, and then the difference keeps far more bits than the format has.
fn sum_of_finite(format: Format, a: Finite, b: Finite, rounding: Rounding) -> (u64, u8) {
    let (a, b) = (with_leading_bit_at(a, ADDEND_TOP), with_leading_bit_at(b, ADDEND_TOP));
    let (large, small) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    let shift = large.exponent.abs_diff(small.exponent);
    let aligned = small.significand.checked_shr(shift).unwrap_or(0);
    let sticky = shift >= 128 || aligned << shift != small.significand;
    let Finite { negative, exponent, significand } = large;
    if large.negative == small.negative {
        let significand = significand + aligned;
        return format.round(Finite { negative, exponent, significand }, sticky, rounding);
    }
    // What fell off makes the difference smaller by less than one.
    let aligned = aligned + u128::from(sticky);
    if significand == aligned {
        return (format.zero(rounding == Rounding::Rdn), 0);
    }
    let negative = if significand > aligned { negative } else { small.negative };
    let significand = significand.abs_diff(aligned);
    format.round(Finite { negative, exponent, significand }, sticky, rounding)
}

/// The same number with its leading one at bit `place`, which must not be below it.
fn with_leading_bit_at(number: Finite, place: u32) -> Finite {
    let shift = place - number.significand.ilog2();
    Finite {
        exponent: number.exponent - shift as i32,
        significand: number.significand << shift,
        ..number
    }
}
