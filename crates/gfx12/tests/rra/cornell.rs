//! The file that Radeon Raytracing Analyzer 1.9 is known to open: the Cornell box of HIPRT, moved
//! behind a header, under a TLAS with one instance. The viewer shows 17 nodes, 2 boxes, depth 3
//! and 32 triangles.

use super::files::{BLAS, TLAS, cornell_world, hiprt_cornell};
use gfx12::layout::{BoxNode, NodeBits, NodePointer, PrimitiveNode};
use gfx12::outline::{outline, range_pairs};
use gfx12::rra::{self, Level};
use machine::{EntryState, Image, Outline, OutlineEntry};
use serde_json::Value;

#[test]
fn the_viewer_s_figures() {
    let bytes = rra::write(&cornell_world()).unwrap();
    let file = rra::read(&bytes).unwrap();
    assert_eq!(file.findings, []);
    let blas = file.open(Some(1)).unwrap().image;
    let names = ["boxes", "ranges", "triangles", "depth", "primitive_nodes", "outside"];
    assert_eq!(totals(&outline(&blas), names), [2, 15, 32, 3, 15, 0]);
    let world = outline(&file.open(None).unwrap().image);
    let names = ["boxes", "instances", "structures", "depth"];
    assert_eq!(totals(&world, names), [3, 1, 2, 5]);
    assert_eq!(world.primitives.len(), 32);
}

#[test]
fn a_written_file_reads_back_to_the_same_image_and_the_same_bytes() {
    let world = cornell_world();
    let bytes = rra::write(&world).unwrap();
    let file = rra::read(&bytes).unwrap();
    assert_eq!(file.structures.len(), 2);
    assert_eq!([file.structures[0].level, file.structures[1].level], [Level::Tlas, Level::Blas]);
    let opened = file.open(None).unwrap();
    assert_eq!((opened.structure, &opened.image), (0, &world));
    assert_eq!(file.to_bytes(), bytes);
    let api = file.api().unwrap();
    assert_eq!((api.name(), api.major, api.minor), ("Vulkan", 1, 3));
}

/// A single BLAS is written with a TLAS for the viewer, and comes back without it.
#[test]
fn a_single_level_is_shown_by_a_top_level() {
    let single = Image { segments: vec![cornell_world().segments.remove(1)], ..cornell_world() };
    let single = Image { bases: vec![BLAS; 2], ..single };
    let bytes = rra::write(&single).unwrap();
    let file = rra::read(&bytes).unwrap();
    assert_eq!(file.findings, []);
    assert_eq!([file.structures[0].level, file.structures[1].level], [Level::Blas, Level::Tlas]);
    assert_eq!(file.open(None).unwrap().image, single);
    assert_eq!(file.to_bytes(), bytes);
    let shown = file.open(Some(1)).unwrap().image;
    let report = gfx12::check::check(shown.clone());
    assert!(report.is_sound(), "{:?}", report.findings);
    let names = ["instances", "structures", "triangles"];
    assert_eq!(totals(&outline(&shown), names), [1, 2, 32]);
}

#[test]
fn offsets_lead_back_to_the_file() {
    let bytes = rra::write(&cornell_world()).unwrap();
    let opened = rra::read(&bytes).unwrap().open(None).unwrap();
    assert_eq!(opened.image.segments.iter().map(|s| s.address).collect::<Vec<_>>(), [TLAS, BLAS]);
    for (segment, place) in opened.image.segments.iter().zip(&opened.places) {
        for (byte, &value) in segment.bytes().iter().enumerate() {
            assert_eq!(bytes[place.offset(byte as u64) as usize], value);
        }
    }
}

/// Moving keeps every plane, every vertex and every id: they are compared with the decode that
/// comes with the dump.
#[test]
fn moving_behind_a_header_keeps_what_nodes_say() {
    let known: Value =
        serde_json::from_str(include_str!("../vectors/hiprt-cornell-bvh8.json")).unwrap();
    let moved = rra::read(&rra::write(&cornell_world()).unwrap()).unwrap();
    let moved = moved.open(Some(1)).unwrap().image;
    let entries = outline(&moved).entries;
    assert!(entries.iter().all(|entry| entry.state == EntryState::Read));
    let boxes = entries.iter().filter(|entry| pointer_of(entry).is_box());
    let mut parent = NodePointer::INVALID;
    for (entry, known) in boxes.zip(known["boxes"].as_array().unwrap()) {
        let node = box_node(&moved, entry.address);
        assert_eq!(node.parent, parent);
        parent = pointer_of(entry);
        let pointers = node.child_pointers();
        for (slot, child) in known["children"].as_array().unwrap().iter().enumerate() {
            let planes = node.child_box(slot);
            for (axis, plane) in planes.min.to_array().iter().enumerate() {
                assert_eq!(
                    format!("{:#010x}", plane.to_bits()),
                    child["min"][axis].as_str().unwrap()
                );
            }
            for (axis, plane) in planes.max.to_array().iter().enumerate() {
                assert_eq!(
                    format!("{:#010x}", plane.to_bits()),
                    child["max"][axis].as_str().unwrap()
                );
            }
            if let Some(ids) = child["prims"].as_array() {
                let expected: Vec<u64> = ids.iter().map(|id| id.as_u64().unwrap()).collect();
                assert_eq!(ids_of_range(&moved, pointers[slot]), expected);
            }
        }
    }
}

#[test]
fn triangles_are_those_of_the_dump() {
    let all = |image: &Image| {
        let mut corners: Vec<[[u32; 3]; 3]> = Vec::new();
        for entry in outline(image).entries {
            if !pointer_of(&entry).is_primitive() {
                continue;
            }
            for (address, pair) in range_pairs(image, entry.address, pointer_of(&entry).pair()) {
                let node = primitive_node(image, address);
                let triangle = node.triangle(pair.into(), 0);
                corners.push(triangle.vertices.map(|v| v.to_array().map(f32::to_bits)));
            }
        }
        corners
    };
    let moved = cornell_world();
    let moved = Image { bases: vec![BLAS; 2], ..moved };
    let (moved, raw) = (all(&moved), all(&hiprt_cornell()));
    assert_eq!(moved.len(), 32);
    assert_eq!(moved, raw);
}

fn totals<const N: usize>(outline: &Outline, names: [&str; N]) -> [u64; N] {
    names.map(|name| outline.total(name))
}

fn pointer_of(entry: &OutlineEntry) -> NodePointer {
    NodePointer(entry.node.pointer as u32)
}

fn box_node(image: &Image, address: u64) -> BoxNode {
    BoxNode::decode(&NodeBits::from_bytes(image.get(address, 128).unwrap()))
}

fn primitive_node(image: &Image, address: u64) -> PrimitiveNode {
    PrimitiveNode::decode(&NodeBits::from_bytes(image.get(address, 128).unwrap()))
}

fn ids_of_range(image: &Image, pointer: NodePointer) -> Vec<u64> {
    let address = image.bases[1] + pointer.byte_offset();
    let pairs = range_pairs(image, address, pointer.pair());
    let id =
        |(address, pair): (u64, u8)| primitive_node(image, address).primitive_id(2 * pair as usize);
    pairs.into_iter().map(|pair| u64::from(id(pair))).collect()
}
