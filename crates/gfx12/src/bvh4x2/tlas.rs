//! A TLAS: instance nodes.
//!
//! An instance says by a flag whether its structure holds triangles or procedurals, and the unit
//! culls by it. A structure with both kinds has neither flag; a loop that wants its procedurals
//! must then not pass "skip triangles" down from the TLAS.

use super::write::{LeafBits, Structure};
use super::{EncodeError, Options};
use crate::layout::bvh4x2::{Bvh4Pointer, Bvh4x2InstanceNode};
use crate::layout::{BasePointer, CullFlags, GpurtSideband};
use bvh4::decode::instance::{instance_flags, own_flags};
use bvh4::encode::contents::Contents;
use bvh4::encode::draft::Draft;
use bvh4::encode::error::check_instances;
use bvh4::encode::instances::{instance_leaves, kind_flags, widen_for_transforms};
use bvh4::encode::margin::tlas_margin;
use geometry::Aabb;
use tree::{Instance, Tlas};

/// What a TLAS must know of a BLAS.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlasFacts {
    /// The box around what it holds.
    pub(super) bounds: Aabb,
    pub(super) root: Bvh4Pointer,
    pub(super) cull_flags: CullFlags,
    /// Where its base is.
    pub(super) base: u64,
    /// Bytes before the base.
    pub(super) metadata_bytes: u64,
}

/// A TLAS with a place for each node. The addresses in `blases` are not looked at.
pub(super) fn structure(
    tlas: &Tlas,
    blases: &[BlasFacts],
    options: &Options,
) -> Result<Structure, EncodeError> {
    check_instances(tlas, blases.len())?;
    let regrouped = EncodeError::regrouped(blases.len());
    let bvh = tree::reshape::gather(&tlas.bvh, |_| false).map_err(regrouped)?;
    let mut draft = Draft::new(&bvh, options.keep_leaves, |loose| {
        instance_leaves(loose, tlas, |blas| blases[blas as usize].bounds)
    });
    let margin = if options.margin {
        widen_for_transforms(&mut draft, tlas);
        tlas_margin(tlas).plain
    } else {
        0.0
    };
    Structure::new(blases.len(), draft, options.precision, margin, |_| Contents::NOTHING)
}

/// The node of an instance.
pub(super) fn leaf_bits(number: u32, instance: &Instance, blas: &BlasFacts) -> LeafBits {
    let flags = own_flags(instance.flags) | kind_flags(blas.cull_flags);
    let sideband = GpurtSideband {
        instance_index: number,
        instance_id: instance.custom_index & 0x00FF_FFFF,
        // As the pointer has them, with what the kind of the structure adds.
        flags: instance_flags(flags).bits(),
        blas_metadata_size: blas.metadata_bytes as u32,
        reserved: 0,
        object_to_world: instance.object_to_world,
    };
    let node = Bvh4x2InstanceNode {
        world_to_object: instance.world_to_object,
        // Addresses were aligned and checked when they were given out.
        child_base: BasePointer(blas.base >> 3).with_flags(flags),
        child_root: blas.root,
        user_data: instance.sbt_offset & 0x00FF_FFFF,
        mask: instance.mask,
        software: *sideband.encode().words(),
    };
    LeafBits::Whole(Box::new(node.encode()))
}
