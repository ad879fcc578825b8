//! The parts of a dump's file, and the fields of each.
//!
//! Any bytes have an outline: as far as they can be read, their parts follow one another; what is
//! left is one part more. Padding behind a region belongs to no part.
//!
//! ```
//! use isbe::container::outline::{Outline, PartKind};
//! use isbe::{AttributeSet, Dump, Limits, UnitState, Topology};
//! let none = AttributeSet::default();
//! let state = UnitState::new(86, Topology::Triangles, (none, 64), (none, 126), 0);
//! let bytes = Dump::new(state).to_bytes().unwrap();
//! let outline = Outline::new(&bytes, Limits::Driver);
//! assert_eq!(outline.parts[1].kind, PartKind::ProgramHeader);
//! let fields = outline.fields(&bytes, &outline.parts[0]);
//! let sm = fields.iter().find(|field| field.name == "SM").unwrap();
//! assert_eq!((sm.offset, sm.bits.clone(), sm.raw), (12, 0..16, 86));
//! assert_eq!(sm.text, "Ampere");
//! ```

use super::check::check_structure;
use super::describe::{self, List};
use super::{Dump, HEADER_BYTES, SPH_BYTES, padded};
use crate::mesh::capture_notes::CaptureNotes;
use crate::workgroup_view::Reader;
use crate::{Limits, Region, WorkgroupView};
use std::ops::Range;

/// A file, part by part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The parts, in the order of their bytes.
    pub parts: Vec<Part>,
    dump: Option<Dump>,
    reader: Option<Reader>,
}

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is called, as in `workgroup 3, MAP`.
    pub name: String,
    /// What it is.
    pub kind: PartKind,
    /// Which workgroup of the file it belongs to.
    pub workgroup: Option<usize>,
    /// Its first byte in the file.
    pub offset: u64,
    /// How many bytes it has, without padding.
    pub bytes: u64,
}

/// What a part of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartKind {
    /// The header of the container.
    Header,
    /// A shader program header.
    ProgramHeader,
    /// The record of a workgroup.
    Record,
    /// MAP: the primitive count and the indices.
    Map,
    /// ATTR: the attributes of vertices.
    Vertices,
    /// ATTR: the attributes of primitives.
    Primitives,
    /// ATTR: shared memory.
    Shared,
    /// ATTR: shared memory in which a capture left notes.
    Notes,
    /// ATTR of a workgroup whose state gives it no layout.
    Attr,
    /// The input ATTR.
    InputAttr,
    /// The input MAP.
    InputMap,
    /// PATCH or PRIM of either space (I-2).
    Opaque,
    /// Bytes that could not be read as any of these.
    Unread,
}

/// A field of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name, as in `POSITION_X[35]`.
    pub name: String,
    /// The byte of the file that its bits count from.
    pub offset: u64,
    /// Its bits: bit `n` is bit `n % 8` of byte `offset + n / 8`.
    pub bits: Range<u32>,
    /// What stands there.
    pub raw: u64,
    /// What that means; nothing where the number says it all.
    pub text: String,
}

impl Outline {
    /// The parts of a file, sound or not.
    #[must_use]
    pub fn new(bytes: &[u8], limits: Limits) -> Self {
        let dump = check_structure(bytes, limits).dump;
        let reader = dump.as_ref().and_then(|dump| Reader::new(dump, limits).ok());
        let mut parts = Vec::new();
        let mut end = 0;
        if let Some(dump) = &dump {
            end = add_parts(&mut parts, dump, reader.as_ref());
        }
        if end < bytes.len() {
            add(&mut parts, PartKind::Unread, None, "unread bytes".to_owned(), end..bytes.len());
        }
        Self { parts, dump, reader }
    }

    /// The part that a byte of the file belongs to; `None` for padding and past the end.
    #[must_use]
    pub fn part_at(&self, offset: u64) -> Option<&Part> {
        let next = self.parts.partition_point(|part| part.offset <= offset);
        self.parts[..next].last().filter(|part| offset < part.offset + part.bytes)
    }

