//! Files of `MESA_VK_TRACE=gamma`: the structures of a program as RADV has them in memory, without
//! its headers.
//!
//! | bytes | field |
//! |---|---|
//! | 0..4, 4..8, 8..16 | version 0, driver 0 (RADV), number of chunks |
//! | then, for each chunk | type (4 bytes), padding, size (8 bytes), and so many bytes |
//!
//! The chunk 0x80000000 says in its first bit whether nodes have eight children. A chunk of type 0
//! is a structure:
//!
//! | bytes | field |
//! |---|---|
//! | 0..8 | address |
//! | 8..16, 16..24 | bytes allocated, and after compaction |
//! | 24..28 | 0 TLAS, 1 BLAS |
//! | 28..32, 32..36 | geometry type, number of geometries |
//! | 36..40 | length of the name |
//! | 40.. | primitives of each geometry, 4 bytes each, which the chunk's size does not count |
//! | then | the name, and the nodes; the root is pointer 5 at their start |
//!
//! How far the nodes lie behind the address follows from the sizes. What checks and machines read
//! of the header that is missing is put back: sizes, counts and types from the chunk; bounds and
//! flags, which a file does not have, from the root's boxes, so that rules about them say nothing.
//! Source: Mesa's `gamma_format.h` and `radv_rra.c` of August 2026.

use super::{Stored, Width};
use crate::layout::RadvHeader;
use crate::layout::pointer::NODE_BYTES;
use crate::rra::fault::{Field, u32_at, u64_at};
use geometry::{Aabb, Vec3};
use machine::bits::Bits;
use machine::{FilePlace, Finding, Image, ReadError, Segment, Severity};

const FILE_HEADER: usize = 16;
const CHUNK_HEADER: usize = 16;
const STRUCTURE_HEADER: usize = 40;
const STRUCTURE: u32 = 0;
const TRACE_INFO: u32 = 0x8000_0000;
/// More chunks than any program has structures.
const MOST_CHUNKS: u64 = 1 << 32;
/// More bytes of a name than anybody reads.
const MOST_NAME: usize = 256;
/// Bytes that a header may lie before its nodes: room for a table of every instance.
const MOST_OFFSET: u64 = 1 << 26;

/// What the generations do differently.
#[derive(Debug, Clone, Copy)]
pub struct Nodes {
    /// Bytes before the nodes that a structure of so many geometries has at least.
    pub least_before: fn(u64) -> u64,
    /// What the root shows of everything, from its 128 bytes.
    pub root: fn(&[u8]) -> RootSummary,
    /// Puts back what stands between the header and the nodes.
    pub restore: fn(&mut Segment, &Geometries<'_>),
}

/// What a root shows of everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootSummary {
    /// The box around its boxes; empty if there are none.
    pub bounds: Aabb,
    /// What all of them say of opacity; nothing if there are none.
    pub flags: u32,
}

/// The geometries of a structure.
#[derive(Debug, Clone, Copy)]
pub struct Geometries<'a> {
    /// 0 triangles, 1 boxes, 2 instances.
    pub geometry_type: u32,
    counts: &'a [u8],
}

impl Geometries<'_> {
    /// How many primitives each has.
    pub fn primitive_counts(&self) -> impl Iterator<Item = u32> {
        self.counts.chunks_exact(4).map(|count| u32_at(count, 0))
    }
}

/// Whether bytes begin such a file.
#[must_use]
pub fn is_file(bytes: &[u8]) -> bool {
    let is_counted = (1..MOST_CHUNKS).contains(&u64_at(bytes, 8));
    let size = u64_at(bytes, FILE_HEADER + 8);
    let is_first = bytes.len() > FILE_HEADER
        && match u32_at(bytes, FILE_HEADER) {
            STRUCTURE => size >= STRUCTURE_HEADER as u64,
            TRACE_INFO => size == 8,
            _ => false,
        };
    bytes.starts_with(&[0; 8]) && is_counted && is_first
}

/// The nodes of all structures, from their roots on, as far as the file goes; and how many children
/// they have: as the file says, or as the first root shows.
#[must_use]
pub fn node_areas(bytes: &[u8]) -> (Option<Width>, Vec<&[u8]>) {
    let mut said = None;
    let mut areas = Vec::new();
    for chunk in Chunks::new(bytes).map_while(Result::ok) {
        match chunk.kind {
            TRACE_INFO if u32_at(chunk.bytes, 0) & 1 == 1 => said = Some(Width::Eight),
            TRACE_INFO => said = Some(Width::Four),
            STRUCTURE => {
                let nodes = usize::try_from(chunk.nodes_at()).ok();
                areas.extend(nodes.and_then(|at| chunk.bytes.get(at..)));
            }
            _ => (),
        }
    }
    (said.or_else(|| areas.first().map(|nodes| Width::of_nodes(nodes))), areas)
}

