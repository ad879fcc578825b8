//! A TLAS for structures that have none, so that the viewer shows them.
//!
//! Radeon Raytracing Analyzer shows a scene by its TLAS. The image of a single mesh is one BLAS; in
//! a file it is followed by a TLAS that places it once, where it is. Such a TLAS bears a mark in
//! its uuid, and unless asked for it is not opened: the image that was written comes back.

use super::Structure;
use crate::encode::sections::{NodeCounts, Sections};
use crate::encode::tables::{HeaderCounts, header, root_bounds, write_pointers};
use crate::layout::{
    BasePointer, BoxNode, ChildEntry, CullFlags, GpurtSideband, INSTANCE_TYPE, InstanceNode,
    NODE_BYTES, NodeBits, NodePointer, PointerFlags,
};
use crate::quantize::quantize;
use bvh4::rra::structure::METADATA_BYTES;
use geometry::Transform;
use machine::Segment;

/// "siliray" and a zero, in the uuid of the header.
const MARK: [u32; 2] = [u32::from_le_bytes(*b"sili"), u32::from_le_bytes(*b"ray\0")];
const SIDEBAND_BYTES: u64 = 64;
const PAGE: u64 = 4096;
/// The only instance node lies behind header and root.
const INSTANCE_OFFSET: u64 = 2 * NODE_BYTES;

/// Whether a structure is there for the viewer only.
#[must_use]
pub fn is_for_viewer(structure: &Structure) -> bool {
    structure.header().uuid == MARK
}

/// A TLAS that places a BLAS once, without moving it; `None` if there is nothing to show. RADV says
/// nothing of bounds, so they are those of the root's boxes.
#[must_use]
pub fn tlas_for_viewer(blas: &Structure) -> Option<Segment> {
    let described = blas.header();
    let root = NODE_BYTES as usize..2 * NODE_BYTES as usize;
    let root = BoxNode::decode(&NodeBits::from_bytes(blas.segment.bytes().get(root)?));
    let whole = quantize(&[root_bounds(&root)]).ok()?;
    let end = blas.segment.address + blas.segment.bytes().len() as u64;
    let address = (end + u64::from(METADATA_BYTES)).next_multiple_of(PAGE);
    let flags = match described.geometry_type {
        0 => PointerFlags::SKIP_PROCEDURAL,
        _ => PointerFlags::SKIP_TRIANGLES | PointerFlags::DISABLE_FACE_CULL,
    };
    let child_base = BasePointer::new(blas.segment.address, flags)?;
    let entry = whole.codes[0].entry(ChildEntry {
        cull_flags: CullFlags::empty(),
        unused: 0,
        mask: 0xFF,
        node_type: INSTANCE_TYPE,
        range_length: 1,
        ..ChildEntry::default()
    });
    let mut children = [ChildEntry::UNUSED; 8];
    children[0] = entry;
    let root = BoxNode {
        internal_base: 0,
        primitive_base: (INSTANCE_OFFSET >> 3) as u32,
        parent: NodePointer::INVALID,
        frame: whole.frame,
        disable_box_sort: false,
        index_in_parent: 0,
        child_count: 1,
        spare: false,
        obb_matrix_index: BoxNode::NO_ROTATION,
        ignored: 0,
        children,
    };
    // All four entries are the whole box and name the root, as GPURT's pass-through mode has it.
    let embedded = ChildEntry { node_type: 1, range_length: 0, ..entry };
    let instance = InstanceNode {
        world_to_object: Transform::IDENTITY,
        child_base,
        parent: NodePointer::ROOT_BEHIND_HEADER,
        user_data: 0,
        mask: 0xFF,
        frame: whole.frame,
        disable_box_sort: false,
        child_count: 4,
        unused_low: 0,
        unused_high: 0,
        children: [embedded; 4],
    };
    write(address, &root, &instance)
}

fn write(address: u64, root: &BoxNode, instance: &InstanceNode) -> Option<Segment> {
    let counts = NodeCounts { boxes: 1, leaves: 1 };
    let sections = Sections::gpurt(0, counts, SIDEBAND_BYTES, 1).ok()?;
    let sideband = GpurtSideband {
        instance_index: 0,
        instance_id: 0,
        flags: 0,
        blas_metadata_size: METADATA_BYTES,
        reserved: 0,
        object_to_world: Transform::IDENTITY,
    };
    let counts = HeaderCounts {
        is_blas: false,
        primitives: 1,
        active: 1,
        descriptors: 1,
        procedural: false,
        boxes: 1,
        leaves: 1,
        rebraided: false,
    };
    let mut header = header(&counts, &sections, root);
    header.uuid = MARK;
    let mut segment = Segment::zeroed(address, sections.end as usize);
    let bytes = segment.bytes_mut();
    header.encode().write_bytes(bytes);
    root.encode().write_bytes(bytes.get_mut(NODE_BYTES as usize..)?);
    instance.encode().write_bytes(bytes.get_mut(INSTANCE_OFFSET as usize..)?);
    sideband.encode().write_bytes(bytes.get_mut(sections.records as usize..)?);
    let pointer = NodePointer::new(INSTANCE_OFFSET, INSTANCE_TYPE)?;
    write_pointers(&[pointer], bytes.get_mut(sections.pointers as usize..)?);
    Some(segment)
}
