//! Boxes and bounds that an update makes anew, and the primitives in them.
//!
//! A driver fits each box to the exact bounds of what is below, with its own rounding. Whether an
//! image is fitted in this way is seen in the image before, box by box: one with a margin, or that
//! a spatial split cut, is not, and then its check speaks alone.

use super::Rule;
use crate::Gfx12;
use crate::check::contents::{self, Contents};
use crate::check::fit::slack;
use crate::check::{box_text, held_ids};
use crate::decode::{Pairs, union};
use crate::encode::tables::root_bounds;
use crate::format::memory;
use crate::layout::{BoxNode, GpurtHeader, InstanceNode, NodePointer, RadvHeader};
use crate::obb;
use crate::quantize::{QuantizeError, QuantizedBoxes, quantize, quantize_radv};
use crate::survey::{BoxRecord, Header, Memory, Survey, Surveyed, entry_bits};
use bvh4::update::{is_asked, not_asked};
use geometry::Aabb;
use machine::{Checked, Findings};
use rayon::prelude::*;
use std::collections::HashSet;
use std::ops::Range;

/// Compares structure by structure.
pub(super) fn check(
    before: &Checked<Gfx12>,
    after: &Checked<Gfx12>,
    findings: &mut Findings<Rule>,
) {
    let [old_memory, new_memory] = [before, after].map(memory);
    let offsets = Memory::new(after.image());
    let [old, new] = [(before, &old_memory), (after, &new_memory)]
        .map(|(checked, memory)| Level::all(memory, checked.proof().survey()));
    for (old, new) in old.iter().zip(&new) {
        fits(old, new, &offsets, findings);
        if !new.is_top() {
            root(old, new, &offsets, findings);
        }
        active(old, new, &offsets, findings);
    }
}

/// One structure, with what is below each child.
struct Level<'a> {
    memory: &'a Memory<'a>,
    surveyed: &'a Surveyed,
    pairs: Pairs,
    contents: Vec<Contents>,
    all: Aabb,
}

/// A box that is not what the driver would make of its contents.
struct Misfit {
    pointer: NodePointer,
    bits: Range<u32>,
    found: String,
    expected: String,
}

impl<'a> Level<'a> {
    /// Those of an image: the TLAS over what the others hold.
    fn all(memory: &'a Memory<'a>, survey: &'a Survey) -> Vec<Self> {
        let Some((first, others)) = survey.structures.split_first() else { return Vec::new() };
        let below: Vec<Self> =
            others.iter().map(|it| Self::new(memory, it, |_| Contents::NOTHING)).collect();
        let of_instance = |number: u32| {
            let record = &first.instances[number as usize];
            let level = record.below.and_then(|it| below.get((it as usize).checked_sub(1)?));
            let node = InstanceNode::decode(&first.node(memory, record.pointer));
            let known = level.map(|level| level.all).filter(|all| !all.is_empty());
            let world = known.and_then(|all| node.world_to_object.preimage_bounds(&all).ok());
            Contents::within(world.unwrap_or(Aabb::EMPTY))
        };
        let top = Self::new(memory, first, of_instance);
        [top].into_iter().chain(below).collect()
    }

    fn new(
        memory: &'a Memory<'a>,
        surveyed: &'a Surveyed,
        of_instance: impl Fn(u32) -> Contents,
    ) -> Self {
        let pairs = Pairs::new(memory, surveyed);
        let leaves = contents::leaf_contents(memory, surveyed, &pairs);
        let contents = contents::contents(surveyed, &leaves, of_instance);
        let top = surveyed.boxes.first().map_or(0..0, BoxRecord::children);
        let all = contents[top].iter().fold(Aabb::EMPTY, |all, child| union(all, child.bounds));
        Self { memory, surveyed, pairs, contents, all }
    }

    fn is_top(&self) -> bool {
        !self.surveyed.instances.is_empty()
    }

    fn node(&self, record: &BoxRecord) -> BoxNode {
        BoxNode::decode(&self.surveyed.node(self.memory, record.pointer))
    }

    fn misfits(&self) -> Vec<Misfit> {
        self.surveyed.boxes.par_iter().filter_map(|record| self.misfit(record)).collect()
    }

    fn misfit(&self, record: &BoxRecord) -> Option<Misfit> {
        let node = self.node(record);
        let (slots, boxes) = self.slots(record, &node)?;
        let misfit =
            |bits, found, expected| Some(Misfit { pointer: record.pointer, bits, found, expected });
        if self.is_top() {
            // Drivers round the bounds of instances as they like, and some know tighter ones.
            return slots.iter().zip(&boxes).find_map(|(&slot, bounds)| {
                let planes = node.child_box(slot);
                let (quanta, _) = slack(&node.frame, &node.children[slot].max, &planes, bounds)?;
                let found = format!("slot {slot}: {}, {quanta:.1} quanta off", box_text(&planes));
                misfit(entry_bits(slot as u8), found, format!("within {}", box_text(bounds)))
            });
        }
        let Ok(expected) = self.quantize(&boxes) else { return None };
        if expected.frame != node.frame {
            let text = |frame| format!("{frame:?}");
            return misfit(BoxNode::frame.bits(), text(node.frame), text(expected.frame));
        }
        for (&slot, codes) in slots.iter().zip(&expected.codes) {
            let child = &node.children[slot];
            if (child.min, child.max) != (codes.min, codes.max) {
                let text = |min, max| format!("slot {slot}: codes {min:?} to {max:?}");
                let (found, wanted) = (text(child.min, child.max), text(codes.min, codes.max));
                return misfit(entry_bits(slot as u8), found, wanted);
            }
        }
        None
    }

