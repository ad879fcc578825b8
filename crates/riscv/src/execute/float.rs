//! F and D: one set of operations on two formats.
//!
//! Singles are NaN-boxed; operands that are not boxed count as the canonical NaN.

use crate::core::Core;
use crate::csr::mstatus;
use crate::float::{
    self, DOUBLE, Format, Rounding, SINGLE, boxed, from_integer, to_double, to_integer, to_single,
    unboxed,
};
use crate::instruction::{Instruction, Op};
use crate::trap::Trap;

const WORD: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);
const UNSIGNED_WORD: (i128, i128) = (0, u32::MAX as i128);
const LONG: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const UNSIGNED_LONG: (i128, i128) = (0, u64::MAX as i128);

pub(super) fn execute(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    if core.machine.mstatus & mstatus::FS == 0 {
        return Err(Trap::illegal(instruction.word));
    }
    let Instruction { rd, rs1, rs2, .. } = *instruction;
    let address = core.x(rs1).wrapping_add(i64::from(instruction.imm) as u64);
    match instruction.op {
        Op::Flw => {
            let bits = u32::from_le_bytes(core.load(address)?);
            core.put_f(rd, boxed(u64::from(bits)));
        }
        Op::Fld => {
            let bits = u64::from_le_bytes(core.load(address)?);
            core.put_f(rd, bits);
        }
        Op::Fsw => return core.store(address, (core.f(rs2) as u32).to_le_bytes()),
        Op::Fsd => return core.store(address, core.f(rs2).to_le_bytes()),
        Op::FmvXW => core.put_x(rd, core.f(rs1) as i32 as u64),
        Op::FmvXD => core.put_x(rd, core.f(rs1)),
        Op::FmvWX => core.put_f(rd, boxed(core.x(rs1) & 0xFFFF_FFFF)),
        Op::FmvDX => core.put_f(rd, core.x(rs1)),
        Op::FcvtSD => {
            let (bits, flags) = to_single(core.f(rs1), rounding(core, instruction)?);
            core.put_f(rd, boxed(bits));
            core.raise_float(flags);
        }
        Op::FcvtDS => {
            rounding(core, instruction)?;
            let (bits, flags) = to_double(unboxed(core.f(rs1)));
            core.put_f(rd, bits);
            core.raise_float(flags);
        }
        op if op < Op::Fld => with_format(core, instruction, SINGLE, op)?,
        op => with_format(core, instruction, DOUBLE, single_of(op))?,
    }
    Ok(())
}

/// The instruction of F that does what one of D does.
fn single_of(op: Op) -> Op {
    match op {
        Op::FmaddD => Op::FmaddS,
        Op::FmsubD => Op::FmsubS,
        Op::FnmsubD => Op::FnmsubS,
        Op::FnmaddD => Op::FnmaddS,
        Op::FaddD => Op::FaddS,
        Op::FsubD => Op::FsubS,
        Op::FmulD => Op::FmulS,
        Op::FdivD => Op::FdivS,
        Op::FsqrtD => Op::FsqrtS,
        Op::FsgnjD => Op::FsgnjS,
        Op::FsgnjnD => Op::FsgnjnS,
        Op::FsgnjxD => Op::FsgnjxS,
        Op::FminD => Op::FminS,
        Op::FmaxD => Op::FmaxS,
        Op::FcvtWD => Op::FcvtWS,
        Op::FcvtWuD => Op::FcvtWuS,
        Op::FcvtLD => Op::FcvtLS,
        Op::FcvtLuD => Op::FcvtLuS,
        Op::FeqD => Op::FeqS,
        Op::FltD => Op::FltS,
        Op::FleD => Op::FleS,
        Op::FclassD => Op::FclassS,
        Op::FcvtDW => Op::FcvtSW,
        Op::FcvtDWu => Op::FcvtSWu,
        Op::FcvtDL => Op::FcvtSL,
        _ => Op::FcvtSLu,
    }
}

