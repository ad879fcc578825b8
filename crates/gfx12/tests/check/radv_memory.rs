//! RADV's memory, field by field, and as a file.

use super::worlds::{scene, tree};
use build::Preset;
use gfx12::check::check;
use gfx12::decode::{Header, NodeBody, Structure, nodes};
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{
    Bits, BoxNode, InstanceNode, NODE_BYTES, NodeBits, NodePointer, RadvGeometryInfo, RadvHeader,
    RadvInstanceData,
};
use gfx12::rra::container::Container;
use gfx12::{dump, registry, rra};
use machine::{Image, RawLayout, ReadOptions, Segment};
use std::collections::BTreeSet;
use tree::Tree;

fn radv(tree: &Tree) -> Image {
    encode(tree, &Options::new(Policy::Radv)).unwrap().image
}

fn instanced() -> (Tree, Image) {
    let tree = tree(&scene("instanced", 9), Preset::Balanced);
    let image = radv(&tree);
    (tree, image)
}

fn header(segment: &Segment) -> RadvHeader {
    RadvHeader::decode(&Bits::from_bytes(&segment.bytes()[..136]))
}

fn word(segment: &Segment, at: u64) -> u32 {
    let bytes = segment.get(segment.address + at, 4).unwrap();
    u32::from_le_bytes(bytes.try_into().unwrap())
}

/// Offsets as the header's description has them: offset 0, flags 4, bounds 8, update 32, compacted
/// 48, serialized 56, copy 64, size 80, geometry type 88 and count 92, leaves 96, primitives 104,
/// instances 112, table 120, build flags 124, type 128; 136 bytes.
#[test]
fn headers_say_what_follows() {
    let (tree, image) = instanced();
    let tlas = tree.tlas.as_ref().unwrap();
    for (number, segment) in image.segments.iter().enumerate() {
        let header = header(segment);
        let is_top = number == 0;
        let base = header.bvh_offset;
        assert!(base.is_multiple_of(64) && header.is_consistent());
        assert_eq!(word(segment, 0), base);
        assert_eq!(word(segment, 48) as usize, segment.bytes().len());
        assert_eq!([word(segment, 68), word(segment, 72)], [1, 1]);
        assert_eq!(word(segment, 64), (segment.bytes().len() as u32).div_ceil(1024));
        assert_eq!(word(segment, 96), base + 128);
        assert_eq!(word(segment, 128), u32::from(!is_top));
        let instances = if is_top { tlas.instances.len() as u32 } else { 0 };
        assert_eq!(word(segment, 112), instances);
        assert_eq!(
            word(segment, 56) - word(segment, 48),
            (56 + 8 * instances).next_multiple_of(128)
        );
        assert_eq!(word(segment, 80), word(segment, 56) - 56 - 8 * instances);
        let infos = 136 + 12 * header.geometry_count;
        assert_eq!(word(segment, 120), infos);
        assert_eq!(base, (infos + 4 * instances).next_multiple_of(64));
        assert_eq!([word(segment, 36), word(segment, 40)], [1, 1]);
    }
    let top = header(&image.segments[0]);
    assert_eq!((top.geometry_type, top.geometry_count), (2, 1));
    assert_eq!((image.root, image.bases.clone()), (0x5, vec![top.bvh_offset.into(); 2]));
    for (blas, segment) in tree.blases.iter().zip(&image.segments[1..]) {
        let header = header(segment);
        let bounds = blas.bvh.root().bounds;
        if blas.primitives.is_empty() {
            assert!(header.root_min.iter().all(|x| x.is_nan()));
            continue;
        }
        assert_eq!(header.root_min, bounds.min.to_array());
        assert_eq!(header.root_max, bounds.max.to_array());
        assert_eq!(header.geometry_type, u32::from(blas.primitives.triangles.is_empty()));
        let counts = (0..header.geometry_count).map(|geometry| {
            let start = segment.address + u64::from(136 + 12 * geometry);
            let info = segment.get(start, 12).unwrap();
            let info = RadvGeometryInfo::decode(&Bits::from_bytes(info));
            assert_eq!(info.geometry_type, header.geometry_type);
            u64::from(info.primitive_count)
        });
        assert_eq!(counts.sum::<u64>(), header.primitive_count);
    }
}

