//! Instructions: text becomes words, and words become text.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use isbe::generation::{Encoding, encoding};
use isbe::instruction::encoding::{EncodeError, Word, decode, encode};
use isbe::instruction::parse::{ParseError, parse_program};
use serde::Serialize;

/// A program.
#[derive(Debug, Clone, Serialize)]
pub struct InstructionsDocument {
    pub sm: u16,
    pub instructions: Vec<InstructionDocument>,
}

#[derive(Debug, Clone, Serialize)]
pub struct InstructionDocument {
    /// The line of the text, from 1, or the byte offset of the word.
    pub position: usize,
    pub words: Vec<String>,
    pub text: Option<String>,
    /// Why the words are no instruction.
    pub error: Option<String>,
}

/// Why a program has no words or no text.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A line is no instruction.
    #[error(transparent)]
    Text(#[from] ParseError),
    /// The generation has no such instruction.
    #[error("line {line}: {source}")]
    Encode {
        /// Which line, from 1.
        line: usize,
        /// Why.
        source: EncodeError,
    },
    /// The last word is cut.
    #[error("found {found} bytes, expected a multiple of {size} for SM{sm}")]
    Length {
        /// How many bytes there are.
        found: usize,
        /// The size of an instruction.
        size: usize,
        /// The generation.
        sm: u16,
    },
}

impl InstructionsDocument {
    /// The program of a text, and its words as bytes, little endian.
    ///
    /// # Errors
    /// When a line is no instruction of that generation.
    pub fn assemble(text: &str, sm: u16) -> Result<(Self, Vec<u8>), ProgramError> {
        let (mut instructions, mut bytes) = (Vec::new(), Vec::new());
        for source in parse_program(text)? {
            let line = source.line;
            let word = encode(&source.instruction, sm)
                .map_err(|source| ProgramError::Encode { line, source })?;
            bytes.extend(little_endian(word));
            instructions.push(InstructionDocument {
                position: line,
                words: halves(word),
                text: Some(source.instruction.to_string()),
                error: None,
            });
        }
        Ok((Self { sm, instructions }, bytes))
    }

    /// The program in bytes, or in words that are written as 16 hex digits each.
    ///
    /// # Errors
    /// When there is no whole number of instructions.
    pub fn disassemble(bytes: &[u8], sm: u16) -> Result<Self, ProgramError> {
        let is_wide = encoding(sm) == Some(Encoding::Volta);
        let size = if is_wide { 16 } else { 8 };
        let words = hex_text(bytes);
        let bytes = words.as_deref().unwrap_or(bytes);
        if !bytes.len().is_multiple_of(size) {
            return Err(ProgramError::Length { found: bytes.len(), size, sm });
        }
        let instruction = |(number, chunk): (usize, &[u8])| {
            let word = chunk.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
            let word = if is_wide { Word::Bits128(word) } else { Word::Bits64(word as u64) };
            let (text, error) = match decode(word, sm) {
                Ok(instruction) => (Some(instruction.to_string()), None),
                Err(error) => (None, Some(error.to_string())),
            };
            InstructionDocument { position: number * size, words: halves(word), text, error }
        };
        Ok(Self { sm, instructions: bytes.chunks(size).enumerate().map(instruction).collect() })
    }
}

/// The bytes of words written as 16 hex digits each, with comments; `None` if it is something else.
fn hex_text(bytes: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut words = Vec::new();
    for token in code.flat_map(str::split_whitespace) {
        let digits = token.strip_prefix("0x").unwrap_or(token);
        let word = u64::from_str_radix(digits, 16).ok().filter(|_| digits.len() <= 16)?;
        words.extend(word.to_le_bytes());
    }
    Some(words)
}

fn halves(word: Word) -> Vec<String> {
    word.to_string().split(' ').map(str::to_owned).collect()
}

fn little_endian(word: Word) -> Vec<u8> {
    match word {
        Word::Bits64(word) => word.to_le_bytes().to_vec(),
        Word::Bits128(word) => word.to_le_bytes().to_vec(),
    }
}
