//! What the header of a structure says is there: no primitive less, and no node beyond.

use super::{Findings, Place, Rule};
use crate::decode::{Numbering, Pairs, split_key};
use crate::layout::{
    Bits, GeometryInfo, GpurtHeader, HiprtHeader, NODE_BYTES, NodePointer, RadvGeometryInfo,
    RadvHeader,
};
use crate::survey::{Header, Memory, Surveyed};
use std::ops::Range;

/// Nodes lie within the size that a driver's header states.
pub(super) fn check(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    pairs: &Pairs,
    findings: &mut Findings,
) {
    let Some(Range { start, end }) = stated_bytes(surveyed) else { return };
    let leaves = pairs.keys().chunk_by(|a, b| a / 8 == b / 8);
    let leaves = leaves.filter_map(|same_node| NodePointer::new(split_key(same_node[0]).0, 0));
    let boxes = surveyed.boxes.iter().map(|record| record.pointer);
    let instances = surveyed.instances.iter().map(|record| record.pointer);
    for pointer in boxes.chain(instances).chain(leaves) {
        let address = surveyed.structure.address_of(pointer);
        if address >= start && address + NODE_BYTES <= end {
            continue;
        }
        let name = || format!("node {pointer}");
        findings.add(Rule::AllocatedSize, &Place { memory, address, name: &name }, 0..1024, || {
            let last = address + NODE_BYTES;
            let found = format!("bytes {address:#x}..{last:#x}");
            (found, format!("a node within {start:#x}..{end:#x}, the size of the structure"))
        });
    }
}

/// The bytes of a structure, where its header says how many there are.
fn stated_bytes(surveyed: &Surveyed) -> Option<Range<u64>> {
    let base = surveyed.structure.box_base;
    let (start, size) = match surveyed.structure.header? {
        Header::Radv(header) => (base - u64::from(header.bvh_offset), header.compacted_size),
        Header::Hiprt(header) => (base - HiprtHeader::BYTES, header.size),
        // What a viewer of RADV's writes starts elsewhere (G-42).
        Header::Gpurt(_) if surveyed.structure.is_radv() => return None,
        Header::Gpurt(header) => {
            (base, u64::from(header.total_size.saturating_sub(header.metadata_size)))
        }
    };
    Some(start..start.saturating_add(size))
}

/// Primitives that were given to a build: those of one geometry, or all.
pub(super) struct Given {
    /// Where the count stands.
    address: u64,
    bits: Range<u32>,
    pub(super) count: u64,
    /// Where the pointers of leaves begin; 0xFFFFFFFF says that a primitive is meant to be missing.
    pub(super) pointers: Option<u64>,
}

/// Primitives that no leaf holds; `ids` are those that are held, in order. What was given.
pub(super) fn check_ids(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    ids: &[u64],
    findings: &mut Findings,
) -> Vec<Given> {
    // Below a pointer that cannot be followed, nothing was read.
    if !findings.is_sound() || !surveyed.instances.is_empty() {
        return Vec::new();
    }
    check_geometries(memory, surveyed, ids, findings);
    // RADV's exporter counts what it reaches, copies too: only holes among ids are known there.
    let is_recounted = surveyed.structure.is_radv() && surveyed.structure.gpurt().is_some();
    let mut all = given(memory, surveyed);
    for (geometry, given) in all.iter_mut().enumerate() {
        let first = (geometry as u64) << 32;
        let held = &ids[ids.partition_point(|&id| id < first)..];
        if is_recounted {
            let own = &held[..held.partition_point(|&id| id < first + (1 << 32))];
            given.count = own.last().map_or(0, |last| last + 1 - first);
        }
        let held = &held[..held.partition_point(|&id| id < first + given.count)];
        let mut next = first;
        for &id in held.iter().chain([&(first + given.count)]) {
            if id > next {
                report(memory, given, geometry, next - first..id - first, findings);
            }
            next = next.max(id + 1);
        }
    }
    all
}