/// The structures of a file, and what is odd about their chunks.
///
/// # Errors
/// When a chunk leaves the file.
pub fn structures(bytes: &[u8], nodes: &Nodes) -> Result<(Vec<Stored>, Vec<Finding>), ReadError> {
    let mut structures = Vec::new();
    let mut findings = Vec::new();
    for chunk in Chunks::new(bytes) {
        let chunk = chunk?;
        if chunk.kind == STRUCTURE {
            structures.push(chunk.structure(nodes)?);
            findings.extend(chunk.finding());
        }
    }
    Ok((structures, findings))
}

/// The chunks of a file. Fewer than are counted may have been written.
struct Chunks<'a> {
    bytes: &'a [u8],
    at: usize,
    structures: usize,
}

impl<'a> Chunks<'a> {
    const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: FILE_HEADER, structures: 0 }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<Chunk<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (bytes, at) = (self.bytes, self.at);
        if at >= bytes.len() {
            return None;
        }
        let place = format!("chunk {} of the dump", self.structures);
        let (kind, size) = (u32_at(bytes, at), u64_at(bytes, at + 8));
        let start = at + CHUNK_HEADER;
        // The counts of geometries are not part of a structure's size.
        let counts = match kind {
            STRUCTURE => 4 * u64::from(u32_at(bytes, start + 32)),
            _ => 0,
        };
        let end = size.checked_add(counts).and_then(|size| size.checked_add(start as u64));
        let chunk = end.and_then(|end| bytes.get(start..usize::try_from(end).ok()?));
        let Some(chunk) = chunk else {
            self.at = bytes.len();
            let field = Field::new(place, at as u64, CHUNK_HEADER as u64);
            let found = format!("a chunk of {size} bytes");
            let room = bytes.len().saturating_sub(start);
            let error = field.error("chunk_range", found, format!("{room} at most"));
            return Some(Err(ReadError::Broken(Box::new(error.0))));
        };
        self.at = start + chunk.len();
        self.structures += usize::from(kind == STRUCTURE);
        Some(Ok(Chunk { kind, bytes: chunk, offset: start as u64, place }))
    }
}

/// A chunk; what follows is about that of a structure.
struct Chunk<'a> {
    kind: u32,
    bytes: &'a [u8],
    /// Where it begins in the file.
    offset: u64,
    place: String,
}

