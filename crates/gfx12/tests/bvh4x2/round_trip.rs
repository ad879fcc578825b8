//! Tree → image → tree → image.

use geometry::{Aabb, Triangle, Vec3};
use gfx12::bvh4x2::encode::encode;
use gfx12::bvh4x2::{BoxPrecision, EncodeError, Gfx12Bvh4x2, Options};
use gfx12::layout::bvh4x2::high_precision_box::{decode_plane, encode_plane};
use machine::{Checked, Format};
use std::collections::BTreeMap;
use testkit::worlds::{instanced, mixed, scenes};
use tree::{Blas, Bvh, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tree, UnsoundTree};

fn checked(tree: &Tree, options: Options) -> Checked<Gfx12Bvh4x2> {
    let image = encode(tree, &options).unwrap();
    let report = Gfx12Bvh4x2::check(image);
    let odd: Vec<_> = report.findings.iter().filter(|found| found.rule != "contained").collect();
    assert!(odd.is_empty(), "{odd:?}");
    report.checked.unwrap()
}

/// Corners and flags by geometry and primitive id.
type Stored = BTreeMap<(u32, u32), (Vec<[u32; 3]>, PrimitiveFlags)>;

/// All primitives that are referred to, each once.
fn primitives(blas: &Blas) -> Stored {
    let bits = |v: Vec3| v.to_array().map(f32::to_bits);
    blas.bvh
        .indices()
        .iter()
        .map(|&item| {
            let PrimitiveId { geometry, primitive, flags } = blas.primitives.ids[item as usize];
            let corners = match blas.primitives.triangles.get(item as usize) {
                Some(triangle) => triangle.vertices.map(bits).to_vec(),
                None => {
                    let bounds = blas.primitives.bounds(item as usize);
                    vec![bits(bounds.min), bits(bounds.max)]
                }
            };
            ((geometry, primitive), (corners, flags))
        })
        .collect()
}

#[test]
fn images_of_images_are_equal_and_nothing_is_lost() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    for tree in &trees {
        for precision in [BoxPrecision::Fp32, BoxPrecision::High] {
            let image = checked(tree, Options::new(precision));
            assert!(image.facts().parents && image.facts().finite);
            let decoded = image.tree();
            for (given, stored) in tree.blases.iter().zip(&decoded.blases) {
                assert_eq!(primitives(given), primitives(stored));
            }
            match (&tree.tlas, &decoded.tlas) {
                (Some(given), Some(stored)) => {
                    for (given, stored) in given.instances.iter().zip(&stored.instances) {
                        let own = tree::Instance { flags: stored.flags, ..*given };
                        assert_eq!(own, *stored);
                        assert!(stored.flags.contains(given.flags));
                    }
                }
                (given, stored) => assert_eq!(given.is_some(), stored.is_some()),
            }
            let again = encode(decoded, &Options::decoded(precision)).unwrap();
            assert!(again == *image.image(), "{precision:?}");
            assert_eq!(checked(decoded, Options::decoded(precision)).facts(), image.facts());
        }
    }
}

#[test]
fn a_margin_widens_every_box_and_nothing_else() {
    let tree = mixed();
    let with = checked(&tree, Options::default());
    let bare = Options { margin: false, ..Options::default() };
    let without = checked(&tree, bare);
    let (with, without) = (&with.tree().blases[0], &without.tree().blases[0]);
    assert_eq!(with.primitives, without.primitives);
    let entries = with.bvh.nodes().iter().zip(without.bvh.nodes());
    for (wide, narrow) in entries.skip(1) {
        assert!(wide.bounds.contains(&narrow.bounds) && wide.bounds != narrow.bounds);
    }
}

/// In the grid of quads nearly all triangles find a partner.
#[test]
fn most_triangles_of_a_mesh_are_paired() {
    let tree = mixed();
    let image = checked(&tree, Options::default());
    let bvh = &image.tree().blases[0].bvh;
    let pairs = bvh.nodes().iter().filter(|entry| bvh.items(entry).len() == 2).count();
    let most = bvh.nodes().iter().map(|entry| entry.link.count()).max();
    assert_eq!(most, Some(4));
    assert!(pairs > 80, "{pairs} of at most 121");
}

fn one_triangle(vertices: [Vec3; 3], geometry: u32) -> Tree {
    let id = PrimitiveId { geometry, primitive: 4, flags: PrimitiveFlags::OPAQUE };
    let triangle = Triangle { vertices };
    let root = Node { bounds: triangle.bounds(), link: NodeLink::leaf(0, 1) };
    let bvh = Bvh::new(vec![root], vec![0], 1).unwrap();
    let primitives = Primitives { triangles: vec![triangle], boxes: vec![], ids: vec![id] };
    Tree { blases: vec![Blas { primitives, bvh }], tlas: None }
}

