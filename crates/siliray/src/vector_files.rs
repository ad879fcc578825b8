//! Vector files: cases with known answers, run by the crate that owns their kind.

use machine::{VectorFailure, VectorReport};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Why a file could not be run.
#[derive(Debug, thiserror::Error)]
pub enum VectorFileError {
    /// The file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The file is not JSON.
    #[error("{}: {error}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Why, with line and column.
        error: serde_json::Error,
    },
    /// The file is JSON, but not a vector file of a known kind.
    #[error("{}: {error}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The place in the JSON, what was found and what was expected.
        error: Malformed,
    },
}

/// The error of the crate that owns the kind.
pub type Malformed = Box<dyn std::error::Error + Send + Sync>;

/// Runs a file.
///
/// # Errors
/// When it cannot be read, or its schema, its kind or a case is not understood.
pub fn run(path: &Path) -> Result<VectorReport, VectorFileError> {
    let bytes = std::fs::read(path)
        .map_err(|error| VectorFileError::Unreadable { path: path.to_owned(), error })?;
    let file: Value = serde_json::from_slice(&bytes)
        .map_err(|error| VectorFileError::NotJson { path: path.to_owned(), error })?;
    run_kind(path, &file)
        .map_err(|error| VectorFileError::Malformed { path: path.to_owned(), error })
}

/// All kinds that are known.
#[must_use]
pub fn kinds() -> Vec<&'static str> {
    gfx12::vectors::KINDS.into_iter().chain([isbe::vectors::KIND]).collect()
}

fn run_kind(path: &Path, file: &Value) -> Result<VectorReport, Malformed> {
    let root = machine::vectors::Json::vector_file(file)?;
    let kind = root.field("kind")?;
    match kind.text()? {
        isbe::vectors::KIND => Ok(isbe::vectors::run(file)?),
        name if gfx12::vectors::KINDS.contains(&name) => Ok(run_gfx12(path, name, file)?),
        _ => Err(kind.wrong(&format!("one of {}", kinds().join(", "))).into()),
    }
}

fn run_gfx12(
    path: &Path,
    kind: &str,
    file: &Value,
) -> Result<VectorReport, gfx12::vectors::VectorError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    // An attachment lies beside its file: nothing else may be named.
    let attachment = |name: &str| {
        let beside = Path::new(name).file_name().filter(|file| *file == name);
        let beside = beside.ok_or(std::io::ErrorKind::InvalidInput)?;
        std::fs::read(folder.join(beside))
    };
    let report = gfx12::vectors::run(file, attachment)?;
    let failures = report.failures.into_iter().map(|failure| VectorFailure {
        name: failure.name,
        expected: failure.expected.to_string(),
        got: failure.got.to_string(),
    });
    Ok(VectorReport { kind: kind.to_owned(), passed: report.passed, failures: failures.collect() })
}
