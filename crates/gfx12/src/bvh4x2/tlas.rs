//! The leaf nodes of a TLAS: instances.
//!
//! An instance says by a flag whether its structure holds triangles or procedurals, and the unit
//! culls by it. A structure with both kinds has neither flag; a loop that wants its procedurals
//! must then not pass "skip triangles" down from the TLAS.

use super::BoxPrecision;
use crate::layout::bvh4x2::Bvh4x2InstanceNode;
use crate::layout::{BasePointer, GpurtSideband};
use bvh4::decode::instance::{instance_flags, own_flags};
use bvh4::encode::instances::kind_flags;
use bvh4::encode::levels::BlasFacts;
use bvh4::encode::places::NodeBytes;
use tree::Instance;

/// The node of an instance.
pub(super) fn instance_bytes(
    number: u32,
    instance: &Instance,
    blas: &BlasFacts,
    precision: BoxPrecision,
) -> NodeBytes {
    let flags = own_flags(instance.flags) | kind_flags(blas.cull_flags);
    let sideband = GpurtSideband {
        instance_index: number,
        instance_id: instance.custom_index & 0x00FF_FFFF,
        // As the pointer has them, with what the kind of the structure adds.
        flags: instance_flags(flags).bits(),
        blas_metadata_size: blas.base_offset as u32,
        reserved: 0,
        object_to_world: instance.object_to_world,
    };
    let node = Bvh4x2InstanceNode {
        world_to_object: instance.world_to_object,
        // Addresses were aligned and checked when they were given out.
        child_base: BasePointer(blas.base >> 3).with_flags(flags),
        child_root: precision.root(),
        user_data: instance.sbt_offset & 0x00FF_FFFF,
        mask: instance.mask,
        software: *sideband.encode().words(),
    };
    NodeBytes::Whole(Box::new(node.encode()))
}
