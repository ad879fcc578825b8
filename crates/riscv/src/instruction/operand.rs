//! The operands of instructions, and the immediates that they stand for.

use crate::decode::fields::{
    funct3, immediate_b, immediate_i, immediate_j, immediate_s, immediate_u,
};

/// An operand, named after the field that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operand {
    /// The integer register that is written.
    Rd,
    Rs1,
    Rs2,
    /// The floating-point register that is written.
    Fd,
    Fs1,
    Fs2,
    Fs3,
    /// The rounding mode.
    Rounding,
    /// A rounding mode that changes nothing, as the result is exact; assembly leaves it out.
    ExactRounding,
    /// Twelve bits, signed.
    Immediate,
    /// How far to shift.
    Shift,
    /// Twenty bits for bits 31:12.
    Upper,
    BranchTarget,
    JumpTarget,
    /// `x[rs1]` and an I-type offset.
    OffsetI,
    /// `x[rs1]` and an S-type offset.
    OffsetS,
    /// `x[rs1]` alone.
    Address,
    /// The number of a CSR.
    Csr,
    /// Five bits in the place of `rs1`.
    CsrImmediate,
    /// What a fence orders.
    FenceSets,
}

impl Operand {
    /// What it contributes to [`super::Instruction::imm`].
    pub(crate) const fn immediate(self, word: u32) -> i32 {
        match self {
            Self::Immediate | Self::OffsetI | Self::FenceSets => immediate_i(word),
            Self::OffsetS => immediate_s(word),
            Self::BranchTarget => immediate_b(word),
            Self::JumpTarget => immediate_j(word),
            Self::Upper => immediate_u(word),
            Self::Shift => (word >> 20 & 63) as i32,
            Self::Csr => (word >> 20) as i32,
            Self::Rounding | Self::ExactRounding => funct3(word) as i32,
            Self::Fs3 => (word >> 27 << 3) as i32,
            Self::Rd | Self::Rs1 | Self::Rs2 | Self::Fd | Self::Fs1 | Self::Fs2 => 0,
            Self::Address | Self::CsrImmediate => 0,
        }
    }
}
