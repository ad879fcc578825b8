//! The one place where results are rounded.

use super::format::{Finite, Format};
use super::{NX, OF, UF};

/// A rounding mode, with the numbers of `frm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    NearestEven,
    TowardZero,
    Down,
    Up,
    NearestAway,
}

impl Rounding {
    /// The mode with this number; 5 to 7 are none.
    pub(crate) fn from_number(number: u8) -> Option<Self> {
        Some(match number {
            0 => Self::NearestEven,
            1 => Self::TowardZero,
            2 => Self::Down,
            3 => Self::Up,
            4 => Self::NearestAway,
            _ => return None,
        })
    }
}

/// Drops the low `shift` bits of a magnitude: the rounded rest, and whether something was lost. `sticky`
/// says that the magnitude is a little more than its bits.
pub(super) fn round_shift(
    magnitude: u128,
    shift: u32,
    sticky: bool,
    negative: bool,
    rounding: Rounding,
) -> (u128, bool) {
    if shift == 0 && !sticky {
        return (magnitude, false);
    }
    let kept = magnitude.checked_shr(shift).unwrap_or(0);
    let lost = if shift >= 128 { magnitude } else { magnitude & ((1 << shift) - 1) };
    let half = if (1..=128).contains(&shift) { 1_u128 << (shift - 1) } else { 0 };
    let inexact = lost != 0 || sticky;
    let (is_half_or_more, is_half) = if (1..=128).contains(&shift) {
        (lost >= half, lost == half && !sticky)
    } else {
        (false, false)
    };
    let up = match rounding {
        Rounding::NearestEven => is_half_or_more && !(is_half && kept & 1 == 0),
        Rounding::NearestAway => is_half_or_more,
        Rounding::TowardZero => false,
        Rounding::Down => inexact && negative,
        Rounding::Up => inexact && !negative,
    };
    (kept + u128::from(up), inexact)
}

impl Format {
    /// The number in this format. With `sticky` it is a little larger in magnitude than it says, and must
    /// have at least two bits more than the format.
    pub(super) fn round(self, number: Finite, sticky: bool, rounding: Rounding) -> (u64, u8) {
        let Finite { negative, exponent, significand } = number;
        if significand == 0 {
            return (self.zero(negative), 0);
        }
        let top = exponent + significand.ilog2() as i32;
        let free_quantum = top - (self.precision() - 1);
        let quantum = free_quantum.max(self.smallest_quantum());
        let round_at = |quantum: i32| {
            let shift = quantum - exponent;
            if shift < 0 {
                (significand << -shift, sticky)
            } else {
                round_shift(significand, shift as u32, sticky, negative, rounding)
            }
        };
        let (mut kept, inexact) = round_at(quantum);
        let mut quantum = quantum;
        if kept >> self.precision() != 0 {
            kept >>= 1;
            quantum += 1;
        }
        if quantum + self.precision() - 1 > self.largest_exponent() {
            return (self.overflow(negative, rounding), OF | NX);
        }
        let is_normal = kept >> self.fraction != 0;
        let biased = if is_normal { quantum - self.smallest_quantum() + 1 } else { 0 };
        let fraction = kept as u64 & ((1 << self.fraction) - 1);
        let bits = self.zero(negative) | (biased as u64) << self.fraction | fraction;
        // Tiny after rounding: below the smallest normal number even if the exponent had no limit.
        let is_tiny = top < self.smallest_exponent() && {
            let (free, _) = round_at(free_quantum);
            top + 1 < self.smallest_exponent() || free >> self.precision() == 0
        };
        let flags = match (inexact, is_tiny) {
            (true, true) => UF | NX,
            (true, false) => NX,
            _ => 0,
        };
        (bits, flags)
    }

    /// What stands for a number that is too large.
    fn overflow(self, negative: bool, rounding: Rounding) -> u64 {
        let to_infinity = match rounding {
            Rounding::NearestEven | Rounding::NearestAway => true,
            Rounding::TowardZero => false,
            Rounding::Down => negative,
            Rounding::Up => !negative,
        };
        if to_infinity { self.infinity(negative) } else { self.largest(negative) }
    }
}
