//! Nodes and bytes that an update keeps.

use super::Rule;
use crate::Gfx12;
use crate::decode::{Pairs, split_key};
use crate::layout::{
    BoxNode, ChildEntry, HiprtHeader, InstanceNode, NODE_BYTES, NodeBits, NodePointer,
    PrimitiveHeader, PrimitiveNode, RadvHeader,
};
use crate::survey::{Header, Structure, Surveyed, entry_bits};
use bvh4::update::{Kept, Pair, gpurt_rule, radv_rule};
use machine::{Checked, Findings};
use std::ops::Range;

/// Compares both images; says whether some vertex or instance moved.
pub(super) fn check(
    pair: &Pair<'_>,
    before: &Checked<Gfx12>,
    findings: &mut Findings<Rule>,
) -> bool {
    let mut kept = Kept::new(pair, findings);
    for surveyed in &before.proof().survey().structures {
        if surveyed.leaves.is_empty() && surveyed.instances.is_empty() {
            kept.empty(surveyed.structure.box_base);
        }
        header(&surveyed.structure, &mut kept);
        for record in &surveyed.boxes {
            let address = surveyed.structure.address_of(record.pointer);
            kept.claim(address, NODE_BYTES);
            compare(address, &format!("box {}", record.pointer), &mut kept, |old, new| {
                box_differences(old, new, !surveyed.instances.is_empty())
            });
        }
        leaves(surveyed, &mut kept);
        instances(surveyed, &mut kept);
    }
    kept.others();
    kept.moved
}

/// A field that differs: the rule, its bits, its name, and both values.
type Difference = (Rule, Range<u32>, String, [u32; 2]);

/// Compares a node with the one in its place.
fn compare(
    address: u64,
    name: &str,
    Kept { pair, findings, .. }: &mut Kept<'_, '_>,
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

fn leaves(surveyed: &Surveyed, kept: &mut Kept<'_, '_>) {
    let pair = kept.pair;
    let pairs = Pairs::new(&pair.old, surveyed);
    for same_node in pairs.keys().chunk_by(|a, b| a / 8 == b / 8) {
        let Some(pointer) = NodePointer::new(split_key(same_node[0]).0, 0) else { continue };
        let address = surveyed.structure.address_of(pointer);
        kept.claim(address, NODE_BYTES);
        let read = |bits: &NodeBits| surveyed.structure.primitive_node(bits);
        compare(address, &format!("primitive node {pointer}"), kept, |old, new| {
            leaf_differences(&read(old), old, new)
        });
        let old = pair.old.node(address);
        let new = pair.place(address).and_then(|place| pair.new.node(place));
        if let (Some(old), Some(new)) = (old, new) {
            let mut vertices = vertex_bits(&read(&old));
            kept.moved |= vertices.any(|bit| old.flag(bit) != new.flag(bit));
        }
    }
}

fn leaf_differences(node: &PrimitiveNode, old: &NodeBits, new: &NodeBits) -> Vec<Difference> {
    let vertices = vertex_bits(node);
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
fn instances(surveyed: &Surveyed, kept: &mut Kept<'_, '_>) {
    let pair = kept.pair;
    let is_radv = matches!(surveyed.structure.header, Some(Header::Radv(_)));
    if let Some(Header::Hiprt(HiprtHeader { scene: Some(scene), .. })) = surveyed.structure.header {
        kept.claim(scene.frames, 64 * u64::from(scene.frame_count));
    }
    for record in &surveyed.instances {
        let address = surveyed.structure.address_of(record.pointer);
        kept.claim(address, NODE_BYTES * (1 + u64::from(is_radv)));
        if let Some(sideband) = surveyed.structure.sideband_of(record.pointer) {
            kept.claim(sideband, 64);
        }
        compare(address, &format!("instance {}", record.pointer), kept, |old, new| {
            field(old, new, InstanceNode::parent.bits(), "parent").into_iter().collect()
        });
        let new = pair.place(address).and_then(|place| pair.new.node(place));
        kept.moved |= pair.old.node(address) != new;
    }
}

/// Fields of a header, by the rule that keeps them.
fn header(structure: &Structure, kept: &mut Kept<'_, '_>) {
    let Some(header) = structure.header else { return };
    let base = structure.box_base;
    let (address, bytes) = match header {
        Header::Gpurt(_) => (base, NODE_BYTES),
        Header::Radv(header) => (base - u64::from(header.bvh_offset), RadvHeader::BYTES),
        Header::Hiprt(_) => (base - HiprtHeader::BYTES, HiprtHeader::BYTES),
    };
    kept.claim(address, bytes);
    let Kept { pair, findings, .. } = kept;
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
