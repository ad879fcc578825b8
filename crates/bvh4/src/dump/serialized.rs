//! Structures as `vkCmdCopyAccelerationStructureToMemoryKHR` gives them: serialized by RADV.
//!
//! | bytes | field |
//! |---|---|
//! | 0..16, 16..32 | ids of the driver and of the format |
//! | 32..40 | bytes when serialized |
//! | 40..48 | bytes when deserialized |
//! | 48..56 | number of instances |
//! | 56.. | the address of each instance's structure, 8 bytes each |
//! | then | the structure, with [RADV's header](crate::layout::RadvHeader) |
//!
//! The structure is mapped at address 0. The structures below the instances of a TLAS are other
//! files; alone, its instances lead nowhere.

use super::Stored;
use crate::layout::RadvHeader;
use crate::rra::fault::u64_at;
use machine::{FilePlace, Segment};

/// Bytes before the addresses of instances.
const HEADER: usize = 56;

/// Where the structure begins, if the bytes are such a file.
#[must_use]
pub fn start_of(bytes: &[u8]) -> Option<usize> {
    let addresses = usize::try_from(u64_at(bytes, 48)).ok()?.checked_mul(8)?;
    let start = HEADER.checked_add(addresses)?;
    let header = RadvHeader::of_bytes(bytes.get(start..)?)?;
    (u64_at(bytes, 32) == header.serialization_size).then_some(start)
}

/// The structure.
#[must_use]
pub fn structure(bytes: &[u8]) -> Option<Stored> {
    let start = start_of(bytes)?;
    let memory = &bytes[start..];
    let header = RadvHeader::of_bytes(memory)?;
    // A file that was cut short is read as far as it goes.
    let end = usize::try_from(header.compacted_size).ok()?.min(memory.len());
    let segment = Segment::new(0, &memory[..end]);
    Some(Stored::of_radv(segment, FilePlace::at(start as u64), &header))
}
