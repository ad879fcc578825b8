//! The instruction set, and one decoded instruction.
//!
//! | file | concept |
//! |---|---|
//! | `table` | one row an instruction: its bits, operands, text and use of memory |
//! | `operand` | the operands that rows are made of |
//!
//! Decoding happens once for each place in memory; executing, logging and disassembling read this
//! form. A compressed instruction is decoded into what it expands to and keeps its own 16 bits in
//! `word`.

mod operand;
mod table;

pub(crate) use operand::{Immediate, Operand};
pub use table::Op;
use table::UNITS;
pub(crate) use table::{MemoryUse, ROWS, Row, Unit};

/// A decoded instruction, 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// The destination register.
    pub rd: u8,
    /// The first source register, or the five-bit immediate of `csrr?i`.
    pub rs1: u8,
    /// The second source register.
    pub rs2: u8,
    /// The immediate, sign-extended. For a CSR instruction its number; for floating point the
    /// rounding mode in bits 2:0 and the third source in bits 7:3; for an extension's instruction
    /// its place in the table of registered instructions.
    pub imm: i32,
    /// The instruction as it stands in memory; a compressed one in the low 16 bits.
    pub word: u32,
}

impl Instruction {
    /// A place that has not been decoded yet.
    pub(crate) const UNDECODED: Self = Self::bare(Op::Undecoded, 0);

    /// An instruction without operands.
    pub(crate) const fn bare(op: Op, word: u32) -> Self {
        Self { op, rd: 0, rs1: 0, rs2: 0, imm: 0, word }
    }

    /// Its size in bytes: 2 or 4.
    #[must_use]
    #[inline]
    pub const fn length(&self) -> u64 {
        if self.word & 3 == 3 { 4 } else { 2 }
    }

    /// The rounding mode in the instruction, 0 to 7.
    #[must_use]
    pub const fn rounding(&self) -> u32 {
        self.imm as u32 & 7
    }

    /// The third source register.
    #[must_use]
    pub const fn rs3(&self) -> u8 {
        ((self.imm >> 3) & 31) as u8
    }
}

/// The register that an instruction writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// None, or one that only the instruction itself knows.
    None,
    /// `x[rd]`.
    Integer,
    /// `f[rd]`.
    Float,
}

/// Where and how an instruction touches memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DataAccess {
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) loads: bool,
    pub(crate) stores: bool,
    /// Whether the immediate is added to `x[rs1]`.
    pub(crate) has_offset: bool,
}

impl Op {
    /// Its row in the table of the instruction set.
    #[inline]
    pub(crate) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// What executes it.
    #[inline]
    pub(crate) fn unit(self) -> Unit {
        UNITS[self as usize]
    }

    /// The kind of register that it writes, if the instruction has not left that to an extension.
    #[must_use]
    pub fn destination(self) -> Destination {
        match self.row().operands.first() {
            Some(Operand::Rd) => Destination::Integer,
            Some(Operand::Fd) => Destination::Float,
            _ => Destination::None,
        }
    }

    /// How it touches memory, if it is a base instruction that does.
    pub(crate) fn data_access(self) -> Option<DataAccess> {
        let row = self.row();
        let (kind, size) = row.memory?;
        Some(DataAccess {
            size,
            loads: kind != MemoryUse::Stores,
            stores: kind != MemoryUse::Loads,
            has_offset: !row.operands.contains(&Operand::Address),
        })
    }
}
