//! Rules of instance nodes, and what their structures look like from the TLAS.

use super::below::Below;
use super::boxes::text;
use super::contents::Contents;
use super::{Findings, Place, Rule, extent};
use crate::decode::{Numbering, SidebandFault, SidebandRecord, is_inverse, numbering};
use crate::layout::base_pointer::flag_bits;
use crate::layout::{
    ChildEntry, CullFlags, GpurtSideband, InstanceNode, NODE_BYTES, NamedNode, NodePointer,
    PointerFlags, RadvInstanceData,
};
use crate::survey::{Header, InstanceRecord, Memory, NO_BOX, Structure, Survey, Surveyed};
use bvh4::decode::instance::instance_flags;
use geometry::{Aabb, InstanceFlags};
use std::ops::Range;

/// Contents of an instance, in world space, as a ray of the TLAS meets it.
pub(super) fn contents(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    number: u32,
    below: &[Below],
) -> Contents {
    let record = &tlas.instances[number as usize];
    let Some(number) = record.below else { return Contents::NOTHING };
    let node = InstanceNode::decode(&tlas.node(memory, record.pointer));
    let all = below[number as usize - 1].shown(&node);
    let bounds = node.world_to_object.preimage_bounds(&all.bounds);
    let bounds = if all.bounds.is_empty() { Aabb::EMPTY } else { bounds.unwrap_or(Aabb::EMPTY) };
    let flags = node.child_base.flags();
    let mut untrue = all.untrue;
    let opacities = CullFlags::ONLY_OPAQUE | CullFlags::ONLY_NON_OPAQUE;
    if flags.contains(PointerFlags::FORCE_OPAQUE) {
        untrue = untrue.difference(opacities) | CullFlags::ONLY_NON_OPAQUE;
    } else if flags.contains(PointerFlags::FORCE_NON_OPAQUE) {
        untrue = untrue.difference(opacities) | CullFlags::ONLY_OPAQUE;
    }
    let mask = if all.bounds.is_empty() { 0 } else { tlas.structure.mask_of(&node) };
    Contents { bounds, untrue, mask, height: 0 }
}

/// Checks all instances of a TLAS.
pub(super) fn check(
    memory: &Memory<'_>,
    survey: &Survey,
    below: &[Below],
    findings: &mut Findings,
) {
    let tlas = &survey.structures[0];
    let numbering = numbering(memory, tlas);
    if let Some(fault) = numbering.fault {
        report_fault(memory, tlas, fault, findings);
    }
    extent::check_instances(memory, tlas, &numbering, findings);
    let shown = shown(memory, tlas, below, &numbering);
    for (record, &number) in tlas.instances.iter().zip(&numbering.numbers) {
        let node = InstanceNode::decode(&tlas.node(memory, record.pointer));
        let name = || format!("instance {}", record.pointer);
        let address = tlas.structure.address_of(record.pointer);
        let place = Place { memory, address, name: &name };
        check_links(survey, record, &node, &place, findings);
        let shown = &shown[number as usize];
        let mut all = Contents::NOTHING;
        if let Some(below) = record.below.map(|number| &below[number as usize - 1]) {
            check_names(&node, below, &place, findings);
            check_boxes(&node, below, &place, findings);
            check_part(shown, below, &place, findings);
            all = below.all;
        }
        check_flags(&node, shown.skipped, &all, &place, findings);
    }
    for (instance, record) in tlas.instances.iter().zip(&numbering.sidebands) {
        check_sideband(memory, tlas, instance.pointer, record, findings);
        check_kept(memory, survey, instance, record, findings);
    }
    check_order(memory, tlas, &numbering, findings);
}

/// The viewer looks for records in the order of the nodes, whatever wrote them.
fn check_order(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    numbering: &Numbering,
    findings: &mut Findings,
) {
    if tlas.structure.gpurt().is_none() {
        return;
    }
    let places = tlas.instances.iter().map(|i| (i.pointer, tlas.structure.sideband_of(i.pointer)));
    let mut moved = places
        .zip(&numbering.sidebands)
        .filter(|((_, place), record)| *place != Some(record.address));
    if let Some(((pointer, _), record)) = moved.next() {
        let name = || format!("sideband of instance {pointer}");
        let place = Place { memory, address: record.address, name: &name };
        findings.add(Rule::SidebandOrder, &place, 0..512, || {
            let found = format!("{} records in the order of discovery", 1 + moved.count());
            (found, "the order in which the nodes lie".into())
        });
    }
}

