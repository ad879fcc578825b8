//! `siliray vectors`: cases with known answers.

use crate::failure::Failure;
use crate::image_args::Vectors;
use crate::output::Output;
use crate::output::number::grouped;
use serde::Serialize;
use siliray::vector_files;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    files: Vec<JsonFile>,
    failed: usize,
}

#[derive(Serialize)]
struct JsonFile {
    file: String,
    kind: String,
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
    let mut files = Vec::new();
    for path in &args.files {
        let report = vector_files::run(path).map_err(Failure::input)?;
        let failures: Vec<JsonFailure> = report
            .failures
            .into_iter()
            .map(|failure| JsonFailure {
                name: failure.name,
                expected: failure.expected,
                got: failure.got,
            })
            .collect();
        files.push(JsonFile {
            file: path.display().to_string(),
            kind: report.kind,
            passed: report.passed,
            failed: failures.len(),
            failures,
        });
    }
    let failed = files.iter().map(|file| file.failed).sum();
    let json = Json { files, failed };
    output.result(&json, &text(&json))?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::input(format!("{failed} cases gave another answer"))),
    }
}

fn text(json: &Json) -> String {
    let mut text = String::new();
    for file in &json.files {
        let (passed, failed) = (grouped(file.passed as u64), grouped(file.failed as u64));
        text += &format!("{}: {}, {passed} passed, {failed} failed\n", file.file, file.kind);
        for failure in &file.failures {
            let JsonFailure { name, expected, got } = failure;
            text += &format!("  {name}\n    expected {expected}\n    got      {got}\n");
        }
    }
    text
}
