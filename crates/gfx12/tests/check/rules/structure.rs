//! Rules of images, pointers, ranges and levels.

use super::{
    box_node, breaks, child, eight_pairs, instanced, raw_image, starts_with_leaf, triangles,
};
use crate::check::dump::hiprt_image;
use crate::check::edit::{boxes, edit_bits, edit_box, primitive_nodes};
use gfx12::check::{Rule, check};
use gfx12::layout::{BOX_TYPE, BoxNode, ChildEntry, NodeBits, NodePointer};
use machine::Segment;

#[test]
fn images() {
    breaks(Rule::Segment, &[], triangles(), |image| {
        image.segments.push(Segment::new(0x90_0001, &[0; 32]));
    });
    breaks(Rule::Segment, &[], triangles(), |image| {
        let address = image.segments[0].address - 64;
        image.segments.push(Segment::new(address, &[0; 128]));
    });
    breaks(Rule::Segment, &[], triangles(), |image| {
        image.segments.push(Segment::new((1 << 48) - 64, &[0; 128]));
    });
    breaks(Rule::Writer, &[], triangles(), |image| image.bases.push(0));
    breaks(Rule::Base, &[Rule::Writer], triangles(), |image| image.bases.extend([0; 2]));
    breaks(Rule::Base, &[], triangles(), |image| image.bases.truncate(1));
    breaks(Rule::Root, &[], triangles(), |image| image.root = 0x17);
    breaks(Rule::Root, &[], triangles(), |image| image.root = 0x10_0005);
    breaks(Rule::Root, &[], triangles(), |image| image.root = 1 << 32);
}

#[test]
fn pointers() {
    let has_box = |node: &BoxNode| node.used_children().iter().any(|c| c.node_type == BOX_TYPE);
    breaks(Rule::ChildBase, &[], triangles(), |image| {
        edit_box(image, 0, has_box, |node| node.internal_base |= 2);
    });
    breaks(Rule::ChildBase, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| node.primitive_base |= 8);
    });
    breaks(Rule::NodeType, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| {
            node.children[usize::from(node.child_count) - 1].node_type = 12;
        });
    });
    breaks(Rule::PointerRange, &[], triangles(), |image| {
        edit_box(image, 0, has_box, |node| node.internal_base = 0xFFFF_F000);
    });
    breaks(Rule::PointerRange, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| node.primitive_base = 0x0FFF_FF00);
    });
    let cycle = [
        BoxNode { internal_base: 0x10, ..box_node(&[child(5, 1)]) },
        BoxNode { parent: NodePointer(5), ..box_node(&[child(5, 1)]) },
    ];
    let sound = [
        cycle[0].encode(),
        BoxNode { parent: NodePointer(5), ..box_node(&[ChildEntry::UNUSED]) }.encode(),
    ];
    breaks(Rule::ReachedTwice, &[], raw_image(&sound), |image| {
        *image = raw_image(&cycle.map(|node| node.encode()));
    });
    let shared = BoxNode {
        internal_base: 0x10,
        primitive_base: 0x20,
        ..box_node(&[child(5, 0), child(0, 0), child(5, 0)])
    };
    breaks(Rule::ReachedTwice, &[], raw_image(&sound), |image| {
        let mut leaf = eight_pairs(true);
        leaf.set(0..15, 0x7FFF);
        *image = raw_image(&[shared.encode(), sound[1], leaf]);
    });
}

#[test]
fn ranges() {
    breaks(Rule::FirstPair, &[], triangles(), |image| {
        edit_box(image, 0, starts_with_leaf, |node| node.children[0].node_type = 11);
    });
    breaks(Rule::RangeEnd, &[], hiprt_image(), |image| {
        let (address, last) = primitive_nodes(image, 0).pop().unwrap();
        let pair = last.pair_count() - 1;
        edit_bits(image, address, |bits| bits.set_flag(1024 - 29 * (pair + 1), false));
    });
    let long = |nodes: usize| {
        let mut nodes = vec![eight_pairs(false); nodes];
        nodes.insert(0, BoxNode { primitive_base: 0x10, ..box_node(&[child(0, 1)]) }.encode());
        *nodes.last_mut().unwrap() = eight_pairs(true);
        raw_image(&nodes)
    };
    assert!(check(long(1000)).is_sound());
    breaks(Rule::RangeLength, &[], long(40), |image| *image = long((1 << 20) + 1));
    let dragged = [Rule::Contained, Rule::CullFlags, Rule::SharedPair];
    breaks(Rule::LongRange, &dragged, triangles(), |image| {
        let mut nodes = primitive_nodes(image, 0);
        nodes.sort_by_key(|node| node.0);
        for (address, node) in &nodes[..5] {
            for pair in 0..node.pair_count() {
                edit_bits(image, *address, |bits| bits.set_flag(1024 - 29 * (pair + 1), false));
            }
        }
    });
    let reused = |count: u32| {
        let mut nodes = Vec::new();
        for n in 0..count {
            let starts = [0, 1, 2, 3, 8, 9, 10].map(|pair| child(pair, 0));
            let mut children = vec![child(5, 1)];
            children.extend(starts);
            let last = n + 1 == count;
            nodes.push(BoxNode {
                internal_base: 0x10 * (n + 1),
                primitive_base: 0x10 * count,
                parent: NodePointer(if n == 0 { u32::MAX } else { 0x10 * (n - 1) + 5 }),
                ..box_node(&children[usize::from(last)..])
            });
        }
        let mut bits: Vec<NodeBits> = nodes.iter().map(BoxNode::encode).collect();
        bits.extend(vec![eight_pairs(false); count as usize]);
        bits.push(eight_pairs(true));
        raw_image(&bits)
    };
    breaks(Rule::RangeReuse, &[], reused(5), |image| *image = reused(80));
}

#[test]
fn levels() {
    breaks(Rule::NestedInstance, &[], instanced(), |image| {
        edit_box(image, 1, starts_with_leaf, |node| node.children[0].node_type = 6);
    });
    // The node that goes may have been one of two that show an instance.
    let dragged = [
        Rule::Contained,
        Rule::Mask,
        Rule::HeaderType,
        Rule::InstanceFlags,
        Rule::PrimitivePointer,
    ];
    breaks(Rule::MixedLevel, &dragged, instanced(), |image| {
        let nodes = boxes(image, 0);
        let (_, _, node) = nodes.iter().find(|node| starts_with_leaf(&node.2)).unwrap();
        let address = image.bases[1] + node.child_pointers()[0].byte_offset();
        // A range that ends where it begins; its neighbours here are instance nodes.
        let leaves = primitive_nodes(image, 1);
        let (_, leaf) = leaves.iter().find(|leaf| leaf.1.pair(0).prim_range_stop).unwrap();
        edit_bits(image, address, |bits| *bits = *leaf.bits());
        edit_box(image, 0, starts_with_leaf, |node| node.children[0].node_type = 0);
    });
}
