//! What stands around the nodes: RADV's header; GPURT's metadata, header and lists.

use crate::Generation;
use bvh4::encode::contents::Contents;
use bvh4::encode::draft::{Draft, Leaf};
use bvh4::encode::places::Places;
use bvh4::layout::pointer::UNIT_BYTES;
use bvh4::layout::{Bvh4Kind, Bvh4Pointer, CullFlags, GeometryInfo, GpurtHeader, RadvHeader};
use geometry::Aabb;
use std::collections::BTreeMap;
use tree::{Blas, PrimitiveFlags, Tlas};

/// Bases of siliray lie at multiples of this.
const BASE_ALIGNMENT: u64 = 256;
/// What GPURT keeps before the parent table.
const METADATA_BYTES: u64 = 256;
/// GPURT's version 16.5.
const GPURT_VERSION: u32 = 0x0010_0005;

/// What stands before and behind the nodes of a structure.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Around {
    /// Bytes before the base.
    pub(super) base_offset: u64,
    /// Bytes behind the nodes.
    pub(super) behind: Vec<u8>,
    header: Option<Header>,
}

#[derive(Debug, Clone, PartialEq)]
enum Header {
    Radv(Box<RadvHeader>),
    Gpurt(Box<GpurtHeader>),
}

/// siliray's: a table of parents.
pub(super) fn own(places: &Places) -> Around {
    let base_offset = (4 * u64::from(places.units)).next_multiple_of(BASE_ALIGNMENT);
    Around { base_offset, behind: Vec::new(), header: None }
}

/// RADV's around a BLAS.
pub(super) fn radv_blas(places: &Places, blas: &Blas, all: Contents, bounds: Aabb) -> Around {
    let primitives = &blas.primitives;
    let geometries = primitives.ids.iter().map(|id| id.geometry + 1).max().unwrap_or(0);
    let header = RadvHeader {
        geometry_type: u32::from(primitives.triangles.is_empty() && !primitives.boxes.is_empty()),
        geometry_count: geometries,
        structure_type: 1,
        ..radv_header(all, bounds)
    };
    radv(places, header, 1)
}

/// RADV's around a TLAS.
pub(super) fn radv_tlas(places: &Places, tlas: &Tlas, all: Contents, bounds: Aabb) -> Around {
    let count = tlas.instances.len() as u64;
    let header = RadvHeader {
        geometry_type: 2,
        geometry_count: 1,
        instance_count: count,
        ..radv_header(all, bounds)
    };
    radv(places, header, 2)
}

fn radv_header(all: Contents, bounds: Aabb) -> RadvHeader {
    let nothing = bounds.is_empty();
    let corner = |corner: geometry::Vec3| if nothing { [f32::NAN; 3] } else { corner.to_array() };
    let opacity = CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE;
    RadvHeader {
        root_flags: (all.cull_flags & opacity).bits().into(),
        root_min: corner(bounds.min),
        root_max: corner(bounds.max),
        ..RadvHeader::decode(&machine::bits::Bits::ZERO)
    }
}

/// RADV's places: there is room for as many boxes as its own trees can have, or more if this one
/// has.
fn radv(places: &Places, header: RadvHeader, leaf_units: u64) -> Around {
    let items = u64::from(places.leaf_places);
    let room = (items * 4 / 6 + 1).max(places.boxes.len() as u64);
    let units = (leaf_units * items + 2 * room).max(places.units.into());
    let offset = (RadvHeader::BYTES + 4 * units).next_multiple_of(UNIT_BYTES);
    let header = RadvHeader {
        bvh_offset: offset as u32,
        leaf_offset: offset + UNIT_BYTES * u64::from(places.first_leaf),
        primitive_count: items,
        leaf_node_offsets_offset: RadvHeader::BYTES as u32,
        ..header
    };
    let end = offset + UNIT_BYTES * u64::from(places.units);
    let header = header.with_sizes(end, places.boxes.len() as u64 - 1);
    let header = Some(Header::Radv(Box::new(header)));
    Around { base_offset: offset, behind: Vec::new(), header }
}