#[test]
fn the_root_is_a_box_over_anything() {
    let corners = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 2.5, 3.0), Vec3::new(1.0, 5.0, 3.5)];
    let image = checked(&one_triangle(corners, 3), Options::default());
    assert_eq!((image.image().root, image.image().bases[0] % 256), (0x5, 0));
    // One box of two units, one triangle, and a table of 256 bytes.
    assert_eq!(image.image().byte_count(), 256 + 3 * 64);
    let high = checked(&one_triangle(corners, 3), Options::new(BoxPrecision::High));
    assert_eq!((high.image().root, high.image().byte_count()), (0x4, 256 + 2 * 64));

    let nothing = Blas { primitives: Primitives::default(), bvh: Bvh::empty() };
    let empty = Tree { blases: vec![nothing], tlas: None };
    let image = checked(&empty, Options::default());
    assert_eq!(image.image().byte_count(), 256 + 128);
    assert_eq!(**image.tree(), empty);
}

#[test]
fn limits_are_named() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 1.0, 1.0)];
    let error = encode(&one_triangle(corners, 1 << 20), &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "level 0, primitive 0: geometry id 1048576, expected below 1048576"
    );
    let mut tree = one_triangle(corners, 0);
    tree.blases[0].primitives.triangles[0].vertices[1].x = f32::NAN;
    let error = encode(&tree, &Options::default()).unwrap_err();
    assert_eq!(error, EncodeError::NotFinite { level: 0, primitive: 0 });
    let far = [Vec3::splat(f32::MAX), Vec3::splat(-f32::MAX), Vec3::ZERO];
    let error = encode(&one_triangle(far, 0), &Options::default()).unwrap_err();
    assert_eq!(error, EncodeError::InfinitePlane { level: 0, node: 0, slot: 0 });
    let mut two = one_triangle(corners, 0);
    two.blases.push(two.blases[0].clone());
    assert_eq!(
        encode(&two, &Options::default()).unwrap_err(),
        UnsoundTree::BlasCount { blases: 2 }.into()
    );
    let mut placed = instanced();
    placed.tlas.as_mut().unwrap().instances[3].blas = 9;
    assert_eq!(
        encode(&placed, &Options::default()).unwrap_err().to_string(),
        "instance 3 names BLAS 9 of 3"
    );
    placed.tlas.as_mut().unwrap().instances[3].blas = 0;
    placed.tlas.as_mut().unwrap().instances[3].world_to_object.rows[1] = [0.0; 4];
    let error = encode(&placed, &Options::default()).unwrap_err();
    assert!(error.to_string().starts_with("instance 3: "), "{error}");
}

/// A leaf with more than 64 references and nodes of eight children end up in boxes of four.
#[test]
fn large_leaves_and_wide_nodes_are_divided() {
    let mut tree = mixed();
    let count = tree.blases[0].primitives.len();
    let bounds = tree.bounds();
    let root = Node { bounds, link: NodeLink::leaf(0, count) };
    let references: Vec<u32> = (0..count as u32).rev().collect();
    tree.blases[0].bvh = Bvh::new(vec![root], references, count).unwrap();
    let image = checked(&tree, Options::default());
    assert!(image.facts().lossless);
    assert_eq!(primitives(&image.tree().blases[0]), primitives(&tree.blases[0]));
}

/// For E >= 25 a truncated plane decodes to the outer side of the exact one (G-34), compared as
/// whole multiples of the smallest subnormal, which are exact.
#[test]
fn high_precision_planes_are_conservative() {
    let exact = |x: f32| {
        let (bits, sign) = (x.to_bits(), if x.is_sign_negative() { -1 } else { 1 });
        let (exponent, mantissa) = (bits >> 23 & 0xFF, i128::from(bits & 0x7F_FFFF));
        let magnitude = match exponent {
            0 => mantissa,
            e => (mantissa | 0x80_0000) << (e - 1),
        };
        sign * magnitude
    };
    let mut random = testkit::Random(3);
    for _ in 0..200_000 {
        // Exponents that an i128 can shift to.
        let exponent = 25 + random.below(75) as u8;
        let field = (exponent as usize).saturating_sub(random.below(24)) as u32;
        let plane = f32::from_bits(random.bits() as u32 & 0x807F_FFFF | field << 23);
        let code = encode_plane(plane, exponent);
        let [low, high] = [false, true].map(|is_max| decode_plane(code, exponent, is_max));
        assert!(exact(low) <= exact(plane) && exact(plane) <= exact(high), "{plane:e} {exponent}");
        // A step of 2^(E - 143) in units of 2^-149.
        let step = 1i128 << (u32::from(exponent) + 6);
        assert!(exact(high) - exact(low) <= step, "{plane:e} {exponent}: wider than a step");
        assert_eq!(encode_plane(low, exponent), code);
        assert_eq!(encode_plane(high, exponent), code);
    }
    let bounds = Aabb::new(Vec3::splat(-1.0), Vec3::splat(3.3));
    assert_eq!(decode_plane(encode_plane(bounds.max.x, 128), 128, true).to_bits(), 0x4053_337F);
}