/// The root, then leaves, then boxes in a TLAS and over procedurals; over triangles boxes first.
#[test]
fn nodes_lie_where_radv_puts_them() {
    let (tree, image) = instanced();
    let all: Vec<_> = nodes(&image).collect();
    for (number, segment) in image.segments.iter().enumerate() {
        let base = segment.address + u64::from(header(segment).bvh_offset);
        let own = |address: &u64| segment.get(*address, 1).is_some();
        let boxes = all.iter().filter(|node| matches!(node.body, NodeBody::Box(_)));
        let boxes: BTreeSet<u64> = boxes.map(|node| node.address).filter(own).collect();
        let others = all.iter().filter(|node| !matches!(node.body, NodeBody::Box(_)));
        let others: BTreeSet<u64> = others.map(|node| node.address).filter(own).collect();
        assert_eq!(boxes.first(), Some(&base), "the root is pointer 0x5");
        let triangles = number > 0 && !tree.blases[number - 1].primitives.triangles.is_empty();
        if let Some((first, last)) = others.first().zip(others.last()) {
            let before = boxes.iter().filter(|&address| address < first).count();
            let inside = boxes.iter().filter(|&address| (first..last).contains(&address)).count();
            assert_eq!(inside, 0);
            assert_eq!(before, if triangles { boxes.len() } else { 1 });
        }
        let last = boxes.iter().chain(&others).max().unwrap();
        let end = segment.address + segment.bytes().len() as u64;
        assert_eq!(end - last, if others.contains(last) && number == 0 { 256 } else { 128 });
    }
}

/// An instance is two nodes: the hardware's, and what the driver keeps.
#[test]
fn instances_have_driver_data_behind_them() {
    let (tree, image) = instanced();
    let tlas = tree.tlas.as_ref().unwrap();
    let places = header(&image.segments[0]).leaf_node_offsets_offset;
    let mut seen = BTreeSet::new();
    for node in nodes(&image) {
        match node.body {
            NodeBody::Instance(body) => {
                let behind = image.get(node.address + NODE_BYTES, 128).unwrap();
                let data = RadvInstanceData::decode(&NodeBits::from_bytes(behind));
                let instance = &tlas.instances[data.instance_index as usize];
                let blas = &image.segments[1 + instance.blas as usize];
                let below = header(blas);
                assert_eq!(data.object_to_world, instance.object_to_world);
                assert_eq!(data.custom_index, instance.custom_index);
                assert_eq!(data.bvh_offset, below.bvh_offset);
                assert_eq!(data.leaf_node_offsets_offset, below.leaf_node_offsets_offset);
                let base = blas.address + u64::from(below.bvh_offset);
                assert_eq!(body.child_base.address(), base);
                named_as_radv_does(&body, &below);
                if seen.insert(data.instance_index) {
                    let at = u64::from(places + 4 * data.instance_index);
                    let place = u64::from(word(&image.segments[0], at));
                    assert_eq!(image.bases[0] + place, node.address);
                }
            }
            NodeBody::Box(body) => {
                assert_eq!(body.index_in_parent, 0);
                let types = body.used_children().iter().filter(|child| child.node_type == 6);
                assert!(types.into_iter().all(|child| child.range_length == 2));
            }
            NodeBody::Primitive { .. } => (),
        }
    }
    assert!(seen.len() > 3);
}

/// One box of all codes, type 5, size 1, cull flags 4, on a grid that starts at the lower corner.
fn named_as_radv_does(node: &InstanceNode, below: &RadvHeader) {
    let words = node.encode();
    assert_eq!(node.child_count, 1);
    assert_eq!(words.word(20), 0x0400_0000);
    assert_eq!(words.word(21), 0xFFFF_F000);
    assert_eq!(words.word(22), 0x15FF_FFFF);
    for slot in 1..4 {
        let start = 20 + 3 * slot;
        let entry = [words.word(start), words.word(start + 1), words.word(start + 2)];
        assert_eq!(entry, [0xFFFF_FFFF, 0x0000_0FFF, 0]);
    }
    assert_eq!(node.frame.origin, below.root_min);
}

