//! Files for Radeon Raytracing Analyzer, and bits flipped in every kind of file.

use crate::support::{check, image, layouts};
use bvh4::rra::container::{Container, StoredChunk, write};
use geometry::TriangleRule;
use gfx10::encode::{Options, Policy};
use gfx10::registry::{FORMATS, MACHINES};
use gfx10::rra;
use gfx10::{GFX11_NAME, Generation};
use machine::{
    FormatEntry, HitKind, Image, ImageFile, Machine, MachineInput, MachineOptions, Oracle,
    ReadOptions,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use testkit::Random;
use testkit::worlds::{instanced, mixed, rays, scenes};
use tree::Tree;

fn entry(generation: Generation) -> &'static FormatEntry {
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
    let opened = check(file.image).unwrap_or_else(|found| panic!("{found:?}"));
    assert_eq!(held(&wanted.tree), held(&opened.tree));
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

fn machine_for(generation: Generation, policy: Policy) -> &'static str {
    match (generation, policy) {
        (Generation::Gfx10, Policy::Radv) => "gfx10-radv",
        (Generation::Gfx10, _) => "gfx10-gpurt",
        (Generation::Gfx11, Policy::Radv) => "gfx11-radv",
        (Generation::Gfx11, _) => "gfx11-gpurt",
    }
}

/// Files of one generation: memory as it is, and for the viewer.
fn files(tree: &Tree, generation: Generation) -> Vec<(Policy, &'static str, Vec<u8>)> {
    let write = entry(generation).trees.as_ref().unwrap().write;
    let mut files = Vec::new();
    for policy in Policy::ALL {
        // Planes in halves reach beyond those above, and RADV's exporter makes boxes of them.
        let options = Options { margin: true, half: false, ..Options::new(policy) };
        let image: Image = image(tree, generation, &options);
        for ending in ["bin", "rra"] {
            // siliray's own layout is GPURT's in files for the viewer.
            if (policy, ending) != (Policy::Own, "rra") {
                files.push((policy, ending, write(&image, Some(ending)).unwrap()));
            }
        }
    }
    files
}

#[test]
fn a_thousand_flips_of_each_file_are_named_or_harmless() {
    let rule = TriangleRule::Watertight;
    let mut random = Random(2024);
    for generation in Generation::ALL {
        for (tree, flips) in [(mixed(), 600), (instanced(), 400)] {
            let queries = rays(&tree.bounds(), 3, 4);
            for (policy, ending, bytes) in files(&tree, generation) {
                let (mut named, mut harmless) = (0, 0);
                for _ in 0..flips {
                    let (byte, bit) = (random.below(bytes.len()), random.below(8));
                    let mut damaged = bytes.clone();
                    damaged[byte] ^= 1 << bit;
                    let place = format!("{generation:?} {policy:?} {ending} {byte:#x}.{bit}");
                    if silent(&damaged, generation, policy, &queries, rule, &place) {
                        harmless += 1;
                    } else {
                        named += 1;
                    }
                }
                assert!(named > flips / 20 && harmless > flips / 50, "{policy:?} {ending} {named}");
            }
        }
    }
}

/// Whether a damaged file is read without a word. Then machines answer as the oracle.
fn silent(
    bytes: &[u8],
    generation: Generation,
    policy: Policy,
    queries: &[machine::RayQuery],
    rule: TriangleRule,
    place: &str,
) -> bool {
    let entry = entry(generation);
    let _ = rra::generation(bytes);
    let Ok(file) = (entry.read)(bytes, &ReadOptions::default()) else { return false };
    let report = file.check(entry.check);
    let is_named = report.findings.iter().any(|found| found.rule != "header_counted");
    let Ok(checked) = report.into_checked() else { return false };
    let name = machine_for(generation, policy);
    let make = MACHINES.iter().find(|machine| machine.name == name).unwrap().make;
    let input = MachineInput::Image(Arc::clone(&checked));
    let machine = make(&input, &MachineOptions { rule, ..MachineOptions::default() });
    let Ok(machine) = machine else {
        assert!(is_named, "{place}");
        return false;
    };
    let oracle = Oracle::new(&**checked.tree(), rule);
    for query in queries {
        let got = machine.answer(&(*query).into()).unwrap().hits;
        if is_named {
            continue; // that the walk came back is enough
        }
        let expected = oracle.answer(&(*query).into()).unwrap().hits;
        match query.kind {
            HitKind::Any => assert_eq!(got.is_empty(), expected.is_empty(), "{place}"),
            _ => assert_eq!(got, expected, "{place}"),
        }
    }
    !is_named
}
