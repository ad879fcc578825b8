//! `siliray inspect --find`: the ways from the root to something.

use super::super::OpenImage;
use super::line;
use crate::failure::Failure;
use crate::output::Output;
use crate::output::number::counted;
use serde::Serialize;
use siliray::documents::structure::EntryDocument;
use siliray::find::{Wanted, Way, find};
use siliray::machine::Outline;
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    file: String,
    format: &'static str,
    hits: Vec<JsonHit>,
}

#[derive(Serialize)]
struct JsonHit {
    way: Vec<EntryDocument>,
    /// What was found beside the last structure of the way, if it is not that one.
    beside: Option<JsonBeside>,
}

#[derive(Serialize)]
struct JsonBeside {
    kind: &'static str,
    address: String,
    offset: Option<u64>,
}

/// Shows every way.
pub(super) fn show(
    name: &Path,
    image: &OpenImage,
    wanted: &Wanted,
    output: &Output,
) -> Result<(), Failure> {
    let OpenImage { format, file } = image;
    let outline = (format.outline)(&file.image);
    let ways = find(format, file, &outline, wanted);
    let what = match wanted {
        Wanted::Primitive { geometry: None, primitive } => format!("primitive {primitive}"),
        Wanted::Primitive { geometry: Some(geometry), primitive } => {
            format!("primitive {geometry}:{primitive}")
        }
        Wanted::Offset(offset) => format!("byte {offset:#x} of the file"),
        Wanted::Point([x, y, z]) => format!("the point {x},{y},{z}"),
    };
    let json = Json {
        file: name.display().to_string(),
        format: format.name,
        hits: ways.iter().map(|way| json_hit(image, &outline, way)).collect(),
    };
    let mut text = format!("{} to {what}\n", counted(ways.len(), "way"));
    for way in &ways {
        text += "\n";
        text.extend(way.entries.iter().map(|&entry| line(file, &outline.entries[entry])));
        if let Some(beside) = &way.beside {
            let offset = file.offset_of(beside.address).unwrap_or_default();
            text += &format!("beside it: {} at byte {offset:#x}\n", beside.kind);
        }
    }
    output.result(&json, &text)?;
    if ways.is_empty() {
        let message = format!("{}: no structure that can be reached holds {what}", json.file);
        return Err(Failure::input(message));
    }
    Ok(())
}

fn json_hit(image: &OpenImage, outline: &Outline, way: &Way) -> JsonHit {
    let entries = way.entries.iter().map(|&entry| &outline.entries[entry]);
    JsonHit {
        way: entries.map(|entry| EntryDocument::new(&image.file, entry)).collect(),
        beside: way.beside.as_ref().map(|beside| JsonBeside {
            kind: beside.kind,
            address: format!("{:#x}", beside.address),
            offset: image.file.offset_of(beside.address),
        }),
    }
}
