//! Boxes that lose what is below them are walked as they are: by every kernel, in place and over a
//! copy that keeps them, by rays and by beams.
#![allow(clippy::unwrap_used)] // helpers of tests may fail as tests do

use crate::common;

use build::Preset;
use common::{bits, checked_with, kernels, world};
use geometry::random::Random;
use geometry::{Aabb, Beam, TriangleRule};
use gfx12::Gfx12;
use gfx12::layout::{BoxNode, NODE_BYTES, NodeBits};
use gfx12::obb;
use machine::{
    Checked, Format, HitKind, LeafRule, Machine, MachineInput, MachineOptions, Oracle, PlainTree,
    Query, Reference, TreeFormat,
};
use scene::builtin::Builtin;
use std::sync::Arc;
use testkit::worlds::{point_in, rays};
use trace::{Hit, MACHINES, Mode, Options, Tracer};
use tree::{Bvh, Tree};

/// The hierarchy with the box of an inner node near the root shrunk to a corner of it.
fn shrunk(bvh: &Bvh) -> Bvh {
    let mut nodes = bvh.nodes().to_vec();
    let is_inner = |node: &usize| *node > 0 && !nodes[*node].link.is_leaf();
    let node = (0..nodes.len()).find(is_inner).unwrap();
    nodes[node].bounds.max = nodes[node].bounds.min;
    Bvh::new(nodes, bvh.indices().to_vec(), bvh.item_count()).unwrap()
}

/// Rays, and small boxes that move.
fn queries(bounds: &Aabb) -> Vec<Query> {
    let mut random = Random(5);
    let beams = (0..200).map(|number| {
        let (from, to) = (point_in(bounds, 1.2, &mut random), point_in(bounds, 1.2, &mut random));
        let start = Aabb::new(from, from + bounds.extent() * 0.05);
        let beam = Beam::swept(&start, to - from, 1.0).unwrap();
        Query::beam(HitKind::All, beam, LeafRule::ALL[number % 2])
    });
    let rays = rays(bounds, 21, 600).into_iter().map(Query::from);
    rays.filter(|query| query.kind != HitKind::Any).chain(beams).collect()
}

fn same(a: &[Hit], b: &[Hit]) -> bool {
    a.iter().map(bits).eq(b.iter().map(bits))
}

#[test]
fn a_copy_keeps_boxes_if_asked() {
    let (_, sound) = world(Builtin::Organic, 2_000, Preset::Balanced);
    let mut tree = sound;
    tree.blases[0].bvh = shrunk(&tree.blases[0].bvh);
    let reference = Reference::new(&tree, TriangleRule::Watertight);
    let oracle = Oracle::new(&tree, TriangleRule::Watertight);
    let tracer = |kernel, keeps_boxes| {
        let options = Options { kernel: Some(kernel), keeps_boxes, ..Options::default() };
        Tracer::from_tree(&tree, options).unwrap()
    };
    let kept: Vec<Tracer> = kernels().into_iter().map(|kernel| tracer(kernel, true)).collect();
    let formed: Vec<Tracer> = kernels().into_iter().map(|kernel| tracer(kernel, false)).collect();
    let image = PlainTree::check(PlainTree.encode(&tree).unwrap()).checked.unwrap();
    let inputs = [MachineInput::Tree(Arc::new(tree.clone())), MachineInput::Image(Arc::new(image))];
    let make = |input| (MACHINES[0].make)(input, &MachineOptions::default()).unwrap();
    let machines = inputs.each_ref().map(make);
    let mut lost = [0; 2];
    for query in queries(&tree.bounds()) {
        let whole = oracle.answer(&query).unwrap().hits;
        let stored = reference.answer(&query).unwrap().hits;
        let is_beam = usize::from(matches!(query.shape, machine::Shape::Beam(_)));
        lost[is_beam] += usize::from(!same(&whole, &stored));
        for machine in &machines {
            assert!(same(&machine.answer(&query).unwrap().hits, &stored), "{query:?}");
        }
        for tracer in &kept {
            assert!(same(&tracer.answer(&query).unwrap().hits, &stored), "{query:?}");
        }
        for tracer in formed.iter().filter(|_| is_beam == 0) {
            assert!(same(&tracer.answer(&query).unwrap().hits, &whole), "{query:?}");
        }
    }
    assert!(lost.iter().all(|&lost| lost > 3), "{lost:?}");
}

/// The image with the boxes in an oriented node shrunk to less than a quantum.
fn with_shrunk_oriented(image: &Checked<Gfx12>) -> (Arc<Checked<Gfx12>>, Tree) {
    let mut damaged = image.image().clone();
    let nodes = gfx12::outline::outline(&damaged).entries;
    let boxes = nodes.iter().filter(|entry| entry.kind == "box");
    let (address, mut node) = boxes
        .filter_map(|entry| {
            let bytes = damaged.get(entry.address, NODE_BYTES as usize)?;
            let node = BoxNode::decode(&NodeBits::from_bytes(bytes));
            obb::rotation(node.obb_matrix_index)?;
            Some((entry.address, node))
        })
        .next()
        .unwrap();
    for child in &mut node.children {
        child.max = child.min;
    }
    let segment = damaged.segments.iter_mut().find(|s| s.get(address, 1).is_some()).unwrap();
    let start = (address - segment.address) as usize;
    let bytes = &mut segment.bytes_mut()[start..start + NODE_BYTES as usize];
    bytes.copy_from_slice(&node.encode().to_bytes());
    let checked = Arc::new(Gfx12::check(damaged).checked.unwrap());
    assert!(!checked.facts().lossless);
    let tree = checked.tree().as_ref().clone();
    (checked, tree)
}

#[test]
fn oriented_boxes_are_walked_alike_by_every_kernel() {
    let (image, _) = checked_with(&Builtin::Hairball.scene(2_000), Preset::Balanced, true);
    let (image, tree) = with_shrunk_oriented(&image);
    let oracle = Oracle::new(&tree, TriangleRule::Watertight);
    let reference = Reference::new(&tree, TriangleRule::Watertight);
    let tracers: Vec<Tracer> = kernels()
        .into_iter()
        .map(|kernel| {
            let options =
                Options { mode: Mode::InPlace, kernel: Some(kernel), ..Options::default() };
            Tracer::from_image(Arc::clone(&image), options).unwrap()
        })
        .collect();
    let mut lost = [0; 2];
    for query in queries(&tree.bounds()) {
        let whole = oracle.answer(&query).unwrap().hits;
        let decoded = reference.answer(&query).unwrap().hits;
        let stored = tracers[0].answer(&query).unwrap().hits;
        lost[0] += usize::from(!same(&whole, &stored));
        lost[1] += usize::from(!same(&whole, &decoded));
        let (_, watched) = testkit::walks::watched(&tracers[0], &query);
        assert!(same(&watched.hits, &stored), "{query:?}");
        for tracer in &tracers {
            assert!(same(&tracer.answer(&query).unwrap().hits, &stored), "{query:?}");
        }
    }
    assert!(lost.iter().all(|&lost| lost > 3), "{lost:?}");
}
