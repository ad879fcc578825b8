//! Instructions as text, spelt as GNU objdump does without aliases: `addi a0,zero,42`.
//!
//! | file | concept |
//! |---|---|
//! | `operands` | the operands of 32-bit instructions, by the table of [`crate::instruction`] |
//! | `compressed` | 16-bit instructions, which have names and operands of their own |
//!
//! Numbers follow objdump: shift amounts, `lui` and addresses in hex, other immediates in decimal.

mod compressed;
mod operands;

use crate::hart::Hart;
use crate::instruction::{Instruction, Op, Unit};
pub(crate) use operands::{FLOAT_NAMES, INTEGER_NAMES};

/// Mnemonic and operands of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// `addi`, `c.mv`, `rt.bbox`; `.4byte` for what is no instruction.
    pub mnemonic: String,
    /// Separated by commas; empty if there are none.
    pub operands: String,
}

impl std::fmt::Display for Text {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.operands.as_str() {
            "" => out.write_str(&self.mnemonic),
            operands => write!(out, "{} {operands}", self.mnemonic),
        }
    }
}

impl Hart {
    /// The text of the instruction `bits` (the low half counts alone if it is compressed) at `pc`.
    #[must_use]
    pub fn disassemble(&self, bits: u32, pc: u64) -> Text {
        let instruction = self.registry.decode(bits);
        if instruction.op == Op::Custom
            && let Some(known) = self.registry.instructions.get(instruction.imm as usize)
        {
            let extension = &self.registry.extensions[known.owner];
            return Text {
                mnemonic: known.pattern.mnemonic.to_owned(),
                operands: extension.disassemble(known.index, bits, pc),
            };
        }
        text(&instruction, pc, &|number| self.csr_name(number))
    }
}

/// The text of a base instruction. `csr_name` knows CSRs.
pub(crate) fn text(
    instruction: &Instruction,
    pc: u64,
    csr_name: &dyn Fn(u16) -> Option<String>,
) -> Text {
    let word = instruction.word;
    if word & 3 != 3 {
        return compressed::text(instruction, pc);
    }
    if matches!(instruction.op, Op::Illegal | Op::Undecoded | Op::Custom) {
        return Text { mnemonic: ".4byte".to_owned(), operands: format!("{word:#x}") };
    }
    let mut mnemonic = instruction.op.row().mnemonic.to_owned();
    if instruction.op.unit() == Unit::Atomic {
        mnemonic += ["", ".rl", ".aq", ".aqrl"][(word >> 25 & 3) as usize];
    }
    if instruction.op == Op::Fence && word == 0x8330_000F {
        return Text { mnemonic: "fence.tso".to_owned(), operands: String::new() };
    }
    Text { mnemonic, operands: operands::text(instruction, pc, csr_name) }
}
