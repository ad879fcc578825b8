//! The real HIPRT image, which has two bases and a wrong parent, against its published decode.

use super::dump::{hiprt_image, hiprt_json, patterns};
use gfx12::{check, decode};
use std::sync::Arc;
use tree::Tree;

fn tree() -> Arc<Tree> {
    Arc::clone(check::check(hiprt_image()).checked.expect("sound").tree())
}

#[test]
fn triangles_are_those_of_the_file() {
    let json = hiprt_json();
    let mut expected = Vec::new();
    for node in json["primitive_nodes"].as_array().unwrap() {
        for pair in node["pairs"].as_array().unwrap() {
            for (triangle, id) in pair["triangles"]
                .as_array()
                .unwrap()
                .iter()
                .zip(pair["prim_ids"].as_array().unwrap())
            {
                let corners: Vec<[u32; 3]> =
                    triangle["vertices"].as_array().unwrap().iter().map(patterns).collect();
                expected.push((id.as_u64().unwrap() as u32, corners));
            }
        }
    }
    let tree = tree();
    let primitives = &tree.blases[0].primitives;
    let got: Vec<(u32, Vec<[u32; 3]>)> = primitives
        .ids
        .iter()
        .zip(&primitives.triangles)
        .map(|(id, triangle)| (id.primitive, triangle.to_bits().to_vec()))
        .collect();
    assert_eq!(got.len(), 32);
    assert_eq!(got, expected);
}

#[test]
fn boxes_and_ranges_are_those_of_the_file() {
    let (json, tree) = (hiprt_json(), tree());
    let blas = &tree.blases[0];
    let mut node = *blas.bvh.root();
    for expected in json["boxes"].as_array().unwrap() {
        let children = blas.bvh.children(&node);
        let slots = expected["children"].as_array().unwrap();
        assert_eq!(children.len(), slots.len());
        for (child, slot) in children.iter().zip(slots) {
            assert_eq!(child.bounds.min.to_array().map(f32::to_bits), patterns(&slot["min"]));
            assert_eq!(child.bounds.max.to_array().map(f32::to_bits), patterns(&slot["max"]));
            if child.link.is_leaf() {
                let ids: Vec<u64> = blas
                    .bvh
                    .items(child)
                    .iter()
                    .map(|&item| u64::from(blas.primitives.ids[item as usize].primitive))
                    .collect();
                let expected: Vec<u64> = slot["prims"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|id| id.as_u64().unwrap())
                    .collect();
                assert_eq!(ids, expected);
            } else {
                assert_eq!(slot["type"], 5);
                node = *child;
            }
        }
    }
}

#[test]
fn nodes_give_the_bytes_back() {
    let image = hiprt_image();
    let nodes: Vec<_> = decode::nodes(&image).collect();
    assert_eq!(nodes.len(), 17);
    for node in nodes {
        let bytes = image.get(node.address, 128).unwrap();
        assert_eq!(node.body.bits().to_bytes(), bytes);
        assert_eq!(&image.segments[0].bytes()[node.offset as usize..][..128], bytes);
    }
}

#[test]
fn sound_with_the_known_oddities() {
    let report = check::check(hiprt_image());
    let texts: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "warning[parent] at byte 0xc0, bits 64..96: box 0x15: found parent 0x0, expected 0x5",
            "warning[index_in_parent] at byte 0xc0, bits 217..220: box 0x15: found slot 0, \
             expected slot 7",
        ]
    );
    assert_eq!(report.nodes, 17);
    let facts = report.checked.expect("sound").facts();
    assert!(facts.lossless && facts.finite && !facts.parents);
}
