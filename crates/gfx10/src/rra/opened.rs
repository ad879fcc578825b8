//! From a file to an image.

use super::device::is_structure;
use super::{INACTIVE, INSTANCE_BYTES, LEVELS_TEXT};
use crate::Writer;
use crate::layout::GpurtInstanceNode;
use crate::structure::RTIP_LEVELS;
use bvh4::layout::{BasePointer, Bvh4Pointer};
use bvh4::rra::container::{Chunk, Container};
use bvh4::rra::fault::{Field, no_structures, u32_at};
use bvh4::rra::{Level, RraError, Structure, header_rules, info};
use machine::bits::NodeBits;
use machine::{
    FilePlace, Finding, Image, ImageFile, ReadError, Segment, Severity, StructureSummary,
};
use std::collections::BTreeMap;

/// Bytes of the header that RADV writes.
const RADV_HEADER_BYTES: u32 = 120;
/// The first major version that RADV does not write.
const GPURT_MAJOR: u32 = 16;
const HEADER_BYTES: u64 = 128;
/// Segments begin at multiples of this.
const ALIGNMENT: u64 = 64;

/// One structure of a file, with its metadata before it.
struct Stored {
    structure: Structure,
    segment: Segment,
    place: FilePlace,
    writer: Writer,
    /// Where the segment begins as the file has it, and how far it was moved.
    segment_start: u64,
    moved_by: u64,
}

/// The image of structure `number` of a file; without a number, of the largest TLAS, or of the
/// largest BLAS if there is no TLAS but one for the viewer.
///
/// # Errors
/// When the file cannot be taken apart, or has no such structure.
pub fn read(
    format: &'static str,
    bytes: &[u8],
    number: Option<usize>,
) -> Result<ImageFile, ReadError> {
    let broken = |error: RraError| ReadError::Broken(Box::new(error.0));
    let container = Container::parse(bytes).map_err(broken)?;
    let mut findings = container.findings.clone();
    let mut stored = Vec::new();
    for chunk in &container.chunks {
        if is_structure(chunk) {
            let one = Stored::parse(chunk, stored.len()).map_err(broken)?;
            header_rules::check(&one.structure, INACTIVE, &mut findings);
            stored.push(one);
        } else {
            info::check(chunk, &mut findings);
        }
    }
    if stored.is_empty() {
        return Err(broken(no_structures(bytes, &container)));
    }
    let count = stored.len();
    let chosen = number.unwrap_or_else(|| main_structure(&stored));
    if chosen >= count {
        return Err(ReadError::NoStructure { number: chosen, count });
    }
    let structures = stored.iter().map(Stored::summary).collect();
    let root = stored.remove(chosen);
    let (mut parts, mut replaced) = (vec![root], BTreeMap::new());
    if parts[0].structure.level == Level::Tlas {
        parts.extend(blases(stored, &mut findings));
        findings.extend(move_apart(&mut parts, &mut replaced));
    }
    findings.sort_by_key(|finding| finding.offset);
    let base = parts[0].base();
    let bases = vec![base, base, parts[0].writer.code()];
    let root = u64::from(Bvh4Pointer::ROOT_BEHIND_HEADER.0);
    let (segments, places) = parts.into_iter().map(|part| (part.segment, part.place)).unzip();
    let image = Image { format, segments, bases, root };
    let opened = ImageFile::of(image, places);
    Ok(ImageFile { findings, structures, structure: chosen, replaced, ..opened })
}

/// The BLASes of a file, each address once: a capture may hold structures of several frames.
fn blases(stored: Vec<Stored>, findings: &mut Vec<Finding>) -> Vec<Stored> {
    let mut taken: BTreeMap<u64, String> = BTreeMap::new();
    let mut blases = Vec::new();
    for one in stored.into_iter().filter(|it| it.structure.level == Level::Blas) {
        if let Some(other) = taken.get(&one.base()) {
            findings.push(one.overlap(other, Severity::Warning));
            continue;
        }
        taken.insert(one.base(), one.place.chunk.clone());
        blases.push(one);
    }
    blases
}

/// Moves structures apart that lie in each other, the first of which is a TLAS, and leads its
/// instances to the new places. RADV's files give tables to structures that lie as close to
/// each other as in memory, which does not hold them. `replaced` gets the words that were changed.
fn move_apart(parts: &mut [Stored], replaced: &mut BTreeMap<u64, u64>) -> Option<Finding> {
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&number| parts[number].segment.address);
    let lies_in = |pair: &[usize]| end_of(&parts[pair[0]].segment) > parts[pair[1]].segment.address;
    let first = order.windows(2).find(|pair| lies_in(pair))?;
    let note = parts[first[1]].overlap(&parts[first[0]].place.chunk, Severity::Note);
    let mut moved = BTreeMap::new();
    let mut next = parts[order[0]].segment.address;
    for number in order {
        let part = &mut parts[number];
        let old = part.base();
        let address = part.segment.address.max(next);
        part.segment = Segment::new(address, part.segment.bytes());
        part.moved_by = address.wrapping_sub(part.segment_start);
        next = end_of(&part.segment).next_multiple_of(ALIGNMENT);
        moved.insert(old, part.base());
    }
    *replaced = parts[0].lead_to(&moved);
    Some(note)
}

