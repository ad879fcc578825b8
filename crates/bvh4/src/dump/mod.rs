//! Dumps of memory as drivers leave it: structures of any generation, and what a file puts around
//! them.
//!
//! | file | concept |
//! |---|---|
//! | [`memory`] | structures with their headers, one after another |
//! | [`gamma`] | files of `MESA_VK_TRACE=gamma` |
//! | [`serialized`] | structures that an application copied to memory |
//! | [`width`] | whether nodes have four children or eight |

pub mod gamma;
pub mod memory;
pub mod serialized;
pub mod width;

pub use width::Width;

use crate::layout::RadvHeader;
use machine::{FilePlace, Image, ImageFile, Outline, ReadError, Segment, StructureSummary};

/// A structure of a dump: its memory, where that lies in the file, and what its header says.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The memory, from the header on.
    pub segment: Segment,
    /// Where it lies in the file.
    pub place: FilePlace,
    /// Whether it is a BLAS.
    pub is_blas: bool,
    /// Primitives or instances.
    pub primitives: u64,
    /// What the program called it, if the file tells.
    pub name: Option<String>,
    /// Bytes that were allocated for it, if the file tells.
    pub allocated: Option<u64>,
}

impl Stored {
    /// A structure with RADV's header.
    #[must_use]
    pub fn of_radv(segment: Segment, place: FilePlace, header: &RadvHeader) -> Self {
        let (is_blas, primitives) = (header.is_blas(), header.primitive_count);
        Self { segment, place, is_blas, primitives, name: None, allocated: None }
    }
}

/// How structures of a format become an image that can be looked at.
#[derive(Debug, Clone, Copy)]
pub struct Reader {
    /// The image that starts in the first of some segments.
    pub image_of: fn(Vec<Segment>) -> Image,
    /// Everything in an image that can be reached.
    pub outline: fn(&Image) -> Outline,
}

/// The image of structure `number`; without a number, of the largest TLAS, or of the largest BLAS
/// if there is no TLAS.
///
/// # Errors
/// When there is no such structure.
pub fn open(
    mut structures: Vec<Stored>,
    number: Option<usize>,
    reader: &Reader,
) -> Result<ImageFile, ReadError> {
    let count = structures.len();
    let numbered = structures.iter().enumerate().rev();
    let largest = numbered.max_by_key(|(_, one)| (!one.is_blas, one.primitives));
    let chosen = number.unwrap_or(largest.map_or(0, |(number, _)| number));
    if chosen >= count {
        return Err(ReadError::NoStructure { number: chosen, count });
    }
    let summaries = structures.iter().map(|stored| summary(stored, reader)).collect();
    let root = structures.remove(chosen);
    structures.retain(|stored| !root.is_blas && stored.is_blas);
    structures.insert(0, root);
    let (segments, places) = structures.into_iter().map(|one| (one.segment, one.place)).unzip();
    let image = (reader.image_of)(segments);
    let opened = ImageFile::of(image, places);
    Ok(ImageFile { structures: summaries, structure: chosen, ..opened })
}

fn summary(stored: &Stored, reader: &Reader) -> StructureSummary {
    let alone = (reader.outline)(&(reader.image_of)(vec![stored.segment.clone()]));
    let total = |name| alone.total(name) as u32;
    StructureSummary {
        level: if stored.is_blas { "BLAS" } else { "TLAS" },
        address: stored.segment.address,
        offset: stored.place.offset(0),
        bytes: stored.segment.bytes().len(),
        primitives: u32::try_from(stored.primitives).unwrap_or(u32::MAX),
        nodes: [total("boxes"), total("primitive_nodes") + total("instances")],
        name: stored.name.clone(),
        allocated: stored.allocated,
    }
}
