//! RDF, the container of Radeon's tools: a header, named chunks, and an index of them.
//!
//! File header, 32 bytes:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | "AMD_RDF ", in older files "RTA_DATA" |
//! | 8..12 | version, 3 |
//! | 12..16 | zero |
//! | 16..24 | index offset |
//! | 24..32 | index size in bytes |
//!
//! Index entry, 64 bytes:
//!
//! | bytes | field |
//! |---|---|
//! | 0..16 | id, padded with zeros |
//! | 16 | compression of the data: 0 none, 1 zstd |
//! | 17..20 | zero |
//! | 20..24 | version of the chunk |
//! | 24..32, 32..40 | header offset, header size |
//! | 40..48, 48..56 | data offset, data size |
//! | 56..64 | size of the data when unpacked; where nothing is compressed, the data size or 0 |
//!
//! Offsets count from the start of the file. Nothing here is trusted: every range must lie in the
//! file, and no two may overlap, so that a small file cannot stand for much data. One overlap is a
//! known habit: RADV counts a chunk's header as data, so that the data seems to reach as many bytes
//! into what follows. Such data is read at its true length, and a note says so.
//!
//! ```
//! use bvh4::rra::container::{Compression, Container, Magic, StoredChunk, write};
//! let chunk = StoredChunk {
//!     id: *b"ApiInfo\0\0\0\0\0\0\0\0\0",
//!     version: 1,
//!     compression: Compression::None,
//!     header: Vec::new(),
//!     data: vec![3, 0, 0, 0, 1, 0, 3, 0],
//!     unpacked_size: 8,
//!     counts_header: false,
//! };
//! let bytes = write(Magic::Rdf, std::slice::from_ref(&chunk));
//! assert_eq!(bytes[..12], *b"AMD_RDF \x03\0\0\0");
//! let container = Container::parse(&bytes).unwrap();
//! assert_eq!(container.chunks[0].name(), "ApiInfo");
//! assert_eq!(container.chunks[0].to_stored(), chunk);
//! ```

use super::fault::{Field, RraError, u32_at, u64_at};
use machine::{Finding, Severity};
use std::ops::Range;

/// The chunks of a file, which they borrow from.
#[derive(Debug, Clone, PartialEq)]
pub struct Container<'a> {
    /// How the file introduces itself.
    pub magic: Magic,
    /// Where the index lies.
    pub index_offset: u64,
    /// The chunks, in the order of the index.
    pub chunks: Vec<Chunk<'a>>,
    /// What is odd, but keeps nothing from being read.
    pub findings: Vec<Finding>,
}

/// The first eight bytes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Magic {
    /// "AMD_RDF ".
    Rdf,
    /// "RTA_DATA", in older files.
    Rta,
}

/// How a chunk's data is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// As a zstd frame.
    Zstd,
}

/// A chunk in its file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chunk<'a> {
    /// Its id, padded with zeros.
    pub id: [u8; 16],
    /// Its version.
    pub version: u32,
    /// How the data is stored.
    pub compression: Compression,
    /// The header, never compressed.
    pub header: &'a [u8],
    /// The data as stored.
    pub data: &'a [u8],
    /// Bytes of the data when unpacked.
    pub unpacked_size: u64,
    /// Where the index entry lies.
    pub entry_offset: u64,
    /// Where the header lies.
    pub header_offset: u64,
    /// Where the data lies.
    pub data_offset: u64,
}

/// A chunk without a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its id, padded with zeros.
    pub id: [u8; 16],
    /// Its version.
    pub version: u32,
    /// How the data is stored.
    pub compression: Compression,
    /// The header.
    pub header: Vec<u8>,
    /// The data as stored.
    pub data: Vec<u8>,
    /// Bytes of the data when unpacked.
    pub unpacked_size: u64,
    /// Whether the index counts the header as data, as RADV does.
    pub counts_header: bool,
}

impl Magic {
    /// The bytes.
    #[must_use]
    pub const fn bytes(self) -> &'static [u8; 8] {
        match self {
            Self::Rdf => b"AMD_RDF ",
            Self::Rta => b"RTA_DATA",
        }
    }

    /// Which one a file starts with.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Option<Self> {
        [Self::Rdf, Self::Rta].into_iter().find(|magic| bytes.starts_with(magic.bytes()))
    }
}

const FILE_HEADER_BYTES: usize = 32;
const ENTRY_BYTES: usize = 64;
const VERSION: u32 = 3;

