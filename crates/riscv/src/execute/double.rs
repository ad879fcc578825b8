//! D, and the conversions between the two precisions.

use super::single::{require_float, rounding};
use crate::core::Core;
use crate::float::{Format, boxed, unboxed, with_flags};
use crate::instruction::{Instruction, Op};
use crate::trap::Trap;
use softfloat_wrapper::{F64, Float};

pub(super) fn execute(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    require_float(core, instruction)?;
    let address = core.x(instruction.rs1).wrapping_add(i64::from(instruction.imm) as u64);
    match instruction.op {
        Op::Fld => {
            let bits = u64::from_le_bytes(core.load(address)?);
            core.put_f(instruction.rd, bits);
            Ok(())
        }
        Op::Fsd => core.store(address, core.f(instruction.rs2).to_le_bytes()),
        Op::FmvXD => {
            core.put_x(instruction.rd, core.f(instruction.rs1));
            Ok(())
        }
        Op::FmvDX => {
            core.put_f(instruction.rd, core.x(instruction.rs1));
            Ok(())
        }
        op if op <= Op::FmaxD => arithmetic(core, instruction),
        op if op <= Op::FclassD => to_integer(core, instruction),
        _ => convert(core, instruction),
    }
}

fn arithmetic(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    const SIGN: u64 = 1 << 63;
    let a = F64::from_bits(core.f(instruction.rs1));
    let b = F64::from_bits(core.f(instruction.rs2));
    let c = F64::from_bits(core.f(instruction.rs3()));
    let with_sign = |sign: u64| F64::from_bits(a.to_bits() & !SIGN | sign & SIGN);
    let (result, flags) = match instruction.op {
        Op::FsgnjD => (with_sign(b.to_bits()), 0),
        Op::FsgnjnD => (with_sign(!b.to_bits()), 0),
        Op::FsgnjxD => (with_sign(a.to_bits() ^ b.to_bits()), 0),
        Op::FminD => a.minimum(b),
        Op::FmaxD => a.maximum(b),
        op => {
            let mode = rounding(core, instruction)?;
            with_flags(|| match op {
                Op::FaddD => a.add(b, mode),
                Op::FsubD => a.sub(b, mode),
                Op::FmulD => a.mul(b, mode),
                Op::FdivD => a.div(b, mode),
                Op::FsqrtD => a.sqrt(mode),
                Op::FmaddD => a.fused(b, c, mode),
                Op::FmsubD => a.fused(b, c.neg(), mode),
                Op::FnmsubD => a.neg().fused(b, c, mode),
                _ => a.neg().fused(b, c.neg(), mode),
            })
        }
    };
    core.put_f(instruction.rd, result.to_bits());
    core.raise_float(flags);
    Ok(())
}

fn to_integer(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    let a = F64::from_bits(core.f(instruction.rs1));
    let b = F64::from_bits(core.f(instruction.rs2));
    let (result, flags) = match instruction.op {
        Op::FclassD => (a.class(), 0),
        Op::FeqD => with_flags(|| u64::from(Float::eq(&a, b))),
        Op::FltD => with_flags(|| u64::from(Float::lt(&a, b))),
        Op::FleD => with_flags(|| u64::from(Float::le(&a, b))),
        op => {
            let mode = rounding(core, instruction)?;
            with_flags(|| match op {
                Op::FcvtWD => a.to_i32(mode, true) as u64,
                Op::FcvtWuD => a.to_u32(mode, true) as i32 as u64,
                Op::FcvtLD => a.to_i64(mode, true) as u64,
                _ => a.to_u64(mode, true),
            })
        }
    };
    core.put_x(instruction.rd, result);
    core.raise_float(flags);
    Ok(())
}

/// From integers, and between the precisions.
fn convert(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    let value = core.x(instruction.rs1);
    let source = core.f(instruction.rs1);
    let mode = rounding(core, instruction)?;
    let (result, flags) = with_flags(|| match instruction.op {
        Op::FcvtDW => F64::from_i32(value as i32, mode).to_bits(),
        Op::FcvtDWu => F64::from_u32(value as u32, mode).to_bits(),
        Op::FcvtDL => F64::from_i64(value as i64, mode).to_bits(),
        Op::FcvtDLu => F64::from_u64(value, mode).to_bits(),
        Op::FcvtSD => boxed(F64::from_bits(source).to_f32(mode)),
        _ => unboxed(source).to_f64(mode).to_bits(),
    });
    core.put_f(instruction.rd, result);
    core.raise_float(flags);
    Ok(())
}
