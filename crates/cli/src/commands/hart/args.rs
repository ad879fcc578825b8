//! The options of `siliray run`, `siliray asm` and `siliray disasm`.

use super::memory_files::{self, Dump, Load, Place};
use crate::program_text::ProgramText;
use crate::values;
use clap::Args;
use siliray::riscv::{MAX_RAM, SIZE_STEP};
use std::path::PathBuf;

/// Run a program on a RISC-V hart.
///
/// The program is a statically linked ELF file for RV64GC in machine mode, as an ordinary cross
/// compiler makes it. RAM starts at 0x80000000; the symbols tohost and fromhost are its way to
/// print and to end. Nothing depends on a clock: the same program and options give the same log,
/// byte for byte.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray run prog.elf
  siliray run prog.elf --log commit.log --log-traps
  siliray run prog.elf --trace trace.jsonl --max-instructions 1e6
  siliray run prog.elf --until-pc main
  siliray run prog.elf --profile
  siliray run offload.elf --extension xphmg --load scene.xphmg@0x81000000 --jobs > picture.ppm
  siliray run prog.elf --gdb 1234          then: gdb-multiarch prog.elf -ex 'target remote :1234'
  siliray run test.elf --signature test.sig --signature-granularity 4
  siliray build interior --format xphmg-fp32 -o scene.xphmg
  siliray run wavefront.elf --extension xphmg --load scene.xphmg@0x81000000 > picture.ppm

Addresses are numbers or symbols of the program.

Exit status:
  the program's own (255 if it is a multiple of 256 other than 0, else its low eight bits)
  2    wrong usage
  124  the limit of instructions was reached
  125  no program, a file that cannot be written, or a trap without a handler (mtvec is 0)
  126  the program waits for something that cannot happen")]
pub(crate) struct Run {
    /// The program
    #[arg(value_name = "PROG.elf")]
    pub(crate) program: PathBuf,

    #[command(flatten)]
    pub(crate) hart: HartChoice,

    /// Copy a file into memory before the program starts, for example the image of a scene; may be
    /// repeated
    #[arg(long = "load", value_name = "FILE@ADDRESS", value_parser = memory_files::load)]
    pub(crate) loads: Vec<Load>,

    /// Write a part of memory to a file when the program has ended; may be repeated
    #[arg(long = "dump", value_name = "FILE@ADDRESS:BYTES", value_parser = memory_files::dump)]
    pub(crate) dumps: Vec<Dump>,

    /// Write one line for each retired instruction, as Spike's --log-commits does
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,

    /// Write traps to the log too
    #[arg(long, requires = "log")]
    pub(crate) log_traps: bool,

    /// Write one JSON object for each instruction and trap; docs/riscv.md describes the keys
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,

    /// Wait for gdb on this port of localhost before the first instruction
    #[arg(long, value_name = "PORT")]
    pub(crate) gdb: Option<u16>,

    /// Write the memory between begin_signature and end_signature when the program has ended
    #[arg(long, value_name = "FILE")]
    pub(crate) signature: Option<PathBuf>,

    /// Bytes on each line of the signature: 4, 8 or 16
    #[arg(long, value_name = "N", default_value_t = 4, requires = "signature")]
    #[arg(value_parser = granularity, allow_negative_numbers = true)]
    pub(crate) signature_granularity: usize,

    /// Stop after N instructions; traps and the steps of offload jobs count too
    #[arg(long, value_name = "N", default_value = "1e9", allow_negative_numbers = true)]
    #[arg(value_parser = |text: &str| values::count(text, 1, usize::MAX >> 1))]
    pub(crate) max_instructions: usize,

    /// Stop before the instruction at this address or symbol
    #[arg(long, value_name = "ADDRESS", value_parser = memory_files::place)]
    pub(crate) until_pc: Option<Place>,

    /// Say at the end, on standard error, which instructions ran and in which functions: counts
    /// and shares, by mnemonic and by the symbols of the program
    #[arg(long)]
    pub(crate) profile: bool,

