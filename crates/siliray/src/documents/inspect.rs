//! What is in an image: totals, its tree, the ways to something.

use super::hex;
use super::structure::{EntryDocument, LevelDocument};
use crate::find::{Wanted, Way, find};
use machine::{FormatEntry, ImageFile, NodeRef, Outline, OutlineEntry};
use serde::Serialize;
use std::collections::BTreeMap;

/// Sums over an image, and its tree if that was asked for.
#[derive(Debug, Clone, Serialize)]
pub struct InspectDocument {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// The structure that the image starts in.
    pub structure: usize,
    /// Those of a file that holds several.
    pub structures: Vec<LevelDocument>,
    /// The first node.
    pub root: String,
    /// Bytes of the image.
    pub bytes: usize,
    /// What can be reached.
    pub totals: BTreeMap<&'static str, u64>,
    /// Every node, depth first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tree: Option<Vec<EntryDocument>>,
    /// Nodes below the levels that were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<usize>,
}

impl InspectDocument {
    /// Of a file with that outline; `tree` are the lines to show.
    #[must_use]
    pub fn new(
        name: String,
        format: &FormatEntry,
        file: &ImageFile,
        outline: &Outline,
        tree: Option<&[&OutlineEntry]>,
    ) -> Self {
        let entries = |entries: &[&OutlineEntry]| {
            entries.iter().map(|entry| EntryDocument::new(file, entry)).collect()
        };
        Self {
            file: name,
            format: format.name,
            structure: file.structure,
            structures: file.structures.iter().map(LevelDocument::from).collect(),
            root: root(format, file, outline),
            bytes: file.image.byte_count(),
            totals: outline.totals.iter().map(|total| (total.name, total.count)).collect(),
            tree: tree.map(entries),
            left_out: tree.map(|tree| outline.entries.len() - tree.len()),
        }
    }
}

/// The root as `--node` takes it: formats may have another notation for where a machine starts.
fn root(format: &FormatEntry, file: &ImageFile, outline: &Outline) -> String {
    let start = NodeRef::from_root(&file.image, file.image.root);
    let is_node = (format.describe)(&file.image, start).is_ok();
    let first = outline.entries.first().filter(|_| !is_node);
    first.map_or(start, |entry| entry.node).to_string()
}

/// The lines of the first `depth` levels, or all.
#[must_use]
pub fn levels(outline: &Outline, depth: Option<u32>) -> Vec<&OutlineEntry> {
    let is_shown = |entry: &&OutlineEntry| depth.is_none_or(|depth| entry.depth < depth);
    outline.entries.iter().filter(is_shown).collect()
}

/// The ways from the root to something.
#[derive(Debug, Clone, Serialize)]
pub struct FindDocument {
    /// The file.
    pub file: String,
    /// Its format.
    pub format: &'static str,
    /// The ways.
    pub hits: Vec<WayDocument>,
}

/// A way.
#[derive(Debug, Clone, Serialize)]
pub struct WayDocument {
    /// The nodes from the root on.
    pub way: Vec<EntryDocument>,
    /// What was found beside the last structure of the way, if it is not that one.
    pub beside: Option<BesideDocument>,
}

/// Something beside a structure.
#[derive(Debug, Clone, Serialize)]
pub struct BesideDocument {
    /// What it is.
    pub kind: &'static str,
    /// Where it lies in memory.
    pub address: String,
    /// Where it lies in the file.
    pub offset: Option<u64>,
}

impl FindDocument {
    /// All ways to what is wanted.
    #[must_use]
    pub fn new(
        name: String,
        format: &'static FormatEntry,
        file: &ImageFile,
        outline: &Outline,
        wanted: &Wanted,
    ) -> (Self, Vec<Way>) {
        let ways = find(format, file, outline, wanted);
        let hits = ways.iter().map(|way| WayDocument {
            way: way
                .entries
                .iter()
                .map(|&entry| EntryDocument::new(file, &outline.entries[entry]))
                .collect(),
            beside: way.beside.as_ref().map(|beside| BesideDocument {
                kind: beside.kind,
                address: hex(beside.address),
                offset: file.offset_of(beside.address),
            }),
        });
        (Self { file: name, format: format.name, hits: hits.collect() }, ways)
    }
}
