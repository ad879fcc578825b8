//! `siliray inspect --node`: one structure of an image, field by field.

use super::super::OpenImage;
use crate::failure::Failure;
use crate::output::number::counted;
use crate::output::{Output, Table};
use siliray::documents::structure::StructureDocument;
use siliray::machine::{DescribedField, Description, ImageFile, NodeRef};
use std::path::Path;

/// Bytes that are shown as they are.
const MOST_DUMPED: usize = 512;

/// What descriptions say of a slot that holds nothing.
const UNUSED: &str = "slot not used";

/// Shows the structure behind a pointer.
pub(super) fn show(
    name: &Path,
    image: &OpenImage,
    pointer: u64,
    output: &Output,
) -> Result<(), Failure> {
    let OpenImage { format, file } = image;
    let node = NodeRef::from_root(&file.image, pointer);
    let described = (format.describe)(&file.image, node)
        .map_err(|error| Failure::input(format!("{}: {error}", name.display())))?;
    let described = file.amended(described);
    let mut text = format!("{}: {}", described.node, part(file, &described));
    for beside in &described.beside {
        text += &format!("\nbeside it: {}", part(file, beside));
    }
    output.result(&StructureDocument::new(file, &described), &text)
}

/// What it is and where, its bytes, its fields.
fn part(file: &ImageFile, described: &Description) -> String {
    let offset = file.offset_of(described.address).unwrap_or_default();
    let place = file.describe(described.address).unwrap_or_default();
    let place = if place.is_empty() { place } else { format!(", {place}") };
    let bytes = file.image.get(described.address, described.bytes).unwrap_or_default();
    let dump = hex_dump(bytes, offset);
    let fields = field_table(&described.fields);
    format!("{} at byte {offset:#x} of the file{place}\n\n{dump}\n{fields}", described.kind)
}

/// Lines of four dwords.
fn hex_dump(bytes: &[u8], offset: u64) -> String {
    let mut text = String::new();
    let shown = &bytes[..bytes.len().min(MOST_DUMPED)];
    for (line, row) in shown.chunks(16).enumerate() {
        let dwords: Vec<String> = row
            .chunks(4)
            .map(|bytes| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect())
            .collect();
        let at = offset + 16 * line as u64;
        text += &format!("{at:08x}  dword {:>2}  {}\n", 4 * line, dwords.join(" "));
    }
    if shown.len() < bytes.len() {
        text += &format!("… {} more\n", counted(bytes.len() - shown.len(), "byte"));
    }
    text
}

/// The fields, without those of slots that are not used.
fn field_table(fields: &[DescribedField]) -> String {
    let unused: Vec<&str> = fields
        .iter()
        .filter(|field| field.value == UNUSED)
        .filter_map(|field| Some(field.name.rsplit_once('.')?.0))
        .collect();
    let is_unused = |field: &DescribedField| {
        field.name.rsplit_once('.').is_some_and(|(slot, _)| unused.contains(&slot))
    };
    let mut table = Table::new(&["field", "bits", "raw", "value", "meaning"]).left(5);
    for field in fields.iter().filter(|field| !is_unused(field)) {
        let bits = format!("{}..{}", field.bits.start, field.bits.end);
        let raw = format!("{:#x}", field.raw);
        let meaning = field.meaning.trim().to_owned();
        table.row(vec![field.name.clone(), bits, raw, field.value.clone(), meaning]);
    }
    let mut text = table.text();
    match unused[..] {
        [] => (),
        [slot] => text += &format!("{slot}: not used\n"),
        [first, .., last] => text += &format!("{first} to {last}: not used\n"),
    }
    text
}
