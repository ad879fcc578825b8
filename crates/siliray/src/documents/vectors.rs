//! Cases with known answers.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use crate::vector_files;
use serde::Serialize;
use std::path::Path;
use vectors::{VectorFailure, VectorReport};

/// What became of vector files.
#[derive(Debug, Clone, Serialize)]
pub struct VectorsDocument {
    pub files: Vec<VectorsFile>,
    pub failed: usize,
}

/// What became of one of them.
#[derive(Debug, Clone, Serialize)]
pub struct VectorsFile {
    pub file: String,
    /// Nothing if the file could not be run.
    pub kind: Option<String>,
    pub passed: usize,
    pub failed: usize,
    pub failures: Vec<FailedCase>,
}

/// A case with another answer.
#[derive(Debug, Clone, Serialize)]
pub struct FailedCase {
    pub name: String,
    pub expected: String,
    pub got: String,
}

impl VectorsDocument {
    /// Runs files.
    #[must_use]
    pub fn run<P: AsRef<Path>>(files: &[P]) -> Self {
        let files: Vec<VectorsFile> =
            files.iter().map(|path| VectorsFile::run(path.as_ref())).collect();
        let failed = files.iter().map(|file| file.failed).sum();
        Self { files, failed }
    }
}

impl VectorsFile {
    /// Runs a file. One that cannot be run is a case that failed, so that others are run all the
    /// same.
    #[must_use]
    pub fn run(path: &Path) -> Self {
        let (kind, passed, failures) = match vector_files::run(path) {
            Ok(VectorReport { kind, passed, failures }) => (Some(kind), passed, failures),
            Err(error) => (None, 0, vec![error.as_failure()]),
        };
        let failures: Vec<FailedCase> = failures.into_iter().map(FailedCase::from).collect();
        let file = path.display().to_string();
        Self { file, kind, passed, failed: failures.len(), failures }
    }
}

impl From<VectorFailure> for FailedCase {
    fn from(VectorFailure { name, expected, got }: VectorFailure) -> Self {
        Self { name, expected, got }
    }
}