    /// The slots of a box, and the exact bounds of what they lead to; `None` where a driver's
    /// update would not have made them.
    fn slots(&self, record: &BoxRecord, node: &BoxNode) -> Option<(Vec<usize>, Vec<Aabb>)> {
        if obb::rotation(node.obb_matrix_index).is_some() {
            return None;
        }
        let (mut slots, mut boxes) = (Vec::new(), Vec::new());
        for position in record.children() {
            let child = &self.surveyed.children[position];
            let bounds = self.contents[position].bounds;
            if bounds.is_empty() {
                continue; // it keeps its planes
            }
            if !child.slots.is_power_of_two() || !bounds.is_finite() {
                return None;
            }
            slots.push(usize::from(child.slot()));
            boxes.push(bounds);
        }
        (!boxes.is_empty()).then_some((slots, boxes))
    }

    fn quantize(&self, boxes: &[Aabb]) -> Result<QuantizedBoxes, QuantizeError> {
        if self.surveyed.structure.is_radv() { quantize_radv(boxes) } else { quantize(boxes) }
    }

    /// The bounds in the header, their bits, and what they should be.
    fn root(&self) -> Option<(Aabb, Range<u32>, Aabb)> {
        let (min, max, bits, expected) = match self.surveyed.structure.header? {
            Header::Radv(header) => {
                let bits = RadvHeader::root_min.bits().start..RadvHeader::root_max.bits().end;
                (header.root_min, header.root_max, bits, self.all)
            }
            Header::Gpurt(header) if !self.surveyed.structure.is_radv() => {
                let bits = GpurtHeader::root_min.bits().start..GpurtHeader::root_max.bits().end;
                let root = self.node(self.surveyed.boxes.first()?);
                (header.root_min, header.root_max, bits, root_bounds(&root))
            }
            Header::Gpurt(_) | Header::Hiprt(_) => return None,
        };
        Some((Aabb::new(min.into(), max.into()), bits, expected))
    }

    fn has_true_root(&self) -> bool {
        self.root().is_some_and(|(found, _, expected)| {
            found == expected || expected.is_empty() && found.min.is_nan() && found.max.is_nan()
        })
    }

    fn header_address(&self) -> u64 {
        let base = self.surveyed.structure.box_base;
        match self.surveyed.structure.header {
            Some(Header::Radv(header)) => base - u64::from(header.bvh_offset),
            _ => base,
        }
    }
}

fn fits(old: &Level<'_>, new: &Level<'_>, offsets: &Memory<'_>, findings: &mut Findings<Rule>) {
    let unfit: HashSet<NodePointer> = old.misfits().iter().map(|misfit| misfit.pointer).collect();
    let base = new.surveyed.structure.box_base;
    if !is_asked(unfit.len(), old.surveyed.boxes.len(), base, offsets, findings) {
        return;
    }
    let asked = new.misfits().into_iter().filter(|misfit| !unfit.contains(&misfit.pointer));
    for Misfit { pointer, bits, found, expected } in asked {
        let address = new.surveyed.structure.address_of(pointer);
        let place = format!("box {pointer}");
        findings.add(Rule::Fit, offsets.offset_of(address), bits, place, found, expected);
    }
}

fn root(old: &Level<'_>, new: &Level<'_>, offsets: &Memory<'_>, findings: &mut Findings<Rule>) {
    if new.has_true_root() {
        return;
    }
    if old.root().is_some() && !old.has_true_root() {
        return not_asked(Rule::Root, new.surveyed.structure.box_base, offsets, findings);
    }
    let Some((found, bits, expected)) = new.root() else { return };
    let address = new.header_address();
    let place = format!("header of the structure at address {address:#x}");
    let expected = if expected.is_empty() { "NaN".to_owned() } else { box_text(&expected) };
    findings.add(Rule::Root, offsets.offset_of(address), bits, place, box_text(&found), expected);
}

fn active(old: &Level<'_>, new: &Level<'_>, offsets: &Memory<'_>, findings: &mut Findings<Rule>) {
    let base = offsets.offset_of(new.surveyed.structure.box_base);
    let [before, after] = [old, new].map(|level| {
        let mut ids = held_ids(level.memory, level.surveyed, &level.pairs);
        ids.dedup();
        ids
    });
    let place = || format!("the structure at address {:#x}", new.surveyed.structure.box_base);
    let name = |id: u64| format!("geometry {}, primitive {}", id >> 32, id as u32);
    for &id in before.iter().filter(|id| after.binary_search(id).is_err()) {
        findings.add(Rule::Active, base, 0..0, place(), "no such primitive", name(id));
    }
    for &id in after.iter().filter(|id| before.binary_search(id).is_err()) {
        findings.add(Rule::Active, base, 0..0, place(), name(id), "no such primitive");
    }
    for record in &new.surveyed.boxes {
        let node = new.node(record);
        for position in record.children() {
            let slot = new.surveyed.children[position].slot();
            let planes = node.child_box(usize::from(slot));
            if planes.is_finite() || planes.is_empty() {
                continue;
            }
            let address = new.surveyed.structure.address_of(record.pointer);
            let (offset, place) = (offsets.offset_of(address), format!("box {}", record.pointer));
            let (found, expected) = (box_text(&planes), "a box that is finite or inverted");
            findings.add(Rule::Active, offset, entry_bits(slot), place, found, expected);
        }
    }
}
