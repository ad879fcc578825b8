//! Encode, check, decode, encode again.

use super::support::{checked, forest, organic, tree};
use geometry::{Aabb, Triangle, Vec3};
use machine::TreeFormat;
use scene::{Geometry, Object, Scene, Shape};
use tree::Tree;
use xphmg::readings::NodeLayout;
use xphmg::{Precision, Tiles};

fn formats() -> impl Iterator<Item = Tiles> {
    let layouts = [NodeLayout::Packed, NodeLayout::Literal88];
    let each = move |precision| {
        let wide =
            move |layout| [false, true].map(|wide| Tiles { wide, layout, ..Tiles::new(precision) });
        layouts.into_iter().flat_map(wide)
    };
    Precision::ALL.into_iter().flat_map(each)
}

#[test]
fn what_is_decoded_encodes_to_the_same_bytes() {
    for format in formats() {
        let image = checked(&organic(), &format);
        let again = format.encode(&Tiles::decode(&image)).unwrap();
        assert_eq!(again, *image.image(), "{format:?}");
        assert!(image.facts().lossless && image.facts().finite);
    }
}

/// The encoder is right about containment by exact comparison of decoded numbers.
#[test]
fn boxes_contain_what_is_stored() {
    for format in formats() {
        for source in [organic(), forest()] {
            let decoded = Tiles::decode(&checked(&source, &format));
            for blas in &decoded.blases {
                for entry in blas.bvh.nodes() {
                    for child in blas.bvh.children(entry) {
                        assert!(entry.bounds.contains(&child.bounds));
                    }
                    for item in blas.bvh.items(entry) {
                        assert!(entry.bounds.contains(&blas.primitives.bounds(*item as usize)));
                    }
                }
            }
        }
    }
}

/// In FP32 the geometry is the scene's to the bit, in the order of its ids.
#[test]
fn fp32_keeps_every_triangle() {
    let source = organic();
    let format = Tiles::new(Precision::Fp32);
    let decoded = Tiles::decode(&checked(&source, &format));
    let list = |tree: &Tree| {
        let primitives = &tree.blases[0].primitives;
        let mut all: Vec<((u32, u32), Triangle)> = (0..primitives.len())
            .map(|n| {
                let id = primitives.ids[n];
                ((id.geometry, id.primitive), primitives.triangles[n])
            })
            .collect();
        all.sort_by_key(|(id, _)| *id);
        all
    };
    assert_eq!(list(&source), list(&decoded));
}

/// Rounded corners lie within half a unit of the element format of the true ones.
#[test]
fn low_precision_is_close() {
    let source = organic();
    let largest = source.bounds().min.abs().max(source.bounds().max.abs()).max_element();
    for (precision, unit) in [
        (Precision::Fp16, largest * 2f32.powi(-11)),
        (Precision::Bf16, largest * 2f32.powi(-8)),
        (Precision::Int16q, 2f32.powi(-9)), // half a step of 2^-8, which the scene fits
        (Precision::E4m3, largest * 2f32.powi(-4)),
        (Precision::E5m2, largest * 2f32.powi(-3)),
        (Precision::Int8q, largest * 2f32.powi(-6)),
    ] {
        let decoded = Tiles::decode(&checked(&source, &Tiles::new(precision)));
        let by_id = |tree: &Tree, n: usize| tree.blases[0].primitives.ids[n].primitive;
        let stored = &decoded.blases[0].primitives;
        for (n, triangle) in source.blases[0].primitives.triangles.iter().enumerate() {
            let id = by_id(&source, n);
            let at = (0..stored.len()).find(|m| by_id(&decoded, *m) == id).unwrap();
            for (a, b) in triangle.vertices.iter().zip(stored.triangles[at].vertices) {
                assert!((*a - b).abs().max_element() <= unit, "{precision:?}: {a} {b}");
            }
        }
    }
}

