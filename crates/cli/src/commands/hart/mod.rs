//! Programs on the RISC-V hart.

pub(crate) mod args;
pub(crate) mod asm;
pub(crate) mod disasm;
mod memory_files;
mod observer;
mod profile;
pub(crate) mod run;

use crate::failure::Failure;
use args::HartChoice;
use siliray::extensions::{Options, extension};
use siliray::riscv::{Config, Hart, Program, check_isa};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The largest file that is read.
const MOST_BYTES: u64 = 1 << 30;

/// Exit code when the host, not the program, is at fault.
const HOST_ERROR: u8 = 125;

/// What a run asks of extensions beyond what they are.
#[derive(Default)]
struct UnitChoice {
    rtcap: Option<u64>,
    lint: bool,
}

/// A hart as the options ask for it.
fn make(choice: &HartChoice, config: Config, unit: UnitChoice) -> Result<Hart, Failure> {
    check_isa(&choice.isa).map_err(Failure::usage)?;
    if choice.extensions.is_empty() && (unit.rtcap.is_some() || !choice.readings.is_empty()) {
        return Err(Failure::usage("--reading and --rtcap are about an extension")
            .hint("add --extension NAME"));
    }
    let options =
        Options { readings: choice.readings.clone(), capabilities: unit.rtcap, lint: unit.lint };
    let extensions = choice.extensions.iter().map(|name| extension(name, &options));
    let extensions = extensions.collect::<Result<Vec<_>, _>>().map_err(Failure::usage)?;
    Hart::new(config, extensions).map_err(Failure::usage)
}

/// Puts the program in the file `path` into `hart`.
fn load(hart: &mut Hart, path: &Path) -> Result<Program, Failure> {
    let bytes = read_file(path)?;
    hart.load_elf(&bytes).map_err(|error| cannot_load(path, &error))
}

/// The bytes of a file for the hart. A device may go on for ever, so there is a limit.
fn read_file(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| cannot_load(path, &error))?;
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| cannot_load(path, &error))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(cannot_load(path, &format!("it has more than {MOST_BYTES} bytes")));
    }
    Ok(bytes)
}

fn cannot_load(path: &Path, problem: &dyn std::fmt::Display) -> Failure {
    Failure::input(format!("cannot load {}: {problem}", path.display())).code(HOST_ERROR)
}
