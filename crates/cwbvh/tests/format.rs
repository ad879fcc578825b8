//! What is encoded comes back byte for byte; what is damaged is named, and never walked blindly.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use cwbvh::node::{Child, NODE_BYTES, Node};
use cwbvh::{Cwbvh, CwbvhEncodeError, NAME, Rule, registry};
use geometry::random::Random;
use geometry::{Aabb, TriangleRule, Vec3};
use machine::file::write_container;
use machine::{
    Checked, EntryState, Format, HitKind, Image, Machine, Oracle, Query, Reference, Severity,
    TreeFormat,
};
use testkit::worlds;
use tree::{Bvh, NodeLink, PrimitiveId, Tree};

/// A tree without its procedural boxes: references to them are left out.
fn triangles_only(mut tree: Tree) -> Tree {
    for blas in &mut tree.blases {
        let count = blas.primitives.triangles.len();
        let mut indices = Vec::new();
        let nodes = blas.bvh.nodes().iter().map(|node| {
            let mut node = *node;
            if node.link.is_leaf() {
                let kept = blas.bvh.items(&node).iter().filter(|&&item| (item as usize) < count);
                let start = indices.len();
                indices.extend(kept.copied());
                node.link = NodeLink::leaf(start as u32, indices.len() - start);
            }
            node
        });
        let nodes = nodes.collect();
        blas.bvh = Bvh::new(nodes, indices, count).unwrap();
        blas.primitives.boxes.clear();
        blas.primitives.ids.truncate(count);
    }
    tree
}

fn trees() -> Vec<Tree> {
    let mut trees = vec![triangles_only(worlds::mixed()), triangles_only(worlds::instanced())];
    trees.extend(worlds::scenes());
    trees
}

fn checked(image: Image) -> Checked<Cwbvh> {
    let report = Cwbvh::check(image);
    let errors: Vec<_> = report.findings.iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    report.checked.unwrap()
}

#[test]
fn decoding_and_encoding_gives_the_same_bytes() {
    for tree in trees() {
        let image = Cwbvh.encode(&tree).unwrap();
        let checked = checked(image.clone());
        let decoded = checked.tree();
        let places = Cwbvh::node_places(&checked).unwrap();
        let levels = decoded.blases.iter().map(|blas| &blas.bvh);
        let nodes: Vec<usize> = levels
            .chain(decoded.tlas.as_ref().map(|tlas| &tlas.bvh))
            .map(|bvh| bvh.nodes().len())
            .collect();
        assert_eq!(places.iter().map(Vec::len).collect::<Vec<_>>(), nodes);
        assert_eq!(decoded.triangle_count() > 0, tree.triangle_count() > 0);
        assert!(Cwbvh.encode(decoded).unwrap() == image, "{} triangles", tree.triangle_count());
        for (blas, read) in tree.blases.iter().zip(&decoded.blases) {
            let ids = |ids: &[PrimitiveId]| {
                let mut ids: Vec<_> = ids.iter().map(|id| (id.geometry, id.primitive)).collect();
                ids.sort_unstable();
                ids
            };
            assert_eq!(ids(&blas.primitives.ids), ids(&read.primitives.ids));
        }
    }
}

/// Every stored box contains its triangles unless spatial splits clip them.
#[test]
fn boxes_contain_what_is_below_them() {
    let trees = trees();
    for tree in [&trees[0], &trees[1], &trees[2], &trees[4]] {
        let report = Cwbvh::check(Cwbvh.encode(tree).unwrap());
        assert_eq!(report.findings, []);
        assert!(report.checked.unwrap().facts().lossless);
    }
}

#[test]
fn walks_agree_with_the_oracle() {
    for tree in trees() {
        let checked = checked(Cwbvh.encode(&tree).unwrap());
        let decoded = checked.tree();
        let rule = TriangleRule::Watertight;
        let (walk, oracle) = (Reference::new(&**decoded, rule), Oracle::new(&**decoded, rule));
        for query in worlds::rays(&decoded.bounds(), 11, 300) {
            for kind in [HitKind::Closest, HitKind::All] {
                let query = Query::from(machine::RayQuery { kind, ..query });
                let (found, expected) = (walk.answer(&query), oracle.answer(&query));
                assert_eq!(found.unwrap().hits, expected.unwrap().hits);
            }
        }
    }
}

