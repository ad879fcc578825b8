//! Each rule broken, and nothing else.
//!
//! Every case changes a sound image a little. The rules that the change breaks must be exactly the
//! one it is for and those it cannot but drag along, which the case lists.

use super::dump::hiprt_image;
use super::edit::{boxes, edit_bits, edit_box, edit_instance, primitive_nodes};
use super::radv_files::{in_radv_order, unset_pointers};
use super::worlds::{scene, tree};
use build::Preset;
use gfx12::check::{Rule, check};
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{
    BOX_TYPE, BasePointer, Bits, BoxFrame, BoxNode, ChildEntry, CullFlags, GpurtHeader,
    InstanceNode, NodeBits, NodePointer, PointerFlags, RadvHeader,
};
use machine::{FilePlace, Image, ImageFile, Segment, Severity};
use scene::builtin::Builtin;
use std::collections::BTreeSet;

pub(super) fn encoded(kind: &str, policy: Policy) -> Image {
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
pub(super) fn breaks(
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
        assert!(finding.bits.start <= finding.bits.end && finding.bits.end <= 1024);
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
pub(super) fn starts_with_leaf(node: &BoxNode) -> bool {
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
    breaks(Rule::Base, &[], triangles(), |image| image.bases.push(0));
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
    let dragged = [Rule::Contained, Rule::Mask, Rule::HeaderType, Rule::InstanceFlags];
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

#[test]
fn instance_rules() {
    let any = |_: &InstanceNode| true;
    // Not one of two nodes that show an instance together.
    let alone = |node: &InstanceNode| node.child_base.address() == instanced().segments[1].address;
    breaks(Rule::InstanceBase, &[Rule::Sideband], instanced(), |image| {
        edit_instance(image, alone, |node| {
            node.child_base = BasePointer::new(0x7000_0000, node.child_base.flags()).unwrap();
        });
    });
    breaks(Rule::InstanceRoot, &[Rule::InstanceBox], instanced(), |image| {
        edit_instance(image, any, |node| node.children[1].node_type = 2);
    });
    breaks(Rule::InstanceRoot, &[Rule::InstanceBox], instanced(), |image| {
        edit_instance(image, any, |node| node.children[1].range_length = 13);
    });
    breaks(Rule::Transform, &[Rule::Contained], instanced(), |image| {
        edit_instance(image, alone, |node| {
            node.world_to_object.rows[1] = node.world_to_object.rows[0]
        });
    });
    let all_boxes = |max: u16| {
        move |node: &mut InstanceNode| {
            for child in &mut node.children {
                (child.min, child.max) = ([4095; 3], [max; 3]);
            }
        }
    };
    breaks(Rule::InstanceBox, &[], instanced(), |image| {
        edit_instance(image, any, all_boxes(4095));
    });
    breaks(Rule::InstancePart, &[], instanced(), |image| {
        edit_instance(image, alone, all_boxes(0));
    });
    breaks(Rule::InstanceFlags, &[], instanced(), |image| {
        edit_instance(image, alone, |node| {
            let flags = node.child_base.flags() | PointerFlags::CULL_OPAQUE;
            node.child_base = node.child_base.with_flags(flags);
        });
    });
    breaks(Rule::InstanceFlags, &[], instanced(), |image| {
        edit_instance(image, alone, |node| {
            let flags = node.child_base.flags() | PointerFlags::SKIP_TRIANGLES;
            node.child_base = node.child_base.with_flags(flags);
        });
    });
    breaks(Rule::Parent, &[], instanced(), |image| {
        edit_instance(image, any, |node| node.parent = NodePointer(5));
    });
    let sideband = |image: &mut Image, word: usize, value: u32| {
        let base = image.bases[0];
        let header = GpurtHeader::decode(&NodeBits::from_bytes(image.get(base, 128).unwrap()));
        let address = base + u64::from(header.geometry_info_offset);
        edit_bits(image, address, |bits| bits.set_word(word, value));
    };
    breaks(Rule::Sideband, &[Rule::InstanceFlags], instanced(), |image| sideband(image, 0, 900));
    breaks(Rule::SidebandOrder, &[], instanced(), in_radv_order);
    breaks(Rule::Sideband, &[], instanced(), |image| sideband(image, 7, 9e9f32.to_bits()));
}

#[test]
fn header_rules() {
    breaks(Rule::HeaderOffset, &[], triangles(), |image| {
        header(image, 0, |header| header.leaf_node_offset = 64);
    });
    breaks(Rule::HeaderOffset, &[], triangles(), |image| {
        header(image, 0, |header| header.primitive_count = 1 << 30);
    });
    breaks(Rule::HeaderCount, &[], triangles(), |image| {
        header(image, 0, |header| header.internal_fp32_count += 1);
    });
    breaks(Rule::HeaderCount, &[], instanced(), |image| {
        header(image, 2, |header| header.active_primitive_count = header.primitive_count + 1);
    });
    breaks(Rule::HeaderType, &[], triangles(), |image| header(image, 0, |header| header.info ^= 1));
    breaks(Rule::UnsetPointers, &[], triangles(), unset_pointers);
    // Words of RADV's header: the opacity, a bound, bytes, the kind of structure.
    for (word, value, rule) in [
        (1, 3, Rule::DriverHeader),
        (2, f32::INFINITY.to_bits(), Rule::DriverHeader),
        (22, 2, Rule::HeaderType),
    ] {
        let dragged = [Rule::Contained, Rule::InstanceBox];
        breaks(rule, &dragged, encoded("triangles", Policy::Radv), |image| {
            edit_bits(image, 0, |bits| bits.set_word(word, value));
        });
    }
    // HIPRT's: the number of boxes.
    breaks(Rule::DriverHeader, &[], encoded("triangles", Policy::Hiprt), |image| {
        edit_bits(image, 0, |bits| bits.set_word(7, 99));
    });
    breaks(Rule::AllocatedSize, &[], encoded("triangles", Policy::Radv), |image| {
        let header = RadvHeader::decode(&Bits::from_bytes(image.segments[0].bytes()));
        let larger = header.with_sizes(header.compacted_size + 256, 0);
        larger.encode().write_bytes(image.segments[0].bytes_mut());
    });
    breaks(Rule::PrimitivePointer, &[], triangles(), |image| {
        let base = image.bases[0];
        let header = GpurtHeader::decode(&NodeBits::from_bytes(image.get(base, 128).unwrap()));
        let list = base + u64::from(header.primitive_pointer_offset);
        edit_bits(image, list, |bits| bits.set_word(0, 0x25));
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

#[test]
fn every_rule_has_a_case() {
    let sources = [include_str!("rules.rs"), include_str!("driver_rules.rs")];
    let source: String = sources.iter().flat_map(|source| source.split_whitespace()).collect();
    for rule in Rule::ALL {
        assert!(source.contains(&format!("breaks(Rule::{rule:?},")), "{rule:?}");
    }
}

/// Offsets are those of the node at fault, over all segments or in a file.
#[test]
fn offsets_lead_to_the_node() {
    let mut image = instanced();
    let (address, pointer, _) = boxes(&image, 3)[0];
    edit_bits(&mut image, address, |bits| bits.set(217..220, 0));
    edit_bits(&mut image, address, |bits| bits.set_word(2, 0x77));
    let inside = address - image.segments[3].address;
    let before: u64 = image.segments[..3].iter().map(|s| s.bytes().len() as u64).sum();
    let findings = check(image.clone()).findings;
    assert_eq!(findings.len(), 1);
    assert_eq!((findings[0].offset, findings[0].bits.clone()), (before + inside, 64..96));
    assert_eq!(findings[0].place, format!("box {pointer}"));
    let places = [1, 2, 3, 5, 6].map(|place: u64| FilePlace::at(place << 20)).to_vec();
    let report = ImageFile::of(image, places).check(gfx12::registry::FORMATS[0].check);
    assert_eq!(report.findings[0].offset, (5 << 20) + inside);
}

/// A report is bounded: a thousand findings of a rule, and their sum.
#[test]
fn many_findings_are_summed_up() {
    let scene = scene::builtin::Builtin::Organic.scene(24_000);
    let tree = tree(&scene, Preset::Fast);
    let mut image = encode(&tree, &Options::new(Policy::Dense)).unwrap().image;
    let nodes = boxes(&image, 0);
    assert!(nodes.len() > 1200);
    for (address, _, _) in &nodes {
        edit_bits(&mut image, *address, |bits| bits.set_word(2, 0x77));
    }
    let findings = check(image).findings;
    assert_eq!(findings.len(), 1001);
    let sum = format!("{} findings of this rule in all", nodes.len());
    assert_eq!(findings.iter().filter(|finding| finding.found == sum).count(), 1);
    let stood_for: usize = findings.iter().map(|finding| finding.count as usize).sum();
    assert_eq!(stood_for, nodes.len());
    let mut offsets: Vec<u64> = nodes.iter().map(|node| node.0 - 0x1_0000).collect();
    offsets.sort_unstable();
    let listed: Vec<u64> = findings[..1000].iter().map(|finding| finding.offset).collect();
    assert_eq!(listed, offsets[..1000]);
}
