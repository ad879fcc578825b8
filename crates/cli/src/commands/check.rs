//! `siliray check`: is this image safe to walk?

use super::{NO_CONTAINER, no_container_hint, no_image, read_image};
use crate::failure::Failure;
use crate::image_args::Check;
use crate::output::{FindingReport, Output};
use siliray::machine::{AnyReport, ReadError};

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
    let no_container = report.findings.iter().any(|finding| finding.rule == NO_CONTAINER);
    let shown = FindingReport {
        file: &args.file,
        findings: &report.findings,
        nodes: report.nodes,
        thing: if format.holds_trees() { "node" } else { "workgroup" },
        rules: format.rules,
    };
    let shown = shown.show(&args.findings, output);
    shown.map_err(
        |failure| {
            if no_container { failure.hint(no_container_hint(&args.file)) } else { failure }
        },
    )
}
