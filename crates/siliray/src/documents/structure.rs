//! Structures of an image.

use super::hex;
use machine::{DescribedField, Description, EntryState, ImageFile, OutlineEntry, StructureSummary};
use serde::Serialize;

/// One structure, field by field.
#[derive(Debug, Clone, Serialize)]
pub struct StructureDocument {
    /// As its parent names it.
    pub pointer: String,
    /// Where it lies in memory.
    pub address: String,
    /// Where it lies in the file.
    pub offset: Option<u64>,
    /// How many bytes it has.
    pub bytes: usize,
    /// What it is.
    pub kind: &'static str,
    /// Its fields.
    pub fields: Vec<FieldDocument>,
    /// What belongs to it and lies elsewhere.
    pub beside: Vec<Self>,
}

/// One field.
#[derive(Debug, Clone, Serialize)]
pub struct FieldDocument {
    /// Its name.
    pub name: String,
    /// Its bits, the first one and the one behind the last.
    pub bits: [u32; 2],
    /// What stands there.
    pub raw: String,
    /// That in words.
    pub value: String,
    /// What it is for.
    pub meaning: &'static str,
    /// The structure that it leads to.
    pub link: Option<String>,
}

/// A line of an outline.
#[derive(Debug, Clone, Serialize)]
pub struct EntryDocument {
    /// Structures above it.
    pub depth: u32,
    /// The slot of the parent that leads to it.
    pub slot: u32,
    /// As its parent names it.
    pub pointer: String,
    /// Where it lies in memory.
    pub address: String,
    /// Where it lies in the file.
    pub offset: Option<u64>,
    /// What it is.
    pub kind: &'static str,
    /// What became of the pointer.
    pub state: &'static str,
}

/// One acceleration structure of a file that holds several.
#[derive(Debug, Clone, Serialize)]
pub struct LevelDocument {
    /// "TLAS" or "BLAS".
    pub level: &'static str,
    /// Where it lies in memory.
    pub address: String,
    /// Where it lies in the file.
    pub offset: u64,
    /// Its bytes.
    pub bytes: usize,
    /// Primitives or instances.
    pub primitives: u32,
    /// Box nodes.
    pub box_nodes: u32,
    /// Leaf nodes.
    pub leaf_nodes: u32,
}

impl StructureDocument {
    /// A structure of a file.
    #[must_use]
    pub fn new(file: &ImageFile, described: &Description) -> Self {
        Self {
            pointer: described.node.to_string(),
            address: hex(described.address),
            offset: file.offset_of(described.address),
            bytes: described.bytes,
            kind: described.kind,
            fields: described.fields.iter().map(FieldDocument::from).collect(),
            beside: described.beside.iter().map(|beside| Self::new(file, beside)).collect(),
        }
    }
}

impl From<&DescribedField> for FieldDocument {
    fn from(field: &DescribedField) -> Self {
        Self {
            name: field.name.clone(),
            bits: [field.bits.start, field.bits.end],
            raw: hex(field.raw),
            value: field.value.clone(),
            meaning: field.meaning,
            link: field.link.map(|link| link.to_string()),
        }
    }
}

impl EntryDocument {
    /// A line of a file's outline.
    #[must_use]
    pub fn new(file: &ImageFile, entry: &OutlineEntry) -> Self {
        let is_there = entry.state != EntryState::Outside;
        Self {
            depth: entry.depth,
            slot: entry.slot,
            pointer: entry.node.to_string(),
            address: hex(entry.address),
            offset: file.offset_of(entry.address).filter(|_| is_there),
            kind: entry.kind,
            state: entry.state.name(),
        }
    }
}

impl From<&StructureSummary> for LevelDocument {
    fn from(structure: &StructureSummary) -> Self {
        Self {
            level: structure.level,
            address: hex(structure.address),
            offset: structure.offset,
            bytes: structure.bytes,
            primitives: structure.primitives,
            box_nodes: structure.nodes[0],
            leaf_nodes: structure.nodes[1],
        }
    }
}
