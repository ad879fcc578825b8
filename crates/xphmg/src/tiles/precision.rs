//! The four precisions.
//!
//! | name | elements | MODE | ALT |
//! |---|---|---|---|
//! | `xphmg-fp32` | FP32 | 0x00A40000 | 0 |
//! | `xphmg-fp16` | FP16 | 0x009A0000, the reset value | 0 |
//! | `xphmg-bf16` | BF16 | 0x00920000 | 0 |
//! | `xphmg-int16q` | INT16, quantised | 0x028A0000 | ALT_EN, format 0, SCALE_SH |
//!
//! The scale of `xphmg-int16q` is the smallest at which the scene fits: a coordinate is its code
//! times
//! `2^SCALE_SH`, from −8 to 7.

use crate::numeric::ElementFormat;
use crate::policy::{Policy, Prec};
use crate::readings::Readings;
use machine::fields::{Show, hex};

/// A precision of tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// FP32 elements.
    Fp32,
    /// FP16 elements.
    Fp16,
    /// BF16 elements.
    Bf16,
    /// Quantised INT16 elements.
    Int16q,
}

machine::fields! {
    /// The values of MODE and ALT, without APPLY, that a program sets before it reads an image.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Registers: 2 words {
        /// MODE.
        pub mode: u32 = 0..32, Show::Each(hex);
        /// ALT.
        pub alt: u32 = 32..64, Show::Each(hex);
    }
}

impl Precision {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Fp32, Self::Fp16, Self::Bf16, Self::Int16q];

    /// The name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "xphmg-fp32",
            Self::Fp16 => "xphmg-fp16",
            Self::Bf16 => "xphmg-bf16",
            Self::Int16q => "xphmg-int16q",
        }
    }

    /// The precision of an element format; `None` if no format has it.
    #[must_use]
    pub const fn of_elements(format: ElementFormat) -> Option<Self> {
        match format {
            ElementFormat::Fp32 => Some(Self::Fp32),
            ElementFormat::Fp16 => Some(Self::Fp16),
            ElementFormat::Bf16 => Some(Self::Bf16),
            ElementFormat::Int16 => Some(Self::Int16q),
            ElementFormat::Int8 | ElementFormat::E4M3 | ElementFormat::E5M2 => None,
        }
    }

    /// The registers for a scene whose coordinates do not exceed `largest`, box planes included;
    /// `None` if no scale is coarse enough.
    #[must_use]
    pub fn registers(self, largest: f64) -> Option<Registers> {
        let plain = |mode| Some(Registers { mode, alt: 0 });
        match self {
            Self::Fp32 => plain(0x00A4_0000),
            Self::Fp16 => plain(0x009A_0000),
            Self::Bf16 => plain(0x0092_0000),
            Self::Int16q => {
                // One code is left for rounding outward.
                let fits = |shift: &i32| largest <= 32766.0 * 2f64.powi(*shift);
                let shift = (-8..=7).find(fits)?;
                let alt = 1 << 30 | (shift as u32 & 0xF) << 9;
                Some(Registers { mode: 0x028A_0000, alt })
            }
        }
    }
}

impl Registers {
    /// The policy that these registers put in force; `None` if they are not stored as they are
    /// written.
    #[must_use]
    pub fn policy(self) -> Option<Policy> {
        let (mut prec, readings) = (Prec::default(), Readings::default());
        prec.write_mode(u64::from(self.mode) | 1 << 63, &readings);
        prec.write_alt(u64::from(self.alt) | 1 << 63, &readings);
        let kept = prec.mode() == u64::from(self.mode) && prec.alt() == u64::from(self.alt);
        (kept && prec.stickies().is_empty()).then(|| prec.policy(&readings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_put_their_format_in_force() {
        for precision in Precision::ALL {
            let policy = precision.registers(100.0).unwrap().policy().unwrap();
            assert_eq!(Precision::of_elements(policy.format), Some(precision));
        }
        let scale = |largest| Precision::Int16q.registers(largest)?.policy().map(|p| p.scale_log2);
        assert_eq!([scale(1.0), scale(127.9), scale(128.0)], [Some(-8), Some(-8), Some(-7)]);
        assert_eq!([scale(4.19e6), scale(4.2e6)], [Some(7), None]);
    }
}
