//! `siliray run`: a program from its entry to its end.

use super::args::Run;
use super::observer::Files;
use super::profile::JsonProfile;
use super::{HOST_ERROR, UnitChoice, load, make};
use crate::failure::Failure;
use crate::output::number::{counted, grouped};
use crate::output::{AtomicFile, Output, Table};
use serde::Serialize;
use siliray::riscv::{
    Cause, Config, Ended, Hart, ISA, Limits, Profile, Program, Recent, gdb, jsonl, signature,
};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;

/// Exit code when the limit of instructions was reached.
const LIMIT: u8 = 124;
/// Exit code when the program waits for something that cannot happen.
const DEADLOCK: u8 = 126;

/// Advice where a program meets what only extensions have.
const EXTENSION_HINT: &str = "instructions and registers of extensions need --extension NAME";

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    ended: &'static str,
    code: u64,
    instructions: u64,
    pc: String,
    isa: &'static str,
    extensions: Vec<String>,
    output: String,
    warnings: Vec<String>,
    trap: Option<JsonTrap>,
    profile: Option<JsonProfile>,
    /// What offload jobs did, by memory class and domain.
    jobs: Vec<BTreeMap<&'static str, u64>>,
}

#[derive(Serialize)]
struct JsonTrap {
    cause: String,
    name: String,
    epc: String,
    tval: String,
}

/// Runs the program and passes on its exit code.
pub(crate) fn run(args: &Run, output: &Output) -> Result<(), Failure> {
    let config =
        Config { ram: args.mem, boot_rom: args.boot_rom, fill: args.fill, ..Config::default() };
    let unit = UnitChoice { rtcap: args.rtcap, lint: args.lint };
    let mut hart = make(&args.hart, config, unit)?;
    let program = load(&mut hart, &args.program)?;
    for file in &args.loads {
        file.put(&mut hart, &program)?;
    }
    let until_pc = args.until_pc.as_ref().map(|place| place.address(&program)).transpose()?;
    let limits = Limits { instructions: args.max_instructions as u64, until_pc };
    let dumps = args.dumps.iter().map(|dump| dump.begin(&hart, &program));
    let dumps = dumps.collect::<Result<Vec<_>, _>>()?;
    let create = |path: &Option<std::path::PathBuf>| {
        let file = path.as_deref().map(AtomicFile::create).transpose();
        file.map_err(|failure| failure.code(HOST_ERROR))
    };
    let signature_file = create(&args.signature)?;
    let mut files = Files {
        log: create(&args.log)?,
        log_traps: args.log_traps,
        trace: create(&args.trace)?,
        profile: args.profile.then(Profile::default),
        keeps_output: output.is_json(),
        output: Vec::new(),
        warnings: Vec::new(),
        failure: None,
    };
    if let Some(trace) = &mut files.trace {
        let head = jsonl::head(ISA, &hart, &args.hart.readings, &file_name(&args.program));
        trace.append(format!("{head}\n").as_bytes()).map_err(|it| it.code(HOST_ERROR))?;
    }
    if !hart.has_host_interface() && !output.is_json() {
        note(
            "note: the program has no symbol tohost: only --max-instructions, --until-pc or a trap \
             with mtvec 0 ends it",
        );
    }
    hart.set_recording(args.log.is_some() || args.trace.is_some());
    let (ended, recent) = match args.gdb {
        Some(port) => (debug(&mut hart, port, limits, &mut files)?, Recent::default()),
        None => hart.run_program(limits, &mut files),
    };
    files.finish().map_err(|failure| failure.code(HOST_ERROR))?;
    if let Some(file) = signature_file {
        let text = signature(&hart, &program, args.signature_granularity);
        let text = text.map_err(|error| Failure::input(error).code(HOST_ERROR))?;
        file.write(text.as_bytes()).map_err(|failure| failure.code(HOST_ERROR))?;
    }
    for dump in dumps {
        dump.finish(&hart)?;
    }
    let profile = files.profile.take().map(|it| JsonProfile::new(&it, &hart, &program));
    if output.is_json() {
        output.result(&json(&hart, &ended, files, profile), "")?;
    } else {
        profile.iter().for_each(|profile| note(&profile.text()));
        if args.jobs {
            note(&job_table(&hart));
        }
    }
    if let (Some(pc), false) = (until_pc, output.is_json()) {
        let count = counted(hart.core.retired() as usize, "instruction");
        note(&match ended {
            Ended::UntilPc => format!("stopped before {pc:#x} after {count}"),
            _ => format!("note: {pc:#x} was not reached"),
        });
    }
    verdict(&hart, &program, &ended, &recent)
}

