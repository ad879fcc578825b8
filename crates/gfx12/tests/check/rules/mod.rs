//! Each rule broken, and nothing else.
//!
//! Every case changes a sound image a little. The rules that the change breaks must be exactly the
//! one it is for and those it cannot but drag along, which the case lists.
//!
//! | file | concept |
//! |---|---|
//! | `structure` | images, pointers, ranges, levels |
//! | `nodes` | box and primitive nodes |
//! | `instances` | instances and headers |
//! | `report` | where findings are, and how many |

mod instances;
mod nodes;
mod report;
mod structure;

use crate::check::edit::edit_bits;
use crate::check::worlds::{scene, tree};
use build::Preset;
use gfx12::check::{Rule, check};
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BOX_TYPE, BoxFrame, BoxNode, ChildEntry, GpurtHeader, NodeBits, NodePointer};
use machine::{Image, Segment, Severity};
use std::collections::BTreeSet;

pub(in crate::check) fn encoded(kind: &str, policy: Policy) -> Image {
    let tree = tree(&scene(kind, 9), Preset::Balanced);
    encode(&tree, &Options::new(policy)).unwrap().image
}

fn triangles() -> Image {
    encoded("triangles", Policy::Gpurt)
}

fn instanced() -> Image {
    encoded("instanced", Policy::Dense)
}

fn rules(image: Image) -> BTreeSet<&'static str> {
    check(image).findings.iter().map(|finding| finding.rule).collect()
}

/// Breaks one rule; `dragged` are the warnings that come with it.
pub(in crate::check) fn breaks(
    rule: Rule,
    dragged: &[Rule],
    mut image: Image,
    change: impl FnOnce(&mut Image),
) {
    let before = rules(image.clone());
    change(&mut image);
    let report = check(image.clone());
    let after: BTreeSet<_> = report.findings.iter().map(|finding| finding.rule).collect();
    let mut new: BTreeSet<_> = after.difference(&before).copied().collect();
    assert!(new.remove(rule.name()), "{}: {:#?}", rule.name(), report.findings);
    let allowed: BTreeSet<_> = dragged.iter().map(|rule| rule.name()).collect();
    assert!(new.is_subset(&allowed), "{}: {new:?} {:#?}", rule.name(), report.findings);
    assert_eq!(report.checked.is_none(), rule.severity() == Severity::Error, "{}", rule.name());
    for finding in &report.findings {
        assert!(finding.offset < image.byte_count() as u64);
        assert!(finding.bits.start <= finding.bits.end && finding.bits.end <= 1088);
    }
}

fn header(image: &mut Image, segment: usize, change: impl FnOnce(&mut GpurtHeader)) {
    edit_bits(image, image.segments[segment].address, |bits| {
        let mut header = GpurtHeader::decode(bits);
        change(&mut header);
        *bits = header.encode();
    });
}

/// Whether slot 0 leads to a range.
pub(in crate::check) fn starts_with_leaf(node: &BoxNode) -> bool {
    node.children[0].node_type != BOX_TYPE
}

fn any(_: &BoxNode) -> bool {
    true
}

/// A box node with these children.
fn box_node(children: &[ChildEntry]) -> BoxNode {
    let mut slots = [ChildEntry::UNUSED; 8];
    slots[..children.len()].copy_from_slice(children);
    BoxNode {
        internal_base: 0,
        primitive_base: 0,
        parent: NodePointer::INVALID,
        frame: BoxFrame { origin: [-1.0; 3], exponents: [140; 3] },
        disable_box_sort: false,
        index_in_parent: 0,
        child_count: children.len() as u8,
        spare: false,
        obb_matrix_index: BoxNode::NO_ROTATION,
        ignored: 0,
        children: slots,
    }
}

fn child(node_type: u8, range_length: u8) -> ChildEntry {
    ChildEntry { max: [4095; 3], mask: 0xFF, node_type, range_length, ..ChildEntry::default() }
}

fn raw_image(nodes: &[NodeBits]) -> Image {
    let bytes: Vec<u8> = nodes.iter().flat_map(NodeBits::to_bytes).collect();
    let segments = vec![Segment::new(0x8000, &bytes)];
    Image { format: gfx12::NAME, segments, bases: vec![0x8000; 2], root: 5 }
}

/// A primitive node of eight degenerate pairs, without a stop or with one at the end.
fn eight_pairs(stop: bool) -> NodeBits {
    let mut bits = NodeBits::ZERO;
    bits.set(28..31, 7);
    bits.set_flag(1024 - 29 * 8, stop);
    bits
}

#[test]
fn every_rule_has_a_case() {
    let sources = [
        include_str!("structure.rs"),
        include_str!("nodes.rs"),
        include_str!("instances.rs"),
        include_str!("../driver_rules.rs"),
    ];
    let source: String = sources.iter().flat_map(|source| source.split_whitespace()).collect();
    for rule in Rule::ALL {
        assert!(source.contains(&format!("breaks(Rule::{rule:?},")), "{rule:?}");
    }
}
