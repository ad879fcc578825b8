//! Files with images of the format `gfx12-bvh4x2`.
//!
//! No viewer has files of this format, so siliray's are RDF containers ([`crate::rra::container`])
//! with chunks of their own: one `Bvh4x2Struct` for each structure, that of the root first. Chunk
//! header, 36 bytes:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | address of the chunk's data |
//! | 8..16 | base: the address that node pointers count from |
//! | 16..20 | root pointer; 0xFFFFFFFF in memory that nothing refers to |
//! | 20..24 | bit 0: BLAS |
//! | 24..28 | triangles and procedurals, or instances |
//! | 28..32, 32..36 | box nodes, other nodes |
//!
//! The data is memory as it is: the parent table, the nodes. The counts are for readers of the
//! file; nothing relies on them. siliray writes version 1 and compresses nothing; it reads zstd
//! too.
//!
//! ```
//! use gfx12::bvh4x2::{file, Options, encode};
//! let (primitives, bvh) = (tree::Primitives::default(), tree::Bvh::empty());
//! let tree = tree::Tree { blases: vec![tree::Blas { primitives, bvh }], tlas: None };
//! let image = encode::encode(&tree, &Options::default()).unwrap();
//! let bytes = file::write(&image);
//! let opened = file::read(&bytes).unwrap().unwrap().open(0).unwrap();
//! assert_eq!(opened.image, image);
//! ```

use super::NAME;
use super::survey::{Survey, Surveyed};
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer};
use crate::rra::container::{self, Chunk, Compression, Container, Magic, StoredChunk};
use crate::rra::fault::{Field, u32_at, u64_at};
use crate::rra::unpack::unpack;
use crate::rra::{Level, Opened, RraError, place_of};
use crate::survey::Memory;
use machine::{FilePlace, Image, Segment};

/// The id of the chunks.
pub const ID: &str = "Bvh4x2Struct";

const VERSION: u32 = 1;
const CHUNK_HEADER_BYTES: usize = 36;
/// No header is cut short here.
const WHOLE_HEADER: u64 = 128;

/// A file, taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct File {
    /// The structures, that of the root first.
    pub structures: Vec<StoredStructure>,
}

/// One structure of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredStructure {
    /// What the chunk says it is.
    pub level: Level,
    /// Its memory.
    pub segment: Segment,
    /// Where node pointers count from.
    pub base: u64,
    /// The first node.
    pub root: Bvh4Pointer,
    /// Triangles and procedurals, or instances.
    pub primitive_count: u32,
    /// Box nodes.
    pub box_count: u32,
    /// Other nodes.
    pub leaf_count: u32,
    /// Where the memory comes from.
    pub place: FilePlace,
}

/// Whether bytes are a file with a structure of this format.
#[must_use]
pub fn is_file(bytes: &[u8]) -> bool {
    let container = Container::parse(bytes);
    container.is_ok_and(|container| container.chunks.iter().any(|chunk| chunk.name() == ID))
}

/// Takes a file apart; `None` if it holds no structure of this format.
///
/// # Errors
/// When the file is no container, or a structure in it is broken: the place, what was found, what
/// was expected.
pub fn read(bytes: &[u8]) -> Result<Option<File>, RraError> {
    let container = Container::parse(bytes)?;
    let chunks = container.chunks.iter().filter(|chunk| chunk.name() == ID);
    let structures: Vec<StoredStructure> = chunks
        .enumerate()
        .map(|(number, chunk)| StoredStructure::parse(chunk, number))
        .collect::<Result<_, _>>()?;
    Ok((!structures.is_empty()).then_some(File { structures }))
}

/// The file of an image.
#[must_use]
pub fn write(image: &Image) -> Vec<u8> {
    let memory = Memory::new(image);
    let survey = Survey::new(image);
    let of_segment = |number: usize| {
        survey.structures.iter().position(|s| memory.segment_of(s.structure.base) == Some(number))
    };
    let mut stored: Vec<(Option<usize>, &Segment)> = image
        .segments
        .iter()
        .enumerate()
        .map(|(number, segment)| (of_segment(number), segment))
        .collect();
    stored.sort_by_key(|(structure, _)| *structure != Some(0));
    let chunks: Vec<StoredChunk> = stored
        .into_iter()
        .map(|(structure, segment)| {
            let surveyed = structure.map(|number| &survey.structures[number]);
            let is_top = structure == Some(0) && survey.has_tlas();
            chunk(segment, surveyed, if is_top { Level::Tlas } else { Level::Blas })
        })
        .collect();
    container::write(Magic::Rdf, &chunks)
}

impl File {
    /// The image that starts in a structure; all memory of the file belongs to it.
    #[must_use]
    pub fn open(self, number: usize) -> Option<Opened> {
        let start = self.structures.get(number)?;
        let (bases, root) = (vec![start.base; 2], u64::from(start.root.0));
        let stored = self.structures.into_iter();
        let (segments, places) = stored.map(|stored| (stored.segment, stored.place)).unzip();
        let image = Image { format: NAME, segments, bases, root };
        Some(Opened { image, places, structure: number, findings: Vec::new() })
    }
}

impl StoredStructure {
    fn parse(chunk: &Chunk<'_>, number: usize) -> Result<Self, RraError> {
        let name = format!("chunk {ID} {number}");
        if chunk.header.len() != CHUNK_HEADER_BYTES {
            let place = format!("index: {name}: header size");
            let field = Field::new(place, chunk.entry_offset + 32, 8);
            return Err(field.error("structure_chunk_header", chunk.header.len(), "36"));
        }
        if chunk.version != VERSION {
            let field = Field::new(format!("index: {name}: version"), chunk.entry_offset + 20, 4);
            return Err(field.error("structure_version", chunk.version, VERSION));
        }
        let data = unpack(chunk)?;
        let word = |at: usize| u32_at(chunk.header, at);
        Ok(Self {
            level: if word(20) & 1 == 1 { Level::Blas } else { Level::Tlas },
            segment: Segment::new(u64_at(chunk.header, 0) & ADDRESS_MASK, &data),
            base: u64_at(chunk.header, 8),
            root: Bvh4Pointer(word(16)),
            primitive_count: word(24),
            box_count: word(28),
            leaf_count: word(32),
            place: place_of(name, chunk.compression, chunk.data_offset, 0, WHOLE_HEADER),
        })
    }
}

fn chunk(segment: &Segment, surveyed: Option<&Surveyed>, level: Level) -> StoredChunk {
    let (base, root) = surveyed
        .map_or((segment.address, Bvh4Pointer::INVALID), |s| (s.structure.base, s.structure.root));
    let counts = surveyed.map_or([0; 3], |surveyed| {
        let Surveyed { boxes, leaves, instances, .. } = surveyed;
        let pairs = leaves.iter().filter(|leaf| leaf.pointer.kind() == Bvh4Kind::Triangle1).count();
        let leaf_count = leaves.len() + instances.len();
        [leaf_count + pairs, boxes.len(), leaf_count].map(|count| count as u32)
    });
    let mut header = segment.address.to_le_bytes().to_vec();
    header.extend_from_slice(&base.to_le_bytes());
    let is_blas = u32::from(level == Level::Blas);
    for word in [root.0, is_blas].into_iter().chain(counts) {
        header.extend_from_slice(&word.to_le_bytes());
    }
    let mut id = [0; 16];
    id[..ID.len()].copy_from_slice(ID.as_bytes());
    StoredChunk {
        id,
        version: VERSION,
        compression: Compression::None,
        header,
        data: segment.bytes().to_vec(),
        unpacked_size: segment.bytes().len() as u64,
        counts_header: false,
    }
}
