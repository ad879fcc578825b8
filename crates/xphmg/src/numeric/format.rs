//! The element formats that RT computes with (specification, sections 3.3 and 4).
//!
//! | format | bits | exponent/fraction | bias | largest finite | canonical NaN | +Inf |
//! |---|---|---|---|---|---|---|
//! | FP32 | 32 | 8/23 | 127 | 7F7FFFFF | 7FC00000 | 7F800000 |
//! | FP16 | 16 | 5/10 | 15 | 7BFF | 7E00 | 7C00 |
//! | BF16 | 16 | 8/7 | 127 | 7F7F | 7FC0 | 7F80 |
//! | E5M2 | 8 | 5/2 | 15 | 7B | 7E | 7C |
//! | E4M3 | 8 | 4/3 | 7 | 7E (448) | 7F | none |
//! | INT16, INT8 | 16, 8 | – | – | – | – | – |
//!
//! E4M3 is the variant without infinities: exponent 15 is an ordinary binade except for fraction 7,
//! which is NaN.
//!
//! ```
//! use xphmg::numeric::ElementFormat;
//! let layout = ElementFormat::E4M3.float_layout().unwrap();
//! assert_eq!((layout.largest_finite(), layout.canonical_nan()), (0x7E, 0x7F));
//! assert_eq!(layout.infinity(), None);
//! ```

use std::fmt;

/// A format in which elements are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementFormat {
    /// 8-bit integers.
    Int8,
    /// 16-bit integers.
    Int16,
    /// bfloat16.
    Bf16,
    /// IEEE binary16.
    Fp16,
    /// IEEE binary32.
    Fp32,
    /// FP8 with four exponent bits and no infinities.
    E4M3,
    /// FP8 with five exponent bits.
    E5M2,
}

impl ElementFormat {
    /// All seven.
    pub const ALL: [Self; 7] =
        [Self::Int8, Self::Int16, Self::Bf16, Self::Fp16, Self::Fp32, Self::E4M3, Self::E5M2];

    /// Bits of an element (EW).
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Int8 | Self::E4M3 | Self::E5M2 => 8,
            Self::Int16 | Self::Bf16 | Self::Fp16 => 16,
            Self::Fp32 => 32,
        }
    }

    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> usize {
        self.bits() as usize / 8
    }

    /// The code in `prec.stat` (X-11): the published codes of MODE.PET, and 8 plus the code of
    /// ALT_FMT for the two FP8 formats.
    #[must_use]
    pub const fn stat_code(self) -> u32 {
        match self {
            Self::Int8 => 0,
            Self::Int16 => 1,
            Self::Bf16 => 2,
            Self::Fp16 => 3,
            Self::Fp32 => 4,
            Self::E4M3 => 0xA,
            Self::E5M2 => 0xB,
        }
    }

    /// The format of a MODE.PET code; `None` for the reserved codes 5, 6 and 7.
    #[must_use]
    pub const fn from_pet(code: u32) -> Option<Self> {
        match code {
            0 => Some(Self::Int8),
            1 => Some(Self::Int16),
            2 => Some(Self::Bf16),
            3 => Some(Self::Fp16),
            4 => Some(Self::Fp32),
            _ => None,
        }
    }

    /// The layout of a floating format; `None` for integers.
    #[must_use]
    pub const fn float_layout(self) -> Option<FloatLayout> {
        match self {
            Self::Int8 | Self::Int16 => None,
            Self::Fp32 => Some(FloatLayout::FP32),
            Self::Fp16 => Some(FloatLayout::ieee(5, 10)),
            Self::Bf16 => Some(FloatLayout::ieee(8, 7)),
            Self::E5M2 => Some(FloatLayout::ieee(5, 2)),
            Self::E4M3 => {
                Some(FloatLayout { exponent_bits: 4, fraction_bits: 3, infinities: false })
            }
        }
    }

    /// The name in reports and vectors.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int8 => "INT8",
            Self::Int16 => "INT16",
            Self::Bf16 => "BF16",
            Self::Fp16 => "FP16",
            Self::Fp32 => "FP32",
            Self::E4M3 => "E4M3",
            Self::E5M2 => "E5M2",
        }
    }
}

impl fmt::Display for ElementFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Sign, exponent, fraction: how a floating format spends its bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FloatLayout {
    /// Width of the biased exponent.
    pub exponent_bits: u32,
    /// Width of the fraction.
    pub fraction_bits: u32,
    /// Whether the largest exponent means infinities and NaNs, as in IEEE 754.
    pub infinities: bool,
}

impl FloatLayout {
    /// IEEE binary32.
    pub const FP32: Self = Self::ieee(8, 23);
    /// IEEE binary64.
    pub const FP64: Self = Self::ieee(11, 52);

    const fn ieee(exponent_bits: u32, fraction_bits: u32) -> Self {
        Self { exponent_bits, fraction_bits, infinities: true }
    }

    /// Exponent bias.
    #[must_use]
    pub const fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Exponent of the smallest normal number.
    #[must_use]
    pub const fn min_exponent(self) -> i32 {
        1 - self.bias()
    }

    /// The sign bit.
    #[must_use]
    pub const fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.fraction_bits)
    }

    /// Pattern of +Inf, where the format has it.
    #[must_use]
    pub const fn infinity(self) -> Option<u64> {
        if self.infinities { Some(self.all_exponent()) } else { None }
    }

    /// Pattern of the largest finite number.
    #[must_use]
    pub const fn largest_finite(self) -> u64 {
        if self.infinities { self.all_exponent() - 1 } else { self.sign() - 2 }
    }

    /// Pattern of the quiet NaN that stands for all of them.
    #[must_use]
    pub const fn canonical_nan(self) -> u64 {
        if self.infinities {
            self.all_exponent() | 1 << (self.fraction_bits - 1)
        } else {
            self.sign() - 1
        }
    }

    const fn all_exponent(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.fraction_bits
    }
}
