//! ALT, CSR 0x7D1 (specification, section 3.2).
//!
//! | bits | field | | bits | field |
//! |---|---|---|---|---|
//! | 63, 31 | APPLY1, reads 0 (X-6) | | 21 | ZP_EN |
//! | 30 | ALT_EN | | 20:13 | ZP |
//! | 29:26 | ALT_FMT | | 12:9 | SCALE_SH, signed |
//! | 25:24 | ALT_ACCW | | 8 | ALT_SAT |
//! | 23 | DOWNCAST_OK, stored | | 7:3 | POLICY1, stored |
//! | 22 | MIXED, stored | | 2:0 | VER, stored |

use super::Accumulator;
use crate::bits::{bit, field};
use crate::numeric::ElementFormat;

/// ALT as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Alt {
    bits: u32,
}

/// What ALT_EN and ALT_FMT ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Alternate {
    /// MODE alone.
    Off,
    /// MODE's format with ALT's other fields: the only way to quantise integers.
    SameFormat,
    /// Another format.
    Format(ElementFormat),
    /// INT4, INT2 or a reserved code: MODE alone, and a report.
    Unsupported,
}

impl Alt {
    /// The register after an applying write.
    #[must_use]
    pub const fn from_write(value: u64) -> Self {
        Self { bits: value as u32 & 0x7FFF_FFFF }
    }

    /// The register as read.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// ALT_EN and ALT_FMT. BF16_LITE is plain BF16.
    #[must_use]
    pub const fn alternate(self) -> Alternate {
        if !bit(self.bits as u64, 30) {
            return Alternate::Off;
        }
        match field(self.bits as u64, 29, 26) {
            0 => Alternate::SameFormat,
            1 => Alternate::Format(ElementFormat::Bf16),
            2 => Alternate::Format(ElementFormat::E4M3),
            3 => Alternate::Format(ElementFormat::E5M2),
            _ => Alternate::Unsupported,
        }
    }

    /// ALT_ACCW; `None` inherits.
    #[must_use]
    pub const fn accumulator(self) -> Option<Accumulator> {
        match field(self.bits as u64, 25, 24) as u32 {
            0 => None,
            code => Some(Accumulator::from_code(code)),
        }
    }

    /// ALT_SAT.
    #[must_use]
    pub const fn saturate(self) -> bool {
        bit(self.bits as u64, 8)
    }

    /// ZP if ZP_EN, sign-extended, or zero-extended for unsigned integers; else 0.
    #[must_use]
    pub const fn zero_point(self, unsigned: bool) -> i32 {
        let code = field(self.bits as u64, 20, 13) as u8;
        match (bit(self.bits as u64, 21), unsigned) {
            (false, _) => 0,
            (true, true) => code as i32,
            (true, false) => code as i8 as i32,
        }
    }

    /// SCALE_SH, −8 to 7.
    #[must_use]
    pub const fn scale_shift(self) -> i32 {
        let code = field(self.bits as u64, 12, 9) as i32;
        if code >= 8 { code - 16 } else { code }
    }
}
