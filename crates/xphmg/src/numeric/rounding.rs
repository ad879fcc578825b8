//! Rounding modes. MODE.FP_RMODE and RISC-V exchange the codes 2 and 3: modes are translated by
//! name, never by number (specification, sections 3.1 and 5).

use std::fmt;

/// How an inexact result is rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Rne,
    /// Toward zero.
    Rtz,
    /// Toward −Inf.
    Rdn,
    /// Toward +Inf.
    Rup,
    /// To nearest, ties away from zero.
    Rmm,
}

impl Rounding {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Rne, Self::Rtz, Self::Rdn, Self::Rup, Self::Rmm];

    /// The mode of a code in MODE.FP_RMODE: 2 is up and 3 is down. `None` for reserved codes.
    #[must_use]
    pub const fn from_mode_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Rne),
            1 => Some(Self::Rtz),
            2 => Some(Self::Rup),
            3 => Some(Self::Rdn),
            4 => Some(Self::Rmm),
            _ => None,
        }
    }

    /// The code in MODE.FP_RMODE and STAT.EFF_FP_RMODE.
    #[must_use]
    pub const fn mode_code(self) -> u32 {
        match self {
            Self::Rne => 0,
            Self::Rtz => 1,
            Self::Rup => 2,
            Self::Rdn => 3,
            Self::Rmm => 4,
        }
    }

    /// The mode of a RISC-V code, as `frm` and `svon.fpctl` have it: 2 is down and 3 is up. `None`
    /// for the codes 5 to 7, which `svon.fpctl` reads as "use MODE's".
    #[must_use]
    pub const fn from_riscv_code(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Rne),
            1 => Some(Self::Rtz),
            2 => Some(Self::Rdn),
            3 => Some(Self::Rup),
            4 => Some(Self::Rmm),
            _ => None,
        }
    }

    /// The RISC-V code.
    #[must_use]
    pub const fn riscv_code(self) -> u32 {
        match self {
            Self::Rne => 0,
            Self::Rtz => 1,
            Self::Rdn => 2,
            Self::Rup => 3,
            Self::Rmm => 4,
        }
    }

    /// The name in lower case, as in assembly.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rne => "rne",
            Self::Rtz => "rtz",
            Self::Rdn => "rdn",
            Self::Rup => "rup",
            Self::Rmm => "rmm",
        }
    }

    /// The mode of a name, in either case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name().eq_ignore_ascii_case(name))
    }

    /// Whether a magnitude that was cut is to be raised by one unit: `odd` is the last bit that was
    /// kept,
    /// `rest` what was cut compared with half a unit (`None`: nothing was cut).
    #[must_use]
    pub(crate) fn raises(
        self,
        negative: bool,
        odd: bool,
        rest: Option<std::cmp::Ordering>,
    ) -> bool {
        use std::cmp::Ordering::{Equal, Greater};
        match (rest, self) {
            (None, _) | (Some(_), Self::Rtz) => false,
            (Some(rest), Self::Rne) => rest == Greater || (rest == Equal && odd),
            (Some(rest), Self::Rmm) => rest == Greater || rest == Equal,
            (Some(_), Self::Rup) => !negative,
            (Some(_), Self::Rdn) => negative,
        }
    }

    /// Whether an overflow of this sign becomes an infinity, by IEEE 754.
    #[must_use]
    pub const fn overflows_to_infinity(self, negative: bool) -> bool {
        match self {
            Self::Rne | Self::Rmm => true,
            Self::Rtz => false,
            Self::Rup => !negative,
            Self::Rdn => negative,
        }
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_two_and_three_are_exchanged() {
        assert_eq!(Rounding::from_mode_code(2), Some(Rounding::Rup));
        assert_eq!(Rounding::from_riscv_code(2), Some(Rounding::Rdn));
        for mode in Rounding::ALL {
            assert_eq!(Rounding::from_mode_code(mode.mode_code()), Some(mode));
            assert_eq!(Rounding::from_riscv_code(mode.riscv_code()), Some(mode));
            assert_eq!(Rounding::from_name(&mode.name().to_uppercase()), Some(mode));
        }
        assert_eq!((Rounding::from_mode_code(5), Rounding::from_riscv_code(7)), (None, None));
    }
}
