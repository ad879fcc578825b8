//! What stands in front of the tiles: 64 bytes that only siliray reads.
//!
//! TriRanges follow the last node; a leaf's index counts 16 bytes from node 0. A name is three u32:
//! instance, geometry, primitive; in an image of two levels ([`super::instance`]) the BLAS stands
//! in the place of the instance. All of it is one segment, placed where a hart has RAM.

use super::Precision;
use super::precision::Registers;
use crate::readings::NodeLayout;
use machine::bits::HalfNodeBits;
use machine::fields::{Show, hex};
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
    let precision = policy.map(|policy| Precision::of_elements(policy.format));
    let format = precision.unwrap_or(Precision::Fp32).name();
    let base = header.map_or(HEADER_ADDRESS, |header| header.base);
    let segments = vec![Segment::new(HEADER_ADDRESS, bytes)];
    Some(Image { format, segments, bases: vec![base], root: HEADER_ADDRESS })
}

machine::fields! {
    /// The header's fields.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own; docs/spec/xphmg.md"]
    pub struct Header: 16 words {
        /// `SILIXPHM`.
        pub magic: u64 = 0..64, Show::Each(magic_text);
        /// MODE and ALT.
        pub registers: Registers = 64..128, Show::Flat;
        /// Options of a job: NODE8 or 0.
        pub options: u32 = 128..160, Show::Each(hex);
        /// Number of nodes, of the TLAS if there are BLASes.
        pub nodes: u32 = 160..192;
        /// Number of TriRanges, or of instances if there are BLASes.
        pub ranges: u32 = 192..224;
        /// Number of triangles.
        pub triangles: u32 = 224..256;
        /// Address of node 0.
        pub base: u64 = 256..320, Show::Each(hex);
        /// Address of triangle 0.
        pub triangle_base: u64 = 320..384, Show::Each(hex);
        /// Address of the first name.
        pub names: u64 = 384..448, Show::Each(hex);
        /// Whether instances were flattened.
        pub flattened: bool = 448..480;
        /// Whether nodes are the literal structure of 88 bytes.
        pub literal: bool = 480..488;
        /// Number of BLASes; 0 if there is one level.
        pub blases: u32 = 488..512;
    }
}

fn magic_text(magic: u64) -> String {
    magic.to_le_bytes().escape_ascii().to_string()
}

impl Header {
    /// The header in 64 bytes; `None` without the magic.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let header = Self::decode(&HalfNodeBits::from_bytes(bytes.get(..HEADER_BYTES)?));
        (header.magic == u64::from_le_bytes(*MAGIC)).then_some(header)
    }

    /// How nodes lie in memory.
    #[must_use]
    pub const fn node_layout(&self) -> NodeLayout {
        if self.literal { NodeLayout::Literal88 } else { NodeLayout::Packed }
    }

    /// The bytes of the header.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; HEADER_BYTES] {
        self.encode().to_bytes()
    }
}
