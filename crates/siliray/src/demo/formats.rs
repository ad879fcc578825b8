//! One tree in every format.

use machine::{FormatEntry, Settings};
use std::time::Instant;
use tree::Tree;

/// A format, and what it makes of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct FormatRow {
    /// Its name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What it takes, or why it does not hold the tree.
    pub outcome: Result<FormatFigures, String>,
}

/// What an image takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FormatFigures {
    /// Bytes of everything.
    pub bytes: u64,
    /// All bytes for each triangle.
    pub bytes_per_triangle: f64,
    /// Nodes of all kinds.
    pub nodes: usize,
    /// Seconds from the tree to the image.
    pub encode_seconds: f64,
    /// Seconds to prove it.
    pub check_seconds: f64,
}

/// Encodes `tree` in a format and proves the image; `None` if the format holds no trees.
pub(super) fn row(format: &'static FormatEntry, tree: &Tree) -> Option<FormatRow> {
    let trees = format.trees.as_ref()?;
    let start = Instant::now();
    let encoded = (trees.encode)(tree, &Settings::default());
    let encode_seconds = start.elapsed().as_secs_f64();
    let outcome = encoded.map_err(|error| error.to_string()).and_then(|encoded| {
        let figures = (trees.figures)(&encoded.image);
        let start = Instant::now();
        let report = (format.check)(encoded.image).into_checked();
        let check_seconds = start.elapsed().as_secs_f64();
        report.map_err(|finding| finding.to_string())?;
        let bytes = figures.bytes.total();
        Ok(FormatFigures {
            bytes,
            bytes_per_triangle: bytes as f64 / tree.triangle_count().max(1) as f64,
            nodes: figures.nodes(),
            encode_seconds,
            check_seconds,
        })
    });
    Some(FormatRow { name: format.name, summary: format.summary, outcome })
}
