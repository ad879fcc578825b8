//! Ranges that start inside a node and ranges that go on in the next one.

use super::support::{Questions, World, aimed};
use geometry::{Triangle, TriangleRule, Vec3};
use gfx12::encode;
use gfx12::encode::Options as EncodeOptions;
use gfx12::layout::{BoxNode, NodeBits, PrimitiveNode, pair_descriptor_bits, type_of_pair};
use gfx12::walk::{Gpurt, Options, Radv, WalkError};
use machine::{Image, Segment};
use std::sync::Arc;
use tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree};

const STRIP: usize = 12;
const ROOT: usize = 128;

/// Two crumpled strips of 12 triangles behind each other, one leaf each: six pairs in each of two
/// nodes.
fn two_strips() -> Image {
    let corner = |n: usize, z: f32| {
        Vec3::new((n / 2) as f32, (n % 2) as f32 * 2.0, z + (n * n % 5) as f32 * 0.5)
    };
    let mut primitives = Primitives::default();
    for (geometry, z) in [(3, 0.0), (4, 8.0)] {
        for n in 0..STRIP {
            primitives.triangles.push(Triangle::new(
                corner(n, z),
                corner(n + 1, z),
                corner(n + 2, z),
            ));
            let (primitive, flags) = (n as u32, PrimitiveFlags::OPAQUE);
            primitives.ids.push(PrimitiveId { geometry, primitive, flags });
        }
    }
    let bounds = |items: std::ops::Range<usize>| {
        items.map(|n| primitives.bounds(n)).reduce(geometry::Aabb::union).unwrap()
    };
    let entries = vec![
        Node { bounds: bounds(0..2 * STRIP), link: NodeLink::inner(1, 2) },
        Node { bounds: bounds(0..STRIP), link: NodeLink::leaf(0, STRIP) },
        Node { bounds: bounds(STRIP..2 * STRIP), link: NodeLink::leaf(STRIP as u32, STRIP) },
    ];
    let bvh = Bvh::new(entries, (0..2 * STRIP as u32).collect(), 2 * STRIP).unwrap();
    let tree = Tree { blases: vec![Blas { primitives, bvh }], tlas: None };
    let options = EncodeOptions { keep_leaves: true, ..EncodeOptions::default() };
    let image = encode::encode(&tree, &options).unwrap().image;
    let node = |at: usize| &image.segments[0].bytes()[at..at + 128];
    let root = BoxNode::decode(&NodeBits::from_bytes(node(ROOT)));
    assert_eq!((root.child_count, root.children[0].range_length), (2, 1));
    for at in [ROOT + 128, ROOT + 256] {
        let primitives = PrimitiveNode::decode(&NodeBits::from_bytes(node(at)));
        assert_eq!(primitives.pair_count(), 6);
    }
    image
}

fn edit_root(image: &mut Image, edit: impl FnOnce(&mut BoxNode)) {
    let bytes = &mut image.segments[0].bytes_mut()[ROOT..ROOT + 128];
    let mut root = BoxNode::decode(&NodeBits::from_bytes(bytes));
    edit(&mut root);
    bytes.copy_from_slice(&root.encode().to_bytes());
}

fn set_stop(image: &mut Image, node: usize, pair: usize, stop: bool) {
    let at = ROOT + 128 * (1 + node);
    let bytes = &mut image.segments[0].bytes_mut()[at..at + 128];
    let mut bits = NodeBits::from_bytes(bytes);
    bits.set_flag(pair_descriptor_bits(pair).start, stop);
    bytes.copy_from_slice(&bits.to_bytes());
}

fn agrees(image: Image, leaves: &[usize]) {
    let world = World::of_image(image).unwrap();
    assert!(world.image.facts().lossless);
    let bvh = &world.tree.blases[0].bvh;
    let sizes: Vec<usize> = bvh.children(bvh.root()).iter().map(|leaf| leaf.link.count()).collect();
    assert_eq!(sizes, leaves);
    for rule in TriangleRule::ALL {
        let questions = Questions::new(&world.tree, rule, 3, 400, aimed);
        assert!(questions.hitting() > 100);
        for stack_size in [1, 2, 8, 16] {
            let options = Options { stack_size, ..Options::gpurt(rule) };
            let machine = Gpurt::new(Arc::clone(&world.image), options).unwrap();
            assert_eq!(questions.losses(&machine), [0; 3]);
        }
        let refused = Radv::new(Arc::clone(&world.image), Options::radv(rule)).unwrap_err();
        assert!(matches!(refused, WalkError::LongRange { structure: 0, .. }), "{refused}");
    }
}

#[test]
fn one_node_a_range() {
    agrees(two_strips(), &[12, 12]);
}

#[test]
fn a_range_that_starts_at_pair_5() {
    let mut image = two_strips();
    set_stop(&mut image, 0, 4, true);
    edit_root(&mut image, |root| {
        let [first, second, ..] = root.children;
        root.child_count = 3;
        root.children[0].range_length = 0;
        root.children[1] = first;
        root.children[1].node_type = type_of_pair(5);
        root.children[2] = second;
    });
    agrees(image, &[10, 2, 12]);
}

#[test]
fn a_range_that_crosses_into_the_next_node() {
    let mut image = two_strips();
    set_stop(&mut image, 0, 5, false);
    set_stop(&mut image, 1, 1, true);
    edit_root(&mut image, |root| {
        let second = root.children[1];
        for axis in 0..3 {
            let first = &mut root.children[0];
            first.min[axis] = first.min[axis].min(second.min[axis]);
            first.max[axis] = first.max[axis].max(second.max[axis]);
        }
        root.children[1].node_type = type_of_pair(2);
    });
    agrees(image, &[16, 8]);
}

/// A range that begins at the last pair of a node and goes on in the next.
#[test]
fn a_range_that_starts_at_the_last_pair() {
    let mut image = two_strips();
    set_stop(&mut image, 0, 4, true);
    set_stop(&mut image, 0, 5, false);
    edit_root(&mut image, |root| {
        let [first, second, ..] = root.children;
        for axis in 0..3 {
            root.children[1].min[axis] = first.min[axis].min(second.min[axis]);
            root.children[1].max[axis] = first.max[axis].max(second.max[axis]);
        }
        root.children[0].range_length = 0;
        root.children[1].node_type = type_of_pair(5);
    });
    agrees(image, &[10, 14]);
}

/// The real HIPRT image: two bases, ranges over three nodes, boxes and primitives in any order of
/// slots.
#[test]
fn the_hiprt_image() {
    let bytes = include_bytes!("../vectors/hiprt-cornell-bvh8.bin");
    let image = Image {
        format: gfx12::NAME,
        segments: vec![Segment::new(0x4_0000, bytes)],
        bases: vec![0x4_0040, 0x4_04C0],
        root: 0x5,
    };
    let world = World::of_image(image).unwrap();
    assert!(!world.image.facts().parents, "a real defect of that file");
    for rule in TriangleRule::ALL {
        let questions = Questions::new(&world.tree, rule, 41, 500, aimed);
        assert!(questions.hitting() > 300);
        let machine = Gpurt::new(Arc::clone(&world.image), Options::gpurt(rule)).unwrap();
        let lost = questions.losses(&machine);
        // HIPRT leaves no margin: rays at edges that lie in box planes may slip through.
        assert!(lost.iter().all(|&lost| lost < 10), "{lost:?}");
        let short = Options { stack_size: 2, ..Options::gpurt(rule) };
        let refused = Gpurt::new(Arc::clone(&world.image), short).unwrap_err();
        assert!(matches!(refused, WalkError::Parents { size: 2, .. }), "{refused}");
    }
}