/// The largest TLAS, or else the largest BLAS; the first of equals.
fn main_structure(stored: &[Stored]) -> usize {
    let size = |one: &Stored| {
        let is_top = one.structure.level == Level::Tlas;
        let is_shown = super::shown::is_for_viewer(&one.structure);
        (is_top && !is_shown, !is_top, one.structure.header().primitive_count)
    };
    let numbered = stored.iter().enumerate().rev();
    numbered.max_by_key(|(_, one)| size(one)).map_or(0, |(number, _)| number)
}

impl Stored {
    fn parse(chunk: &Chunk<'_>, number: usize) -> Result<Self, RraError> {
        let structure = Structure::parse(chunk, number, &RTIP_LEVELS, LEVELS_TEXT)?;
        let header_size = u32_at(chunk.header, 20);
        let is_radv = header_size == RADV_HEADER_BYTES || structure.version >> 16 < GPURT_MAJOR;
        let writer = if is_radv { Writer::RadvFile } else { Writer::Gpurt };
        // RADV's tables end at the header and begin anywhere.
        let base = structure.segment.address;
        let start = base.saturating_sub(structure.metadata.len() as u64);
        let first = start - start % ALIGNMENT;
        let (before, behind) = (start - first, base - first);
        let nodes = structure.segment.bytes();
        let mut segment = Segment::zeroed(first, behind as usize + nodes.len());
        let bytes = segment.bytes_mut();
        let metadata = &structure.metadata[structure.metadata.len() - (base - start) as usize..];
        bytes[before as usize..behind as usize].copy_from_slice(metadata);
        bytes[behind as usize..].copy_from_slice(nodes);
        let FilePlace { chunk, compressed, .. } = structure.place.clone();
        // What compressed data unpacks to begins at 0.
        let header_at = match compressed {
            Some(_) => structure.metadata.len() as u64,
            None => structure.place.offset(0),
        };
        let metadata_at = header_at - (base - start);
        let runs = vec![
            (0, metadata_at),
            (before, metadata_at),
            (behind, header_at),
            (behind + HEADER_BYTES, header_at + u64::from(header_size)),
        ];
        let place = FilePlace { chunk, compressed, runs };
        Ok(Self { structure, segment, place, writer, segment_start: first, moved_by: 0 })
    }

    /// Where its header is.
    fn base(&self) -> u64 {
        self.structure.segment.address.wrapping_add(self.moved_by)
    }

    /// Leads the instances of a TLAS to structures that were moved. Returns what was there before.
    fn lead_to(&mut self, moved: &BTreeMap<u64, u64>) -> BTreeMap<u64, u64> {
        let mut replaced = BTreeMap::new();
        let header = self.structure.header();
        let base = (self.base() - self.segment.address) as usize;
        let first = base.saturating_add(header.leaf_node_offset as usize);
        let start = self.segment.address.saturating_add(first as u64);
        let Some(nodes) = self.segment.bytes_mut().get_mut(first..) else { return replaced };
        let nodes = nodes.chunks_exact_mut(INSTANCE_BYTES).take(header.primitive_count as usize);
        for (bytes, address) in nodes.zip((start..).step_by(INSTANCE_BYTES)) {
            let mut node = GpurtInstanceNode::decode(&NodeBits::from_bytes(bytes));
            let stored = node.child_base;
            if let Some(&base) = moved.get(&stored.address()).filter(|&&b| b != stored.address()) {
                let field = u64::from(GpurtInstanceNode::child_base.bits().start / 8);
                replaced.insert(address + field, stored.0);
                let flags = stored.flags();
                node.child_base = BasePointer(base >> 3).with_flags(flags);
                node.encode().write_bytes(bytes);
            }
        }
        replaced
    }

    fn overlap(&self, other: &str, severity: Severity) -> Finding {
        let (start, bytes) = (self.segment.address, self.segment.bytes().len() as u64);
        let place = format!("{}: address", self.place.chunk);
        let field = Field::new(place, self.place.offset(0), bytes);
        let found = format!("{bytes:#x} bytes at address {start:#x}");
        let expected = format!("memory that {other} does not use");
        field.finding(severity, "structure_overlap", found, expected)
    }

    fn summary(&self) -> StructureSummary {
        let header = self.structure.header();
        let boxes = header.internal_fp32_count.saturating_add(header.internal_fp16_count);
        StructureSummary {
            level: self.structure.level.name(),
            address: self.structure.segment.address,
            offset: self.place.offset(0),
            bytes: self.segment.bytes().len(),
            primitives: header.primitive_count,
            nodes: [boxes, header.leaf_node_count],
            name: None,
            allocated: None,
        }
    }
}

fn end_of(segment: &Segment) -> u64 {
    segment.address.saturating_add(segment.bytes().len() as u64)
}
