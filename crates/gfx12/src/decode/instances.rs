//! The instances of a TLAS, and which of them an instance node shows.
//!
//! Where a GPURT header names sideband records, a record's instanceIndex is the number of the
//! instance, its instanceId the custom index, and its matrix the way back to the world. There are
//! as many instances as the header counts; one that no node shows cannot be hit. Two nodes may show
//! one instance, the first all but procedurals, the second all but triangles.
//!
//! Elsewhere, and when the records do not number the instances, these count in the order of
//! discovery: slot by slot, depth first; the custom index is the user data and the way back is the
//! rounded inverse.

use super::inverse::is_inverse;
use super::memory::Memory;
use super::survey::{Surveyed, Target};
use crate::layout::{GpurtSideband, InstanceNode, PointerFlags};
use geometry::{InstanceFlags, Transform};
use tree::Instance;

/// Which instance each record of an instance node shows.
#[derive(Debug)]
pub(crate) struct Numbering {
    /// The number of each instance record.
    pub(crate) numbers: Vec<u32>,
    /// How many instances there are.
    pub(crate) count: usize,
    /// How the sideband fails to number the instances, if there is a header and it does.
    pub(crate) fault: Option<SidebandFault>,
    /// The sideband record of each instance record; none where the sideband does not number them.
    pub(crate) sidebands: Vec<SidebandRecord>,
}

/// A sideband record and where it lies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SidebandRecord {
    pub(crate) address: u64,
    pub(crate) sideband: GpurtSideband,
}

/// Which record belongs to which instance node.
#[derive(Debug, Clone, Copy)]
enum SidebandOrder {
    /// As the nodes lie in memory: GPURT's.
    Memory,
    /// As the nodes are discovered, slot by slot, depth first: RADV's.
    Discovery,
}

/// What is wrong with the sideband.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SidebandFault {
    /// The list of pointers, which says how many instances there are, leaves the image.
    NoCount,
    /// There is no record for the instance at this position.
    NoRecord(usize),
    /// The number is not below the count.
    TooLarge(usize),
    /// Another instance has the number and is not the other half of the instance.
    Taken(usize),
}

/// Numbers the instances of a TLAS.
pub(crate) fn numbering(memory: &Memory<'_>, tlas: &Surveyed) -> Numbering {
    match by_sideband(memory, tlas) {
        Some(Ok(numbering)) => numbering,
        other => {
            let numbers = by_discovery(tlas);
            let count = numbers.len();
            let fault = other.and_then(Result::err);
            Numbering { numbers, count, fault, sidebands: Vec::new() }
        }
    }
}

/// The numbers that the sideband gives.
fn by_sideband(memory: &Memory<'_>, tlas: &Surveyed) -> Option<Result<Numbering, SidebandFault>> {
    let header = tlas.structure.header?;
    let list = tlas.structure.box_base + u64::from(header.primitive_pointer_offset);
    let count = header.primitive_count as usize;
    if count.checked_mul(4).and_then(|bytes| memory.get(list, bytes)).is_none() && count > 0 {
        return Some(Err(SidebandFault::NoCount));
    }
    let nodes: Vec<InstanceNode> = tlas
        .instances
        .iter()
        .map(|instance| InstanceNode::decode(&tlas.node(memory, instance.pointer)))
        .collect();
    let sidebands = match sidebands(memory, tlas, &nodes) {
        Ok(sidebands) => sidebands,
        Err(fault) => return Some(Err(fault)),
    };
    let mut shown: Vec<Option<InstanceNode>> = vec![None; count];
    for (position, (record, node)) in sidebands.iter().zip(&nodes).enumerate() {
        let Some(first) = shown.get_mut(record.sideband.instance_index as usize) else {
            return Some(Err(SidebandFault::TooLarge(position)));
        };
        if first.replace(*node).is_some_and(|first| !are_halves(&first, node)) {
            return Some(Err(SidebandFault::Taken(position)));
        }
    }
    let numbers = sidebands.iter().map(|record| record.sideband.instance_index).collect();
    Some(Ok(Numbering { numbers, count, fault: None, sidebands }))
}

/// The record of each instance, in the order in which all undo the transforms of their nodes.
fn sidebands(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    nodes: &[InstanceNode],
) -> Result<Vec<SidebandRecord>, SidebandFault> {
    let is_radv = tlas.structure.header.is_some_and(|header| header.version == RADV_VERSION);
    let mut orders = [SidebandOrder::Memory, SidebandOrder::Discovery];
    if is_radv {
        orders.reverse();
    }
    let agrees = |records: &[SidebandRecord]| {
        records.iter().zip(nodes).all(|(record, node)| {
            is_inverse(&node.world_to_object, &record.sideband.object_to_world)
        })
    };
    let first = records(memory, tlas, orders[0])?;
    if agrees(&first) {
        return Ok(first);
    }
    let second = records(memory, tlas, orders[1]).ok();
    Ok(second.filter(|second| agrees(second)).unwrap_or(first))
}

