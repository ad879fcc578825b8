//! Nodes and bytes that an update keeps.

use super::{Pair, Rule};
use crate::Gfx12;
use crate::decode::{Pairs, split_key};
use crate::layout::{
    BoxNode, ChildEntry, HiprtHeader, InstanceNode, NODE_BYTES, NodeBits, NodePointer,
    PrimitiveHeader, PrimitiveNode, RadvHeader,
};
use crate::survey::{Header, Structure, Surveyed, entry_bits};
use bvh4::update::{gpurt_rule, radv_rule};
use machine::{Checked, Findings};
use std::ops::Range;

/// Bytes of a segment that are looked at elsewhere.
type Claimed = Vec<Vec<bool>>;

/// Compares both images; says whether some vertex or instance moved.
pub(super) fn check(
    pair: &Pair<'_>,
    before: &Checked<Gfx12>,
    findings: &mut Findings<Rule>,
) -> bool {
    let segments = pair.old.segments();
    let mut claimed: Claimed = segments.iter().map(|s| vec![false; s.bytes().len()]).collect();
    let mut moved = false;
    for surveyed in &before.proof().survey().structures {
        if surveyed.leaves.is_empty() && surveyed.instances.is_empty() {
            empty(pair, surveyed, findings);
        }
        header(pair, &surveyed.structure, &mut claimed, findings);
        for record in &surveyed.boxes {
            let address = surveyed.structure.address_of(record.pointer);
            claim(pair, &mut claimed, address, NODE_BYTES);
            compare(pair, address, &format!("box {}", record.pointer), findings, |old, new| {
                box_differences(old, new, !surveyed.instances.is_empty())
            });
        }
        moved |= leaves(pair, surveyed, &mut claimed, findings);
        moved |= instances(pair, surveyed, &mut claimed, findings);
    }
    others(pair, &claimed, findings);
    moved
}

fn claim(pair: &Pair<'_>, claimed: &mut Claimed, address: u64, bytes: u64) {
    let Some(number) = pair.old.segment_of(address) else { return };
    let start = (address - pair.old.segments()[number].address) as usize;
    let end = (start + bytes as usize).min(claimed[number].len());
    claimed[number][start..end].fill(true);
}

/// A field that differs: the rule, its bits, its name, and both values.
type Difference = (Rule, Range<u32>, String, [u32; 2]);

/// Compares a node with the one in its place.
fn compare(
    pair: &Pair<'_>,
    address: u64,
    name: &str,
    findings: &mut Findings<Rule>,
    differences: impl Fn(&NodeBits, &NodeBits) -> Vec<Difference>,
) {
    let Some(old) = pair.old.node(address) else { return };
    let Some(new) = pair.place(address).and_then(|place| pair.new.node(place)) else {
        let (offset, missing) = (pair.offset(address), "no memory in its place");
        return findings.add(Rule::Same, offset, 0..1024, name, missing, "the node of before");
    };
    if old == new {
        return;
    }
    for (rule, bits, field, [before, after]) in differences(&old, &new) {
        let found = format!("{field} {after:#x}");
        findings.add(rule, pair.offset(address), bits, name, found, format!("{before:#x}"));
    }
}

/// The value of a field of up to 32 bits in both nodes, where it differs.
fn field(
    old: &NodeBits,
    new: &NodeBits,
    bits: Range<u32>,
    name: impl Into<String>,
) -> Option<Difference> {
    let place = bits.start as usize..bits.end as usize;
    let values = [old.get(place.clone()), new.get(place)];
    (values[0] != values[1]).then(|| (Rule::Same, bits, name.into(), values))
}

