//! `siliray vectors`: cases with known answers.

use crate::failure::Failure;
use crate::image_args::Vectors;
use crate::output::Output;
use crate::output::number::{counted, grouped};
use siliray::documents::vectors::{FailedCase, VectorsDocument};

/// Runs every file and lists what failed.
pub(crate) fn run(args: &Vectors, output: &Output) -> Result<(), Failure> {
    let ran = VectorsDocument::run(&args.files);
    output.result(&ran, &text(&ran))?;
    match ran.failed {
        0 => Ok(()),
        failed => Err(Failure::input(format!("{} failed", counted(failed, "case")))),
    }
}

fn text(ran: &VectorsDocument) -> String {
    let mut text = String::new();
    for file in &ran.files {
        let (passed, failed) = (grouped(file.passed as u64), grouped(file.failed as u64));
        let kind = file.kind.as_deref().unwrap_or("not run");
        text += &format!("{}: {kind}, {passed} passed, {failed} failed\n", file.file);
        for failure in &file.failures {
            let FailedCase { name, expected, got } = failure;
            text += &format!("  {name}\n    expected {expected}\n    got      {got}\n");
        }
    }
    text
}
