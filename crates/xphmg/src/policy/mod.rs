//! The numeric policy: CAP.PREC's registers and the state that they put in force (specification,
//! section 3).
//!
//! | file | concept |
//! |---|---|
//! | [`mode`] | MODE, CSR 0x7D0 |
//! | [`alt`] | ALT, CSR 0x7D1 |
//! | [`registers`] | the block with STAT and EXC, and APPLY |
//!
//! [`Policy`] is the snapshot that one instruction computes with.

pub mod alt;
pub mod mode;
pub mod registers;

pub use alt::Alt;
pub use mode::Mode;
pub use registers::Prec;

use crate::flags::Exceptions;
use crate::numeric::{ElementFormat, Rounding};

/// The effective policy of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Element format, which fixes EW.
    pub format: ElementFormat,
    /// Rounding of FP32 arithmetic and of narrowing.
    pub rounding: Rounding,
    /// Whether results saturate.
    pub saturate: bool,
    /// Whether subnormal elements are flushed, read or written.
    pub flush: bool,
    /// Whether integers are unsigned.
    pub unsigned: bool,
    /// Z: what is subtracted from a code; 0 unless quantised.
    pub zero_point: i32,
    /// log2 of one quantisation step; 0 unless quantised.
    pub scale_log2: i32,
    /// What a NaN result becomes.
    pub nan: NanPolicy,
    /// Width of the accumulator; RT ignores it, MTX does not.
    pub accumulator: Accumulator,
    /// Whether masked lanes write zero.
    pub zero_masked: bool,
    /// Whether FP traps are suppressed (SAE).
    pub suppress: bool,
    /// Exceptions that trap unless suppressed.
    pub enabled: Exceptions,
}

impl Default for Policy {
    /// The policy after reset: FP16, to nearest even.
    fn default() -> Self {
        Self {
            format: ElementFormat::Fp16,
            rounding: Rounding::Rne,
            saturate: false,
            flush: false,
            unsigned: false,
            zero_point: 0,
            scale_log2: 0,
            nan: NanPolicy::Propagate,
            accumulator: Accumulator::Fp32,
            zero_masked: false,
            suppress: false,
            enabled: Exceptions::empty(),
        }
    }
}

impl Policy {
    /// The default policy with another format.
    #[must_use]
    pub fn of_format(format: ElementFormat) -> Self {
        Self { format, ..Self::default() }
    }

    /// The exceptions among `raised` that trap.
    #[must_use]
    pub fn trapping(&self, raised: Exceptions) -> Exceptions {
        if self.suppress { Exceptions::empty() } else { raised & self.enabled }
    }

    /// The distance from 1 to the next larger number, or one quantisation step of an integer: the
    /// unit of epsilon.
    #[must_use]
    pub fn unit(&self) -> f32 {
        match self.format.float_layout() {
            Some(layout) => 2f32.powi(-(layout.fraction_bits as i32)),
            None => 2f32.powi(self.scale_log2),
        }
    }
}

/// MODE.NAN_POL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NanPolicy {
    /// The canonical quiet NaN.
    #[default]
    Propagate,
    /// +0.
    Zero,
    /// +Inf.
    Infinity,
}

/// ACCW.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Accumulator {
    /// The element format itself.
    Element,
    /// FP16.
    Fp16,
    /// FP32.
    #[default]
    Fp32,
    /// Implementation-defined: FP32 in siliray.
    Implementation,
}

impl Accumulator {
    /// The width of a code; two bits count.
    #[must_use]
    pub const fn from_code(code: u32) -> Self {
        match code & 3 {
            0 => Self::Element,
            1 => Self::Fp16,
            2 => Self::Fp32,
            _ => Self::Implementation,
        }
    }

    /// The code.
    #[must_use]
    pub const fn code(self) -> u32 {
        match self {
            Self::Element => 0,
            Self::Fp16 => 1,
            Self::Fp32 => 2,
            Self::Implementation => 3,
        }
    }
}
