//! Files as RADV's writer makes them: sideband records in another order than the nodes, no node
//! pointers, a short header, and chunks that count their own headers.

use super::worlds::{scene, tree};
use build::Preset;
use gfx12::check::check;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{BoxNode, GpurtHeader, NodeBits, NodeKind, NodePointer};
use gfx12::{registry, rra};
use machine::{Image, ImageFile, Severity};
use std::sync::Arc;
use tree::{Instance, Tree};

/// The driver interface version in RADV's headers.
const RADV_VERSION: u32 = 8 << 16;

fn header_at(image: &Image, segment: usize) -> GpurtHeader {
    GpurtHeader::decode(&NodeBits::from_bytes(&image.segments[segment].bytes()[..128]))
}

fn header(image: &Image) -> GpurtHeader {
    header_at(image, 0)
}

/// Writes zeros over the list of node pointers of every structure.
pub(crate) fn unset_pointers(image: &mut Image) {
    for segment in 0..image.segments.len() {
        let start = header_at(image, segment).primitive_pointer_offset as usize;
        image.segments[segment].bytes_mut()[start..].fill(0);
    }
}

/// The instance nodes below a box, slot by slot, depth first.
fn discover(image: &Image, pointer: NodePointer, found: &mut Vec<NodePointer>) {
    let bytes = image.get(image.bases[0] + pointer.byte_offset(), 128).unwrap();
    let node = BoxNode::decode(&NodeBits::from_bytes(bytes));
    for child in &node.child_pointers()[..node.used_children().len()] {
        match child.kind() {
            NodeKind::Instance => found.push(*child),
            _ => discover(image, *child, found),
        }
    }
}

/// Puts the records into the order in which RADV meets the nodes.
pub(crate) fn in_radv_order(image: &mut Image) {
    let header = header(image);
    let mut nodes = Vec::new();
    discover(image, NodePointer(image.root as u32), &mut nodes);
    let start = header.geometry_info_offset as usize;
    let record = |number: usize| start + 64 * number..start + 64 * (number + 1);
    let before = image.segments[0].bytes().to_vec();
    let bytes = image.segments[0].bytes_mut();
    for (number, pointer) in nodes.iter().enumerate() {
        let place = (pointer.byte_offset() - u64::from(header.leaf_node_offset)) / 128;
        bytes[record(number)].copy_from_slice(&before[record(place as usize)]);
    }
    assert_ne!(bytes, before, "the orders differ");
}

fn world(policy: Policy) -> Image {
    let tree = tree(&scene("instanced", 9), Preset::Balanced);
    encode(&tree, &Options::new(policy)).unwrap().image
}

fn decoded(image: Image) -> Arc<Tree> {
    Arc::clone(check(image).checked.unwrap().tree())
}

fn instances(tree: &Tree) -> impl Iterator<Item = &Instance> {
    tree.tlas.iter().flat_map(|tlas| &tlas.instances)
}

#[test]
fn records_in_radv_s_order_belong_to_their_nodes() {
    for policy in [Policy::Dense, Policy::Gpurt] {
        let plain = world(policy);
        let expected = decoded(plain.clone());
        for version in [header(&plain).version, RADV_VERSION] {
            let mut image = plain.clone();
            in_radv_order(&mut image);
            image.segments[0].bytes_mut()[60..64].copy_from_slice(&version.to_le_bytes());
            let report = check(image);
            // RADV would have said more of the instances.
            let other = report.findings.iter().filter(|f| f.rule != "missed_culling");
            let rules: Vec<_> = other.map(|f| (f.rule, f.severity)).collect();
            assert_eq!(rules, [("sideband_order", Severity::Note)]);
            assert_eq!(*report.checked.unwrap().tree(), expected);
        }
    }
}

/// Rays follow the nodes, so geometry stands where those put it.
#[test]
fn instances_stand_where_their_nodes_say() {
    let mut image = world(Policy::Dense);
    let expected = decoded(image.clone());
    let start = header(&image).geometry_info_offset as usize;
    for number in 0..3 {
        let offset = start + 64 * number + 28;
        image.segments[0].bytes_mut()[offset..offset + 4].copy_from_slice(&77f32.to_le_bytes());
    }
    let report = check(image);
    assert_eq!(report.findings.iter().filter(|finding| finding.rule == "sideband").count(), 3);
    let checked = report.checked.unwrap();
    let mut inverted = 0;
    for (found, expected) in instances(checked.tree()).zip(instances(&expected)) {
        if found != expected {
            inverted += 1;
            assert_eq!(found.object_to_world, found.world_to_object.inverse().unwrap());
        }
    }
    assert!((1..=3).contains(&inverted));
}

/// RADV's memory, and what its exporter makes of it: sound, and the same scene.
#[test]
fn a_file_as_radv_writes_it_is_sound_and_means_the_same() {
    let memory = world(Policy::Radv);
    let expected = decoded(memory.clone());
    let bytes = rra::write(&memory).unwrap();
    let file = rra::read(&bytes).unwrap();
    let opened = file.open(None).unwrap();
    let opened =
        ImageFile { findings: opened.findings, ..ImageFile::of(opened.image, opened.places) };
    let report = opened.check(registry::FORMATS[0].check);
    let all: Vec<_> = file.findings.iter().chain(&report.findings).collect();
    let odd: Vec<_> = all.iter().filter(|finding| finding.severity != Severity::Note).collect();
    assert!(odd.is_empty(), "{odd:?}");
    // What Mesa leaves zero is not even a note.
    let zeros = ["unset_pointers", "index_in_parent"];
    assert!(all.iter().all(|finding| !zeros.contains(&finding.rule)), "{all:?}");
    let tree = Arc::clone(report.checked.unwrap().tree());
    assert!(instances(&tree).eq(instances(&expected)));
}
