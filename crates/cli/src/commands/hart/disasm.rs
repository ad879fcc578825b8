//! `siliray disasm`: the instructions of a program.

use super::args::Disasm;
use super::{UnitChoice, cannot_load, make, read_file};
use crate::failure::Failure;
use crate::output::{self, Output};
use serde::Serialize;
use siliray::riscv::memory::RAM_BASE;
use siliray::riscv::{Config, ElfError, Hart, Program};

/// What `--json` prints.
#[derive(Serialize)]
pub(super) struct Json {
    instructions: Vec<JsonInstruction>,
}

impl Json {
    /// Instructions by address, bits and size.
    pub(super) fn new(hart: &Hart, shown: impl Iterator<Item = (u64, u32, u64)>) -> Self {
        let instructions = shown.map(|(address, bits, size)| {
            let text = hart.disassemble(bits, address);
            JsonInstruction {
                address: format!("{address:#x}"),
                word: word(bits, size),
                mnemonic: text.mnemonic,
                operands: text.operands,
            }
        });
        Self { instructions: instructions.collect() }
    }
}

#[derive(Serialize)]
struct JsonInstruction {
    address: String,
    word: String,
    mnemonic: String,
    operands: String,
}

/// Memory that a program may take up to be shown.
const MOST_RAM: u64 = 4 << 30;

/// Lines that are printed at once.
const BATCH: usize = 1 << 16;

/// Shows every executable part.
pub(crate) fn run(args: &Disasm, output: &Output) -> Result<(), Failure> {
    let (hart, program) = loaded(args).map_err(|failure| failure.code(1))?;
    if output.is_json() {
        let shown = program.code.iter().flat_map(|&part| walk(&hart, part));
        return output.result(&Json::new(&hart, shown), "");
    }
    let mut text = String::new();
    for &part in &program.code {
        for (address, bits, size) in walk(&hart, part) {
            text += &labels(&program, address);
            let shown = hart.disassemble(bits, address);
            let operands = with_place(&program, &shown.operands);
            text += &line(address, &word(bits, size), &shown.mnemonic, &operands);
            if text.len() > BATCH {
                output::print(&std::mem::take(&mut text))?;
            }
        }
    }
    output::print(&text)
}

/// The program in as much memory as it needs.
fn loaded(args: &Disasm) -> Result<(Hart, Program), Failure> {
    let file = read_file(&args.program)?;
    let mut config = Config::default();
    loop {
        let mut hart = make(&args.hart, config.clone(), UnitChoice::default())?;
        match hart.load_elf(&file) {
            Ok(program) => return Ok((hart, program)),
            Err(ElfError::Outside { address, size, ram, .. })
                if (ram..MOST_RAM)
                    .contains(&address.saturating_add(size).wrapping_sub(RAM_BASE)) =>
            {
                config.ram = 2 * ram;
            }
            Err(error) => return Err(cannot_load(&args.program, &error)),
        }
    }
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

/// A line of a listing.
pub(super) fn line(address: u64, word: &str, mnemonic: &str, operands: &str) -> String {
    let line = format!("{address:>12x}:\t{word:<10}\t{mnemonic}\t{operands}");
    format!("{}\n", line.trim_end())
}

/// An instruction in hex.
pub(super) fn word(bits: u32, size: u64) -> String {
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
