//! Rules of box nodes: parents, slots, planes, and whether boxes contain what is below them.

use super::contents::Contents;
use super::{Findings, Place, Rule};
use crate::decode::bounds::{union, widest_box};
use crate::layout::{BoxNode, ChildEntry, CullFlags, NodePointer};
use crate::obb;
use crate::survey::{BoxRecord, ChildRecord, Memory, NO_BOX, Surveyed, entry_bits, is_empty_slot};
use geometry::Aabb;
use rayon::prelude::*;

/// Boxes in one task.
const CHUNK: usize = 1 << 10;

/// Checks all box nodes of a structure.
pub(super) fn check(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    contents: &[Contents],
    needed: &[Contents],
    findings: &mut Findings,
) {
    let all = surveyed.boxes.first().map_or(0..0, BoxRecord::children);
    let all = contents[all].iter().fold(Aabb::EMPTY, |all, child| union(all, child.bounds));
    // What cannot be reached for an error is missing from the whole.
    let widest = widest_box(&all).filter(|_| findings.is_sound());
    let chunks: Vec<Findings> = surveyed
        .boxes
        .par_chunks(CHUNK)
        .map(|records| {
            let mut findings = Findings::default();
            for record in records {
                check_box(
                    memory,
                    surveyed,
                    record,
                    [contents, needed],
                    widest.as_ref(),
                    &mut findings,
                );
            }
            findings
        })
        .collect();
    chunks.into_iter().for_each(|chunk| findings.merge(chunk));
}

fn check_box(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    record: &BoxRecord,
    contents: [&[Contents]; 2],
    widest: Option<&Aabb>,
    findings: &mut Findings,
) {
    let node = BoxNode::decode(&surveyed.node(memory, record.pointer));
    let name = || format!("box {}", record.pointer);
    let address = surveyed.structure.address_of(record.pointer);
    let place = Place { memory, address, name: &name };
    check_parent(surveyed, record, &node, &place, findings);
    let index = node.obb_matrix_index;
    if index != BoxNode::NO_ROTATION && usize::from(index) >= obb::ROTATION_COUNT {
        findings.add(Rule::ObbIndex, &place, BoxNode::obb_matrix_index.bits(), || {
            (format!("rotation {index}"), "0..=103 or 127".into())
        });
    }
    // Boxes in a rotated frame are not those of the tree.
    let widest = widest.filter(|_| obb::rotation(index).is_none());
    check_slots(&node, widest, &place, findings);
    for position in record.children() {
        let [contents, needed] = contents.map(|contents| &contents[position]);
        check_child(&node, &surveyed.children[position], contents, needed, &place, findings);
    }
}

fn check_parent(
    surveyed: &Surveyed,
    record: &BoxRecord,
    node: &BoxNode,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let is_hiprt = surveyed.structure.is_hiprt();
    let parent = match record.parent {
        NO_BOX => NodePointer::INVALID,
        // HIPRT has the number of the node (G-45).
        parent if is_hiprt => NodePointer(surveyed.boxes[parent as usize].pointer.0 >> 4),
        parent => surveyed.boxes[parent as usize].pointer,
    };
    if node.parent != parent {
        findings.add(Rule::Parent, place, BoxNode::parent.bits(), || {
            (format!("parent {}", node.parent), format!("{parent}"))
        });
    }
    // RADV and HIPRT leave the slot out (G-42).
    let is_known = record.parent != NO_BOX && !surveyed.structure.is_radv() && !is_hiprt;
    if is_known && node.index_in_parent != record.slot {
        findings.add(Rule::IndexInParent, place, BoxNode::index_in_parent.bits(), || {
            (format!("slot {}", node.index_in_parent), format!("slot {}", record.slot))
        });
    }
}

/// Slots beyond the count must be inert, planes of slots in use finite and not far away.
fn check_slots(node: &BoxNode, widest: Option<&Aabb>, place: &Place<'_>, findings: &mut Findings) {
    for (slot, entry) in (0u8..).zip(&node.children) {
        let bits = entry_bits(slot);
        if slot >= node.child_count {
            if entry.mask != 0 && !entry.is_inverted() {
                findings.add(Rule::UnusedSlot, place, bits, || {
                    let found = format!("slot {slot} with mask {:#04x} and a box", entry.mask);
                    (found, "mask 0 or an inverted box".into())
                });
            }
        } else if !is_empty_slot(entry) {
            let planes = node.child_box(usize::from(slot));
            if !planes.is_finite() {
                findings.add(Rule::PlaneFinite, place, bits, || {
                    (format!("slot {slot}: {}", text(&planes)), "finite planes".into())
                });
            } else if let Some(widest) = widest.filter(|widest| !widest.contains(&planes)) {
                findings.add(Rule::LooseBox, place, bits, || {
                    (format!("slot {slot}: {}", text(&planes)), format!("within {}", text(widest)))
                });
            }
        }
    }
}

fn check_child(
    node: &BoxNode,
    child: &ChildRecord,
    contents: &Contents,
    needed: &Contents,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let slots = (0..8u8).filter(|slot| child.slots >> slot & 1 == 1);
    let is_rotated = obb::rotation(node.obb_matrix_index).is_some();
    let is_inside = |contents: &Contents| {
        let holds = |slot: u8| node.child_box(usize::from(slot)).contains(&contents.bounds);
        slots.clone().any(holds)
    };
    if !is_rotated && !is_inside(contents) {
        let slot = child.slots.trailing_zeros() as u8;
        let rule = if is_inside(needed) { Rule::SharedPair } else { Rule::Contained };
        findings.add(rule, place, entry_bits(slot), || {
            let planes = node.child_box(usize::from(slot));
            let found = format!("slot {slot}: primitives in {}", text(&contents.bounds));
            (found, format!("all of them inside {}", text(&planes)))
        });
    }
    for slot in slots {
        let entry = &node.children[usize::from(slot)];
        check_culling(slot, entry, contents, place, findings);
    }
}

fn check_culling(
    slot: u8,
    entry: &ChildEntry,
    contents: &Contents,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let start = entry_bits(slot).start as usize;
    let untrue: CullFlags = entry.cull_flags & contents.untrue;
    if !untrue.is_empty() {
        findings.add(Rule::CullFlags, place, ChildEntry::cull_flags.bits_from(start), || {
            let names: Vec<&str> = untrue.iter_names().map(|(name, _)| name).collect();
            (format!("slot {slot}: {}", names.join(", ")), "flags that are true below".into())
        });
    }
    let hidden = contents.mask & !entry.mask;
    if hidden != 0 {
        findings.add(Rule::Mask, place, ChildEntry::mask.bits_from(start), || {
            let found = format!("slot {slot}: mask {:#04x}", entry.mask);
            (found, format!("bits {:#04x}, by which something below is seen", contents.mask))
        });
    }
}

/// A box in words.
pub(crate) fn text(bounds: &Aabb) -> String {
    let Aabb { min, max } = bounds;
    format!("[{:?}, {:?}, {:?}]..[{:?}, {:?}, {:?}]", min.x, min.y, min.z, max.x, max.y, max.z)
}
