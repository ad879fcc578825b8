//! Memory as a driver leaves it: structures with their headers, one after another.
//!
//! A file of them is mapped at address 0, so that addresses are offsets of the file. Each structure
//! starts at a multiple of 256 and says in its header where it ends; what lies between two is
//! skipped. Such a file is known by the header that it begins with (G-43).

use crate::encode::{MEMORY_ALIGNMENT, image_of};
use crate::outline::outline;
use crate::survey::{Header, Structure};
use machine::{FilePlace, Image, ImageFile, ReadError, Segment, StructureSummary};

/// Segments lie so far apart that their memory would be mostly empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("segments up to address {end:#x} hold {bytes} bytes: too far apart for a file of memory")]
pub struct Scattered {
    /// Where the last ends.
    pub end: u64,
    /// What they hold.
    pub bytes: u64,
}

/// Whether bytes begin with the header of a driver's memory.
pub(crate) fn is_file(bytes: &[u8]) -> bool {
    structure_at(bytes, 0).is_some()
}

/// Whether an image is a driver's memory.
pub(crate) fn is_memory(image: &Image) -> bool {
    let first = image.segments.first().and_then(Structure::of_segment);
    first.and_then(|first| first.header).and_then(|header| end_of(&header)).is_some()
}

/// The memory of an image, from address 0 on.
///
/// # Errors
/// When most of it would be empty.
pub fn write(image: &Image) -> Result<Vec<u8>, Scattered> {
    let ends = image.segments.iter().map(|s| s.address + s.bytes().len() as u64);
    let (end, bytes) = (ends.max().unwrap_or(0), image.byte_count() as u64);
    if end > bytes + MEMORY_ALIGNMENT * image.segments.len() as u64 {
        return Err(Scattered { end, bytes });
    }
    let mut memory = vec![0; end as usize];
    for segment in &image.segments {
        memory[segment.address as usize..][..segment.bytes().len()]
            .copy_from_slice(segment.bytes());
    }
    Ok(memory)
}

/// The image of structure `number`; without a number, of the largest TLAS, or of the largest BLAS
/// if there is no TLAS.
///
/// # Errors
/// When there is no such structure.
pub fn read(bytes: &[u8], number: Option<usize>) -> Result<ImageFile, ReadError> {
    open(structures(bytes), number)
}

/// The same, of structures that are known.
pub(crate) fn open(
    mut structures: Vec<Stored>,
    number: Option<usize>,
) -> Result<ImageFile, ReadError> {
    let count = structures.len();
    let size = |(_, structure, _): &Stored| {
        (structure.header.is_some_and(|header| !header.is_blas()), primitives(structure))
    };
    let numbered = structures.iter().enumerate().rev();
    let largest = numbered.max_by_key(|(_, stored)| size(stored)).map_or(0, |(n, _)| n);
    let chosen = number.unwrap_or(largest);
    if chosen >= count {
        return Err(ReadError::NoStructure { number: chosen, count });
    }
    let summaries = structures.iter().map(summary);
    let summaries: Vec<StructureSummary> = summaries.collect();
    let is_blas = |stored: &Stored| stored.1.header.is_some_and(|header| header.is_blas());
    let is_top = !is_blas(&structures[chosen]);
    let root = structures.remove(chosen);
    structures.retain(|stored| is_top && is_blas(stored));
    structures.insert(0, root);
    let places = structures.iter().map(|(_, _, place)| place.clone()).collect();
    let image = image_of(structures.into_iter().map(|(segment, ..)| segment).collect());
    let structure = chosen;
    Ok(ImageFile { image, places, findings: Vec::new(), structures: summaries, structure })
}

/// A structure, its memory, and where that lies in the file.
pub(crate) type Stored = (Segment, Structure, FilePlace);

/// The structures of a file, each as far as its header says.
fn structures(bytes: &[u8]) -> Vec<Stored> {
    let mut found: Vec<Stored> = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let structure = structure_at(bytes, start);
        let end = structure.as_ref().and_then(|s| s.header.as_ref()).and_then(end_of);
        let end = end.map_or(start, |size| start.saturating_add(size as usize).min(bytes.len()));
        if let Some(structure) = structure {
            let segment = Segment::new(start as u64, &bytes[start..end]);
            found.push((segment, structure, FilePlace::at(start as u64)));
        }
        start = end.max(start + 1).next_multiple_of(MEMORY_ALIGNMENT as usize);
    }
    found
}

fn structure_at(bytes: &[u8], start: usize) -> Option<Structure> {
    let structure = Structure::of_bytes(start as u64, bytes.get(start..)?)?;
    structure.header.as_ref().and_then(end_of).map(|_| structure)
}

/// Bytes of a structure, where it is a driver's memory.
fn end_of(header: &Header) -> Option<u64> {
    match header {
        Header::Gpurt(_) => None,
        Header::Radv(header) => Some(header.compacted_size),
        Header::Hiprt(header) => Some(header.size),
    }
}

/// Primitives or instances, as the header says.
fn primitives(structure: &Structure) -> u64 {
    match structure.header {
        Some(Header::Radv(header)) => header.primitive_count,
        Some(Header::Hiprt(header)) => match (header.scene, header.geometry) {
            (Some(scene), _) => scene.primitive_count.into(),
            (None, Some(geometry)) => geometry.reference_count.into(),
            (None, None) => 0,
        },
        Some(Header::Gpurt(_)) | None => 0,
    }
}

fn summary((segment, structure, place): &Stored) -> StructureSummary {
    let is_blas = structure.header.is_some_and(|header| header.is_blas());
    let alone = outline(&image_of(vec![segment.clone()]));
    let total = |name| alone.total(name) as u32;
    StructureSummary {
        level: if is_blas { "BLAS" } else { "TLAS" },
        address: segment.address,
        offset: place.offset(0),
        bytes: segment.bytes().len(),
        primitives: u32::try_from(primitives(structure)).unwrap_or(u32::MAX),
        nodes: [total("boxes"), total("primitive_nodes") + total("instances")],
    }
}
