//! What a run is asked, by name.

use super::workload::{Workload, WorkloadError};
#[cfg(not(target_family = "wasm"))]
use crate::ray_files::{RayFileError, RayReader, queries::fingerprint};
use machine::Query;
use scene::Camera;
#[cfg(not(target_family = "wasm"))]
use std::path::{Path, PathBuf};
use tree::Tree;

/// How many queries are made, if nothing is said.
pub const USUAL_COUNT: usize = 16_384;

/// What is asked.
#[derive(Debug, Clone)]
pub struct NamedQueries {
    /// The workload, or the file with a number that tells its content.
    pub name: String,
    /// The queries.
    pub queries: Vec<Query>,
    /// One for each query of a file that has a column of them.
    pub priorities: Vec<Option<u8>>,
}

/// Why there is nothing to ask.
#[derive(Debug, thiserror::Error)]
pub enum QueriesError {
    /// The file is no good.
    #[cfg(not(target_family = "wasm"))]
    #[error(transparent)]
    File(#[from] RayFileError),
    /// The file is empty.
    #[cfg(not(target_family = "wasm"))]
    #[error("{}: no queries", .0.display())]
    Empty(PathBuf),
    /// The scene has no such queries.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
}

impl NamedQueries {
    /// The queries of a file, at most `most`.
    ///
    /// # Errors
    /// When the file has none, or cannot be read.
    #[cfg(not(target_family = "wasm"))]
    pub fn of_file(file: &Path, most: Option<usize>) -> Result<Self, QueriesError> {
        let all = RayReader::open(file)?.read_queries(most.unwrap_or(usize::MAX))?;
        if all.is_empty() {
            return Err(QueriesError::Empty(file.to_owned()));
        }
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        Ok(Self {
            // Runs are kept by what they are about: by the queries, not by what a file is called.
            name: format!("{name} ({:016x})", fingerprint(&all)),
            queries: all.iter().map(|asked| asked.query).collect(),
            priorities: all.iter().map(|asked| asked.priority).collect(),
        })
    }

    /// `count` queries of a kind, or as many as is usual.
    ///
    /// # Errors
    /// When the camera sees nothing and the rays would start there.
    pub fn of_workload(
        workload: Workload,
        scene: &str,
        tree: &Tree,
        camera: &Camera,
        count: Option<usize>,
    ) -> Result<Self, QueriesError> {
        let queries = workload.queries(scene, tree, camera, count.unwrap_or(USUAL_COUNT))?;
        Ok(Self { name: workload.name().to_owned(), queries, priorities: Vec::new() })
    }
}
