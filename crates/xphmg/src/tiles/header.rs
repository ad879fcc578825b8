//! What stands in front of the tiles: 64 bytes that only siliray reads.
//!
//! | bytes | field |
//! |---|---|
//! | 0–7 | `SILIXPHM` |
//! | 8–15 | MODE, ALT: what a program sets before it reads the image |
//! | 16–19 | options of a job: NODE8 or 0 |
//! | 20–31 | number of nodes, of TriRanges, of triangles |
//! | 32–55 | addresses of node 0, of triangle 0, of the table of names |
//! | 56–59 | 1 if instances were flattened |
//! | 60–63 | zero |
//!
//! TriRanges follow the last node; a leaf's index counts 16 bytes from node 0. A name is three u32:
//! instance, geometry, primitive. All of it is one segment, placed where a hart has RAM.

use super::Precision;
use super::precision::Registers;
use crate::memory::{u32_at, u64_at};
use machine::{Image, Segment};

/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of a name.
pub const NAME_BYTES: usize = 12;
/// Where the encoder places the header: 16 MiB into the hart's RAM.
pub const HEADER_ADDRESS: u64 = 0x8100_0000;
/// The first eight bytes.
pub const MAGIC: &[u8; 8] = b"SILIXPHM";

/// The image in a file: its bytes as they lie in memory from [`HEADER_ADDRESS`] on; `None` without
/// the magic. It may be unsound; a format that the header does not name is taken for FP32, and the
/// check finds out.
#[must_use]
pub fn image_of_file(bytes: &[u8]) -> Option<Image> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let header = Header::from_bytes(bytes);
    let policy = header.and_then(|header| header.registers.policy());
    let precision = policy.and_then(|policy| Precision::of_elements(policy.format));
    let format = precision.unwrap_or(Precision::Fp32).name();
    let base = header.map_or(HEADER_ADDRESS, |header| header.base);
    let segments = vec![Segment::new(HEADER_ADDRESS, bytes)];
    Some(Image { format, segments, bases: vec![base], root: HEADER_ADDRESS })
}

/// The header's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// MODE and ALT.
    pub registers: Registers,
    /// Options of a job.
    pub options: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Number of TriRanges.
    pub ranges: u32,
    /// Number of triangles.
    pub triangles: u32,
    /// Address of node 0.
    pub base: u64,
    /// Address of triangle 0.
    pub triangle_base: u64,
    /// Address of the first name.
    pub names: u64,
    /// Whether instances were flattened.
    pub flattened: bool,
}

impl Header {
    /// The header in 64 bytes; `None` without the magic.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() < HEADER_BYTES || bytes[..8] != *MAGIC {
            return None;
        }
        Some(Self {
            registers: Registers { mode: u32_at(bytes, 8), alt: u32_at(bytes, 12) },
            options: u32_at(bytes, 16),
            nodes: u32_at(bytes, 20),
            ranges: u32_at(bytes, 24),
            triangles: u32_at(bytes, 28),
            base: u64_at(bytes, 32),
            triangle_base: u64_at(bytes, 40),
            names: u64_at(bytes, 48),
            flattened: u32_at(bytes, 56) == 1,
        })
    }

    /// The bytes of the header.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        let words = [
            self.registers.mode,
            self.registers.alt,
            self.options,
            self.nodes,
            self.ranges,
            self.triangles,
        ];
        for (chunk, word) in bytes[8..32].chunks_exact_mut(4).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        for (chunk, address) in
            bytes[32..56].chunks_exact_mut(8).zip([self.base, self.triangle_base, self.names])
        {
            chunk.copy_from_slice(&address.to_le_bytes());
        }
        bytes[56..60].copy_from_slice(&u32::from(self.flattened).to_le_bytes());
        bytes
    }
}
