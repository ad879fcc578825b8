//! Files that hold images, and siliray's own container for formats without a file of their own.
//!
//! The container is little endian:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | `SILIRAY` and the version, 1 |
//! | 8..24 | name of the format, padded with zeros |
//! | 24..32 | root pointer |
//! | 32..36, 36..40 | number of bases, of segments |
//! | 40.. | the bases, 8 bytes each; then address and length of each segment, 8 bytes each |
//! | then | the bytes of the segments, each from a multiple of 128 on |

use crate::image::LINE_BYTES;
use crate::{AnyReport, Description, Finding, Image, RawLayout, Segment, Severity};
use std::collections::BTreeMap;

/// The first bytes of a container.
pub const MAGIC: [u8; 8] = *b"SILIRAY\x01";

/// Longest name of a format.
const NAME_BYTES: usize = 16;

/// Where the counts end.
const HEADER_BYTES: usize = 40;

/// An image, with the way back to its file.
#[derive(Debug, Clone, PartialEq)]
pub struct ImageFile {
    /// The image.
    pub image: Image,
    /// Where each segment comes from.
    pub places: Vec<FilePlace>,
    /// What is odd about the file around the image.
    pub findings: Vec<Finding>,
    /// The structures of a file that holds several, by number.
    pub structures: Vec<StructureSummary>,
    /// Which structure the image starts in.
    pub structure: usize,
    /// 64-bit words that were changed to make an image of the file: where they are in memory, and
    /// what the file has there.
    pub replaced: BTreeMap<u64, u64>,
}

/// One structure of a file that holds several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureSummary {
    /// "TLAS" or "BLAS".
    pub level: &'static str,
    /// Where it lies in memory.
    pub address: u64,
    /// Where it lies in the file.
    pub offset: u64,
    /// Its bytes, from the header or the parent table on.
    pub bytes: usize,
    /// Primitives or instances, as its header says.
    pub primitives: u32,
    /// Box nodes and leaf nodes, as its header says.
    pub nodes: [u32; 2],
    /// What the program that made it calls it, if the file tells.
    pub name: Option<String>,
    /// Bytes that were allocated for it, if the file tells other than by having them.
    pub allocated: Option<u64>,
}

/// Where the bytes of a segment lie in a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FilePlace {
    /// The chunk, by name and number; empty in a file without chunks.
    pub chunk: String,
    /// Where compressed data begins: its bytes have no places of their own.
    pub compressed: Option<u64>,
    /// Runs of bytes: the first byte of the segment, and where that lies in the file (or in the
    /// unpacked data). Each ends where the next begins.
    pub runs: Vec<(u64, u64)>,
}

/// Why a file holds no image.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReadError {
    /// The file is broken, and where.
    #[error("{0}")]
    Broken(Box<Finding>),
    /// There is no structure of that number.
    #[error("found no structure {number}, expected {}", valid_numbers(*count))]
    NoStructure {
        /// The number that was asked for.
        number: usize,
        /// How many structures there are.
        count: usize,
    },
}

fn valid_numbers(count: usize) -> String {
    match count {
        0 => "a file with structures".to_owned(),
        1 => "0, the only one".to_owned(),
        _ => format!("0 to {}", count - 1),
    }
}

impl FilePlace {
    /// The place of memory that lies in the file from `offset` on.
    #[must_use]
    pub fn at(offset: u64) -> Self {
        Self { runs: vec![(0, offset)], ..Self::default() }
    }

    /// The file offset of a byte of the segment. In compressed data: that of the data.
    #[must_use]
    pub fn offset(&self, byte: u64) -> u64 {
        self.compressed.unwrap_or_else(|| self.data_byte(byte))
    }

    /// The place of a byte in words, where its offset does not tell all.
    #[must_use]
    pub fn describe(&self, byte: u64) -> String {
        match self.compressed {
            Some(_) => {
                format!("{}, byte {:#x} of the unpacked data", self.chunk, self.data_byte(byte))
            }
            None => self.chunk.clone(),
        }
    }

    fn data_byte(&self, byte: u64) -> u64 {
        let run = self.runs.iter().rev().find(|(first, _)| *first <= byte);
        run.map_or(0, |(first, offset)| offset + (byte - first))
    }
}