    /// Say at the end, on standard error, what offload jobs did and how their memory fared: a row
    /// for each memory class and coherence domain
    #[arg(long)]
    pub(crate) jobs: bool,

    /// The features that the extension's capability register shows, for example 0x3f
    #[arg(long, value_name = "VALUE", value_parser = address)]
    pub(crate) rtcap: Option<u64>,

    /// Warn where a program breaks a rule that has no consequence here, computes in a precision
    /// that nobody set, or has a job refused
    #[arg(long)]
    pub(crate) lint: bool,

    /// Bytes of RAM: 134217728, 128M or 2G
    #[arg(long, value_name = "SIZE", default_value = "128M", value_parser = size)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) mem: u64,

    /// Start in the boot ROM, which jumps to the program with a0 = hart id and a1 = 0
    #[arg(long)]
    pub(crate) boot_rom: bool,

    /// Fill RAM with a pattern instead of zeros, to expose reads of memory that nobody has written
    #[arg(long, value_name = "SEED", value_parser = address)]
    pub(crate) fill: Option<u64>,
}

/// Assemble instructions, in the syntax that disasm shows.
///
/// One instruction a line, spelt as objdump does without aliases; `name:` is a label, and what
/// follows # or // is a comment. Instructions of an extension are known if it is on.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray asm -e 'addi a0,zero,42'
  siliray asm loop.s --base 0x80001000 -o loop.bin
  siliray asm -e 'rt.tri a1, (a0), cull_back' --extension xphmg")]
pub(crate) struct Asm {
    #[command(flatten)]
    pub(crate) program: ProgramText,

    #[command(flatten)]
    pub(crate) hart: HartChoice,

    /// The address of the first instruction
    #[arg(long, value_name = "ADDR", default_value = "0x80000000", value_parser = address)]
    #[arg(allow_negative_numbers = true)]
    pub(crate) base: u64,

    /// Write the instructions to a file, little endian, instead of printing them
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Show the instructions of a program, spelt as objdump does without aliases.
///
/// Instructions of an extension are named if it is on.
#[derive(Debug, Args)]
#[command(after_long_help = "\
Examples:
  siliray disasm prog.elf
  siliray disasm prog.elf --json")]
pub(crate) struct Disasm {
    /// The program
    #[arg(value_name = "PROG.elf")]
    pub(crate) program: PathBuf,

    #[command(flatten)]
    pub(crate) hart: HartChoice,
}

/// Which instructions and registers there are.
#[derive(Debug, Clone, Args)]
pub(crate) struct HartChoice {
    /// Add an extension; may be repeated
    #[arg(long = "extension", value_name = "NAME")]
    pub(crate) extensions: Vec<String>,

    /// Insist on an instruction set; anything that the hart does not have is an error
    #[arg(long, value_name = "NAME", default_value = "rv64gc")]
    pub(crate) isa: String,

    /// Follow another reading of the extension's specification; may be repeated
    #[arg(long = "reading", value_name = "KEY=VALUE", value_parser = reading)]
    pub(crate) readings: Vec<(String, String)>,
}

fn granularity(text: &str) -> Result<usize, String> {
    match text {
        "4" => Ok(4),
        "8" => Ok(8),
        "16" => Ok(16),
        _ => Err("expected 4, 8 or 16".to_owned()),
    }
}

/// A number, in hex after 0x.
fn address(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "expected a number of 64 bits, such as 4096 or 0x80000000".to_owned())
}

fn reading(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("expected KEY=VALUE".to_owned()),
    }
}

fn size(text: &str) -> Result<u64, String> {
    let expected = || {
        format!("expected a multiple of {SIZE_STEP} from 4K to {}G, such as 128M", MAX_RAM >> 30)
    };
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 10),
        Some(b'M' | b'm') => (&text[..text.len() - 1], 20),
        Some(b'G' | b'g') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let number = address(digits).map_err(|_| expected())?;
    let size = number.checked_mul(1 << unit).ok_or_else(expected)?;
    let is_possible = (SIZE_STEP..=MAX_RAM).contains(&size) && size % SIZE_STEP == 0;
    if is_possible { Ok(size) } else { Err(expected()) }
}
