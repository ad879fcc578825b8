//! The instances of a TLAS, and which of them an instance node shows.
//!
//! Where a GPURT header names sideband records, a record's instanceIndex is the number of the
//! instance, its instanceId the custom index, and its matrix the way back to the world. RADV's
//! memory has the same behind each node, HIPRT's in the frames of its scene. There are as many
//! instances as the header counts; one that no node shows cannot be hit. Several nodes may show one
//! instance: some all but procedurals, others all but triangles; or each another part of its
//! structure.
//!
//! Elsewhere, and when the records do not number the instances, these count in the order of
//! discovery: slot by slot, depth first. The custom index and the way back then come from the 128
//! bytes that RADV puts behind a node, if their matrix undoes the node's transform; else the index
//! is 0 and the way back is the rounded inverse (G-41). The user data is the offset into the shader
//! binding table.

use super::is_inverse;
use crate::layout::{
    Bits, GpurtSideband, HalfNodeBits, HiprtFrame, HiprtHeader, HiprtInstance, InstanceNode,
    NODE_BYTES, NamedNode, NodePointer, PointerFlags, RadvInstanceData,
};
use crate::survey::{Header, InstanceRecord, Memory, Structure, Surveyed};
use bvh4::decode::instance::{Beside, UNSEEN, instance};
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
    /// Another instance has the number and is not another part of the instance.
    Taken(usize),
}

/// Numbers the instances of a TLAS.
pub(crate) fn numbering(memory: &Memory<'_>, tlas: &Surveyed) -> Numbering {
    match by_sideband(memory, tlas) {
        Some(Ok(numbering)) => numbering,
        other => {
            let numbers = tlas.discovery_order();
            let count = numbers.len();
            let fault = other.and_then(Result::err);
            Numbering { numbers, count, fault, sidebands: Vec::new() }
        }
    }
}

