//! `siliray isbe`: the staging memory of shaders.

pub(crate) mod args;
mod asm;
mod attributes;
mod capture;
mod check;
mod info;
mod inspect;
mod layout;
mod mesh;
mod run;

use crate::failure::Failure;
use crate::output::Output;
use args::{DumpFile, Isbe, IsbeCommand};
use siliray::isbe::container::check::{DumpReport, check as check_dump};
use siliray::isbe::{Dump, Limits, Reader};
use siliray::scene::read_file;
use std::path::Path;

/// Runs a command of the group.
pub(crate) fn run(args: &Isbe, triangles: Option<usize>, output: &Output) -> Result<(), Failure> {
    match &args.command {
        IsbeCommand::Info(args) => info::run(args, output),
        IsbeCommand::Check(args) => check::run(args, output),
        IsbeCommand::Inspect(args) => inspect::run(args, output),
        IsbeCommand::Layout(args) => layout::run(args, output),
        IsbeCommand::Attributes => attributes::run(output),
        IsbeCommand::Asm(args) => asm::assemble(args, output),
        IsbeCommand::Disasm(args) => asm::disassemble(args, output),
        IsbeCommand::Run(args) => run::run(args, output),
        IsbeCommand::Mesh(args) => mesh::run(args, output),
        IsbeCommand::Capture(args) => capture::run(args, triangles, output),
    }
}

/// The limits that a flag asks for.
fn limits(raw: bool) -> Limits {
    if raw { Limits::Raw } else { Limits::Driver }
}

/// The bytes of a file.
fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    read_file(file).map_err(Failure::input)
}

/// A dump and what a check found in it.
fn report(args: &DumpFile) -> Result<DumpReport, Failure> {
    Ok(check_dump(&bytes(&args.file)?, limits(args.raw_limits)))
}

/// A dump as far as it can be read, and what reads its workgroups.
fn readable(args: &DumpFile, report: &DumpReport) -> Result<(Dump, Reader), Failure> {
    let dump = report.dump.as_ref();
    let reader = dump.and_then(|dump| Reader::new(dump, limits(args.raw_limits)).ok());
    match (dump, reader) {
        (Some(dump), Some(reader)) => Ok((dump.clone(), reader)),
        _ => {
            let file = args.file.display();
            let first = report.findings.first().map(ToString::to_string).unwrap_or_default();
            Err(Failure::input(format!("{file}: {first}")))
        }
    }
}
