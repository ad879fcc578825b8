//! The two formats, and what bits stand for.

use xphmg::numeric::FloatLayout;
use xphmg::numeric::round::Finite;

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub(super) layout: FloatLayout,
}

/// binary32.
pub(crate) const SINGLE: Format = Format { layout: FloatLayout::FP32 };
/// binary64.
pub(crate) const DOUBLE: Format = Format { layout: FloatLayout::FP64 };

/// What bits stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Nan { signals: bool },
    Infinity { negative: bool },
    Zero { negative: bool },
    Finite(Finite),
}

impl Format {
    /// The sign bit.
    pub(crate) const fn sign(self) -> u64 {
        self.layout.sign()
    }

    pub(super) const fn infinity(self, negative: bool) -> u64 {
        self.largest(negative) + 1
    }

    pub(super) const fn largest(self, negative: bool) -> u64 {
        self.layout.largest_finite() | self.zero(negative)
    }

    pub(super) const fn zero(self, negative: bool) -> u64 {
        if negative { self.sign() } else { 0 }
    }

    /// The canonical NaN: quiet, positive, no payload.
    pub(crate) const fn nan(self) -> u64 {
        self.layout.canonical_nan()
    }

    pub(super) const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    pub(super) fn value(self, bits: u64) -> Value {
        let negative = self.is_negative(bits);
        let fraction_bits = self.layout.fraction_bits;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let all_ones = (1 << self.layout.exponent_bits) - 1;
        let biased = (bits >> fraction_bits & all_ones) as i32;
        let smallest_quantum = self.layout.min_exponent() - fraction_bits as i32;
        match (biased, fraction) {
            (0, 0) => Value::Zero { negative },
            (biased, 0) if biased == all_ones as i32 => Value::Infinity { negative },
            (biased, _) if biased == all_ones as i32 => {
                Value::Nan { signals: fraction >> (fraction_bits - 1) == 0 }
            }
            (0, _) => Value::Finite(Finite {
                negative,
                exponent: smallest_quantum,
                significand: u128::from(fraction),
            }),
            _ => Value::Finite(Finite {
                negative,
                exponent: smallest_quantum + biased - 1,
                significand: u128::from(fraction | 1 << fraction_bits),
            }),
        }
    }

    pub(super) fn is_nan(self, bits: u64) -> bool {
        matches!(self.value(bits), Value::Nan { .. })
    }

    pub(super) fn signals(self, bits: u64) -> bool {
        self.value(bits) == Value::Nan { signals: true }
    }
}
