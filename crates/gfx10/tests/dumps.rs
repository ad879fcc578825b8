//! Dumps of RADV's memory on RDNA2 and RDNA3: raw memory, gamma files, serialized structures.

use crate::support::{check, image, serialized};
use bvh4::layout::RadvHeader;
use gfx10::Generation;
use gfx10::dump::{self, signs::Told};
use gfx10::encode::{Options, Policy};
use gfx10::registry::FORMATS;
use machine::{FormatEntry, Image, ImageFile, RawLayout, ReadError, ReadOptions};
use testkit::worlds::{instanced, mixed};
use tree::{Blas, Bvh, PrimitiveFlags, Primitives, Tree};

fn radv(tree: &Tree, generation: Generation) -> Image {
    image(tree, generation, &Options::new(Policy::Radv))
}

fn with_opacity(mut tree: Tree, is_opaque: bool) -> Tree {
    for id in tree.blases.iter_mut().flat_map(|blas| &mut blas.primitives.ids) {
        id.flags.set(PrimitiveFlags::OPAQUE, is_opaque);
    }
    tree
}

/// The formats that take the bytes for theirs.
fn takers(bytes: &[u8]) -> Vec<&'static str> {
    FORMATS.iter().filter(|entry| (entry.sniff)(bytes)).map(|entry| entry.name).collect()
}

fn entry(name: &str) -> &'static FormatEntry {
    FORMATS.iter().find(|entry| entry.name == name).unwrap()
}

fn read(name: &str, bytes: &[u8]) -> Result<ImageFile, ReadError> {
    (entry(name).read)(bytes, &ReadOptions::default())
}

fn gamma(image: &Image) -> Vec<u8> {
    let trees = entry(image.format).trees.as_ref().unwrap();
    (trees.write)(image, Some("gamma")).unwrap()
}

/// Every kind of dump of one structure says of which generation it is, and holds its nodes.
#[test]
fn dumps_of_a_structure_open_as_their_generation() {
    for generation in Generation::ALL {
        for tree in [with_opacity(mixed(), true), with_opacity(mixed(), false), mixed()] {
            let image = radv(&tree, generation);
            let memory = image.segments[0].bytes();
            for bytes in [memory.to_vec(), serialized(memory), gamma(&image)] {
                assert_eq!(takers(&bytes), [image.format]);
                let file = read(image.format, &bytes).unwrap();
                assert_eq!((file.structures.len(), file.findings.len()), (1, 0));
                assert_eq!(file.structures[0].level, "BLAS");
                let base = file.image.bases[0];
                let nodes = memory.len() - (image.bases[0] - image.segments[0].address) as usize;
                let own = file.image.get(base, nodes).unwrap();
                assert_eq!(own, image.get(image.bases[0], nodes).unwrap());
                let sound = check(file.image.clone()).unwrap_or_else(|it| panic!("{it:?}"));
                assert!(sound.findings.is_empty(), "{:?}", sound.findings);
                assert!(sound.facts.parents);
                assert_eq!(sound.tree, check(image.clone()).ok().unwrap().tree);
                // Findings have the places of the file.
                let offset = file.offset_of(base).unwrap() as usize;
                assert_eq!(bytes[offset..offset + 128], own[..128]);
            }
        }
    }
}

/// RADV's memory is a file as it is, and one that is known again, as on GFX12.
#[test]
fn memory_is_written_as_it_is() {
    for generation in Generation::ALL {
        for tree in [mixed(), instanced()] {
            let image = radv(&tree, generation);
            let trees = entry(image.format).trees.as_ref().unwrap();
            let bytes = (trees.write)(&image, Some("bin")).unwrap();
            assert!(RadvHeader::of_bytes(&bytes).is_some());
            assert_eq!(takers(&bytes), [image.format]);
            assert_eq!(read(image.format, &bytes).unwrap().image, image);
        }
        // What RDNA2 and RDNA3 write alike keeps the name of its format beside it.
        let blas = Blas { bvh: Bvh::empty(), primitives: Primitives::default() };
        let image = radv(&Tree { blases: vec![blas], tlas: None }, generation);
        let trees = entry(image.format).trees.as_ref().unwrap();
        let bytes = (trees.write)(&image, Some("bin")).unwrap();
        assert_eq!(takers(&bytes), [image.format]);
    }
}

