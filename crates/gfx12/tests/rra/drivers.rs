//! Files as drivers write them.

use super::files::{BLAS, cornell_world};
use gfx12::Gfx12;
use gfx12::encode::{Options, Policy, encode};
use gfx12::rra::container::{Compression, Container, Magic, StoredChunk, write};
use gfx12::rra::{self, AsicInfo};
use machine::{Finding, Format, Segment, Severity};
use scene::builtin::Builtin;
use std::io::Write;
use std::process::{Command, Stdio};

/// The chunks of the Cornell file.
fn chunks() -> Vec<StoredChunk> {
    let bytes = rra::write(&cornell_world()).unwrap();
    Container::parse(&bytes).unwrap().chunks.iter().map(|chunk| chunk.to_stored()).collect()
}

/// RADV cuts 8 bytes off the header, writes another version, and no uncompressed sizes.
fn as_radv_writes(chunk: &mut StoredChunk) {
    if chunk.name() == "RawAccelStruct" {
        chunk.version = 0xF0005;
        chunk.header[20..24].copy_from_slice(&120_u32.to_le_bytes());
        chunk.data.drain(128 + 120..128 + 128);
        chunk.unpacked_size = 0;
    }
}

/// RADV counts each structure's chunk header as data: every data size is 28 too large.
fn counting_headers(mut file: Vec<u8>, surplus: u64) -> Vec<u8> {
    let container = Container::parse(&file).unwrap();
    let structures = container.chunks.iter().filter(|chunk| chunk.header.len() == 28);
    let sizes: Vec<(usize, u64)> = structures
        .map(|chunk| (chunk.entry_offset as usize + 48, chunk.data.len() as u64 + surplus))
        .collect();
    for (at, size) in sizes {
        file[at..at + 8].copy_from_slice(&size.to_le_bytes());
    }
    file
}

#[test]
fn radv_s_counted_chunk_headers() {
    let mut chunks = chunks();
    chunks.iter_mut().for_each(as_radv_writes);
    let plain = write(Magic::Rdf, &chunks);
    let radv = counting_headers(plain.clone(), 28);
    let file = rra::read(&radv).unwrap();
    let [note] = file.findings.as_slice() else { panic!("{:?}", file.findings) };
    assert_eq!((note.rule, note.severity, note.count), ("header_counted", Severity::Note, 2));
    let first = Container::parse(&plain).unwrap().chunks[1].entry_offset;
    assert_eq!((note.offset, note.bits.clone()), (first + 48, 0..64));
    assert_eq!(file.structures, rra::read(&plain).unwrap().structures);
    assert_eq!(file.open(None).unwrap().image, cornell_world());
    for surplus in [1, 27, 29, 56] {
        let error = rra::read(&counting_headers(plain.clone(), surplus)).unwrap_err();
        assert_eq!(error.0.rule, "chunk_overlap", "{surplus}");
    }
}

#[test]
fn radv_s_short_header() {
    let mut chunks = chunks();
    chunks.iter_mut().for_each(as_radv_writes);
    let bytes = write(Magic::Rdf, &chunks);
    let file = rra::read(&bytes).unwrap();
    assert_eq!(file.findings, []);
    let opened = file.open(None).unwrap();
    assert_eq!(opened.image, cornell_world());
    let blas = &opened.image.segments[1];
    assert_eq!(blas.address, BLAS);
    for byte in (0..120).chain(128..blas.bytes().len()) {
        let offset = opened.places[1].offset(byte as u64) as usize;
        assert_eq!(bytes[offset], blas.bytes()[byte]);
    }
}

#[test]
fn the_older_names() {
    let mut chunks = chunks();
    for chunk in chunks.iter_mut().filter(|chunk| chunk.name() == "RawAccelStruct") {
        chunk.id = *b"RawAccelStruc\0\0\0";
    }
    let file = rra::read(&write(Magic::Rta, &chunks)).unwrap();
    assert_eq!((file.magic, file.structures.len()), (Magic::Rta, 2));
    assert_eq!(file.open(None).unwrap().image, cornell_world());
}

/// Compressed with the reference implementation where it is at hand, else with ruzstd.
#[test]
fn compressed_chunks() {
    let mut chunks = chunks();
    for chunk in chunks.iter_mut().filter(|chunk| chunk.name() == "RawAccelStruct") {
        chunk.data = compress(&chunk.data);
        chunk.compression = Compression::Zstd;
    }
    let bytes = write(Magic::Rdf, &chunks);
    let file = rra::read(&bytes).unwrap();
    let opened = file.open(None).unwrap();
    assert_eq!(opened.image, cornell_world());
    let place = &opened.places[1];
    assert_eq!(Some(place.offset(0x200)), place.compressed);
    assert_eq!(place.describe(0x200), "chunk RawAccelStruct 1, byte 0x280 of the unpacked data");
}

