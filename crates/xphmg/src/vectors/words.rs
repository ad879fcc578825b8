//! Encodings: text to word and back, and words that must trap.

use super::sparse_hart::SparseHart;
use crate::encoding::{assemble, disassemble};
use crate::memory::HartPort;
use crate::readings::Readings;
use crate::unit::Unit;
use vectors::{Case, Comparison, VectorError};

/// Every text assembles to its word and every word disassembles to its text.
pub(super) fn encodings(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let text = case.field("asm")?.text()?.to_owned();
    let word: u32 = case.field("word")?.integer()?;
    let expected = (format!("{word:#010x}"), text.clone());
    let got_word = match assemble(&text) {
        Ok(word) => format!("{word:#010x}"),
        Err(error) => error.to_string(),
    };
    let got_text = disassemble(word).unwrap_or_else(|| "no instruction".to_owned());
    comparison.check("word and text", &expected, &(got_word, got_text));
    Ok(())
}

/// Every word traps as an illegal instruction and leaves LAST_EC as stated; `null` leaves it alone.
pub(super) fn illegal(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let word: u32 = case.field("word")?.integer()?;
    let code = case.field("last_ec")?;
    let last_ec = if code.value().is_null() { 0 } else { code.integer()? };
    comparison.check(TRAP, &(Some((2, u64::from(word))), last_ec), &try_word(word));
    Ok(())
}

/// No word traps.
pub(super) fn legal_edge(case: &Case<'_>, comparison: &mut Comparison) -> Result<(), VectorError> {
    let word: u32 = case.field("word")?.integer()?;
    comparison.check(TRAP, &(None, 0), &try_word(word));
    Ok(())
}

/// What [`try_word`] answers.
const TRAP: &str = "trap and LAST_EC";

/// Cause and value of the trap of a word after reset, and LAST_EC. Every register points to zeros.
fn try_word(word: u32) -> (Option<(u64, u64)>, u64) {
    let mut hart = SparseHart::default();
    hart.back(0x8000_0000, 128);
    (1..32).for_each(|register| hart.set_x(register, 0x8000_0000));
    let mut unit = Unit::new(Readings::default());
    unit.csr_write(0x7F0, 0x8000_0000);
    let trap = unit.execute(word, &mut hart).err().map(|trap| (trap.cause, trap.value));
    let last_ec = unit.csr_read(0x8A1).unwrap_or(0) >> 2 & 0x3F;
    (trap, last_ec)
}
