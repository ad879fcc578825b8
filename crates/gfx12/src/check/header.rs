//! Rules of headers, and of the tables behind the nodes of GPURT's.

use super::boxes::text;
use super::contents::Contents;
use super::extent::radv_infos;
use super::fit::outside;
use super::{Findings, Place, Rule};
use crate::decode::union;
use crate::encode::{ALLOW_UPDATE, OPACITY};
use crate::layout::{
    BoxNode, CullFlags, GpurtHeader, HiprtGeometry, HiprtHeader, HiprtScene, NodeKind, NodePointer,
    PrimitiveHeader, RadvGeometryInfo, RadvHeader,
};
use crate::obb;
use crate::survey::{Header, Memory, Surveyed, is_empty_slot};
use geometry::{Aabb, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Pointers in one task.
const CHUNK: usize = 1 << 14;

/// Most pairs of a range that Radeon Raytracing Analyzer has room for.
const VIEWER_PAIRS: u32 = 8;

/// Checks GPURT's header of a structure, if it has one.
pub(super) fn check(memory: &Memory<'_>, surveyed: &Surveyed, findings: &mut Findings) {
    let Some(header) = surveyed.structure.gpurt() else { return };
    let base = surveyed.structure.box_base;
    let name = || format!("header of the structure at address {base:#x}");
    let place = Place { memory, address: base, name: &name };
    // RADV's list is empty, and may be cut (G-44).
    let pointers = if surveyed.structure.is_radv() { 0 } else { header.primitive_count };
    check_offsets(memory, header, pointers, &place, findings);
    check_counts(surveyed, header, &place, findings);
    check_ranges(memory, surveyed, findings);
    let list = base + u64::from(header.primitive_pointer_offset);
    let bytes = (header.primitive_count as usize).checked_mul(4);
    if let Some(bytes) = bytes.and_then(|bytes| memory.get(list, bytes)) {
        check_pointers(memory, surveyed, list, bytes, findings);
    }
}

fn check_offsets(
    memory: &Memory<'_>,
    header: &GpurtHeader,
    pointers: u32,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let segment = memory.segment_of(place.address).map(|number| &memory.segments()[number]);
    let room = segment
        .map_or(0, |segment| segment.bytes().len() as u64 - (place.address - segment.address));
    let [internal, leaf, info, list] = [
        header.internal_node_offset,
        header.leaf_node_offset,
        header.geometry_info_offset,
        header.primitive_pointer_offset,
    ]
    .map(u64::from);
    let list_end = list + 4 * u64::from(pointers);
    let rules = [
        (
            internal >= 128,
            GpurtHeader::internal_node_offset.bits(),
            "internal nodes",
            internal,
            "at 128 or above".to_owned(),
        ),
        (
            leaf >= internal,
            GpurtHeader::leaf_node_offset.bits(),
            "leaf nodes",
            leaf,
            format!("at {internal:#x} or above"),
        ),
        (
            info >= leaf || !header.is_blas(),
            GpurtHeader::geometry_info_offset.bits(),
            "geometry infos",
            info,
            format!("at {leaf:#x} or above"),
        ),
        (
            list >= info,
            GpurtHeader::primitive_pointer_offset.bits(),
            "node pointers",
            list,
            format!("at {info:#x} or above"),
        ),
        (
            list_end <= room,
            GpurtHeader::primitive_pointer_offset.bits(),
            "the end of the node pointers",
            list_end,
            format!("at {room:#x}, the end of the segment, or below"),
        ),
    ];
    for (holds, bits, what, found, expected) in rules {
        if !holds {
            findings.add(Rule::HeaderOffset, place, bits, || {
                (format!("{what} at {found:#x}"), expected)
            });
        }
    }
}

fn check_counts(
    surveyed: &Surveyed,
    header: &GpurtHeader,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let boxes = surveyed.boxes.len();
    // Below a pointer that cannot be followed, nothing was counted.
    if header.internal_fp32_count as usize != boxes && findings.is_sound() {
        findings.add(Rule::HeaderCount, place, GpurtHeader::internal_fp32_count.bits(), || {
            (format!("{} box nodes", header.internal_fp32_count), format!("{boxes}"))
        });
    }
    let instances = surveyed.instances.len();
    if (header.leaf_node_count as usize) < instances {
        findings.add(Rule::HeaderCount, place, GpurtHeader::leaf_node_count.bits(), || {
            (format!("{} leaf nodes", header.leaf_node_count), format!("{instances} at least"))
        });
    }
    if header.active_primitive_count > header.primitive_count {
        findings.add(Rule::HeaderCount, place, GpurtHeader::active_primitive_count.bits(), || {
            let all = header.primitive_count;
            (
                format!("{} active primitives", header.active_primitive_count),
                format!("{all} at most"),
            )
        });
    }
    check_type(surveyed, header.is_blas(), 0..1, place, findings);
}

/// A header says what its structure holds.
fn check_type(
    surveyed: &Surveyed,
    is_blas: bool,
    bits: Range<u32>,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let is_wrong =
        if is_blas { !surveyed.instances.is_empty() } else { !surveyed.leaves.is_empty() };
    if is_wrong {
        findings.add(Rule::HeaderType, place, bits, || {
            let names = ["a TLAS", "a BLAS"];
            (names[usize::from(is_blas)].into(), names[usize::from(!is_blas)].into())
        });
    }
}

/// Checks the header of a driver's memory that holds `all`: RADV's instances copy its bounds and
/// flags, and copies trust sizes and counts.
pub(super) fn check_driver(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    all: &Contents,
    findings: &mut Findings,
) {
    let header = match surveyed.structure.header {
        Some(Header::Radv(header)) => header,
        Some(Header::Hiprt(header)) => return check_hiprt(memory, surveyed, &header, findings),
        Some(Header::Gpurt(header)) => {
            return check_gpurt(memory, surveyed, &header, all, findings);
        }
        None => return,
    };
    let address = surveyed.structure.box_base - u64::from(header.bvh_offset);
    let name = || format!("header of the structure at address {address:#x}");
    let place = Place { memory, address, name: &name };
    check_type(surveyed, header.is_blas(), RadvHeader::geometry_type.bits(), &place, findings);
    let segment = memory.segment_of(address).map(|number| &memory.segments()[number]);
    let room = segment.map_or(0, |s| s.bytes().len() as u64 - (address - s.address));
    if header.compacted_size > room {
        findings.add(Rule::AllocatedSize, &place, RadvHeader::compacted_size.bits(), || {
            let found = format!("{} bytes", header.compacted_size);
            (found, format!("{room} at most, which memory has"))
        });
    }
    let [min, max] = [header.root_min, header.root_max].map(Vec3::from_array);
    // What cannot be reached for an error is missing from the whole.
    let is_known = findings.is_sound();
    let is_held = match all.bounds.is_empty() {
        true => min.is_nan() && max.is_nan(),
        false => {
            Aabb::new(min, max).contains(&all.bounds)
                && is_within_root(memory, surveyed, &Aabb::new(min, max))
        }
    };
    if !is_held && is_known {
        let bits = RadvHeader::root_min.bits().start..RadvHeader::root_max.bits().end;
        findings.add(Rule::DriverHeader, &place, bits, || {
            let expected = match all.bounds.is_empty() {
                true => "NaN, for there is nothing".to_owned(),
                false => format!("bounds around {}, no wider than the root", text(&all.bounds)),
            };
            (text(&Aabb::new(min, max)), expected)
        });
    }
    let untrue = CullFlags::from_bits_truncate(header.root_flags as u8) & all.untrue;
    if !untrue.is_empty() && is_known {
        findings.add(Rule::DriverHeader, &place, RadvHeader::root_flags.bits(), || {
            let names: Vec<&str> = untrue.iter_names().map(|(name, _)| name).collect();
            (names.join(", "), "flags that are true of everything below".into())
        });
    }
    let said = CullFlags::from_bits_truncate(header.root_flags as u8) | all.untrue;
    let missed = OPACITY.difference(said);
    if !missed.is_empty() && is_known && header.is_blas() && !all.bounds.is_empty() {
        findings.add(Rule::MissedCulling, &place, RadvHeader::root_flags.bits(), || {
            let names: Vec<&str> = missed.iter_names().map(|(name, _)| name).collect();
            (format!("no {}", names.join(", ")), "flags that are true of everything below".into())
        });
    }
    for (bits, found, expected) in header.contradictions() {
        findings.add(Rule::DriverHeader, &place, bits, || (found, expected));
    }
    if header.is_blas() {
        let bits = RadvHeader::geometry_type.bits();
        check_geometry_type(header.geometry_type, bits, all, &place, findings);
    }
    let infos_end = RadvHeader::BYTES + RadvGeometryInfo::BYTES * u64::from(header.geometry_count);
    let table = u64::from(header.leaf_node_offsets_offset);
    // The nodes follow, unless it is a header of another version.
    let places = header.instance_count.checked_mul(4).and_then(|bytes| table.checked_add(bytes));
    let nodes = places.and_then(|end| end.checked_next_multiple_of(64));
    let is_known_layout = header.structure_type <= 1 && nodes == Some(u64::from(header.bvh_offset));
    if is_known_layout && ![RadvHeader::BYTES, infos_end].contains(&table) {
        findings.add(
            Rule::DriverHeader,
            &place,
            RadvHeader::leaf_node_offsets_offset.bits(),
            || {
                let expected = format!("{infos_end:#x} behind infos, or {:#x}", RadvHeader::BYTES);
                (format!("{table:#x}"), expected)
            },
        );
    }
    let threads = 8 * surveyed.boxes.len() as u64;
    let is_updated = header.is_blas() && header.build_flags & ALLOW_UPDATE != 0;
    if u64::from(header.update_dispatch[0]) < threads && is_updated && is_known {
        findings.add(Rule::DriverHeader, &place, RadvHeader::update_dispatch.bits(), || {
            let found = format!("{} threads", header.update_dispatch[0]);
            (found, format!("{threads} at least: 8 for each box"))
        });
    }
    check_sum(memory, address, &header, &place, findings);
    check_ranges(memory, surveyed, findings);
}

/// The primitives of all geometries are those of the structure.
fn check_sum(
    memory: &Memory<'_>,
    address: u64,
    header: &RadvHeader,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let Some(infos) = radv_infos(memory, address, header).filter(|_| header.is_blas()) else {
        return;
    };
    let others = (address + RadvHeader::BYTES..).step_by(RadvGeometryInfo::BYTES as usize);
    for (address, info) in others.zip(&infos) {
        if info.geometry_type != header.geometry_type {
            let place = Place { address, ..*place };
            findings.add(
                Rule::DriverHeader,
                &place,
                RadvGeometryInfo::geometry_type.bits(),
                || {
                    let expected = format!("{}, as the header says", header.geometry_type);
                    (format!("a geometry of type {}", info.geometry_type), expected)
                },
            );
        }
    }
    let sum: u64 = infos.iter().map(|info| u64::from(info.primitive_count)).sum();
    if sum != header.primitive_count {
        findings.add(Rule::DriverHeader, place, RadvHeader::primitive_count.bits(), || {
            (format!("{} primitives", header.primitive_count), format!("{sum}, as geometries say"))
        });
    }
}

/// Whether bounds reach no farther than the decoded boxes of the root, but for rounding.
fn is_within_root(memory: &Memory<'_>, surveyed: &Surveyed, bounds: &Aabb) -> bool {
    let Some(root) = surveyed.boxes.first() else { return true };
    let node = BoxNode::decode(&surveyed.node(memory, root.pointer));
    if obb::rotation(node.obb_matrix_index).is_some() {
        return true;
    }
    let used = (0..node.used_children().len()).filter(|&slot| !is_empty_slot(&node.children[slot]));
    let decoded = used.fold(Aabb::EMPTY, |all, slot| union(all, node.child_box(slot)));
    outside(&node.frame, &decoded, bounds).is_none_or(|outside| outside.is_ulp)
}

/// Primitives that are all of one kind are what the header says.
fn check_geometry_type(
    told: u32,
    bits: Range<u32>,
    all: &Contents,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let is_all = |flag| !all.bounds.is_empty() && !all.untrue.contains(flag);
    let kinds = [CullFlags::ONLY_TRIANGLES, CullFlags::ONLY_PROCEDURAL];
    if let Some(kind) = kinds.into_iter().position(is_all)
        && told as usize != kind
        && findings.is_sound()
    {
        findings.add(Rule::DriverHeader, place, bits, || {
            let names = ["triangles", "boxes"];
            let expected = format!("{kind}: the structure holds {}", names[kind]);
            (told.to_string(), expected)
        });
    }
}

/// RADV's exporter leaves out what is asked here.
fn check_gpurt(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    header: &GpurtHeader,
    all: &Contents,
    findings: &mut Findings,
) {
    if surveyed.structure.is_radv() || !findings.is_sound() || all.bounds.is_empty() {
        return;
    }
    let base = surveyed.structure.box_base;
    let name = || format!("header of the structure at address {base:#x}");
    let place = Place { memory, address: base, name: &name };
    let [min, max] = [header.root_min, header.root_max].map(Vec3::from_array);
    let bounds = Aabb::new(min, max);
    // What is known of instances in the world is up to rounding.
    let is_held = !surveyed.instances.is_empty() || bounds.contains(&all.bounds);
    if !is_held || !is_within_root(memory, surveyed, &bounds) {
        let bits = GpurtHeader::root_min.bits().start..GpurtHeader::root_max.bits().end;
        findings.add(Rule::DriverHeader, &place, bits, || {
            let expected = format!("bounds around {}, no wider than the root", text(&all.bounds));
            (text(&bounds), expected)
        });
    }
    if surveyed.instances.is_empty() {
        let bits = GpurtHeader::geometry_type.bits();
        check_geometry_type(header.geometry_type, bits, all, &place, findings);
    }
    if header.internal_fp16_count != 0 {
        findings.add(Rule::HeaderCount, &place, GpurtHeader::internal_fp16_count.bits(), || {
            (format!("{} fp16 boxes", header.internal_fp16_count), "0: there are none".into())
        });
    }
}

fn check_hiprt(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    header: &HiprtHeader,
    findings: &mut Findings,
) {
    let address = surveyed.structure.box_base - HiprtHeader::BYTES;
    let name = || format!("header of the structure at address {address:#x}");
    let place = Place { memory, address, name: &name };
    let is_scene = header.scene.is_some();
    let [size, count] = match is_scene {
        true => [HiprtScene::size.bits(), HiprtScene::box_count.bits()],
        false => [HiprtGeometry::size.bits(), HiprtGeometry::box_count.bits()],
    };
    check_type(surveyed, !is_scene, 0..512, &place, findings);
    let segment = memory.segment_of(address).map(|number| &memory.segments()[number]);
    let room = segment.map_or(0, |s| s.bytes().len() as u64 - (address - s.address));
    if header.size > room {
        findings.add(Rule::AllocatedSize, &place, size, || {
            (format!("{} bytes", header.size), format!("{room} at most, which memory has"))
        });
    }
    let boxes = surveyed.boxes.len();
    if header.box_count as usize != boxes && findings.is_sound() {
        findings.add(Rule::DriverHeader, &place, count, || {
            (format!("{} box nodes", header.box_count), format!("{boxes}"))
        });
    }
}

/// The viewer keeps the pairs of a range in a table, and writes behind its end; RADV's loop visits
/// one pair.
fn check_ranges(memory: &Memory<'_>, surveyed: &Surveyed, findings: &mut Findings) {
    let most = if surveyed.structure.is_radv() { 1 } else { VIEWER_PAIRS };
    for leaf in surveyed.leaves.iter().filter(|leaf| leaf.pairs > most) {
        let name = || format!("leaf {}", leaf.pointer);
        let address = surveyed.structure.address_of(leaf.pointer);
        findings.add(Rule::LongRange, &Place { memory, address, name: &name }, 0..1024, || {
            (format!("a range of {} pairs", leaf.pairs), format!("{most} at most"))
        });
    }
}

/// Each pointer of the list is 0xFFFFFFFF or names a leaf node.
fn check_pointers(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    list: u64,
    bytes: &[u8],
    findings: &mut Findings,
) {
    if bytes.iter().all(|&byte| byte == 0) && !bytes.is_empty() {
        if surveyed.structure.is_radv() {
            return; // Mesa leaves the list out (G-42).
        }
        let name = || "node pointers".to_owned();
        let place = Place { memory, address: list, name: &name };
        return findings.add(Rule::UnsetPointers, &place, 0..32, || {
            (format!("{} zeros", bytes.len() / 4), "pointers of leaves".into())
        });
    }
    let is_top = !surveyed.instances.is_empty();
    let names_leaf = |pointer: NodePointer| match pointer.kind() {
        NodeKind::Primitive { pair } if !is_top => memory
            .node(surveyed.structure.address_of(pointer))
            .is_some_and(|bits| u32::from(pair) <= PrimitiveHeader::pair_count.get(&bits)),
        NodeKind::Instance => {
            is_top && memory.node(surveyed.structure.address_of(pointer)).is_some()
        }
        _ => false,
    };
    let chunks: Vec<Findings> = bytes
        .par_chunks(4 * CHUNK)
        .enumerate()
        .map(|(chunk, bytes)| {
            let mut findings = Findings::default();
            for (number, word) in (chunk * CHUNK..).zip(bytes.chunks_exact(4)) {
                let pointer = NodePointer(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
                if pointer == NodePointer::INVALID || names_leaf(pointer) {
                    continue;
                }
                let name = || format!("node pointer {number}");
                let place = Place { memory, address: list + 4 * number as u64, name: &name };
                findings.add(Rule::PrimitivePointer, &place, 0..32, || {
                    (format!("{pointer}"), "0xffffffff or a leaf of the structure".into())
                });
            }
            findings
        })
        .collect();
    chunks.into_iter().for_each(|chunk| findings.merge(chunk));
}