#[test]
fn a_bomb_stops_at_its_declared_size() {
    let bomb = compress(&vec![0; 16 << 20]);
    assert!(bomb.len() < 16 << 10);
    let chunk = |declared| {
        let mut chunk = chunks().remove(1);
        chunk.data.clone_from(&bomb);
        (chunk.compression, chunk.unpacked_size) = (Compression::Zstd, declared);
        rra::read(&write(Magic::Rdf, &[chunk])).unwrap_err().0.rule
    };
    assert_eq!(chunk(16 << 20), "chunk_growth");
    assert_eq!(chunk(i64::MAX as u64), "chunk_growth");
    assert_eq!(chunk(4096), "chunk_unpacked_size");
    assert_eq!(chunk(0), "chunk_unpacked_size");
}

#[test]
fn other_chunks_pass_through_unharmed() {
    let strange = StoredChunk {
        id: *b"HistoryTokensRaw",
        version: 0x2_0001,
        compression: Compression::Zstd,
        header: vec![1, 2, 3, 4, 5],
        data: vec![0x99; 77],
        unpacked_size: 1 << 40,
        counts_header: false,
    };
    let mut all = chunks();
    all.insert(0, strange.clone());
    let file = rra::read(&write(Magic::Rdf, &all)).unwrap();
    assert_eq!(file.others[0], strange);
    let again = rra::read(&file.to_bytes()).unwrap();
    assert_eq!(again.others, file.others);
}

#[test]
fn the_card_s_name_in_each_version() {
    for (version, start) in [(1, 0), (2, 8), (3, 8)] {
        let mut data = vec![0; start + 568];
        data[start + 40..start + 44].copy_from_slice(&0x7550_u32.to_le_bytes());
        let name = "Radeon RX 9070 Ü".as_bytes();
        data[start + 152..start + 152 + name.len()].copy_from_slice(name);
        let chunk = StoredChunk {
            id: *b"AsicInfo\0\0\0\0\0\0\0\0",
            version,
            compression: Compression::None,
            header: Vec::new(),
            unpacked_size: data.len() as u64,
            data,
            counts_header: false,
        };
        let card = AsicInfo::of_chunk(&chunk).unwrap();
        assert_eq!((card.name.as_str(), card.device_id), ("Radeon RX 9070 Ü", 0x7550));
    }
}

/// Of several TLASes the largest is chosen, and a BLAS whose memory is taken is left out.
#[test]
fn several_structures() {
    let mut all = chunks();
    let (tlas, blas) = (all[1].clone(), all[2].clone());
    let mut empty = tlas.clone();
    // No primitives, no active ones.
    empty.data[128 + 12..128 + 20].fill(0);
    all = vec![empty, tlas, blas.clone(), blas];
    let file = rra::read(&write(Magic::Rdf, &all)).unwrap();
    let opened = file.open(None).unwrap();
    assert_eq!((opened.structure, opened.image.segments.len()), (1, 2));
    assert_eq!(opened.findings.iter().map(|f| f.rule).collect::<Vec<_>>(), ["structure_overlap"]);
    assert_eq!(file.open(Some(2)).unwrap().image.segments.len(), 1);
    let error = file.open(Some(4)).unwrap_err().to_string();
    assert!(error.ends_with("found no structure 4, expected a number below 4"), "{error}");
}

/// RADV's files have tables that its memory lacks, at the addresses of memory: what reaches into
/// the next structure is an empty list of node pointers.
#[test]
fn lists_of_radv_reach_into_the_next_structure() {
    let scene = Builtin::Forest.scene(2000);
    let tree = build::Options::default().build(&scene).unwrap();
    let encoded = encode(&tree, &Options::new(Policy::Radv)).unwrap();
    let mut file = rra::read(&rra::write(&encoded.image).unwrap()).unwrap();
    let [first, second] = [1, 2].map(|number| file.structures[number].segment.clone());
    let list = file.structures[1].header().primitive_pointer_offset;
    assert!((list as usize) < first.bytes().len());
    let close = first.address + u64::from(list);
    file.structures[2].segment = Segment::new(close, second.bytes());
    let opened = file.open(None).unwrap();
    assert_eq!(opened.image.segments.len(), file.structures.len());
    assert_eq!(opened.image.segments[2].bytes(), second.bytes());
    let report = Gfx12::check(opened.image.clone());
    let is_wrong = |finding: &&Finding| finding.rule == "header_offset";
    assert_eq!(report.findings.iter().find(is_wrong), None);
    let said: Vec<_> = opened.findings.iter().map(|f| (f.rule, f.severity)).collect();
    assert_eq!(said, [("structure_overlap", Severity::Note)]);

    // One byte less, and something that counts is covered.
    file.structures[2].segment = Segment::new(close - 1, second.bytes());
    let opened = file.open(None).unwrap();
    assert_eq!(opened.image.segments.len(), file.structures.len() - 1);
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    let zstd = Command::new("zstd")
        .args(["-q", "-c"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut zstd) = zstd else {
        return ruzstd::encoding::compress_to_vec(
            bytes,
            ruzstd::encoding::CompressionLevel::Fastest,
        );
    };
    let mut input = zstd.stdin.take().unwrap();
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || input.write_all(&bytes));
    let output = zstd.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    output.stdout
}
