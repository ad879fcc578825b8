//! HIPRT's memory: the dump that it wrote, and what siliray lays out like it.

use super::dump::hiprt_json;
use super::worlds::{scene, tree};
use build::Preset;
use geometry::InstanceFlags;
use gfx12::check::check;
use gfx12::decode::{Header, NodeBody, Structure, nodes};
use gfx12::encode::{EncodeError, Options, Policy, encode};
use gfx12::layout::{BoxNode, HiprtFrame, HiprtHeader, NodeBits};
use gfx12::{dump, registry, rra};
use machine::{Image, ImageFile, ReadOptions};
use scene::builtin::Builtin;
use tree::Tree;

const DUMP: &[u8] = include_bytes!("../vectors/hiprt-cornell-bvh8.bin");

fn open(bytes: &[u8]) -> ImageFile {
    let entry = &registry::FORMATS[0];
    assert!((entry.sniff)(bytes));
    (entry.read)(bytes, &ReadOptions::default()).unwrap()
}

fn hiprt(tree: &Tree) -> Image {
    encode(tree, &Options::new(Policy::Hiprt)).unwrap().image
}

/// A forest with something in every field of its instances.
fn forest() -> Tree {
    let mut tree = tree(&Builtin::Forest.scene(2000), Preset::Balanced);
    for (n, instance) in (0..).zip(&mut tree.tlas.as_mut().unwrap().instances) {
        instance.mask = [0xFF, 0x01, 0x80][n as usize % 3];
        instance.custom_index = 1000 + n;
        instance.sbt_offset = 3 * n + 1;
        instance.flags = InstanceFlags::from_bits_truncate(n as u8 % 16);
    }
    tree
}

/// The dump is known by its header, and nothing about it is odd: its parents are numbers.
#[test]
fn the_dump_opens_by_its_first_bytes() {
    let file = open(DUMP);
    let structure = &file.structures[0];
    assert_eq!((structure.level, structure.nodes, structure.bytes), ("BLAS", [2, 15], 4032));
    assert_eq!((file.image.bases.clone(), file.image.root), (vec![0x40, 0x4C0], 0x5));
    let report = check(file.image);
    assert_eq!(report.findings, []);
    let checked = report.checked.unwrap();
    assert!(checked.facts().lossless && !checked.facts().parents);
    let primitives = &checked.tree().blases[0].primitives;
    assert_eq!(primitives.triangles.len(), 32);
    assert!(primitives.ids.iter().all(|id| id.geometry == 0));
}

/// The tree of the dump, laid out again: the same boxes, in the same slots. Its triangles were not
/// paired; now they are.
#[test]
fn the_dump_laid_out_again() {
    let dump = open(DUMP).image;
    let checked = check(dump.clone()).checked.unwrap();
    let again = encode(checked.tree(), &Options::decoded(Policy::Hiprt)).unwrap().image;
    let boxes = |image: &Image| -> Vec<BoxNode> {
        let bodies = nodes(image).filter_map(|node| match node.body {
            NodeBody::Box(body) => Some(*body),
            _ => None,
        });
        bodies.collect()
    };
    let (given, made) = (boxes(&dump), boxes(&again));
    assert_eq!(given.len(), made.len());
    for (given, made) in given.iter().zip(&made) {
        assert_eq!((given.frame, given.child_count), (made.frame, made.child_count));
        assert_eq!((given.parent, given.internal_base), (made.parent, made.internal_base));
        for (given, made) in given.children.iter().zip(&made.children) {
            assert_eq!((given.min, given.max, given.mask), (made.min, made.max, made.mask));
            assert_eq!(given.node_type == 5, made.node_type == 5);
        }
    }
    assert!(nodes(&again).count() < nodes(&dump).count());
    assert_eq!(hiprt_json()["primitive_nodes"].as_array().unwrap().len(), 15);
}

/// Headers, and where the parts lie that they name.
#[test]
fn headers_name_what_follows() {
    let tree = forest();
    let image = hiprt(&tree);
    let instances = &tree.tlas.as_ref().unwrap().instances;
    for (number, segment) in image.segments.iter().enumerate() {
        let Some(Header::Hiprt(header)) = Structure::of_segment(segment).unwrap().header else {
            panic!("a header of HIPRT's");
        };
        assert_eq!(header.box_nodes, segment.address + HiprtHeader::BYTES);
        assert_eq!(header.primitive_nodes, header.box_nodes + 128 * u64::from(header.box_count));
        assert_eq!(header.size as usize, segment.bytes().len());
        assert_eq!(header.scene.is_some(), number == 0);
        let Some(scene) = header.scene else { continue };
        assert_eq!((scene.primitive_count, scene.rtip), (instances.len() as u32, 31));
        assert_eq!(image.bases, [header.box_nodes, header.primitive_nodes]);
        for (number, instance) in (0..).zip(instances) {
            let frame = image.get(scene.frames + 64 * number, 64).unwrap();
            let frame = HiprtFrame::decode(&gfx12::layout::Bits::from_bytes(frame));
            assert_eq!(frame.object_to_world, instance.object_to_world);
        }
    }
}

