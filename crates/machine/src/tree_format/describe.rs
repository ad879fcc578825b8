//! Structures of an image in words: the directory, its records, nodes, and references of leaves.
//!
//! A pointer is an address; that of references has bit 63 set and their number in bits 56..63.

use super::decode::{Record, directory, slots, u32_at};
use super::{HEADER_BYTES, NO_CHILD, NODE_BYTES, RECORD_BYTES, SLOTS, leaf_range};
use crate::description::{
    DescribeError, DescribedField, Description, EntryState, NodeRef, Outline, OutlineEntry,
    PrimitiveRef, Total,
};
use crate::{Image, NodePlace};
use std::collections::HashSet;

/// The bit of a pointer to references.
const REFERENCES: u64 = 1 << 63;

/// Where the number of references lies in such a pointer.
const COUNT_SHIFT: u32 = 56;

/// The structure that a pointer names.
pub(super) fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    type Fields = fn(&Image, u64, &[u8]) -> Vec<DescribedField>;
    let is_leaf = node.pointer & REFERENCES != 0;
    let address = if is_leaf { node.pointer & ((1 << COUNT_SHIFT) - 1) } else { node.pointer };
    let (kind, bytes, fields): (_, _, Fields) = match address.checked_sub(image.root) {
        _ if is_leaf => {
            let count = (node.pointer >> COUNT_SHIFT & 0x7F) as usize;
            ("references", 4 * count, reference_fields)
        }
        Some(0) => ("directory", HEADER_BYTES, directory_fields),
        Some(offset) if is_record(image, offset) => ("level", RECORD_BYTES, record_fields),
        _ => ("node", NODE_BYTES, node_fields),
    };
    let memory = image.get(address, bytes).ok_or(DescribeError::Outside { node, address })?;
    let fields = fields(image, address, memory);
    Ok(Description { node, kind, address, bytes, fields, beside: Vec::new(), frame: None })
}

/// The structure that a child word of a level leads to.
fn child_of(image: &Image, record: &Record, word: u32) -> NodeRef {
    let pointer = match leaf_range(word) {
        Some((first, count)) => {
            let address = record.references_address.wrapping_add(4 * u64::from(first));
            address & ((1 << COUNT_SHIFT) - 1) | REFERENCES | u64::from(count) << COUNT_SHIFT
        }
        None => record.nodes_address.wrapping_add(NODE_BYTES as u64 * u64::from(word)),
    };
    NodeRef::from_root(image, pointer)
}

/// Where the nodes of the decoded tree lie: the root of each level, then the children of its nodes.
pub(super) fn node_places(image: &Image) -> Option<Vec<Vec<NodePlace>>> {
    let places = |record: &Record| {
        let nodes = image.get(record.nodes_address, NODE_BYTES * record.node_count)?;
        let children = nodes.chunks_exact(NODE_BYTES).flat_map(slots).map(|(word, _)| word);
        let place = |word: u32| {
            let pointer = child_of(image, record, word).pointer;
            let is_leaf = pointer & REFERENCES != 0;
            let address = if is_leaf { pointer & ((1 << COUNT_SHIFT) - 1) } else { pointer };
            NodePlace { pointer, address }
        };
        Some([record.root_word].into_iter().chain(children).map(place).collect())
    };
    directory(image).ok()?.iter().map(places).collect()
}

/// The level in one of whose arrays something lies.
fn level_of(image: &Image, holds: impl Fn(&Record) -> bool) -> Option<Record> {
    directory(image).ok()?.into_iter().find(holds)
}

fn lies_in(address: u64, array: u64, bytes: usize) -> bool {
    address.checked_sub(array).is_some_and(|distance| distance < bytes as u64)
}

fn is_record(image: &Image, offset: u64) -> bool {
    let count = image.get(image.root, 4).map_or(0, |bytes| u64::from(u32_at(bytes, 0)));
    let (header, record) = (HEADER_BYTES as u64, RECORD_BYTES as u64);
    offset >= header
        && (offset - header).is_multiple_of(record)
        && (offset - header) / record < count
}

fn field(name: impl Into<String>, bytes: std::ops::Range<usize>, raw: u64) -> DescribedField {
    DescribedField {
        name: name.into(),
        bits: 8 * bytes.start as u32..8 * bytes.end as u32,
        raw,
        value: raw.to_string(),
        meaning: "",
        unit: "",
        source: "siliray's own; docs/formats.md",
        link: None,
    }
}

