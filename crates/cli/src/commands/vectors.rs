//! `siliray vectors`: cases with known answers.

use crate::failure::Failure;
use crate::image_args::Vectors;
use crate::output::Output;
use crate::output::number::{counted, grouped};
use serde::Serialize;
use siliray::vector_files;
use siliray::vectors::{VectorFailure, VectorReport};
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    files: Vec<JsonFile>,
    failed: usize,
}

#[derive(Serialize)]
struct JsonFile {
    file: String,
    /// Nothing if the file could not be run.
    kind: Option<String>,
    passed: usize,
    failed: usize,
    failures: Vec<JsonFailure>,
}

#[derive(Serialize)]
struct JsonFailure {
    name: String,
    expected: String,
    got: String,
}

/// Runs every file and lists what failed.
pub(crate) fn run(args: &Vectors, output: &Output) -> Result<(), Failure> {
    let files: Vec<JsonFile> = args.files.iter().map(|path| run_file(path)).collect();
    let failed = files.iter().map(|file| file.failed).sum();
    let json = Json { files, failed };
    output.result(&json, &text(&json))?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::input(format!("{} failed", counted(failed, "case")))),
    }
}

/// A file that cannot be run is a case that failed, so that the others are run all the same.
fn run_file(path: &Path) -> JsonFile {
    let (kind, passed, failures) = match vector_files::run(path) {
        Ok(VectorReport { kind, passed, failures }) => (Some(kind), passed, failures),
        Err(error) => (None, 0, vec![error.as_failure()]),
    };
    let failures: Vec<JsonFailure> = failures.into_iter().map(JsonFailure::from).collect();
    let file = path.display().to_string();
    JsonFile { file, kind, passed, failed: failures.len(), failures }
}

impl From<VectorFailure> for JsonFailure {
    fn from(failure: VectorFailure) -> Self {
        let VectorFailure { name, expected, got } = failure;
        Self { name, expected, got }
    }
}

fn text(json: &Json) -> String {
    let mut text = String::new();
    for file in &json.files {
        let (passed, failed) = (grouped(file.passed as u64), grouped(file.failed as u64));
        let kind = file.kind.as_deref().unwrap_or("not run");
        text += &format!("{}: {kind}, {passed} passed, {failed} failed\n", file.file);
        for failure in &file.failures {
            let JsonFailure { name, expected, got } = failure;
            text += &format!("  {name}\n    expected {expected}\n    got      {got}\n");
        }
    }
    text
}