impl<'a> Container<'a> {
    /// Finds the chunks of a file.
    ///
    /// # Errors
    /// When the file is none, is cut short, or its parts overlap.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, RraError> {
        let magic = check_file_header(bytes)?;
        let (offset, size) = (u64_at(bytes, 16), u64_at(bytes, 24));
        let index_field = || Field::new("file header: index offset and size", 16, 16);
        let Some(index) = slice(bytes, offset, size) else {
            let found = format!("{size} bytes at byte {offset:#x}");
            let expected = format!("a range within the {} bytes of the file", bytes.len());
            return Err(index_field().error("index_range", found, expected));
        };
        if !size.is_multiple_of(ENTRY_BYTES as u64) {
            return Err(index_field().error("index_size", size, "a multiple of 64 bytes"));
        }
        let mut chunks = Vec::with_capacity(index.len() / ENTRY_BYTES);
        for (number, entry) in index.chunks_exact(ENTRY_BYTES).enumerate() {
            let entry_offset = offset + (number * ENTRY_BYTES) as u64;
            chunks.push(parse_entry(bytes, entry, entry_offset)?);
        }
        let mut container = Self { magic, index_offset: offset, chunks, findings: Vec::new() };
        container.take_headers_off_data();
        container.check_overlaps(offset..offset + size)?;
        Ok(container)
    }

    /// Shortens data that its chunk's header was counted in: data right behind that header which
    /// reaches exactly as many bytes into what follows. One note stands for all such chunks.
    fn take_headers_off_data(&mut self) {
        let ranges =
            self.chunks.iter().flat_map(|chunk| [chunk.header_range(), chunk.data_range()]);
        let starts = ranges.filter(|range| !range.is_empty()).map(|range| range.start);
        let mut starts: Vec<u64> = starts.chain([self.index_offset]).collect();
        starts.sort_unstable();
        let mut note: Option<Finding> = None;
        for chunk in &mut self.chunks {
            let (header, data) = (chunk.header_range(), chunk.data_range());
            let following = starts.get(starts.partition_point(|&start| start <= data.start));
            let surplus = following.and_then(|&start| data.end.checked_sub(start));
            let is_counted = !header.is_empty()
                && header.end == data.start
                && surplus == Some(header.end - header.start)
                && chunk.compression == Compression::None;
            if !is_counted {
                continue;
            }
            let counted = chunk.data.len();
            chunk.data = &chunk.data[..counted - chunk.header.len()];
            chunk.unpacked_size = chunk.data.len() as u64;
            let first = note.get_or_insert_with(|| {
                let place = format!("index: chunk {}: data size", chunk.name());
                let found = format!("{counted}, the chunk's header included");
                let field = Field::new(place, chunk.entry_offset + 48, 8);
                let expected = chunk.data.len();
                let note = field.finding(Severity::Note, "header_counted", found, expected);
                Finding { count: 0, ..note }
            });
            first.count += 1;
        }
        self.findings.extend(note);
    }

    /// Proves that file header, index, chunk headers and chunk data lie apart.
    fn check_overlaps(&self, index: Range<u64>) -> Result<(), RraError> {
        let file_header = (0..FILE_HEADER_BYTES as u64, "the file header".to_owned(), 0);
        let mut parts = vec![file_header, (index, "the index".to_owned(), 16)];
        for chunk in &self.chunks {
            let name = chunk.name();
            let (header, data) = (chunk.header_range(), chunk.data_range());
            parts.push((header, format!("the header of chunk {name}"), chunk.entry_offset + 24));
            parts.push((data, format!("the data of chunk {name}"), chunk.entry_offset + 40));
        }
        parts.retain(|(range, _, _)| !range.is_empty());
        parts.sort_by_key(|(range, _, _)| (range.start, range.end));
        for pair in parts.windows(2) {
            let [(before, what, _), (after, other, entry)] = pair else { continue };
            if after.start < before.end {
                let found = format!("{:#x}..{:#x}", after.start, after.end);
                let expected = format!("nothing before {:#x}, where {what} ends", before.end);
                return Err(Field::new(format!("index: {other}"), *entry, 16).error(
                    "chunk_overlap",
                    found,
                    expected,
                ));
            }
        }
        Ok(())
    }
}

impl Chunk<'_> {
    /// The id as text.
    #[must_use]
    pub fn name(&self) -> String {
        name_of(&self.id)
    }

    /// Where the header lies.
    fn header_range(&self) -> Range<u64> {
        self.header_offset..self.header_offset + self.header.len() as u64
    }

    /// Where the data lies.
    fn data_range(&self) -> Range<u64> {
        self.data_offset..self.data_offset + self.data.len() as u64
    }

    /// A copy without its file.
    #[must_use]
    pub fn to_stored(&self) -> StoredChunk {
        StoredChunk {
            id: self.id,
            version: self.version,
            compression: self.compression,
            header: self.header.to_vec(),
            data: self.data.to_vec(),
            unpacked_size: self.unpacked_size,
            counts_header: false,
        }
    }
}