/// GPURT's around a BLAS: infos of geometries and a pointer for each primitive follow the nodes.
pub(super) fn gpurt_blas(
    draft: &Draft,
    places: &Places,
    blas: &Blas,
    bounds: Aabb,
    generation: Generation,
) -> Around {
    let ids = &blas.primitives.ids;
    // One for each reference: viewers keep a figure for each leaf node, as many as there are
    // primitives.
    let mut pointers: Vec<((u32, u32), Bvh4Pointer, bool)> = Vec::new();
    let mut add = |item: u32, pointer| {
        let id = ids[item as usize];
        let is_opaque = id.flags.contains(PrimitiveFlags::OPAQUE);
        pointers.push(((id.geometry, id.primitive), pointer, is_opaque));
    };
    for (leaf, &pointer) in draft.leaves.iter().zip(&places.leaves) {
        match *leaf {
            Leaf::Pair { items: [first, second], .. } => {
                add(first, pointer.partner());
                add(second, pointer);
            }
            Leaf::Triangle(item) | Leaf::Procedural(item) | Leaf::Instance(item) => {
                add(item, pointer);
            }
        }
    }
    pointers.sort_by_key(|(id, ..)| *id);
    let geometries = ids.iter().map(|id| id.geometry + 1).max().unwrap_or(0);
    // Ids that reach far beyond what there is would make the list as long.
    let geometries = geometries.min(ids.len() as u32);
    let mut behind = Vec::new();
    let mut list: Vec<Bvh4Pointer> = Vec::new();
    let mut rest = &pointers[..];
    for geometry in 0..geometries {
        let (own, others) = rest.split_at(rest.partition_point(|((own, _), ..)| *own <= geometry));
        rest = others;
        let first = list.len();
        // Ids that nothing has are inactive; but few, where the list is to be as long as ids are
        // large.
        let highest = own.last().map_or(0, |((_, primitive), ..)| *primitive as usize);
        let is_indexed = own.windows(2).all(|two| two[0].0 != two[1].0) && highest < 4 * own.len();
        for ((_, primitive), pointer, _) in own {
            if is_indexed {
                list.resize(first + *primitive as usize, Bvh4Pointer::INVALID);
            }
            list.push(*pointer);
        }
        let info = GeometryInfo {
            primitive_count: (list.len() - first) as u32,
            flags: u8::from(own.iter().all(|(.., it)| *it) && !own.is_empty()),
            unknown: 0,
            primitive_pointer_offset: 4 * first as u32,
        };
        behind.extend(info.encode().words().iter().flat_map(|word| word.to_le_bytes()));
    }
    let infos = behind.len() as u32;
    behind.extend(list.iter().flat_map(|pointer| pointer.0.to_le_bytes()));
    let counts = GpurtCounts {
        is_blas: true,
        primitives: list.len() as u32,
        active: pointers.len() as u32,
        descriptors: geometries,
        is_procedural: blas.primitives.triangles.is_empty() && !blas.primitives.boxes.is_empty(),
        has_pairs: draft.leaves.iter().any(|leaf| matches!(leaf, Leaf::Pair { .. })),
        infos,
    };
    gpurt(places, &counts, bounds, generation, behind)
}

/// GPURT's around a TLAS: a pointer for each instance follows the nodes.
pub(super) fn gpurt_tlas(
    draft: &Draft,
    places: &Places,
    tlas: &Tlas,
    bounds: Aabb,
    generation: Generation,
) -> Around {
    let leaves = draft.leaves.iter().map(Leaf::first_item).zip(&places.leaves);
    let pointers: BTreeMap<u32, Bvh4Pointer> = leaves.map(|(item, &it)| (item, it)).collect();
    let behind = pointers.values().flat_map(|pointer| pointer.0.to_le_bytes()).collect();
    let counts = GpurtCounts {
        is_blas: false,
        primitives: places.leaves.len() as u32,
        active: places.leaves.len() as u32,
        descriptors: tlas.instances.len() as u32,
        is_procedural: false,
        has_pairs: false,
        infos: 0,
    };
    gpurt(places, &counts, bounds, generation, behind)
}

struct GpurtCounts {
    is_blas: bool,
    primitives: u32,
    active: u32,
    descriptors: u32,
    is_procedural: bool,
    has_pairs: bool,
    /// Bytes of geometry infos.
    infos: u32,
}

fn gpurt(
    places: &Places,
    counts: &GpurtCounts,
    bounds: Aabb,
    generation: Generation,
    mut behind: Vec<u8>,
) -> Around {
    let units = u64::from(places.units) - 2;
    let metadata = (METADATA_BYTES + 4 * units).next_multiple_of(128);
    let nodes_end = UNIT_BYTES as u32 * places.units;
    let total = metadata as u32 + nodes_end + behind.len() as u32;
    behind.resize(behind.len().next_multiple_of(4), 0);
    let halves = places.boxes.iter().filter(|it| it.kind() == Bvh4Kind::HalfBox).count() as u32;
    let corner = |corner: geometry::Vec3| {
        if bounds.is_empty() { [f32::NAN; 3] } else { corner.to_array() }
    };
    // Pairs are compression 2, boxes in halves where they fit mode 2; built for fast traces.
    let info = u32::from(counts.is_blas)
        | if counts.has_pairs { 2 << 6 } else { 0 }
        | if halves > 0 { 2 << 9 } else { 0 }
        | 4 << 16;
    let infos_at = if counts.is_blas { nodes_end } else { 0 };
    let header = GpurtHeader {
        info,
        metadata_size: metadata as u32,
        total_size: total,
        primitive_count: counts.primitives,
        active_primitive_count: counts.active,
        descriptor_count: counts.descriptors,
        geometry_type: counts.is_procedural.into(),
        internal_node_offset: 128,
        leaf_node_offset: UNIT_BYTES as u32 * places.first_leaf,
        geometry_info_offset: infos_at,
        primitive_pointer_offset: nodes_end + counts.infos,
        internal_fp32_count: places.boxes.len() as u32 - halves,
        internal_fp16_count: halves,
        leaf_node_count: places.leaves.len() as u32,
        version: GPURT_VERSION,
        rt_ip_level: if generation == Generation::Gfx11 { 3 } else { 2 },
        root_min: corner(bounds.min),
        root_max: corner(bounds.max),
        compacted_size: total,
        ..GpurtHeader::decode(&machine::bits::Bits::ZERO)
    };
    let header = Some(Header::Gpurt(Box::new(header)));
    Around { base_offset: metadata, behind, header }
}

/// Writes the header of a structure at an address; `nodes` begin at the base.
pub(super) fn write(around: &Around, address: u64, before: &mut [u8], nodes: &mut [u8]) {
    match &around.header {
        None => (),
        Some(Header::Radv(header)) => {
            header.encode().write_bytes(&mut before[..RadvHeader::BYTES as usize]);
        }
        Some(Header::Gpurt(header)) => {
            header.encode().write_bytes(&mut nodes[..128]);
            let base = address + around.base_offset;
            before[..8].copy_from_slice(&base.to_le_bytes());
            before[8..12].copy_from_slice(&header.metadata_size.to_le_bytes());
        }
    }
}
