//! What is wrong with a file, and where.

use super::container::Container;
use machine::{Finding, Severity};
use std::ops::Range;

/// Why a file cannot be read: one finding with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} at byte {:#x} of the file: found {}, expected {}",
    .0.place, .0.offset, .0.found, .0.expected
)]
pub struct RraError(pub Finding);

/// A field of a file that can be at fault.
#[derive(Debug, Clone)]
pub struct Field {
    /// The chunk and the field, in words.
    pub place: String,
    /// Its bytes in the file.
    pub bytes: Range<u64>,
}

impl Field {
    /// A field of `len` bytes.
    pub fn new(place: impl Into<String>, offset: u64, len: u64) -> Self {
        Self { place: place.into(), bytes: offset..offset.saturating_add(len) }
    }

    /// A finding about this field.
    pub fn finding(
        self,
        severity: Severity,
        rule: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> Finding {
        let bits = (self.bytes.end - self.bytes.start).saturating_mul(8);
        Finding {
            severity,
            rule,
            offset: self.bytes.start,
            bits: 0..u32::try_from(bits).unwrap_or(u32::MAX),
            found: found.to_string(),
            expected: expected.to_string(),
            place: self.place,
            count: 1,
            weight: 0,
        }
    }

    /// The error that this field keeps the file from being read.
    pub fn error(
        self,
        rule: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> RraError {
        RraError(self.finding(Severity::Error, rule, found, expected))
    }
}

/// The error of a file without structures.
pub fn no_structures(bytes: &[u8], container: &Container<'_>) -> RraError {
    let names: Vec<String> = container.chunks.iter().map(|chunk| chunk.name()).collect();
    let found = if names.is_empty() {
        "no chunks".to_owned()
    } else {
        format!("only {}", names.join(", "))
    };
    Field::new("index", container.index_offset, bytes.len() as u64 - container.index_offset).error(
        "structures_missing",
        found,
        "at least one RawAccelStruct chunk",
    )
}

/// A little-endian word; 0 past the end.
pub fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let word = at.checked_add(4).and_then(|end| bytes.get(at..end));
    word.and_then(|word| word.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// A little-endian double word; 0 past the end.
pub fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let word = at.checked_add(8).and_then(|end| bytes.get(at..end));
    word.and_then(|word| word.try_into().ok()).map_or(0, u64::from_le_bytes)
}