/// Two triangles in two leaves beside a node of three: two nodes in all.
fn small() -> Image {
    let mut random = Random(3);
    let mut tree = triangles_only(worlds::mixed());
    let blas = &mut tree.blases[0];
    blas.primitives.triangles.truncate(5);
    blas.primitives.ids.truncate(5);
    for triangle in &mut blas.primitives.triangles {
        triangle.vertices = [0; 3].map(|_| random.vector(-3.0, 5.0));
    }
    let bounds = |items: &[usize]| {
        items.iter().fold(Aabb::EMPTY, |sum, &item| sum.union(blas.primitives.bounds(item)))
    };
    let node = |items: &[usize], link| tree::Node { bounds: bounds(items), link };
    let nodes = vec![
        node(&[0, 1, 2, 3, 4], NodeLink::inner(1, 3)),
        node(&[0], NodeLink::leaf(0, 1)),
        node(&[1], NodeLink::leaf(1, 1)),
        node(&[2, 3, 4], NodeLink::inner(4, 2)),
        node(&[2], NodeLink::leaf(2, 1)),
        node(&[3, 4], NodeLink::leaf(3, 2)),
    ];
    blas.bvh = Bvh::new(nodes, (0..5).collect(), 5).unwrap();
    Cwbvh.encode(&tree).unwrap()
}

/// Segments of the small image, by number.
const DIRECTORY: usize = 0;
const NODES: usize = 1;
const TRIANGLES: usize = 2;

fn node(image: &Image, number: usize) -> Node {
    Node::from_bytes(&image.segments[NODES].bytes()[NODE_BYTES * number..])
}

fn with_node(number: usize, change: impl Fn(&mut Node)) -> Image {
    let mut image = small();
    let mut changed = node(&image, number);
    change(&mut changed);
    image.segments[NODES].bytes_mut()[NODE_BYTES * number..][..NODE_BYTES]
        .copy_from_slice(&changed.to_bytes());
    image
}

fn with_word(segment: usize, byte: usize, word: u32) -> Image {
    let mut image = small();
    image.segments[segment].bytes_mut()[byte..][..4].copy_from_slice(&word.to_le_bytes());
    image
}

/// The slot of the root with a child node, and one with a leaf.
fn slots() -> [usize; 2] {
    let root = node(&small(), 0);
    let is_node = |(_, child): &(usize, Child)| matches!(child, Child::Node(_));
    let inner = root.children().find(is_node).unwrap().0;
    [inner, root.children().find(|child| !is_node(child)).unwrap().0]
}

/// Makes the second node its own child, in place of its first leaf.
fn parent_of_itself(node: &mut Node) {
    let slot = node.children().next().unwrap().0;
    node.child_base = 1;
    node.set(slot, Child::Node(1), node.low(slot), node.high(slot));
}

