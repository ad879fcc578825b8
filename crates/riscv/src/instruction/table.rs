//! The instruction set, one row an instruction (unprivileged manual, chapter "RV32/64G Instruction
//! Set Listings"; privileged manual for `mret` and `wfi`).
//!
//! | column | meaning |
//! |---|---|
//! | name | the variant of [`Op`] |
//! | mnemonic | as assembly has it, without ordering suffixes |
//! | match, mask | the word has these bits where the mask is set |
//! | operands | in the order of assembly; a register that is written comes first |
//! | memory | `loads`, `stores` or `updates` this many bytes |
//!
//! Rows stand in groups, by the [`Unit`] that executes them. Decoding, texts, operand classes and
//! predicates come from this table, whatever the order of its rows; what an instruction computes is
//! in [`crate::execute`]. Unused fields of fences are free, as the manual asks for the sake of
//! finer fences.

use super::operand::{Immediate, Operand};

/// What one instruction is.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) op: Op,
    pub(crate) mnemonic: &'static str,
    pub(crate) matches: u32,
    pub(crate) mask: u32,
    pub(crate) operands: &'static [Operand],
    pub(crate) immediate: Immediate,
    pub(crate) memory: Option<(MemoryUse, u64)>,
}

/// What an instruction does to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemoryUse {
    Loads,
    Stores,
    /// Both, in one.
    Updates,
}

/// What executes an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Integer,
    Multiply,
    Atomic,
    /// Floating point with 32 bits.
    Single,
    /// Floating point with 64 bits.
    Double,
    /// What concerns the hart as a whole rather than its registers and memory.
    Hart,
}

macro_rules! memory_use {
    () => {
        None
    };
    (loads $size:literal) => {
        Some((MemoryUse::Loads, $size))
    };
    (stores $size:literal) => {
        Some((MemoryUse::Stores, $size))
    };
    (updates $size:literal) => {
        Some((MemoryUse::Updates, $size))
    };
}

