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

use crate::layout::{Bits, RadvHeader};
use crate::memory_file::{Stored, open};
use crate::rra::fault::u64_at;
use crate::survey::Structure;
use machine::{FilePlace, ImageFile, ReadError, Segment};

/// Bytes before the addresses of instances.
const HEADER: usize = 56;

/// Whether bytes begin with such a structure.
pub(crate) fn is_file(bytes: &[u8]) -> bool {
    structure(bytes).is_some()
}

/// The image of the structure.
///
/// # Errors
/// When a structure other than 0 is asked for.
pub fn read(bytes: &[u8], number: Option<usize>) -> Result<ImageFile, ReadError> {
    open(structure(bytes).into_iter().collect(), number)
}

fn structure(bytes: &[u8]) -> Option<Stored> {
    let addresses = usize::try_from(u64_at(bytes, 48)).ok()?.checked_mul(8)?;
    let start = HEADER.checked_add(addresses)?;
    let memory = bytes.get(start..)?;
    let header = RadvHeader::decode(&Bits::from_bytes(memory.get(..RadvHeader::BYTES as usize)?));
    // A file that was cut short is read as far as it goes.
    let end = usize::try_from(header.compacted_size).ok()?.min(memory.len());
    let segment = Segment::new(0, &memory[..end]);
    let structure = Structure::of_segment(&segment)?;
    let is_same = u64_at(bytes, 32) == header.serialization_size;
    is_same.then(|| (segment, structure, FilePlace::at(start as u64)))
}
