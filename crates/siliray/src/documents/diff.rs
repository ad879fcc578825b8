//! How two images differ.

#![allow(missing_docs, reason = "docs/json.md explains the keys")]

use crate::image_diff::{FieldSum, ImageDiff, KindSums};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What is different in two images of one format.
#[derive(Debug, Clone, Serialize)]
pub struct DiffDocument<'a> {
    pub equal: bool,
    pub nodes: [usize; 2],
    pub summary: DiffSummary<'a>,
    pub differences: Vec<DifferenceDocument<'a>>,
    pub left_out: usize,
    pub other_bytes: usize,
    pub other_at: [Option<u64>; 2],
    pub outside_bytes: usize,
    pub outside_at: Option<u64>,
}

/// How much differs.
#[derive(Debug, Clone, Serialize)]
pub struct DiffSummary<'a> {
    #[serde(flatten)]
    pub all: StructureSums,
    pub kinds: Vec<StructureKind>,
    pub beside: Vec<RecordKind>,
    pub fields: Vec<FieldCount<'a>>,
}

/// How many structures are what.
#[derive(Debug, Clone, Serialize)]
pub struct StructureSums {
    pub equal: usize,
    pub changed: usize,
    pub only_in_a: usize,
    pub only_in_b: usize,
}

/// The same for structures of one kind.
#[derive(Debug, Clone, Serialize)]
pub struct StructureKind {
    pub kind: &'static str,
    #[serde(flatten)]
    pub sums: StructureSums,
}

/// Records beside structures that changed.
#[derive(Debug, Clone, Serialize)]
pub struct RecordKind {
    pub kind: &'static str,
    pub changed: usize,
}

/// How often a field changed, and where first.
#[derive(Debug, Clone, Serialize)]
pub struct FieldCount<'a> {
    pub name: &'a str,
    pub count: usize,
    pub pointer: &'a str,
    pub offset: Option<u64>,
}

/// A structure that is not the same in both images.
#[derive(Debug, Clone, Serialize)]
pub struct DifferenceDocument<'a> {
    pub structure: usize,
    pub pointer: &'a str,
    pub kind: &'static str,
    pub offsets: [Option<u64>; 2],
    /// "a" or "b" if the other image has no such structure.
    pub only_in: Option<&'static str>,
    pub fields: Vec<ChangedField<'a>>,
}

/// A field that is not the same in both.
#[derive(Debug, Clone, Serialize)]
pub struct ChangedField<'a> {
    pub name: &'a str,
    pub bits: [u32; 2],
    pub a: &'a str,
    pub b: &'a str,
}

impl From<KindSums> for StructureSums {
    fn from(KindSums { equal, changed, only_in: [only_in_a, only_in_b] }: KindSums) -> Self {
        Self { equal, changed, only_in_a, only_in_b }
    }
}

impl<'a> FieldCount<'a> {
    /// All fields that changed, the most frequent first.
    #[must_use]
    pub fn all(fields: &'a BTreeMap<String, FieldSum>) -> Vec<Self> {
        let counts = fields.iter().map(|(name, sum)| Self {
            name,
            count: sum.count,
            pointer: &sum.pointer,
            offset: sum.offset,
        });
        let mut counts: Vec<Self> = counts.collect();
        counts.sort_by_key(|count| Reverse(count.count));
        counts
    }
}

impl<'a> DiffDocument<'a> {
    /// Of what a comparison found.
    #[must_use]
    pub fn new(diff: &'a ImageDiff) -> Self {
        let differences = diff.differences.iter().map(|difference| DifferenceDocument {
            structure: difference.structure,
            pointer: &difference.pointer,
            kind: difference.kind,
            offsets: difference.offsets,
            only_in: difference.only_in.map(|side| ["a", "b"][side]),
            fields: difference
                .fields
                .iter()
                .map(|field| {
                    let [a, b] = &field.values;
                    ChangedField { name: &field.name, bits: field.bits, a, b }
                })
                .collect(),
        });
        let kinds = diff.kinds.iter();
        let kinds = kinds.map(|(kind, &sums)| StructureKind { kind, sums: sums.into() });
        let beside = diff.beside.iter();
        let beside = beside.map(|(&kind, &changed)| RecordKind { kind, changed });
        Self {
            equal: diff.is_empty(),
            nodes: diff.structures,
            summary: DiffSummary {
                all: diff.sums().into(),
                kinds: kinds.collect(),
                beside: beside.collect(),
                fields: FieldCount::all(&diff.fields),
            },
            differences: differences.collect(),
            left_out: diff.count() - diff.differences.len(),
            other_bytes: diff.other_bytes,
            other_at: diff.other_at,
            outside_bytes: diff.outside.count,
            outside_at: diff.outside.first,
        }
    }
}
