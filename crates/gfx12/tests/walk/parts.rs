//! Instances that are entered below the roots of their structures: made by hand, and rebraided.

use super::support::{Questions, World, aimed};
use build::{Options as BuildOptions, Preset};
use geometry::TriangleRule;
use gfx12::decode::{NodeBody, nodes};
use gfx12::encode::{Options as EncodeOptions, Policy, encode};
use gfx12::layout::{BoxNode, ChildEntry, InstanceNode, NodeBits, NodePointer};
use gfx12::walk::{Gpurt, Options, Radv, RadvLiteral, Shipped};
use gfx12::{Gfx12, check, rra};
use machine::{Answer, Format, Image, Machine, Severity};
use scene::builtin::Builtin;
use std::sync::Arc;
use tree::Tree;

const RULE: TriangleRule = TriangleRule::Watertight;

/// A forest whose structures have roots with so many children.
fn forest(width: usize) -> Tree {
    let options = BuildOptions { preset: Preset::Balanced, width, ..BuildOptions::default() };
    let scene = Builtin::Forest.scene(2000);
    options.build(&scene).unwrap()
}

fn one_pair() -> EncodeOptions {
    EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Gpurt) }
}

/// Rewrites instance nodes, each told the root below it; how many were changed.
fn edit(image: &mut Image, change: impl Fn(&mut InstanceNode, &BoxNode) -> bool) -> usize {
    let instances: Vec<(u64, InstanceNode)> = nodes(image)
        .filter_map(|node| match node.body {
            NodeBody::Instance(body) => Some((node.address, *body)),
            _ => None,
        })
        .collect();
    let mut changed = 0;
    for (address, mut node) in instances {
        let header = if image.root == 0x15 { 128 } else { 0 };
        let root = image.get(node.child_base.address() + header, 128).unwrap();
        let root = BoxNode::decode(&NodeBits::from_bytes(root));
        changed += usize::from(change(&mut node, &root));
        let segment = image.segments.iter_mut().find(|s| s.get(address, 128).is_some()).unwrap();
        let start = (address - segment.address) as usize;
        node.encode().write_bytes(&mut segment.bytes_mut()[start..start + 128]);
    }
    changed
}

/// The children of a root, if all are boxes.
fn box_children(root: &BoxNode) -> Option<Vec<(NodePointer, ChildEntry)>> {
    let children: Vec<_> =
        root.child_pointers().into_iter().zip(root.used_children().iter().copied()).collect();
    children.iter().all(|(pointer, _)| pointer.is_box()).then_some(children)
}

/// Names the children of the root by the numbers of their nodes.
fn by_number(node: &mut InstanceNode, root: &BoxNode) -> bool {
    let Some(children) = box_children(root) else { return false };
    node.frame = root.frame;
    node.child_count = children.len() as u8;
    for (entry, (pointer, child)) in node.children.iter_mut().zip(&children) {
        *entry = ChildEntry { node_type: (pointer.0 >> 4) as u8, range_length: 0, ..*child };
    }
    true
}

/// Names them by their pointers, behind a slot that leads from node 0 to the first.
fn by_pointer(node: &mut InstanceNode, root: &BoxNode) -> bool {
    let Some(children) = box_children(root).filter(|children| children.len() < 4) else {
        return false;
    };
    node.frame = root.frame;
    node.child_count = children.len() as u8 + 1;
    let first = (children[0].0.0 >> 4) as u8;
    node.children[0] = ChildEntry { node_type: 5, range_length: first, ..ChildEntry::UNUSED };
    for (entry, (_, child)) in node.children[1..].iter_mut().zip(&children) {
        *entry = ChildEntry { range_length: 1, ..*child };
    }
    true
}

/// Both loops give the answers of brute force, whatever their stacks lose.
fn nothing_is_lost(image: Image) {
    let report = check::check(image.clone());
    // Notes are RADV's shared pairs.
    let worst = report.findings.iter().find(|finding| finding.severity != Severity::Note);
    assert!(worst.is_none(), "{worst:#?}");
    let world = World::of_image(image).unwrap();
    let questions = Questions::new(&world.tree, RULE, 41, 150, aimed);
    assert!(questions.hitting() > 50);
    for stack_size in [1, 2, 4, 16] {
        let gpurt = Options { stack_size, ..Options::gpurt(RULE) };
        let gpurt = Gpurt::new(Arc::clone(&world.image), gpurt).unwrap();
        assert_eq!(questions.losses(&gpurt), [0; 3], "gpurt, {stack_size} entries");
        let radv = Options { stack_size, ..Options::radv(RULE) };
        let radv = Radv::new(Arc::clone(&world.image), radv).unwrap();
        assert_eq!(questions.losses(&radv), [0; 3], "radv, {stack_size} entries");
    }
}

