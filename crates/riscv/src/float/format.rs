//! The two formats, and what bits stand for.

use xphmg::numeric::FloatLayout;
use xphmg::numeric::round::Finite;

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// binary32.
    Single,
    /// binary64.
    Double,
}

/// What bits stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Nan { signals: bool },
    Infinity { negative: bool },
    Zero { negative: bool },
    Finite(Finite),
}

impl Format {
    pub(super) const fn layout(self) -> FloatLayout {
        match self {
            Self::Single => FloatLayout::FP32,
            Self::Double => FloatLayout::FP64,
        }
    }

    /// The sign bit.
    pub(crate) const fn sign(self) -> u64 {
        self.layout().sign()
    }

    pub(super) const fn infinity(self, negative: bool) -> u64 {
        self.largest(negative) + 1
    }

    pub(super) const fn largest(self, negative: bool) -> u64 {
        self.layout().largest_finite() | self.zero(negative)
    }

    pub(super) const fn zero(self, negative: bool) -> u64 {
        if negative { self.sign() } else { 0 }
    }

    /// The canonical NaN: quiet, positive, no payload.
    pub(crate) const fn nan(self) -> u64 {
        self.layout().canonical_nan()
    }

    pub(super) const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    pub(super) fn value(self, bits: u64) -> Value {
        let negative = self.is_negative(bits);
        let layout = self.layout();
        let fraction_bits = layout.fraction_bits;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let all_ones = (1 << layout.exponent_bits) - 1;
        let biased = (bits >> fraction_bits & all_ones) as i32;
        let smallest_quantum = layout.min_exponent() - fraction_bits as i32;
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
