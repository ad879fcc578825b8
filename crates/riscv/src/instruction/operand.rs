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

/// Where the immediate of an instruction stands in its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Immediate {
    None,
    I,
    S,
    B,
    U,
    J,
    Shift,
    Csr,
    /// The rounding mode, and above it the third source.
    Float,
}

impl Immediate {
    /// That of an instruction with these operands.
    pub(super) const fn of(operands: &[Operand]) -> Self {
        match operands {
            [] => Self::None,
            [.., Operand::Immediate | Operand::OffsetI | Operand::FenceSets] => Self::I,
            [.., Operand::OffsetS] => Self::S,
            [.., Operand::BranchTarget] => Self::B,
            [.., Operand::Upper] => Self::U,
            [.., Operand::JumpTarget] => Self::J,
            [.., Operand::Shift] => Self::Shift,
            [_, Operand::Csr, _] => Self::Csr,
            [.., Operand::Rounding | Operand::ExactRounding] => Self::Float,
            _ => Self::None,
        }
    }

    /// Reads it, sign-extended where it has a sign.
    pub(crate) const fn read(self, word: u32) -> i32 {
        match self {
            Self::None => 0,
            Self::I => immediate_i(word),
            Self::S => immediate_s(word),
            Self::B => immediate_b(word),
            Self::U => immediate_u(word),
            Self::J => immediate_j(word),
            Self::Shift => (word >> 20 & 63) as i32,
            Self::Csr => (word >> 20) as i32,
            Self::Float => (funct3(word) | word >> 27 << 3) as i32,
        }
    }
}
