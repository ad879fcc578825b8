//! `siliray disasm`: the instructions of a program.

use super::args::Disasm;
use super::{load, make};
use crate::failure::Failure;
use crate::output::{self, Output};
use serde::Serialize;
use siliray::riscv::{Hart, Program};

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    instructions: Vec<JsonInstruction>,
}

#[derive(Serialize)]
struct JsonInstruction {
    address: String,
    word: String,
    mnemonic: String,
    operands: String,
}

/// Lines that are printed at once.
const BATCH: usize = 1 << 16;

/// Shows every executable part.
pub(crate) fn run(args: &Disasm, output: &Output) -> Result<(), Failure> {
    let mut hart = make(&args.hart)?;
    let program = load(&mut hart, &args.program).map_err(|failure| failure.code(1))?;
    if output.is_json() {
        let parts = program.code.iter();
        let instructions =
            parts.flat_map(|&part| walk(&hart, part)).map(|(address, bits, size)| {
                let text = hart.disassemble(bits, address);
                JsonInstruction {
                    address: format!("{address:#x}"),
                    word: word(bits, size),
                    mnemonic: text.mnemonic,
                    operands: text.operands,
                }
            });
        return output.result(&Json { instructions: instructions.collect() }, "");
    }
    let mut text = String::new();
    for &part in &program.code {
        for (address, bits, size) in walk(&hart, part) {
            text += &labels(&program, address);
            let shown = hart.disassemble(bits, address);
            let operands = with_place(&program, &shown.operands);
            let line = format!(
                "{address:>12x}:\t{:<10}\t{}\t{operands}",
                word(bits, size),
                shown.mnemonic
            );
            text += line.trim_end();
            text.push('\n');
            if text.len() > BATCH {
                output::print(&std::mem::take(&mut text))?;
            }
        }
    }
    output::print(&text)
}

/// Address, bits and size of the instructions in a part of memory. What is outside memory ends it.
fn walk(hart: &Hart, (start, size): (u64, u64)) -> impl Iterator<Item = (u64, u32, u64)> {
    let mut address = start;
    let end = start.saturating_add(size);
    std::iter::from_fn(move || {
        let bits = hart.instruction_bits(address).filter(|_| address < end)?;
        let size = if bits & 3 == 3 { 4 } else { 2 };
        address += size;
        Some((address - size, bits, size))
    })
}

fn word(bits: u32, size: u64) -> String {
    if size == 4 { format!("{bits:08x}") } else { format!("{:04x}", bits & 0xFFFF) }
}

/// The lines of symbols that stand at `address`.
fn labels(program: &Program, address: u64) -> String {
    program.symbols_at(address).map(|name| format!("\n{address:016x} <{name}>:\n")).collect()
}

/// Operands that end in an address get the symbol beside it, as objdump shows it.
fn with_place(program: &Program, operands: &str) -> String {
    let last = operands.rsplit(',').next().unwrap_or_default();
    let target = last.strip_prefix("0x").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    match target.and_then(|target| program.place(target)) {
        Some(place) => format!("{operands} <{place}>"),
        None => operands.to_owned(),
    }
}
