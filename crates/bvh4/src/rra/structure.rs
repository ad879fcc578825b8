//! A RawAccelStruct chunk: one acceleration structure.
//!
//! Chunk header, 28 bytes:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | address of the chunk's data |
//! | 8..12, 12..16 | metadata offset, bytes of metadata that the viewer copies |
//! | 16..20, 20..24 | header offset, header size |
//! | 24..28 | bit 0: BLAS |
//!
//! The data is metadata (u64 address, u32 size, padding; at least 128 bytes), the [`GpurtHeader`],
//! nodes, and then, in a BLAS, geometry infos and one node pointer for each primitive; in a TLAS,
//! instance sidebands and one node pointer for each instance. Offsets in the header count from the
//! header. RADV writes 120 bytes of it and still counts as if there were 128, so everything behind
//! its header is 8 bytes earlier in the file than it says.
//!
//! The structure's own address, by which instances name it, is the chunk's address plus the header
//! offset. Version: major << 16 | minor; RADV writes 0xF0005, AMD's driver 0x1000x, siliray
//! 0x100003. Majors above 16 are refused, as the viewer does. Before RTIP 3.1, the table of parents
//! is the end of the metadata.

use super::container::{Chunk, Compression, StoredChunk};
use super::fault::{Field, RraError, u32_at, u64_at};
use super::header_rules::Inactive;
use super::unpack::unpack;
use crate::layout::GpurtHeader;
use crate::layout::base_pointer::ADDRESS_MASK;
use machine::bits::NodeBits;
use machine::{FilePlace, Finding, Segment, Severity};

/// The ids that structures go by.
pub const IDS: [&str; 2] = ["RawAccelStruct", "RawAccelStruc"];

/// One acceleration structure of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// Version of the chunk.
    pub version: u32,
    /// What the chunk says it is.
    pub level: Level,
    /// Everything before the header.
    pub metadata: Vec<u8>,
    /// Bytes of metadata that the viewer copies.
    pub metadata_size: u32,
    /// The structure from its header on, at its own address.
    pub segment: Segment,
    /// Where the bytes come from.
    pub place: FilePlace,
}

/// Whether a structure holds geometry or instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// Instances.
    Tlas,
    /// Geometry.
    Blas,
}

impl Level {
    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tlas => "TLAS",
            Self::Blas => "BLAS",
        }
    }
}

/// Bytes of the chunk header.
const CHUNK_HEADER_BYTES: usize = 28;
/// Bytes of a whole GPURT header, and of RADV's.
const HEADER_BYTES: [u32; 2] = [128, 120];
/// The least metadata, and what siliray writes.
pub const METADATA_BYTES: u32 = 128;
/// The part of the metadata that means something: address and size. The viewer copies as much as
/// the chunk header says into a structure of its own, so no more is offered.
pub const USED_METADATA_BYTES: u32 = 12;
/// The highest major version that is understood.
const LAST_MAJOR: u32 = 16;
/// The version of RADV's chunks.
pub const RADV_CHUNK_VERSION: u32 = 0xF_0005;
/// The version of siliray's chunks.
pub const VERSION: u32 = LAST_MAJOR << 16 | 3;

