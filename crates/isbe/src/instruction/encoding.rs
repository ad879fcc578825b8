//! Instruction words of any generation.
//!
//! Both directions are strict: what a generation does not have cannot be encoded, and a word with a
//! bit that no field explains is no instruction (I-11).
//!
//! ```
//! use isbe::instruction::Instruction;
//! use isbe::instruction::encoding::{Word, decode, encode};
//! let load: Instruction = "ISBERD.O.ATTR.SKEW.32 R1, [R2+0x42];".parse().unwrap();
//! let word = encode(&load, 86).unwrap();
//! assert_eq!(word, Word::Bits128(0xf800_0000_4200_0201_7923));
//! assert_eq!(decode(word, 86), Ok(load));
//! assert!(encode(&load, 80).is_err());
//! ```

use super::{Instruction, Schedule, maxwell, volta};
use crate::Fault;
use crate::generation::{self, Encoding, Sm};
use std::fmt;

/// One instruction as a machine holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Kepler, Maxwell, Pascal.
    Bits64(u64),
    /// Volta and later.
    Bits128(u128),
}

/// Why an instruction has no word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The generation does not have it.
    #[error(transparent)]
    Fault(#[from] Fault),
    /// The model has no encoding of this instruction for the generation.
    #[error("SM{sm}: found {what}, expected an instruction whose encoding is known there")]
    Unknown {
        /// The instruction.
        what: &'static str,
        /// The SM.
        sm: Sm,
    },
    /// The encoding has no bit for a physical address: the operands imply it.
    #[error(
        "ALD {}: found {}, expected {}",
        operands(*implied), suffix(!*implied), suffix(*implied)
    )]
    Physical {
        /// What the operands imply.
        implied: bool,
    },
    /// A field has no room for a value, or there is no such field.
    #[error("{field}: found {found:#x}, expected at most {limit:#x}")]
    Field {
        /// The field.
        field: &'static str,
        /// The value.
        found: u32,
        /// The largest value with room.
        limit: u32,
    },
}

fn operands(implied: bool) -> &'static str {
    if implied {
        "with an offset register and without .P"
    } else {
        "without an offset register, or with .P"
    }
}

fn suffix(physical: bool) -> &'static str {
    if physical { ".PHYS: the address is physical there before SM70" } else { "no .PHYS" }
}

/// Why a word is no instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The opcode is of something else.
    #[error("found opcode {found:#x}, expected ISBERD, ISBEWR, ALD, AST, AL2P or VILD of SM{sm}")]
    Opcode {
        /// The opcode.
        found: u32,
        /// The SM.
        sm: Sm,
    },
    /// A word of the wrong width, or an SM whose words are not modelled.
    #[error("SM{sm}: found a word of {found} bits, expected {expected}")]
    Width {
        /// The width.
        found: u32,
        /// The widths that would do.
        expected: &'static str,
        /// The SM.
        sm: Sm,
    },
    /// A field with a value that means nothing.
    #[error("bits {first}..{end}: found {field} {found}, expected a value with a meaning")]
    Value {
        /// The field.
        field: &'static str,
        /// The value.
        found: u32,
        /// The first bit.
        first: u32,
        /// One past the last bit.
        end: u32,
    },
    /// A bit that belongs to no field, or to one that the generation must leave zero (I-12).
    #[error("bit {bit}: found a value that no field explains, expected a reserved bit")]
    Reserved {
        /// The lowest such bit.
        bit: u32,
    },
    /// The generation does not have it.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The word of an instruction.
///
/// # Errors
/// When the generation does not have it, or a field has no room.
pub fn encode(instruction: &Instruction, sm: Sm) -> Result<Word, EncodeError> {
    instruction.operation.check(sm)?;
    match generation::encoding(sm) {
        Some(Encoding::Volta) => volta::encode(instruction, sm).map(Word::Bits128),
        encoding => {
            let scheduling = instruction.schedule;
            if scheduling != Schedule::default() {
                let (field, found) = ("scheduling bits", scheduling.bits());
                return Err(EncodeError::Field { field, found, limit: 0 });
            }
            maxwell::encode(instruction, encoding, sm).map(Word::Bits64)
        }
    }
}

/// The instruction of a word.
///
/// # Errors
/// When the word is no instruction that the generation has.
pub fn decode(word: Word, sm: Sm) -> Result<Instruction, DecodeError> {
    let width = |found, expected| DecodeError::Width { found, expected, sm };
    let (instruction, extra) = match (word, generation::encoding(sm)) {
        (Word::Bits128(word), Some(Encoding::Volta)) => {
            let instruction = volta::decode(word, sm)?;
            (instruction, word ^ volta::encode(&instruction, sm).unwrap_or(0))
        }
        (Word::Bits64(word), Some(encoding @ (Encoding::Kepler | Encoding::Maxwell))) => {
            let instruction = maxwell::decode(word, encoding, sm)?;
            let again = maxwell::encode(&instruction, Some(encoding), sm).unwrap_or(0);
            (instruction, u128::from(word ^ again))
        }
        (Word::Bits64(_), Some(Encoding::Volta)) => return Err(width(64, "128")),
        (Word::Bits128(_), Some(_)) => return Err(width(128, "64")),
        (Word::Bits64(_), None) => return Err(width(64, "an SM of 32 to 37, 50 to 62, or 70 on")),
        (Word::Bits128(_), None) => {
            return Err(width(128, "an SM of 32 to 37, 50 to 62, or 70 on"));
        }
    };
    // Encoding what was understood gives the word back, or some bit was not understood.
    if extra != 0 {
        return Err(DecodeError::Reserved { bit: extra.trailing_zeros() });
    }
    instruction.operation.check(sm)?;
    Ok(instruction)
}

impl fmt::Display for Word {
    /// Hex digits; of a 128-bit word the low half first, as it lies in memory.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits64(word) => write!(f, "{word:016x}"),
            Self::Bits128(word) => write!(f, "{:016x} {:016x}", *word as u64, word >> 64),
        }
    }
}
