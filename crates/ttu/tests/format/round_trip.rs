//! Tree → image → tree.

use geometry::exact::rational;
use geometry::{Aabb, Transform, TriangleRule, Vec3};
use machine::{Checked, Format, Machine, Oracle, Reference, TreeFormat};
use num_rational::BigRational;
use testkit::worlds::{instanced, mixed, rays, scenes};
use tree::{
    Blas, Bvh, Instance, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tlas, Tree,
    UnsoundTree,
};
use ttu::format::block::{Block, Lead};
use ttu::format::{Density, TtuEncodeError, TtuFormat};

fn checked(tree: &Tree) -> Checked<TtuFormat> {
    let report = TtuFormat::check(TtuFormat.encode(tree).unwrap());
    let odd: Vec<_> = report.findings.iter().filter(|found| found.rule != "contained").collect();
    assert!(odd.is_empty(), "{odd:?}");
    report.checked.unwrap()
}

fn worlds() -> Vec<Tree> {
    scenes().into_iter().chain([mixed(), instanced()]).collect()
}

#[test]
fn geometry_comes_back_as_it_was() {
    for tree in worlds() {
        let back = TtuFormat::decode(&checked(&tree));
        let primitives = |tree: &Tree| {
            tree.blases.iter().map(|blas| blas.primitives.clone()).collect::<Vec<_>>()
        };
        assert_eq!(primitives(&tree), primitives(&back));
        let instances = |tree: &Tree| tree.tlas.as_ref().map(|tlas| tlas.instances.clone());
        assert_eq!(instances(&tree), instances(&back));
        for (before, after) in tree.blases.iter().zip(&back.blases) {
            let mut references = [&before.bvh, &after.bvh].map(|bvh| bvh.indices().to_vec());
            references.iter_mut().for_each(|all| all.sort_unstable());
            assert_eq!(references[0], references[1]);
        }
    }
}

/// One of the scenes, moved to where cells are finer than `f32`.
fn far_away() -> Tree {
    let mut tree = scenes().remove(3);
    let far = Vec3::new(3e6, -7e5, 2.5e6);
    let Blas { primitives, bvh } = &mut tree.blases[0];
    for triangle in &mut primitives.triangles {
        triangle.vertices.iter_mut().for_each(|vertex| *vertex += far);
    }
    let moved = |entry: &Node| {
        let Aabb { min, max } = entry.bounds;
        Node { bounds: Aabb::new(min + far, max + far), link: entry.link }
    };
    let entries = bvh.nodes().iter().map(moved).collect();
    *bvh = Bvh::new(entries, bvh.indices().to_vec(), primitives.triangles.len()).unwrap();
    tree
}

/// A decoded image is encoded to the same bytes.
#[test]
fn images_come_back_byte_for_byte() {
    for tree in worlds().into_iter().chain([far_away()]) {
        let image = checked(&tree);
        let again = TtuFormat.encode(&TtuFormat::decode(&image)).unwrap();
        assert!(again.segments == image.image().segments);
    }
}

/// Every box that went in is contained in the box that a traversal unit reads, by rational
/// arithmetic.
#[test]
fn decoded_boxes_contain_their_input() {
    let tree = scenes().remove(0);
    let Blas { primitives, bvh } = &tree.blases[0];
    let image = checked(&tree);
    let bytes = image.image().segments[0].bytes();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let (block_count, blocks_at, references_at) = (word(16), word(32), word(40));
    let mut leaves = 0;
    for block in bytes[blocks_at..][..128 * block_count].chunks_exact(128) {
        let block = Block::from_bytes(block.try_into().unwrap());
        for node in &block.nodes {
            let Lead::Leaf { offset, count } = node.lead else { continue };
            leaves += 1;
            let first = block.reference_base as usize + usize::from(offset);
            for reference in first..first + usize::from(count) {
                let bounds = primitives.bounds(word(references_at + 4 * reference));
                for k in 0..3 {
                    let cell =
                        BigRational::from_float(f64::from(block.exponents[k]).exp2()).unwrap();
                    let plane = |q: u8| {
                        rational(block.origin[k]) + BigRational::from_integer(q.into()) * &cell
                    };
                    assert!(plane(node.min[k]) <= rational(bounds.min[k]));
                    assert!(plane(node.max[k]) >= rational(bounds.max[k]));
                }
            }
        }
    }
    assert!(leaves >= bvh.nodes().iter().filter(|entry| entry.link.is_leaf()).count());
}