/// One change each, which breaks that rule and no other.
#[test]
fn every_rule_has_its_finding() {
    let instanced = || Cwbvh.encode(&triangles_only(worlds::instanced())).unwrap();
    let with_tlas = |segment_from_end: usize, byte: usize, word: u32| {
        let mut image = instanced();
        let segment = image.segments.len() - segment_from_end;
        image.segments[segment].bytes_mut()[byte..][..4].copy_from_slice(&word.to_le_bytes());
        image
    };
    let [inner, leaf] = slots();
    assert!(inner < 7);
    let cases: Vec<(Rule, Image)> = vec![
        (Rule::Directory, with_word(DIRECTORY, 0, 0)),
        (Rule::Directory, with_word(DIRECTORY, 0, 2)),
        (Rule::Directory, Image { root: 0x77, ..small() }),
        (Rule::LevelKind, with_word(DIRECTORY, 64, 2)),
        (Rule::ArrayRange, with_word(DIRECTORY, 64 + 8, 1 << 30)),
        (Rule::InstanceLevel, with_tlas(1, 96, 3)),
        (Rule::Transform, with_tlas(1, 0, f32::NAN.to_bits())),
        (Rule::Reference, with_tlas(2, 0, 30)),
        (Rule::Frame, with_node(1, |node| node.exponents[2] = 255)),
        (Rule::Frame, with_node(1, |node| node.origin[0] = f32::INFINITY)),
        (Rule::Meta, with_node(0, |node| node.meta[leaf] = 0b1010_0000)),
        (Rule::Meta, with_node(0, |node| node.meta[inner] ^= 1)),
        // A bit above the child node's own, which does not move it.
        (Rule::Imask, with_node(0, |node| node.imask |= 0x80)),
        (Rule::Children, with_node(1, |node| node.meta = [0; 8])),
        (
            Rule::PlaneOrder,
            with_node(0, |node| {
                node.qlo_y[leaf] = 9;
                node.qhi_y[leaf] = 8;
            }),
        ),
        (Rule::ChildRange, with_node(0, |node| node.child_base = u32::MAX)),
        (Rule::ItemRange, with_node(1, |node| node.triangle_base = u32::MAX - 1)),
        (Rule::ReachedTwice, with_node(1, parent_of_itself)),
        (Rule::VertexFinite, with_word(TRIANGLES, 0, f32::NAN.to_bits())),
        (Rule::Contained, with_node(1, |node| node.origin[1] += 100.0)),
        (
            Rule::Orphan,
            with_node(0, |node| {
                node.imask = 0;
                node.meta[inner] = 0;
            }),
        ),
    ];
    for rule in Rule::ALL {
        assert!(cases.iter().any(|(broken, _)| broken == rule), "{rule:?}");
    }
    for (rule, image) in cases {
        let report = Cwbvh::check(image);
        let mut found: Vec<_> = report.findings.iter().map(|finding| finding.rule).collect();
        found.dedup();
        assert_eq!(found, [rule.name()], "{:?}", report.findings);
        assert_eq!(report.checked.is_some(), rule.severity() != Severity::Error);
    }
}

/// A box that is too small hides nothing of the boxes below: they are stored as they were.
#[test]
fn boxes_below_a_broken_one_are_as_stored() {
    let [inner, _] = slots();
    let broken = with_node(0, |node| {
        let child = node.child(inner).unwrap();
        let (low, high) = (node.low(inner), node.high(inner));
        node.set(inner, child, low, [low[0], high[1], high[2]]);
    });
    let [sound, broken] = [small(), broken].map(|image| checked(image).tree().blases[0].clone());
    let boxes = sound.bvh.nodes().iter().zip(broken.bvh.nodes());
    let smaller = boxes.filter(|(sound, broken)| !broken.bounds.contains(&sound.bounds));
    // The one that was broken, and the root, which is around it.
    let smaller: Vec<_> = smaller.filter(|(_, it)| it.bounds != broken.bvh.root().bounds).collect();
    assert_eq!(smaller.len(), 1, "{smaller:?}");
}

/// A finding names the byte: offsets count over the segments.
#[test]
fn findings_name_the_place() {
    let report = Cwbvh::check(with_node(1, |node| node.exponents[2] = 0));
    let directory = small().segments[DIRECTORY].bytes().len();
    assert_eq!(report.findings[0].offset, (directory + NODE_BYTES) as u64);
    assert_eq!(report.findings[0].bits, 112..120);
    assert_eq!(report.findings[0].place, "level 0, node 1");
}

/// Boxes and what is below them are told in the same units.
#[test]
fn a_box_is_told_by_its_planes() {
    let report = Cwbvh::check(with_node(1, |node| node.origin[1] += 100.0));
    let finding = &report.findings[0];
    let number = |text: &str, place: usize| -> f32 {
        text.split_whitespace().nth(place).unwrap().parse().unwrap()
    };
    let (low, below) = (number(&finding.found, 2), number(&finding.expected, 1));
    assert!((low - below - 100.0).abs() < 1.0, "{finding}");
}

