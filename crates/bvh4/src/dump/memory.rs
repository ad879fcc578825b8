//! Memory as a driver leaves it: structures with their headers, one after another.
//!
//! A file of them is mapped at address 0, so that addresses are offsets of the file. Each structure
//! starts at a multiple of 256 and says in its header where it ends; what lies between two is
//! skipped. Such a file is known by the header that it begins with (G-43).

use super::Stored;
use crate::layout::RadvHeader;
use machine::{FilePlace, Image, Segment};
use std::ops::Range;

/// Structures begin at multiples of this.
pub const ALIGNMENT: u64 = 256;

/// Segments lie so far apart that their memory would be mostly empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("segments up to address {end:#x} hold {bytes} bytes: too far apart for a file of memory")]
pub struct Scattered {
    /// Where the last ends.
    pub end: u64,
    /// What they hold.
    pub bytes: u64,
}

/// What the header of a structure says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Bytes, from the header on.
    pub bytes: u64,
    /// Whether it is a BLAS.
    pub is_blas: bool,
    /// Primitives or instances.
    pub primitives: u64,
}

impl Extent {
    /// That of RADV's header at the start of some bytes, if there is one.
    #[must_use]
    pub fn of_radv(bytes: &[u8]) -> Option<Self> {
        let header = RadvHeader::of_bytes(bytes)?;
        let (is_blas, primitives) = (header.is_blas(), header.primitive_count);
        Some(Self { bytes: header.compacted_size, is_blas, primitives })
    }
}

/// Where structures lie in a file, each as far as its header says; `extent` finds a header at an
/// address.
pub fn places(
    bytes: &[u8],
    extent: impl Fn(u64, &[u8]) -> Option<Extent>,
) -> Vec<(Range<usize>, Extent)> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let mut end = start;
        if let Some(extent) = extent(start as u64, &bytes[start..]) {
            let size = usize::try_from(extent.bytes).unwrap_or(usize::MAX);
            end = start.saturating_add(size).min(bytes.len());
            found.push((start..end, extent));
        }
        start = end.max(start + 1).next_multiple_of(ALIGNMENT as usize);
    }
    found
}

/// The structures of a file.
pub fn structures(bytes: &[u8], extent: impl Fn(u64, &[u8]) -> Option<Extent>) -> Vec<Stored> {
    let stored = |(range, Extent { is_blas, primitives, .. }): (Range<usize>, Extent)| {
        let start = range.start as u64;
        let (segment, place) = (Segment::new(start, &bytes[range]), FilePlace::at(start));
        Stored { segment, place, is_blas, primitives, name: None, allocated: None }
    };
    places(bytes, extent).into_iter().map(stored).collect()
}

/// The memory of an image, from address 0 on.
///
/// # Errors
/// When most of it would be empty.
pub fn write(image: &Image) -> Result<Vec<u8>, Scattered> {
    let ends = image.segments.iter().map(|s| s.address + s.bytes().len() as u64);
    let (end, bytes) = (ends.max().unwrap_or(0), image.byte_count() as u64);
    if end > bytes + ALIGNMENT * image.segments.len() as u64 {
        return Err(Scattered { end, bytes });
    }
    let mut memory = vec![0; end as usize];
    for segment in &image.segments {
        memory[segment.address as usize..][..segment.bytes().len()]
            .copy_from_slice(segment.bytes());
    }
    Ok(memory)
}
