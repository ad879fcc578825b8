//! `siliray check`: is this image safe to walk?

use super::{NO_CONTAINER, RAW_HINT, no_image, read_image};
use crate::failure::Failure;
use crate::image_args::Check;
use crate::output::number::counted;
use crate::output::{JsonFinding, Output};
use serde::Serialize;
use siliray::machine::{AnyReport, Finding, ReadError, Severity};

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    sound: bool,
    nodes: usize,
    findings: Vec<JsonFinding>,
}

/// Checks the file and lists what was found.
pub(crate) fn run(args: &Check, output: &Output) -> Result<(), Failure> {
    let (format, file) = read_image(&args.file, &args.image, None)?;
    let report = match file {
        // A file that cannot be taken apart is unsound for one reason, and that is a finding.
        Err(ReadError::Broken(finding)) => {
            AnyReport { findings: vec![*finding], ..AnyReport::default() }
        }
        Err(error) => return Err(no_image(&args.file, &error)),
        Ok(file) => file.check(format.check),
    };
    let json = Json {
        sound: report.is_sound(),
        nodes: report.nodes,
        findings: report.findings.iter().map(JsonFinding::from).collect(),
    };
    output.result(&json, &text(&report))?;
    let errors = count(&report, Severity::Error);
    if json.sound {
        return Ok(());
    }
    let file = args.file.display();
    let failure = Failure::input(format!("{file}: unsound, {}", counted(errors, "error")));
    let no_container = report.findings.iter().any(|finding| finding.rule == NO_CONTAINER);
    Err(if no_container { failure.hint(RAW_HINT) } else { failure })
}

/// One paragraph for each finding, and the sums.
fn text(report: &AnyReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let Finding { severity, rule, offset, bits, found, expected, place, count: _ } = finding;
        text += &format!("{}: {place} [{rule}]\n", severity.name());
        text += &format!("  at {offset:#x}, bits {}..{}\n", bits.start, bits.end);
        text += &format!("  found {found}\n  expected {expected}\n");
    }
    let verdict = if report.is_sound() { "sound" } else { "unsound" };
    let [errors, warnings] = [Severity::Error, Severity::Warning].map(|kind| count(report, kind));
    let things = [(report.nodes, "node"), (errors, "error"), (warnings, "warning")];
    let mut sums = things.map(|(count, thing)| counted(count, thing)).to_vec();
    let notes = count(report, Severity::Note);
    if notes > 0 {
        sums.push(counted(notes, "note"));
    }
    text + &format!("{verdict}: {}\n", sums.join(", "))
}

fn count(report: &AnyReport, severity: Severity) -> usize {
    let alike = report.findings.iter().filter(|finding| finding.severity == severity);
    alike.map(|finding| finding.count as usize).sum()
}
