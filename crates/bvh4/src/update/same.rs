//! Nodes and bytes that an update keeps.

use super::{Kept, Pair, Rule};
use crate::image::{Dialect, HeaderKind, ParentPlace};
use crate::layout::{Bvh4Kind, Bvh4Pointer, GpurtHeader, RadvHeader};
use crate::survey::{Survey, Surveyed};
use geometry::Aabb;
use machine::Findings;
use std::ops::Range;

/// The bits of a leaf that an update may write: vertices, or the box of a procedural.
const VERTEX_BITS: Range<u32> = 0..384;
const BOX_BITS: Range<u32> = 0..192;

/// Compares both images; says whether some vertex, plane or instance moved.
pub(super) fn check<D: Dialect>(
    pair: &Pair<'_>,
    survey: &Survey<D>,
    findings: &mut Findings<Rule>,
) -> bool {
    let mut check = Kept::new(pair, findings);
    for surveyed in survey.structures.iter().filter(|surveyed| !surveyed.is_part) {
        if surveyed.leaves.is_empty() && surveyed.instances.is_empty() {
            check.empty(surveyed.structure.base());
        }
        check.header(surveyed);
        check.boxes(surveyed);
        check.leaves(surveyed);
        check.instances(surveyed);
    }
    check.others();
    check.moved
}

impl Kept<'_, '_> {
    /// The words of a range that differ: their numbers, and both values.
    fn words(&mut self, address: u64, bytes: usize, name: &str) -> Vec<(u32, [u32; 2])> {
        self.claim(address, bytes as u64);
        let Some(old) = self.pair.old.get(address, bytes) else { return Vec::new() };
        let new = self.pair.place(address).and_then(|place| self.pair.new.get(place, bytes));
        let Some(new) = new else {
            let (offset, missing) = (self.pair.offset(address), "no memory in its place");
            self.findings.add(Rule::Same, offset, 0..0, name, missing, "the bytes of before");
            return Vec::new();
        };
        let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let pairs = old.chunks_exact(4).zip(new.chunks_exact(4));
        let pairs = (0..).zip(pairs.map(|(old, new)| [word(old), word(new)]));
        pairs.filter(|(_, [old, new])| old != new).collect()
    }

    fn add(&mut self, rule: Rule, address: u64, word: u32, name: &str, [old, new]: [u32; 2]) {
        let bits = 32 * word..32 * word + 32;
        let found = format!("dword {word} {new:#x}");
        self.findings.add(rule, self.pair.offset(address), bits, name, found, format!("{old:#x}"));
    }

    fn boxes<D: Dialect>(&mut self, surveyed: &Surveyed<D>) {
        let is_top = !surveyed.instances.is_empty();
        for record in &surveyed.boxes {
            let (structure, pointer) = (&surveyed.structure, record.pointer);
            let address = structure.address_of(pointer);
            let name = format!("box {pointer}");
            let used = surveyed.children[record.children()].iter();
            let used: Vec<Range<u32>> =
                used.map(|child| structure.plane_bits(pointer, child.slot())).collect();
            let unused: Vec<Range<u32>> = (0..4)
                .map(|slot| structure.plane_bits(pointer, slot))
                .filter(|bits| !used.contains(bits))
                .collect();
            let fitted = structure.fitted_bits(pointer);
            let flags: Vec<Range<u32>> =
                (0..4).map(|slot| structure.cull_flag_bits(pointer, slot)).collect();
            for (word, values) in self.words(address, pointer.node_bytes(), &name) {
                let changed = changed_bits(word, values);
                let is_flag = |bit: &u32| flags.iter().any(|bits| bits.contains(bit));
                if changed.clone().all(|bit| fitted.contains(&bit)) {
                    self.moved = true;
                    if changed.clone().any(|bit| unused.iter().any(|bits| bits.contains(&bit))) {
                        self.add(Rule::Bytes, address, word, &name, values);
                    }
                    continue;
                }
                // An instance may get other flags.
                if is_top && changed.clone().all(|bit| is_flag(&bit) || fitted.contains(&bit)) {
                    continue;
                }
                let pointers = (0..4).map(|slot| structure.pointer_bits(pointer, slot));
                let is_named =
                    pointers.into_iter().any(|bits| changed.clone().any(|b| bits.contains(&b)));
                let is_kept = is_named || changed.clone().any(|bit| is_flag(&bit));
                let rule = if is_kept { Rule::Same } else { Rule::Bytes };
                self.add(rule, address, word, &name, values);
            }
            self.parent(surveyed, pointer);
        }
    }