#[test]
fn two_to_four_nodes_by_hand() {
    for width in 2..=4 {
        let plain = encode(&forest(width), &one_pair()).unwrap().image;
        let tree = Arc::clone(World::of_image(plain.clone()).unwrap().image.tree());
        let ways = [by_number as fn(&mut InstanceNode, &BoxNode) -> bool, by_pointer];
        for change in &ways[..if width < 4 { 2 } else { 1 }] {
            let mut image = plain.clone();
            assert!(edit(&mut image, change) > 5, "{width}");
            nothing_is_lost(image.clone());
            let decoded = Arc::clone(Gfx12::check(image).checked.unwrap().tree());
            assert_eq!(decoded, tree, "the same instances of the same structures");
        }
    }
}

/// RADV's root is 0x5, and its instances name it by type 5 and size 1; its exporter copies that in
/// front of a root of 0x15.
#[test]
fn the_root_as_radv_names_it() {
    let radv = EncodeOptions { margin: true, ..EncodeOptions::new(Policy::Radv) };
    let memory = encode(&forest(8), &radv).unwrap().image;
    let file = rra::write(&memory).unwrap();
    let exported = rra::read(&file).unwrap().open(None).unwrap().image;
    assert_eq!([memory.root, exported.root], [0x5, 0x15]);
    for mut image in [memory, exported] {
        let named = edit(&mut image, |node, _| {
            let ChildEntry { node_type, range_length, .. } = node.children[0];
            assert_eq!((node.child_count, node_type, range_length), (1, 5, 1));
            true
        });
        assert!(named > 20);
        nothing_is_lost(image);
    }
}

/// The shader that is shipped enters one of the nodes.
#[test]
fn radv_as_shipped_enters_the_nearest_node_only() {
    let mut image = encode(&forest(4), &one_pair()).unwrap().image;
    edit(&mut image, by_number);
    let world = World::of_image(image).unwrap();
    let questions = Questions::new(&world.tree, RULE, 43, 150, aimed);
    let literal =
        RadvLiteral::new(Shipped::Mesa25_2, Arc::clone(&world.image), Options::radv(RULE)).unwrap();
    assert!(questions.losses(&literal)[2] > 0);
}

/// An instance that names some of its structure hides the rest, and the check says so.
#[test]
fn a_part_alone_is_a_warning() {
    let mut image = encode(&forest(4), &one_pair()).unwrap().image;
    let changed = edit(&mut image, |node, root| {
        let changed = by_number(node, root) && node.child_count > 2;
        if changed {
            node.child_count -= 1;
        }
        changed
    });
    let report = Gfx12::check(image);
    let parts = report.findings.iter().filter(|finding| finding.rule == "instance_part");
    assert_eq!(parts.count(), changed);
    assert!(!report.checked.unwrap().facts().lossless);
}

/// Entering below the roots loses nothing and saves nodes.
#[test]
fn rebraided_instances_save_nodes() {
    let tree = forest(4);
    let [whole, opened] = [false, true].map(|rebraid| {
        let encoded = encode(&tree, &EncodeOptions { rebraid, ..one_pair() }).unwrap();
        if rebraid {
            assert!(encoded.report.opened_instances > 5);
        }
        let world = World::of_image(encoded.image.clone()).unwrap();
        nothing_is_lost(encoded.image);
        (world, encoded.report)
    });
    let instances = |world: &World| world.tree.tlas.as_ref().unwrap().instances.clone();
    assert_eq!(instances(&whole.0), instances(&opened.0));
    assert!(opened.1.tlas_cost < whole.1.tlas_cost);
    let questions = Questions::new(&whole.0.tree, RULE, 47, 400, aimed);
    let nodes = [whole.0, opened.0].map(|world| {
        let machine = Gpurt::new(world.image, Options::gpurt(RULE)).unwrap();
        let mut answer = Answer::default();
        for (query, _) in &questions.asked {
            machine.answer_into(&(*query).into(), &mut answer).unwrap();
        }
        answer.counters.nodes
    });
    assert!(nodes[1] < nodes[0], "{nodes:?}");
}

/// What was decoded from a rebraided image is laid out with whole instances again.
#[test]
fn rebraided_trees_come_back_whole() {
    let tree = forest(8);
    let options = EncodeOptions { rebraid: true, ..EncodeOptions::default() };
    let opened = World::of_tree(&tree, &options);
    let again = encode(&opened.tree, &EncodeOptions::decoded(Policy::Dense)).unwrap();
    assert_eq!(again.report.instance_nodes, tree.tlas.unwrap().instances.len());
    let report = Gfx12::check(again.image);
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}
