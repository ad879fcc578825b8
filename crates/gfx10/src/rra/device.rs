//! Which generation a file is of.
//!
//! The level of ray-tracing IP in the headers of structures says it (2 GFX10.3, 3 GFX11), but RADV
//! writes 2 for both. The PCI device of AsicInfo then decides: Navi 3x is 0x7440 to 0x74ff, and the
//! processors with RDNA3 or RDNA3.5 are listed. Sources: libdrm's `amdgpu.ids`, Mesa.

use super::plain_chunk;
use crate::Generation;
use bvh4::rra::container::{Chunk, Container, Magic, StoredChunk};
use bvh4::rra::fault::u32_at;
use bvh4::rra::structure::IDS;
use bvh4::rra::unpack::unpack;
use bvh4::rra::{AsicInfo, info};

/// Phoenix, Hawk Point, Strix, Strix Halo, Krackan.
const INTEGRATED_RDNA3: [u32; 9] =
    [0x15BF, 0x15C8, 0x164F, 0x1900, 0x1901, 0x150E, 0x1586, 0x1114, 0x1902];
const RDNA3_CARDS: std::ops::RangeInclusive<u32> = 0x7440..=0x74FF;
/// Where a chunk's header names the place of a structure's header, and that one its level.
const HEADER_OFFSET_AT: usize = 16;
const LEVEL_AT: usize = 72;
/// What siliray writes: Navi 21, Navi 31, with the levels of their graphics IP.
const DEVICES: [(u32, [u16; 3], &str); 2] =
    [(0x73BF, [10, 3, 0], "RDNA2 (siliray)"), (0x744C, [11, 0, 0], "RDNA3 (siliray)")];

/// The generation of a file; `None` if it is no file of these.
#[must_use]
pub fn generation(bytes: &[u8]) -> Option<Generation> {
    Magic::of(bytes)?;
    let container = Container::parse(bytes).ok()?;
    let structures = container.chunks.iter().filter(|chunk| is_structure(chunk));
    let level = structures.filter_map(level_of).find(|level| *level > 0)?;
    // Structures are large, and are not copied.
    let mut others = container.chunks.iter().filter(|chunk| !is_structure(chunk));
    let asic = others.find_map(|chunk| AsicInfo::of_chunk(&chunk.to_stored()));
    let is_rdna3 = asic.is_some_and(|asic| is_rdna3(asic.device_id));
    match level {
        3 => Some(Generation::Gfx11),
        2 if is_rdna3 => Some(Generation::Gfx11),
        2 => Some(Generation::Gfx10),
        _ => None,
    }
}

pub(super) fn is_structure(chunk: &Chunk<'_>) -> bool {
    IDS.contains(&chunk.name().as_str())
}

fn is_rdna3(device: u32) -> bool {
    RDNA3_CARDS.contains(&device) || INTEGRATED_RDNA3.contains(&device)
}

/// The level of ray-tracing IP of a structure.
fn level_of(chunk: &Chunk<'_>) -> Option<u32> {
    let data = unpack(chunk).ok()?;
    let header = u32_at(chunk.header, HEADER_OFFSET_AT) as usize;
    data.get(header..).map(|header| u32_at(header, LEVEL_AT))
}

/// The chunk that says that a file is of a generation.
pub(super) fn asic_info(generation: Generation) -> StoredChunk {
    let (device, level, name) = DEVICES[usize::from(generation == Generation::Gfx11)];
    let mut data = vec![0; info::ASIC_BYTES];
    let mut put = |at: usize, bytes: &[u8]| data[at..at + bytes.len()].copy_from_slice(bytes);
    put(info::DEVICE_AT, &device.to_le_bytes());
    put(info::GRAPHICS_IP_AT, &level.map(u16::to_le_bytes).concat());
    put(info::NAME_AT, name.as_bytes());
    plain_chunk("AsicInfo", 1, data)
}