/// A header counts the geometries that leaves name, and what can be hit.
fn check_geometries(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    ids: &[u64],
    findings: &mut Findings,
) {
    let base = surveyed.structure.box_base;
    let (rule, address, bits, count) = match surveyed.structure.header {
        Some(Header::Radv(header)) => {
            let bits = RadvHeader::geometry_count.bits();
            let address = base - u64::from(header.bvh_offset);
            (Rule::DriverHeader, address, bits, header.geometry_count)
        }
        Some(Header::Gpurt(header)) => {
            let bits = GpurtHeader::descriptor_count.bits();
            (Rule::HeaderCount, base, bits, header.descriptor_count)
        }
        Some(Header::Hiprt(_)) | None => return,
    };
    let name = || "geometries".to_owned();
    let place = Place { memory, address, name: &name };
    if let Some(last) = ids.last().filter(|last| *last >> 32 >= u64::from(count)) {
        findings.add(rule, &place, bits, || {
            let expected = format!("more than {}, a geometry that some leaf names", last >> 32);
            (count.to_string(), expected)
        });
    }
    if let Some(Header::Gpurt(header)) = surveyed.structure.header {
        let held = ids.chunk_by(|a, b| a == b).count();
        if (header.active_primitive_count as usize) < held {
            let bits = GpurtHeader::active_primitive_count.bits();
            findings.add(Rule::HeaderCount, &place, bits, || {
                let found = format!("{} active primitives", header.active_primitive_count);
                (found, format!("{held} at least, which are in leaves"))
            });
        }
    }
}

/// Reports a gap, less what is meant to be missing.
fn report(
    memory: &Memory<'_>,
    given: &Given,
    geometry: usize,
    gap: Range<u64>,
    findings: &mut Findings,
) {
    let is_meant = |primitive: &u64| {
        let word = given.pointers.and_then(|list| memory.get(list + 4 * primitive, 4));
        word.is_some_and(|word| word == NodePointer::INVALID.0.to_le_bytes())
    };
    let mut lost = gap.clone();
    if given.pointers.is_some() {
        let mut left = gap.filter(|primitive| !is_meant(primitive));
        let Some(first) = left.next() else { return };
        lost = first..left.next_back().unwrap_or(first) + 1;
    }
    let name = || format!("geometry {geometry}");
    let place = Place { memory, address: given.address, name: &name };
    findings.add(Rule::LostPrimitive, &place, given.bits.clone(), || {
        let found = match lost.end - lost.start {
            1 => format!("primitive {} in no leaf", lost.start),
            _ => format!("primitives {}..={} in no leaf", lost.start, lost.end - 1),
        };
        (found, format!("all {} in leaves, unless inactive", given.count))
    });
}