/// How many instances the header counts, as far as memory can hold their records.
fn instance_count(memory: &Memory<'_>, tlas: &Surveyed) -> Option<Result<usize, SidebandFault>> {
    let base = tlas.structure.box_base;
    let (list, count) = match tlas.structure.header? {
        // RADV's list is empty, and may be cut: the records before it count (G-44).
        Header::Gpurt(header) if tlas.structure.is_radv() => {
            (base + u64::from(header.geometry_info_offset), u64::from(header.primitive_count))
        }
        Header::Gpurt(header) => {
            let list = base + u64::from(header.primitive_pointer_offset);
            (list, u64::from(header.primitive_count))
        }
        // The table of leaves lies before the nodes.
        Header::Radv(header) => (base - u64::from(header.bvh_offset), header.primitive_count),
        Header::Hiprt(header) => {
            let scene = header.scene?;
            (scene.instances, u64::from(scene.primitive_count))
        }
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let is_there =
        count == 0 || count.checked_mul(4).and_then(|bytes| memory.get(list, bytes)).is_some();
    Some(is_there.then_some(count).ok_or(SidebandFault::NoCount))
}

/// The numbers that the sideband gives.
fn by_sideband(memory: &Memory<'_>, tlas: &Surveyed) -> Option<Result<Numbering, SidebandFault>> {
    let count = match instance_count(memory, tlas)? {
        Ok(count) => count,
        Err(fault) => return Some(Err(fault)),
    };
    let nodes: Vec<InstanceNode> = tlas
        .instances
        .iter()
        .map(|instance| InstanceNode::decode(&tlas.node(memory, instance.pointer)))
        .collect();
    let sidebands = match sidebands(memory, tlas, &nodes) {
        Ok(sidebands) => sidebands,
        Err(fault) => return Some(Err(fault)),
    };
    let mut shown: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (position, (record, node)) in sidebands.iter().zip(&nodes).enumerate() {
        let Some(others) = shown.get_mut(record.sideband.instance_index as usize) else {
            return Some(Err(SidebandFault::TooLarge(position)));
        };
        let mut others_shown = others.iter().map(|&other| &nodes[other]);
        let is_part = others_shown.all(|other| are_parts(memory, &tlas.structure, other, node));
        if !is_part || others.len() == MOST_PARTS {
            return Some(Err(SidebandFault::Taken(position)));
        }
        others.push(position);
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
    match tlas.structure.header {
        Some(Header::Radv(_)) => return driver_data(memory, tlas),
        Some(Header::Hiprt(header)) => return Ok(frames(memory, &header, nodes)),
        Some(Header::Gpurt(_)) | None => (),
    }
    let mut orders = [SidebandOrder::Memory, SidebandOrder::Discovery];
    if tlas.structure.is_radv() {
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

/// RADV's data behind the instance nodes, as sideband records.
fn driver_data(memory: &Memory<'_>, tlas: &Surveyed) -> Result<Vec<SidebandRecord>, SidebandFault> {
    let record = |(position, instance): (usize, &InstanceRecord)| {
        let address = tlas.structure.address_of(instance.pointer) + NODE_BYTES;
        let bits = memory.node(address).ok_or(SidebandFault::NoRecord(position))?;
        let RadvInstanceData { object_to_world, custom_index, instance_index, .. } =
            RadvInstanceData::decode(&bits);
        let sideband = GpurtSideband {
            instance_index,
            instance_id: custom_index & 0x00FF_FFFF,
            flags: 0,
            blas_metadata_size: 0,
            reserved: 0,
            object_to_world,
        };
        Ok(SidebandRecord { address, sideband })
    };
    tlas.instances.iter().enumerate().map(record).collect()
}

/// HIPRT's frames of the instances, as sideband records. Frames of another kind than the one with a
/// matrix say nothing: the way back is then the inverse.
fn frames(
    memory: &Memory<'_>,
    header: &HiprtHeader,
    nodes: &[InstanceNode],
) -> Vec<SidebandRecord> {
    let record = |node: &InstanceNode| {
        let found = frame_of(memory, header, node);
        let (address, frame) = found.unwrap_or((header.box_nodes, HiprtFrame::decode(&ZERO)));
        let back = node.world_to_object.inverse().unwrap_or(Transform::IDENTITY);
        let sideband = GpurtSideband {
            instance_index: node.user_data,
            instance_id: frame.custom_index & 0x00FF_FFFF,
            flags: frame.flags as u8,
            blas_metadata_size: 0,
            reserved: frame.sbt_offset,
            object_to_world: if found.is_some() { frame.object_to_world } else { back },
        };
        SidebandRecord { address, sideband }
    };
    nodes.iter().map(record).collect()
}

const ZERO: HalfNodeBits = HalfNodeBits::ZERO;

/// The frame of an instance node, if its matrix undoes the node's.
pub(crate) fn frame_of(
    memory: &Memory<'_>,
    header: &HiprtHeader,
    node: &InstanceNode,
) -> Option<(u64, HiprtFrame)> {
    let scene = header.scene?;
    let address = scene.instances.checked_add(16 * u64::from(node.user_data))?;
    let instance = HiprtInstance::decode(&Bits::from_bytes(memory.get(address, 16)?));
    let address = scene.frames.checked_add(64 * u64::from(instance.frame_index))?;
    let frame = HiprtFrame::decode(&memory.half_node(address)?);
    is_inverse(&node.world_to_object, &frame.object_to_world).then_some((address, frame))
}

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
            let numbers = tlas.discovery_order().into_iter();
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

/// Most nodes that show one instance.
const MOST_PARTS: usize = 32;

/// Whether two nodes show different parts of one instance: other kinds of primitives, or other
/// nodes of its structure.
fn are_parts(memory: &Memory<'_>, tlas: &Structure, a: &InstanceNode, b: &InstanceNode) -> bool {
    let bits = |node: &InstanceNode| node.world_to_object.rows.map(|row| row.map(f32::to_bits));
    let skipped = |node: &InstanceNode| node.child_base.flags() & SKIPS;
    let kept = |node: &InstanceNode| {
        node.child_base.flags().difference(SKIPS | PointerFlags::DISABLE_FACE_CULL)
    };
    let same = bits(a) == bits(b)
        && a.child_base.address() == b.child_base.address()
        && (a.mask, a.user_data, kept(a)) == (b.mask, b.user_data, kept(b));
    let naming = tlas.below(memory, a).naming();
    let is_in_b =
        |node: NamedNode| b.named_nodes(naming).any(|other| other.pointer == node.pointer);
    same && ((skipped(a) | skipped(b)) == SKIPS || !a.named_nodes(naming).any(is_in_b))
}

const SKIPS: PointerFlags = PointerFlags::SKIP_TRIANGLES.union(PointerFlags::SKIP_PROCEDURAL);

/// The instances of a TLAS in order.
pub(crate) fn instances(memory: &Memory<'_>, tlas: &Surveyed) -> Vec<Instance> {
    let Numbering { numbers, count, sidebands, .. } = numbering(memory, tlas);
    let mut instances = vec![UNSEEN; count];
    let mut is_whole = vec![false; count];
    for (position, (placed, number)) in tlas.instances.iter().zip(numbers).enumerate() {
        let node = InstanceNode::decode(&tlas.node(memory, placed.pointer));
        let record = sidebands.get(position).map(|record| &record.sideband);
        let beside = match record {
            Some(record) => Some(record.into()),
            None => beside_node(memory, tlas, placed.pointer, &node.world_to_object),
        };
        if let (true, Some(record)) = (tlas.structure.is_hiprt(), record) {
            let mask = tlas.structure.mask_of(&node);
            let user_data = record.reserved;
            let none = PointerFlags::empty();
            let shown = instance(node.world_to_object, mask, user_data, none, beside, placed.below);
            let flags = InstanceFlags::from_bits_truncate(record.flags);
            instances[number as usize] = Instance { flags, ..shown };
            continue;
        }
        let flags = node.child_base.flags();
        // Face culling is the business of the half that has triangles.
        let decides = !flags.contains(PointerFlags::SKIP_TRIANGLES);
        if std::mem::replace(&mut is_whole[number as usize], true) && !decides {
            continue;
        }
        let mut shown =
            instance(node.world_to_object, node.mask, node.user_data, flags, beside, placed.below);
        if let Some(record) = record.filter(|_| !decides) {
            // Drivers switch face culling off where only procedurals are shown; what the
            // application wanted is in the record.
            let wanted = InstanceFlags::from_bits_truncate(record.flags);
            let culling = InstanceFlags::DISABLE_FACE_CULL;
            shown.flags.set(culling, wanted.contains(culling));
        }
        instances[number as usize] = shown;
    }
    instances
}

impl From<&GpurtSideband> for Beside {
    fn from(record: &GpurtSideband) -> Self {
        Self { custom_index: record.instance_id, object_to_world: record.object_to_world }
    }
}

/// RADV's data behind an instance node, if they belong to it.
fn beside_node(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    pointer: NodePointer,
    world_to_object: &Transform,
) -> Option<Beside> {
    let address = tlas.structure.address_of(pointer) + NODE_BYTES;
    let RadvInstanceData { object_to_world, custom_index, .. } =
        RadvInstanceData::decode(&memory.node(address)?);
    let is_own = custom_index < 1 << 24 && is_inverse(world_to_object, &object_to_world);
    is_own.then_some(Beside { custom_index, object_to_world })
}
