//! Which fields each part of a file has, with what they mean.

use super::outline::Field;
use super::{HEADER_FIELDS, NO_TASK, RECORD_FIELDS, record_bytes, regions};
use crate::limits::{LANES, LINE_BYTES};
use crate::mesh::capture_notes::{HEADER_FIELDS as NOTES_FIELDS, HEADER_WORDS, kind_name};
use crate::methods::FIELDS as METHOD_FIELDS;
use crate::sph::{FIELDS as SPH_FIELDS, MASKS, SphVersion};
use crate::topology::topology_code_name;
use crate::{Area, AttributeId, Stage, WorkgroupView, generation};
use std::ops::Range;

/// The fields of a part under way.
pub(super) struct List<'a> {
    /// The bytes of the part.
    bytes: &'a [u8],
    /// Where they begin in the file.
    start: usize,
    pub(super) fields: Vec<Field>,
}

impl<'a> List<'a> {
    /// No fields yet of a part of a file.
    pub(super) fn new(file: &'a [u8], part: Range<usize>) -> Self {
        let start = part.start;
        Self { bytes: file.get(part).unwrap_or_default(), start, fields: Vec::new() }
    }

    /// Every word from a byte of the part on.
    pub(super) fn words(&mut self, from: usize) {
        for at in (from..self.bytes.len()).step_by(4) {
            let bits = 8 * (self.bytes.len() - at).min(4);
            self.add(format!("word {}", at / 4), at, 0..bits, |_| String::new());
        }
    }

    /// Adds a field of at most 64 bits, which count from byte `at` of the part.
    fn add(
        &mut self,
        name: impl Into<String>,
        at: usize,
        bits: Range<usize>,
        text: impl FnOnce(u64) -> String,
    ) {
        let bit = |bit: usize| self.bytes.get(at + bit / 8).map_or(0, |byte| byte >> (bit % 8) & 1);
        let raw = bits.clone().rev().fold(0, |raw, n| raw << 1 | u64::from(bit(n)));
        self.fields.push(Field {
            name: name.into(),
            offset: (self.start + at) as u64,
            bits: bits.start as u32..bits.end as u32,
            raw,
            text: text(raw),
        });
    }
}

/// The header of the container, its flags and methods taken apart.
pub(super) fn header(list: &mut List<'_>) {
    for (name, bytes) in HEADER_FIELDS {
        let at = bytes.start;
        list.add(name, at, 0..8 * bytes.len(), |raw| match name {
            "magic" => String::from_utf8_lossy(&raw.to_le_bytes()).into_owned(),
            "SM" => generation::name(raw as u16).to_owned(),
            _ => String::new(),
        });
        if name == "flags" {
            for (bit, meaning) in FLAGS.into_iter().enumerate() {
                list.add(format!("flag {bit}"), at, bit..bit + 1, |raw| {
                    format!("{}: {meaning}", if raw == 1 { "set" } else { "not set" })
                });
            }
        }
        for field in METHOD_FIELDS.iter().filter(|field| field.method == name) {
            let bits = field.bits.start as usize..field.bits.end as usize;
            list.add(format!("{name}.{}", field.name), at, bits, |raw| match field.name {
                "OUTPUT_TOPOLOGY" => topology_code_name(raw as u8).to_owned(),
                "STAGE" => Stage::from_code(raw as u8).map_or("none", Stage::name).to_owned(),
                _ => String::new(),
            });
        }
    }
}

/// What the flags say, by bit.
const FLAGS: [&str; 6] = [
    "ATTR in SKEW-logical order",
    "MAP in reversed order",
    "a geometry header",
    "input ATTR",
    "task numbers",
    "all regions",
];

/// A shader program header: its fields, and the attributes that its masks name.
pub(super) fn program_header(list: &mut List<'_>) {
    for field in SPH_FIELDS {
        list.add(field.name, 0, field.bits, |_| String::new());
    }
    let version = list.bytes.first_chunk().map_or(0, |word| u32::from_le_bytes(*word) >> 5 & 31);
    let masks = if version == SphVersion::V4.number() { 3 } else { 2 };
    for (mask, first) in MASKS.into_iter().take(masks) {
        for id in (0..AttributeId::SLOTS).filter_map(AttributeId::from_slot) {
            let bit = first + id.slot();
            if list.bytes.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1) {
                list.add(format!("{mask}.{id}"), 0, bit..bit + 1, |_| "active".to_owned());
            }
        }
    }
}

/// The record of a workgroup.
pub(super) fn record(list: &mut List<'_>) {
    let all = list.bytes.len() == record_bytes(true);
    for (number, name) in RECORD_FIELDS[..2 + regions(all).len()].iter().copied().enumerate() {
        list.add(name, 4 * number, 0..32, |raw| match name {
            "task index" if raw == u64::from(NO_TASK) => "no task".to_owned(),
            _ => String::new(),
        });
    }
}

/// The primitive count, and the corners of the primitives that it counts.
pub(super) fn map(list: &mut List<'_>, view: Option<WorkgroupView<'_>>) {
    let Some(view) = view else { return list.words(0) };
    if let Some(count) = view.stored_count() {
        list.add("primitive count", 0, 0..32, |_| count.to_string());
    }
    for primitive in 0..view.primitive_count() {
        for corner in 0..view.corners() {
            let at = view.index_address(primitive, corner) as usize;
            if at < list.bytes.len() {
                let name = format!("primitive[{primitive}].corner[{corner}]");
                list.add(name, at, 0..8, |raw| format!("vertex {raw}"));
            }
        }
    }
}

/// The handles of primitives that come in.
pub(super) fn input_map(list: &mut List<'_>, corners: usize) {
    if corners == 0 {
        return list.words(0);
    }
    for at in 0..list.bytes.len() {
        let name = format!("primitive[{}].corner[{}]", at / corners, at % corners);
        list.add(name, at, 0..8, |raw| format!("vertex {raw}"));
    }
}

/// The attributes of vertices or primitives, in the order of their bytes, without padding lanes.
pub(super) fn area(list: &mut List<'_>, area: Option<&Area>) {
    let Some(area) = area else { return list.words(0) };
    for first in (0..area.maximum()).step_by(LANES) {
        for (line, id) in area.ids().iter().enumerate() {
            let elements = first..area.maximum().min(first + LANES as u32);
            for element in elements {
                let base = (area.element_base(element) - area.base()) as usize;
                let at = base + line * LINE_BYTES as usize;
                if at + 4 <= list.bytes.len() {
                    list.add(format!("{id}[{element}]"), at, 0..32, |raw| {
                        id.value_text(raw as u32)
                    });
                }
            }
        }
    }
}

/// The notes of a capture: the words of their header by name, then the body.
pub(super) fn notes(list: &mut List<'_>) {
    list.add("magic", 0, 0..64, |raw| String::from_utf8_lossy(&raw.to_le_bytes()).into_owned());
    for (word, name) in NOTES_FIELDS {
        list.add(name, 4 * word, 0..32, |raw| match name {
            "kind" => kind_name(raw as u32).to_owned(),
            _ => String::new(),
        });
    }
    list.words(4 * HEADER_WORDS);
}
