//! Vector files: cases with known answers, run by the crate that owns their kind.

use crate::beam_vectors;
use scene::{FileError, read_file};
use serde_json::Value;
use std::path::{Path, PathBuf};
use vectors::{Kind, VectorError, VectorFailure, VectorReport};

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
    let folder = path.parent().unwrap_or(Path::new(""));
    vectors::run(&file, &kinds(), &|name| attachment(folder, name)).map_err(|error| {
        let VectorError { place, found, expected } = error;
        VectorFileError::Malformed { path: path.to_owned(), place, found, expected }
    })
}

/// All kinds that are known.
#[must_use]
pub fn kinds() -> Vec<Kind> {
    let others = [isbe::vectors::KIND, beam_vectors::KIND, xphmg::vectors::KIND];
    gfx10::vectors::KINDS.into_iter().chain(gfx12::vectors::KINDS).chain(others).collect()
}

/// An attachment lies beside its file: nothing else may be named.
fn attachment(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    let beside = Path::new(name).file_name().filter(|file| *file == name);
    let outside = || std::io::Error::other("it lies outside the vector file's folder");
    let beside = beside.ok_or_else(outside)?;
    read_file(folder.join(beside)).map_err(|error| std::io::Error::other(error.reason))
}
