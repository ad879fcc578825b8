//! Files of `MESA_VK_TRACE=gamma`: the structures of a program as RADV has them in memory, without
//! its headers.
//!
//! | bytes | field |
//! |---|---|
//! | 0..4, 4..8, 8..16 | version 0, driver 0 (RADV), number of chunks |
//! | then, for each chunk | type (4 bytes), padding, size (8 bytes), and so many bytes |
//!
//! The chunk 0x80000000 says in its first bit whether nodes are those of GFX12. A chunk of type 0
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

use crate::layout::{BoxNode, NODE_BYTES, NodeBits, RadvGeometryInfo, RadvHeader};
use crate::memory_file::{Stored, open};
use crate::rra::fault::{Field, u32_at, u64_at};
use crate::survey::{Header, Structure, is_empty_slot};
use geometry::Aabb;
use machine::{FilePlace, Finding, Image, ImageFile, ReadError, Segment, Severity};

const FILE_HEADER: usize = 16;
const CHUNK_HEADER: usize = 16;
const STRUCTURE_HEADER: usize = 40;
const STRUCTURE: u32 = 0;
const TRACE_INFO: u32 = 0x8000_0000;
/// More chunks than any program has structures.
const MOST_CHUNKS: u64 = 1 << 32;
/// Bytes that a header may lie before its nodes: room for a table of every instance.
const MOST_OFFSET: u64 = 1 << 26;

/// Whether bytes begin such a file, of GFX12 as far as it says.
pub(crate) fn is_file(bytes: &[u8]) -> bool {
    let is_counted = (1..MOST_CHUNKS).contains(&u64_at(bytes, 8));
    let (kind, size) = (u32_at(bytes, FILE_HEADER), u64_at(bytes, FILE_HEADER + 8));
    let is_first = match kind {
        STRUCTURE => size >= STRUCTURE_HEADER as u64,
        TRACE_INFO => size == 8 && u32_at(bytes, FILE_HEADER + CHUNK_HEADER) & 1 == 1,
        _ => false,
    };
    bytes.starts_with(&[0; 8]) && is_counted && is_first
}

/// The image of structure `number`, as [`memory_file::read`](crate::memory_file::read) chooses it.
///
/// # Errors
/// When a chunk leaves the file, or there is no such structure.
pub fn read(bytes: &[u8], number: Option<usize>) -> Result<ImageFile, ReadError> {
    let mut structures = Vec::new();
    let mut findings = Vec::new();
    let mut at = FILE_HEADER;
    // Fewer chunks than are counted may have been written.
    while at < bytes.len() {
        let name = format!("chunk {} of the dump", structures.len());
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
            let field = Field::new(name, at as u64, CHUNK_HEADER as u64);
            let found = format!("a chunk of {size} bytes");
            let room = bytes.len().saturating_sub(start);
            let error = field.error("chunk_range", found, format!("{room} at most"));
            return Err(ReadError::Broken(Box::new(error.0)));
        };
        if kind == STRUCTURE {
            let chunk = Chunk { bytes: chunk, offset: start as u64, name };
            structures.push(chunk.structure()?);
            findings.extend(chunk.finding());
        }
        at = start + chunk.len();
    }
    Ok(ImageFile { findings, ..open(structures, number)? })
}

