//! What any byte of a dump's file is.

use super::{
    Dump, HEADER_BYTES, HEADER_FIELDS, RECORD_BYTES, RECORD_FIELDS, SPH_BYTES, Workgroup, padded,
};
use crate::memory::map_address;
use crate::sph::{FIELDS, MASKS};
use crate::workgroup_view::Reader;
use crate::{AttributeId, Element, Location};
use std::fmt;

/// Where a byte of the file belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BytePlace {
    /// The container's header.
    Header {
        /// The field.
        field: &'static str,
    },
    /// A shader program header.
    ProgramHeader {
        /// `mesh` or `geometry`.
        which: &'static str,
        /// The first bit of the byte.
        bit: usize,
    },
    /// The record of a workgroup.
    Record {
        /// Which in the file.
        workgroup: usize,
        /// The field.
        field: &'static str,
    },
    /// A region of a workgroup.
    Region {
        /// Which in the file.
        workgroup: usize,
        /// The address in the region.
        address: u32,
        /// What is there.
        content: RegionByte,
    },
    /// Padding behind a region.
    Padding,
    /// Behind the last workgroup.
    Behind,
}

/// What a byte of a region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionByte {
    /// A byte of the primitive count in MAP.
    Count {
        /// Which byte.
        byte: u32,
    },
    /// An index in MAP.
    Index {
        /// The primitive.
        primitive: u32,
        /// Its corner.
        corner: u32,
    },
    /// A byte of ATTR.
    Attr(Location),
    /// A byte of the input ATTR.
    InputAttr,
}

/// The place of the byte at `offset` of the file that `dump` was read from.
#[must_use]
pub fn explain(dump: &Dump, reader: &Reader, offset: usize) -> BytePlace {
    if offset < HEADER_BYTES {
        return BytePlace::Header { field: header_field(offset) };
    }
    let mut start = HEADER_BYTES;
    let headers = [Some("mesh"), dump.state.geometry.map(|_| "geometry")];
    for which in headers.into_iter().flatten() {
        if offset < start + SPH_BYTES {
            return BytePlace::ProgramHeader { which, bit: 8 * (offset - start) };
        }
        start += SPH_BYTES;
    }
    for (number, workgroup) in dump.workgroups.iter().enumerate() {
        let end = start + file_bytes(workgroup);
        if offset < end {
            return in_workgroup(reader, number, workgroup, offset - start);
        }
        start = end;
    }
    BytePlace::Behind
}

/// Where the record of a workgroup begins in the file.
#[must_use]
pub fn record_offset(dump: &Dump, workgroup: usize) -> usize {
    let headers = 1 + usize::from(dump.state.geometry.is_some());
    let before = dump.workgroups.iter().take(workgroup).map(file_bytes).sum::<usize>();
    HEADER_BYTES + SPH_BYTES * headers + before
}

fn file_bytes(workgroup: &Workgroup) -> usize {
    let regions = [&workgroup.map, &workgroup.attr, &workgroup.input_attr];
    RECORD_BYTES + regions.into_iter().map(|region| padded(region.len())).sum::<usize>()
}

fn header_field(offset: usize) -> &'static str {
    let field = HEADER_FIELDS.iter().find(|(_, bytes)| bytes.contains(&offset));
    field.map_or("zero", |(name, _)| name)
}

fn in_workgroup(reader: &Reader, number: usize, workgroup: &Workgroup, offset: usize) -> BytePlace {
    let Some(mut offset) = offset.checked_sub(RECORD_BYTES) else {
        let field = RECORD_FIELDS.get(offset / 4).copied().unwrap_or("zero");
        return BytePlace::Record { workgroup: number, field };
    };
    let contents: [fn(&Reader, u32) -> RegionByte; 3] = [
        map_byte,
        |reader, address| RegionByte::Attr(reader.layout.locate(address)),
        |_, _| RegionByte::InputAttr,
    ];
    let regions = [&workgroup.map, &workgroup.attr, &workgroup.input_attr];
    for (region, content) in regions.into_iter().zip(contents) {
        if offset < region.len() {
            let address = offset as u32;
            return BytePlace::Region {
                workgroup: number,
                address,
                content: content(reader, address),
            };
        }
        match offset.checked_sub(padded(region.len())) {
            Some(rest) => offset = rest,
            None => break,
        }
    }
    BytePlace::Padding
}

fn map_byte(reader: &Reader, address: u32) -> RegionByte {
    let corners = reader.topology.vertices();
    match address.checked_sub(map_address(true, corners, 0, 0)) {
        None => RegionByte::Count { byte: address },
        Some(at) => RegionByte::Index { primitive: at / corners, corner: at % corners },
    }
}

impl fmt::Display for BytePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Header { field } => write!(f, "header, {field}"),
            Self::ProgramHeader { which, bit } => {
                write!(f, "{which} header, bits {bit}..{}: {}", bit + 8, header_bits(*bit))
            }
            Self::Record { workgroup, field } => write!(f, "workgroup {workgroup}, {field}"),
            Self::Region { workgroup, address, content } => {
                write!(f, "workgroup {workgroup}, {content}, address {address:#06x}")
            }
            Self::Padding => f.write_str("padding to 16 bytes"),
            Self::Behind => f.write_str("behind the last workgroup"),
        }
    }
}

impl fmt::Display for RegionByte {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = |f: &mut fmt::Formatter<'_>, kind: &str, element: &Element| {
            let Element { group, attribute, index, byte, padding } = element;
            let unused = if *padding { " (padding)" } else { "" };
            let lane = index % 32;
            write!(
                f,
                "ATTR, {attribute} of {kind} {index}{unused}, group {group}, lane {lane}, byte \
                 {byte}"
            )
        };
        match self {
            Self::Count { byte } => write!(f, "MAP, primitive count, byte {byte}"),
            Self::Index { primitive, corner } => {
                write!(f, "MAP, index of primitive {primitive}, corner {corner}")
            }
            Self::Attr(Location::Vertex(vertex)) => element(f, "vertex", vertex),
            Self::Attr(Location::Primitive(primitive)) => element(f, "primitive", primitive),
            Self::Attr(Location::Shared { offset }) => {
                write!(f, "ATTR, shared memory, byte {offset:#x}")
            }
            Self::InputAttr => f.write_str("input ATTR"),
        }
    }
}

/// The fields or attribute bits that 8 bits of a program header touch.
fn header_bits(bit: usize) -> String {
    let bits = bit..bit + 8;
    let fields = FIELDS
        .into_iter()
        .filter(|field| field.bits.start < bits.end && bits.start < field.bits.end);
    let mut names: Vec<String> = fields.map(|field| field.name.to_owned()).collect();
    for (mask, first) in MASKS {
        let slots = bits.clone().filter_map(|bit| bit.checked_sub(first));
        let ids = slots.filter_map(AttributeId::from_slot);
        names.extend(ids.map(|id| format!("{mask} {id}")));
    }
    if names.is_empty() { "reserved".to_owned() } else { names.join(", ") }
}