    /// The parent that is written down for a node.
    fn parent<D: Dialect>(&mut self, surveyed: &Surveyed<D>, pointer: Bvh4Pointer) {
        let place = surveyed.structure.parent_place(pointer, Bvh4Pointer::INVALID);
        let ParentPlace::At(Some(address), _) = place else { return };
        let name = format!("parent of node {pointer}");
        for (word, values) in self.words(address, 4, &name) {
            self.add(Rule::Same, address, word, &name, values);
        }
    }

    fn leaves<D: Dialect>(&mut self, surveyed: &Surveyed<D>) {
        for record in &surveyed.leaves {
            let (structure, pointer) = (&surveyed.structure, record.pointer);
            let address = structure.address_of(pointer);
            let node = structure.leaf(&self.pair.old, pointer, &Aabb::EMPTY);
            let is_box =
                pointer.kind() == Bvh4Kind::User || node.is_some_and(|node| node.is_procedural());
            let free = match is_box {
                false => VERTEX_BITS,
                true if structure.keeps_procedural_boxes() => BOX_BITS,
                true => 0..0,
            };
            let name = format!("leaf {pointer}");
            for (word, values) in self.words(address, pointer.node_bytes().min(64), &name) {
                if free.contains(&(32 * word)) {
                    self.moved = true;
                } else {
                    self.add(Rule::Same, address, word, &name, values);
                }
            }
            self.parent(surveyed, pointer);
        }
    }

    /// Instance nodes may change; their parents may not.
    fn instances<D: Dialect>(&mut self, surveyed: &Surveyed<D>) {
        for record in &surveyed.instances {
            let address = surveyed.structure.address_of(record.pointer);
            let name = format!("instance {}", record.pointer);
            self.moved |= !self.words(address, record.pointer.node_bytes(), &name).is_empty();
            self.parent(surveyed, record.pointer);
        }
    }

    /// Fields of a header, by the rule that keeps them.
    fn header<D: Dialect>(&mut self, surveyed: &Surveyed<D>) {
        let structure = &surveyed.structure;
        let Some(header) = structure.header(&self.pair.old) else { return };
        let name = format!("header of the structure at address {:#x}", structure.base());
        let bytes = (header.bytes.end - header.bytes.start) as usize;
        for (word, values) in self.words(header.bytes.start, bytes, &name) {
            let rule = match header.kind {
                HeaderKind::Radv => radv_rule(32 * word),
                HeaderKind::Gpurt | HeaderKind::RadvFile => gpurt_rule(32 * word),
            };
            if let Some(rule) = rule {
                self.add(rule, header.bytes.start, word, &name, values);
            }
        }
    }
}

/// The bits of a word that differ, numbered over the node.
fn changed_bits(word: u32, [old, new]: [u32; 2]) -> impl Iterator<Item = u32> + Clone {
    (0..32).filter(move |bit| (old ^ new) >> bit & 1 == 1).map(move |bit| 32 * word + bit)
}

/// Which rule keeps a bit of RADV's header; none where an update writes it.
#[must_use]
pub fn radv_rule(bit: u32) -> Option<Rule> {
    let holds = |bits: Range<u32>| bits.contains(&bit);
    let sizes = [
        RadvHeader::update_dispatch.bits(),
        RadvHeader::compacted_size.bits(),
        RadvHeader::serialization_size.bits(),
        RadvHeader::size.bits(),
    ];
    let bounds = RadvHeader::root_min.bits().start..RadvHeader::root_max.bits().end;
    if holds(bounds) {
        None
    } else if holds(RadvHeader::root_flags.bits()) {
        Some(Rule::Root)
    } else if sizes.into_iter().any(holds) {
        Some(Rule::Size)
    } else {
        Some(Rule::Bytes)
    }
}

/// Which rule keeps a bit of GPURT's header; none where an update writes it.
#[must_use]
pub fn gpurt_rule(bit: u32) -> Option<Rule> {
    let holds = |bits: Range<u32>| bits.contains(&bit);
    let bounds = GpurtHeader::root_min.bits().start..GpurtHeader::root_max.bits().end;
    let sizes = [
        GpurtHeader::total_size.bits(),
        GpurtHeader::compacted_size.bits(),
        GpurtHeader::primitive_count.bits(),
        GpurtHeader::active_primitive_count.bits(),
        GpurtHeader::internal_fp32_count.bits(),
        GpurtHeader::leaf_node_count.bits(),
    ];
    if holds(bounds) {
        None
    } else if sizes.into_iter().any(holds) {
        Some(Rule::Size)
    } else {
        Some(Rule::Bytes)
    }
}
