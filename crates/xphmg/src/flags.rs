//! Sticky flags: `prec.exc.st` and the sticky part of `prec.stat` (specification, sections 3.4 and
//! 3.5).

bitflags::bitflags! {
    /// `prec.exc.st`. Bits 4:0 can be enabled to trap; the places of bits 5 and 6 are siliray's
    ///
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Exceptions: u8 {
        /// Inexact.
        const NX = 1 << 0;
        /// Underflow.
        const UF = 1 << 1;
        /// Overflow.
        const OF = 1 << 2;
        /// Division by zero; never raised by RT.
        const DZ = 1 << 3;
        /// Invalid.
        const NV = 1 << 4;
        /// A quiet NaN was read.
        const QNAN_SEEN = 1 << 5;
        /// A signalling NaN was read.
        const SNAN_SEEN = 1 << 6;
    }
}

bitflags::bitflags! {
    /// The sticky bits of `prec.stat`, at their places.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub struct Stickies: u16 {
        /// A subnormal was flushed.
        const FTZ_HIT = 1 << 12;
        /// A result was saturated.
        const SAT_HIT = 1 << 13;
        /// A result was narrowed to a format other than FP32.
        const DOWNCAST_TAKEN = 1 << 14;
        /// An APPLY met something that is not supported.
        const UNSUP_FMT = 1 << 15;
    }
}

impl Exceptions {
    /// The bits that `prec.exc.en` has.
    pub const TRAPPING: Self =
        Self::NV.union(Self::DZ).union(Self::OF).union(Self::UF).union(Self::NX);
}

/// What an operation raised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Raised {
    /// For `prec.exc.st`.
    pub exceptions: Exceptions,
    /// For `prec.stat`.
    pub stickies: Stickies,
}

impl Raised {
    /// Nothing but these exceptions.
    #[must_use]
    pub const fn exceptions(exceptions: Exceptions) -> Self {
        Self { exceptions, stickies: Stickies::empty() }
    }
}

impl std::ops::BitOrAssign for Raised {
    fn bitor_assign(&mut self, other: Self) {
        self.exceptions |= other.exceptions;
        self.stickies |= other.stickies;
    }
}