/// Instance nodes: the address of a header, a mask for software, up to four boxes of type 5.
#[test]
fn instances_as_hiprt_has_them() {
    let tree = forest();
    let image = hiprt(&tree);
    let instances = &tree.tlas.as_ref().unwrap().instances;
    let mut seen = 0;
    for node in nodes(&image) {
        let NodeBody::Instance(body) = node.body else { continue };
        let instance = &instances[body.user_data as usize];
        assert_eq!(body.child_base.0, image.segments[1 + instance.blas as usize].address);
        assert_eq!(body.mask, 0xFF);
        let mask = if instance.mask == 0xFF { u32::MAX } else { instance.mask.into() };
        assert_eq!(body.parent.0, mask);
        let used = body.used_children();
        assert!(used.iter().all(|child| (child.node_type, child.range_length) == (5, 1)));
        assert_eq!(body.encode().get(634..635), 1, "it does not move");
        seen += 1;
    }
    assert_eq!(seen, instances.len());
}

/// Nothing is lost on the way: instances with all their fields, and every triangle.
#[test]
fn a_scene_comes_back() {
    let given = forest();
    let image = hiprt(&given);
    let bytes = dump::write_memory(&image).unwrap();
    assert_eq!(open(&bytes).image, image);
    let report = check(image.clone());
    assert_eq!(report.findings, []);
    let checked = report.checked.unwrap();
    let decoded = checked.tree();
    assert_eq!(decoded.tlas.as_ref().unwrap().instances, given.tlas.as_ref().unwrap().instances);
    for (decoded, given) in decoded.blases.iter().zip(&given.blases) {
        let corners = |blas: &tree::Blas| {
            let mut all: Vec<_> =
                blas.primitives.triangles.iter().map(|triangle| triangle.to_bits()).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(corners(decoded), corners(given));
    }
    let again = encode(decoded, &Options::decoded(Policy::Hiprt)).unwrap().image;
    assert_eq!(check(again).findings, []);
}

/// Several geometries are numbered through, opacity stays.
#[test]
fn geometries_are_numbered_through() {
    let given = tree(&scene("triangles", 9), Preset::Balanced);
    let checked = check(hiprt(&given)).checked.unwrap();
    let ids = &checked.tree().blases[0].primitives.ids;
    let mut numbers: Vec<u32> = ids.iter().map(|id| id.primitive).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>());
    let opaque = |tree: &Tree| {
        let ids = &tree.blases[0].primitives.ids;
        ids.iter().filter(|id| id.flags.contains(tree::PrimitiveFlags::OPAQUE)).count()
    };
    assert_eq!(opaque(checked.tree()), opaque(&given));
}

/// A node holds at most 7 pairs and 15 vertices, and says how many vertices.
#[test]
fn packets_are_filled_as_hiprt_does() {
    let given = tree(&Builtin::Organic.scene(3000), Preset::Balanced);
    let mut most = [0, 0];
    for node in nodes(&hiprt(&given)) {
        let NodeBody::Primitive { .. } = node.body else { continue };
        let bits: NodeBits = node.body.bits();
        let node = gfx12::layout::PrimitiveNode::decode(&bits);
        let pairs = (0..node.pair_count()).flat_map(|pair| node.pair(pair).triangles);
        let highest = pairs.flat_map(|triangle| triangle.indices).max().unwrap();
        assert_eq!(bits.get(20..28), u32::from(highest));
        assert_eq!((node.header().vertex_bits, node.header().trailing_zeros), ([32; 3], 0));
        most = [most[0].max(node.pair_count()), most[1].max(usize::from(highest) + 1)];
    }
    assert!(most[0] <= 7 && most[1] <= 15 && most[0] > 3, "{most:?}");
}

#[test]
fn what_hiprt_has_no_place_for() {
    let given = tree(&scene("procedurals", 9), Preset::Balanced);
    let error = encode(&given, &Options::new(Policy::Hiprt)).unwrap_err();
    assert_eq!(error, EncodeError::Procedurals { level: 0 });
    // A geometry can stand in a file for the viewer, a scene cannot.
    let single = tree(&Builtin::Organic.scene(200), Preset::Balanced);
    assert!(rra::read(&rra::write(&hiprt(&single)).unwrap()).is_ok());
    assert!(rra::write(&hiprt(&forest())).unwrap_err().to_string().contains("no .rra form"));
}
