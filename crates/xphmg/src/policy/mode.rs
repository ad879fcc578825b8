//! MODE, CSR 0x7D0 (specification, section 3.1).
//!
//! | bits | field | | bits | field |
//! |---|---|---|---|---|
//! | 63, 31 | APPLY0, reads 0 (X-6) | | 21:19 | PET |
//! | 30 | SAT | | 18:17 | EW |
//! | 29:27 | FP_RMODE | | 16:12 | PACK |
//! | 26 | DENORM_FTZ | | 11 | ZMODE |
//! | 25 | Q | | 10 | SAE_DEF |
//! | 24 | UNS | | 9:8 | NAN_POL |
//! | 23:22 | ACCW | | 7:0 | read zero |
//!
//! ```
//! use xphmg::numeric::ElementFormat;
//! use xphmg::policy::Mode;
//! let mode = Mode::RESET; // 0x009A0000
//! assert_eq!((mode.format(), mode.bits()), (ElementFormat::Fp16, 0x009A_0000));
//! ```

use super::{Accumulator, NanPolicy};
use crate::bits::{bit, field};
use crate::numeric::{ElementFormat, Rounding};

/// A legal value of MODE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    bits: u32,
    format: ElementFormat,
}

/// What became of an applying write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeWrite {
    /// The mode to store; `None` when the whole write is discarded.
    pub mode: Option<Mode>,
    /// Whether UNSUP_FMT is to be set.
    pub unsupported: bool,
}

impl Mode {
    /// FP16, EW 16, ACCW FP32.
    pub const RESET: Self = Self { bits: 0x009A_0000, format: ElementFormat::Fp16 };

    /// Makes an applying write legal (X-9).
    #[must_use]
    pub fn from_write(value: u64) -> ModeWrite {
        let Some(format) = ElementFormat::from_pet(field(value, 21, 19) as u32) else {
            return ModeWrite { mode: None, unsupported: true };
        };
        let width = format.bits().trailing_zeros() - 3;
        let wrong_width = field(value, 18, 17) as u32 != width;
        let packed = field(value, 16, 12) != 0;
        let mut bits = value as u32 & 0x7FFF_FF00;
        bits = bits & !(3 << 17) | width << 17;
        bits &= !(0x1F << 12); // RT loads whole elements only
        if Rounding::from_mode_code(field(value, 29, 27) as u32).is_none() {
            bits &= !(7 << 27);
        }
        if field(value, 9, 8) == 3 {
            bits &= !(3 << 8);
        }
        ModeWrite { mode: Some(Self { bits, format }), unsupported: wrong_width || packed }
    }

    /// The register as read.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.bits
    }

    /// PET.
    #[must_use]
    pub const fn format(self) -> ElementFormat {
        self.format
    }

    /// SAT.
    #[must_use]
    pub const fn saturate(self) -> bool {
        bit(self.bits as u64, 30)
    }

    /// FP_RMODE.
    #[must_use]
    pub fn rounding(self) -> Rounding {
        Rounding::from_mode_code(field(self.bits.into(), 29, 27) as u32).unwrap_or_default()
    }

    /// DENORM_FTZ.
    #[must_use]
    pub const fn flush(self) -> bool {
        bit(self.bits as u64, 26)
    }

    /// Q.
    #[must_use]
    pub const fn quantised(self) -> bool {
        bit(self.bits as u64, 25)
    }

    /// UNS.
    #[must_use]
    pub const fn unsigned(self) -> bool {
        bit(self.bits as u64, 24)
    }

    /// ACCW.
    #[must_use]
    pub const fn accumulator(self) -> Accumulator {
        Accumulator::from_code(field(self.bits as u64, 23, 22) as u32)
    }

    /// ZMODE.
    #[must_use]
    pub const fn zero_masked(self) -> bool {
        bit(self.bits as u64, 11)
    }

    /// SAE_DEF.
    #[must_use]
    pub const fn suppress(self) -> bool {
        bit(self.bits as u64, 10)
    }

    /// NAN_POL.
    #[must_use]
    pub const fn nan(self) -> NanPolicy {
        match field(self.bits as u64, 9, 8) {
            1 => NanPolicy::Zero,
            2 => NanPolicy::Infinity,
            _ => NanPolicy::Propagate,
        }
    }
}
