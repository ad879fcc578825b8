//! Every structure, as arrays: one element for each entry of the outline.
//!
//! Of a large file they come piece by piece, so that no answer needs more memory than a piece.

use crate::Response;
use crate::document::Document;
use crate::entries::Entries;
use serde_json::{Value, json};
use siliray::machine::{EntryState, Severity};
use std::ops::Range;

/// Most entries of a piece.
const PIECE: usize = 1 << 14;

/// The arrays of the entries from `first` on; how many is for the answer to say.
pub(crate) fn outline(document: &Document, first: usize) -> Response {
    let all = &document.entries;
    let range = piece(document, first);
    let (hierarchy, boxes) = (document.hierarchy(), document.boxes());
    let state = |state: &EntryState| match state {
        EntryState::Read => 0u8,
        EntryState::Again => 1,
        EntryState::Outside => 2,
    };
    let depth = |depth: &u32| (*depth).min(u16::MAX.into()) as u16;
    let depths: Vec<u16> = all.depths[range.clone()].iter().map(depth).collect();
    let states: Vec<u8> = all.states[range.clone()].iter().map(state).collect();
    let numbered =
        |value: &dyn Fn(usize) -> f32| -> Vec<f32> { range.clone().map(value).collect() };
    Response::new(about(document, &range))
        .with("depth", &depths)
        .with("slot", &all.slots[range.clone()])
        .with("kind", &all.kinds[range.clone()])
        .with("state", &states)
        .with("parent", &hierarchy.parents[range.clone()])
        .with("size", &hierarchy.sizes[range.clone()])
        .with("pointer", &all.pointers[range.clone()])
        .with_rows("base", range.len(), range.clone().map(|entry| [all.base(entry)]))
        .with("address", &all.addresses[range.clone()])
        .with("level", &boxes.levels[range.clone()])
        .with("cost", &numbered(&|entry| boxes.cost(entry)))
        .with("overlap", &boxes.overlaps[range.clone()])
        .with("fill", &numbered(&|entry| fill(document, entry)))
        .with("severity", &severities(document, range.clone()))
}

/// The boxes of the entries from `first` on, lower and upper corner; how many is for the answer to
/// say.
pub(crate) fn bounds(document: &Document, first: usize) -> Response {
    let range = piece(document, first);
    let boxes = document.boxes();
    let corners = range.clone().flat_map(|entry| boxes.corners(entry));
    Response::new(about(document, &range)).with_rows("bounds", 2 * range.len(), corners)
}

fn piece(document: &Document, first: usize) -> Range<usize> {
    let all = document.entries.len();
    first.min(all)..all.min(first.saturating_add(PIECE))
}

fn about(document: &Document, piece: &Range<usize>) -> Value {
    json!({"entries": document.entries.len(), "first": piece.start, "count": piece.len()})
}

/// How full a structure is: children or primitives, as a share of the most that one of its kind
/// has.
fn fill(document: &Document, entry: usize) -> f32 {
    let most = document.fullest()[usize::from(document.entries.kinds[entry])];
    held(document, entry) as f32 / most.max(1) as f32
}

/// How many children and primitives an entry has.
fn held(document: &Document, entry: usize) -> usize {
    let primitives = document.entries.primitives[entry] as usize;
    primitives + document.hierarchy().children(entry).count()
}

/// The most that an entry of each kind holds, in the order of the kinds.
pub(crate) fn fullest(document: &Document) -> Vec<usize> {
    let Entries { kinds, kind_names, .. } = &document.entries;
    let mut most = vec![0; kind_names.len()];
    for (entry, kind) in kinds.iter().enumerate() {
        let most = &mut most[usize::from(*kind)];
        *most = held(document, entry).max(*most);
    }
    most
}

/// The worst finding at each structure: 0 for none, then note, warning and error.
fn severities(document: &Document, range: Range<usize>) -> Vec<u8> {
    let mut worst = vec![0u8; range.len()];
    for (finding, entry) in document.findings.iter().zip(document.finding_entries()) {
        let severity = match finding.severity {
            Severity::Note => 1,
            Severity::Warning => 2,
            Severity::Error => 3,
        };
        if let Some(entry) = entry.filter(|entry| range.contains(entry)) {
            let worst = &mut worst[entry - range.start];
            *worst = severity.max(*worst);
        }
    }
    worst
}
