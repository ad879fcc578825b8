//! What a rounded result becomes. Rounding itself is [`xphmg::numeric::round`]'s.

use super::format::Format;
use super::{NX, OF, UF};
use xphmg::numeric::Rounding;
use xphmg::numeric::round::{Finite, Rounded, round_finite};

impl Format {
    /// The number in this format. With `sticky` it is a little larger in magnitude than it says,
    /// and must have at least two bits more than the format.
    pub(super) fn round(self, number: Finite, sticky: bool, rounding: Rounding) -> (u64, u8) {
        let negative = number.negative;
        let Rounded { magnitude, inexact, tiny, overflow } =
            round_finite(number, sticky, self.layout(), rounding);
        match (overflow, inexact, tiny) {
            (true, ..) if rounding.overflows_to_infinity(negative) => {
                (self.infinity(negative), OF | NX)
            }
            (true, ..) => (self.largest(negative), OF | NX),
            (_, true, true) => (magnitude | self.zero(negative), UF | NX),
            (_, inexact, _) => (magnitude | self.zero(negative), if inexact { NX } else { 0 }),
        }
    }
}