/// Whatever is flipped, the check, the outline and every description answer, and what passes the
/// check can be decoded, run as blocks and walked.
#[test]
fn flipped_bits_never_panic() {
    let sound = [small(), Cwbvh.encode(&triangles_only(worlds::instanced())).unwrap()];
    let mut random = Random(5);
    let (mut refused, mut passed) = (0, 0);
    for n in 0..3000 {
        let mut image = sound[usize::from(n % 4 == 0)].clone();
        for _ in 0..1 + random.below(3) {
            let segment = random.below(image.segments.len());
            let bytes = image.segments[segment].bytes_mut();
            let at = random.below(bytes.len().max(1));
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        let entry = &registry::FORMATS[0];
        for entry_found in (entry.outline)(&image).entries.iter().take(50) {
            let described = (entry.describe)(&image, entry_found.node);
            assert!(described.is_ok() || entry_found.state == EntryState::Outside);
        }
        match Cwbvh::check(image).checked {
            None => refused += 1,
            Some(checked) => {
                passed += 1;
                assert!(Cwbvh::blocks(&checked).is_some());
                let walk = Reference::new(&**checked.tree(), TriangleRule::Watertight);
                let ray = geometry::Ray::new(Vec3::new(-9.0, 1.0, 2.0), Vec3::new(1.0, 0.1, 0.0));
                walk.closest(&ray).unwrap();
            }
        }
    }
    assert!(refused > 300 && passed > 300, "{refused} {passed}");
}

#[test]
fn an_outline_meets_everything_once() {
    let image = small();
    let outline = (registry::FORMATS[0].outline)(&image);
    let totals = ["levels", "nodes", "leaves", "triangles"].map(|name| outline.total(name));
    assert_eq!(totals, [1, 2, 4, 5]);
    let root = outline.entries.iter().find(|entry| entry.kind == "node").unwrap();
    let description = (registry::FORMATS[0].describe)(&image, root.node).unwrap();
    let [inner, _] = slots();
    let name = format!("children[{inner}].meta");
    let child = description.fields.iter().find(|field| field.name == name);
    assert_eq!(child.unwrap().value, format!("node, slot {inner}"));
    let link = child.unwrap().link.unwrap();
    assert_eq!(link.pointer, image.segments[NODES].address + NODE_BYTES as u64);
    let triangle = image.segments[TRIANGLES].address + 36;
    let places = Cwbvh::node_places(&checked(image.clone())).unwrap();
    assert!(places[0].iter().any(|place| place.address == link.pointer));
    let node = machine::NodeRef { pointer: triangle, ..root.node };
    let description = (registry::FORMATS[0].describe)(&image, node).unwrap();
    assert_eq!((description.kind, description.beside[0].kind), ("triangle", "ids"));
}

#[test]
fn a_file_is_a_container() {
    let entry = &registry::FORMATS[0];
    let bytes = (entry.trees.as_ref().unwrap().write)(&small(), None).unwrap();
    assert_eq!(bytes, write_container(&small()));
    assert!((entry.sniff)(&bytes));
    let file = (entry.read)(&bytes, &machine::ReadOptions::default()).unwrap();
    assert_eq!((file.image.format, &file.image), (NAME, &small()));
}

#[test]
fn procedural_boxes_are_refused() {
    let error = Cwbvh.encode(&worlds::mixed()).unwrap_err();
    let error = error.downcast_ref::<CwbvhEncodeError>();
    assert_eq!(error, Some(&CwbvhEncodeError::Procedural { level: 0, boxes: 14 }));
}

#[test]
fn an_empty_level_has_no_nodes() {
    let blas = tree::Blas { primitives: tree::Primitives::default(), bvh: Bvh::empty() };
    let tree = Tree { blases: vec![blas], tlas: None };
    let checked = checked(Cwbvh.encode(&tree).unwrap());
    assert_eq!(**checked.tree(), tree);
    assert_eq!(Cwbvh::blocks(&checked).unwrap().levels[0].root, None);
}
