//! Instance nodes and the sideband records beside them.
//!
//! | policy | embedded boxes |
//! |---|---|
//! | `dense`, `gpurt` | four: the root's children, boxes merged in pairs (GPURT's filter mode) |
//! | `radv` | one: the box of the structure, on a grid that just covers it |
//!
//! All entries name the root. Behind a header they have type 1, so that a hit returns 0x01 in its
//! low byte, as GPURT has it; RADV's has type 5 and length 1, and returns 0x05.
//! A rebraided instance has the boxes of some of the root's children, and names these
//! ([`super::rebraid`]).

use super::Policy;
use super::blas::EncodedBlas;
use super::rebraid::RootPart;
use super::tables::METADATA_BYTES;
use crate::layout::{
    BOX_TYPE, BasePointer, BoxFrame, BoxNode, ChildEntry, CullFlags, GpurtSideband, InstanceNode,
    NodePointer, PointerFlags, RadvInstanceData,
};
use bvh4::decode::instance::own_flags;
use geometry::Aabb;
use tree::Instance;

/// What an instance node shows of its structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstancePart {
    /// Everything but procedurals.
    Triangles,
    /// Everything but triangles.
    Procedurals,
}

/// Type of the embedded entries: the root pointer 0x15 shifted by 4.
const ROOT_TYPE: u8 = (NodePointer::ROOT_BEHIND_HEADER.0 >> 4) as u8;

/// The instance node of an instance.
pub(crate) fn instance_node(
    instance: &Instance,
    blas: &EncodedBlas,
    part: Option<&RootPart>,
    shown: InstancePart,
    parent: NodePointer,
    policy: Policy,
) -> InstanceNode {
    let (frame, child_count, children) = match (part, policy) {
        (Some(part), _) => {
            let (count, entries) = part.entries(&blas.root);
            (blas.root.frame, count, entries)
        }
        (None, Policy::Dense | Policy::Gpurt | Policy::Hiprt) => filter_boxes(&blas.root),
        (None, Policy::Radv) => whole_box(&blas.bounds),
    };
    let flags = own_flags(instance.flags) | part_flags(shown);
    InstanceNode {
        world_to_object: instance.world_to_object,
        // Addresses were aligned and checked when they were given out.
        child_base: BasePointer((blas.segment.address + blas.sections.base) >> 3).with_flags(flags),
        parent,
        user_data: instance.sbt_offset & 0x00FF_FFFF,
        mask: instance.mask,
        frame,
        disable_box_sort: false,
        child_count,
        unused_low: 0,
        unused_high: 0,
        children,
    }
}

/// The sideband record of instance `number`.
pub(crate) fn sideband(instance: &Instance, number: u32) -> GpurtSideband {
    GpurtSideband {
        instance_index: number,
        instance_id: instance.custom_index & 0x00FF_FFFF,
        flags: instance.flags.bits(),
        blas_metadata_size: METADATA_BYTES,
        reserved: 0,
        object_to_world: instance.object_to_world,
    }
}

/// What RADV puts behind the node of instance `number`.
pub(crate) fn radv_data(instance: &Instance, number: u32, blas: &EncodedBlas) -> RadvInstanceData {
    RadvInstanceData {
        object_to_world: instance.object_to_world,
        custom_index: instance.custom_index & 0x00FF_FFFF,
        instance_index: number,
        bvh_offset: blas.sections.base as u32,
        leaf_node_offsets_offset: blas.sections.pointers as u32,
        unused: [0; 16],
    }
}

fn part_flags(shown: InstancePart) -> PointerFlags {
    match shown {
        InstancePart::Triangles => PointerFlags::SKIP_PROCEDURAL,
        InstancePart::Procedurals => PointerFlags::SKIP_TRIANGLES | PointerFlags::DISABLE_FACE_CULL,
    }
}

pub(crate) type EmbeddedBoxes = (BoxFrame, u8, [ChildEntry; 4]);

/// The root's boxes two by two, on the root's own grid.
pub(crate) fn filter_boxes(root: &BoxNode) -> EmbeddedBoxes {
    let children = std::array::from_fn(|k| {
        let [a, b] = [&root.children[2 * k], &root.children[2 * k + 1]];
        ChildEntry {
            min: std::array::from_fn(|axis| a.min[axis].min(b.min[axis])),
            max: std::array::from_fn(|axis| a.max[axis].max(b.max[axis])),
            cull_flags: CullFlags::empty(),
            unused: 0,
            mask: 0xFF,
            node_type: ROOT_TYPE,
            range_length: 0,
        }
    });
    (root.frame, 4, children)
}

/// The whole structure as RADV has it: all codes, on the smallest power of two that covers it.
pub(crate) fn whole_box(bounds: &Aabb) -> EmbeddedBoxes {
    let exponents = bounds.extent().to_array().map(|extent| {
        let exponent = (extent.log2() + 127.0).clamp(0.0, 255.0).ceil();
        exponent as u8
    });
    let whole = ChildEntry {
        min: [0; 3],
        max: [0xFFF; 3],
        cull_flags: CullFlags::ONLY_TRIANGLES,
        unused: 0,
        mask: 0xFF,
        node_type: BOX_TYPE,
        range_length: 1,
    };
    let mut children = [ChildEntry::UNUSED; 4];
    children[0] = whole;
    (BoxFrame { origin: bounds.min.to_array(), exponents }, 1, children)
}
