//! Oriented boxes: fitted by hand here, so that the check is compared with other arithmetic.

use super::edit::{boxes, edit_bits};
use super::worlds::{scene, tree};
use build::Preset;
use geometry::{Aabb, Vec3};
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::BoxNode;
use gfx12::quantize::quantize;
use gfx12::{check, obb};
use machine::Image;
use tree::{Blas, Node};

/// Every corner below an entry.
fn corners(blas: &Blas, entry: &Node, points: &mut Vec<Vec3>) {
    for &item in blas.bvh.items(entry) {
        match blas.primitives.triangles.get(item as usize) {
            Some(triangle) => points.extend(triangle.vertices),
            None => points.extend(blas.primitives.bounds(item as usize).corners()),
        }
    }
    for child in blas.bvh.children(entry) {
        corners(blas, child, points);
    }
}

/// The box around points that are rotated in f64, two steps of f32 wider.
fn rotated_box(index: u8, points: &[Vec3]) -> Aabb {
    let (linear, _) = obb::rotation(index).unwrap().to_f64();
    let rotated = points.iter().map(|point| linear * point.as_dvec3());
    let (low, high) = rotated
        .fold((glam::DVec3::INFINITY, glam::DVec3::NEG_INFINITY), |(low, high), point| {
            (low.min(point), high.max(point))
        });
    let down = |x: f64| (x as f32).next_down().next_down();
    let up = |x: f64| (x as f32).next_up().next_up();
    Aabb::new(Vec3::from_array(low.to_array().map(down)), Vec3::from_array(high.to_array().map(up)))
}

/// An image whose every box node is oriented.
pub(crate) fn oriented_image(seed: u64) -> Image {
    let tree = tree(&scene("mixed", seed), Preset::Balanced);
    let mut image = encode(&tree, &Options::new(Policy::Gpurt)).unwrap().image;
    let checked = check::check(image.clone()).checked.unwrap();
    let blas = &checked.tree().blases[0];
    let nodes = boxes(&image, 0);
    // Boxes and inner entries are listed in the same order, level by level.
    let inner = blas.bvh.nodes().iter().filter(|entry| !entry.link.is_leaf());
    let mut inner: Vec<&Node> = inner.collect();
    inner.sort_by_key(|entry| entry.link.range().start);
    assert_eq!(inner.len(), nodes.len());
    for (n, ((address, _, mut node), entry)) in nodes.into_iter().zip(inner).enumerate() {
        let index = (seed as usize * 29 + n * 7) as u8 % 104;
        let fitted: Vec<Aabb> = blas
            .bvh
            .children(entry)
            .iter()
            .map(|child| {
                let mut points = Vec::new();
                corners(blas, child, &mut points);
                rotated_box(index, &points)
            })
            .collect();
        let quantized = quantize(&fitted).unwrap();
        node.frame = quantized.frame;
        node.obb_matrix_index = index;
        for (slot, codes) in quantized.codes[..fitted.len()].iter().enumerate() {
            node.children[slot] = codes.entry(node.children[slot]);
        }
        edit_bits(&mut image, address, |bits| *bits = node.encode());
    }
    image
}

#[test]
fn vertices_are_rotated_into_the_frame() {
    for seed in 0..12 {
        let image = oriented_image(seed);
        let report = check::check(image.clone());
        assert_eq!(report.findings, [], "seed {seed}");
        let checked = report.checked.unwrap();
        assert!(checked.facts().lossless);
        let blas = &checked.tree().blases[0];
        for entry in &blas.bvh.nodes()[1..] {
            let mut points = Vec::new();
            corners(blas, entry, &mut points);
            assert_eq!(entry.bounds, Aabb::of_points(points));
        }
    }
}

#[test]
fn a_vertex_outside_a_rotated_box_is_found() {
    for seed in 0..12 {
        let image = oriented_image(seed);
        for (address, pointer, node) in boxes(&image, 0) {
            let wide = |node: &BoxNode, slot: usize, axis: usize| {
                let child = &node.children[slot];
                child.max[axis] > child.min[axis] + 8
            };
            let Some(axis) = (0..3).find(|&axis| wide(&node, 0, axis)) else { continue };
            let mut broken = image.clone();
            let mut node = node;
            node.children[0].max[axis] -= 2;
            edit_bits(&mut broken, address, |bits| *bits = node.encode());
            let report = check::check(broken);
            let place = format!("box {pointer}, rotation {}", node.obb_matrix_index);
            let found: Vec<_> = report
                .findings
                .iter()
                .map(|f| (f.rule, f.place.as_str(), f.bits.clone()))
                .collect();
            assert_eq!(found, [("contained", place.as_str(), 256..352)], "seed {seed}");
        }
    }
}
