use super::*;
use crate::blocks::{Block, BlockLead, MemoryRange};
use crate::{Segment, Severity};
use geometry::{Aabb, InstanceFlags, Transform, Triangle, Vec3};
use proptest::prelude::*;
use tree::{Blas, Bvh, Instance, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tlas};

/// Two triangles and a procedural box under a root with a leaf and a node, placed twice.
fn example() -> Tree {
    let triangles = vec![
        Triangle::new(Vec3::new(0.0, 1.0, 2.0), Vec3::new(1.5, 1.0, 2.0), Vec3::new(0.0, 3.0, 2.5)),
        Triangle::new(
            Vec3::new(4.0, -1.0, 0.0),
            Vec3::new(5.0, -1.0, 0.5),
            Vec3::new(4.0, 0.0, 0.25),
        ),
    ];
    let boxes = vec![Aabb::new(Vec3::new(7.0, 7.0, 7.0), Vec3::new(8.0, 9.0, 7.5))];
    let id = |geometry, primitive, flags| PrimitiveId { geometry, primitive, flags };
    let ids = vec![
        id(0, 0, PrimitiveFlags::OPAQUE),
        id(0, 1, PrimitiveFlags::DOUBLE_SIDED),
        id(1, 0, PrimitiveFlags::empty()),
    ];
    let primitives = Primitives { triangles, boxes, ids };
    let bounds = |items: &[usize]| {
        items.iter().map(|&i| primitives.bounds(i)).fold(Aabb::EMPTY, Aabb::union)
    };
    let entries = vec![
        Node { bounds: bounds(&[0, 1, 2]), link: NodeLink::inner(1, 2) },
        Node { bounds: bounds(&[2]), link: NodeLink::leaf(0, 1) },
        Node { bounds: bounds(&[0, 1]), link: NodeLink::inner(3, 2) },
        Node { bounds: bounds(&[1]), link: NodeLink::leaf(1, 1) },
        Node { bounds: bounds(&[0]), link: NodeLink::leaf(2, 1) },
    ];
    let bvh = Bvh::new(entries, vec![2, 1, 0], 3).unwrap();
    let instances: Vec<Instance> = [0.0, 20.0]
        .map(|x| {
            let object_to_world = Transform::translation(Vec3::new(x, 0.0, 0.0));
            Instance {
                blas: 0,
                world_to_object: object_to_world.inverse().unwrap(),
                object_to_world,
                mask: 0x0F,
                custom_index: 77,
                sbt_offset: 13,
                flags: InstanceFlags::FLIP_FACING,
            }
        })
        .to_vec();
    let world = Aabb::new(Vec3::splat(-40.0), Vec3::splat(40.0));
    let root = Node { bounds: world, link: NodeLink::leaf(0, 2) };
    let tlas = Tlas { instances, bvh: Bvh::new(vec![root], vec![1, 0], 2).unwrap() };
    Tree { blases: vec![Blas { primitives, bvh }], tlas: Some(tlas) }
}

#[test]
fn decoding_gives_the_tree_back() {
    let tree = example();
    let image = PlainTree.encode(&tree).unwrap();
    let report = PlainTree::check(image.clone());
    assert_eq!(report.findings, Vec::new());
    let checked = report.checked.unwrap();
    assert!(checked.facts().lossless && checked.facts().finite);
    assert_eq!(PlainTree::decode(&checked), tree);
    assert_eq!(PlainTree.encode(checked.tree()).unwrap(), image);
}

#[test]
fn blocks_follow_the_hierarchy() {
    let tree = example();
    let checked = PlainTree::check(PlainTree.encode(&tree).unwrap()).checked.unwrap();
    let blocks = PlainTree::blocks(&checked).unwrap();
    let roots: Vec<Option<u32>> = blocks.levels.iter().map(|level| level.root).collect();
    // Two nodes of the BLAS, and the root of the TLAS, which is a leaf.
    assert_eq!(roots, [Some(0), Some(2)]);
    let leads = |block: usize| {
        let Block { first_node, node_count, .. } = blocks.blocks[block];
        let nodes = &blocks.nodes[first_node as usize..][..usize::from(node_count)];
        nodes.iter().map(|node| node.lead).collect::<Vec<_>>()
    };
    // Segments: the directory, then nodes, references, items, boxes and ids of each level.
    let address = |segment: usize| checked.image().segments[segment].address;
    let leaf = |first, count, references| {
        let memory = MemoryRange { address: references, bytes: 4 * count };
        BlockLead::Items { first, count, memory }
    };
    assert_eq!(leads(0), [leaf(0, 1, address(2)), BlockLead::Block(1)]);
    assert_eq!(leads(1).len(), 2);
    let references = tree.blases[0].bvh.indices();
    assert_eq!(leads(2), [leaf(references.len() as u32, 2, address(7))]);
    assert_eq!(blocks.items[..references.len()], *references);
    assert_eq!(blocks.items[references.len()..], [1, 0]);
    // References 2, 1, 0 of the BLAS: its box behind two triangles; then both instances.
    let memory = [(4, 0, 24), (3, 36, 36), (3, 0, 36), (8, 112, 112), (8, 0, 112)];
    let memory = memory
        .map(|(segment, offset, bytes)| MemoryRange { address: address(segment) + offset, bytes });
    assert_eq!(blocks.item_memory, memory);
    let references = MemoryRange { address: address(7), bytes: 8 };
    assert_eq!(blocks.leaf_bytes(3, 2, references), 8 + 2 * 112);
    assert_eq!(blocks.blocks[1].address, checked.image().segments[1].address + 256);
}