/// The chunk of a structure.
struct Chunk<'a> {
    bytes: &'a [u8],
    /// Where it begins in the file.
    offset: u64,
    name: String,
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
        let field = Field::new(self.name.clone(), self.offset + at, 8);
        ReadError::Broken(Box::new(field.error(rule, found, expected).0))
    }

    fn structure(&self) -> Result<Stored, ReadError> {
        let (address, compacted) = (u64_at(self.bytes, 0), u64_at(self.bytes, 16));
        let nodes_at = self.nodes_at();
        let nodes = usize::try_from(nodes_at).ok().and_then(|at| self.bytes.get(at..));
        let Some(nodes) = nodes.filter(|nodes| nodes.len() as u64 >= NODE_BYTES) else {
            let found = format!("{} bytes", self.bytes.len());
            let expected = format!("{nodes_at} bytes and a node");
            return Err(self.broken(0, "chunk_range", found, expected));
        };
        let before = compacted.checked_sub(nodes.len() as u64);
        let tables = RadvHeader::BYTES + RadvGeometryInfo::BYTES * self.geometry_count() as u64;
        let before = before.filter(|before| before.is_multiple_of(64) && *before < MOST_OFFSET);
        let Some(before) = before.filter(|&before| before >= tables) else {
            let found = format!("{compacted} bytes after compaction");
            let expected = format!("{} and a header's, a multiple of 64", nodes.len());
            return Err(self.broken(16, "chunk_sizes", found, expected));
        };
        let mut segment = Segment::zeroed(address, before as usize + nodes.len());
        let bytes = segment.bytes_mut();
        bytes[before as usize..].copy_from_slice(nodes);
        self.header(before, compacted, nodes).encode().write_bytes(bytes);
        let infos = &mut bytes[RadvHeader::BYTES as usize..tables as usize];
        for (geometry, out) in infos.chunks_exact_mut(RadvGeometryInfo::BYTES as usize).enumerate()
        {
            let info = RadvGeometryInfo {
                primitive_count: u32_at(self.bytes, STRUCTURE_HEADER + 4 * geometry),
                flags: 0,
                geometry_type: u32_at(self.bytes, 28),
            };
            info.encode().write_bytes(out);
        }
        let place = FilePlace {
            chunk: self.name.clone(),
            compressed: None,
            runs: vec![(0, self.offset), (before, self.offset + nodes_at)],
        };
        let Some(structure) = Structure::of_segment(&segment) else {
            let found = format!("{} geometries", self.geometry_count());
            return Err(self.broken(24, "chunk_sizes", found, "a structure of RADV's".into()));
        };
        Ok((segment, structure, place))
    }

    /// The header that the file leaves out.
    fn header(&self, before: u64, compacted: u64, nodes: &[u8]) -> RadvHeader {
        let root = BoxNode::decode(&NodeBits::from_bytes(&nodes[..NODE_BYTES as usize]));
        let used = root.used_children().iter().enumerate();
        let used: Vec<_> = used.filter(|(_, child)| !is_empty_slot(child)).collect();
        let bounds =
            used.iter().fold(Aabb::EMPTY, |all, (slot, _)| all.union(root.child_box(*slot)));
        let corner = |corner: geometry::Vec3| match used.is_empty() {
            true => [f32::NAN; 3],
            false => corner.to_array(),
        };
        let flags = used.iter().fold(0b11, |all, (_, child)| all & child.cull_flags.bits());
        let geometries = self.geometry_count();
        let counts = (0..geometries).map(|n| u32_at(self.bytes, STRUCTURE_HEADER + 4 * n));
        let primitives: u64 = counts.map(u64::from).sum();
        let is_top = u32_at(self.bytes, 24) == 0;
        let tables = RadvHeader::BYTES + RadvGeometryInfo::BYTES * geometries as u64;
        let header = RadvHeader {
            bvh_offset: before as u32,
            root_flags: if used.is_empty() { 0 } else { flags.into() },
            root_min: corner(bounds.min),
            root_max: corner(bounds.max),
            update_dispatch: [0; 3],
            unused_1: 0,
            compacted_size: 0,
            serialization_size: 0,
            copy_dispatch: [0; 3],
            unused_2: 0,
            size: 0,
            geometry_type: u32_at(self.bytes, 28),
            geometry_count: geometries as u32,
            leaf_offset: before + NODE_BYTES,
            primitive_count: primitives,
            instance_count: if is_top { primitives } else { 0 },
            leaf_node_offsets_offset: tables as u32,
            build_flags: 0,
            structure_type: u32::from(!is_top),
            unused_3: 0,
        };
        header.with_sizes(compacted, 0)
    }

    /// What is left after compaction fits what was allocated.
    fn finding(&self) -> Option<Finding> {
        let (allocated, compacted) = (u64_at(self.bytes, 8), u64_at(self.bytes, 16));
        (compacted > allocated).then(|| {
            let field = Field::new(self.name.clone(), self.offset + 16, 8);
            let (found, expected) = (format!("{compacted} bytes"), format!("{allocated} at most"));
            field.finding(Severity::Warning, "allocated_size", found, expected)
        })
    }
}

/// The file of RADV's memory, as Mesa writes it; `None` if a structure has no header of RADV's.
#[must_use]
pub fn write(image: &Image) -> Option<Vec<u8>> {
    let mut bytes = vec![0; 8];
    bytes.extend((image.segments.len() as u64 + 1).to_le_bytes());
    bytes.extend(u64::from(TRACE_INFO).to_le_bytes());
    bytes.extend([8u64, 1].map(u64::to_le_bytes).as_flattened());
    for segment in &image.segments {
        let Some(Header::Radv(header)) = Structure::of_segment(segment)?.header else {
            return None;
        };
        let memory = segment.bytes();
        let nodes = memory.get(header.bvh_offset as usize..header.compacted_size as usize)?;
        bytes.extend(u64::from(STRUCTURE).to_le_bytes());
        bytes.extend((STRUCTURE_HEADER as u64 + nodes.len() as u64).to_le_bytes());
        let sizes = [segment.address, memory.len() as u64, header.compacted_size];
        bytes.extend(sizes.map(u64::to_le_bytes).as_flattened());
        let kinds = [header.structure_type, header.geometry_type, header.geometry_count, 0];
        bytes.extend(kinds.map(u32::to_le_bytes).as_flattened());
        for geometry in 0..header.geometry_count as usize {
            let at = RadvHeader::BYTES as usize + geometry * RadvGeometryInfo::BYTES as usize;
            bytes.extend(memory.get(at..at + 4)?);
        }
        bytes.extend(nodes);
    }
    Some(bytes)
}
