//! M: division by zero gives all ones and the dividend, overflow the dividend and 0; nothing traps.

use super::integer::word;
use crate::core::Core;
use crate::instruction::{Instruction, Op};

pub(super) fn execute(core: &mut Core, instruction: &Instruction) {
    let a = core.x(instruction.rs1);
    let b = core.x(instruction.rs2);
    let (narrow_a, narrow_b) = (a as u32, b as u32);
    let result = match instruction.op {
        Op::Mul => a.wrapping_mul(b),
        Op::Mulh => high(i128::from(a as i64) * i128::from(b as i64)),
        Op::Mulhsu => high(i128::from(a as i64) * i128::from(b)),
        Op::Mulhu => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        Op::Div => divide(a as i64, b as i64) as u64,
        Op::Divu => a.checked_div(b).unwrap_or(u64::MAX),
        Op::Rem => remainder(a as i64, b as i64) as u64,
        Op::Remu => a.checked_rem(b).unwrap_or(a),
        Op::Mulw => word(narrow_a.wrapping_mul(narrow_b)),
        Op::Divw => divide(i64::from(narrow_a as i32), i64::from(narrow_b as i32)) as i32 as u64,
        Op::Divuw => word(narrow_a.checked_div(narrow_b).unwrap_or(u32::MAX)),
        Op::Remw => remainder(i64::from(narrow_a as i32), i64::from(narrow_b as i32)) as u64,
        _ => word(narrow_a.checked_rem(narrow_b).unwrap_or(narrow_a)),
    };
    core.put_x(instruction.rd, result);
}

fn high(product: i128) -> u64 {
    (product >> 64) as u64
}

fn divide(a: i64, b: i64) -> i64 {
    if b == 0 { -1 } else { a.wrapping_div(b) }
}

fn remainder(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}