fn word(memory: &[u8], name: &str, at: usize, meaning: &'static str) -> DescribedField {
    DescribedField { meaning, ..field(name, at..at + 4, u32_at(memory, at).into()) }
}

fn directory_fields(_: &Image, _: u64, memory: &[u8]) -> Vec<DescribedField> {
    vec![word(memory, "levels", 0, "how many levels follow")]
}

fn record_fields(image: &Image, address: u64, memory: &[u8]) -> Vec<DescribedField> {
    let record = level_of(image, |record| image.root.wrapping_add(record.offset) == address);
    let root = record.map(|record| child_of(image, &record, record.root_word));
    let mut fields = vec![
        word(memory, "kind", 0, "0: a BLAS, 1: the TLAS"),
        word(memory, "nodes", 4, "nodes of eight children"),
        word(memory, "references", 8, "references of leaves"),
        word(memory, "items", 12, "triangles, or instances of the TLAS"),
        word(memory, "boxes", 16, "procedural boxes"),
        DescribedField { link: root, ..word(memory, "root.word", 20, "a child word") },
    ];
    fields.extend(plane_fields("root.", memory, 24));
    let names = ["nodes_at", "references_at", "items_at", "boxes_at", "ids_at"];
    for (name, at) in names.into_iter().zip((48..).step_by(8)) {
        let bytes = memory.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        let raw = bytes.map_or(0, u64::from_le_bytes);
        let link = (name == "nodes_at").then(|| NodeRef::from_root(image, raw));
        let value = format!("{raw:#x}");
        let meaning = "an address";
        fields.push(DescribedField { value, meaning, link, ..field(name, at..at + 8, raw) });
    }
    fields
}

fn node_fields(image: &Image, address: u64, memory: &[u8]) -> Vec<DescribedField> {
    let record = level_of(image, |record| {
        lies_in(address, record.nodes_address, NODE_BYTES * record.node_count)
    });
    let mut fields = Vec::new();
    for slot in 0..SLOTS {
        let raw = u32_at(memory, 4 * slot);
        let value = match leaf_range(raw) {
            _ if raw == NO_CHILD => "slot not used".to_owned(),
            Some((first, count)) => format!("leaf, references {first} to {}", first + count),
            None => format!("node {raw}"),
        };
        let bytes = 4 * slot..4 * slot + 4;
        let name = format!("children[{slot}].word");
        let meaning = "where the child leads";
        let link = record.filter(|_| raw != NO_CHILD).map(|level| child_of(image, &level, raw));
        fields.push(DescribedField { value, meaning, link, ..field(name, bytes, raw.into()) });
        fields.extend(plane_fields(&format!("children[{slot}]."), memory, 32 + 24 * slot));
    }
    fields.sort_by_key(|field| field.bits.start);
    fields
}

fn reference_fields(image: &Image, address: u64, memory: &[u8]) -> Vec<DescribedField> {
    let level = level_of(image, |record| {
        lies_in(address, record.references_address, 4 * record.reference_count)
    });
    let references = memory.chunks_exact(4).enumerate().map(|(k, bytes)| {
        let item = u32_at(bytes, 0);
        let value = match level {
            Some(level) if level.is_top => format!("instance {item}"),
            Some(level) => match id(image, &level, item) {
                Some(id) => format!("item {item}: primitive {}:{}", id.geometry, id.primitive),
                None => format!("item {item}, which has no ids"),
            },
            None => format!("item {item}"),
        };
        let meaning = "number of a primitive or instance of the level";
        let name = format!("references[{k}]");
        DescribedField { value, meaning, ..field(name, 4 * k..4 * k + 4, item.into()) }
    });
    references.collect()
}

/// The ids of an item of a level.
fn id(image: &Image, record: &Record, item: u32) -> Option<PrimitiveRef> {
    let id = image.get(record.ids_address.wrapping_add(12 * u64::from(item)), 12)?;
    Some(PrimitiveRef { geometry: u32_at(id, 0), primitive: u32_at(id, 4) })
}

