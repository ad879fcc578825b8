//! Rules of nodes.

use super::{
    any, box_node, breaks, child, eight_pairs, encoded, raw_image, starts_with_leaf, triangles,
};
use crate::check::dump::hiprt_image;
use crate::check::edit::{boxes, edit_bits, edit_box, primitive_nodes};
use crate::check::worlds::tree;
use build::Preset;
use gfx12::check::{Rule, check};
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BoxNode, CullFlags, NodePointer};
use machine::Image;
use scene::builtin::Builtin;

#[test]
fn primitive_node_rules() {
    breaks(Rule::VertexType, &[], triangles(), |image| {
        let (address, _) = primitive_nodes(image, 0)[0];
        edit_bits(image, address, |bits| bits.set_flag(31, true));
    });
    let garbage = [Rule::Contained, Rule::VertexFinite, Rule::IdField];
    breaks(Rule::VertexIndex, &garbage, hiprt_image(), |image| {
        let (address, _) = primitive_nodes(image, 0)[0];
        edit_bits(image, address, |bits| bits.set(995 + 25..995 + 29, 15));
    });
    breaks(Rule::VertexFinite, &[], hiprt_image(), |image| {
        let (address, _) = primitive_nodes(image, 0)[2];
        edit_bits(image, address, |bits| bits.set(52..84, 0x7FC0_0000));
    });
    breaks(Rule::VertexWidth, &garbage, hiprt_image(), |image| {
        let (address, _) = primitive_nodes(image, 0)[0];
        edit_bits(image, address, |bits| bits.set(15..20, 1));
    });
    breaks(Rule::IdField, &[Rule::PrimitiveId], hiprt_image(), |image| {
        let (address, _) = primitive_nodes(image, 0)[0];
        edit_bits(image, address, |bits| bits.set(42..52, 100));
    });
    for policy in [Policy::Dense, Policy::Radv, Policy::Gpurt] {
        let procedurals = || encoded("procedurals", policy);
        breaks(Rule::ProceduralPair, &[], procedurals(), |image| {
            let (address, _) = primitive_nodes(image, 0)[0];
            edit_bits(image, address, |bits| bits.set(28..31, 1));
        });
        breaks(Rule::ProceduralBox, &[], procedurals(), |image| {
            let (address, node) = primitive_nodes(image, 0)[0];
            let at = if node.header().midpoint == 933 { 160 } else { 52 };
            edit_bits(image, address, |bits| {
                let (low, high) = (bits.get(at..at + 32), bits.get(at + 96..at + 128));
                bits.set(at..at + 32, high);
                bits.set(at + 96..at + 128, low);
            });
        });
        breaks(Rule::PrimitiveId, &[Rule::LostPrimitive], procedurals(), |image| {
            let nodes = primitive_nodes(image, 0);
            let twin = nodes[1..].iter().find(|n| n.1.geometry_id(0) == nodes[0].1.geometry_id(0));
            let (address, twin) = *twin.unwrap();
            let id = nodes[0].1.primitive_id(0);
            edit_bits(image, address, |bits| bits.set(twin.header().primitive_id_bits(0), id));
        });
    }
    // The root's own bytes, read as a primitive node too: one pair, with a stop.
    let mut both = BoxNode { primitive_base: 0, ..box_node(&[child(0, 1)]) };
    both.children[7].max[1] = 8;
    let garbage =
        [Rule::Contained, Rule::IdField, Rule::VertexWidth, Rule::VertexFinite, Rule::CullFlags];
    let mut leaf = eight_pairs(true);
    leaf.set(0..15, 0x7FFF);
    let apart = BoxNode { primitive_base: 0x10, ..both };
    breaks(Rule::NodeKind, &garbage, raw_image(&[apart.encode(), leaf]), |image| {
        *image = raw_image(&[both.encode(), leaf]);
    });
}

#[test]
fn box_node_rules() {
    breaks(Rule::Contained, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| {
            node.children[0].max[0] = node.children[0].min[0]
        });
    });
    breaks(Rule::Parent, &[], triangles(), |image| {
        edit_box(image, 0, any, |node| node.parent = NodePointer(0x25));
    });
    breaks(Rule::Parent, &[], triangles(), |image| {
        let (address, _, mut node) = boxes(image, 0)[1];
        node.parent = NodePointer(0x95);
        edit_bits(image, address, |bits| *bits = node.encode());
    });
    breaks(Rule::IndexInParent, &[], triangles(), |image| {
        let (address, _, mut node) = boxes(image, 0)[1];
        node.index_in_parent ^= 4;
        edit_bits(image, address, |bits| *bits = node.encode());
    });
    breaks(Rule::UnusedSlot, &[], triangles(), |image| {
        edit_box(image, 0, |node| node.child_count < 8, |node| node.children[7] = node.children[0]);
    });
    breaks(Rule::ObbIndex, &[], triangles(), |image| {
        edit_box(image, 0, any, |node| node.obb_matrix_index = 110);
    });
    breaks(Rule::LooseBox, &[], triangles(), |image| {
        edit_box(image, 0, any, |node| {
            node.frame.exponents[0] = 150;
            for child in &mut node.children[..usize::from(node.child_count)] {
                (child.min[0], child.max[0]) = (0, 4095);
            }
        });
    });
    breaks(Rule::PlaneFinite, &[], triangles(), |image| {
        edit_box(image, 0, any, |node| {
            node.frame.exponents[0] = 255;
            for child in &mut node.children[..usize::from(node.child_count)] {
                (child.min[0], child.max[0]) = (0, 4095);
            }
        });
    });
    breaks(Rule::CullFlags, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| {
            node.children[0].cull_flags.toggle(CullFlags::ONLY_PROCEDURAL);
        });
    });
    breaks(Rule::Mask, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| node.children[0].mask = 0xFD);
    });
}

/// A pair that two boxes share is harmless as long as each of its triangles has a box of its own.
#[test]
fn shared_pairs_are_told_from_losses() {
    let built = tree(&Builtin::Organic.scene(2_000), Preset::Balanced);
    let radv = || encode(&built, &Options::new(Policy::Radv)).unwrap().image;
    breaks(Rule::SharedPair, &[Rule::Contained], triangles(), |image| *image = radv());
    let mut image = radv();
    let count = |image: &Image, rule: Rule| {
        let findings = check(image.clone()).findings;
        findings.iter().filter(|finding| finding.rule == rule.name()).count()
    };
    let findings = check(image.clone()).findings;
    let shared = findings.iter().find(|found| found.rule == Rule::SharedPair.name()).unwrap();
    let before = count(&image, Rule::Contained);
    let all = boxes(&image, 0);
    let named = all.iter().find(|(_, pointer, _)| format!("box {pointer}") == shared.place);
    let (address, _, mut node) = *named.unwrap();
    let child = &mut node.children[(shared.bits.start as usize - 256) / 96];
    child.max = child.min;
    edit_bits(&mut image, address, |bits| *bits = node.encode());
    assert!(count(&image, Rule::Contained) > before);
}
