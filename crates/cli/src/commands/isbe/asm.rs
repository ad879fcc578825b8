//! `siliray isbe asm` and `siliray isbe disasm`.

use super::args::{Asm, Disasm};
use crate::failure::Failure;
use crate::output::{AtomicFile, Output};
use serde::Serialize;
use siliray::isbe::generation::{Encoding, encoding};
use siliray::isbe::instruction::encoding::{Word, decode, encode};
use siliray::isbe::instruction::parse::parse_program;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    sm: u16,
    instructions: Vec<JsonInstruction>,
}

#[derive(Serialize)]
struct JsonInstruction {
    /// The line of the text, from 1, or the byte offset of the word.
    position: usize,
    words: Vec<String>,
    text: Option<String>,
    /// Why the words are no instruction.
    error: Option<String>,
}

/// Text becomes words.
pub(crate) fn assemble(args: &Asm, output: &Output) -> Result<(), Failure> {
    let (name, text) = args.source.program.read_text()?;
    let wrong = |error: String| Failure::input(format!("{name}: {error}"));
    let program = parse_program(&text).map_err(|error| wrong(error.to_string()))?;
    let mut instructions = Vec::new();
    let mut bytes = Vec::new();
    for source in program {
        let word = encode(&source.instruction, args.source.sm)
            .map_err(|error| wrong(format!("line {}: {error}", source.line)))?;
        bytes.extend(little_endian(word));
        instructions.push(JsonInstruction {
            position: source.line,
            words: halves(word),
            text: Some(source.instruction.to_string()),
            error: None,
        });
    }
    if let Some(file) = &args.output {
        AtomicFile::create(file)?.write(&bytes)?;
    }
    let mut text = String::new();
    if args.output.is_none() {
        for line in &instructions {
            let comment = line.text.as_deref().unwrap_or_default();
            text += &format!("{}  // {comment}\n", line.words.join(" "));
        }
    }
    output.result(&Json { sm: args.source.sm, instructions }, &text)
}

/// Words become text.
pub(crate) fn disassemble(args: &Disasm, output: &Output) -> Result<(), Failure> {
    let (name, bytes) = args.source.program.read()?;
    let sm = args.source.sm;
    let wide = encoding(sm) == Some(Encoding::Volta);
    let size = if wide { 16 } else { 8 };
    let bytes = hex_text(&bytes).unwrap_or(bytes);
    if !bytes.len().is_multiple_of(size) {
        let found = bytes.len();
        let message =
            format!("{name}: found {found} bytes, expected a multiple of {size} for SM{sm}");
        return Err(Failure::input(message));
    }
    let mut text = String::new();
    let mut instructions = Vec::new();
    for (number, chunk) in bytes.chunks(size).enumerate() {
        let word = chunk.iter().rev().fold(0, |word, byte| word << 8 | u128::from(*byte));
        let word = if wide { Word::Bits128(word) } else { Word::Bits64(word as u64) };
        let decoded = decode(word, sm).map(|instruction| instruction.to_string());
        let (shown, error) = match decoded {
            Ok(shown) => (Some(shown), None),
            Err(error) => (None, Some(error.to_string())),
        };
        text += &match (&shown, &error) {
            (Some(shown), _) => format!("{shown}  // {word}\n"),
            (None, error) => format!("// {word}: {}\n", error.as_deref().unwrap_or_default()),
        };
        let (position, words) = (number * size, halves(word));
        instructions.push(JsonInstruction { position, words, text: shown, error });
    }
    output.result(&Json { sm, instructions }, &text)
}

/// What the source holds, and what to call it in errors.
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
