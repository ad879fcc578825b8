//! Which API and which card a file was captured from.
//!
//! ApiInfo, 8 bytes: u32 api, u16 major, u16 minor. Chunk version 1 numbers Vulkan 3, version 2
//! numbers it 4. AsicInfo, 568 bytes in version 1, of which siliray reads:
//!
//! | bytes | field |
//! |---|---|
//! | 24..32 | highest shader clock, Hz |
//! | 32..40 | highest memory clock, Hz |
//! | 40..44, 44..48 | device id, revision |
//! | 96..98, 98..100, 100..102 | level of the graphics IP: major, minor, stepping |
//! | 128..136 | bytes of video memory |
//! | 152..408 | name of the device, ends with 0 |
//!
//! In versions 2 and 3 a PCI id comes first: everything lies 8 bytes further. Sources: Mesa, Radeon
//! Raytracing Analyzer. Both chunks are optional; siliray writes both for RDNA2 and
//! RDNA3: to the viewer, Navi 3 is what says major level 11.

use super::container::{Chunk, Compression, StoredChunk};
use super::fault::{Field, u32_at, u64_at};
use machine::{Finding, Severity};

/// The API behind a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiInfo {
    /// Version of the chunk, which decides how APIs are numbered.
    pub chunk_version: u32,
    /// The API's number.
    pub api: u32,
    /// Major version of the API.
    pub major: u16,
    /// Minor version of the API.
    pub minor: u16,
}

/// The card behind a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsicInfo {
    /// Version of the chunk.
    pub chunk_version: u32,
    /// Its name.
    pub name: String,
    /// PCI device id.
    pub device_id: u32,
    /// Revision.
    pub revision: u32,
    /// Major, minor and stepping of the graphics IP.
    pub graphics_ip: [u16; 3],
    /// Bytes of video memory.
    pub video_memory: u64,
    /// Highest shader clock, Hz.
    pub shader_clock: u64,
    /// Highest memory clock, Hz.
    pub memory_clock: u64,
}

const API_ID: [u8; 16] = *b"ApiInfo\0\0\0\0\0\0\0\0\0";
const API_BYTES: usize = 8;
/// Bytes of an AsicInfo of version 1.
pub const ASIC_BYTES: usize = 568;
/// Where version 1 keeps the device id.
pub const DEVICE_AT: usize = 40;
/// Where version 1 keeps the name.
pub const NAME_AT: usize = 152;
/// What versions 2 and 3 of AsicInfo begin with.
const PCI_ID_BYTES: usize = 8;
/// Where version 1 keeps the level of the graphics IP.
pub const GRAPHICS_IP_AT: usize = 96;

impl ApiInfo {
    /// Vulkan 1.3, what siliray writes.
    pub const VULKAN: Self = Self { chunk_version: 1, api: 3, major: 1, minor: 3 };

    /// The API's name, where its number has one.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match (self.chunk_version, self.api) {
            (1, 2) | (2, 3) => "DirectX 12",
            (1, 3) | (2, 4) => "Vulkan",
            _ => "unknown",
        }
    }

    /// Reads an ApiInfo chunk; `None` for any other.
    #[must_use]
    pub fn of_chunk(chunk: &StoredChunk) -> Option<Self> {
        let readable = chunk.name() == "ApiInfo"
            && chunk.compression == Compression::None
            && chunk.data.len() >= API_BYTES;
        readable.then(|| {
            let version = u32_at(&chunk.data, 4);
            Self {
                chunk_version: chunk.version,
                api: u32_at(&chunk.data, 0),
                major: version as u16,
                minor: (version >> 16) as u16,
            }
        })
    }

    /// The chunk.
    #[must_use]
    pub fn to_chunk(&self) -> StoredChunk {
        let mut data = self.api.to_le_bytes().to_vec();
        data.extend_from_slice(&self.major.to_le_bytes());
        data.extend_from_slice(&self.minor.to_le_bytes());
        StoredChunk {
            id: API_ID,
            version: self.chunk_version,
            compression: Compression::None,
            header: Vec::new(),
            unpacked_size: data.len() as u64,
            counts_header: false,
            data,
        }
    }
}

impl AsicInfo {
    /// Reads an AsicInfo chunk of version 1, 2 or 3; `None` for any other.
    #[must_use]
    pub fn of_chunk(chunk: &StoredChunk) -> Option<Self> {
        let start = match chunk.version {
            1 => 0,
            2 | 3 => PCI_ID_BYTES,
            _ => return None,
        };
        let readable = chunk.name() == "AsicInfo" && chunk.compression == Compression::None;
        let fields = chunk.data.get(start..start + 408).filter(|_| readable)?;
        let name = &fields[NAME_AT..408];
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        Some(Self {
            chunk_version: chunk.version,
            name: String::from_utf8_lossy(&name[..end]).into_owned(),
            device_id: u32_at(fields, DEVICE_AT),
            revision: u32_at(fields, 44),
            graphics_ip: std::array::from_fn(|part| {
                (u32_at(fields, GRAPHICS_IP_AT + 2 * part) & 0xFFFF) as u16
            }),
            video_memory: u64_at(fields, 128),
            shader_clock: u64_at(fields, 24),
            memory_clock: u64_at(fields, 32),
        })
    }
}

/// Notes a chunk that is too small for what its name promises.
pub fn check(chunk: &Chunk<'_>, findings: &mut Vec<Finding>) {
    let (rule, least) = match (chunk.name().as_str(), chunk.version) {
        ("ApiInfo", _) => ("api_info_size", API_BYTES),
        ("AsicInfo", 1) => ("asic_info_size", ASIC_BYTES),
        ("AsicInfo", _) => ("asic_info_size", PCI_ID_BYTES + 408),
        _ => return,
    };
    if chunk.unpacked_size < least as u64 {
        let place = format!("index: chunk {}: data size", chunk.name());
        let field = Field::new(place, chunk.entry_offset + 48, 8);
        let expected = format!("at least {least}");
        findings.push(field.finding(Severity::Warning, rule, chunk.unpacked_size, expected));
    }
}