/// The driver interface version in RADV's headers.
const RADV_VERSION: u32 = 8 << 16;

/// The record of each instance in some order.
fn records(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    order: SidebandOrder,
) -> Result<Vec<SidebandRecord>, SidebandFault> {
    let addresses: Vec<Option<u64>> = match order {
        SidebandOrder::Memory => {
            let places = tlas.instances.iter();
            places.map(|instance| tlas.structure.sideband_of(instance.pointer)).collect()
        }
        SidebandOrder::Discovery => {
            let numbers = by_discovery(tlas).into_iter();
            numbers.map(|number| tlas.structure.sideband(u64::from(number))).collect()
        }
    };
    let record = |(position, address): (usize, Option<u64>)| {
        let bits = address.and_then(|address| Some((address, memory.half_node(address)?)));
        let (address, bits) = bits.ok_or(SidebandFault::NoRecord(position))?;
        Ok(SidebandRecord { address, sideband: GpurtSideband::decode(&bits) })
    };
    addresses.into_iter().enumerate().map(record).collect()
}

/// Whether two nodes show the two halves of one instance.
fn are_halves(a: &InstanceNode, b: &InstanceNode) -> bool {
    let bits = |node: &InstanceNode| node.world_to_object.rows.map(|row| row.map(f32::to_bits));
    let skipped = |node: &InstanceNode| node.child_base.flags() & SKIPS;
    let kept = |node: &InstanceNode| {
        node.child_base.flags().difference(SKIPS | PointerFlags::DISABLE_FACE_CULL)
    };
    let same = bits(a) == bits(b)
        && a.child_base.address() == b.child_base.address()
        && (a.mask, a.user_data, kept(a)) == (b.mask, b.user_data, kept(b));
    same && !skipped(a).intersects(skipped(b)) && (skipped(a) | skipped(b)) == SKIPS
}

const SKIPS: PointerFlags = PointerFlags::SKIP_TRIANGLES.union(PointerFlags::SKIP_PROCEDURAL);

/// Slot by slot, depth first.
fn by_discovery(tlas: &Surveyed) -> Vec<u32> {
    let mut numbers = vec![0; tlas.instances.len()];
    let mut next = 0;
    let mut stack: Vec<Target> = tlas.boxes.first().map(|_| Target::Box(0)).into_iter().collect();
    while let Some(target) = stack.pop() {
        match target {
            Target::Box(number) => {
                let children = &tlas.children[tlas.boxes[number as usize].children()];
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

/// The instances of a TLAS in order.
pub(crate) fn instances(memory: &Memory<'_>, tlas: &Surveyed) -> Vec<Instance> {
    let Numbering { numbers, count, sidebands, .. } = numbering(memory, tlas);
    let unseen = Instance {
        blas: 0,
        world_to_object: Transform::IDENTITY,
        object_to_world: Transform::IDENTITY,
        mask: 0,
        custom_index: 0,
        flags: InstanceFlags::empty(),
    };
    let mut instances = vec![unseen; count];
    let mut is_whole = vec![false; count];
    for (position, (instance, number)) in tlas.instances.iter().zip(numbers).enumerate() {
        let node = InstanceNode::decode(&tlas.node(memory, instance.pointer));
        let record = sidebands.get(position).map(|record| record.sideband);
        let way_back = record.map(|record| record.object_to_world);
        let flags = node.child_base.flags();
        // Face culling is the business of the half that has triangles.
        let decides = !flags.contains(PointerFlags::SKIP_TRIANGLES);
        if std::mem::replace(&mut is_whole[number as usize], true) && !decides {
            continue;
        }
        instances[number as usize] = Instance {
            blas: instance.below.map_or(0, |below| below - 1),
            world_to_object: node.world_to_object,
            object_to_world: match way_back {
                Some(back) if is_inverse(&node.world_to_object, &back) => back,
                _ => node.world_to_object.inverse().unwrap_or(Transform::IDENTITY),
            },
            mask: node.mask,
            custom_index: record.map_or(node.user_data, |record| record.instance_id),
            flags: match record {
                // Drivers switch face culling off where only procedurals are shown; what the
                // application wanted is in the record.
                Some(record) if !decides => {
                    instance_flags(flags).difference(InstanceFlags::DISABLE_FACE_CULL)
                        | InstanceFlags::from_bits_truncate(record.flags)
                            & InstanceFlags::DISABLE_FACE_CULL
                }
                _ => instance_flags(flags),
            },
        };
    }
    instances
}

/// The flags of a base pointer that an instance can have.
pub(crate) fn instance_flags(flags: PointerFlags) -> InstanceFlags {
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