/// Executes the operation that F calls `op`.
fn with_format(
    core: &mut Core,
    instruction: &Instruction,
    format: Format,
    op: Op,
) -> Result<(), Trap> {
    if op <= Op::FmaxS {
        let (bits, flags) = arithmetic(core, instruction, format, op)?;
        core.put_f(instruction.rd, if format == SINGLE { boxed(bits) } else { bits });
        core.raise_float(flags);
    } else if op <= Op::FclassS {
        let (value, flags) = integer_result(core, instruction, format, op)?;
        core.put_x(instruction.rd, value);
        core.raise_float(flags);
    } else {
        let source = core.x(instruction.rs1);
        let value = match op {
            Op::FcvtSW => i128::from(source as i32),
            Op::FcvtSWu => i128::from(source as u32),
            Op::FcvtSL => i128::from(source as i64),
            _ => i128::from(source),
        };
        let (bits, flags) = from_integer(format, value, rounding(core, instruction)?);
        core.put_f(instruction.rd, if format == SINGLE { boxed(bits) } else { bits });
        core.raise_float(flags);
    }
    Ok(())
}

fn operand(core: &Core, format: Format, number: u8) -> u64 {
    let register = core.f(number);
    if format == SINGLE { unboxed(register) } else { register }
}

/// The rounding mode of an instruction; 7 means that of `frm`, which may hold none.
fn rounding(core: &Core, instruction: &Instruction) -> Result<Rounding, Trap> {
    let number = match instruction.rounding() {
        7 => core.frm,
        number => number,
    };
    Rounding::from_number(number).ok_or(Trap::illegal(instruction.word))
}

fn arithmetic(
    core: &Core,
    instruction: &Instruction,
    format: Format,
    op: Op,
) -> Result<(u64, u8), Trap> {
    let a = operand(core, format, instruction.rs1);
    let b = operand(core, format, instruction.rs2);
    let sign = format.sign();
    let with_sign = |bits: u64| (a & !sign | bits & sign, 0);
    Ok(match op {
        Op::FsgnjS => with_sign(b),
        Op::FsgnjnS => with_sign(!b),
        Op::FsgnjxS => with_sign(a ^ b),
        Op::FminS => float::minimum(format, a, b),
        Op::FmaxS => float::maximum(format, a, b),
        op => {
            let mode = rounding(core, instruction)?;
            let c = operand(core, format, instruction.rs3());
            match op {
                Op::FaddS => float::add(format, a, b, mode),
                Op::FsubS => float::add(format, a, b ^ sign, mode),
                Op::FmulS => float::multiply(format, a, b, mode),
                Op::FdivS => float::divide(format, a, b, mode),
                Op::FsqrtS => float::square_root(format, a, mode),
                Op::FmaddS => float::fused_multiply_add(format, [a, b, c], mode),
                Op::FmsubS => float::fused_multiply_add(format, [a, b, c ^ sign], mode),
                Op::FnmsubS => float::fused_multiply_add(format, [a ^ sign, b, c], mode),
                _ => float::fused_multiply_add(format, [a ^ sign, b, c ^ sign], mode),
            }
        }
    })
}

/// Comparisons, classes and conversions to integers.
fn integer_result(
    core: &Core,
    instruction: &Instruction,
    format: Format,
    op: Op,
) -> Result<(u64, u8), Trap> {
    let a = operand(core, format, instruction.rs1);
    let b = operand(core, format, instruction.rs2);
    let truth = |(value, flags): (bool, u8)| (u64::from(value), flags);
    Ok(match op {
        Op::FclassS => (float::class(format, a), 0),
        Op::FeqS => truth(float::equal(format, a, b)),
        Op::FltS => truth(float::less(format, a, b)),
        Op::FleS => truth(float::less_or_equal(format, a, b)),
        op => {
            let range = match op {
                Op::FcvtWS => WORD,
                Op::FcvtWuS => UNSIGNED_WORD,
                Op::FcvtLS => LONG,
                _ => UNSIGNED_LONG,
            };
            let (value, flags) = to_integer(format, a, rounding(core, instruction)?, range);
            // 32-bit results are sign-extended, unsigned ones too.
            let is_word = matches!(op, Op::FcvtWS | Op::FcvtWuS);
            (if is_word { value as i32 as u64 } else { value as u64 }, flags)
        }
    })
}
