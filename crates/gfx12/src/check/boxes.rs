//! Rules of box nodes: parents, slots, planes, and whether boxes contain what is below them, and
//! no more.

use super::contents::Contents;
use super::fit::{Outside, outside, slack};
use super::{Findings, Place, Rule};
use crate::decode::bounds::{union, widest_box};
use crate::encode::OPACITY;
use crate::layout::{BoxNode, ChildEntry, CullFlags, NodePointer};
use crate::obb;
use crate::survey::{
    BoxRecord, ChildRecord, Header, Memory, NO_BOX, Surveyed, Target, entry_bits, is_empty_slot,
};
pub(crate) use bvh4::image::box_text as text;
use bvh4::writer::Writer;
use geometry::Aabb;
use rayon::prelude::*;

/// Boxes in one task.
const CHUNK: usize = 1 << 10;

/// What the boxes of a structure are held against.
struct BoxExpectations<'a> {
    /// For each child, what is below it, and what of that it must contain.
    contents: [&'a [Contents]; 2],
    /// No box should reach beyond this.
    widest: Option<Aabb>,
    /// Whether boxes are fitted to what is below them.
    is_fitted: bool,
    /// Who wrote it, if that is known.
    writer: Option<Writer>,
    /// Whether it holds instances.
    is_top: bool,
    /// Whether it holds triangles.
    has_triangles: bool,
}

impl BoxExpectations<'_> {
    /// Whether the writer says nothing of what is below, or nothing is known of it.
    const fn is_silent(&self) -> bool {
        matches!(self.writer, None | Some(Writer::Own | Writer::Hiprt))
    }

    /// The flags that the writer sets where they are true; GPURT says nothing of instances.
    fn said_of(&self, target: Target) -> CullFlags {
        // RADV fills in the flags of leaves of triangles later (G-42).
        let is_late = matches!(target, Target::Leaf(_)) && self.has_triangles;
        match self.writer {
            Some(Writer::Gpurt) if !self.is_top => CullFlags::all(),
            Some(Writer::Radv | Writer::RadvFile) if !is_late => OPACITY,
            _ => CullFlags::empty(),
        }
    }
}

/// Checks all box nodes of a structure; `needed` is what of `contents` a child must contain.
pub(super) fn check(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    contents: &[Contents],
    needed: &[Contents],
    findings: &mut Findings,
) {
    let all = surveyed.boxes.first().map_or(0..0, BoxRecord::children);
    let has_triangles = contents[all.clone()].iter().any(Contents::has_triangles);
    let all = contents[all].iter().fold(Aabb::EMPTY, |all, child| union(all, child.bounds));
    // What cannot be reached for an error is missing from the whole.
    let is_whole = findings.is_sound();
    let is_top = !surveyed.instances.is_empty();
    // Boxes of instances are loose, and siliray's own encoder may leave a margin, as the header of
    // the structure then does; where there is none, most of the boxes.
    let is_exact = match surveyed.structure.header {
        Some(Header::Radv(header)) => {
            header.root_min == all.min.to_array() && header.root_max == all.max.to_array()
        }
        _ => false,
    };
    let is_radv = surveyed.structure.is_radv() && is_whole && !is_top;
    let expected = BoxExpectations {
        contents: [contents, needed],
        widest: widest_box(&all).filter(|_| is_whole),
        is_fitted: is_radv && (is_exact || is_mostly_tight(memory, surveyed, needed)),
        writer: surveyed.structure.writer(),
        is_top,
        has_triangles,
    };
    let chunks: Vec<Findings> = surveyed
        .boxes
        .par_chunks(CHUNK)
        .map(|records| {
            let mut findings = Findings::default();
            for record in records {
                check_box(memory, surveyed, record, &expected, &mut findings);
            }
            findings
        })
        .collect();
    chunks.into_iter().for_each(|chunk| findings.merge(chunk));
}

/// Whether at least half of the boxes touch what is below them.
fn is_mostly_tight(memory: &Memory<'_>, surveyed: &Surveyed, needed: &[Contents]) -> bool {
    let loose = surveyed.boxes.par_iter().with_min_len(CHUNK).map(|record| {
        let node = BoxNode::decode(&surveyed.node(memory, record.pointer));
        let is_loose = |position: &usize| {
            let slot = usize::from(surveyed.children[*position].slot());
            let bounds = &needed[*position].bounds;
            let (planes, codes) = (node.child_box(slot), &node.children[slot].max);
            slack(&node.frame, codes, &planes, bounds).is_some()
        };
        record.children().filter(is_loose).count()
    });
    2 * loose.sum::<usize>() <= surveyed.children.len()
}