fn box_differences(old: &NodeBits, new: &NodeBits, is_top: bool) -> Vec<Difference> {
    let count = BoxNode::child_count.bits().start..BoxNode::spare.bits().end;
    let mut found: Vec<Difference> = [
        (BoxNode::internal_base.bits(), "internal_base"),
        (BoxNode::primitive_base.bits(), "primitive_base"),
        (BoxNode::parent.bits(), "parent"),
        (BoxNode::index_in_parent.bits(), "index_in_parent"),
        (count, "child_count"),
        (BoxNode::obb_matrix_index.bits(), "obb_matrix_index"),
    ]
    .into_iter()
    .filter_map(|(bits, name)| field(old, new, bits, name))
    .collect();
    let [kept, mut left] = [old, new].map(BoxNode::decode);
    for slot in 0..8u8 {
        let start = entry_bits(slot).start as usize;
        if slot >= kept.child_count {
            let whole = entry_bits(slot);
            let changed = (whole.start / 32..whole.end / 32).find_map(|word| {
                field(old, new, 32 * word..32 * word + 32, format!("unused slot {slot}"))
            });
            found.extend(changed.map(|(_, bits, name, values)| (Rule::Bytes, bits, name, values)));
            continue;
        }
        // An instance may get other masks and flags.
        let fields = [
            (ChildEntry::node_type.bits_from(start), "node_type", false),
            (ChildEntry::range_length.bits_from(start), "range_length", false),
            (ChildEntry::mask.bits_from(start), "mask", is_top),
            (ChildEntry::cull_flags.bits_from(start), "cull_flags", is_top),
        ];
        let fields = fields.into_iter().filter(|(.., may_change)| !may_change);
        found.extend(
            fields.filter_map(|(bits, name, _)| {
                field(old, new, bits, format!("slot {slot}, {name}"))
            }),
        );
    }
    // The rest, with everything that may change and everything named above as it was.
    (left.frame, left.children) = (kept.frame, kept.children);
    (left.internal_base, left.primitive_base) = (kept.internal_base, kept.primitive_base);
    (left.parent, left.index_in_parent) = (kept.parent, kept.index_in_parent);
    (left.child_count, left.spare) = (kept.child_count, kept.spare);
    left.obb_matrix_index = kept.obb_matrix_index;
    if left != kept {
        let bits = BoxNode::ignored.bits();
        found.push((Rule::Bytes, bits, "other bits".into(), [kept.ignored, left.ignored]));
    }
    found
}

/// Bits of a primitive node that an update may write: from the header to the geometry ids.
fn vertex_bits(node: &PrimitiveNode) -> Range<usize> {
    let header = node.header();
    let last = 2 * usize::from(header.pair_count) - 1;
    let ids = header.geometry_id_bits(last).start.clamp(52, 1024) as usize;
    52..ids
}

fn leaves(
    pair: &Pair<'_>,
    surveyed: &Surveyed,
    claimed: &mut Claimed,
    findings: &mut Findings<Rule>,
) -> bool {
    let mut moved = false;
    let pairs = Pairs::new(&pair.old, surveyed);
    for same_node in pairs.keys().chunk_by(|a, b| a / 8 == b / 8) {
        let Some(pointer) = NodePointer::new(split_key(same_node[0]).0, 0) else { continue };
        let address = surveyed.structure.address_of(pointer);
        claim(pair, claimed, address, NODE_BYTES);
        let name = format!("primitive node {pointer}");
        compare(pair, address, &name, findings, leaf_differences);
        let old = pair.old.node(address);
        let new = pair.place(address).and_then(|place| pair.new.node(place));
        if let (Some(old), Some(new)) = (old, new) {
            let mut vertices = vertex_bits(&PrimitiveNode::decode(&old));
            moved |= vertices.any(|bit| old.flag(bit) != new.flag(bit));
        }
    }
    moved
}

fn leaf_differences(old: &NodeBits, new: &NodeBits) -> Vec<Difference> {
    let vertices = vertex_bits(&PrimitiveNode::decode(old));
    let ids = PrimitiveHeader::primitive_base_bits.bits().start;
    let named = [(0, ids, "widths"), (ids, 52, "places of ids")];
    let behind = vertices.end as u32;
    let words = (behind..1024).step_by(32).map(|start| (start, (start + 32).min(1024), "ids"));
    let named = named.into_iter().chain(words);
    let fields = named.flat_map(|(start, end, name)| {
        let parts = (start..end).step_by(32).map(move |at| at..(at + 32).min(end));
        parts.filter_map(move |bits| field(old, new, bits, name))
    });
    fields.collect()
}

