//! FP32 arithmetic in any rounding mode. Every operation is rounded on its own; nothing is fused
//!
//!
//! To nearest even is what the host does. For the other modes the exact result is first rounded to
//! odd in `f64`, which keeps enough of it for any second rounding to 24 bits (Boldo and Melquiond),
//! and then to FP32. Products of two FP32 numbers are exact in `f64`; a sum has an exact error term
//! (Knuth's TwoSum); a quotient is compared with its dividend through an exact remainder.
//!
//! Intermediates raise no flags. A NaN is whatever NaN the host makes: callers ask only
//! whether there is one.

use super::{FloatLayout, Rounding, round};

/// `a + b`.
#[must_use]
pub fn add(mode: Rounding, a: f32, b: f32) -> f32 {
    let nearest = a + b;
    if mode == Rounding::Rne || !result_is_finite(nearest, &[a, b]) {
        return nearest;
    }
    let sum = f64::from(a) + f64::from(b);
    if sum == 0.0 {
        return zero_sum(mode, a, b);
    }
    to_fp32(mode, to_odd(sum, sum_error(f64::from(a), f64::from(b), sum)))
}

/// `a - b`.
#[must_use]
pub fn sub(mode: Rounding, a: f32, b: f32) -> f32 {
    add(mode, a, -b)
}

/// `a * b`.
#[must_use]
pub fn mul(mode: Rounding, a: f32, b: f32) -> f32 {
    let nearest = a * b;
    if mode == Rounding::Rne || !result_is_finite(nearest, &[a, b]) {
        return nearest;
    }
    to_fp32(mode, f64::from(a) * f64::from(b))
}

/// `a / b`.
#[must_use]
pub fn div(mode: Rounding, a: f32, b: f32) -> f32 {
    let nearest = a / b;
    if mode == Rounding::Rne || b == 0.0 || !result_is_finite(nearest, &[a, b]) {
        return nearest;
    }
    let (dividend, divisor) = (f64::from(a), f64::from(b));
    let quotient = dividend / divisor;
    // The sign of the remainder, relative to the divisor's, says on which side the quotient lies.
    let error = remainder(dividend, divisor, quotient) * divisor.signum();
    to_fp32(mode, to_odd(quotient, error))
}

/// `a * b - c * d` with exact products, rounded to FP64 and then to FP32, both in `mode`: how edge
/// functions are recomputed (X-29, step 5).
#[must_use]
pub fn product_difference_wide(mode: Rounding, [a, b]: [f32; 2], [c, d]: [f32; 2]) -> f32 {
    let left = f64::from(a) * f64::from(b);
    let right = -(f64::from(c) * f64::from(d));
    let sum = left + right;
    if sum == 0.0 || !sum.is_finite() {
        let zero_is_negative =
            sum == 0.0 && mode == Rounding::Rdn && left.to_bits() != right.to_bits();
        return if zero_is_negative { -0.0 } else { sum as f32 };
    }
    let error = sum_error(left, right, sum);
    to_fp32(mode, settle_fp64(mode, sum, error))
}

/// Whether the exact result is finite, so that rounding is the question. Infinite and NaN operands,
/// and divisions by zero, give the same answer in every mode.
fn result_is_finite(nearest: f32, operands: &[f32]) -> bool {
    !nearest.is_nan() && operands.iter().all(|x| x.is_finite())
}

/// An exact zero: the sign that both share, else −0 when rounding down and +0 otherwise.
fn zero_sum(mode: Rounding, a: f32, b: f32) -> f32 {
    match (a.is_sign_negative(), b.is_sign_negative()) {
        (true, true) => -0.0,
        (false, false) => 0.0,
        _ if mode == Rounding::Rdn => -0.0,
        _ => 0.0,
    }
}

/// `a + b - sum`, exactly (Knuth).
fn sum_error(a: f64, b: f64, sum: f64) -> f64 {
    let a_part = sum - b;
    let b_part = sum - a_part;
    (a - a_part) + (b - b_part)
}

/// A number with the sign of `dividend - divisor * quotient`. The product of 24 by 53 bits does not
/// fit an
/// `f64`; the quotient is split so that both halves' products do.
fn remainder(dividend: f64, divisor: f64, quotient: f64) -> f64 {
    let high = f64::from_bits(quotient.to_bits() & !((1 << 27) - 1));
    let low = quotient - high;
    // dividend - divisor * high is a difference of neighbours (Sterbenz), hence exact; so is the
    // product.
    (dividend - divisor * high) - divisor * low
}

/// `value + error` rounded to odd, where `value` is that number rounded to nearest.
fn to_odd(value: f64, error: f64) -> f64 {
    if error == 0.0 || value.to_bits() & 1 == 1 {
        value
    } else if error > 0.0 {
        value.next_up()
    } else {
        value.next_down()
    }
}

/// `value + error` rounded to FP64 in `mode`, where `value` is that number rounded to nearest even.
fn settle_fp64(mode: Rounding, value: f64, error: f64) -> f64 {
    let toward_error = if error > 0.0 { value.next_up() } else { value.next_down() };
    let moves = error != 0.0
        && match mode {
            Rounding::Rne => false,
            Rounding::Rup => error > 0.0,
            Rounding::Rdn => error < 0.0,
            Rounding::Rtz => (error < 0.0) == (value > 0.0),
            Rounding::Rmm => {
                (toward_error - value) == 2.0 * error && toward_error.abs() > value.abs()
            }
        };
    if moves { toward_error } else { value }
}

/// An `f64`, exact or rounded to odd, as FP32.
fn to_fp32(mode: Rounding, value: f64) -> f32 {
    let negative = value.is_sign_negative();
    let nearest = value as f32;
    match mode {
        Rounding::Rne => nearest,
        Rounding::Rup if f64::from(nearest) < value => nearest.next_up(),
        Rounding::Rdn if f64::from(nearest) > value => nearest.next_down(),
        Rounding::Rtz if f64::from(nearest).abs() > value.abs() => {
            f32::from_bits(nearest.to_bits() - 1)
        }
        Rounding::Rup | Rounding::Rdn | Rounding::Rtz => nearest,
        Rounding::Rmm => {
            let rounded = round::round(value, FloatLayout::FP32, mode);
            let magnitude =
                if rounded.overflow { f32::INFINITY.to_bits() } else { rounded.magnitude as u32 };
            f32::from_bits(magnitude | u32::from(negative) << 31)
        }
    }
}
