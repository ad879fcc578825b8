//! Dumps of RADV's memory: gamma files and serialized structures.

use super::worlds::{scene, tree};
use build::Preset;
use gfx12::check::check;
use gfx12::encode::{Options, Policy, encode};
use gfx12::layout::{Bits, RadvHeader};
use gfx12::{dump, registry};
use machine::{Image, ReadError, ReadOptions};

fn radv(kind: &str) -> Image {
    let tree = tree(&scene(kind, 9), Preset::Balanced);
    encode(&tree, &Options::new(Policy::Radv)).unwrap().image
}

fn read(bytes: &[u8]) -> Result<machine::ImageFile, ReadError> {
    let entry = &registry::FORMATS[0];
    assert!((entry.sniff)(bytes));
    (entry.read)(bytes, &ReadOptions::default())
}

/// The nodes come back at their addresses; what the file leaves out breaks no rule.
#[test]
fn a_gamma_file_is_the_memory_without_headers() {
    for kind in ["triangles", "procedurals", "instanced"] {
        let image = radv(kind);
        let bytes = dump::write_gamma(&image).unwrap();
        let file = read(&bytes).unwrap();
        assert_eq!(file.structures.len(), image.segments.len());
        for (own, given) in file.image.segments.iter().zip(&image.segments) {
            let header = RadvHeader::decode(&Bits::from_bytes(&given.bytes()[..136]));
            let nodes = header.bvh_offset as usize..;
            assert_eq!(own.bytes()[nodes.clone()], given.bytes()[nodes]);
            assert_eq!(own.address, given.address);
        }
        // Nodes have their offsets in the file.
        let base = image.bases[0];
        let offset = file.offset_of(base).unwrap() as usize;
        assert_eq!(bytes[offset..offset + 128], *image.get(base, 128).unwrap());
        let [old, new] = [image, file.image].map(check);
        let warnings = |findings: &[machine::Finding]| -> Vec<(&str, String)> {
            let is_kept = |f: &&machine::Finding| f.rule != "missed_culling" && f.rule != "slack";
            findings.iter().filter(is_kept).map(|f| (f.rule, f.found.clone())).collect()
        };
        assert_eq!(warnings(&new.findings), warnings(&old.findings), "{kind}");
        let [old, new] = [old, new].map(|report| report.checked.unwrap());
        assert_eq!(old.tree(), new.tree(), "{kind}");
    }
}

#[test]
fn a_broken_gamma_file_names_the_place() {
    let bytes = dump::write_gamma(&radv("instanced")).unwrap();
    // Cut anywhere, it is refused with a place, or read as far as whole chunks go.
    for length in (40..bytes.len()).step_by(211) {
        match read(&bytes[..length]) {
            Ok(file) => drop(check(file.image)),
            Err(ReadError::Broken(finding)) => assert!(finding.offset < length as u64),
            Err(ReadError::NoStructure { .. }) => (),
        }
    }
    // More bytes after compaction than were allocated.
    let mut smaller = bytes.clone();
    smaller[40 + 16 + 8..][..8].copy_from_slice(&1u64.to_le_bytes());
    let findings = read(&smaller).unwrap().findings;
    assert_eq!(findings[0].rule, "allocated_size");
    let mut other = bytes.clone();
    other[40 + 16 + 16] ^= 1;
    let Err(ReadError::Broken(finding)) = read(&other) else { panic!("sizes that do not fit") };
    assert_eq!(finding.rule, "chunk_sizes");
    // Nodes of an older generation are another format's.
    let mut older = bytes;
    older[32] = 0;
    assert!(!(registry::FORMATS[0].sniff)(&older));
}

#[test]
fn a_serialized_structure_opens() {
    let image = radv("triangles");
    let memory = dump::write_memory(&image).unwrap();
    let header = RadvHeader::decode(&Bits::from_bytes(&memory[..136]));
    let mut bytes = vec![0xA5; 32];
    bytes.extend(header.serialization_size.to_le_bytes());
    bytes.extend(header.compacted_size.to_le_bytes());
    bytes.extend(0u64.to_le_bytes());
    bytes.extend(&memory);
    let file = read(&bytes).unwrap();
    assert_eq!(file.image, image);
    assert_eq!(file.offset_of(image.bases[0]), Some(56 + image.bases[0]));
    bytes[32] ^= 1;
    assert!(!(registry::FORMATS[0].sniff)(&bytes));
}