#[test]
fn x66_instances_are_flattened_and_named() {
    let source = forest();
    let instances = &source.tlas.as_ref().unwrap().instances;
    let count: usize = instances
        .iter()
        .map(|instance| source.blases[instance.blas as usize].primitives.len())
        .sum();
    let format = Tiles { flat: true, ..Tiles::new(Precision::Fp32) };
    let image = checked(&source, &format);
    let decoded = Tiles::decode(&image);
    assert_eq!(decoded.primitive_count(), count);
    let contents = xphmg::tiles::contents::Contents::new(image.image()).unwrap();
    for number in (0..count as u32).step_by(97) {
        let name = contents.name(number);
        let instance = &instances[name.instance as usize];
        let blas = &source.blases[instance.blas as usize];
        let is_named = |n: &usize| {
            let id = blas.primitives.ids[*n];
            (id.geometry, id.primitive) == (name.geometry, name.primitive)
        };
        let original = (0..blas.primitives.len()).find(is_named).unwrap();
        let moved = blas.primitives.triangles[original]
            .vertices
            .map(|vertex| instance.object_to_world.point(vertex));
        assert_eq!(contents.triangle(number).vertices, moved);
    }
}

#[test]
fn an_empty_scene_and_a_single_triangle() {
    let nothing = tree(&Scene::default());
    let one = Scene {
        objects: vec![Object {
            name: String::new(),
            geometries: vec![Geometry::new(
                "",
                true,
                Shape::Triangles {
                    positions: vec![
                        Vec3::new(1.5, -2.0, 3.25),
                        Vec3::new(4.0, 0.5, -1.0),
                        Vec3::new(0.0, 7.0, 2.0),
                    ],
                    indices: vec![[0, 1, 2]],
                },
            )],
        }],
        ..Scene::default()
    };
    for format in formats() {
        assert_eq!(Tiles::decode(&checked(&nothing, &format)).primitive_count(), 0);
        let image = checked(&tree(&one), &format);
        assert_eq!(Tiles::decode(&image).primitive_count(), 1);
        assert_eq!(Tiles::blocks(&image).unwrap().items, [0]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let message =
        |tree: &Tree, precision| Tiles::new(precision).encode(tree).unwrap_err().to_string();
    let mut far = organic();
    far.blases[0].primitives.triangles[3].vertices[1].y = 7e4;
    assert!(
        message(&far, Precision::Fp16).contains("a corner lies outside the range of xphmg-fp16")
    );
    far.blases[0].primitives.triangles[3].vertices[1].y = 5e6;
    assert!(message(&far, Precision::Int16q).starts_with("coordinates reach 500"));
    let text = message(&far, Precision::E4m3);
    assert!(text.ends_with("; xphmg-e4m3 holds at most 448"), "{text}");
    assert!(message(&far, Precision::Int8q).ends_with("xphmg-int8q holds at most 16128"));
    assert!(message(&far, Precision::E5m2).contains("outside the range of xphmg-e5m2"));
    let mut boxes = organic();
    boxes.blases[0].primitives.boxes.push(Aabb::new(Vec3::ZERO, Vec3::ONE));
    assert!(message(&boxes, Precision::Fp32).contains("1 procedural boxes"));
    let mut nowhere = forest();
    nowhere.tlas.as_mut().unwrap().instances[2].blas = 99;
    for precision in [Precision::Fp32, Precision::Fp16] {
        assert!(message(&nowhere, precision).starts_with("instance 2 names BLAS 99 of "));
    }
}

/// Blocks hold the same boxes and items as the decoded tree.
#[test]
fn blocks_are_the_tree() {
    for format in formats() {
        let image = checked(&organic(), &format);
        let (blocks, decoded) = (Tiles::blocks(&image).unwrap(), Tiles::decode(&image));
        let bvh = &decoded.blases[0].bvh;
        assert_eq!(blocks.nodes.len(), bvh.nodes().len() - 1);
        assert_eq!(blocks.levels[0].bounds, bvh.root().bounds);
        let sorted = |items: &[u32]| {
            let mut items = items.to_vec();
            items.sort_unstable();
            items
        };
        assert_eq!(sorted(&blocks.items), sorted(bvh.indices()));
    }
}
