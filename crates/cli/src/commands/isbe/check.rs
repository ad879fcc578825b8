//! `siliray isbe check`: every byte of a dump.

use super::args::Check;
use super::report;
use crate::failure::Failure;
use crate::output::Output;
use serde::Serialize;
use siliray::machine::{Finding, Severity};

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

#[derive(Serialize)]
struct JsonFinding {
    severity: &'static str,
    rule: &'static str,
    offset: u64,
    bits: [u32; 2],
    found: String,
    expected: String,
    place: String,
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
    let plural =
        |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    text += &format!(
        "{}: {verdict}; {}, {}, {}\n",
        json.file,
        plural(json.workgroups, "workgroup"),
        plural(json.errors, "error"),
        plural(json.warnings, "warning")
    );
    output.result(&json, &text)?;
    if json.sound { Ok(()) } else { Err(Failure::input(format!("{} is not sound", json.file))) }
}

impl From<&Finding> for JsonFinding {
    fn from(finding: &Finding) -> Self {
        let Finding { severity, rule, offset, bits, found, expected, place } = finding.clone();
        let (severity, bits) = (severity.name(), [bits.start, bits.end]);
        Self { severity, rule, offset, bits, found, expected, place }
    }
}
