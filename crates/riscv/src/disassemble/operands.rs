//! The operands of 32-bit instructions.

use crate::instruction::{Instruction, Operand};
use xphmg::numeric::Rounding;

/// The ABI names of x0 to x31.
#[rustfmt::skip]
pub(crate) const INTEGER_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2",
    "s0", "s1", "a0", "a1", "a2", "a3", "a4", "a5",
    "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7",
    "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
];

/// The ABI names of f0 to f31.
#[rustfmt::skip]
pub(crate) const FLOAT_NAMES: [&str; 32] = [
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7",
    "fs0", "fs1", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7",
    "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11",
];

/// An integer register.
pub(crate) fn x(number: u8) -> &'static str {
    INTEGER_NAMES[usize::from(number & 31)]
}

/// A floating-point register.
pub(crate) fn f(number: u8) -> &'static str {
    FLOAT_NAMES[usize::from(number & 31)]
}

/// The operands of a 32-bit base instruction at `pc`, separated by commas.
pub(super) fn text(
    instruction: &Instruction,
    pc: u64,
    csr_name: &dyn Fn(u16) -> Option<String>,
) -> String {
    let operands = instruction.op.row().operands.iter();
    let texts: Vec<String> =
        operands.filter_map(|operand| operand_text(*operand, instruction, pc, csr_name)).collect();
    texts.join(",")
}

/// How objdump writes one of them; none if it leaves it out.
fn operand_text(
    operand: Operand,
    instruction: &Instruction,
    pc: u64,
    csr_name: &dyn Fn(u16) -> Option<String>,
) -> Option<String> {
    let Instruction { rd, rs1, rs2, imm, word, .. } = *instruction;
    Some(match operand {
        Operand::Rd => x(rd).to_owned(),
        Operand::Rs1 => x(rs1).to_owned(),
        Operand::Rs2 => x(rs2).to_owned(),
        Operand::Fd => f(rd).to_owned(),
        Operand::Fs1 => f(rs1).to_owned(),
        Operand::Fs2 => f(rs2).to_owned(),
        Operand::Fs3 => f(instruction.rs3()).to_owned(),
        // Mode 7, the one in `frm`, is what assembly means when it says nothing.
        Operand::Rounding => Rounding::from_riscv_code(instruction.rounding())?.name().to_owned(),
        Operand::ExactRounding => return None,
        Operand::Immediate => imm.to_string(),
        Operand::Shift => format!("{imm:#x}"),
        Operand::Upper => format!("{:#x}", word >> 12),
        Operand::BranchTarget | Operand::JumpTarget => {
            format!("{:#x}", pc.wrapping_add(i64::from(imm) as u64))
        }
        Operand::OffsetI | Operand::OffsetS => format!("{imm}({})", x(rs1)),
        Operand::Address => format!("({})", x(rs1)),
        Operand::Csr => csr_name(imm as u16).unwrap_or_else(|| format!("{imm:#x}")),
        Operand::CsrImmediate => rs1.to_string(),
        Operand::FenceSets => format!("{},{}", fence_set(word >> 24), fence_set(word >> 20)),
    })
}

/// Which of input, output, reads and writes a fence orders.
fn fence_set(bits: u32) -> String {
    let set: String = [(8, 'i'), (4, 'o'), (2, 'r'), (1, 'w')]
        .into_iter()
        .filter(|(bit, _)| bits & bit != 0)
        .map(|(_, name)| name)
        .collect();
    if set.is_empty() { "unknown".to_owned() } else { set }
}
