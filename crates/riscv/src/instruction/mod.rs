//! One decoded instruction.
//!
//! Decoding happens once for each place in memory; executing, logging and disassembling read this form.
//! A compressed instruction is decoded into what it expands to and keeps its own 16 bits in `word`.

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
    /// The immediate, sign-extended. For a CSR instruction its number; for floating point the rounding
    /// mode in bits 2:0 and the third source in bits 7:3; for an extension's instruction its place in
    /// the table of registered instructions.
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
    pub const fn rounding(&self) -> u8 {
        (self.imm & 7) as u8
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

/// What an instruction does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DataAccess {
    /// Bytes.
    pub(crate) size: u64,
    pub(crate) loads: bool,
    pub(crate) stores: bool,
    /// Whether the immediate is added to `x[rs1]`.
    pub(crate) has_offset: bool,
}

/// What an instruction does. The order matters in three places: groups are contiguous, and everything
/// from `Csrrw` on concerns the hart as a whole rather than its registers and memory.
#[allow(missing_docs, reason = "the names are the mnemonics of the manual")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
#[rustfmt::skip]
pub enum Op {
    // Integer
    Lui, Auipc, Jal, Jalr, Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu, Sb, Sh, Sw, Sd,
    Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai,
    Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And,
    Addiw, Slliw, Srliw, Sraiw, Addw, Subw, Sllw, Srlw, Sraw, Fence,
    // Multiply and divide
    Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu, Mulw, Divw, Divuw, Remw, Remuw,
    // Atomic
    LrW, ScW, AmoswapW, AmoaddW, AmoxorW, AmoandW, AmoorW, AmominW, AmomaxW, AmominuW, AmomaxuW,
    LrD, ScD, AmoswapD, AmoaddD, AmoxorD, AmoandD, AmoorD, AmominD, AmomaxD, AmominuD, AmomaxuD,
    // Single precision
    Flw, Fsw, FmaddS, FmsubS, FnmsubS, FnmaddS, FaddS, FsubS, FmulS, FdivS, FsqrtS,
    FsgnjS, FsgnjnS, FsgnjxS, FminS, FmaxS, FcvtWS, FcvtWuS, FcvtLS, FcvtLuS, FmvXW,
    FeqS, FltS, FleS, FclassS, FcvtSW, FcvtSWu, FcvtSL, FcvtSLu, FmvWX,
    // Double precision
    Fld, Fsd, FmaddD, FmsubD, FnmsubD, FnmaddD, FaddD, FsubD, FmulD, FdivD, FsqrtD,
    FsgnjD, FsgnjnD, FsgnjxD, FminD, FmaxD, FcvtWD, FcvtWuD, FcvtLD, FcvtLuD, FmvXD,
    FeqD, FltD, FleD, FclassD, FcvtDW, FcvtDWu, FcvtDL, FcvtDLu, FmvDX, FcvtSD, FcvtDS,
    // The hart as a whole
    Csrrw, Csrrs, Csrrc, Csrrwi, Csrrsi, Csrrci,
    Ecall, Ebreak, Mret, Wfi, FenceI,
    // An instruction of an extension, one that does not exist, and a place not looked at yet
    Custom, Illegal, Undecoded,
}

impl Op {
    /// The kind of register that it writes, if the instruction has not left that to an extension.
    #[must_use]
    pub fn destination(self) -> Destination {
        use Op::{
            Auipc, Beq, Bgeu, Csrrci, Csrrw, FaddD, FaddS, FclassD, FclassS, FcvtDS, FcvtDW,
            FcvtLuD, FcvtLuS, FcvtSW, FcvtWD, FcvtWS, Fence, FeqD, FeqS, Fld, Flw, FmaddD, FmaddS,
            FmaxD, FmaxS, FmvWX, FmvXD, FmvXW, Fsd, Fsw, Lui, Sb, Sd,
        };
        match self {
            Fence | Fsw | Fsd => Destination::None,
            op if (Beq..=Bgeu).contains(&op) || (Sb..=Sd).contains(&op) => Destination::None,
            Lui | Auipc => Destination::Integer,
            op if op < Flw => Destination::Integer,
            Flw | Fld | FcvtDS => Destination::Float,
            op if (FmaddS..=FaddS).contains(&op) || (FmaddD..=FaddD).contains(&op) => {
                Destination::Float
            }
            op if (FaddS..=FmaxS).contains(&op) || (FaddD..=FmaxD).contains(&op) => {
                Destination::Float
            }
            op if (FcvtWS..=FcvtLuS).contains(&op) || (FcvtWD..=FcvtLuD).contains(&op) => {
                Destination::Integer
            }
            FmvXW | FmvXD => Destination::Integer,
            op if (FeqS..=FclassS).contains(&op) || (FeqD..=FclassD).contains(&op) => {
                Destination::Integer
            }
            op if (FcvtSW..=FmvWX).contains(&op) || (FcvtDW..=FcvtDS).contains(&op) => {
                Destination::Float
            }
            op if (Csrrw..=Csrrci).contains(&op) => Destination::Integer,
            _ => Destination::None,
        }
    }

    /// How it touches memory, if it is a base instruction that does.
    pub(crate) fn data_access(self) -> Option<DataAccess> {
        let (size, loads, stores) = match self {
            Self::Lb | Self::Lbu => (1, true, false),
            Self::Lh | Self::Lhu => (2, true, false),
            Self::Lw | Self::Lwu | Self::Flw | Self::LrW => (4, true, false),
            Self::Ld | Self::Fld | Self::LrD => (8, true, false),
            Self::Sb => (1, false, true),
            Self::Sh => (2, false, true),
            Self::Sw | Self::Fsw | Self::ScW => (4, false, true),
            Self::Sd | Self::Fsd | Self::ScD => (8, false, true),
            op if (Self::LrW..Self::LrD).contains(&op) => (4, true, true),
            op if (Self::LrD..=Self::AmomaxuD).contains(&op) => (8, true, true),
            _ => return None,
        };
        let has_offset = !(Self::LrW..=Self::AmomaxuD).contains(&self);
        Some(DataAccess { size, loads, stores, has_offset })
    }
}