/// Memory of a GPU, in which instances name addresses that are no offsets of the file.
#[test]
fn memory_lies_where_it_was() {
    const ADDRESS: u64 = 0x8_0000_0000;
    let image = radv(&instanced(), Generation::Gfx11);
    let mut bytes = bvh4::dump::memory::write(&image).unwrap();
    let survey = bvh4::image::examine::<gfx10::structure::Structure>(&image).survey;
    for instance in &survey.structures[0].instances {
        let at = (image.bases[0] + instance.pointer.byte_offset()) as usize;
        let base = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) + (ADDRESS >> 3);
        bytes[at..at + 8].copy_from_slice(&base.to_le_bytes());
    }
    let open = |address: u64| {
        let (base, writer) = (image.bases[0] + address, Some("radv"));
        let raw = RawLayout { address, base, primitive_base: None, root: image.root, writer };
        let options = ReadOptions { raw: Some(raw), ..ReadOptions::default() };
        (entry(image.format).read)(&bytes, &options).unwrap()
    };
    let file = open(ADDRESS);
    assert_eq!(file.offset_of(ADDRESS + 0x80), Some(0x80));
    let sound = check(file.image).unwrap_or_else(|findings| panic!("{findings:?}"));
    assert_eq!(sound.findings, []);
    assert_eq!(sound.tree, check(image.clone()).ok().unwrap().tree);
    let findings = check(open(0).image).err().unwrap();
    assert!(findings.iter().any(|found| found.rule == "instance_base"));
}

#[test]
fn a_gamma_file_of_two_levels_opens() {
    for generation in Generation::ALL {
        let image = radv(&instanced(), generation);
        let bytes = gamma(&image);
        assert_eq!(takers(&bytes), [image.format]);
        let file = read(image.format, &bytes).unwrap();
        assert_eq!(file.structures.len(), image.segments.len());
        let sound = check(file.image).unwrap_or_else(|findings| panic!("{findings:?}"));
        assert!(sound.findings.is_empty(), "{:?}", sound.findings);
        assert_eq!(sound.tree, check(image).ok().unwrap().tree);
    }
}

/// An empty structure is the same on both: that is said, with the option that decides.
#[test]
fn what_cannot_be_told_apart_is_said() {
    let blas = Blas { bvh: Bvh::empty(), primitives: Primitives::default() };
    let empty = radv(&Tree { blases: vec![blas], tlas: None }, Generation::Gfx11);
    let bytes = empty.segments[0].bytes();
    assert_eq!(dump::generation(bytes), Some(Told::Unsure));
    assert_eq!(takers(bytes), ["gfx10-bvh4"]);
    let file = read("gfx10-bvh4", bytes).unwrap();
    assert_eq!(file.findings[0].rule, "generation");
    assert!(file.findings[0].expected.contains("--raw-format gfx11-bvh4"));
    // What is read as the other generation is doubted.
    let sure = radv(&instanced(), Generation::Gfx11);
    let file = read("gfx10-bvh4", &gamma(&sure)).unwrap();
    assert!(file.findings[0].found.contains("gfx11"), "{:?}", file.findings[0]);
}

/// One broken sign misleads nobody.
#[test]
fn a_broken_root_is_still_of_its_width() {
    let image = radv(&with_opacity(mixed(), true), Generation::Gfx10);
    let memory = image.segments[0].bytes();
    let root = RadvHeader::of_bytes(memory).unwrap().bvh_offset as usize;
    for at in [root - 4, root + 12] {
        let mut broken = memory.to_vec();
        broken[at..at + 4].copy_from_slice(&0x3F80_0000u32.to_le_bytes());
        assert_eq!(takers(&broken), ["gfx10-bvh4"]);
    }
}

#[test]
fn cut_dumps_name_the_place_or_open() {
    let image = radv(&instanced(), Generation::Gfx11);
    let bytes = gamma(&image);
    for length in (40..bytes.len()).step_by(97) {
        for entry in FORMATS {
            match (entry.read)(&bytes[..length], &ReadOptions::default()) {
                Ok(file) => drop(check(file.image)),
                Err(ReadError::Broken(finding)) => assert!(finding.offset <= length as u64),
                Err(ReadError::NoStructure { .. }) => (),
            }
        }
    }
}