/// One broken word each, and the rule that must name it.
#[test]
fn every_rule_has_its_finding() {
    let record = HEADER_BYTES;
    // (segment, byte, word, rule): segment 0 is the directory, 1 the nodes of the BLAS.
    let cases: [(usize, usize, u32, &str); 10] = [
        (0, 0, 3, "level_count"),
        (0, 0, 0, "level_count"),
        (0, record, 2, "kind"),
        (0, record, 1, "top_last"),
        (0, record + 4, 1 << 30, "array_range"),
        (0, record + 20, 2, "node_number"),
        (1, 4, 0, "hierarchy"),
        (2, 0, 3, "hierarchy"),
        (8, 96, 1, "placement_bottom"),
        (8, 0, 0, "placement_transform"),
    ];
    for (segment, byte, word, rule) in cases {
        let mut image = PlainTree.encode(&example()).unwrap();
        image.segments[segment].bytes_mut()[byte..][..4].copy_from_slice(&word.to_le_bytes());
        let report = PlainTree::check(image);
        assert!(report.checked.is_none() && !report.is_sound(), "{rule}");
        assert_eq!(report.findings[0].rule, rule, "{}", report.findings[0]);
    }
}

#[test]
fn two_blases_need_a_tlas() {
    let mut image = PlainTree.encode(&example()).unwrap();
    let directory = image.segments[0].bytes_mut();
    directory.copy_within(HEADER_BYTES..HEADER_BYTES + RECORD_BYTES, HEADER_BYTES + RECORD_BYTES);
    assert_eq!(PlainTree::check(image).findings[0].rule, "one_bottom");
}

#[test]
fn geometry_outside_its_box_is_a_warning() {
    let mut image = PlainTree.encode(&example()).unwrap();
    // The first corner of triangle 0.
    image.segments[3].bytes_mut()[..4].copy_from_slice(&(-100f32).to_le_bytes());
    let report = PlainTree::check(image);
    assert_eq!(report.findings[0].rule, "contained");
    assert_eq!(report.findings[0].severity, Severity::Warning);
    assert!(!report.checked.unwrap().facts().lossless);
}

/// Every plane of every box, in BLASes and in the TLAS, moved inward: the finding names the box.
#[test]
fn a_box_that_is_too_small_is_a_warning() {
    let tree = testkit::worlds::instanced();
    let sound = PlainTree.encode(&tree).unwrap();
    let report = PlainTree::check(sound.clone());
    assert!(report.findings.is_empty(), "{}", report.findings[0]);
    let checked = report.checked.unwrap();
    let (image, decoded) = (checked.image(), checked.tree());
    let mut shrunk = 0;
    let before: Vec<usize> = image
        .segments
        .iter()
        .scan(0, |sum, segment| {
            *sum += segment.bytes().len();
            Some(*sum - segment.bytes().len())
        })
        .collect();
    for record in decode::directory(image).unwrap() {
        let holds = |s: &Segment| s.get(record.nodes_address, 1).is_some();
        let Some(number) = image.segments.iter().position(holds) else { continue };
        let start = (record.nodes_address - image.segments[number].address) as usize;
        for node in 0..record.node_count {
            let at = start + NODE_BYTES * node + 32;
            let mut damaged = sound.clone();
            let bytes = damaged.segments[number].bytes_mut();
            bytes.copy_within(at..at + 12, at + 12);
            let report = PlainTree::check(damaged);
            let offset = (before[number] + at) as u64;
            assert!(report.findings.iter().any(|finding| finding.offset == offset));
            assert!(!report.checked.unwrap().facts().lossless);
            shrunk += 1;
        }
    }
    assert!(shrunk > decoded.blases.len(), "{shrunk}");
}

#[test]
fn a_leaf_too_large_is_refused() {
    let mut tree = example();
    tree.tlas = None;
    let root = Node { bounds: tree.bounds(), link: NodeLink::leaf(0, 127) };
    tree.blases[0].bvh = Bvh::new(vec![root], vec![0; 127], 3).unwrap();
    let error = PlainTree.encode(&tree).unwrap_err();
    assert_eq!(
        error.to_string(),
        "level 0, entry 0: a leaf of 127 references from 0 on; at most 126, below 16777216, can be \
         named"
    );
}

proptest! {
    /// Whatever is flipped, the check answers, and what it lets through can be decoded.
    #[test]
    fn flipped_bits_never_crash(
        flips in prop::collection::vec((0usize..9, any::<usize>(), 0u8..8), 1..6),
    ) {
        let mut image = PlainTree.encode(&example()).unwrap();
        for (segment, byte, bit) in flips {
            let bytes = image.segments[segment].bytes_mut();
            if !bytes.is_empty() {
                let at = byte % bytes.len();
                bytes[at] ^= 1 << bit;
            }
        }
        if let Some(checked) = PlainTree::check(image).checked {
            prop_assert!(!checked.tree().blases.is_empty());
        }
    }
}
