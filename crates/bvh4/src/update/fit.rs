//! Boxes and bounds that an update makes anew, and the primitives in them.
//!
//! A driver fits each box to the exact bounds of what is below. Whether an image is fitted in this
//! way is seen in the image before, box by box: one with a margin, or that a spatial split cut, is
//! not, and then its check speaks alone.

use super::{Pair, Rule, is_asked, not_asked, refit};
use crate::image::{Dialect, box_text};
use crate::layout::Bvh4Pointer;
use crate::survey::{Memory, Survey, Surveyed};
use geometry::{Aabb, Vec3};
use machine::source::Geometry;
use machine::{Findings, Image};
use std::collections::HashSet;
use tree::{PrimitiveId, Tree};

/// A checked image.
pub(super) struct Level<'a, D: Dialect> {
    pub(super) image: &'a Image,
    pub(super) survey: &'a Survey<D>,
    pub(super) tree: &'a Tree,
}

/// Compares structure by structure.
pub(super) fn check<D: Dialect>(
    pair: &Pair<'_>,
    old: &Level<'_, D>,
    new: &Level<'_, D>,
    findings: &mut Findings<Rule>,
) {
    let fitted = [old.fitted(), new.fitted()];
    let memories = fitted.each_ref().map(|image| image.as_ref().map(Memory::new));
    for (before, after) in old.survey.structures.iter().zip(&new.survey.structures) {
        if let [Some(was), Some(is)] = &memories {
            boxes(pair, [was, is], before, after, findings);
            if before.instances.is_empty() {
                root(pair, [was, is], before, after, findings);
            }
        }
    }
    active(old, new, pair, findings);
}

impl<D: Dialect> Level<'_, D> {
    /// The image as an update over its own geometry leaves it.
    fn fitted(&self) -> Option<Image> {
        let geometry = Geometry {
            objects: self.tree.blases.iter().map(|blas| blas.primitives.clone()).collect(),
            instances: self.tree.tlas.iter().flat_map(|tlas| tlas.instances.clone()).collect(),
        };
        refit(self.image, self.survey, self.tree, &geometry).ok()
    }
}

