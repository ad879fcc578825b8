//! 16-bit instructions. Registers and immediates come from the expanded form.

use super::Text;
use super::operands::{f, x};
use crate::instruction::{Instruction, Op};

/// The text of a compressed instruction at `pc`.
pub(super) fn text(instruction: &Instruction, pc: u64) -> Text {
    let Instruction { op, rd, rs1, rs2, imm, word } = *instruction;
    let target = pc.wrapping_add(i64::from(imm) as u64);
    let (a, b) = (x(rs1), x(rs2));
    let (quadrant, funct3) = (word & 3, word >> 13 & 7);
    let (mnemonic, operands) = match op {
        Op::Illegal | Op::Undecoded if word == 0 => ("unimp", String::new()),
        Op::Illegal | Op::Undecoded => (".2byte", format!("{word:#x}")),
        Op::Addi => match (quadrant, funct3) {
            (0, _) => ("addi4spn", format!("{},sp,{imm}", x(rd))),
            (1, 0) => ("addi", format!("{},{imm}", x(rd))),
            (1, 2) => ("li", format!("{},{imm}", x(rd))),
            _ => ("addi16sp", format!("sp,{imm}")),
        },
        Op::Addiw => ("addiw", format!("{},{imm}", x(rd))),
        Op::Lui => ("lui", format!("{},{:#x}", x(rd), imm as u32 >> 12)),
        Op::Lw if quadrant == 2 => ("lwsp", format!("{},{imm}(sp)", x(rd))),
        Op::Ld if quadrant == 2 => ("ldsp", format!("{},{imm}(sp)", x(rd))),
        Op::Fld if quadrant == 2 => ("fldsp", format!("{},{imm}(sp)", f(rd))),
        Op::Sw if quadrant == 2 => ("swsp", format!("{b},{imm}(sp)")),
        Op::Sd if quadrant == 2 => ("sdsp", format!("{b},{imm}(sp)")),
        Op::Fsd if quadrant == 2 => ("fsdsp", format!("{},{imm}(sp)", f(rs2))),
        Op::Lw => ("lw", format!("{},{imm}({a})", x(rd))),
        Op::Ld => ("ld", format!("{},{imm}({a})", x(rd))),
        Op::Fld => ("fld", format!("{},{imm}({a})", f(rd))),
        Op::Sw => ("sw", format!("{b},{imm}({a})")),
        Op::Sd => ("sd", format!("{b},{imm}({a})")),
        Op::Fsd => ("fsd", format!("{},{imm}({a})", f(rs2))),
        Op::Slli => ("slli", format!("{},{imm:#x}", x(rd))),
        Op::Srli => ("srli", format!("{},{imm:#x}", x(rd))),
        Op::Srai => ("srai", format!("{},{imm:#x}", x(rd))),
        Op::Andi => ("andi", format!("{},{imm}", x(rd))),
        Op::Jal => ("j", format!("{target:#x}")),
        Op::Beq => ("beqz", format!("{a},{target:#x}")),
        Op::Bne => ("bnez", format!("{a},{target:#x}")),
        Op::Jalr if rd == 0 => ("jr", a.to_owned()),
        Op::Jalr => ("jalr", a.to_owned()),
        Op::Ebreak => ("ebreak", String::new()),
        Op::Add if word >> 12 & 1 == 0 => ("mv", format!("{},{b}", x(rd))),
        op => (op.row().mnemonic, format!("{},{b}", x(rd))),
    };
    // The spelling of what is no instruction has no prefix; all-zero bits are defined as illegal.
    let prefix = if mnemonic.starts_with('.') { "" } else { "c." };
    Text { mnemonic: format!("{prefix}{mnemonic}"), operands }
}