/// Runs the program under gdb.
fn debug(hart: &mut Hart, port: u16, limits: Limits, files: &mut Files) -> Result<Ended, Failure> {
    let failed = |problem: String| Failure::input(problem).code(HOST_ERROR);
    let listener = TcpListener::bind(("127.0.0.1", port));
    let listener = listener
        .map_err(|error| failed(format!("cannot listen on port {port} of localhost: {error}")))?;
    // The system picks a port for 0.
    let port = listener.local_addr().map_or(port, |address| address.port());
    note(&format!("waiting for gdb: target remote localhost:{port}"));
    gdb::serve(hart, &listener, limits, files).map_err(|error| failed(error.to_string()))
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn note(text: &str) {
    // Nobody is left to tell if standard error is closed.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn json(hart: &Hart, ended: &Ended, files: Files, profile: Option<JsonProfile>) -> Json {
    let (kind, code) = match ended {
        Ended::Exited(code) => ("exit", *code),
        Ended::Limit => ("limit", u64::from(LIMIT)),
        Ended::UntilPc => ("until-pc", 0),
        Ended::Unhandled(..) => ("trap", u64::from(HOST_ERROR)),
        Ended::Deadlock(_) => ("deadlock", u64::from(DEADLOCK)),
        Ended::Aborted => ("aborted", u64::from(HOST_ERROR)),
    };
    let trap = match ended {
        Ended::Unhandled(trap, epc) => Some(JsonTrap {
            cause: format!("{:#x}", trap.cause.code()),
            name: trap.cause.to_string(),
            epc: format!("{epc:#x}"),
            tval: format!("{:#x}", trap.value),
        }),
        _ => None,
    };
    Json {
        ended: kind,
        code,
        instructions: hart.core.retired(),
        pc: format!("{:#x}", hart.core.pc),
        isa: ISA,
        extensions: hart.extensions().map(|extension| extension.name().to_owned()).collect(),
        output: String::from_utf8_lossy(&files.output).into_owned(),
        warnings: files.warnings,
        trap,
        profile,
        jobs: job_rows(hart).map(|row| row.into_iter().collect()).collect(),
    }
}

/// What offload jobs did: a row for each memory class and domain.
fn job_rows(hart: &Hart) -> impl Iterator<Item = Vec<(&'static str, u64)>> {
    hart.extensions().flat_map(|extension| extension.report())
}

fn job_table(hart: &Hart) -> String {
    let rows: Vec<Vec<(&str, u64)>> = job_rows(hart).collect();
    let Some(first) = rows.first() else { return "no offload job has run".to_owned() };
    let names: Vec<String> = first.iter().map(|(name, _)| name.replace('_', " ")).collect();
    let mut table = Table::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for row in &rows {
        table.row(row.iter().map(|(_, count)| grouped(*count)).collect());
    }
    table.text().trim_end().to_owned()
}

/// The exit code, and what there is to say about it.
fn verdict(hart: &Hart, program: &Program, ended: &Ended, recent: &Recent) -> Result<(), Failure> {
    match ended {
        Ended::Exited(0) | Ended::UntilPc => Ok(()),
        Ended::Exited(code) => {
            let low = (code & 0xFF) as u8;
            Err(Failure::exit_only().code(if low == 0 { u8::MAX } else { low }))
        }
        Ended::Limit => {
            let mut text = format!(
                "the program has not ended after {} instructions; pc is {:#x}; the last ones:",
                hart.core.retired(),
                hart.core.pc
            );
            for &pc in &recent.pcs {
                text += &format!("\n  {}", line(hart, program, pc));
            }
            Err(Failure::input(text).code(LIMIT).hint("--max-instructions N allows more"))
        }
        Ended::Unhandled(trap, epc) => {
            let text = format!(
                "{} at {}, tval {:#x}, and no handler (mtvec is 0)",
                trap.cause,
                line(hart, program, *epc),
                trap.value
            );
            let failure = Failure::input(text).code(HOST_ERROR);
            let lacks_extension = hart.extensions().next().is_none()
                && trap.cause == Cause::IllegalInstruction
                && is_custom(trap.value);
            Err(if lacks_extension { failure.hint(EXTENSION_HINT) } else { failure })
        }
        Ended::Deadlock(what) => {
            let text = format!("deadlock at {:#x}: {what}", hart.core.pc);
            Err(Failure::input(text).code(DEADLOCK))
        }
        Ended::Aborted => Err(Failure::exit_only().code(HOST_ERROR)),
    }
}

/// Whether an instruction word is left to extensions: one of the custom opcodes, or an access to a
/// custom CSR.
fn is_custom(word: u64) -> bool {
    match word & 0x7F {
        0x0B | 0x2B | 0x5B | 0x7B => true,
        0x73 => matches!(word >> 20 & 0xFFF, 0x5C0..=0x5FF | 0x7C0..=0x8FF),
        _ => false,
    }
}

/// `0x80000010 <main+0x4>: addi a0,a0,1`
fn line(hart: &Hart, program: &Program, pc: u64) -> String {
    let place = program.place(pc).map_or(String::new(), |place| format!(" <{place}>"));
    match hart.instruction_bits(pc) {
        Some(bits) => format!("{pc:#x}{place}: {}", hart.disassemble(bits, pc)),
        None => format!("{pc:#x}{place}: no memory"),
    }
}
