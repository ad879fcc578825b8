//! The boxes of oriented nodes, in the frames that they lie in.

use crate::Response;
use crate::document::Document;
use serde_json::json;
use siliray::geometry::Transform;
use siliray::machine::{EntryState, OrientedBox};
use std::collections::HashMap;

/// The oriented boxes of an image, each with the outline's entry whose box it is.
pub(crate) fn frames(document: &Document) -> Response {
    let oriented = document.checked.as_ref().map(|checked| checked.oriented_boxes());
    let oriented = oriented.unwrap_or_default();
    let by_place: HashMap<(u64, u64), &OrientedBox> =
        oriented.iter().map(|one| ((one.place.address, one.place.pointer), one)).collect();
    let (mut entries, mut bounds, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    let mut frames: Vec<[[f32; 4]; 3]> = Vec::new();
    let mut known: HashMap<[[u32; 4]; 3], u32> = HashMap::new();
    for (number, entry) in (0u32..).zip(document.entries.iter()) {
        let found = by_place.get(&(entry.address, entry.node.pointer));
        let Some(one) = found.filter(|_| entry.state != EntryState::Outside) else { continue };
        // A rotation: what leads back is its transpose.
        let Ok(Transform { rows }) = one.frame.inverse() else { continue };
        let frame = *known.entry(rows.map(|row| row.map(f32::to_bits))).or_insert_with(|| {
            frames.push(rows);
            frames.len() as u32 - 1
        });
        entries.push(number);
        bounds.extend([one.bounds.min.to_array(), one.bounds.max.to_array()]);
        numbers.push(frame);
    }
    Response::new(json!({"entries": entries.len()}))
        .with("entry", &entries)
        .with("bounds", bounds.as_flattened())
        .with("frame", &numbers)
        .with("frames", frames.as_flattened().as_flattened())
}
