//! `siliray inspect --find`: the ways from the root to something.

use super::super::OpenImage;
use super::line;
use crate::failure::Failure;
use crate::output::Output;
use crate::output::number::counted;
use siliray::documents::inspect::FindDocument;
use siliray::find::Wanted;
use std::path::Path;

/// Shows every way.
pub(super) fn show(
    name: &Path,
    image: &OpenImage,
    wanted: &Wanted,
    output: &Output,
) -> Result<(), Failure> {
    let OpenImage { format, file } = image;
    let outline = (format.outline)(&file.image);
    let name = name.display().to_string();
    let (json, ways) = FindDocument::new(name, format, file, &outline, wanted);
    let what = match wanted {
        Wanted::Primitive { geometry: None, primitive } => format!("primitive {primitive}"),
        Wanted::Primitive { geometry: Some(geometry), primitive } => {
            format!("primitive {geometry}:{primitive}")
        }
        Wanted::Offset(offset) => format!("byte {offset:#x} of the file"),
        Wanted::Point([x, y, z]) => format!("the point {x},{y},{z}"),
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
