//! Every structure, as arrays: one element for each entry of the outline.
//!
//! Of a large file they come piece by piece, so that no answer needs more memory than a piece.

use crate::Response;
use crate::document::Document;
use crate::structure::Offsets;
use crate::summary::kinds;
use serde_json::json;
use siliray::machine::{EntryState, OutlineEntry, Severity};
use std::ops::Range;

/// Most entries of a piece.
const PIECE: usize = 1 << 16;

/// The arrays of the entries from `first` on; how many is for the answer to say.
pub(crate) fn outline(document: &Document, first: usize) -> Response {
    let all = &document.outline.entries;
    let first = first.min(all.len());
    let range = first..all.len().min(first + PIECE);
    let entries = &all[range.clone()];
    let kinds = kinds(document);
    let kind = |name: &str| kinds.iter().position(|kind| *kind == name).unwrap_or(0) as u8;
    let (hierarchy, boxes) = (document.hierarchy(), document.boxes());
    let state = |state: EntryState| match state {
        EntryState::Read => 0u8,
        EntryState::Again => 1,
        EntryState::Outside => 2,
    };
    macro_rules! each {
        ($entry:ident => $value:expr) => {
            &entries.iter().map(|$entry| $value).collect::<Vec<_>>()
        };
    }
    let numbered =
        |value: &dyn Fn(usize) -> f32| -> Vec<f32> { range.clone().map(value).collect() };
    let answer = json!({
        "entries": all.len(),
        "first": first,
        "count": entries.len(),
        "kinds": kinds,
    });
    Response::new(answer)
        .with("depth", each!(entry => entry.depth.min(u16::MAX.into()) as u16))
        .with("slot", each!(entry => entry.slot.min(u16::MAX.into()) as u16))
        .with("kind", each!(entry => kind(entry.kind)))
        .with("state", each!(entry => state(entry.state)))
        .with("parent", &hierarchy.parents[range.clone()])
        .with("size", &hierarchy.sizes[range.clone()])
        .with("pointer", each!(entry => entry.node.pointer))
        .with("base", each!(entry => entry.node.base))
        .with("address", each!(entry => entry.address))
        .with("offset", &offsets(document, entries))
        .with("bytes", each!(entry => entry.bytes as u32))
        .with("primitives", each!(entry => entry.primitives.len() as u32))
        .with("bounds", boxes.bounds[range.clone()].as_flattened())
        .with("level", &boxes.levels[range.clone()])
        .with("cost", &numbered(&|entry| boxes.cost(entry)))
        .with("overlap", &numbered(&|entry| boxes.overlap(hierarchy, entry)))
        .with("fill", &fills(document, &kinds, range.clone()))
        .with("severity", &severities(document, range.clone()))
}

/// Where entries lie in the file; NaN for those that lie nowhere.
fn offsets(document: &Document, entries: &[OutlineEntry]) -> Vec<f64> {
    let mut offsets = Offsets::new(&document.file);
    let offset = |entry: &OutlineEntry| {
        let offset = offsets.of(entry.address).filter(|_| entry.state != EntryState::Outside);
        offset.map_or(f64::NAN, |offset| offset as f64)
    };
    entries.iter().map(offset).collect()
}

/// How full each structure is: children or primitives, as a share of the most that one of its kind
/// has.
fn fills(document: &Document, kinds: &[&str], range: Range<usize>) -> Vec<f32> {
    let most = document.fullest();
    let fill = |number: usize| {
        let kind = document.outline.entries[number].kind;
        let most = kinds.iter().position(|other| *other == kind).map_or(1, |kind| most[kind]);
        held(document, number) as f32 / most.max(1) as f32
    };
    range.map(fill).collect()
}

/// How many children and primitives an entry has.
fn held(document: &Document, entry: usize) -> usize {
    let primitives = document.outline.entries[entry].primitives.len();
    primitives + document.hierarchy().children(entry).count()
}

/// The most that an entry of each kind holds, in the order of the kinds.
pub(crate) fn fullest(document: &Document) -> Vec<usize> {
    let kinds = kinds(document);
    let mut most = vec![0; kinds.len()];
    for (number, entry) in document.outline.entries.iter().enumerate() {
        if let Some(kind) = kinds.iter().position(|kind| *kind == entry.kind) {
            most[kind] = most[kind].max(held(document, number));
        }
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