/// Nothing is there: count nibble 15, eight slots that no ray enters, bounds of NaN.
#[test]
fn an_empty_structure() {
    let empty = tree::Blas { primitives: tree::Primitives::default(), bvh: tree::Bvh::empty() };
    let image = radv(&Tree { blases: vec![empty], tlas: None });
    let header = header(&image.segments[0]);
    assert!(header.root_min.iter().chain(&header.root_max).all(|x| x.is_nan()));
    let root = NodeBits::from_bytes(image.get(image.bases[0], 128).unwrap());
    assert_eq!(root.get(220..224), 0xF);
    let node = BoxNode::decode(&root);
    assert!(node.children.iter().all(|child| child.mask == 0 && child.is_inverted()));
    assert_eq!(check(image).findings, []);
}

/// Triangles say nothing about opacity, the boxes above them and the header do.
#[test]
fn opacity_stands_above_triangles() {
    let tree = tree(&scene("triangles", 9), Preset::Balanced);
    let image = radv(&tree);
    let mut known = 0;
    for node in nodes(&image) {
        let NodeBody::Box(body) = node.body else { continue };
        for child in body.used_children() {
            known += usize::from(child.node_type == 5 && !child.cull_flags.is_empty());
            assert!(child.node_type == 5 || child.cull_flags.is_empty());
        }
    }
    assert!(known > 0);
}

/// The file is the memory from address 0 on, and opens by its first bytes.
#[test]
fn a_file_of_memory_comes_back() {
    let (_, image) = instanced();
    let bytes = dump::write_memory(&image).unwrap();
    let entry = &registry::FORMATS[0];
    assert!((entry.sniff)(&bytes));
    let file = (entry.read)(&bytes, &ReadOptions::default()).unwrap();
    assert_eq!(file.image, image);
    assert_eq!(file.structures.len(), image.segments.len());
    assert_eq!(file.structures[0].level, "TLAS");
    let second = ReadOptions { structure: Some(2), raw: None };
    let blas = (entry.read)(&bytes, &second).unwrap();
    assert_eq!(blas.image.segments, [image.segments[2].clone()]);
    assert_eq!(blas.offset_of(image.segments[2].address + 5), Some(image.segments[2].address + 5));
    assert!((entry.read)(&bytes, &ReadOptions { structure: Some(99), raw: None }).is_err());
    // Cut anywhere, it is refused, or read as far as it goes.
    for length in (0..bytes.len()).step_by(97) {
        if (entry.sniff)(&bytes[..length]) {
            let file = (entry.read)(&bytes[..length], &ReadOptions::default()).unwrap();
            let _ = file.check(entry.check);
        }
    }
}

/// Memory without a file around it.
fn raw(bytes: &[u8], base: u64, writer: Option<&'static str>) -> Image {
    let layout = RawLayout { address: 0, base, primitive_base: None, root: 5, writer };
    let options = ReadOptions { structure: None, raw: Some(layout) };
    (registry::FORMATS[0].read)(bytes, &options).unwrap().image
}

fn rules(image: Image) -> BTreeSet<&'static str> {
    check(image).findings.iter().map(|finding| finding.rule).collect()
}

/// A heap of structures in one piece: each has its own header.
#[test]
fn a_heap_is_read_by_the_headers_in_it() {
    let (_, image) = instanced();
    let mut bytes = dump::write_memory(&image).unwrap();
    let heap = raw(&bytes, image.bases[0], None);
    let [known, found] = [image.clone(), heap].map(check);
    assert_eq!(found.findings, known.findings);
    // Of a heap only those structures are known that instances name.
    let [known, found] = [known, found].map(|it| it.checked.unwrap().tree().tlas.clone().unwrap());
    assert_eq!(found.instances.len(), known.instances.len());
    // The size of one of them.
    let blas = &image.segments[1];
    let smaller = header(blas).with_sizes(header(blas).compacted_size - 128, 0);
    smaller.encode().write_bytes(&mut bytes[blas.address as usize..]);
    assert!(rules(raw(&bytes, image.bases[0], None)).contains("allocated_size"));
}

