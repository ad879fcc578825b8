//! Files for Radeon Raytracing Analyzer.

use crate::support::{check, image, layouts};
use bvh4::rra::container::{Container, StoredChunk, write};
use gfx10::encode::{Options, Policy};
use gfx10::registry::FORMATS;
use gfx10::rra;
use gfx10::{GFX11_NAME, Generation};
use machine::{FormatEntry, ImageFile, ReadOptions};
use std::collections::BTreeSet;
use testkit::worlds::{instanced, mixed, scenes};
use tree::Tree;

pub(crate) fn entry(generation: Generation) -> &'static FormatEntry {
    let name = FORMATS.iter().position(|format| format.name == GFX11_NAME);
    &FORMATS[if generation == Generation::Gfx11 { name.unwrap() } else { 0 }]
}

fn read(entry: &FormatEntry, bytes: &[u8]) -> ImageFile {
    (entry.read)(bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Ids, flags, and the corners of triangles.
type Held = BTreeSet<(u32, u32, u32, Vec<u32>)>;

/// Who is there.
fn held(tree: &Tree) -> Vec<Held> {
    let level = |blas: &tree::Blas| {
        let ids = blas.primitives.ids.iter().enumerate();
        ids.map(|(number, id)| {
            let corners = blas.primitives.triangles.get(number).map(|it| it.vertices);
            let corners = corners.into_iter().flatten().flat_map(|v| v.to_array());
            let bits = corners.map(f32::to_bits).collect();
            (id.geometry, id.primitive, id.flags.bits().into(), bits)
        })
        .collect()
    };
    tree.blases.iter().map(level).collect()
}

#[test]
fn images_come_back_from_files_for_the_viewer() {
    let mut trees = scenes();
    trees.extend([mixed(), instanced()]);
    for tree in &trees {
        for (generation, options) in layouts() {
            let stored = image(tree, generation, &options);
            let wanted = check(stored.clone()).ok().unwrap();
            let bytes = rra::write(&stored).unwrap();
            assert_eq!(rra::generation(&bytes), Some(generation), "{options:?}");
            assert!((entry(generation).sniff)(&bytes));
            let file = read(entry(generation), &bytes);
            let odd: Vec<_> = file.findings.iter().filter(|f| f.rule != "header_counted").collect();
            assert!(odd.is_empty(), "{generation:?} {options:?} {odd:?}");
            let opened = check(file.image.clone()).unwrap_or_else(|found| panic!("{found:?}"));
            let odd = opened.findings.iter().filter(|found| found.rule != "contained");
            assert_eq!(odd.count(), 0, "{generation:?} {options:?} {:?}", opened.findings);
            assert!(opened.facts.parents);
            assert_eq!(held(&wanted.tree), held(&opened.tree), "{generation:?} {options:?}");
            let instances = |tree: &Tree| {
                let all = tree.tlas.iter().flat_map(|tlas| tlas.instances.clone());
                all.map(|it| (it.world_to_object, it.mask, it.custom_index, it.sbt_offset))
                    .collect::<Vec<_>>()
            };
            assert_eq!(instances(&wanted.tree), instances(&opened.tree));
            // What lies behind headers is written as it is.
            assert!(rra::write(&file.image).unwrap() == bytes, "{generation:?} {options:?}");
        }
    }
}

/// a BLAS whose table lies in another's nodes is moved away, and instances follow it.
#[test]
fn structures_that_lie_in_each_other_are_moved_apart() {
    let stored = image(&instanced(), Generation::Gfx10, &Options::new(Policy::Gpurt));
    let wanted = check(stored.clone()).ok().unwrap();
    let mut bytes = rra::write(&stored).unwrap();
    // The second BLAS begins where the first has 128 bytes left.
    let [first, second] = [1, 2].map(|number: usize| &stored.segments[number]);
    let moved = first.address + first.bytes().len() as u64 / 64 * 64 - 128;
    let old = second.address;
    // Its header is where instances lead.
    let words = stored.segments[0].bytes().chunks_exact(8);
    let mut words = words.map(|word| u64::from_le_bytes(word.try_into().unwrap()) << 3);
    let end = old + second.bytes().len() as u64;
    let header = words.find(|address| (old + 1..end).contains(address)).unwrap();
    for at in 0..bytes.len() - 8 {
        let word = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let new = match word {
            word if word == old || word == header => word - old + moved,
            word if word == header >> 3 => (header - old + moved) >> 3,
            _ => continue,
        };
        bytes[at..at + 8].copy_from_slice(&new.to_le_bytes());
    }
    let file = read(entry(Generation::Gfx10), &bytes);
    let notes: Vec<_> = file.findings.iter().filter(|it| it.rule == "structure_overlap").collect();
    assert_eq!(notes.len(), 1, "{:?}", file.findings);
    assert_eq!(notes[0].severity, machine::Severity::Note);
    // An instance that was led elsewhere says so, and what the file has.
    let outline = (entry(Generation::Gfx10).outline)(&file.image);
    let values = outline.entries.iter().filter(|it| it.kind == "instance").map(|it| {
        let described = (entry(Generation::Gfx10).describe)(&file.image, it.node).unwrap();
        let fields = file.amended(described).fields;
        fields.into_iter().find(|field| field.name == "child_base").unwrap().value
    });
    let says = format!("moved: the file has {:#x}", (header - old + moved) >> 3);
    assert!(values.clone().any(|value| value.contains(&says)), "{:?}", values.collect::<Vec<_>>());
    assert!(values.clone().any(|value| !value.contains("moved")));
    let opened = check(file.image).unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(held(&wanted.tree), held(&opened.tree));
}

/// Each primitive of a structure in three leaves, as spatial splits may leave it.
fn split() -> Tree {
    let mut tree = scenes().swap_remove(0);
    let blas = &mut tree.blases[0];
    let count = blas.primitives.len();
    let (mut nodes, mut items) = (blas.bvh.nodes().to_vec(), Vec::new());
    for node in nodes.iter_mut().filter(|node| node.link.is_leaf()) {
        let held = blas.bvh.items(node).repeat(3);
        node.link = tree::NodeLink::leaf(items.len() as u32, held.len());
        items.extend(held);
    }
    blas.bvh = tree::Bvh::new(nodes, items, count).unwrap();
    tree
}

/// The viewer keeps a figure for each leaf node in a list as long as the header's primitives.
#[test]
fn no_more_leaves_than_primitives_are_written_for_the_viewer() {
    for policy in [Policy::Own, Policy::Gpurt, Policy::Radv] {
        let stored = image(&split(), Generation::Gfx11, &Options::new(policy));
        let bytes = rra::write(&stored).unwrap();
        let file = read(entry(Generation::Gfx11), &bytes);
        let odd: Vec<_> = file.findings.iter().filter(|f| f.rule != "header_counted").collect();
        assert!(odd.is_empty(), "{policy:?} {odd:?}");
        let blas = file.structures.iter().find(|it| it.level == "BLAS").unwrap();
        assert!(blas.nodes[1] <= blas.primitives, "{policy:?} {blas:?}");
    }
}

#[test]
fn a_file_with_more_leaves_than_primitives_is_named() {
    let stored = image(&mixed(), Generation::Gfx10, &Options::new(Policy::Gpurt));
    let mut bytes = rra::write(&stored).unwrap();
    let file = read(entry(Generation::Gfx10), &bytes);
    let at = file.structures[0].offset as usize;
    let header = (at..).find(|&at| bytes[at + 72] == 2 && bytes[at + 32] == 128).unwrap();
    bytes[header + 12..header + 16].copy_from_slice(&2u32.to_le_bytes());
    let file = read(entry(Generation::Gfx10), &bytes);
    let rules: Vec<_> = file.findings.iter().map(|finding| finding.rule).collect();
    assert!(rules.contains(&"leaf_count"), "{:?}", file.findings);
}

/// no ray sees an instance with a mask of 0, and the viewer does not survive it.
#[test]
fn instances_that_no_ray_sees_are_left_out() {
    let mut tree = instanced();
    let tlas = tree.tlas.as_mut().unwrap();
    tlas.instances[1].mask = 0;
    for (generation, options) in layouts() {
        let stored = image(&tree, generation, &options);
        let sound = check(stored.clone()).ok().unwrap();
        let odd = sound.findings.iter().find(|found| !found.rule.starts_with("contained"));
        assert_eq!(odd, None, "{generation:?} {options:?}");
        let kept = sound.tree.tlas.as_ref().unwrap().instances.iter().map(|it| it.mask != 0);
        let wanted = tree.tlas.as_ref().unwrap().instances.iter().map(|it| it.mask != 0);
        assert!(kept.eq(wanted), "{generation:?} {options:?}");
        let file = read(entry(generation), &rra::write(&stored).unwrap());
        let named = file.findings.iter().find(|it| it.rule == "instance_inactive");
        assert_eq!(named, None, "{generation:?} {options:?}");
    }
}

/// The viewer takes a file for one of Navi 3 by the major level of the graphics IP.
#[test]
fn files_name_the_graphics_level_of_their_generation() {
    for (generation, options) in layouts() {
        let bytes = rra::write(&image(&mixed(), generation, &options)).unwrap();
        let container = Container::parse(&bytes).unwrap();
        let mut chunks = container.chunks.iter().map(|chunk| chunk.to_stored());
        let asic = chunks.find_map(|chunk| bvh4::rra::AsicInfo::of_chunk(&chunk)).unwrap();
        let wanted = if generation == Generation::Gfx11 { [11, 0, 0] } else { [10, 3, 0] };
        assert_eq!(asic.graphics_ip, wanted, "{options:?}");
    }
}

/// Procedurals are nodes of their own, and used.
#[test]
fn outlines_name_procedurals() {
    let stored = image(&mixed(), Generation::Gfx10, &Options::new(Policy::Own));
    let outline = (entry(Generation::Gfx10).outline)(&stored);
    assert!(outline.entries.iter().any(|entry| entry.kind == "procedural"));
    assert!(outline.entries.iter().all(|entry| entry.kind != "unused"));
}

/// A header of level 2 does not tell RDNA2 from RDNA3 in files of RADV; the card does.
#[test]
fn the_card_tells_generations_apart() {
    let stored = image(&mixed(), Generation::Gfx11, &Options::new(Policy::Radv));
    let bytes = rra::write(&stored).unwrap();
    let container = Container::parse(&bytes).unwrap();
    let chunks: Vec<StoredChunk> = container.chunks.iter().map(|chunk| chunk.to_stored()).collect();
    let with_device = |device: Option<u32>| {
        let mut chunks = chunks.clone();
        chunks.retain(|chunk| device.is_some() || chunk.name() != "AsicInfo");
        for chunk in chunks.iter_mut().filter(|chunk| chunk.name() == "AsicInfo") {
            chunk.data[40..44].copy_from_slice(&device.unwrap().to_le_bytes());
        }
        write(container.magic, &chunks)
    };
    for (device, generation) in [
        (Some(0x744C), Generation::Gfx11),
        (Some(0x7480), Generation::Gfx11),
        (Some(0x15BF), Generation::Gfx11),
        (Some(0x73BF), Generation::Gfx10),
        (Some(0x163F), Generation::Gfx10),
        (None, Generation::Gfx10),
    ] {
        assert_eq!(rra::generation(&with_device(device)), Some(generation), "{device:x?}");
    }
    // GPURT's level says it without a card.
    let stored = image(&mixed(), Generation::Gfx11, &Options::new(Policy::Gpurt));
    assert_eq!(rra::generation(&rra::write(&stored).unwrap()), Some(Generation::Gfx11));
    assert_eq!(rra::generation(b"AMD_RDF "), None);
}

/// The parent table is the end of the metadata, where the viewer looks for it.
#[test]
fn the_viewer_finds_parents_and_lists() {
    let u32_at = |bytes: &[u8], at: usize| {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
    };
    for policy in Policy::ALL {
        let stored = image(&instanced(), Generation::Gfx10, &Options::new(policy));
        let bytes = rra::write(&stored).unwrap();
        let container = Container::parse(&bytes).unwrap();
        let structures = container.chunks.iter().filter(|c| c.name() == "RawAccelStruct");
        for chunk in structures {
            let [copied, offset, size, is_blas] =
                [12, 16, 20, 24].map(|at| u32_at(chunk.header, at));
            assert!(copied <= 256 && copied < offset);
            let header = &chunk.data[offset..offset + size];
            let word = |dword: usize| u32_at(header, 4 * dword);
            assert_eq!(word(0) & 1, is_blas);
            assert_eq!(word(1), offset);
            let (boxes, leaves) = (word(9) - word(8), word(11) - word(9));
            let leaves = if is_blas == 1 { word(10) - word(9) } else { leaves };
            assert_eq!(boxes, 128 * word(12) + 64 * word(13));
            let parents = &chunk.data[offset - 4 * (boxes + leaves) / 64..offset];
            let root = u32_at(parents, parents.len() - 4);
            assert_eq!(root, 0xFFFF_FFFF);
            let first_child = u32_at(chunk.data, offset + size);
            let slot = (first_child >> 3) - 1;
            assert_eq!(u32_at(parents, parents.len() - 4 * slot), 0x15, "{policy:?}");
            let lists = offset + size + boxes + leaves;
            let infos = if is_blas == 1 { 12 * word(6) } else { 0 };
            assert_eq!(chunk.data.len(), lists + infos + 4 * word(3));
            let sum: usize = chunk.data[lists..lists + infos]
                .chunks(12)
                .map(|info| u32_at(info, 0) & 0x1FFF_FFFF)
                .sum();
            assert!(is_blas == 0 || sum == word(3));
        }
    }
}
