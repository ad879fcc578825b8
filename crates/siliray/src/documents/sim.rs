//! Runs of the traversal unit.

use crate::sim::Row;
use serde::Serialize;

/// All runs.
#[derive(Debug, Clone, Serialize)]
pub struct SimDocument<'a> {
    /// One for each configuration.
    pub runs: Vec<&'a Row>,
}