/// Transform, parent and structure.
fn check_links(
    survey: &Survey,
    record: &InstanceRecord,
    node: &InstanceNode,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    if let Err(singular) = node.world_to_object.inverse() {
        findings.add(Rule::Transform, place, InstanceNode::world_to_object.bits(), || {
            (singular.to_string(), "a finite transform that has an inverse".into())
        });
    }
    let parent = match record.parent {
        NO_BOX => NodePointer::INVALID,
        parent => survey.structures[0].boxes[parent as usize].pointer,
    };
    // HIPRT keeps the mask there.
    if node.parent != parent && !survey.structures[0].structure.is_hiprt() {
        findings.add(Rule::Parent, place, InstanceNode::parent.bits(), || {
            (format!("parent {}", node.parent), format!("{parent}"))
        });
    }
    // HIPRT has the address itself there.
    let is_hiprt = survey.structures[0].structure.is_hiprt();
    if !is_hiprt && node.child_base.0 & 7 != 0 {
        findings.add(Rule::InstanceBase, place, InstanceNode::child_base.bits(), || {
            let found = format!("a child base with the low bits {}", node.child_base.0 & 7);
            (found, "the address of a structure, a multiple of 64".into())
        });
    }
    if record.below.is_none() {
        findings.add(Rule::InstanceBase, place, InstanceNode::child_base.bits(), || {
            let found = format!("child base {:#x}", node.child_base.address());
            (found, "the address of a structure in the image".into())
        });
    }
    if let (Some(Header::Radv(_)), Some(below)) =
        (survey.structures[0].structure.header, record.below)
    {
        check_driver_data(
            survey.structures[below as usize].structure.header,
            node,
            place,
            findings,
        );
    }
}

/// What RADV keeps of a structure behind the node of its instance, and finds through it.
fn check_driver_data(
    below: Option<Header>,
    node: &InstanceNode,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let Some(Header::Radv(header)) = below else {
        return findings.add(Rule::DriverHeader, place, InstanceNode::child_base.bits(), || {
            let found = format!("a structure at {:#x} without a header", node.child_base.address());
            (found, "RADV's header, whose sizes fit together, before its nodes".into())
        });
    };
    let behind = place.memory.node(place.address + NODE_BYTES);
    let Some(data) = behind.map(|bits| RadvInstanceData::decode(&bits)) else { return };
    let kept = [
        (RadvInstanceData::bvh_offset.bits(), data.bvh_offset, header.bvh_offset),
        (
            RadvInstanceData::leaf_node_offsets_offset.bits(),
            data.leaf_node_offsets_offset,
            header.leaf_node_offsets_offset,
        ),
    ];
    let name = || format!("what is kept behind {}", (place.name)());
    let behind = Place { memory: place.memory, address: place.address + NODE_BYTES, name: &name };
    for (bits, found, expected) in kept.into_iter().filter(|(_, is, wanted)| is != wanted) {
        findings.add(Rule::DriverHeader, &behind, bits, || {
            (format!("{found:#x}"), format!("{expected:#x}, as the structure's header has it"))
        });
    }
}

/// The boxes name nodes that the root leads to, each by one way only.
fn check_names(node: &InstanceNode, below: &Below, place: &Place<'_>, findings: &mut Findings) {
    let named: Vec<NodePointer> = below.named(node).map(|(named, _)| named.pointer).collect();
    for (NamedNode { slots, pointer }, found) in below.named(node) {
        let above = found.and_then(|node| node.above.iter().find(|above| named.contains(above)));
        let expected = match (found, above) {
            (None, _) => format!("a node that the root {} leads to", below.root()),
            (Some(_), Some(above)) => format!("no node below {above}, which is named too"),
            (Some(_), None) => continue,
        };
        let start = InstanceNode::children.element(slots.trailing_zeros() as usize).start;
        let bits = ChildEntry::node_type.bits_from(start).start
            ..ChildEntry::range_length.bits_from(start).end;
        findings.add(Rule::InstanceRoot, place, bits, || {
            (format!("box {} names {pointer}", slots.trailing_zeros()), expected)
        });
    }
}

