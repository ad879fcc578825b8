//! What instructions do to a [`Core`].
//!
//! | file | instructions |
//! |---|---|
//! | `integer` | RV64I without `ecall` and its like |
//! | `multiply` | M |
//! | `atomic` | A |
//! | `float` | F and D |
//!
//! CSR instructions, traps and extensions concern the hart as a whole: [`crate::hart`].

mod atomic;
mod float;
mod integer;
mod multiply;

use crate::core::Core;
use crate::instruction::{Instruction, Op};
use crate::trap::Trap;

/// Executes an instruction of the groups above. `core.next_pc` already is what follows it.
#[inline]
pub(crate) fn execute(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    if instruction.op <= Op::Fence {
        integer::execute(core, instruction)
    } else {
        others(core, instruction)
    }
}

fn others(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    match instruction.op {
        op if op <= Op::Remuw => {
            multiply::execute(core, instruction);
            Ok(())
        }
        op if op <= Op::AmomaxuD => atomic::execute(core, instruction),
        _ => float::execute(core, instruction),
    }
}
