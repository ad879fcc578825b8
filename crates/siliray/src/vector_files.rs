//! Vector files: cases with known answers, run by the crate that owns their kind.

use crate::beam_vectors;
use machine::{VectorFailure, VectorReport};
use scene::{FileError, read_file};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Why a file could not be run.
#[derive(Debug, thiserror::Error)]
pub enum VectorFileError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file is not JSON.
    #[error("{}: {error}", path.display())]
    NotJson {
        /// The file.
        path: PathBuf,
        /// Why, with line and column.
        error: serde_json::Error,
    },
    /// The file is JSON, but not a vector file of a known kind.
    #[error("{}: {place}: found {found}, expected {expected}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The place in the JSON.
        place: String,
        /// What stands there.
        found: String,
        /// What belongs there.
        expected: String,
    },
}

impl VectorFileError {
    /// The same as a case that failed: the place, what was expected there, what was found.
    #[must_use]
    pub fn as_failure(&self) -> VectorFailure {
        let (name, expected, got) = match self {
            Self::Unreadable(error) => ("file", "a file".to_owned(), error.reason.to_string()),
            Self::NotJson { error, .. } => ("file", "JSON".to_owned(), error.to_string()),
            Self::Malformed { place, found, expected, .. } => {
                (place.as_str(), expected.clone(), found.clone())
            }
        };
        VectorFailure { name: name.to_owned(), expected, got }
    }
}

/// Runs a file.
///
/// # Errors
/// When it cannot be read, or its schema, its kind or a case is not understood.
pub fn run(path: &Path) -> Result<VectorReport, VectorFileError> {
    let bytes = read_file(path)?;
    let file: Value = serde_json::from_slice(&bytes)
        .map_err(|error| VectorFileError::NotJson { path: path.to_owned(), error })?;
    run_kind(path, &file).map_err(|Malformed { place, found, expected }| {
        VectorFileError::Malformed { path: path.to_owned(), place, found, expected }
    })
}

/// All kinds that are known.
#[must_use]
pub fn kinds() -> Vec<&'static str> {
    let others = [isbe::vectors::KIND, beam_vectors::KIND, xphmg::vectors::KIND];
    gfx12::vectors::KINDS.into_iter().chain(others).collect()
}

/// The error of the crate that owns the kind.
struct Malformed {
    place: String,
    found: String,
    expected: String,
}

impl From<machine::VectorError> for Malformed {
    fn from(error: machine::VectorError) -> Self {
        let machine::VectorError { place, found, expected } = error;
        Self { place, found, expected }
    }
}

impl From<gfx12::vectors::VectorError> for Malformed {
    fn from(error: gfx12::vectors::VectorError) -> Self {
        use gfx12::vectors::VectorError;
        match error {
            VectorError::Malformed { place, expected, found } => Self { place, found, expected },
            VectorError::Attachment { place, file, error } => {
                let expected = "a file beside the vector file".to_owned();
                Self { place, found: format!("{file:?}: {error}"), expected }
            }
        }
    }
}

fn run_kind(path: &Path, file: &Value) -> Result<VectorReport, Malformed> {
    let root = machine::vectors::Json::vector_file(file)?;
    let kind = root.field("kind")?;
    match kind.text()? {
        isbe::vectors::KIND => Ok(isbe::vectors::run(file)?),
        beam_vectors::KIND => Ok(beam_vectors::run(file)?),
        xphmg::vectors::KIND => Ok(xphmg::vectors::run(file)?),
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
    let report = gfx12::vectors::run(file, |name| attachment(folder, name))?;
    let failures = report.failures.into_iter().map(|failure| VectorFailure {
        name: failure.name,
        expected: failure.expected.to_string(),
        got: failure.got.to_string(),
    });
    Ok(VectorReport { kind: kind.to_owned(), passed: report.passed, failures: failures.collect() })
}

/// An attachment lies beside its file: nothing else may be named.
fn attachment(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    let beside = Path::new(name).file_name().filter(|file| *file == name);
    let outside = || std::io::Error::other("it lies outside the vector file's folder");
    let beside = beside.ok_or_else(outside)?;
    read_file(folder.join(beside)).map_err(|error| std::io::Error::other(error.reason))
}
