//! From instruction words to [`Instruction`].
//!
//! | file | concept |
//! |---|---|
//! | `fields` | immediates of the six formats, in both directions |
//! | `word` | 32-bit instructions, by the table of [`crate::instruction`] |
//! | `compressed` | 16-bit instructions, expanded to 32-bit ones |
//!
//! The decoder is strict: a word outside RV64IMAFDC, Zicsr and Zifencei with machine and user mode
//! is [`Op::Illegal`], rounding modes 5 and 6 included.

mod compressed;
pub(crate) mod fields;
mod word;

use crate::instruction::{Instruction, Op};
pub use compressed::expand;

/// Decodes the instruction whose first 16 bits are the low half of `bits`; the upper half counts
/// only if it is a 32-bit instruction.
#[must_use]
pub fn decode(bits: u32) -> Instruction {
    if bits & 3 == 3 {
        return word::decode_word(bits);
    }
    let half = bits & 0xFFFF;
    match expand(half as u16) {
        Some(expanded) => Instruction { word: half, ..word::decode_word(expanded) },
        None => Instruction::bare(Op::Illegal, half),
    }
}
