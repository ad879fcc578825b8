//! Every complaint, once, with its place.

use super::files::{TLAS, cornell_world, hiprt_cornell};
use gfx12::rra::container::{Container, Magic, StoredChunk, write};
use gfx12::rra::{self, WriteError};
use machine::{Image, Segment, Severity};

fn cornell() -> Vec<u8> {
    rra::write(&cornell_world()).unwrap()
}

/// The file with some bytes changed.
fn patched(at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = cornell();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// Where the index, and chunk `number`'s header and data lie.
fn index() -> usize {
    Container::parse(&cornell()).unwrap().index_offset as usize
}

fn header_and_data(number: usize) -> (usize, usize) {
    let file = cornell();
    let chunk = Container::parse(&file).unwrap().chunks[number];
    (chunk.header_offset as usize, chunk.data_offset as usize)
}

#[test]
fn files_that_cannot_be_read() {
    let index = index();
    let entry = |chunk: usize, byte: usize| index + 64 * chunk + byte;
    let (chunk_header, data) = header_and_data(1);
    let huge = i64::MIN.to_le_bytes();
    let cases: &[(&str, Vec<u8>, u64)] = &[
        ("container_magic", patched(0, b"AMD_RDX "), 0),
        ("container_truncated", cornell()[..31].to_vec(), 0),
        ("container_version", patched(8, &[4]), 8),
        ("index_range", patched(16, &huge), 16),
        ("index_size", patched(24, &[63]), 16),
        ("chunk_compression", patched(entry(1, 16), &[2]), entry(1, 16) as u64),
        ("chunk_header_range", patched(entry(1, 24), &huge), entry(1, 24) as u64),
        ("chunk_data_range", patched(entry(1, 48), &huge), entry(1, 40) as u64),
        ("chunk_size", patched(entry(1, 56), &[1]), entry(1, 56) as u64),
        ("chunk_zstd", patched(entry(1, 16), &[1]), data as u64),
        ("chunk_overlap", patched(entry(2, 40), &(data as u64).to_le_bytes()), entry(2, 40) as u64),
        (
            "structures_missing",
            patched(entry(1, 0), b"X").replaced(entry(2, 0), b"X"),
            index as u64,
        ),
        ("structure_chunk_header", patched(entry(1, 32), &[27]), entry(1, 32) as u64),
        ("structure_version", patched(entry(1, 22), &[17]), entry(1, 20) as u64),
        ("header_size", patched(chunk_header + 20, &[124]), chunk_header as u64 + 20),
        ("header_range", patched(chunk_header + 17, &[2]), chunk_header as u64 + 16),
        ("rt_ip_level", patched(data + 128 + 72, &[5]), data as u64 + 128 + 72),
    ];
    for (rule, file, offset) in cases {
        let error = rra::read(file).unwrap_err();
        assert_eq!((error.0.rule, error.0.offset), (*rule, *offset), "{error}");
        assert_eq!(error.0.severity, Severity::Error);
    }
}

trait Replaced {
    fn replaced(self, at: usize, bytes: &[u8]) -> Self;
}

impl Replaced for Vec<u8> {
    fn replaced(mut self, at: usize, bytes: &[u8]) -> Self {
        self[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }
}

/// Each change breaks a rule of the viewer.
#[test]
fn files_that_the_viewer_refuses_or_misreads() {
    let (tlas_chunk, tlas) = header_and_data(1);
    let (_, blas) = header_and_data(2);
    // The structure, the dword to change and its new value, and the dword that is named.
    let cases = [
        ("total_size", blas, 2, 255, 2),
        ("metadata_size", blas, 1, 127, 1),
        ("metadata_offset", blas, 1, 256, 1),
        ("structure_level", tlas, 0, 1, 0),
        ("root_missing", tlas, 12, 0, 12),
        ("active_primitives", blas, 4, 33, 4),
        ("internal_offset", tlas, 8, 127, 8),
        ("internal_offset", blas, 8, 144, 8),
        ("leaf_count", tlas, 14, 0, 14),
        ("leaf_offset", tlas, 9, 100, 9),
        ("geometry_offset", blas, 10, 0x170, 10),
        ("pointer_offset", tlas, 11, 383, 11),
        ("pointer_gap", blas, 11, 0x910, 11),
        ("nodes_range", blas, 10, 0x7000_0000, 10),
        ("geometry_range", blas, 6, 0x7000_0000, 10),
        ("pointer_list_range", tlas, 3, 2, 11),
    ];
    for (rule, data, dword, value, named) in cases {
        let file = rra::read(&patched(data + 128 + 4 * dword, &u32::to_le_bytes(value))).unwrap();
        let finding = file.findings.iter().find(|finding| finding.rule == rule);
        let finding = finding.unwrap_or_else(|| panic!("{rule}: {:?}", file.findings));
        assert_eq!(finding.offset as usize, data + 128 + 4 * named, "{finding}");
        assert!(finding.place.starts_with("chunk RawAccelStruct"), "{finding}");
    }
    let uncounted = rra::read(&patched(blas + 128 + 12, &[31])).unwrap();
    let finding = uncounted.findings.iter().find(|finding| finding.rule == "geometry_counts");
    assert_eq!(finding.unwrap().offset as usize, blas + 128 + 0x900);
    let copied = rra::read(&patched(tlas_chunk + 12, &[129])).unwrap();
    assert_eq!(copied.findings[0].rule, "metadata_copied");
    let masked = rra::read(&patched(tlas + 128 + 256 + 63, &[0])).unwrap();
    assert_eq!(masked.findings[0].rule, "instance_inactive");
    assert_eq!(masked.findings[0].offset as usize, tlas + 128 + 256);
}

#[test]
fn an_error_reads_well() {
    let (_, data) = header_and_data(1);
    let error = rra::read(&patched(data + 128 + 72, &[2])).unwrap_err().to_string();
    let expected = format!(
        "chunk RawAccelStruct 0: header: ray-tracing IP level at byte {:#x} of the file: found 2, \
         expected 6 (RTIP 3.1, GFX12)",
        data + 200
    );
    assert_eq!(error, expected);
    let text = rra::read("größe".as_bytes()).unwrap_err().to_string();
    assert!(text.contains(r#"found "gr\xc3\xb6\xc3\x9fe", expected"#), "{text}");
}

#[test]
fn an_empty_container_has_no_structures() {
    let none: [StoredChunk; 0] = [];
    let error = rra::read(&write(Magic::Rdf, &none)).unwrap_err();
    assert_eq!((error.0.rule, error.0.found.as_str()), ("structures_missing", "no chunks"));
}

#[test]
fn images_that_make_no_file() {
    // Elsewhere, HIPRT's header names memory that is not there.
    let mut moved = hiprt_cornell();
    moved.segments[0].bytes_mut()[..8].fill(0xFF);
    let raw = rra::write(&moved).unwrap_err();
    assert!(matches!(raw, WriteError::NoHeader { address: 0, found: u32::MAX }), "{raw}");
    let mut low = cornell_world();
    low.segments[0].address = 64;
    assert_eq!(rra::write(&low), Err(WriteError::NoRoom { address: 64 }));
    let mut sizeless = cornell_world();
    sizeless.segments[0].bytes_mut()[4..12].fill(0);
    let refused = rra::write(&sizeless).unwrap_err();
    assert!(matches!(refused, WriteError::Refused { address: TLAS, .. }), "{refused}");
}

#[test]
fn structures_that_cannot_be_moved_behind_a_header() {
    let cornell = hiprt_cornell();
    let fails = |image: &Image| rra::behind_header(image, 0x1000).unwrap_err().to_string();
    assert_eq!(
        fails(&Image { root: 0x6, ..cornell.clone() }),
        "the root 0x6 is no box node in memory"
    );
    let outside = Image { bases: vec![0x40, 0x10_0000], ..cornell.clone() };
    assert!(fails(&outside).ends_with("leads outside memory"));
    let mut cycle = cornell.clone();
    // The root's only box child becomes the root itself.
    cycle.segments[0].bytes_mut()[0x40] = 0;
    assert!(fails(&cycle).ends_with("leads to a box that has another parent"));
    assert!(fails(&cornell_world()).ends_with("is an instance, and this is a TLAS"));
    let nothing = Image { segments: vec![Segment::new(0, &[])], ..cornell };
    assert_eq!(fails(&nothing), "the root 0x5 is no box node in memory");
}
