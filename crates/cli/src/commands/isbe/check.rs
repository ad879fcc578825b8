//! `siliray isbe check`: every byte of a dump.

use super::args::Check;
use super::report;
use crate::failure::Failure;
use crate::output::{Output, finding::FindingReport};
use siliray::isbe::container::rule::Rule;

/// Checks the dump; an error in it fails the command.
pub(crate) fn run(args: &Check, output: &Output) -> Result<(), Failure> {
    let report = report(&args.dump)?;
    let shown = FindingReport {
        file: args.dump.file.display().to_string(),
        nodes: report.dump.as_ref().map_or(0, |dump| dump.workgroups.len()),
        findings: report.findings,
        thing: "workgroup",
        rules: Rule::ENTRIES.to_vec(),
    };
    shown.show(&args.findings, output)
}
