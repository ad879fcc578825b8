//! Boxes and bounds that an update makes anew, and the primitives in them.
//!
//! A driver fits each box to the exact bounds of what is below. Whether an image is fitted in this
//! way is seen in the image before: one with a margin, or with boxes that spatial splits cut, is
//! not, and then its check speaks alone.

use super::{Pair, Rule, not_asked, refit};
use crate::image::{Dialect, box_text};
use crate::layout::Bvh4Pointer;
use crate::survey::{Memory, Survey, Surveyed};
use machine::source::Geometry;
use machine::{Findings, Image};
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
        if before.instances.is_empty()
            && let [Some(was), Some(is)] = &memories
        {
            boxes(pair, [was, is], before, after, findings);
            root(pair, [was, is], before, after, findings);
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
    let differs = |memory: &Memory<'_>, fitted: &Memory<'_>, it: &Surveyed<D>, p: Bvh4Pointer| {
        let bytes = p.node_bytes();
        let address = it.structure.address_of(p);
        memory.get(address, bytes) != fitted.get(address, bytes)
    };
    if before.boxes.iter().any(|record| differs(&pair.old, was, before, record.pointer)) {
        return not_asked(Rule::Fit, after.structure.base(), &pair.new, findings);
    }
    for record in &after.boxes {
        if !differs(&pair.new, is, after, record.pointer) {
            continue;
        }
        let stored = after.structure.four_boxes(&pair.new, record.pointer);
        let wanted = after.structure.four_boxes(is, record.pointer);
        let (Some(stored), Some(wanted)) = (stored, wanted) else { continue };
        for slot in 0..4u8 {
            let [found, expected] =
                [&stored, &wanted].map(|node| box_text(&node.boxes[usize::from(slot)]));
            if found != expected {
                let address = after.structure.address_of(record.pointer);
                let bits = after.structure.plane_bits(record.pointer, slot);
                let place = format!("box {}, slot {slot}", record.pointer);
                let offset = pair.new.offset_of(address);
                findings.add(Rule::Fit, offset, bits, place, found, expected);
            }
        }
    }
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
    let (_, blases) = new.survey.levels();
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
        for record in &blas.boxes {
            let node = blas.structure.four_boxes(&pair.new, record.pointer);
            for child in &blas.children[record.children()] {
                let slot = child.slot();
                let Some(planes) = node.as_ref().map(|it| it.boxes[usize::from(slot & 3)]) else {
                    continue;
                };
                let is_nan = planes.min.is_nan() || planes.max.is_nan();
                if !planes.is_finite() && !is_nan {
                    let bits = blas.structure.plane_bits(record.pointer, slot);
                    let place = format!("box {}, slot {slot}", record.pointer);
                    let offset = pair.new.offset_of(blas.structure.address_of(record.pointer));
                    let found = box_text(&planes);
                    findings.add(Rule::Active, offset, bits, place, found, "a finite box");
                }
            }
        }
    }
}