    /// The fields of a part of the file that this outline was made of.
    #[must_use]
    pub fn fields(&self, bytes: &[u8], part: &Part) -> Vec<Field> {
        let mut list = List::new(bytes, part.offset as usize..(part.offset + part.bytes) as usize);
        let workgroups = self.dump.as_ref().map(|dump| &dump.workgroups);
        let workgroup = part.workgroup.and_then(|number| workgroups?.get(number));
        let view = || Some(WorkgroupView::new(self.reader.as_ref()?, workgroup?));
        match part.kind {
            PartKind::Header => describe::header(&mut list),
            PartKind::ProgramHeader => describe::program_header(&mut list),
            PartKind::Record => describe::record(&mut list),
            PartKind::Map => describe::map(&mut list, view()),
            PartKind::Vertices => {
                describe::area(&mut list, self.reader.as_ref().map(|r| &r.layout.vertices));
            }
            PartKind::Primitives => {
                describe::area(&mut list, self.reader.as_ref().map(|r| &r.layout.primitives));
            }
            PartKind::Notes => describe::notes(&mut list),
            PartKind::InputMap => {
                let corners = self.reader.as_ref().map_or(0, |reader| reader.input_corners);
                describe::input_map(&mut list, corners as usize);
            }
            PartKind::InputAttr => {
                describe::area(&mut list, self.reader.as_ref().map(|r| &r.input.vertices));
            }
            PartKind::Shared | PartKind::Attr | PartKind::Opaque | PartKind::Unread => {
                list.words(0);
            }
        }
        list.fields
    }
}

/// Adds the parts of a dump; the answer is where they end.
fn add_parts(parts: &mut Vec<Part>, dump: &Dump, reader: Option<&Reader>) -> usize {
    let mut at = HEADER_BYTES;
    add(parts, PartKind::Header, None, "header".to_owned(), 0..at);
    let stage = dump.state.stage().unwrap_or_default();
    let headers = [Some(stage.name()), dump.state.geometry.map(|_| "geometry")];
    for name in headers.into_iter().flatten() {
        let name = format!("{name} header");
        add(parts, PartKind::ProgramHeader, None, name, at..at + SPH_BYTES);
        at += SPH_BYTES;
    }
    for (number, workgroup) in dump.workgroups.iter().enumerate() {
        let mut add = |kind: PartKind, what: &str, bytes: Range<usize>| {
            let name = format!("workgroup {number}, {what}");
            add(parts, kind, Some(number), name, bytes);
        };
        add(PartKind::Record, "record", at..at + dump.record_bytes());
        at += dump.record_bytes();
        for &(name, output, region) in dump.regions() {
            let length = workgroup.region((name, output, region)).len();
            let whole = at..at + length;
            let area =
                |from: u32, to: u32| at + length.min(from as usize)..at + length.min(to as usize);
            match (output, region, reader) {
                (true, Region::Map, _) => add(PartKind::Map, name, whole),
                (false, Region::Map, _) => add(PartKind::InputMap, name, whole),
                (_, Region::Patch | Region::Prim, _) => add(PartKind::Opaque, name, whole),
                (false, Region::Attr, _) => add(PartKind::InputAttr, name, whole),
                (true, Region::Attr, None) => add(PartKind::Attr, name, whole),
                (true, Region::Attr, Some(reader)) => {
                    let primitives = reader.layout.primitives.base();
                    let shared = reader.layout.shared_base();
                    add(PartKind::Vertices, "ATTR, vertices", area(0, primitives));
                    add(PartKind::Primitives, "ATTR, primitives", area(primitives, shared));
                    let view = WorkgroupView::new(reader, workgroup);
                    let (kind, name) = match CaptureNotes::from_shared(view.shared()) {
                        None => (PartKind::Shared, "ATTR, shared memory"),
                        Some(_) => (PartKind::Notes, "ATTR, notes of the capture"),
                    };
                    add(kind, name, area(shared, u32::MAX));
                }
            }
            at += padded(length);
        }
    }
    at
}

/// Adds a part that has bytes.
fn add(
    parts: &mut Vec<Part>,
    kind: PartKind,
    workgroup: Option<usize>,
    name: String,
    bytes: Range<usize>,
) {
    if !bytes.is_empty() {
        let (offset, bytes) = (bytes.start as u64, bytes.len() as u64);
        parts.push(Part { name, kind, workgroup, offset, bytes });
    }
}