impl Structure {
    /// Takes a chunk apart; it is structure `number` of its file. Its level of ray-tracing IP must
    /// be one of `levels`, which `expected` says in words.
    ///
    /// # Errors
    /// When the chunk does not hold such a structure.
    pub fn parse(
        chunk: &Chunk<'_>,
        number: usize,
        levels: &[u32],
        expected: &str,
    ) -> Result<Self, RraError> {
        let name = format!("chunk {} {number}", chunk.name());
        if chunk.header.len() < CHUNK_HEADER_BYTES {
            let field =
                Field::new(format!("index: {name}: header size"), chunk.entry_offset + 32, 8);
            return Err(field.error("structure_chunk_header", chunk.header.len(), "28"));
        }
        let major = chunk.version >> 16;
        if major > LAST_MAJOR {
            let field = Field::new(format!("index: {name}: version"), chunk.entry_offset + 20, 4);
            let found = format!("{:#x} (major {major})", chunk.version);
            return Err(field.error("structure_version", found, "a major version up to 16"));
        }
        let word = |at: usize| u32_at(chunk.header, at);
        let (header_offset, header_size) = (word(16), word(20));
        let in_header = |what: &str, at, len| {
            Field::new(format!("{name}: {what}"), chunk.header_offset + at, len)
        };
        if !HEADER_BYTES.contains(&header_size) {
            let expected = "128, or RADV's 120";
            return Err(in_header("header size", 20, 4).error(
                "header_size",
                header_size,
                expected,
            ));
        }
        let data = unpack(chunk)?;
        let (start, size) = (header_offset as usize, header_size as usize);
        let Some(behind) = start.checked_add(size).filter(|&end| end <= data.len()) else {
            let found = format!("{size} bytes at {start:#x}");
            let expected = format!("a range within the {} bytes of the chunk's data", data.len());
            return Err(in_header("header offset and size", 16, 8).error(
                "header_range",
                found,
                expected,
            ));
        };
        let address = u64_at(chunk.header, 0).wrapping_add(u64::from(header_offset)) & ADDRESS_MASK;
        let missing = HEADER_BYTES[0] as usize - size;
        let mut segment = Segment::zeroed(address, data.len() - start + missing);
        segment.bytes_mut()[..size].copy_from_slice(&data[start..behind]);
        segment.bytes_mut()[size + missing..].copy_from_slice(&data[behind..]);
        let place = place_of(
            name.clone(),
            chunk.compression,
            chunk.data_offset,
            u64::from(header_offset),
            u64::from(header_size),
        );
        let level = header_of(&segment).rt_ip_level;
        if !levels.contains(&level) {
            let field =
                Field::new(format!("{name}: header: ray-tracing IP level"), place.offset(72), 4);
            return Err(field.error("rt_ip_level", level, expected));
        }
        Ok(Self {
            version: chunk.version,
            level: if word(24) & 1 == 1 { Level::Blas } else { Level::Tlas },
            metadata: data[..start].to_vec(),
            metadata_size: word(12),
            segment,
            place,
        })
    }

    /// The structure in a segment that starts with its header, behind such metadata.
    ///
    /// # Errors
    /// What the viewer refuses.
    pub fn new(segment: Segment, metadata: Vec<u8>, inactive: Inactive) -> Result<Self, Finding> {
        let structure = Self {
            version: VERSION,
            level: if header_of(&segment).is_blas() { Level::Blas } else { Level::Tlas },
            metadata,
            metadata_size: USED_METADATA_BYTES,
            segment,
            place: FilePlace::default(),
        };
        let mut findings = Vec::new();
        super::header_rules::check(&structure, inactive, &mut findings);
        let refused = findings.into_iter().find(|finding| finding.severity == Severity::Error);
        refused.map_or(Ok(structure), Err)
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> GpurtHeader {
        header_of(&self.segment)
    }

    /// The chunk, uncompressed; one of RADV's as RADV writes it.
    #[must_use]
    pub fn to_chunk(&self) -> StoredChunk {
        let is_radv = self.version == RADV_CHUNK_VERSION;
        let header_size = HEADER_BYTES[usize::from(is_radv)];
        let header_offset = self.metadata.len() as u32;
        let start = self.segment.address.wrapping_sub(u64::from(header_offset)) & ADDRESS_MASK;
        let mut header = start.to_le_bytes().to_vec();
        let flags = u32::from(self.level == Level::Blas);
        for word in [0, self.metadata_size, header_offset, header_size, flags] {
            header.extend_from_slice(&word.to_le_bytes());
        }
        let mut data = self.metadata.clone();
        let (before, behind) = self.segment.bytes().split_at(HEADER_BYTES[0] as usize);
        data.extend_from_slice(&before[..header_size as usize]);
        data.extend_from_slice(behind);
        let mut id = [0; 16];
        id[..IDS[0].len()].copy_from_slice(IDS[0].as_bytes());
        StoredChunk {
            id,
            version: self.version,
            compression: Compression::None,
            header,
            unpacked_size: if is_radv { 0 } else { data.len() as u64 },
            data,
            counts_header: is_radv,
        }
    }
}

/// Where the bytes of a structure lie, whose header begins at `header_offset` of a chunk's data.
/// RADV's header lacks its last bytes, so what follows lies that much earlier.
#[must_use]
pub fn place_of(
    chunk: String,
    compression: Compression,
    data_offset: u64,
    header_offset: u64,
    header_size: u64,
) -> FilePlace {
    let is_packed = compression == Compression::Zstd;
    let start = if is_packed { header_offset } else { data_offset + header_offset };
    let runs = vec![(0, start), (HEADER_BYTES[0].into(), start + header_size)];
    FilePlace { chunk, compressed: is_packed.then_some(data_offset), runs }
}

/// The header at the start of a segment.
fn header_of(segment: &Segment) -> GpurtHeader {
    GpurtHeader::decode(&NodeBits::from_bytes(segment.bytes()))
}