/// Planes are what the leaves make them, if they were before.
fn boxes<D: Dialect>(
    pair: &Pair<'_>,
    [was, is]: [&Memory<'_>; 2],
    before: &Surveyed<D>,
    after: &Surveyed<D>,
    findings: &mut Findings<Rule>,
) {
    let unfit: HashSet<Bvh4Pointer> =
        misfits(before, &pair.old, was).iter().map(|misfit| misfit.pointer).collect();
    let base = after.structure.base();
    if !is_asked(unfit.len(), before.boxes.len(), base, &pair.new, findings) {
        return;
    }
    let misfits = misfits(after, &pair.new, is).into_iter();
    for Misfit { pointer, slot, planes } in misfits.filter(|it| !unfit.contains(&it.pointer)) {
        let offset = pair.new.offset_of(after.structure.address_of(pointer));
        let bits = after.structure.plane_bits(pointer, slot);
        let [found, expected] = planes.map(|planes| box_text(&planes));
        findings.add(
            Rule::Fit,
            offset,
            bits,
            format!("box {pointer}, slot {slot}"),
            found,
            expected,
        );
    }
}

/// A slot that is not what the leaves make it: its planes, and those.
struct Misfit {
    pointer: Bvh4Pointer,
    slot: u8,
    planes: [Aabb; 2],
}

/// The slots that an update over the same leaves makes otherwise.
fn misfits<D: Dialect>(
    surveyed: &Surveyed<D>,
    memory: &Memory<'_>,
    fitted: &Memory<'_>,
) -> Vec<Misfit> {
    let structure = &surveyed.structure;
    let is_top = !surveyed.instances.is_empty();
    let of_box = |pointer: Bvh4Pointer| {
        let nodes = [memory, fitted].map(|memory| structure.four_boxes(memory, pointer));
        let planes = |slot: u8| {
            let planes = nodes.each_ref().map(|node| Some(node.as_ref()?.boxes[usize::from(slot)]));
            let [Some(stored), Some(wanted)] = planes else { return None };
            let differs = if is_top {
                is_wider(&stored, &wanted)
            } else {
                box_text(&stored) != box_text(&wanted)
            };
            differs.then_some(Misfit { pointer, slot, planes: [stored, wanted] })
        };
        (0..4).filter_map(planes).collect::<Vec<_>>()
    };
    surveyed.boxes.iter().flat_map(|record| of_box(record.pointer)).collect()
}

/// Whether a box over instances reaches farther than rounding explains: drivers place instances by
/// four products and sums of their own order, and some know tighter boxes.
fn is_wider(stored: &Aabb, wanted: &Aabb) -> bool {
    let corners = [wanted.min, wanted.max].map(|corner| corner.abs().max_element());
    let slack = Vec3::splat(8.0 * f32::EPSILON * corners[0].max(corners[1]));
    wanted.is_finite() && !Aabb::new(wanted.min - slack, wanted.max + slack).contains(stored)
}

/// The bounds of the header are those of everything, if they were before.
fn root<D: Dialect>(
    pair: &Pair<'_>,
    [was, is]: [&Memory<'_>; 2],
    before: &Surveyed<D>,
    after: &Surveyed<D>,
    findings: &mut Findings<Rule>,
) {
    let text = |surveyed: &Surveyed<D>, memory: &Memory<'_>| {
        surveyed.structure.header_bounds(memory).map(|bounds| box_text(&bounds))
    };
    if text(before, &pair.old) != text(before, was) {
        return not_asked(Rule::Root, after.structure.base(), &pair.new, findings);
    }
    let place = after.structure.header(&pair.new).and_then(|header| header.bounds);
    let (Some(place), Some(found), Some(expected)) =
        (place, text(after, &pair.new), text(after, is))
    else {
        return;
    };
    if found != expected {
        let at = format!("header of the structure at address {:#x}", after.structure.base());
        findings.add(Rule::Root, pair.new.offset_of(place), 0..192, at, found, expected);
    }
}

/// The same primitives are there, in boxes that are finite.
fn active<D: Dialect>(
    old: &Level<'_, D>,
    new: &Level<'_, D>,
    pair: &Pair<'_>,
    findings: &mut Findings<Rule>,
) {
    let ids = |tree: &Tree, number: usize| {
        let blas = tree.blases.get(number);
        let all = blas.iter().flat_map(|blas| &blas.primitives.ids);
        let mut all: Vec<(u32, u32)> =
            all.map(|PrimitiveId { geometry, primitive, .. }| (*geometry, *primitive)).collect();
        all.sort_unstable();
        all
    };
    let (tlas, blases) = new.survey.levels();
    for surveyed in tlas.into_iter().chain(blases) {
        finite(surveyed, pair, findings);
    }
    for (number, blas) in blases.iter().enumerate() {
        let [was, is] = [ids(old.tree, number), ids(new.tree, number)];
        let base = blas.structure.base();
        if was != is {
            let gone = was.iter().filter(|id| is.binary_search(id).is_err()).count();
            let came = is.iter().filter(|id| was.binary_search(id).is_err()).count();
            let place = format!("the structure at address {base:#x}");
            let found = format!("{gone} primitives gone, {came} others");
            let offset = pair.new.offset_of(base);
            findings.add(Rule::Active, offset, 0..0, place, found, "the primitives of before");
        }
    }
}

/// No box is infinite.
fn finite<D: Dialect>(surveyed: &Surveyed<D>, pair: &Pair<'_>, findings: &mut Findings<Rule>) {
    let structure = &surveyed.structure;
    for record in &surveyed.boxes {
        let Some(node) = structure.four_boxes(&pair.new, record.pointer) else { continue };
        for child in &surveyed.children[record.children()] {
            let slot = child.slot();
            let planes = node.boxes[usize::from(slot & 3)];
            let is_nan = planes.min.is_nan() || planes.max.is_nan();
            if !planes.is_finite() && !is_nan {
                let bits = structure.plane_bits(record.pointer, slot);
                let place = format!("box {}, slot {slot}", record.pointer);
                let offset = pair.new.offset_of(structure.address_of(record.pointer));
                let found = box_text(&planes);
                findings.add(Rule::Active, offset, bits, place, found, "a finite box");
            }
        }
    }
}