fn plane_fields(prefix: &str, memory: &[u8], at: usize) -> Vec<DescribedField> {
    let names = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"];
    let planes = names.into_iter().zip((at..).step_by(4)).map(|(name, at)| {
        let raw = u32_at(memory, at);
        let value = f32::from_bits(raw).to_string();
        let (meaning, unit) = ("a plane of the box", "scene units");
        let name = format!("{prefix}{name}");
        DescribedField { value, meaning, unit, ..field(name, at..at + 4, raw.into()) }
    });
    planes.collect()
}

/// Every structure from the directory down.
pub(super) fn outline(image: &Image) -> Outline {
    let mut walk = Walk { image, outline: Outline::default(), read: HashSet::new() };
    let directory_node = NodeRef::from_root(image, image.root);
    walk.push([0, 0], directory_node, "directory", image.root, HEADER_BYTES, 0..0);
    let records = directory(image).unwrap_or_default();
    for (number, record) in records.iter().enumerate() {
        let kind = if record.is_top { "TLAS" } else { "BLAS" };
        let address = image.root + record.offset;
        let node = NodeRef::from_root(image, address);
        walk.push([1, number as u32], node, kind, address, RECORD_BYTES, 0..0);
        walk.child(record, record.root_word, 2);
    }
    walk.finish(records.len())
}

struct Walk<'a> {
    image: &'a Image,
    outline: Outline,
    /// Addresses of nodes that were read.
    read: HashSet<u64>,
}

impl Walk<'_> {
    /// Lists a structure; says whether it was read for the first time.
    fn push(
        &mut self,
        [depth, slot]: [u32; 2],
        node: NodeRef,
        kind: &'static str,
        address: u64,
        bytes: usize,
        primitives: std::ops::Range<usize>,
    ) -> bool {
        let state = if self.image.get(address, bytes).is_none() {
            EntryState::Outside
        } else if kind == "node" && !self.read.insert(address) {
            EntryState::Again
        } else {
            EntryState::Read
        };
        let entry = OutlineEntry { depth, slot, node, kind, address, bytes, state, primitives };
        self.outline.entries.push(entry);
        state == EntryState::Read
    }

    /// Follows a child word. Nodes are followed once, so this ends; the stack of levels is a list.
    fn child(&mut self, record: &Record, word: u32, depth: u32) {
        let mut open = vec![(word, depth, 0)];
        while let Some((word, depth, slot)) = open.pop() {
            let node = child_of(self.image, record, word);
            if let Some((first, count)) = leaf_range(word) {
                let primitives = self.primitives(record, first, count);
                let address = record.references_address.wrapping_add(4 * u64::from(first));
                let kind = if record.is_top { "instances" } else { "leaf" };
                self.push([depth, slot], node, kind, address, 4 * count as usize, primitives);
                continue;
            }
            let address = node.pointer;
            if !self.push([depth, slot], node, "node", address, NODE_BYTES, 0..0) {
                continue;
            }
            let Some(bytes) = self.image.get(address, NODE_BYTES) else { continue };
            for slot in (0..SLOTS).rev() {
                let word = u32_at(bytes, 4 * slot);
                if word != NO_CHILD {
                    open.push((word, depth + 1, slot as u32));
                }
            }
        }
    }

    fn primitives(&mut self, record: &Record, first: u32, count: u32) -> std::ops::Range<usize> {
        let start = self.outline.primitives.len();
        let references = record.references_address.wrapping_add(4 * u64::from(first));
        let references = self.image.get(references, 4 * count as usize).unwrap_or_default();
        let items = references.chunks_exact(4).filter(|_| !record.is_top);
        let ids = items.filter_map(|item| id(self.image, record, u32_at(item, 0)));
        self.outline.primitives.extend(ids);
        start..self.outline.primitives.len()
    }

    fn finish(self, levels: usize) -> Outline {
        let of = |kind| self.outline.entries.iter().filter(|e| e.kind == kind).count() as u64;
        let depth = self.outline.entries.iter().map(|entry| entry.depth).max().unwrap_or(0);
        let totals = vec![
            Total { name: "structures", label: "levels", count: levels as u64 },
            Total { name: "nodes", label: "nodes", count: of("node") },
            Total { name: "leaves", label: "leaves", count: of("leaf") },
            Total { name: "instances", label: "leaves of instances", count: of("instances") },
            Total { name: "depth", label: "depth", count: depth.into() },
        ];
        Outline { totals, ..self.outline }
    }
}
