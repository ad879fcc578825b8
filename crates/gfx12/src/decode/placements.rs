//! The instances of a top level as placements, and which placement an instance node is.
//!
//! Where a GPURT header names sideband records, a record's instanceIndex is the number of the
//! placement, its instanceId the custom index, and its matrix the way back to the world. Elsewhere,
//! and when the records do not number the instances, placements count in the order of discovery: slot
//! by slot, depth first; the custom index is the user data and the way back is the rounded inverse.

use super::memory::Memory;
use super::survey::{Surveyed, Target};
use crate::layout::{GpurtSideband, InstanceNode, PointerFlags};
use geometry::{InstanceFlags, Transform};
use tree::Placement;

/// For each instance record of a top level, the number of its placement.
pub(crate) fn numbers(memory: &Memory<'_>, top: &Surveyed) -> Vec<u32> {
    sideband_numbers(memory, top).unwrap_or_else(|| discovery_numbers(top))
}

/// The numbers that the sideband gives, if there is one for each instance and no two are equal.
pub(crate) fn sideband_numbers(memory: &Memory<'_>, top: &Surveyed) -> Option<Vec<u32>> {
    let limit = record_limit(memory, top)?;
    let mut taken = vec![false; limit];
    top.instances
        .iter()
        .map(|instance| {
            let record = memory.half_node(top.structure.sideband_of(instance.pointer)?)?;
            let number = GpurtSideband::decode(&record).instance_index;
            let slot = taken.get_mut(number as usize)?;
            (!std::mem::replace(slot, true)).then_some(number)
        })
        .collect()
}

/// How many sideband records there is room for.
fn record_limit(memory: &Memory<'_>, top: &Surveyed) -> Option<usize> {
    let header = top.structure.header?;
    let bytes = header.primitive_pointer_offset.checked_sub(header.geometry_info_offset)? as usize;
    let start = top.structure.box_base + u64::from(header.geometry_info_offset);
    memory.get(start, bytes).map(|records| records.len() / 64)
}

/// Slot by slot, depth first.
fn discovery_numbers(top: &Surveyed) -> Vec<u32> {
    let mut numbers = vec![0; top.instances.len()];
    let mut next = 0;
    let mut stack: Vec<Target> =
        if top.boxes.is_empty() { Vec::new() } else { vec![Target::Box(0)] };
    while let Some(target) = stack.pop() {
        match target {
            Target::Box(number) => {
                let children = &top.children[top.boxes[number as usize].children()];
                stack.extend(children.iter().rev().map(|child| child.target));
            }
            Target::Instance(number) => {
                numbers[number as usize] = next;
                next += 1;
            }
            Target::Leaf(_) => {}
        }
    }
    numbers
}

/// The placements of a top level in order. A number that no instance has gets a placement that
/// nothing can see.
pub(crate) fn placements(memory: &Memory<'_>, top: &Surveyed, numbers: &[u32]) -> Vec<Placement> {
    let has_sideband = sideband_numbers(memory, top).is_some();
    let count = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    let unseen = Placement {
        bottom: 0,
        world_to_object: Transform::IDENTITY,
        object_to_world: Transform::IDENTITY,
        mask: 0,
        custom_index: 0,
        flags: InstanceFlags::empty(),
    };
    let mut placements = vec![unseen; count];
    for (instance, &number) in top.instances.iter().zip(numbers) {
        let node = InstanceNode::decode(&top.node(memory, instance.pointer));
        let record = top
            .structure
            .sideband_of(instance.pointer)
            .filter(|_| has_sideband)
            .and_then(|address| memory.half_node(address))
            .map(|bits| GpurtSideband::decode(&bits));
        placements[number as usize] = Placement {
            bottom: instance.below.map_or(0, |below| below - 1),
            world_to_object: node.world_to_object,
            object_to_world: match record {
                Some(record) => record.object_to_world,
                None => node.world_to_object.inverse().unwrap_or(Transform::IDENTITY),
            },
            mask: node.mask,
            custom_index: record.map_or(node.user_data, |record| record.instance_id),
            flags: instance_flags(node.child_base.flags()),
        };
    }
    placements
}

/// The flags that a placement can have.
fn instance_flags(flags: PointerFlags) -> InstanceFlags {
    let pairs = [
        (PointerFlags::DISABLE_FACE_CULL, InstanceFlags::DISABLE_FACE_CULL),
        (PointerFlags::FLIP_FACING, InstanceFlags::FLIP_FACING),
        (PointerFlags::FORCE_OPAQUE, InstanceFlags::FORCE_OPAQUE),
        (PointerFlags::FORCE_NON_OPAQUE, InstanceFlags::FORCE_NON_OPAQUE),
    ];
    pairs
        .into_iter()
        .filter(|(pointer, _)| flags.contains(*pointer))
        .map(|(_, flag)| flag)
        .collect()
}