/// The plain walk over what the image decodes to sees what brute force sees.
#[test]
fn walks_over_decoded_trees_lose_nothing() {
    for tree in worlds() {
        let decoded = TtuFormat::decode(&checked(&tree));
        let oracle = Oracle::new(&decoded, TriangleRule::Watertight);
        let reference = Reference::new(&decoded, TriangleRule::Watertight);
        for query in rays(&decoded.bounds(), 3, 60) {
            let ask = |machine: &dyn Machine| machine.answer(&query.into()).unwrap().hits;
            let (expected, got) = (ask(&oracle), ask(&reference));
            assert_eq!(expected.len(), got.len());
            if query.kind != machine::HitKind::Any {
                assert_eq!(expected, got);
            }
        }
    }
}

#[test]
fn blocks_are_well_filled() {
    let image = checked(&scenes().remove(0));
    let density = Density::of(image.image()).unwrap();
    assert!(density.triangles > 1000 && density.blocks > 0);
    assert!(density.nodes_per_block() > 6.0, "{density:?}");
    assert!(density.bytes.nodes < 40 * density.triangles as u64, "{density:?}");
}

fn leaf(bounds: Aabb, count: usize) -> Bvh {
    let root = Node { bounds, link: NodeLink::leaf(0, count) };
    Bvh::new(vec![root], (0..count as u32).collect(), count).unwrap()
}

/// Boxes in a row, all in one leaf: more than a node can count.
fn crowded(count: usize) -> Tree {
    let boxes: Vec<Aabb> = (0..count)
        .map(|n| Aabb::new(Vec3::new(n as f32, -0.5, 2.0), Vec3::new(n as f32 + 0.7, 3.5, 2.5)))
        .collect();
    let bounds = boxes.iter().fold(Aabb::EMPTY, |sum, bounds| sum.union(*bounds));
    let id = |n| PrimitiveId { geometry: 0, primitive: n, flags: PrimitiveFlags::empty() };
    let ids = (0..count as u32).map(id).collect();
    let primitives = Primitives { triangles: Vec::new(), boxes, ids };
    Tree { blases: vec![Blas { primitives, bvh: leaf(bounds, count) }], tlas: None }
}

#[test]
fn large_leaves_are_spread() {
    for count in [1, 8, 9, 64, 65, 1000] {
        let decoded = TtuFormat::decode(&checked(&crowded(count)));
        let bvh = &decoded.blases[0].bvh;
        let mut references = bvh.indices().to_vec();
        references.sort_unstable();
        assert_eq!(references, (0..count as u32).collect::<Vec<_>>());
        assert!(bvh.nodes().iter().all(|e| !e.link.is_leaf() || e.link.count() <= 8));
    }
}

#[test]
fn nothing_is_a_level_without_a_root() {
    let tree = Tree {
        blases: vec![Blas { primitives: Primitives::default(), bvh: Bvh::empty() }],
        tlas: None,
    };
    let image = checked(&tree);
    assert_eq!(Density::of(image.image()).unwrap().blocks, 0);
    assert_eq!(TtuFormat::decode(&image), tree);
}

#[test]
fn what_has_no_image_is_refused() {
    let refused = |tree: &Tree| ttu::format::encode::encode(tree).unwrap_err();
    let mut wide = crowded(2);
    wide.blases[0].bvh = leaf(Aabb::new(Vec3::splat(-3e38), Vec3::splat(3e38)), 2);
    assert_eq!(refused(&wide), TtuEncodeError::Extent { level: 0 });
    let mut endless = crowded(2);
    endless.blases[0].bvh = leaf(Aabb::new(Vec3::ZERO, Vec3::INFINITY), 2);
    assert_eq!(refused(&endless), TtuEncodeError::Box { level: 0, entry: 0 });
    let none = Tree { blases: Vec::new(), tlas: None };
    assert_eq!(refused(&none), UnsoundTree::BlasCount { blases: 0 }.into());
    let placed = |blas, world_to_object| {
        let instance = Instance {
            blas,
            world_to_object,
            object_to_world: Transform::IDENTITY,
            mask: 0xFF,
            custom_index: 0,
            sbt_offset: 0,
            flags: geometry::InstanceFlags::empty(),
        };
        let bounds = Aabb::new(Vec3::ZERO, Vec3::ONE);
        Tree { tlas: Some(Tlas { instances: vec![instance], bvh: leaf(bounds, 1) }), ..crowded(1) }
    };
    let missing = refused(&placed(3, Transform::IDENTITY));
    assert_eq!(missing, UnsoundTree::MissingBlas { instance: 0, blas: 3, blases: 1 }.into());
    let flat = Transform { rows: [[0.0; 4]; 3] };
    let singular = refused(&placed(0, flat)).to_string();
    assert!(singular.starts_with("instance 0: "), "{singular}");
}
