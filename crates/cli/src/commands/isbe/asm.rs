//! `siliray isbe asm` and `siliray isbe disasm`.

use super::args::{Asm, Disasm};
use crate::failure::Failure;
use crate::output::{AtomicFile, Output};
use siliray::documents::isbe::instructions::{InstructionDocument, InstructionsDocument};

/// Text becomes words.
pub(crate) fn assemble(args: &Asm, output: &Output) -> Result<(), Failure> {
    let (name, text) = args.source.program.read_text()?;
    let (json, bytes) = InstructionsDocument::assemble(&text, args.source.sm)
        .map_err(|error| Failure::input(format!("{name}: {error}")))?;
    if let Some(file) = &args.output {
        AtomicFile::create(file)?.write(&bytes)?;
    }
    let mut text = String::new();
    if args.output.is_none() {
        for line in &json.instructions {
            let comment = line.text.as_deref().unwrap_or_default();
            text += &format!("{}  // {comment}\n", line.words.join(" "));
        }
    }
    output.result(&json, &text)
}

/// Words become text.
pub(crate) fn disassemble(args: &Disasm, output: &Output) -> Result<(), Failure> {
    let (name, bytes) = args.source.program.read()?;
    let json = InstructionsDocument::disassemble(&bytes, args.source.sm)
        .map_err(|error| Failure::input(format!("{name}: {error}")))?;
    let line = |InstructionDocument { words, text, error, .. }: &InstructionDocument| {
        let words = words.join(" ");
        match text {
            Some(text) => format!("{text}  // {words}\n"),
            None => format!("// {words}: {}\n", error.as_deref().unwrap_or_default()),
        }
    };
    let text: String = json.instructions.iter().map(line).collect();
    output.result(&json, &text)
}
