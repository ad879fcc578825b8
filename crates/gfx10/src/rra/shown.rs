//! A TLAS for structures that have none, so that the viewer shows them.
//!
//! Radeon Raytracing Analyzer shows a scene by its TLAS. The image of a single mesh is one BLAS; in
//! a file it is followed by a TLAS that places it once, where it is. Such a TLAS bears a mark in
//! its uuid, and unless asked for it is not opened: the image that was written comes back.

use super::INSTANCE_BYTES;
use crate::layout::GpurtInstanceNode;
use crate::structure::{RADV_FILE_VERSION, RTIP_LEVELS};
use bvh4::layout::{BasePointer, Bvh4Pointer, Fp32BoxNode, GpurtHeader, parent_slot_address};
use bvh4::rra::Structure;
use geometry::{Aabb, Transform, Vec3};
use machine::Segment;
use machine::bits::{Bits, NodeBits};

/// "siliray" and a zero, in the uuid of the header.
const MARK: [u32; 2] = [u32::from_le_bytes(*b"sili"), u32::from_le_bytes(*b"ray\0")];
const PAGE: u64 = 4096;
/// Metadata of GPURT's 256 bytes and four parents, padded.
const METADATA_BYTES: u64 = 384;
/// Header, root, instance, and a pointer to it.
const ROOT_AT: usize = 128;
const INSTANCE_AT: usize = 256;
const POINTERS_AT: usize = INSTANCE_AT + INSTANCE_BYTES;
const INSTANCE: Bvh4Pointer = Bvh4Pointer((INSTANCE_AT as u32) >> 3 | 6);
/// GPURT's version 16.5.
const GPURT_VERSION: u32 = 0x0010_0005;

/// Whether a structure is there for the viewer only.
#[must_use]
pub fn is_for_viewer(structure: &Structure) -> bool {
    structure.header().uuid == MARK
}

/// A TLAS that places a BLAS once, without moving it, and its metadata; `None` if there is nothing
/// to show.
#[must_use]
pub fn tlas(blas: &Structure, is_radv: bool) -> Option<(Segment, Vec<u8>)> {
    let below = blas.header();
    let root = blas.segment.bytes().get(ROOT_AT..2 * ROOT_AT)?;
    let root = Fp32BoxNode::decode(&NodeBits::from_bytes(root));
    let used = root.children.iter().zip(root.boxes);
    let used = used.filter(|(child, _)| **child != Bvh4Pointer::INVALID);
    let bounds = used.fold(Aabb::EMPTY, |all, (_, slot)| all.union(slot));
    if bounds.is_empty() {
        return None;
    }
    let end = blas.segment.address + blas.segment.bytes().len() as u64;
    let base = (end + METADATA_BYTES).next_multiple_of(PAGE);
    let nothing = Aabb::new(Vec3::ZERO, Vec3::ZERO);
    let none = Bvh4Pointer::INVALID;
    let root = Fp32BoxNode {
        children: [INSTANCE, none, none, none],
        boxes: [bounds, nothing, nothing, nothing],
        flag_bytes: [0, 0xFF, 0xFF, 0xFF],
        primitive_count: 1,
        unused: [0; 2],
    };
    let instance = GpurtInstanceNode {
        world_to_object: Transform::IDENTITY,
        instance_id: 0,
        mask: 0xFF,
        sbt_offset: 0,
        api_flags: 0,
        child_base: BasePointer(blas.segment.address >> 3),
        instance_index: 0,
        child_root: Bvh4Pointer::ROOT_BEHIND_HEADER,
        metadata_size: below.metadata_size,
        reserved: 0,
        object_to_world: Transform::IDENTITY,
    };
    let (total, level) = (METADATA_BYTES as u32 + POINTERS_AT as u32 + 4, below.rt_ip_level);
    let header = GpurtHeader {
        metadata_size: METADATA_BYTES as u32,
        total_size: total,
        primitive_count: 1,
        active_primitive_count: 1,
        descriptor_count: 1,
        internal_node_offset: ROOT_AT as u32,
        leaf_node_offset: INSTANCE_AT as u32,
        primitive_pointer_offset: POINTERS_AT as u32,
        internal_fp32_count: 1,
        leaf_node_count: 1,
        version: if is_radv { RADV_FILE_VERSION } else { GPURT_VERSION },
        uuid: MARK,
        rt_ip_level: if is_radv { RTIP_LEVELS[0] } else { level },
        root_min: bounds.min.to_array(),
        root_max: bounds.max.to_array(),
        compacted_size: total,
        ..GpurtHeader::decode(&Bits::ZERO)
    };
    let mut segment = Segment::zeroed(base, POINTERS_AT + 4);
    let bytes = segment.bytes_mut();
    header.encode().write_bytes(&mut bytes[..ROOT_AT]);
    root.encode().write_bytes(&mut bytes[ROOT_AT..INSTANCE_AT]);
    instance.encode().write_bytes(&mut bytes[INSTANCE_AT..POINTERS_AT]);
    bytes[POINTERS_AT..].copy_from_slice(&INSTANCE.0.to_le_bytes());
    let mut metadata = vec![0; METADATA_BYTES as usize];
    metadata[..8].copy_from_slice(&base.to_le_bytes());
    metadata[8..12].copy_from_slice(&(METADATA_BYTES as u32).to_le_bytes());
    let roots = [(Bvh4Pointer::ROOT_BEHIND_HEADER, none)];
    for (node, parent) in roots.into_iter().chain([(INSTANCE, Bvh4Pointer::ROOT_BEHIND_HEADER)]) {
        let slot = parent_slot_address(METADATA_BYTES, node, 2)? as usize;
        metadata[slot..slot + 4].copy_from_slice(&parent.0.to_le_bytes());
    }
    Some((segment, metadata))
}