impl ImageFile {
    /// A file that is one segment at address 0 and nothing else.
    #[must_use]
    pub fn whole(format: &'static str, bytes: &[u8], bases: Vec<u64>, root: u64) -> Self {
        let image = Image { format, segments: vec![Segment::new(0, bytes)], bases, root };
        Self::of(image, vec![FilePlace::at(0)])
    }

    /// Raw memory, where it was.
    #[must_use]
    pub fn raw(format: &'static str, bytes: &[u8], layout: &RawLayout) -> Self {
        let bases = vec![layout.base, layout.primitive_base.unwrap_or(layout.base)];
        let mut file = Self::whole(format, bytes, bases, layout.root);
        file.image.segments[0].address = layout.address;
        file
    }

    /// A file without structures to choose from.
    #[must_use]
    pub const fn of(image: Image, places: Vec<FilePlace>) -> Self {
        Self {
            image,
            places,
            findings: Vec::new(),
            structures: Vec::new(),
            structure: 0,
            replaced: BTreeMap::new(),
        }
    }

    /// The file offset of an address; `None` if no segment holds it.
    #[must_use]
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let (segment, place) = self.segment_of(address)?;
        Some(place.offset(address - segment.address))
    }

    /// The place in words of an address in compressed or named memory.
    #[must_use]
    pub fn describe(&self, address: u64) -> Option<String> {
        let (segment, place) = self.segment_of(address)?;
        Some(place.describe(address - segment.address))
    }

    /// The address of a byte of the file; `None` if no segment holds it.
    #[must_use]
    pub fn address_of(&self, offset: u64) -> Option<u64> {
        self.image.segments.iter().zip(&self.places).find_map(|(segment, place)| {
            if place.compressed.is_some() {
                return None;
            }
            let run = place.runs.iter().rev().find(|(_, start)| *start <= offset)?;
            let address = segment.address.checked_add(run.0)?.checked_add(offset - run.1)?;
            segment.get(address, 1).map(|_| address)
        })
    }

    /// A description of a structure of this file, with what the file has where that is not what
    /// the image has.
    #[must_use]
    pub fn amended(&self, mut description: Description) -> Description {
        for field in &mut description.fields {
            let address = description.address.checked_add(u64::from(field.bits.start / 8));
            if let Some(stored) = address.and_then(|address| self.replaced.get(&address)) {
                field.value += &format!(", moved: the file has {stored:#x}");
            }
        }
        description.beside =
            description.beside.into_iter().map(|beside| self.amended(beside)).collect();
        description
    }

    fn segment_of(&self, address: u64) -> Option<(&Segment, &FilePlace)> {
        let mut both = self.image.segments.iter().zip(&self.places);
        both.find(|(segment, _)| segment.get(address, 1).is_some())
    }

    /// Proves the image by the check of its format. Findings have the offsets of the file; those
    /// about the file around the image are among them.
    #[must_use]
    pub fn check(self, check: impl FnOnce(Image) -> AnyReport) -> AnyReport {
        let lengths: Vec<u64> =
            self.image.segments.iter().map(|segment| segment.bytes().len() as u64).collect();
        let mut report = check(self.image);
        for finding in &mut report.findings {
            to_file(finding, &lengths, &self.places);
        }
        report.findings.extend(self.findings);
        report.findings.sort_by_key(Finding::report_order);
        report
    }
}

/// Turns an offset over all segments into one of the file.
fn to_file(finding: &mut Finding, lengths: &[u64], places: &[FilePlace]) {
    let mut byte = finding.offset;
    for (&length, place) in lengths.iter().zip(places) {
        if byte < length {
            finding.offset = place.offset(byte);
            let chunk = place.describe(byte);
            if !chunk.is_empty() {
                finding.place = format!("{chunk}: {}", finding.place);
            }
            return;
        }
        byte -= length;
    }
}

/// Whether bytes begin a container of that format.
#[must_use]
pub fn is_container_of(format: &str, start: &[u8]) -> bool {
    start.starts_with(&MAGIC) && start.get(8..8 + NAME_BYTES) == Some(&padded(format)[..])
}

fn padded(name: &str) -> [u8; NAME_BYTES] {
    let mut padded = [0; NAME_BYTES];
    for (place, byte) in padded.iter_mut().zip(name.bytes()) {
        *place = byte;
    }
    padded
}