macro_rules! instructions {
    ($($unit:ident {
        $($op:ident $mnemonic:literal $matches:literal $mask:literal [$($operand:ident),*]
            $($memory:ident $size:literal)?;)*
    })*) => {
        /// What an instruction does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Op {
            $($(#[doc = concat!("`", $mnemonic, "`.")] $op,)*)*
            /// An instruction of an extension.
            Custom,
            /// A word that is no instruction.
            Illegal,
            /// A place that has not been decoded yet.
            Undecoded,
        }

        /// The rows, in the order of [`Op`].
        pub(crate) static ROWS: [Row; Op::Undecoded as usize + 1] = [
            $($(Row {
                op: Op::$op,
                mnemonic: $mnemonic,
                matches: $matches,
                mask: $mask,
                operands: &[$(Operand::$operand),*],
                immediate: Immediate::of(&[$(Operand::$operand),*]),
                memory: memory_use!($($memory $size)?),
            },)*)*
            Row::without_words(Op::Custom),
            Row::without_words(Op::Illegal),
            Row::without_words(Op::Undecoded),
        ];

        /// The units, in the order of [`Op`]; apart from the rows, as every instruction asks for
        /// its own.
        pub(super) static UNITS: [Unit; ROWS.len()] =
            [$($({ let _ = Op::$op; Unit::$unit },)*)* Unit::Hart, Unit::Hart, Unit::Hart];
    };
}

impl Row {
    /// The row of what no word of the base architecture is.
    const fn without_words(op: Op) -> Self {
        // Two set bits end every 32-bit instruction: nothing matches.
        Self {
            op,
            mnemonic: "unknown",
            matches: 0,
            mask: 3,
            operands: &[],
            immediate: Immediate::None,
            memory: None,
        }
    }

    /// Whether a word is this instruction.
    pub(crate) const fn is(&self, word: u32) -> bool {
        word & self.mask == self.matches
    }
}

#[rustfmt::skip]
instructions! {
    Integer {
        Lui      "lui"        0x0000_0037 0x0000_007F [Rd, Upper];
        Auipc    "auipc"      0x0000_0017 0x0000_007F [Rd, Upper];
        Jal      "jal"        0x0000_006F 0x0000_007F [Rd, JumpTarget];
        Jalr     "jalr"       0x0000_0067 0x0000_707F [Rd, OffsetI];
        Beq      "beq"        0x0000_0063 0x0000_707F [Rs1, Rs2, BranchTarget];
        Bne      "bne"        0x0000_1063 0x0000_707F [Rs1, Rs2, BranchTarget];
        Blt      "blt"        0x0000_4063 0x0000_707F [Rs1, Rs2, BranchTarget];
        Bge      "bge"        0x0000_5063 0x0000_707F [Rs1, Rs2, BranchTarget];
        Bltu     "bltu"       0x0000_6063 0x0000_707F [Rs1, Rs2, BranchTarget];
        Bgeu     "bgeu"       0x0000_7063 0x0000_707F [Rs1, Rs2, BranchTarget];
        Lb       "lb"         0x0000_0003 0x0000_707F [Rd, OffsetI] loads 1;
        Lh       "lh"         0x0000_1003 0x0000_707F [Rd, OffsetI] loads 2;
        Lw       "lw"         0x0000_2003 0x0000_707F [Rd, OffsetI] loads 4;
        Ld       "ld"         0x0000_3003 0x0000_707F [Rd, OffsetI] loads 8;
        Lbu      "lbu"        0x0000_4003 0x0000_707F [Rd, OffsetI] loads 1;
        Lhu      "lhu"        0x0000_5003 0x0000_707F [Rd, OffsetI] loads 2;
        Lwu      "lwu"        0x0000_6003 0x0000_707F [Rd, OffsetI] loads 4;
        Sb       "sb"         0x0000_0023 0x0000_707F [Rs2, OffsetS] stores 1;
        Sh       "sh"         0x0000_1023 0x0000_707F [Rs2, OffsetS] stores 2;
        Sw       "sw"         0x0000_2023 0x0000_707F [Rs2, OffsetS] stores 4;
        Sd       "sd"         0x0000_3023 0x0000_707F [Rs2, OffsetS] stores 8;
        Addi     "addi"       0x0000_0013 0x0000_707F [Rd, Rs1, Immediate];
        Slti     "slti"       0x0000_2013 0x0000_707F [Rd, Rs1, Immediate];
        Sltiu    "sltiu"      0x0000_3013 0x0000_707F [Rd, Rs1, Immediate];
        Xori     "xori"       0x0000_4013 0x0000_707F [Rd, Rs1, Immediate];
        Ori      "ori"        0x0000_6013 0x0000_707F [Rd, Rs1, Immediate];
        Andi     "andi"       0x0000_7013 0x0000_707F [Rd, Rs1, Immediate];
        Slli     "slli"       0x0000_1013 0xFC00_707F [Rd, Rs1, Shift];
        Srli     "srli"       0x0000_5013 0xFC00_707F [Rd, Rs1, Shift];
        Srai     "srai"       0x4000_5013 0xFC00_707F [Rd, Rs1, Shift];
        Add      "add"        0x0000_0033 0xFE00_707F [Rd, Rs1, Rs2];
        Sub      "sub"        0x4000_0033 0xFE00_707F [Rd, Rs1, Rs2];
        Sll      "sll"        0x0000_1033 0xFE00_707F [Rd, Rs1, Rs2];
        Slt      "slt"        0x0000_2033 0xFE00_707F [Rd, Rs1, Rs2];
        Sltu     "sltu"       0x0000_3033 0xFE00_707F [Rd, Rs1, Rs2];
        Xor      "xor"        0x0000_4033 0xFE00_707F [Rd, Rs1, Rs2];
        Srl      "srl"        0x0000_5033 0xFE00_707F [Rd, Rs1, Rs2];
        Sra      "sra"        0x4000_5033 0xFE00_707F [Rd, Rs1, Rs2];
        Or       "or"         0x0000_6033 0xFE00_707F [Rd, Rs1, Rs2];
        And      "and"        0x0000_7033 0xFE00_707F [Rd, Rs1, Rs2];
        Addiw    "addiw"      0x0000_001B 0x0000_707F [Rd, Rs1, Immediate];
        Slliw    "slliw"      0x0000_101B 0xFE00_707F [Rd, Rs1, Shift];
        Srliw    "srliw"      0x0000_501B 0xFE00_707F [Rd, Rs1, Shift];
        Sraiw    "sraiw"      0x4000_501B 0xFE00_707F [Rd, Rs1, Shift];
        Addw     "addw"       0x0000_003B 0xFE00_707F [Rd, Rs1, Rs2];
        Subw     "subw"       0x4000_003B 0xFE00_707F [Rd, Rs1, Rs2];
        Sllw     "sllw"       0x0000_103B 0xFE00_707F [Rd, Rs1, Rs2];
        Srlw     "srlw"       0x0000_503B 0xFE00_707F [Rd, Rs1, Rs2];
        Sraw     "sraw"       0x4000_503B 0xFE00_707F [Rd, Rs1, Rs2];
        Fence    "fence"      0x0000_000F 0x0000_707F [FenceSets];
    }
    Multiply {
        Mul      "mul"        0x0200_0033 0xFE00_707F [Rd, Rs1, Rs2];
        Mulh     "mulh"       0x0200_1033 0xFE00_707F [Rd, Rs1, Rs2];
        Mulhsu   "mulhsu"     0x0200_2033 0xFE00_707F [Rd, Rs1, Rs2];
        Mulhu    "mulhu"      0x0200_3033 0xFE00_707F [Rd, Rs1, Rs2];
        Div      "div"        0x0200_4033 0xFE00_707F [Rd, Rs1, Rs2];
        Divu     "divu"       0x0200_5033 0xFE00_707F [Rd, Rs1, Rs2];
        Rem      "rem"        0x0200_6033 0xFE00_707F [Rd, Rs1, Rs2];
        Remu     "remu"       0x0200_7033 0xFE00_707F [Rd, Rs1, Rs2];
        Mulw     "mulw"       0x0200_003B 0xFE00_707F [Rd, Rs1, Rs2];
        Divw     "divw"       0x0200_403B 0xFE00_707F [Rd, Rs1, Rs2];
        Divuw    "divuw"      0x0200_503B 0xFE00_707F [Rd, Rs1, Rs2];
        Remw     "remw"       0x0200_603B 0xFE00_707F [Rd, Rs1, Rs2];
        Remuw    "remuw"      0x0200_703B 0xFE00_707F [Rd, Rs1, Rs2];
    }
    Atomic {
        LrW      "lr.w"       0x1000_202F 0xF9F0_707F [Rd, Address] loads 4;
        ScW      "sc.w"       0x1800_202F 0xF800_707F [Rd, Rs2, Address] stores 4;
        AmoswapW "amoswap.w"  0x0800_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmoaddW  "amoadd.w"   0x0000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmoxorW  "amoxor.w"   0x2000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmoandW  "amoand.w"   0x6000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmoorW   "amoor.w"    0x4000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmominW  "amomin.w"   0x8000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmomaxW  "amomax.w"   0xA000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmominuW "amominu.w"  0xC000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        AmomaxuW "amomaxu.w"  0xE000_202F 0xF800_707F [Rd, Rs2, Address] updates 4;
        LrD      "lr.d"       0x1000_302F 0xF9F0_707F [Rd, Address] loads 8;
        ScD      "sc.d"       0x1800_302F 0xF800_707F [Rd, Rs2, Address] stores 8;
        AmoswapD "amoswap.d"  0x0800_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmoaddD  "amoadd.d"   0x0000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmoxorD  "amoxor.d"   0x2000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmoandD  "amoand.d"   0x6000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmoorD   "amoor.d"    0x4000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmominD  "amomin.d"   0x8000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmomaxD  "amomax.d"   0xA000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmominuD "amominu.d"  0xC000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
        AmomaxuD "amomaxu.d"  0xE000_302F 0xF800_707F [Rd, Rs2, Address] updates 8;
    }
    Single {
        Flw      "flw"        0x0000_2007 0x0000_707F [Fd, OffsetI] loads 4;
        Fsw      "fsw"        0x0000_2027 0x0000_707F [Fs2, OffsetS] stores 4;
        FmaddS   "fmadd.s"    0x0000_0043 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FmsubS   "fmsub.s"    0x0000_0047 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FnmsubS  "fnmsub.s"   0x0000_004B 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FnmaddS  "fnmadd.s"   0x0000_004F 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FaddS    "fadd.s"     0x0000_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FsubS    "fsub.s"     0x0800_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FmulS    "fmul.s"     0x1000_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FdivS    "fdiv.s"     0x1800_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FsqrtS   "fsqrt.s"    0x5800_0053 0xFFF0_007F [Fd, Fs1, Rounding];
        FsgnjS   "fsgnj.s"    0x2000_0053 0xFE00_707F [Fd, Fs1, Fs2];
        FsgnjnS  "fsgnjn.s"   0x2000_1053 0xFE00_707F [Fd, Fs1, Fs2];
        FsgnjxS  "fsgnjx.s"   0x2000_2053 0xFE00_707F [Fd, Fs1, Fs2];
        FminS    "fmin.s"     0x2800_0053 0xFE00_707F [Fd, Fs1, Fs2];
        FmaxS    "fmax.s"     0x2800_1053 0xFE00_707F [Fd, Fs1, Fs2];
        FcvtWS   "fcvt.w.s"   0xC000_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FcvtWuS  "fcvt.wu.s"  0xC010_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FcvtLS   "fcvt.l.s"   0xC020_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FcvtLuS  "fcvt.lu.s"  0xC030_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FmvXW    "fmv.x.w"    0xE000_0053 0xFFF0_707F [Rd, Fs1];
        FeqS     "feq.s"      0xA000_2053 0xFE00_707F [Rd, Fs1, Fs2];
        FltS     "flt.s"      0xA000_1053 0xFE00_707F [Rd, Fs1, Fs2];
        FleS     "fle.s"      0xA000_0053 0xFE00_707F [Rd, Fs1, Fs2];
        FclassS  "fclass.s"   0xE000_1053 0xFFF0_707F [Rd, Fs1];
        FcvtSW   "fcvt.s.w"   0xD000_0053 0xFFF0_007F [Fd, Rs1, Rounding];
        FcvtSWu  "fcvt.s.wu"  0xD010_0053 0xFFF0_007F [Fd, Rs1, Rounding];
        FcvtSL   "fcvt.s.l"   0xD020_0053 0xFFF0_007F [Fd, Rs1, Rounding];
        FcvtSLu  "fcvt.s.lu"  0xD030_0053 0xFFF0_007F [Fd, Rs1, Rounding];
        FmvWX    "fmv.w.x"    0xF000_0053 0xFFF0_707F [Fd, Rs1];
        FcvtSD   "fcvt.s.d"   0x4010_0053 0xFFF0_007F [Fd, Fs1, Rounding];
    }
    Double {
        Fld      "fld"        0x0000_3007 0x0000_707F [Fd, OffsetI] loads 8;
        Fsd      "fsd"        0x0000_3027 0x0000_707F [Fs2, OffsetS] stores 8;
        FmaddD   "fmadd.d"    0x0200_0043 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FmsubD   "fmsub.d"    0x0200_0047 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FnmsubD  "fnmsub.d"   0x0200_004B 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FnmaddD  "fnmadd.d"   0x0200_004F 0x0600_007F [Fd, Fs1, Fs2, Fs3, Rounding];
        FaddD    "fadd.d"     0x0200_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FsubD    "fsub.d"     0x0A00_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FmulD    "fmul.d"     0x1200_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FdivD    "fdiv.d"     0x1A00_0053 0xFE00_007F [Fd, Fs1, Fs2, Rounding];
        FsqrtD   "fsqrt.d"    0x5A00_0053 0xFFF0_007F [Fd, Fs1, Rounding];
        FsgnjD   "fsgnj.d"    0x2200_0053 0xFE00_707F [Fd, Fs1, Fs2];
        FsgnjnD  "fsgnjn.d"   0x2200_1053 0xFE00_707F [Fd, Fs1, Fs2];
        FsgnjxD  "fsgnjx.d"   0x2200_2053 0xFE00_707F [Fd, Fs1, Fs2];
        FminD    "fmin.d"     0x2A00_0053 0xFE00_707F [Fd, Fs1, Fs2];
        FmaxD    "fmax.d"     0x2A00_1053 0xFE00_707F [Fd, Fs1, Fs2];
        FcvtWD   "fcvt.w.d"   0xC200_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FcvtWuD  "fcvt.wu.d"  0xC210_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FcvtLD   "fcvt.l.d"   0xC220_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FcvtLuD  "fcvt.lu.d"  0xC230_0053 0xFFF0_007F [Rd, Fs1, Rounding];
        FmvXD    "fmv.x.d"    0xE200_0053 0xFFF0_707F [Rd, Fs1];
        FeqD     "feq.d"      0xA200_2053 0xFE00_707F [Rd, Fs1, Fs2];
        FltD     "flt.d"      0xA200_1053 0xFE00_707F [Rd, Fs1, Fs2];
        FleD     "fle.d"      0xA200_0053 0xFE00_707F [Rd, Fs1, Fs2];
        FclassD  "fclass.d"   0xE200_1053 0xFFF0_707F [Rd, Fs1];
        FcvtDW   "fcvt.d.w"   0xD200_0053 0xFFF0_007F [Fd, Rs1, ExactRounding];
        FcvtDWu  "fcvt.d.wu"  0xD210_0053 0xFFF0_007F [Fd, Rs1, ExactRounding];
        FcvtDL   "fcvt.d.l"   0xD220_0053 0xFFF0_007F [Fd, Rs1, Rounding];
        FcvtDLu  "fcvt.d.lu"  0xD230_0053 0xFFF0_007F [Fd, Rs1, Rounding];
        FmvDX    "fmv.d.x"    0xF200_0053 0xFFF0_707F [Fd, Rs1];
        FcvtDS   "fcvt.d.s"   0x4200_0053 0xFFF0_007F [Fd, Fs1, ExactRounding];
    }
    Hart {
        Csrrw    "csrrw"      0x0000_1073 0x0000_707F [Rd, Csr, Rs1];
        Csrrs    "csrrs"      0x0000_2073 0x0000_707F [Rd, Csr, Rs1];
        Csrrc    "csrrc"      0x0000_3073 0x0000_707F [Rd, Csr, Rs1];
        Csrrwi   "csrrwi"     0x0000_5073 0x0000_707F [Rd, Csr, CsrImmediate];
        Csrrsi   "csrrsi"     0x0000_6073 0x0000_707F [Rd, Csr, CsrImmediate];
        Csrrci   "csrrci"     0x0000_7073 0x0000_707F [Rd, Csr, CsrImmediate];
        Ecall    "ecall"      0x0000_0073 0xFFFF_FFFF [];
        Ebreak   "ebreak"     0x0010_0073 0xFFFF_FFFF [];
        Mret     "mret"       0x3020_0073 0xFFFF_FFFF [];
        Wfi      "wfi"        0x1050_0073 0xFFFF_FFFF [];
        FenceI   "fence.i"    0x0000_100F 0x0000_707F [];
    }
}