impl StoredChunk {
    /// The id as text.
    #[must_use]
    pub fn name(&self) -> String {
        name_of(&self.id)
    }
}

/// A file with these chunks: headers and data in order, then the index.
#[must_use]
pub fn write(magic: Magic, chunks: &[StoredChunk]) -> Vec<u8> {
    let mut file = vec![0; FILE_HEADER_BYTES];
    let mut index = Vec::with_capacity(chunks.len() * ENTRY_BYTES);
    for chunk in chunks {
        let header_offset = file.len() as u64;
        file.extend_from_slice(&chunk.header);
        let data_offset = file.len() as u64;
        file.extend_from_slice(&chunk.data);
        index.extend_from_slice(&chunk.id);
        let compression = u32::from(chunk.compression == Compression::Zstd);
        index.extend_from_slice(&compression.to_le_bytes());
        index.extend_from_slice(&chunk.version.to_le_bytes());
        let counted = if chunk.counts_header { chunk.header.len() } else { 0 };
        let sizes = [chunk.header.len() as u64, (chunk.data.len() + counted) as u64];
        for word in [header_offset, sizes[0], data_offset, sizes[1], chunk.unpacked_size] {
            index.extend_from_slice(&word.to_le_bytes());
        }
    }
    let index_offset = file.len() as u64;
    file.extend_from_slice(&index);
    file[..8].copy_from_slice(magic.bytes());
    file[8..12].copy_from_slice(&VERSION.to_le_bytes());
    file[16..24].copy_from_slice(&index_offset.to_le_bytes());
    file[24..32].copy_from_slice(&(index.len() as u64).to_le_bytes());
    file
}

/// The magic, once header and version are sound.
fn check_file_header(bytes: &[u8]) -> Result<Magic, RraError> {
    let Some(magic) = Magic::of(bytes) else {
        let start = &bytes[..bytes.len().min(8)];
        let field = Field::new("file header: identifier", 0, 8);
        let found = format!("\"{}\"", start.escape_ascii());
        return Err(field.error("container_magic", found, "\"AMD_RDF \" or \"RTA_DATA\""));
    };
    if bytes.len() < FILE_HEADER_BYTES {
        let field = Field::new("file header", 0, FILE_HEADER_BYTES as u64);
        return Err(field.error("container_truncated", bytes.len(), "32 bytes"));
    }
    let version = u32_at(bytes, 8);
    if version != VERSION {
        let field = Field::new("file header: version", 8, 4);
        return Err(field.error("container_version", version, VERSION));
    }
    Ok(magic)
}

fn parse_entry<'a>(file: &'a [u8], entry: &[u8], entry_offset: u64) -> Result<Chunk<'a>, RraError> {
    let mut id = [0; 16];
    id.copy_from_slice(&entry[..16]);
    let place = |what: &str| format!("index: chunk {}: {what}", name_of(&id));
    let field = |what: &str, at: u64, len| Field::new(place(what), entry_offset + at, len);
    let compression = match entry[16] {
        0 => Compression::None,
        1 => Compression::Zstd,
        other => {
            let field = field("compression", 16, 1);
            return Err(field.error("chunk_compression", other, "0 (none) or 1 (zstd)"));
        }
    };
    let range = |rule, what: &str, at: usize| {
        let (offset, size) = (u64_at(entry, at), u64_at(entry, at + 8));
        // Where there are no bytes, the offset means nothing.
        let bytes = if size == 0 { Some(&[][..]) } else { slice(file, offset, size) };
        bytes.map(|bytes| (offset, bytes)).ok_or_else(|| {
            let found = format!("{size} bytes at byte {offset:#x}");
            let expected = format!("a range within the {} bytes of the file", file.len());
            field(what, at as u64, 16).error(rule, found, expected)
        })
    };
    let (header_offset, header) = range("chunk_header_range", "header", 24)?;
    let (data_offset, data) = range("chunk_data_range", "data", 40)?;
    let declared = u64_at(entry, 56);
    if compression == Compression::None && declared != 0 && declared != data.len() as u64 {
        let expected = format!("0 or the data size, {}", data.len());
        return Err(field("uncompressed size", 56, 8).error("chunk_size", declared, expected));
    }
    let unpacked_size = match compression {
        Compression::None => data.len() as u64,
        Compression::Zstd => declared,
    };
    let version = u32_at(entry, 20);
    Ok(Chunk {
        id,
        version,
        compression,
        header,
        data,
        unpacked_size,
        entry_offset,
        header_offset,
        data_offset,
    })
}

fn name_of(id: &[u8; 16]) -> String {
    let end = id.iter().position(|&byte| byte == 0).unwrap_or(id.len());
    id[..end].escape_ascii().to_string()
}

fn slice(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)
}