fn check_box(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    record: &BoxRecord,
    expected: &BoxExpectations<'_>,
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
    let widest = expected.widest.as_ref().filter(|_| obb::rotation(index).is_none());
    check_count(&node, &place, findings);
    check_slots(&node, widest, &place, findings);
    for position in record.children() {
        check_child(&node, &surveyed.children[position], position, expected, &place, findings);
    }
}

/// Hardware reads three bits of the count, RADV four: 15 says that there is nothing.
fn check_count(node: &BoxNode, place: &Place<'_>, findings: &mut Findings) {
    let is_inert = node.children.iter().all(|entry| entry.mask == 0 || entry.is_inverted());
    if node.spare && !is_inert {
        let bits = BoxNode::child_count.bits().start..BoxNode::spare.bits().end;
        findings.add(Rule::ChildCount, place, bits, || {
            let count = node.child_count;
            (format!("{} children", count + 8), format!("{count}, or eight inert slots"))
        });
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
    position: usize,
    expected: &BoxExpectations<'_>,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let [contents, needed] = expected.contents.map(|contents| &contents[position]);
    let slots = (0..8u8).filter(|slot| child.slots >> slot & 1 == 1);
    let is_rotated = obb::rotation(node.obb_matrix_index).is_some();
    // Of several boxes, one that contains everything is enough; else the nearest counts.
    let nearest = |contents: &Contents| -> Option<(u8, Outside)> {
        let mut nearest: Option<(u8, Outside)> = None;
        for slot in slots.clone() {
            let planes = node.child_box(usize::from(slot));
            let found = outside(&node.frame, &planes, &contents.bounds)?;
            if nearest.is_none_or(|(_, other)| found.quanta < other.quanta) {
                nearest = Some((slot, found));
            }
        }
        nearest
    };
    // Boxes in a rotated frame are another file's.
    let found = if is_rotated { None } else { nearest(contents) };
    if let Some((slot, all)) = found {
        let lost = nearest(needed);
        let (slot, found) = lost.unwrap_or((slot, all));
        let (rule, weight) = match lost {
            None => (Rule::SharedPair, 0),
            Some(_) if found.is_ulp => (Rule::ContainedUlp, 0),
            Some(_) => (Rule::Contained, found.weight()),
        };
        findings.add_weighted(rule, weight, place, entry_bits(slot), || {
            let planes = node.child_box(usize::from(slot));
            let (bounds, far) = (text(&contents.bounds), found.text());
            let found = format!("slot {slot}: primitives in {bounds}, {far}");
            (found, format!("all of them inside {}", text(&planes)))
        });
    } else if expected.is_fitted && !is_rotated && child.slots.is_power_of_two() {
        check_slack(node, child.slot(), needed, place, findings);
    }
    for slot in slots {
        let entry = &node.children[usize::from(slot)];
        check_culling(slot, entry, contents, place, findings);
        check_missed(slot, entry, child.target, contents, expected, place, findings);
    }
}

fn check_slack(
    node: &BoxNode,
    slot: u8,
    needed: &Contents,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    let planes = node.child_box(usize::from(slot));
    let codes = &node.children[usize::from(slot)].max;
    if needed.bounds.is_empty() || !needed.bounds.is_finite() {
        return;
    }
    if let Some((quanta, axis)) = slack(&node.frame, codes, &planes, &needed.bounds) {
        let weight = (quanta * 1000.0) as u64;
        findings.add_weighted(Rule::Slack, weight, place, entry_bits(slot), || {
            let axis = ["x", "y", "z"][axis];
            let (planes, bounds) = (text(&planes), text(&needed.bounds));
            let found = format!("slot {slot}: {planes}, {quanta:.1} quanta too far on {axis}");
            (found, format!("faces within one quantum of {bounds}"))
        });
    }
}

/// Notes what could be said of a child, and is not.
fn check_missed(
    slot: u8,
    entry: &ChildEntry,
    target: Target,
    contents: &Contents,
    expected: &BoxExpectations<'_>,
    place: &Place<'_>,
    findings: &mut Findings,
) {
    if contents.bounds.is_empty() || expected.is_silent() {
        return;
    }
    let start = entry_bits(slot).start as usize;
    let said = entry.cull_flags | contents.untrue;
    let missed = expected.said_of(target).difference(said);
    if !missed.is_empty() {
        findings.add(Rule::MissedCulling, place, ChildEntry::cull_flags.bits_from(start), || {
            let names: Vec<&str> = missed.iter_names().map(|(name, _)| name).collect();
            (format!("slot {slot} without {}", names.join(", ")), "flags that are true".into())
        });
    }
    let unseen = entry.mask & !contents.mask;
    if unseen != 0 && expected.is_top {
        findings.add(Rule::MissedCulling, place, ChildEntry::mask.bits_from(start), || {
            let found = format!("slot {slot}: mask {:#04x}", entry.mask);
            (found, format!("{:#04x}, by which something below is seen", contents.mask))
        });
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
