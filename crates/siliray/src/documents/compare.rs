//! Formats side by side.

use crate::compare::{Row, Skipped};
use serde::Serialize;

/// All rows.
#[derive(Debug, Clone, Serialize)]
pub struct CompareDocument {
    /// By scene, preset, format and machine.
    pub rows: Vec<Row>,
    /// Formats that cannot hold a scene.
    pub skipped: Vec<Skipped>,
    /// The file of comma-separated values that was written.
    pub csv: Option<String>,
    /// The page that was written.
    pub html: Option<String>,
}