/// Each child of a named node lies in one of the boxes that name it.
fn check_boxes(node: &InstanceNode, below: &Below, place: &Place<'_>, findings: &mut Findings) {
    let boxes: Vec<Aabb> =
        (0..node.used_children().len()).map(|slot| node.child_box(slot)).collect();
    if boxes.iter().any(|planes| !planes.is_finite()) {
        findings.add(Rule::PlaneFinite, place, embedded_bits(), || {
            ("embedded boxes with a plane that is not finite".into(), "finite planes".into())
        });
    }
    let outside = below.named(node).find_map(|(named, found)| {
        let is_outside = |child: &&Aabb| {
            let own = (0..boxes.len()).filter(|slot| named.slots >> slot & 1 == 1);
            !own.map(|slot| &boxes[slot]).any(|planes| planes.contains(child))
        };
        found?.children.iter().find(is_outside)
    });
    if let Some(child) = outside {
        findings.add(Rule::InstanceBox, place, embedded_bits(), || {
            let found = format!("primitives in {} outside the embedded boxes", text(child));
            (found, "one box that contains them".into())
        });
    }
}

/// All that the structure holds can be reached through one of the instance's nodes (G-39).
fn check_part(shown: &Shown, below: &Below, place: &Place<'_>, findings: &mut Findings) {
    let held = [below.all.has_triangles(), below.all.has_procedurals()];
    for ((leaves, flag), is_held) in shown.leaves.into_iter().zip(SKIPS).zip(held) {
        if is_held && leaves < below.leaves && !shown.skipped.contains(flag) {
            return findings.add(Rule::InstancePart, place, embedded_bits(), || {
                (format!("{leaves} ranges"), format!("all {} of the structure", below.leaves))
            });
        }
    }
}

/// The bits of the embedded boxes, their grid included.
const fn embedded_bits() -> Range<u32> {
    InstanceNode::frame.bits().start..InstanceNode::children.bits().end
}

/// What the nodes of an instance show together.
#[derive(Debug, Clone, Copy)]
struct Shown {
    /// What all of them skip.
    skipped: PointerFlags,
    /// Ranges below what they name: of those that show triangles, of those that show procedurals.
    leaves: [usize; 2],
}

const SKIPS: [PointerFlags; 2] = [PointerFlags::SKIP_TRIANGLES, PointerFlags::SKIP_PROCEDURAL];

/// For each instance, what its nodes show.
fn shown(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    below: &[Below],
    numbering: &Numbering,
) -> Vec<Shown> {
    let nothing = Shown { skipped: PointerFlags::all(), leaves: [0; 2] };
    let mut shown = vec![nothing; numbering.count];
    for (record, &number) in tlas.instances.iter().zip(&numbering.numbers) {
        let node = InstanceNode::decode(&tlas.node(memory, record.pointer));
        let Shown { skipped, leaves } = &mut shown[number as usize];
        *skipped &= node.child_base.flags();
        let Some(below) = record.below.map(|number| &below[number as usize - 1]) else { continue };
        let named: usize = below.named(&node).filter_map(|(_, found)| Some(found?.leaves)).sum();
        for (leaves, flag) in leaves.iter_mut().zip(SKIPS) {
            *leaves += if node.child_base.flags().contains(flag) { 0 } else { named };
        }
    }
    shown
}

fn check_flags(
    node: &InstanceNode,
    skipped: PointerFlags,
    all: &Contents,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let culls = PointerFlags::CULL_BACK_FACING
        | PointerFlags::CULL_FRONT_FACING
        | PointerFlags::CULL_OPAQUE
        | PointerFlags::CULL_NON_OPAQUE;
    let mut hiding = node.child_base.flags() & culls;
    for (flag, is_there) in SKIPS.into_iter().zip([all.has_triangles(), all.has_procedurals()]) {
        hiding.set(flag, is_there && skipped.contains(flag));
    }
    if !hiding.is_empty() {
        findings.add(Rule::InstanceFlags, place, flag_bits(&InstanceNode::child_base), || {
            let names: Vec<&str> = hiding.iter_names().map(|(name, _)| name).collect();
            (names.join(", "), "no flag that hides what the structure holds".into())
        });
    }
}

