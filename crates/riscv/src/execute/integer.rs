//! RV64I: arithmetic, branches, loads and stores.

use crate::core::Core;
use crate::instruction::{Instruction, Op};
use crate::trap::Trap;

/// Executes an integer instruction; `false` if it is none.
#[inline(always)]
pub(super) fn execute(core: &mut Core, instruction: &Instruction) -> Result<bool, Trap> {
    let a = core.x(instruction.rs1);
    let b = core.x(instruction.rs2);
    let immediate = i64::from(instruction.imm) as u64;
    let address = a.wrapping_add(immediate);
    let result = match instruction.op {
        Op::Lui => immediate,
        Op::Auipc => core.pc.wrapping_add(immediate),
        Op::Jal => {
            let link = core.next_pc;
            core.next_pc = core.pc.wrapping_add(immediate);
            link
        }
        Op::Jalr => {
            let link = core.next_pc;
            core.next_pc = address & !1;
            link
        }

        Op::Beq => return branch(core, immediate, a == b),
        Op::Bne => return branch(core, immediate, a != b),
        Op::Blt => return branch(core, immediate, (a as i64) < b as i64),
        Op::Bge => return branch(core, immediate, a as i64 >= b as i64),
        Op::Bltu => return branch(core, immediate, a < b),
        Op::Bgeu => return branch(core, immediate, a >= b),

        Op::Lb => i64::from(i8::from_le_bytes(core.load(address)?)) as u64,
        Op::Lh => i64::from(i16::from_le_bytes(core.load(address)?)) as u64,
        Op::Lw => i64::from(i32::from_le_bytes(core.load(address)?)) as u64,
        Op::Ld => u64::from_le_bytes(core.load(address)?),
        Op::Lbu => u64::from(u8::from_le_bytes(core.load(address)?)),
        Op::Lhu => u64::from(u16::from_le_bytes(core.load(address)?)),
        Op::Lwu => u64::from(u32::from_le_bytes(core.load(address)?)),
        Op::Sb => return core.store(address, (b as u8).to_le_bytes()).map(|()| true),
        Op::Sh => return core.store(address, (b as u16).to_le_bytes()).map(|()| true),
        Op::Sw => return core.store(address, (b as u32).to_le_bytes()).map(|()| true),
        Op::Sd => return core.store(address, b.to_le_bytes()).map(|()| true),

        Op::Addi => address,
        Op::Slti => u64::from((a as i64) < immediate as i64),
        Op::Sltiu => u64::from(a < immediate),
        Op::Xori => a ^ immediate,
        Op::Ori => a | immediate,
        Op::Andi => a & immediate,
        Op::Slli => a << (immediate & 63),
        Op::Srli => a >> (immediate & 63),
        Op::Srai => (a as i64 >> (immediate & 63)) as u64,

        Op::Add => a.wrapping_add(b),
        Op::Sub => a.wrapping_sub(b),
        Op::Sll => a << (b & 63),
        Op::Slt => u64::from((a as i64) < b as i64),
        Op::Sltu => u64::from(a < b),
        Op::Xor => a ^ b,
        Op::Srl => a >> (b & 63),
        Op::Sra => (a as i64 >> (b & 63)) as u64,
        Op::Or => a | b,
        Op::And => a & b,

        Op::Addiw => word(address as u32),
        Op::Slliw => word((a as u32) << (immediate & 31)),
        Op::Srliw => word(a as u32 >> (immediate & 31)),
        Op::Sraiw => word((a as i32 >> (immediate & 31)) as u32),
        Op::Addw => word(a.wrapping_add(b) as u32),
        Op::Subw => word(a.wrapping_sub(b) as u32),
        Op::Sllw => word((a as u32) << (b & 31)),
        Op::Srlw => word(a as u32 >> (b & 31)),
        Op::Sraw => word((a as i32 >> (b & 31)) as u32),
        // One hart that executes in order has nothing to fence.
        Op::Fence => return Ok(true),
        _ => return Ok(false),
    };
    core.put_x(instruction.rd, result);
    Ok(true)
}

#[inline(always)]
fn branch(core: &mut Core, offset: u64, taken: bool) -> Result<bool, Trap> {
    if taken {
        core.next_pc = core.pc.wrapping_add(offset);
    }
    Ok(true)
}

/// A 32-bit result, sign-extended.
pub(super) fn word(value: u32) -> u64 {
    i64::from(value as i32) as u64
}
