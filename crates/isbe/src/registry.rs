//! The format `isbe` of dumps, for the registry. The image is the whole file, and a pointer is the
//! offset of a part.

use crate::Limits;
use crate::container::check::check;
use crate::container::outline::{Outline as Parts, Part, PartKind};
use crate::container::{Dump, workgroup_around};
use machine::{
    AnyReport, DescribeError, DescribedField, Description, EntryState, FormatEntry, Image,
    ImageFile, NodeRef, Outline, OutlineEntry, Total,
};

/// The name of the format.
pub const NAME: &str = "isbe";

/// The format.
pub const FORMATS: &[FormatEntry] = &[FormatEntry {
    name: NAME,
    summary: "dumps of ISBE memory, which mesh and earlier shaders write",
    ending: "isbe",
    sniff: Dump::has_magic,
    read: |bytes, _| Ok(ImageFile::whole(NAME, bytes, vec![0], 0)),
    check: |image| {
        let report = check(bytes_of(&image), Limits::default());
        let nodes = report.dump.map_or(0, |dump| dump.workgroups.len());
        AnyReport { checked: None, findings: report.findings, nodes }
    },
    outline,
    describe,
    trees: None,
    structures: &[],
    rules: crate::container::rule::Rule::ENTRIES,
    writers: &[],
}];

fn bytes_of(image: &Image) -> &[u8] {
    image.segments.first().map_or(&[], |segment| segment.bytes())
}

/// The parts: program headers and workgroups below the header, regions below their workgroup.
fn outline(image: &Image) -> Outline {
    let parts = Parts::new(bytes_of(image), Limits::default()).parts;
    let mut entries: Vec<OutlineEntry> = Vec::new();
    let mut slots = [0; 3];
    for part in &parts {
        let depth = match part.kind {
            PartKind::Header => 0,
            PartKind::ProgramHeader | PartKind::Record => 1,
            PartKind::Unread => u32::from(!entries.is_empty()),
            _ => 2,
        };
        let slot = slots[depth as usize];
        slots[depth as usize] += 1;
        slots[depth as usize + 1..].fill(0);
        entries.push(OutlineEntry {
            depth,
            slot,
            node: NodeRef { base: 0, pointer: part.offset },
            kind: kind(part.kind),
            address: part.offset,
            bytes: part.bytes as usize,
            state: EntryState::Read,
            primitives: 0..0,
        });
    }
    let of = |kind| parts.iter().filter(move |part| part.kind == kind);
    let unread = of(PartKind::Unread).map(|part| part.bytes).sum();
    let total = |name, label, count| Total { name, label, count };
    let totals = vec![
        total("workgroups", "workgroups", of(PartKind::Record).count() as u64),
        total("parts", "parts", parts.len() as u64),
        total("unread_bytes", "bytes that are no part", unread),
    ];
    Outline { entries, primitives: Vec::new(), totals }
}

const fn kind(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Header => "header",
        PartKind::ProgramHeader => "program header",
        PartKind::Record => "workgroup",
        PartKind::Map => "MAP",
        PartKind::Vertices => "vertices",
        PartKind::Primitives => "primitives",
        PartKind::Shared => "shared memory",
        PartKind::Notes => "notes",
        PartKind::Attr => "ATTR",
        PartKind::InputAttr => "input ATTR",
        PartKind::InputMap => "input MAP",
        PartKind::Opaque => "PATCH or PRIM",
        PartKind::Unread => "unread",
    }
}

/// The part around a byte.
fn describe(image: &Image, node: NodeRef) -> Result<Description, DescribeError> {
    let (bytes, offset) = (bytes_of(image), node.pointer);
    if offset >= bytes.len() as u64 {
        return Err(DescribeError::Outside { node, address: offset });
    }
    // A workgroup is read behind the headers alone: the whole file would be read for each part.
    let around = workgroup_around(bytes, offset as usize);
    let described = around.and_then(|(excerpt, skipped)| part_at(&excerpt, skipped as u64, offset));
    described.or_else(|| part_at(bytes, 0, offset)).ok_or(DescribeError::NoStructure(node))
}

/// The part around a byte of a file, of which so many bytes behind the headers are left out.
fn part_at(bytes: &[u8], left_out: u64, offset: u64) -> Option<Description> {
    let parts = Parts::new(bytes, Limits::default());
    let part = parts.part_at(offset - left_out)?;
    if left_out > 0 && part.workgroup.is_none() {
        return None;
    }
    let address = part.offset + left_out;
    Some(Description {
        node: NodeRef { base: 0, pointer: address },
        kind: kind(part.kind),
        address,
        bytes: part.bytes as usize,
        fields: fields(&parts, bytes, part),
        beside: Vec::new(),
        frame: None,
    })
}

fn fields(parts: &Parts, bytes: &[u8], part: &Part) -> Vec<DescribedField> {
    let described = parts.fields(bytes, part).into_iter().map(|field| {
        let first = 8 * (field.offset - part.offset) as u32;
        let value = if field.text.is_empty() { field.raw.to_string() } else { field.text };
        DescribedField {
            name: field.name,
            bits: first + field.bits.start..first + field.bits.end,
            raw: field.raw,
            value,
            meaning: "",
            unit: "",
            source: "docs/spec/isbe.md",
            link: None,
        }
    });
    described.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::capture::{CaptureOptions, capture_scene};
    use scene::builtin::Builtin;

    fn image() -> Image {
        let dump = capture_scene(&Builtin::Organic.scene(600), &CaptureOptions::default()).unwrap();
        (FORMATS[0].read)(&dump.to_bytes().unwrap(), &Default::default()).unwrap().image
    }

    /// A part is described alike whether it is read alone or with the whole file.
    #[test]
    fn every_part_is_described_as_in_the_whole_file() {
        let image = image();
        let bytes = bytes_of(&image);
        let parts = Parts::new(bytes, Limits::default());
        let outline = outline(&image);
        assert_eq!(outline.entries.len(), parts.parts.len());
        assert!(outline.total("workgroups") > 1 && outline.total("unread_bytes") == 0);
        for (entry, part) in outline.entries.iter().zip(&parts.parts) {
            let description = describe(&image, entry.node).unwrap();
            assert_eq!((description.address, description.bytes), (entry.address, entry.bytes));
            assert_eq!(description.fields, fields(&parts, bytes, part), "{}", part.name);
        }
        let end = NodeRef { base: 0, pointer: bytes.len() as u64 };
        assert!(matches!(describe(&image, end), Err(DescribeError::Outside { .. })));
    }

    /// Files that were cut or bent anywhere have an outline, all of which can be described.
    #[test]
    fn damaged_dumps_are_described() {
        let sound = image();
        let bytes = bytes_of(&sound);
        for at in (0..bytes.len()).step_by(97).chain(0..256) {
            let mut bent = bytes.to_vec();
            bent[at] ^= 0x55;
            for file in [&bytes[..at], &bent] {
                let image = ImageFile::whole(NAME, file, vec![0], 0).image;
                for entry in outline(&image).entries {
                    assert!(describe(&image, entry.node).is_ok(), "{at}: {entry:?}");
                }
            }
        }
    }
}