fn report_fault(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    fault: SidebandFault,
    findings: &mut Findings,
) {
    let (found, position) = match fault {
        SidebandFault::NoCount => ("a list of node pointers that leaves the image", None),
        SidebandFault::NoRecord(position) => ("no sideband record", Some(position)),
        SidebandFault::TooLarge(position) => {
            ("an instance index that is not below the count", Some(position))
        }
        SidebandFault::Taken(position) => {
            ("an instance index that another node has", Some(position))
        }
    };
    let instance = position.map(|position| &tlas.instances[position]);
    let record = instance.and_then(|instance| match tlas.structure.gpurt() {
        Some(_) => tlas.structure.sideband_of(instance.pointer),
        None => Some(tlas.structure.address_of(instance.pointer) + NODE_BYTES),
    });
    let name =
        || instance.map_or("header".into(), |i| format!("sideband of instance {}", i.pointer));
    let address = record.unwrap_or(tlas.structure.box_base);
    findings.add(Rule::Sideband, &Place { memory, address, name: &name }, 0..32, || {
        (found.into(), "records that number the instances".into())
    });
}

/// What GPURT keeps of an instance is what the hardware reads, and what its structure says of
/// itself. RADV's exporter keeps no flags.
fn check_kept(
    memory: &Memory<'_>,
    survey: &Survey,
    instance: &InstanceRecord,
    record: &SidebandRecord,
    findings: &mut Findings,
) {
    let tlas = &survey.structures[0].structure;
    if tlas.gpurt().is_none() || tlas.is_radv() {
        return;
    }
    let SidebandRecord { address, sideband } = *record;
    let name = || format!("sideband of instance {}", instance.pointer);
    let place = Place { memory, address, name: &name };
    let node = InstanceNode::decode(&survey.structures[0].node(memory, instance.pointer));
    let [acts, kept] =
        [instance_flags(node.child_base.flags()), InstanceFlags::from_bits_retain(sideband.flags)];
    // Drivers switch face culling off over procedurals.
    if acts != kept | acts & InstanceFlags::DISABLE_FACE_CULL {
        findings.add(Rule::Sideband, &place, GpurtSideband::flags.bits(), || {
            (format!("{kept:?}"), format!("{acts:?}, as the node's base pointer has them"))
        });
    }
    let below = record_of(survey, instance).and_then(|it| it.gpurt()).map(|it| it.metadata_size);
    if let Some(expected) = below.filter(|&bytes| bytes != sideband.blas_metadata_size) {
        findings.add(Rule::Sideband, &place, GpurtSideband::blas_metadata_size.bits(), || {
            let found = format!("{:#x} bytes of metadata", sideband.blas_metadata_size);
            (found, format!("{expected:#x}, as the structure says"))
        });
    }
}

/// The structure that an instance places.
fn record_of<'a>(survey: &'a Survey, instance: &InstanceRecord) -> Option<&'a Structure> {
    Some(&survey.structures.get(instance.below? as usize)?.structure)
}

fn check_sideband(
    memory: &Memory<'_>,
    tlas: &Surveyed,
    pointer: NodePointer,
    record: &SidebandRecord,
    findings: &mut Findings,
) {
    let node = InstanceNode::decode(&tlas.node(memory, pointer));
    let name = || format!("sideband of instance {pointer}");
    let place = Place { memory, address: record.address, name: &name };
    let back = &record.sideband.object_to_world;
    // A transform without an inverse breaks a rule of its own.
    if node.world_to_object.inverse().is_ok() && !is_inverse(&node.world_to_object, back) {
        let bits = match tlas.structure.gpurt() {
            Some(_) => GpurtSideband::object_to_world.bits(),
            None => RadvInstanceData::object_to_world.bits(),
        };
        findings.add(Rule::Sideband, &place, bits, || {
            (format!("{:?}", back.rows), "the inverse of the node's transform".into())
        });
    }
}
