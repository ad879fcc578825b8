//! Floating point with RISC-V's rounding modes, flags and NaNs, over Berkeley SoftFloat.
//!
//! SoftFloat keeps rounding mode and flags in thread-local variables: every function here clears,
//! computes and reads them in one go.

use softfloat_wrapper::{ExceptionFlags, F32, F64, Float, RoundingMode};

/// Invalid operation, bit 4 of `fflags`.
pub(crate) const INVALID: u8 = 16;

/// The quiet NaN that every operation delivers.
pub(crate) const CANONICAL_F32: u32 = 0x7FC0_0000;
/// The quiet NaN that every operation delivers.
pub(crate) const CANONICAL_F64: u64 = 0x7FF8_0000_0000_0000;

/// The rounding mode with this number in `frm`; 5 to 7 are none.
pub(crate) fn rounding_mode(number: u8) -> Option<RoundingMode> {
    Some(match number {
        0 => RoundingMode::TiesToEven,
        1 => RoundingMode::TowardZero,
        2 => RoundingMode::TowardNegative,
        3 => RoundingMode::TowardPositive,
        4 => RoundingMode::TiesToAway,
        _ => return None,
    })
}

/// Runs `compute` and gives the flags that it raised, in the places of `fflags`.
pub(crate) fn with_flags<T>(compute: impl FnOnce() -> T) -> (T, u8) {
    let mut flags = ExceptionFlags::default();
    flags.set();
    let result = compute();
    flags.get();
    (result, flags.to_bits())
}

/// What F and D need beyond SoftFloat's trait.
pub(crate) trait Format: Float + Copy {
    /// The bits of the canonical NaN.
    const CANONICAL: Self::Payload;

    /// `a * b + c` with signs changed first, rounded once.
    fn fused(self, b: Self, c: Self, rounding: RoundingMode) -> Self {
        self.fused_mul_add(b, c, rounding)
    }

    /// The smaller of two: −0 below +0, a NaN loses against a number, two give the canonical one.
    fn minimum(self, other: Self) -> (Self, u8) {
        self.pick(other, |a, b| a.lt_quiet(b) || (Float::eq(&a, b) && a.is_negative()))
    }

    /// The larger of two.
    fn maximum(self, other: Self) -> (Self, u8) {
        self.pick(other, |a, b| b.lt_quiet(a) || (Float::eq(&a, b) && a.is_positive()))
    }

    #[doc(hidden)]
    fn pick(self, other: Self, first_wins: impl Fn(Self, Self) -> bool) -> (Self, u8) {
        let signals = self.is_signaling_nan() || other.is_signaling_nan();
        let picked = match (self.is_nan(), other.is_nan()) {
            (true, true) => Self::from_bits(Self::CANONICAL),
            (true, false) => other,
            (false, true) => self,
            _ if first_wins(self, other) => self,
            _ => other,
        };
        (picked, if signals { INVALID } else { 0 })
    }

    /// The ten classes of `fclass`, as one bit.
    fn class(self) -> u64 {
        let is_subnormal = self.is_subnormal() && !self.is_zero();
        let place = match (self.is_nan(), self.is_negative()) {
            (true, _) => 8 + u32::from(!self.is_signaling_nan()),
            (_, true) if self.is_negative_infinity() => 0,
            (_, true) if self.is_zero() => 3,
            (_, true) => 1 + u32::from(is_subnormal),
            (_, false) if self.is_positive_infinity() => 7,
            (_, false) if self.is_zero() => 4,
            (_, false) => 6 - u32::from(is_subnormal),
        };
        1 << place
    }
}

impl Format for F32 {
    const CANONICAL: u32 = CANONICAL_F32;
}

impl Format for F64 {
    const CANONICAL: u64 = CANONICAL_F64;
}

/// A single in a double register: the upper half is all ones.
pub(crate) fn boxed(single: F32) -> u64 {
    u64::from(single.to_bits()) | 0xFFFF_FFFF_0000_0000
}

/// The single in a register; the canonical NaN if none is boxed there.
pub(crate) fn unboxed(register: u64) -> F32 {
    if register >> 32 == 0xFFFF_FFFF {
        F32::from_bits(register as u32)
    } else {
        F32::from_bits(CANONICAL_F32)
    }
}