/// Instance nodes keep their parents; the rest of them, and what drivers keep beside, may change.
fn instances(
    pair: &Pair<'_>,
    surveyed: &Surveyed,
    claimed: &mut Claimed,
    findings: &mut Findings<Rule>,
) -> bool {
    let mut moved = false;
    let is_radv = matches!(surveyed.structure.header, Some(Header::Radv(_)));
    for record in &surveyed.instances {
        let address = surveyed.structure.address_of(record.pointer);
        claim(pair, claimed, address, NODE_BYTES * (1 + u64::from(is_radv)));
        if let Some(sideband) = surveyed.structure.sideband_of(record.pointer) {
            claim(pair, claimed, sideband, 64);
        }
        compare(pair, address, &format!("instance {}", record.pointer), findings, |old, new| {
            field(old, new, InstanceNode::parent.bits(), "parent").into_iter().collect()
        });
        let new = pair.place(address).and_then(|place| pair.new.node(place));
        moved |= pair.old.node(address) != new;
    }
    moved
}

/// A structure that holds nothing is not written at all.
fn empty(pair: &Pair<'_>, surveyed: &Surveyed, findings: &mut Findings<Rule>) {
    let base = surveyed.structure.box_base;
    let Some(number) = pair.old.segment_of(base) else { return };
    let old = &pair.old.segments()[number];
    let new = pair.new.segments().get(number);
    if new.is_none_or(|new| new.bytes() != old.bytes()) {
        let offset = pair.offset(old.address);
        let place = format!("the structure at address {base:#x}");
        findings.add(Rule::Empty, offset, 0..0, place, "other bytes", "those of before");
    }
}

/// Fields of a header, by the rule that keeps them.
fn header(
    pair: &Pair<'_>,
    structure: &Structure,
    claimed: &mut Claimed,
    findings: &mut Findings<Rule>,
) {
    let Some(header) = structure.header else { return };
    let base = structure.box_base;
    let (address, bytes) = match header {
        Header::Gpurt(_) => (base, NODE_BYTES),
        Header::Radv(header) => (base - u64::from(header.bvh_offset), RadvHeader::BYTES),
        Header::Hiprt(_) => (base - HiprtHeader::BYTES, HiprtHeader::BYTES),
    };
    claim(pair, claimed, address, bytes);
    let old = pair.old.get(address, bytes as usize);
    let new = pair.place(address).and_then(|place| pair.new.get(place, bytes as usize));
    let (Some(old), Some(new)) = (old, new) else { return };
    let words = |bytes: &[u8]| -> Vec<u32> {
        let words = bytes.chunks_exact(4);
        words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
    };
    for (word, (before, after)) in (0u32..).zip(words(old).into_iter().zip(words(new))) {
        if before == after {
            continue;
        }
        let Some(rule) = rule_of(&header, 32 * word) else { continue };
        let place = format!("header of the structure at address {base:#x}");
        let bits = 32 * word..32 * word + 32;
        let found = format!("word {word} {after:#x}");
        findings.add(rule, pair.offset(address), bits, place, found, format!("{before:#x}"));
    }
}

/// Which rule keeps a bit of a header; none where an update writes it.
fn rule_of(header: &Header, bit: u32) -> Option<Rule> {
    match header {
        Header::Radv(_) => radv_rule(bit),
        Header::Gpurt(_) => gpurt_rule(bit),
        Header::Hiprt(_) => Some(Rule::Bytes),
    }
}

/// Bytes of no node and no header.
fn others(pair: &Pair<'_>, claimed: &Claimed, findings: &mut Findings<Rule>) {
    for (number, (segment, claimed)) in pair.old.segments().iter().zip(claimed).enumerate() {
        let new = pair.new.segments().get(number).map_or(&[][..], |segment| segment.bytes());
        let (start, old) = (segment.address, segment.bytes());
        if new.len() != old.len() {
            let (found, place) = (format!("{} bytes", new.len()), format!("segment {number}"));
            let expected = format!("{} bytes", old.len());
            findings.add(Rule::Size, pair.offset(start), 0..0, place, found, expected);
        }
        let changed =
            (0..old.len().min(new.len())).filter(|&at| !claimed[at] && old[at] != new[at]);
        let mut run: Option<Range<usize>> = None;
        for at in changed.chain([usize::MAX]) {
            match &mut run {
                Some(run) if run.end == at => run.end += 1,
                _ => {
                    if let Some(run) = run.take() {
                        let place = format!("segment {number}");
                        let found = format!("{} other bytes", run.len());
                        let offset = pair.offset(start + run.start as u64);
                        let expected = "the bytes of before";
                        findings.add(Rule::Bytes, offset, 0..8, place, found, expected);
                    }
                    run = Some(at..at.saturating_add(1));
                }
            }
        }
    }
}
