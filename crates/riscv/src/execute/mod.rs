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
use crate::float::Format;
use crate::instruction::{Instruction, Unit};
use crate::trap::Trap;

/// Executes what needs the core alone; `false` if an instruction concerns the hart as a whole.
/// Integer instructions, which most are, need no look at their unit.
#[inline(always)]
pub(crate) fn execute(core: &mut Core, instruction: &Instruction) -> Result<bool, Trap> {
    if integer::execute(core, instruction)? {
        return Ok(true);
    }
    match instruction.op.unit() {
        Unit::Multiply => multiply::execute(core, instruction),
        Unit::Atomic => atomic::execute(core, instruction)?,
        Unit::Single => float::execute(core, instruction, Format::Single)?,
        Unit::Double => float::execute(core, instruction, Format::Double)?,
        Unit::Integer | Unit::Hart => return Ok(false),
    }
    Ok(true)
}
