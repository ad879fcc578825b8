//! What any byte of a dump's file is.

use super::{Dump, HEADER_BYTES, HEADER_FIELDS, RECORD_FIELDS, SPH_BYTES, padded};
use crate::memory::map_address;
use crate::sph::{FIELDS, MASKS};
use crate::workgroup_view::Reader;
use crate::{AttributeId, Element, Location, Region};
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
        /// The stage that it belongs to; `geometry` for the pass-through header.
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
    /// A handle in the input MAP.
    InputIndex {
        /// The primitive.
        primitive: u32,
        /// Its corner.
        corner: u32,
    },
    /// A byte of the input ATTR.
    InputAttr(Location),
    /// A byte without a known meaning (I-2).
    Opaque {
        /// The region.
        region: &'static str,
    },
}

/// The place of the byte at `offset` of the file that `dump` was read from.
#[must_use]
pub fn explain(dump: &Dump, reader: &Reader, offset: usize) -> BytePlace {
    if offset < HEADER_BYTES {
        return BytePlace::Header { field: header_field(offset) };
    }
    let mut start = HEADER_BYTES;
    let headers = [Some(reader.stage.name()), dump.state.geometry.map(|_| "geometry")];
    for which in headers.into_iter().flatten() {
        if offset < start + SPH_BYTES {
            return BytePlace::ProgramHeader { which, bit: 8 * (offset - start) };
        }
        start += SPH_BYTES;
    }
    for (number, workgroup) in dump.workgroups.iter().enumerate() {
        let end = start + dump.file_bytes(workgroup);
        if offset < end {
            return in_unit(dump, reader, number, offset - start);
        }
        start = end;
    }
    BytePlace::Behind
}

/// Where the record of a workgroup begins in the file.
#[must_use]
pub fn record_offset(dump: &Dump, workgroup: usize) -> usize {
    let headers = 1 + usize::from(dump.state.geometry.is_some());
    let before =
        dump.workgroups.iter().take(workgroup).map(|unit| dump.file_bytes(unit)).sum::<usize>();
    HEADER_BYTES + SPH_BYTES * headers + before
}

fn header_field(offset: usize) -> &'static str {
    let field = HEADER_FIELDS.iter().find(|(_, bytes)| bytes.contains(&offset));
    field.map_or("zero", |(name, _)| name)
}

fn in_unit(dump: &Dump, reader: &Reader, number: usize, offset: usize) -> BytePlace {
    let (unit, regions) = (&dump.workgroups[number], dump.regions());
    let Some(mut offset) = offset.checked_sub(dump.record_bytes()) else {
        let field = RECORD_FIELDS[..regions.len() + 2].get(offset / 4).copied().unwrap_or("zero");
        return BytePlace::Record { workgroup: number, field };
    };
    for &(name, output, region) in regions {
        let length = unit.region((name, output, region)).len();
        if offset < length {
            let address = offset as u32;
            let content = match (output, region) {
                (true, Region::Map) => map_byte(reader, address),
                (true, Region::Attr) => RegionByte::Attr(reader.layout.locate(address)),
                (false, Region::Attr) => RegionByte::InputAttr(reader.input.locate(address)),
                (false, Region::Map) => input_map_byte(reader, address),
                (_, Region::Patch | Region::Prim) => RegionByte::Opaque { region: name },
            };
            return BytePlace::Region { workgroup: number, address, content };
        }
        match offset.checked_sub(padded(length)) {
            Some(rest) => offset = rest,
            None => break,
        }
    }
    BytePlace::Padding
}

fn map_byte(reader: &Reader, address: u32) -> RegionByte {
    let Some(topology) = reader.topology else { return RegionByte::Opaque { region: "MAP" } };
    let corners = topology.vertices();
    match address.checked_sub(map_address(true, corners, 0, 0)) {
        None => RegionByte::Count { byte: address },
        Some(at) => RegionByte::Index { primitive: at / corners, corner: at % corners },
    }
}

fn input_map_byte(reader: &Reader, address: u32) -> RegionByte {
    match reader.input_corners {
        0 => RegionByte::Opaque { region: "input MAP" },
        corners => {
            RegionByte::InputIndex { primitive: address / corners, corner: address % corners }
        }
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
        let element = |f: &mut fmt::Formatter<'_>, region: &str, kind: &str, element: &Element| {
            let Element { group, attribute, index, byte, padding } = element;
            let unused = if *padding { " (padding)" } else { "" };
            let lane = index % 32;
            write!(
                f,
                "{region}, {attribute} of {kind} {index}{unused}, group {group}, lane {lane}, byte \
                 {byte}"
            )
        };
        let place = |f: &mut fmt::Formatter<'_>, region: &str, location: &Location| match location {
            Location::Vertex(vertex) => element(f, region, "vertex", vertex),
            Location::Primitive(primitive) => element(f, region, "primitive", primitive),
            Location::Shared { offset } => {
                write!(f, "{region}, shared memory, byte {offset:#x}")
            }
        };
        match self {
            Self::Count { byte } => write!(f, "MAP, primitive count, byte {byte}"),
            Self::Index { primitive, corner } => {
                write!(f, "MAP, index of primitive {primitive}, corner {corner}")
            }
            Self::InputIndex { primitive, corner } => {
                write!(f, "input MAP, handle of primitive {primitive}, corner {corner}")
            }
            Self::Attr(location) => place(f, "ATTR", location),
            Self::InputAttr(location) => place(f, "input ATTR", location),
            Self::Opaque { region } => write!(f, "{region}, of a layout that is not known"),
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
