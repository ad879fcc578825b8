//! A: load-reserved, store-conditional and read-modify-write, always aligned.
//!
//! The reservation is one 64-byte block; any SC and any trap drops it.

use super::integer::word;
use crate::core::{Access, Core};
use crate::decode::fields::funct3;
use crate::instruction::{Instruction, Op};
use crate::trap::Trap;

/// log2 of the bytes that an LR reserves.
const BLOCK_SHIFT: u32 = 6;

pub(super) fn execute(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    let address = core.x(instruction.rs1);
    let op = instruction.op;
    let is_wide = funct3(instruction.word) == 3;
    let operand = core.x(instruction.rs2);
    let operand = if is_wide { operand } else { word(operand as u32) };
    let size = if is_wide { 8 } else { 4 };
    let result = match op {
        Op::LrW | Op::LrD => {
            core.check_aligned(address, size, Access::Load)?;
            let loaded = if is_wide {
                u64::from_le_bytes(core.load(address)?)
            } else {
                word(u32::from_le_bytes(core.load(address)?))
            };
            core.reservation = Some(address >> BLOCK_SHIFT);
            loaded
        }
        Op::ScW | Op::ScD => {
            core.check_aligned(address, size, Access::Store)?;
            let reserved = core.reservation.take() == Some(address >> BLOCK_SHIFT);
            if reserved {
                put(core, address, operand, is_wide)?;
            }
            u64::from(!reserved)
        }
        _ => {
            core.check_aligned(address, size, Access::Store)?;
            let old = if is_wide {
                u64::from_le_bytes(core.load_for_update(address)?)
            } else {
                word(u32::from_le_bytes(core.load_for_update(address)?))
            };
            put(core, address, combine(op, old, operand), is_wide)?;
            old
        }
    };
    core.put_x(instruction.rd, result);
    Ok(())
}

fn put(core: &mut Core, address: u64, value: u64, is_wide: bool) -> Result<(), Trap> {
    if is_wide {
        core.store(address, value.to_le_bytes())
    } else {
        core.store(address, (value as u32).to_le_bytes())
    }
}

/// What an AMO stores. Words come sign-extended, which keeps their order, unsigned too; only the
/// low 32 bits of their result count.
fn combine(op: Op, old: u64, operand: u64) -> u64 {
    match op {
        Op::AmoswapW | Op::AmoswapD => operand,
        Op::AmoaddW | Op::AmoaddD => old.wrapping_add(operand),
        Op::AmoxorW | Op::AmoxorD => old ^ operand,
        Op::AmoandW | Op::AmoandD => old & operand,
        Op::AmoorW | Op::AmoorD => old | operand,
        Op::AmominW | Op::AmominD => (old as i64).min(operand as i64) as u64,
        Op::AmomaxW | Op::AmomaxD => (old as i64).max(operand as i64) as u64,
        Op::AmominuW | Op::AmominuD => old.min(operand),
        _ => old.max(operand),
    }
}
