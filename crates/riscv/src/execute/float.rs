//! F and D: one set of operations on two formats.
//!
//! Singles are NaN-boxed; operands that are not boxed count as the canonical NaN.

use crate::core::Core;
use crate::csr::mstatus;
use crate::float::{
    self, Format, from_integer, nan_boxed, to_double, to_integer, to_single, unboxed,
};
use crate::instruction::{Destination, Instruction, Op};
use crate::trap::Trap;
use xphmg::numeric::Rounding;

const WORD: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);
const UNSIGNED_WORD: (i128, i128) = (0, u32::MAX as i128);
const LONG: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
const UNSIGNED_LONG: (i128, i128) = (0, u64::MAX as i128);

/// Executes an instruction that is about numbers of `format`.
pub(super) fn execute(
    core: &mut Core,
    instruction: &Instruction,
    format: Format,
) -> Result<(), Trap> {
    if core.machine.mstatus & mstatus::FS == 0 {
        return Err(Trap::illegal(instruction.word));
    }
    let Instruction { rd, rs1, rs2, .. } = *instruction;
    let address = core.x(rs1).wrapping_add(i64::from(instruction.imm) as u64);
    match instruction.op {
        Op::Flw => {
            let bits = u32::from_le_bytes(core.load(address)?);
            core.put_f(rd, nan_boxed(u64::from(bits)));
        }
        Op::Fld => {
            let bits = u64::from_le_bytes(core.load(address)?);
            core.put_f(rd, bits);
        }
        Op::Fsw => return core.store(address, (core.f(rs2) as u32).to_le_bytes()),
        Op::Fsd => return core.store(address, core.f(rs2).to_le_bytes()),
        Op::FmvXW => core.put_x(rd, core.f(rs1) as i32 as u64),
        Op::FmvXD => core.put_x(rd, core.f(rs1)),
        Op::FmvWX => core.put_f(rd, nan_boxed(core.x(rs1) & 0xFFFF_FFFF)),
        Op::FmvDX => core.put_f(rd, core.x(rs1)),
        op if op.destination() == Destination::Float => {
            let (bits, flags) = float_result(core, instruction, format)?;
            core.put_f(rd, if format == Format::Single { nan_boxed(bits) } else { bits });
            core.raise_float(flags);
        }
        _ => {
            let (value, flags) = integer_result(core, instruction, format)?;
            core.put_x(rd, value);
            core.raise_float(flags);
        }
    }
    Ok(())
}

fn operand(core: &Core, format: Format, number: u8) -> u64 {
    let register = core.f(number);
    if format == Format::Single { unboxed(register) } else { register }
}

/// The rounding mode of an instruction; 7 means that of `frm`, which may hold none.
fn rounding(core: &Core, instruction: &Instruction) -> Result<Rounding, Trap> {
    let code = match instruction.rounding() {
        7 => u32::from(core.frm),
        code => code,
    };
    Rounding::from_riscv_code(code).ok_or(Trap::illegal(instruction.word))
}

/// Arithmetic, and conversions from integers and from the other format.
fn float_result(core: &Core, instruction: &Instruction, format: Format) -> Result<(u64, u8), Trap> {
    let a = operand(core, format, instruction.rs1);
    let b = operand(core, format, instruction.rs2);
    let sign = format.sign();
    let with_sign = |bits: u64| (a & !sign | bits & sign, 0);
    match instruction.op {
        Op::FsgnjS | Op::FsgnjD => return Ok(with_sign(b)),
        Op::FsgnjnS | Op::FsgnjnD => return Ok(with_sign(!b)),
        Op::FsgnjxS | Op::FsgnjxD => return Ok(with_sign(a ^ b)),
        Op::FminS | Op::FminD => return Ok(float::minimum(format, a, b)),
        Op::FmaxS | Op::FmaxD => return Ok(float::maximum(format, a, b)),
        _ => {}
    }
    let mode = rounding(core, instruction)?;
    let c = operand(core, format, instruction.rs3());
    let integer = core.x(instruction.rs1);
    Ok(match instruction.op {
        Op::FaddS | Op::FaddD => float::add(format, a, b, mode),
        Op::FsubS | Op::FsubD => float::add(format, a, b ^ sign, mode),
        Op::FmulS | Op::FmulD => float::multiply(format, a, b, mode),
        Op::FdivS | Op::FdivD => float::divide(format, a, b, mode),
        Op::FsqrtS | Op::FsqrtD => float::square_root(format, a, mode),
        Op::FmaddS | Op::FmaddD => float::fused_multiply_add(format, [a, b, c], mode),
        Op::FmsubS | Op::FmsubD => float::fused_multiply_add(format, [a, b, c ^ sign], mode),
        Op::FnmsubS | Op::FnmsubD => float::fused_multiply_add(format, [a ^ sign, b, c], mode),
        Op::FnmaddS | Op::FnmaddD => {
            float::fused_multiply_add(format, [a ^ sign, b, c ^ sign], mode)
        }
        Op::FcvtSD => to_single(core.f(instruction.rs1), mode),
        Op::FcvtDS => to_double(unboxed(core.f(instruction.rs1))),
        Op::FcvtSW | Op::FcvtDW => from_integer(format, i128::from(integer as i32), mode),
        Op::FcvtSWu | Op::FcvtDWu => from_integer(format, i128::from(integer as u32), mode),
        Op::FcvtSL | Op::FcvtDL => from_integer(format, i128::from(integer as i64), mode),
        _ => from_integer(format, i128::from(integer), mode),
    })
}

/// Comparisons, classes and conversions to integers.
fn integer_result(
    core: &Core,
    instruction: &Instruction,
    format: Format,
) -> Result<(u64, u8), Trap> {
    let a = operand(core, format, instruction.rs1);
    let b = operand(core, format, instruction.rs2);
    let truth = |(value, flags): (bool, u8)| (u64::from(value), flags);
    let range = match instruction.op {
        Op::FclassS | Op::FclassD => return Ok((float::class(format, a), 0)),
        Op::FeqS | Op::FeqD => return Ok(truth(float::equal(format, a, b))),
        Op::FltS | Op::FltD => return Ok(truth(float::less(format, a, b))),
        Op::FleS | Op::FleD => return Ok(truth(float::less_or_equal(format, a, b))),
        Op::FcvtWS | Op::FcvtWD => WORD,
        Op::FcvtWuS | Op::FcvtWuD => UNSIGNED_WORD,
        Op::FcvtLS | Op::FcvtLD => LONG,
        _ => UNSIGNED_LONG,
    };
    let (value, flags) = to_integer(format, a, rounding(core, instruction)?, range);
    // 32-bit results are sign-extended, unsigned ones too.
    let is_word = range == WORD || range == UNSIGNED_WORD;
    Ok((if is_word { value as i32 as u64 } else { value as u64 }, flags))
}
