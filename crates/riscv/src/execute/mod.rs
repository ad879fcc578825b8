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
pub(crate) use integer::execute;

/// Executes what is no integer instruction.
#[inline(always)]
fn others(core: &mut Core, instruction: &Instruction) -> Result<(), Trap> {
    match instruction.op.unit() {
        Unit::Multiply => {
            multiply::execute(core, instruction);
            Ok(())
        }
        Unit::Atomic => atomic::execute(core, instruction),
        Unit::Single => float::execute(core, instruction, Format::Single),
        Unit::Double => float::execute(core, instruction, Format::Double),
        Unit::Integer | Unit::Hart => Err(Trap::illegal(instruction.word)),
    }
}
