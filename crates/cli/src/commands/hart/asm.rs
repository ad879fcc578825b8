//! `siliray asm`: text to instructions.

use super::args::Asm;
use super::disasm::{Json, line, word};
use super::{UnitChoice, make};
use crate::failure::Failure;
use crate::output::{AtomicFile, Output};
use siliray::riscv::Config;

/// Assembles a text.
pub(crate) fn run(args: &Asm, output: &Output) -> Result<(), Failure> {
    let hart = make(&args.hart, Config::default(), UnitChoice::default())?;
    let (name, text) = args.program.read_text()?;
    let assembled = hart
        .assemble(&text, args.base)
        .map_err(|(line, error)| Failure::input(format!("{name}: line {line}: {error}")))?;
    let shown = || assembled.iter().map(|it| (it.address, it.word, it.size()));
    let mut text = String::new();
    match &args.output {
        Some(file) => {
            let bytes = shown()
                .flat_map(|(_, word, size)| word.to_le_bytes().into_iter().take(size as usize));
            AtomicFile::create(file)?.write(&bytes.collect::<Vec<u8>>())?;
        }
        None => {
            for (address, bits, size) in shown() {
                let found = hart.disassemble(bits, address);
                text += &line(address, &word(bits, size), &found.mnemonic, &found.operands);
            }
        }
    }
    output.result(&Json::new(&hart, shown()), &text)
}
