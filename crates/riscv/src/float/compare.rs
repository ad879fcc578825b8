//! Order, minimum, maximum, classes.

use super::NV;
use super::format::{Format, Value};
use xphmg::numeric::round::Finite;

/// `a = b`: only a signalling NaN is invalid.
pub(crate) fn equal(format: Format, a: u64, b: u64) -> (bool, u8) {
    if format.is_nan(a) || format.is_nan(b) {
        return (false, signalling(format, a, b));
    }
    (order(format, a) == order(format, b), 0)
}

/// `a < b`: any NaN is invalid.
pub(crate) fn less(format: Format, a: u64, b: u64) -> (bool, u8) {
    if format.is_nan(a) || format.is_nan(b) {
        return (false, NV);
    }
    (order(format, a) < order(format, b), 0)
}

/// `a ≤ b`: any NaN is invalid.
pub(crate) fn less_or_equal(format: Format, a: u64, b: u64) -> (bool, u8) {
    if format.is_nan(a) || format.is_nan(b) {
        return (false, NV);
    }
    (order(format, a) <= order(format, b), 0)
}

/// The smaller of two: −0 below +0, a NaN loses against a number, two give the canonical one.
pub(crate) fn minimum(format: Format, a: u64, b: u64) -> (u64, u8) {
    let first =
        (order(format, a), !format.is_negative(a)) <= (order(format, b), !format.is_negative(b));
    pick(format, a, b, first)
}

/// The larger of two.
pub(crate) fn maximum(format: Format, a: u64, b: u64) -> (u64, u8) {
    let first =
        (order(format, a), !format.is_negative(a)) >= (order(format, b), !format.is_negative(b));
    pick(format, a, b, first)
}

/// The ten classes of `fclass`, as one bit.
pub(crate) fn class(format: Format, bits: u64) -> u64 {
    let place = match format.value(bits) {
        Value::Infinity { negative: true } => 0,
        Value::Finite(Finite { negative, significand, .. }) => {
            let is_normal = significand >> format.layout().fraction_bits != 0;
            match (negative, is_normal) {
                (true, true) => 1,
                (true, false) => 2,
                (false, false) => 5,
                (false, true) => 6,
            }
        }
        Value::Zero { negative: true } => 3,
        Value::Zero { .. } => 4,
        Value::Infinity { .. } => 7,
        Value::Nan { signals: true } => 8,
        Value::Nan { .. } => 9,
    };
    1 << place
}

fn pick(format: Format, a: u64, b: u64, first: bool) -> (u64, u8) {
    let picked = match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => format.nan(),
        (true, false) => b,
        (false, true) => a,
        _ if first => a,
        _ => b,
    };
    (picked, signalling(format, a, b))
}

fn signalling(format: Format, a: u64, b: u64) -> u8 {
    if format.signals(a) || format.signals(b) { NV } else { 0 }
}

/// A key that orders numbers; both zeros have the same.
fn order(format: Format, bits: u64) -> i64 {
    let magnitude = (bits & !format.sign()) as i64;
    if format.is_negative(bits) { -magnitude } else { magnitude }
}