/// The container of an image.
#[must_use]
pub fn write_container(image: &Image) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(padded(image.format));
    bytes.extend(image.root.to_le_bytes());
    bytes.extend((image.bases.len() as u32).to_le_bytes());
    bytes.extend((image.segments.len() as u32).to_le_bytes());
    image.bases.iter().for_each(|base| bytes.extend(base.to_le_bytes()));
    for segment in &image.segments {
        bytes.extend(segment.address.to_le_bytes());
        bytes.extend((segment.bytes().len() as u64).to_le_bytes());
    }
    for segment in &image.segments {
        bytes.resize(bytes.len().next_multiple_of(LINE_BYTES), 0);
        bytes.extend(segment.bytes());
    }
    bytes
}

/// The image in a container.
///
/// # Errors
/// When the file ends too early, or names more than it holds.
pub fn read_container(format: &'static str, bytes: &[u8]) -> Result<ImageFile, ReadError> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|b| b.try_into().ok());
    let long = |at: usize| bytes.get(at..at + 8).and_then(|b| b.try_into().ok());
    let long = |at: usize| {
        long(at).map(u64::from_le_bytes).ok_or_else(|| broken(bytes, at, "the file's header"))
    };
    let count = |at: usize| {
        word(at).map(u32::from_le_bytes).ok_or_else(|| broken(bytes, at, "the file's header"))
    };
    let root = long(24)?;
    let (base_count, segment_count) = (count(32)? as usize, count(36)? as usize);
    let records = HEADER_BYTES + 8 * base_count;
    let end_of_records = records + 16 * segment_count;
    if end_of_records > bytes.len() {
        return Err(broken(bytes, HEADER_BYTES, "the list of segments"));
    }
    let bases = (0..base_count).map(|n| long(HEADER_BYTES + 8 * n)).collect::<Result<_, _>>()?;
    let (mut segments, mut places) = (Vec::new(), Vec::new());
    let mut start = end_of_records;
    for record in (records..end_of_records).step_by(16) {
        start = start.next_multiple_of(LINE_BYTES);
        let (address, length) = (long(record)?, long(record + 8)?);
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        let data = end.and_then(|end| bytes.get(start..end));
        let data = data.filter(|_| address.checked_add(length).is_some());
        let data = data.ok_or_else(|| broken(bytes, record, "a segment of that length"))?;
        segments.push(Segment::new(address, data));
        places.push(FilePlace::at(start as u64));
        start += data.len();
    }
    Ok(ImageFile::of(Image { format, segments, bases, root }, places))
}

fn broken(bytes: &[u8], offset: usize, expected: &str) -> ReadError {
    ReadError::Broken(Box::new(Finding {
        severity: Severity::Error,
        rule: "file_length",
        offset: offset as u64,
        bits: 0..64,
        found: format!("a file of {} bytes", bytes.len()),
        expected: format!("room for {expected}"),
        place: "siliray container".to_owned(),
        count: 1,
        weight: 0,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Image {
        Image {
            format: "tree",
            segments: vec![Segment::new(0x1000, &[1, 2, 3]), Segment::new(0x2000, &[4; 300])],
            bases: vec![0x1000, 0x2000],
            root: 7,
        }
    }

    #[test]
    fn a_container_gives_the_image_back() {
        let bytes = write_container(&example());
        assert!(is_container_of("tree", &bytes) && !is_container_of("tre", &bytes));
        let file = read_container("tree", &bytes).unwrap();
        assert_eq!(file.image, example());
        let offset = file.offset_of(0x2001).unwrap();
        assert_eq!(bytes[offset as usize], 4);
        assert_eq!(file.address_of(offset), Some(0x2001));
        assert_eq!(file.address_of(u64::MAX), None);
    }

    #[test]
    fn a_segment_beyond_the_last_address_is_refused() {
        let mut bytes = write_container(&example());
        // The address of the first segment, behind two bases.
        bytes[56..64].copy_from_slice(&(u64::MAX - 1).to_le_bytes());
        assert!(read_container("tree", &bytes).is_err());
    }

    #[test]
    fn a_container_that_was_cut_is_refused() {
        let bytes = write_container(&example());
        for length in 8..bytes.len() {
            assert!(read_container("tree", &bytes[..length]).is_err(), "{length}");
        }
    }
}