/// Nodes alone do not say who wrote them; an option does.
#[test]
fn bare_nodes_may_be_declared_radvs() {
    let image = radv(&tree(&scene("triangles", 9), Preset::Balanced));
    let memory = image.segments[0].bytes();
    let nodes = &memory[image.bases[0] as usize..];
    assert!(rules(raw(nodes, 0, None)).contains("index_in_parent"));
    assert!(rules(raw(nodes, 0, Some("own"))).contains("index_in_parent"));
    assert_eq!(rules(raw(nodes, 0, Some("radv"))), BTreeSet::new());
    // A header that says something else.
    assert_eq!(rules(raw(memory, image.bases[0], Some("radv"))), BTreeSet::new());
    assert_eq!(rules(raw(memory, image.bases[0], Some("gpurt"))), BTreeSet::from(["writer"]));
}

/// The exporter: a new order behind GPURT's header, whose fields are as RADV fills them in.
#[test]
fn exported_structures() {
    let (tree, image) = instanced();
    let bytes = rra::write(&image).unwrap();
    let container = Container::parse(&bytes).unwrap();
    let file = rra::read(&bytes).unwrap();
    assert_eq!(file.structures.len(), image.segments.len());
    let chunks = container.chunks.iter().filter(|chunk| chunk.name() == "RawAccelStruct");
    for ((chunk, structure), segment) in chunks.zip(&file.structures).zip(&image.segments) {
        let memory = header(segment);
        let header = structure.header();
        assert_eq!((chunk.version, header.version, header.rt_ip_level), (0xF0005, 8 << 16, 6));
        assert_eq!(u32::from_le_bytes(chunk.header[20..24].try_into().unwrap()), 120);
        assert_eq!(header.geometry_type, memory.geometry_type);
        assert_eq!((header.root_min, header.compacted_size, header.uuid), ([0.0; 3], 0, [0; 2]));
        assert_eq!(header.leaf_node_count, header.primitive_count);
        let nodes = header.geometry_info_offset - 128;
        assert_eq!(header.total_size, 128 + 120 + nodes);
        let pointers = header.primitive_pointer_offset as usize;
        assert!(structure.segment.bytes()[pointers..].iter().all(|&byte| byte == 0));
        let data_size =
            u64::from_le_bytes(bytes[chunk.entry_offset as usize + 48..][..8].try_into().unwrap());
        assert_eq!(data_size, chunk.data.len() as u64 + 28, "the chunk's header is counted");
    }
    let opened = file.open(None).unwrap().image;
    assert_eq!(opened.root, u64::from(NodePointer::ROOT_BEHIND_HEADER.0));
    for node in nodes(&opened) {
        if let NodeBody::Box(body) = node.body {
            assert!(body.used_children().iter().all(|child| child.range_length <= 1));
        }
    }
    let decoded = check(opened).checked.unwrap();
    let instances = &decoded.tree().tlas.as_ref().unwrap().instances;
    assert_eq!(instances.len(), tree.tlas.unwrap().instances.len());
}

/// Only a header whose sizes fit together counts as one.
#[test]
fn other_bytes_are_no_memory() {
    let (_, image) = instanced();
    let bytes = dump::write_memory(&image).unwrap();
    for at in [0, 48, 56, 64, 68, 80] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        let found = Structure::of_segment(&Segment::new(0, &damaged));
        let is_same = |found: &Structure| found.box_base == image.bases[0];
        assert!(!found.as_ref().is_some_and(is_same), "byte {at}");
    }
    let known = Structure::of_segment(&image.segments[0]).unwrap();
    assert!(matches!(known.header, Some(Header::Radv(_))) && known.is_radv());
}
