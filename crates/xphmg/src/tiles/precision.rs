//! The precisions.
//!
//! | name | elements | MODE | ALT |
//! |---|---|---|---|
//! | `xphmg-fp32` | FP32 | 0x00A40000 | 0 |
//! | `xphmg-fp16` | FP16 | 0x009A0000, the reset value | 0 |
//! | `xphmg-bf16` | BF16 | 0x00920000 | 0 |
//! | `xphmg-int16q` | INT16, quantised | 0x028A0000 | ALT_EN, format 0, SCALE_SH |
//! | `xphmg-int8q` | INT8, quantised | 0x02800000 | ALT_EN, format 0, SCALE_SH |
//! | `xphmg-e4m3` | FP8 E4M3 | 0x409A0000, SAT | ALT_EN, format 2 |
//! | `xphmg-e5m2` | FP8 E5M2 | 0x009A0000 | ALT_EN, format 3 |
//!
//! The scale of the quantised ones is the smallest at which the scene fits: a coordinate is its
//! code times `2^SCALE_SH`, from −8 to 7. E4M3 has no infinity: it saturates, so that a ray without
//! an end ends at 448.

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
    /// Quantised INT8 elements.
    Int8q,
    /// FP8 elements with four bits of exponent.
    E4m3,
    /// FP8 elements with five bits of exponent.
    E5m2,
}

machine::fields! {
    /// The values of MODE and ALT, without APPLY, that a program sets before it reads an image.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "XPHMG_RT 0.1.1"]
    pub struct Registers: 2 words {
        /// MODE.
        pub mode: u32 = 0..32, Show::Each(hex);
        /// ALT.
        pub alt: u32 = 32..64, Show::Each(hex);
    }
}

impl Precision {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Fp32, Self::Fp16, Self::Bf16, Self::Int16q, Self::Int8q, Self::E4m3, Self::E5m2];

    /// The name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "xphmg-fp32",
            Self::Fp16 => "xphmg-fp16",
            Self::Bf16 => "xphmg-bf16",
            Self::Int16q => "xphmg-int16q",
            Self::Int8q => "xphmg-int8q",
            Self::E4m3 => "xphmg-e4m3",
            Self::E5m2 => "xphmg-e5m2",
        }
    }

    /// The precision of an element format.
    #[must_use]
    pub const fn of_elements(format: ElementFormat) -> Self {
        match format {
            ElementFormat::Fp32 => Self::Fp32,
            ElementFormat::Fp16 => Self::Fp16,
            ElementFormat::Bf16 => Self::Bf16,
            ElementFormat::Int16 => Self::Int16q,
            ElementFormat::Int8 => Self::Int8q,
            ElementFormat::E4M3 => Self::E4m3,
            ElementFormat::E5M2 => Self::E5m2,
        }
    }

    /// The largest coordinate that there are registers for. In floating elements other than E4M3
    /// boxes may reach to infinity, so that only corners have a limit.
    #[must_use]
    pub const fn largest(self) -> f64 {
        // One code is left for rounding outward.
        match self {
            Self::Fp32 | Self::Fp16 | Self::Bf16 | Self::E5m2 => f64::INFINITY,
            Self::Int16q => 32766.0 * 128.0,
            Self::Int8q => 126.0 * 128.0,
            Self::E4m3 => 448.0,
        }
    }

    /// The registers for a scene whose coordinates do not exceed `largest`, box planes included;
    /// `None` if no scale is coarse enough.
    #[must_use]
    pub fn registers(self, largest: f64) -> Option<Registers> {
        if largest > self.largest() {
            return None;
        }
        let registers = |mode, alt| Some(Registers { mode, alt });
        let quantised = |mode| {
            let fits = |shift: &i32| largest <= self.largest() * 2f64.powi(*shift - 7);
            let shift = (-8..=7).find(fits)?;
            registers(mode, 1 << 30 | (shift as u32 & 0xF) << 9)
        };
        match self {
            Self::Fp32 => registers(0x00A4_0000, 0),
            Self::Fp16 => registers(0x009A_0000, 0),
            Self::Bf16 => registers(0x0092_0000, 0),
            Self::Int16q => quantised(0x028A_0000),
            Self::Int8q => quantised(0x0280_0000),
            Self::E4m3 => registers(0x409A_0000, 1 << 30 | 2 << 26),
            Self::E5m2 => registers(0x009A_0000, 1 << 30 | 3 << 26),
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
            assert_eq!(Precision::of_elements(policy.format), precision);
        }
        let scale = |largest| Precision::Int16q.registers(largest)?.policy().map(|p| p.scale_log2);
        assert_eq!([scale(1.0), scale(127.9), scale(128.0)], [Some(-8), Some(-8), Some(-7)]);
        assert_eq!([scale(4.19e6), scale(4.2e6)], [Some(7), None]);
        let scale = |largest| Precision::Int8q.registers(largest)?.policy().map(|p| p.scale_log2);
        assert_eq!([scale(0.4), scale(126.0), scale(127.0)], [Some(-8), Some(0), Some(1)]);
        assert_eq!([scale(16128.0), scale(16129.0)], [Some(7), None]);
        assert!(Precision::E4m3.registers(448.0).is_some_and(|it| it.policy().is_some()));
        assert_eq!(Precision::E4m3.registers(449.0), None);
    }
}
