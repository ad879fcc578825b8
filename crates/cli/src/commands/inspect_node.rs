//! `siliray inspect --node`: one node of an image.

use crate::failure::Failure;
use crate::output::{Output, Table};
use serde::Serialize;
use siliray::gfx12::decode::{Memory, Structure};
use siliray::gfx12::describe::{dual_fields, fields};
use siliray::gfx12::layout::uncompressed::DualPointer;
use siliray::gfx12::layout::{NODE_BYTES, NodeBits, NodePointer};
use siliray::gfx12::uncompressed::NAME as UNCOMPRESSED;
use siliray::machine::{DescribedField, ImageFile};
use std::path::Path;

/// What `--json` prints.
#[derive(Serialize)]
struct Json {
    pointer: String,
    offset: u64,
    kind: &'static str,
    fields: Vec<JsonField>,
}

#[derive(Serialize)]
struct JsonField {
    name: String,
    bits: [u32; 2],
    raw: String,
    value: String,
}

/// Shows the node behind a pointer.
pub(crate) fn show_node(
    name: &Path,
    file: &ImageFile,
    pointer: u32,
    output: &Output,
) -> Result<(), Failure> {
    let is_dual = file.image.format == UNCOMPRESSED;
    let (address, size) = if is_dual {
        let pointer = DualPointer(pointer);
        (file.image.bases[0].wrapping_add(pointer.byte_offset()), pointer.node_bytes())
    } else {
        let structure = Structure::of_root(&file.image, &Memory::new(&file.image));
        (structure.address_of(NodePointer(pointer)), NODE_BYTES as usize)
    };
    let node = file.image.get(address, size).zip(file.offset_of(address));
    let Some((bytes, offset)) = node else {
        let name = name.display();
        let message = format!("{name}: {pointer:#x} leads to {address:#x}, where no memory is");
        return Err(Failure::input(message));
    };
    let bits = NodeBits::from_bytes(bytes);
    let (kind, fields) = if is_dual {
        let pointer = DualPointer(pointer);
        (pointer.kind_name(), dual_fields(pointer, &bits))
    } else {
        (NodePointer(pointer).kind_name(), fields(NodePointer(pointer), &bits))
    };
    let place = file.describe(address).unwrap_or_default();
    let place = if place.is_empty() { String::new() } else { format!(", {place}") };
    let mut text = format!("{pointer:#x}: {kind} at {offset:#x} of the file{place}\n\n");
    text += &hex_dump(bytes, offset);
    text += "\n";
    text += &field_table(&fields);
    let fields = fields.iter().map(JsonField::from).collect();
    output.result(&Json { pointer: format!("{pointer:#x}"), offset, kind, fields }, &text)
}

impl From<&DescribedField> for JsonField {
    fn from(field: &DescribedField) -> Self {
        Self {
            name: field.name.clone(),
            bits: [field.bits.start, field.bits.end],
            raw: format!("{:#x}", field.raw),
            value: field.value.clone(),
        }
    }
}

/// Lines of four dwords.
fn hex_dump(bytes: &[u8], offset: u64) -> String {
    let mut text = String::new();
    for (line, row) in bytes.chunks(16).enumerate() {
        let dwords: Vec<String> = row
            .chunks(4)
            .map(|bytes| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect())
            .collect();
        let at = offset + 16 * line as u64;
        text += &format!("{at:08x}  dword {:>2}  {}\n", 4 * line, dwords.join(" "));
    }
    text
}

/// The fields, without those of slots that are not used.
fn field_table(fields: &[DescribedField]) -> String {
    let unused: Vec<&str> = fields
        .iter()
        .filter(|field| field.value == "slot not used")
        .filter_map(|field| field.name.strip_suffix("node_type"))
        .collect();
    let mut table = Table::new(&["field", "bits", "raw", "value"]).left(4);
    for field in fields {
        if !unused.iter().any(|slot| field.name.starts_with(slot)) {
            let bits = format!("{}..{}", field.bits.start, field.bits.end);
            let raw = format!("{:#x}", field.raw);
            table.row(vec![field.name.clone(), bits, raw, field.value.clone()]);
        }
    }
    let mut text = table.text();
    if let (Some(first), Some(last)) = (unused.first(), unused.last()) {
        let (first, last) = (first.trim_end_matches('.'), last.trim_end_matches('.'));
        text += &format!("{first} to {last}: not used\n");
    }
    text
}