impl Chunk<'_> {
    fn geometry_count(&self) -> usize {
        u32_at(self.bytes, 32) as usize
    }

    /// Where the nodes begin in the chunk.
    fn nodes_at(&self) -> u64 {
        let name = u64::from(u32_at(self.bytes, 36));
        STRUCTURE_HEADER as u64 + 4 * self.geometry_count() as u64 + name
    }

    fn broken(&self, at: u64, rule: &'static str, found: String, expected: String) -> ReadError {
        let field = Field::new(self.place.clone(), self.offset + at, 8);
        ReadError::Broken(Box::new(field.error(rule, found, expected).0))
    }

    fn structure(&self, format: &Nodes) -> Result<Stored, ReadError> {
        let (address, compacted) = (u64_at(self.bytes, 0), u64_at(self.bytes, 16));
        let nodes_at = self.nodes_at();
        let nodes = usize::try_from(nodes_at).ok().and_then(|at| self.bytes.get(at..));
        let Some(nodes) = nodes.filter(|nodes| nodes.len() as u64 >= NODE_BYTES) else {
            let found = format!("{} bytes", self.bytes.len());
            let expected = format!("{nodes_at} bytes and a node");
            return Err(self.broken(0, "chunk_range", found, expected));
        };
        let before = compacted.checked_sub(nodes.len() as u64);
        let least = (format.least_before)(self.geometry_count() as u64);
        let before = before.filter(|before| before.is_multiple_of(64) && *before < MOST_OFFSET);
        let Some(before) = before.filter(|&before| before >= least) else {
            let found = format!("{compacted} bytes after compaction");
            let expected = format!("{} and a header's, a multiple of 64", nodes.len());
            return Err(self.broken(16, "chunk_sizes", found, expected));
        };
        let mut segment = Segment::zeroed(address, before as usize + nodes.len());
        let bytes = segment.bytes_mut();
        bytes[before as usize..].copy_from_slice(nodes);
        let root = (format.root)(&nodes[..NODE_BYTES as usize]);
        let header = self.header(before, compacted, &root);
        let header = RadvHeader { leaf_node_offsets_offset: least as u32, ..header };
        header.encode().write_bytes(bytes);
        (format.restore)(&mut segment, &self.geometries());
        let place = FilePlace {
            chunk: self.place.clone(),
            compressed: None,
            runs: vec![(0, self.offset), (before, self.offset + nodes_at)],
        };
        let stored = Stored::of_radv(segment, place, &header);
        Ok(Stored { name: self.name(), allocated: Some(u64_at(self.bytes, 8)), ..stored })
    }

    /// What the program called it.
    fn name(&self) -> Option<String> {
        let start = STRUCTURE_HEADER + 4 * self.geometry_count();
        let end = usize::try_from(self.nodes_at()).ok()?;
        let name = self.bytes.get(start..end)?;
        let name = &name[..name.len().min(MOST_NAME)];
        let text = String::from_utf8_lossy(name);
        let text = text.trim_end_matches('\0');
        // A name is one cell of one line of a table.
        (!text.is_empty()).then(|| text.replace(char::is_control, "?"))
    }

    fn geometries(&self) -> Geometries<'_> {
        let end = STRUCTURE_HEADER + 4 * self.geometry_count();
        let counts = self.bytes.get(STRUCTURE_HEADER..end).unwrap_or(&[]);
        Geometries { geometry_type: u32_at(self.bytes, 28), counts }
    }

    /// The header that the file leaves out.
    fn header(&self, before: u64, compacted: u64, root: &RootSummary) -> RadvHeader {
        let is_empty = root.bounds.is_empty();
        let corner = |corner: Vec3| if is_empty { [f32::NAN; 3] } else { corner.to_array() };
        let primitives: u64 = self.geometries().primitive_counts().map(u64::from).sum();
        let is_top = u32_at(self.bytes, 24) == 0;
        let header = RadvHeader {
            bvh_offset: before as u32,
            root_flags: root.flags,
            root_min: corner(root.bounds.min),
            root_max: corner(root.bounds.max),
            geometry_type: u32_at(self.bytes, 28),
            geometry_count: self.geometry_count() as u32,
            leaf_offset: before + NODE_BYTES,
            primitive_count: primitives,
            instance_count: if is_top { primitives } else { 0 },
            structure_type: u32::from(!is_top),
            ..RadvHeader::decode(&Bits::ZERO)
        };
        header.with_sizes(compacted, 0)
    }

    /// What is left after compaction fits what was allocated.
    fn finding(&self) -> Option<Finding> {
        let (allocated, compacted) = (u64_at(self.bytes, 8), u64_at(self.bytes, 16));
        (compacted > allocated).then(|| {
            let field = Field::new(self.place.clone(), self.offset + 16, 8);
            let (found, expected) = (format!("{compacted} bytes"), format!("{allocated} at most"));
            field.finding(Severity::Warning, "allocated_size", found, expected)
        })
    }
}

/// The file of RADV's memory, as Mesa writes it; `counts` says how many primitives each geometry of
/// a structure has. `None` if a structure has no header of RADV's.
#[must_use]
pub fn write(
    image: &Image,
    width: Width,
    counts: impl Fn(&Segment, &RadvHeader) -> Option<Vec<u32>>,
) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 8];
    bytes.extend((image.segments.len() as u64 + 1).to_le_bytes());
    bytes.extend(u64::from(TRACE_INFO).to_le_bytes());
    bytes.extend([8, u64::from(width == Width::Eight)].map(u64::to_le_bytes).as_flattened());
    for segment in &image.segments {
        let memory = segment.bytes();
        let header = RadvHeader::of_bytes(memory)?;
        let nodes = memory.get(header.bvh_offset as usize..header.compacted_size as usize)?;
        bytes.extend(u64::from(STRUCTURE).to_le_bytes());
        bytes.extend((STRUCTURE_HEADER as u64 + nodes.len() as u64).to_le_bytes());
        let sizes = [segment.address, memory.len() as u64, header.compacted_size];
        bytes.extend(sizes.map(u64::to_le_bytes).as_flattened());
        let counts = counts(segment, &header)?;
        let kinds = [header.structure_type, header.geometry_type, counts.len() as u32, 0];
        bytes.extend(kinds.iter().chain(&counts).flat_map(|word| word.to_le_bytes()));
        bytes.extend(nodes);
    }
    Some(bytes)
}
