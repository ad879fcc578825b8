//! 16-bit instructions. Registers and immediates come from the expanded form.

use super::Text;
use super::operands::{self, x};
use crate::instruction::{Instruction, Op};

/// The text of a compressed instruction at `pc`.
pub(super) fn text(instruction: &Instruction, pc: u64) -> Text {
    let Instruction { op, rd, rs1, rs2, imm, word } = *instruction;
    let target = pc.wrapping_add(i64::from(imm) as u64);
    let (d, a, b) = (x(rd), x(rs1), x(rs2));
    let (quadrant, funct3) = (word & 3, word >> 13 & 7);
    let expanded = op.row().mnemonic;
    let (mnemonic, operands) = match op {
        Op::Illegal | Op::Undecoded if word == 0 => ("c.unimp".to_owned(), String::new()),
        // All-zero bits are defined as illegal; the spelling of other words has no prefix.
        Op::Illegal | Op::Undecoded => (".2byte".to_owned(), format!("{word:#x}")),
        Op::Addi if quadrant == 0 => ("c.addi4spn".to_owned(), format!("{d},sp,{imm}")),
        Op::Addi if funct3 == 2 => ("c.li".to_owned(), format!("{d},{imm}")),
        Op::Addi if funct3 == 3 => ("c.addi16sp".to_owned(), format!("sp,{imm}")),
        Op::Addi | Op::Addiw | Op::Andi => (format!("c.{expanded}"), format!("{d},{imm}")),
        Op::Slli | Op::Srli | Op::Srai => (format!("c.{expanded}"), format!("{d},{imm:#x}")),
        Op::Lui => ("c.lui".to_owned(), format!("{d},{:#x}", imm as u32 >> 12)),
        Op::Lw | Op::Ld | Op::Fld | Op::Sw | Op::Sd | Op::Fsd => {
            let from_stack = if quadrant == 2 { "sp" } else { "" };
            let operands = operands::text(instruction, pc, &|_| None);
            (format!("c.{expanded}{from_stack}"), operands)
        }
        Op::Jal => ("c.j".to_owned(), format!("{target:#x}")),
        Op::Beq | Op::Bne => (format!("c.{expanded}z"), format!("{a},{target:#x}")),
        Op::Jalr if rd == 0 => ("c.jr".to_owned(), a.to_owned()),
        Op::Jalr => ("c.jalr".to_owned(), a.to_owned()),
        Op::Ebreak => ("c.ebreak".to_owned(), String::new()),
        Op::Add if word >> 12 & 1 == 0 => ("c.mv".to_owned(), format!("{d},{b}")),
        _ => (format!("c.{expanded}"), format!("{d},{b}")),
    };
    Text { mnemonic, operands }
}