/// What was given to the build of a BLAS, geometry by geometry.
fn given(memory: &Memory<'_>, surveyed: &Surveyed) -> Vec<Given> {
    let base = surveyed.structure.box_base;
    match surveyed.structure.header {
        Some(Header::Gpurt(header)) if header.is_blas() => gpurt_given(memory, base, &header),
        Some(Header::Radv(header)) if header.is_blas() => {
            let address = base - u64::from(header.bvh_offset);
            radv_given(memory, address, &header).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn gpurt_given(memory: &Memory<'_>, base: u64, header: &GpurtHeader) -> Vec<Given> {
    let infos = base + u64::from(header.geometry_info_offset);
    let list = base + u64::from(header.primitive_pointer_offset);
    let bytes = (header.descriptor_count as usize).checked_mul(12);
    let bytes = bytes.and_then(|bytes| memory.get(infos, bytes)).unwrap_or(&[]);
    let pointers = memory.get(list, (header.primitive_count as usize).saturating_mul(4));
    // A list of zeros says nothing.
    let has_list = pointers.is_some_and(|list| list.iter().any(|&byte| byte != 0));
    let infos = (infos..).step_by(12).zip(bytes.chunks_exact(12));
    let given = infos.map(|(address, info)| {
        let info = GeometryInfo::decode(&Bits::from_bytes(info));
        Given {
            address,
            bits: GeometryInfo::primitive_count.bits(),
            count: info.primitive_count.into(),
            pointers: has_list.then(|| list + u64::from(info.primitive_pointer_offset)),
        }
    });
    given.collect()
}

fn radv_given(memory: &Memory<'_>, address: u64, header: &RadvHeader) -> Option<Vec<Given>> {
    if let Some(infos) = radv_infos(memory, address, header) {
        let (start, step) = (address + RadvHeader::BYTES, RadvGeometryInfo::BYTES as usize);
        let given = (start..).step_by(step).zip(infos).map(|(address, info)| Given {
            address,
            bits: RadvGeometryInfo::primitive_count.bits(),
            count: info.primitive_count.into(),
            pointers: None,
        });
        return Some(given.collect());
    }
    // Without a table, only the sum is known.
    let (bits, count) = (RadvHeader::primitive_count.bits(), header.primitive_count);
    let is_one = header.geometry_count == 1 && count <= u64::from(u32::MAX);
    is_one.then(|| vec![Given { address, bits, count, pointers: None }])
}

/// RADV's geometry infos, which it writes while a trace is recorded.
pub(super) fn radv_infos(
    memory: &Memory<'_>,
    address: u64,
    header: &RadvHeader,
) -> Option<Vec<RadvGeometryInfo>> {
    let bytes = RadvGeometryInfo::BYTES.checked_mul(header.geometry_count.into())?;
    let end = RadvHeader::BYTES + bytes;
    if end != u64::from(header.leaf_node_offsets_offset) {
        return None;
    }
    let bytes = memory.get(address + RadvHeader::BYTES, bytes as usize)?;
    let infos = bytes.chunks_exact(RadvGeometryInfo::BYTES as usize);
    Some(infos.map(|info| RadvGeometryInfo::decode(&Bits::from_bytes(info))).collect())
}

/// Instances that no node shows, although the list of their nodes has a place for them.
pub(super) fn check_instances(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    numbering: &Numbering,
    findings: &mut Findings,
) {
    if numbering.fault.is_some() || !findings.is_sound() {
        return;
    }
    let base = tlas.structure.box_base;
    let (address, bits, list) = match tlas.structure.header {
        Some(Header::Radv(header)) => {
            let address = base - u64::from(header.bvh_offset);
            let list = address + u64::from(header.leaf_node_offsets_offset);
            (address, RadvHeader::primitive_count.bits(), list)
        }
        Some(Header::Gpurt(header)) => {
            let list = base + u64::from(header.primitive_pointer_offset);
            (base, GpurtHeader::primitive_count.bits(), list)
        }
        Some(Header::Hiprt(_)) | None => return,
    };
    // RADV's list has offsets of nodes, GPURT's pointers; neither is 0 for a node.
    let is_placed = |number: u64| {
        let word = memory.get(list + 4 * number, 4);
        word.is_some_and(|word| word != [0; 4] && word != NodePointer::INVALID.0.to_le_bytes())
    };
    check_places(memory, tlas, numbering, list, findings);
    let mut is_shown = vec![false; numbering.count];
    for &number in &numbering.numbers {
        is_shown[number as usize] = true;
    }
    let name = || "instances".to_owned();
    let place = Place { memory, address, name: &name };
    let lost = (0u64..).zip(&is_shown).filter(|&(number, shown)| !shown && is_placed(number));
    for (number, _) in lost {
        findings.add(Rule::LostPrimitive, &place, bits.clone(), || {
            let all = numbering.count;
            (format!("instance {number} in no leaf"), format!("all {all} that have a place"))
        });
    }
}

/// The list names a node of each instance: RADV's by its place, GPURT's by its pointer. A dump of
/// nodes alone has zeros in its place, and so has a file of RADV's.
fn check_places(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    numbering: &Numbering,
    list: u64,
    findings: &mut Findings,
) {
    let base = tlas.structure.box_base;
    let rule = match tlas.structure.gpurt() {
        Some(_) => Rule::PrimitivePointer,
        None => Rule::DriverHeader,
    };
    let nodes = tlas.instances.iter().zip(&numbering.numbers);
    let nodes = nodes.map(|(instance, &number)| match rule {
        Rule::PrimitivePointer => (number, instance.pointer.0),
        _ => (number, (tlas.structure.address_of(instance.pointer) - base) as u32),
    });
    let mut nodes: Vec<(u32, u32)> = nodes.collect();
    nodes.sort_unstable();
    for own in nodes.chunk_by(|a, b| a.0 == b.0) {
        let number = own[0].0;
        let address = list + 4 * u64::from(number);
        let Some(word) = memory.get(address, 4) else { continue };
        let found = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        if found != 0 && own.iter().all(|(_, place)| *place != found) {
            let name = || format!("place of instance {number}");
            let place = Place { memory, address, name: &name };
            findings.add(rule, &place, 0..32, || {
                (format!("{found:#x}"), format!("{:#x}, where its node is", own[0].1))
            });
        }
    }
}
