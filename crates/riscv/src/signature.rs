//! The signature of a test program: memory between two symbols, as riscv-arch-test compares it.

use crate::elf::Program;
use crate::hart::Hart;
use std::fmt::Write;
use thiserror::Error;

/// Why there is no signature.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// The program does not mark one.
    #[error("the program has no symbol {0}")]
    NoSymbol(&'static str),
    /// The symbols make no range of memory.
    #[error("begin_signature {begin:#x} and end_signature {end:#x} enclose no memory")]
    NoMemory {
        /// The first byte.
        begin: u64,
        /// The first byte behind it.
        end: u64,
    },
}

/// One line for each word of `granularity` bytes: hex, highest byte first. A last word that is not
/// complete is filled with zeros.
pub fn signature(
    hart: &Hart,
    program: &Program,
    granularity: usize,
) -> Result<String, SignatureError> {
    let symbol = |name| program.symbols.get(name).copied().ok_or(SignatureError::NoSymbol(name));
    let (begin, end) = (symbol("begin_signature")?, symbol("end_signature")?);
    let size = end.checked_sub(begin).ok_or(SignatureError::NoMemory { begin, end })?;
    let bytes = hart.core.memory.slice(begin, size);
    let bytes = bytes.ok_or(SignatureError::NoMemory { begin, end })?;
    let mut text = String::new();
    for word in bytes.chunks(granularity.max(1)) {
        for place in (0..granularity).rev() {
            let byte = word.get(place).copied().unwrap_or(0);
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    Ok(text)
}
