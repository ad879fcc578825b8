//! A TLAS: instance nodes.
//!
//! An instance says by a flag whether its structure holds triangles or procedurals, and the unit
//! culls by it. A structure with both kinds has neither flag; a loop that wants its procedurals
//! must then not pass "skip triangles" down from the TLAS.

use super::draft::{Child, Draft, Leaf, LooseLeaf, NewLeaf};
use super::write::{Contents, LeafBits, Structure};
use super::{EncodeError, Options};
use crate::decode::instances::instance_flags;
use crate::encode::error::check_instances;
use crate::encode::instance::own_flags;
use crate::encode::margin::{tlas_margin, transform_margin, widen};
use crate::layout::bvh4x2::{Bvh4x2InstanceNode, Bvh4x2Pointer};
use crate::layout::{BasePointer, CullFlags, GpurtSideband, PointerFlags};
use geometry::Aabb;
use tree::{Instance, Tlas};

/// What a TLAS must know of a BLAS.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlasFacts {
    /// The box around what it holds.
    pub(super) bounds: Aabb,
    pub(super) root: Bvh4x2Pointer,
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
    let mut draft =
        Draft::new(&bvh, options.keep_leaves, |loose| instance_leaves(loose, tlas, blases));
    let margin = if options.margin {
        widen_for_transforms(&mut draft, tlas);
        tlas_margin(tlas).plain
    } else {
        0.0
    };
    let nothing = Contents { cull_flags: CullFlags::empty(), triangles: 0 };
    Structure::new(blases.len(), draft, options.precision, margin, |_| nothing)
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

/// What both drivers set for structures of one kind.
fn kind_flags(contents: CullFlags) -> PointerFlags {
    if contents.contains(CullFlags::ONLY_TRIANGLES) {
        PointerFlags::SKIP_PROCEDURAL
    } else if contents.contains(CullFlags::ONLY_PROCEDURAL) {
        PointerFlags::SKIP_TRIANGLES | PointerFlags::DISABLE_FACE_CULL
    } else {
        PointerFlags::empty()
    }
}

/// An instance node for each instance of something.
fn instance_leaves(loose: &[LooseLeaf<'_>], tlas: &Tlas, blases: &[BlasFacts]) -> Vec<NewLeaf> {
    let mut leaves = Vec::new();
    for (origin, given) in loose.iter().enumerate() {
        for &item in given.items {
            let instance = &tlas.instances[item as usize];
            let below = blases[instance.blas as usize].bounds;
            if below.is_empty() {
                continue;
            }
            // The transform was found to be invertible.
            let own = instance.world_bounds(&below).unwrap_or(given.bounds);
            let inside = own.intersection(given.bounds);
            let alone = given.items.len() == 1 || inside.is_empty();
            let bounds = if alone { given.bounds } else { inside };
            leaves.push(NewLeaf { origin, bounds, leaf: Leaf::Instance(item) });
        }
    }
    leaves
}

/// Gives every box room for the rounding of the transforms below it.
fn widen_for_transforms(draft: &mut Draft, tlas: &Tlas) {
    let world = tlas.bvh.root().bounds;
    for number in (0..draft.boxes.len()).rev() {
        let mut slots = draft.boxes[number];
        for slot in slots.iter_mut().flatten() {
            match slot.child {
                Child::Box(below) => {
                    let children = draft.boxes[below as usize].iter().flatten();
                    slot.bounds = children.fold(slot.bounds, |all, child| all.union(child.bounds));
                }
                Child::Leaf(leaf) => {
                    if let Leaf::Instance(item) = draft.leaves[leaf as usize] {
                        let by = transform_margin(&tlas.instances[item as usize], &world);
                        slot.bounds = widen(&slot.bounds, by);
                    }
                }
            }
        }
        draft.boxes[number] = slots;
    }
}
