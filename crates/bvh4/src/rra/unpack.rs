//! zstd, bounded by what a chunk declares and by what can be true.
//!
//! Nodes are packed bits: they shrink to a half or a third. A chunk that claims to grow by more
//! than [`MOST_GROWTH`] is refused before a byte is unpacked, and unpacking stops where the
//! declared size ends. Memory is taken as data arrives, never on the word of a header.

use super::container::{Chunk, Compression};
use super::fault::{Field, RraError};
use std::borrow::Cow;
use std::io::Read;

/// How many times larger than stored a chunk may become, [`FREE_BYTES`] apart.
pub const MOST_GROWTH: u64 = 256;

/// What any chunk may unpack to: small chunks of zeros shrink a lot.
pub const FREE_BYTES: u64 = 16 << 10;

/// The data of a chunk.
///
/// # Errors
/// When the data is not the zstd frame that the index declares.
pub fn unpack<'a>(chunk: &Chunk<'a>) -> Result<Cow<'a, [u8]>, RraError> {
    match chunk.compression {
        Compression::None => Ok(Cow::Borrowed(chunk.data)),
        Compression::Zstd => unpack_zstd(chunk).map(Cow::Owned),
    }
}

fn unpack_zstd(chunk: &Chunk<'_>) -> Result<Vec<u8>, RraError> {
    let declared = chunk.unpacked_size;
    let size_field = || {
        let place = format!("index: chunk {}: uncompressed size", chunk.name());
        Field::new(place, chunk.entry_offset + 56, 8)
    };
    let most = MOST_GROWTH.saturating_mul(chunk.data.len() as u64).saturating_add(FREE_BYTES);
    if declared > most {
        let expected =
            format!("at most {most}, {MOST_GROWTH} times the {} stored", chunk.data.len());
        return Err(size_field().error("chunk_growth", declared, expected));
    }
    let data_field = || {
        let place = format!("chunk {}: zstd data", chunk.name());
        Field::new(place, chunk.data_offset, chunk.data.len() as u64)
    };
    let broken = |error: &dyn std::fmt::Display| {
        data_field().error("chunk_zstd", error, "a zstd frame of the declared size")
    };
    let mut stored = chunk.data;
    let decoder = ruzstd::decoding::StreamingDecoder::new(&mut stored);
    let decoder = decoder.map_err(|error| broken(&error))?;
    let mut unpacked = Vec::new();
    // One byte more than declared tells a frame that is too long.
    let read = decoder.take(declared + 1).read_to_end(&mut unpacked);
    read.map_err(|error| broken(&error))?;
    if unpacked.len() as u64 != declared {
        let found = if unpacked.len() as u64 > declared { "more" } else { "fewer" };
        let expected = format!("the declared {declared} bytes");
        return Err(data_field().error("chunk_unpacked_size", found, expected));
    }
    Ok(unpacked)
}
