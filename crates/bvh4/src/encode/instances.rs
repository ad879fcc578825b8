//! The leaves of a TLAS: instances.

use super::draft::{Child, Draft, Leaf, LooseLeaf, NewLeaf};
use super::margin::{transform_margin, widen};
use crate::layout::{CullFlags, PointerFlags};
use geometry::Aabb;
use tree::Tlas;

/// What both drivers set for structures of one kind.
#[must_use]
pub fn kind_flags(contents: CullFlags) -> PointerFlags {
    if contents.contains(CullFlags::ONLY_TRIANGLES) {
        PointerFlags::SKIP_PROCEDURAL
    } else if contents.contains(CullFlags::ONLY_PROCEDURAL) {
        PointerFlags::SKIP_TRIANGLES | PointerFlags::DISABLE_FACE_CULL
    } else {
        PointerFlags::empty()
    }
}

/// An instance node for each instance of something that a ray may see: as drivers do, masks of 0
/// are left out. `bounds_of` gives the box around a BLAS.
#[must_use]
pub fn instance_leaves(
    loose: &[LooseLeaf<'_>],
    tlas: &Tlas,
    bounds_of: impl Fn(u32) -> Aabb,
) -> Vec<NewLeaf> {
    let mut leaves = Vec::new();
    for (origin, given) in loose.iter().enumerate() {
        for &item in given.items {
            let instance = &tlas.instances[item as usize];
            let below = bounds_of(instance.blas);
            if below.is_empty() || instance.mask == 0 {
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
pub fn widen_for_transforms(draft: &mut Draft, tlas: &Tlas) {
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
