//! `siliray isbe check`: every byte of a dump.

use super::args::Check;
use super::report;
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{JsonFinding, Output};
use serde::Serialize;
use siliray::machine::Severity;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    file: String,
    sound: bool,
    errors: usize,
    warnings: usize,
    workgroups: usize,
    findings: Vec<JsonFinding>,
}

/// Checks the dump; an error in it fails the command.
pub(crate) fn run(args: &Check, output: &Output) -> Result<(), Failure> {
    let report = report(&args.dump)?;
    let count = |severity| report.findings.iter().filter(|f| f.severity == severity).count();
    let json = Json {
        file: args.dump.file.display().to_string(),
        sound: report.is_sound(),
        errors: count(Severity::Error),
        warnings: count(Severity::Warning),
        workgroups: report.dump.as_ref().map_or(0, |dump| dump.workgroups.len()),
        findings: report.findings.iter().map(JsonFinding::from).collect(),
    };
    let mut text = String::new();
    for finding in &report.findings {
        text += &format!("{finding}\n");
    }
    let verdict = if json.sound { "sound" } else { "not sound" };
    text += &format!(
        "{}: {verdict}; {}, {}, {}\n",
        json.file,
        counted(json.workgroups, "workgroup"),
        counted(json.errors, "error"),
        counted(json.warnings, "warning")
    );
    output.result(&json, &text)?;
    if json.sound { Ok(()) } else { Err(Failure::input(format!("{} is not sound", json.file))) }
}
