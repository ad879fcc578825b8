//! The two formats, and what bits stand for.

/// A binary interchange format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction, without the leading one.
    pub(super) fraction: u32,
}

/// binary32.
pub(crate) const SINGLE: Format = Format { exponent: 8, fraction: 23 };
/// binary64.
pub(crate) const DOUBLE: Format = Format { exponent: 11, fraction: 52 };

/// What bits stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Nan { signals: bool },
    Infinity { negative: bool },
    Zero { negative: bool },
    Finite(Finite),
}

/// ± significand · 2^exponent, not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finite {
    pub(super) negative: bool,
    pub(super) exponent: i32,
    pub(super) significand: u128,
}

impl Format {
    /// Bits of a significand, the leading one included.
    pub(super) const fn precision(self) -> i32 {
        self.fraction as i32 + 1
    }

    /// The exponent of the largest numbers.
    pub(super) const fn largest_exponent(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the smallest normal numbers.
    pub(super) const fn smallest_exponent(self) -> i32 {
        1 - self.largest_exponent()
    }

    /// The exponent of the last place of subnormal numbers.
    pub(super) const fn smallest_quantum(self) -> i32 {
        self.smallest_exponent() - self.fraction as i32
    }

    /// The sign bit.
    pub(crate) const fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    pub(super) const fn infinity(self, negative: bool) -> u64 {
        let magnitude = ((1 << self.exponent) - 1) << self.fraction;
        if negative { magnitude | self.sign() } else { magnitude }
    }

    pub(super) const fn largest(self, negative: bool) -> u64 {
        self.infinity(negative) - 1
    }

    pub(super) const fn zero(self, negative: bool) -> u64 {
        if negative { self.sign() } else { 0 }
    }

    /// The canonical NaN: quiet, positive, no payload.
    pub(crate) const fn nan(self) -> u64 {
        self.infinity(false) | 1 << (self.fraction - 1)
    }

    pub(super) const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign() != 0
    }

    pub(super) fn value(self, bits: u64) -> Value {
        let negative = self.is_negative(bits);
        let fraction = bits & ((1 << self.fraction) - 1);
        let biased = (bits >> self.fraction & ((1 << self.exponent) - 1)) as i32;
        let all_ones = (1 << self.exponent) - 1;
        match (biased, fraction) {
            (0, 0) => Value::Zero { negative },
            (biased, 0) if biased == all_ones => Value::Infinity { negative },
            (biased, _) if biased == all_ones => {
                Value::Nan { signals: fraction >> (self.fraction - 1) == 0 }
            }
            (0, _) => Value::Finite(Finite {
                negative,
                exponent: self.smallest_quantum(),
                significand: u128::from(fraction),
            }),
            _ => Value::Finite(Finite {
                negative,
                exponent: self.smallest_quantum() + biased - 1,
                significand: u128::from(fraction | 1 << self.fraction),
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

impl Finite {
    /// The same number with its leading one at bit `place`, which must not be below it.
    pub(super) fn with_leading_bit_at(self, place: u32) -> Self {
        let shift = place - self.significand.ilog2();
        Self {
            exponent: self.exponent - shift as i32,
            significand: self.significand << shift,
            ..self
        }
    }
}
