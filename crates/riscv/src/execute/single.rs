//! F. Results are NaN-boxed; operands that are not boxed count as the canonical NaN.

use crate::core::Core;
use crate::csr::mstatus;
use crate::float::{Format, boxed, rounding_mode, unboxed, with_flags};
use crate::instruction::{Instruction, Op};
use crate::trap::Trap;
use softfloat_wrapper::{F32, Float, RoundingMode};

pub(super) fn execute(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    require_float(core, instruction)?;
    let address = core.x(instruction.rs1).wrapping_add(i64::from(instruction.imm) as u64);
    match instruction.op {
        Op::Flw => {
            let bits = u32::from_le_bytes(core.load(address)?);
            core.put_f(instruction.rd, boxed(F32::from_bits(bits)));
            Ok(())
        }
        Op::Fsw => core.store(address, (core.f(instruction.rs2) as u32).to_le_bytes()),
        Op::FmvXW => {
            core.put_x(instruction.rd, core.f(instruction.rs1) as i32 as u64);
            Ok(())
        }
        Op::FmvWX => {
            let bits = core.x(instruction.rs1) as u32;
            core.put_f(instruction.rd, boxed(F32::from_bits(bits)));
            Ok(())
        }
        op if op <= Op::FmaxS => arithmetic(core, instruction),
        op if op <= Op::FclassS => to_integer(core, instruction),
        _ => from_integer(core, instruction),
    }
}

/// An illegal instruction while the floating-point state is off.
pub(super) fn require_float(core: &Core, instruction: &Instruction) -> Result<(), Trap> {
    if core.machine.mstatus & mstatus::FS == 0 {
        return Err(Trap::illegal(instruction.word));
    }
    Ok(())
}

/// The rounding mode of an instruction; 7 means that of `frm`, which may hold none.
pub(super) fn rounding(core: &Core, instruction: &Instruction) -> Result<RoundingMode, Trap> {
    let number = match instruction.rounding() {
        7 => core.frm,
        number => number,
    };
    rounding_mode(number).ok_or(Trap::illegal(instruction.word))
}

fn arithmetic(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    let a = unboxed(core.f(instruction.rs1));
    let b = unboxed(core.f(instruction.rs2));
    let c = unboxed(core.f(instruction.rs3()));
    let sign = |value: F32| value.to_bits() & 0x8000_0000;
    let with_sign = |sign: u32| F32::from_bits(a.to_bits() & 0x7FFF_FFFF | sign);
    let (result, flags) = match instruction.op {
        Op::FsgnjS => (with_sign(sign(b)), 0),
        Op::FsgnjnS => (with_sign(sign(b) ^ 0x8000_0000), 0),
        Op::FsgnjxS => (with_sign(sign(a) ^ sign(b)), 0),
        Op::FminS => a.minimum(b),
        Op::FmaxS => a.maximum(b),
        op => {
            let mode = rounding(core, instruction)?;
            with_flags(|| match op {
                Op::FaddS => a.add(b, mode),
                Op::FsubS => a.sub(b, mode),
                Op::FmulS => a.mul(b, mode),
                Op::FdivS => a.div(b, mode),
                Op::FsqrtS => a.sqrt(mode),
                Op::FmaddS => a.fused(b, c, mode),
                Op::FmsubS => a.fused(b, c.neg(), mode),
                Op::FnmsubS => a.neg().fused(b, c, mode),
                _ => a.neg().fused(b, c.neg(), mode),
            })
        }
    };
    core.put_f(instruction.rd, boxed(result));
    core.raise_float(flags);
    Ok(())
}

/// Comparisons, classes and conversions to integers. Out of range gives the nearest bound and NaN the
/// largest value, with NV alone.
fn to_integer(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    let a = unboxed(core.f(instruction.rs1));
    let b = unboxed(core.f(instruction.rs2));
    let (result, flags) = match instruction.op {
        Op::FclassS => (a.class(), 0),
        Op::FeqS => with_flags(|| u64::from(Float::eq(&a, b))),
        Op::FltS => with_flags(|| u64::from(Float::lt(&a, b))),
        Op::FleS => with_flags(|| u64::from(Float::le(&a, b))),
        op => {
            let mode = rounding(core, instruction)?;
            with_flags(|| match op {
                Op::FcvtWS => a.to_i32(mode, true) as u64,
                Op::FcvtWuS => a.to_u32(mode, true) as i32 as u64,
                Op::FcvtLS => a.to_i64(mode, true) as u64,
                _ => a.to_u64(mode, true),
            })
        }
    };
    core.put_x(instruction.rd, result);
    core.raise_float(flags);
    Ok(())
}

fn from_integer(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    let value = core.x(instruction.rs1);
    let mode = rounding(core, instruction)?;
    let (result, flags) = with_flags(|| match instruction.op {
        Op::FcvtSW => F32::from_i32(value as i32, mode),
        Op::FcvtSWu => F32::from_u32(value as u32, mode),
        Op::FcvtSL => F32::from_i64(value as i64, mode),
        _ => F32::from_u64(value, mode),
    });
    core.put_f(instruction.rd, boxed(result));
    core.raise_float(flags);
    Ok(())
}
