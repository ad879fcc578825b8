//! Images: the bytes that a machine reads.

use std::fmt;
use std::sync::Arc;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// How segments are aligned in the host's memory: one line of the documented hardware.
pub const LINE_BYTES: usize = 128;

/// One aligned line.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(128))]
struct Line([u8; LINE_BYTES]);

/// A run of bytes at an address, aligned to [`LINE_BYTES`]. Copies share their bytes until one of
/// them is changed.
#[derive(Clone)]
pub struct Segment {
    /// Where the machine sees the first byte.
    pub address: u64,
    lines: Arc<[Line]>,
    len: usize,
}

impl Segment {
    /// A segment with a copy of `bytes`.
    #[must_use]
    pub fn new(address: u64, bytes: &[u8]) -> Self {
        let mut segment = Self::zeroed(address, bytes.len());
        segment.bytes_mut().copy_from_slice(bytes);
        segment
    }

    /// A segment of `len` zero bytes.
    #[must_use]
    pub fn zeroed(address: u64, len: usize) -> Self {
        let lines = std::iter::repeat_n(Line([0; LINE_BYTES]), len.div_ceil(LINE_BYTES)).collect();
        Self { address, lines, len }
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.lines.as_bytes()[..self.len]
    }

    /// The bytes, to be changed; copies of this segment stay as they are.
    #[must_use]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut Arc::make_mut(&mut self.lines).as_mut_bytes()[..self.len]
    }

    /// The `len` bytes at `address`, if they all lie in this segment.
    #[must_use]
    pub fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        let start = usize::try_from(address.checked_sub(self.address)?).ok()?;
        self.bytes().get(start..start.checked_add(len)?)
    }
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Segment {{ address: {:#x}, len: {:#x} }}", self.address, self.len)
    }
}

impl PartialEq for Segment {
    fn eq(&self, other: &Self) -> bool {
        self.address == other.address && self.bytes() == other.bytes()
    }
}

/// What a machine reads: memory, a base for each class of nodes, and where to start.
///
/// A single-level scene is an image; a TLAS and the BLASes that it refers to, by address,
/// are one image too.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Image {
    /// The name of the format.
    pub format: &'static str,
    /// The memory; segments do not overlap.
    pub segments: Vec<Segment>,
    /// The base of each class of nodes, in the order that the format defines.
    pub bases: Vec<u64>,
    /// The root pointer, in the format's own notation.
    pub root: u64,
}

impl Image {
    /// The `len` bytes at `address`, if one segment holds them all.
    #[must_use]
    pub fn get(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.segments.iter().find_map(|segment| segment.get(address, len))
    }

    /// The number of bytes in all segments.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        self.segments.iter().map(|segment| segment.len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_answers_only_for_its_own_bytes() {
        let bytes: Vec<u8> = (0..200).collect();
        let segment = Segment::new(0x1000, &bytes);
        assert_eq!(segment.bytes().as_ptr().align_offset(LINE_BYTES), 0);
        assert_eq!(segment.get(0x1001, 3), Some(&[1, 2, 3][..]));
        assert_eq!(segment.get(0x1000 + 198, 2), Some(&[198, 199][..]));
        assert_eq!(segment.get(0x1000 + 198, 3), None);
        assert_eq!(segment.get(0xFFF, 1), None);
        assert_eq!(segment.get(u64::MAX, usize::MAX), None);
    }

    #[test]
    fn a_copy_shares_its_bytes_until_one_is_changed() {
        let first = Segment::new(0x40, &[7; 300]);
        let mut second = first.clone();
        assert_eq!(first.bytes().as_ptr(), second.bytes().as_ptr());
        second.bytes_mut()[299] = 8;
        assert_eq!((first.bytes()[299], second.bytes()[299]), (7, 8));
        assert_eq!(second.bytes().as_ptr().align_offset(LINE_BYTES), 0);
    }
}
