//! Files that teach something.

use crate::PageError;
use crate::document::Document;
use crate::entries::Entry;
use crate::pictures;
use crate::question::{Built, Edit, Render};
use serde_json::{Value, json};
use siliray::machine::DescribedField;

/// An example: its name, its title, what it shows, and how it is made.
struct Example {
    name: &'static str,
    title: &'static str,
    text: &'static str,
    make: fn() -> Result<(Document, Value), PageError>,
}

const EXAMPLES: [Example; 3] = [
    Example {
        name: "lost-hit",
        title: "A lost hit",
        text: "One plane of one box is halved. The image is still sound, but rays fly past what \
               lies outside, and the picture has a hole.",
        make: lost_hit,
    },
    Example {
        name: "broken-pointer",
        title: "A broken pointer",
        text: "A node names children beyond the end of memory. The check says where; no machine \
               walks such an image.",
        make: broken_pointer,
    },
    Example {
        name: "oriented-box",
        title: "An oriented box",
        text: "Box nodes may name one of 104 rotations; boxes then hug what lies aslant.",
        make: oriented_box,
    },
];

/// Shares of lost pixels that teach something.
const FEW: f64 = 0.01;
const MANY: f64 = 0.2;

/// Names, titles and texts.
pub(crate) fn list() -> Value {
    let all = EXAMPLES.iter();
    all.map(|example| json!({"name": example.name, "title": example.title, "text": example.text}))
        .collect()
}

/// The example of a name, and where to begin.
pub(crate) fn example(name: &str) -> Result<(Document, Value), PageError> {
    let unknown = || PageError::Unknown { what: "example", name: name.to_owned() };
    let example = EXAMPLES.iter().find(|example| example.name == name).ok_or_else(unknown)?;
    let (document, mut start) = (example.make)()?;
    start["text"] = json!(example.text);
    Ok((document, start))
}

fn sound(triangles: usize, settings: &[(&str, &str)]) -> Result<Document, PageError> {
    let settings = settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    let built = Built { settings, ..Built::default() };
    Document::builtin("interior", Some(triangles), &built)
}

/// A field of a structure, and where it begins in the file.
fn field(
    document: &Document,
    entry: Entry,
    wanted: impl Fn(&DescribedField) -> bool,
) -> Option<(DescribedField, u64)> {
    let description = (document.format.describe)(&document.file.image, entry.node).ok()?;
    let offset = document.file.offset_of(description.address)?;
    description.fields.into_iter().find(wanted).map(|field| (field, offset))
}

/// The file with another value in a field.
fn with_field(
    document: &Document,
    (field, offset): (DescribedField, u64),
    value: u64,
) -> Result<Document, PageError> {
    let edit = Edit {
        offset,
        bit: field.bits.start,
        length: field.bits.end - field.bits.start,
        value: format!("{value:#x}"),
    };
    Ok(document.edited(&edit)?.0)
}

fn none() -> PageError {
    PageError::Refused("the example has no such field".to_owned())
}

/// Halves the upper planes of the root's boxes, one after the other, until some pixels are lost,
/// and not too many: a driver's mistake is seldom seen at once.
fn lost_hit() -> Result<(Document, Value), PageError> {
    let whole = sound(3_000, &[])?;
    let root = whole.entries.get(0).ok_or_else(none)?;
    let described = (whole.format.describe)(&whole.file.image, root.node)?;
    let offset = whole.file.offset_of(described.address).ok_or_else(none)?;
    let is_upper = |field: &DescribedField| field.name.contains(".max_") && field.raw > 1;
    for plane in described.fields.into_iter().filter(is_upper) {
        let half = plane.raw / 2;
        let mut document = with_field(&whole, (plane, offset), half)?;
        if document.checked.is_some() && (FEW..MANY).contains(&lost_share(&mut document)?) {
            return Ok((document, json!({"entry": 0, "panel": "heat", "what": "losses"})));
        }
    }
    Err(none())
}

/// The share of pixels that are lost.
fn lost_share(document: &mut Document) -> Result<f64, PageError> {
    let wanted = Render { size: [48, 36], what: "losses".to_owned(), ..Render::default() };
    let figures = pictures::render(document, &wanted)?.answer["figures"].clone();
    let count = |name: &str| figures[name].as_f64().unwrap_or(0.0);
    Ok(count("lost") / count("hits").max(1.0))
}

fn broken_pointer() -> Result<(Document, Value), PageError> {
    let whole = sound(3_000, &[])?;
    let root = whole.entries.get(0).ok_or_else(none)?;
    let is_base = |field: &DescribedField| field.name == "internal_base" || field.link.is_some();
    let base = field(&whole, root, is_base).ok_or_else(none)?;
    let far = (1u64 << (base.0.bits.end - base.0.bits.start).min(63)) - 64;
    let document = with_field(&whole, base, far)?;
    Ok((document, json!({"entry": 0, "panel": "bytes"})))
}

fn oriented_box() -> Result<(Document, Value), PageError> {
    let document = sound(3_000, &[("obb", "on")])?;
    let is_oriented = |entry: Entry| {
        let described = (document.format.describe)(&document.file.image, entry.node);
        described.is_ok_and(|described| described.frame.is_some())
    };
    let entry = document.entries.iter().position(is_oriented);
    Ok((document, json!({"entry": entry, "panel": "space"})))
}
