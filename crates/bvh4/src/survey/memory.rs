//! Reading an image by address: which segment holds a byte, and where it lies in the file.

use crate::layout::RadvHeader;
use crate::layout::pointer::{NODE_BYTES, UNIT_BYTES};
use machine::bits::{HalfNodeBits, NodeBits};
use machine::{Image, Segment};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

/// An image with its segments in order of address.
#[derive(Debug)]
pub struct Memory<'a> {
    segments: &'a [Segment],
    /// Numbers of the segments that are not empty, by address.
    order: Cow<'a, [u32]>,
    /// Offset of each segment in the file; empty if nobody asks for offsets.
    offsets: Vec<u64>,
    /// The headers of RADV's, by the base that each leads to; looked for when first asked.
    radv_headers: OnceLock<HashMap<u64, RadvHeader>>,
}

impl<'a> Memory<'a> {
    /// The memory of an image whose segments lie one after the other, in their order, in a file.
    #[must_use]
    pub fn new(image: &'a Image) -> Self {
        let offsets = image.segments.iter().scan(0, |next, segment| {
            let offset = *next;
            *next += segment.bytes().len() as u64;
            Some(offset)
        });
        Self::with_offsets(image, offsets.collect())
    }

    /// The memory of an image whose segments lie at given offsets in a file; a missing offset is 0.
    #[must_use]
    pub fn with_offsets(image: &'a Image, mut offsets: Vec<u64>) -> Self {
        let segments = &image.segments[..];
        offsets.resize(segments.len(), 0);
        let order = Cow::Owned(address_order(segments));
        Self { segments, order, offsets, radv_headers: OnceLock::new() }
    }

    /// The memory of an image whose order of segments is known. Offsets are not: they are 0.
    #[must_use]
    pub fn in_order(image: &'a Image, order: &'a [u32]) -> Self {
        let (segments, order) = (&image.segments[..], Cow::Borrowed(order));
        Self { segments, order, offsets: Vec::new(), radv_headers: OnceLock::new() }
    }

    /// The segments in their own order.
    #[must_use]
    pub fn segments(&self) -> &'a [Segment] {
        self.segments
    }

    /// Numbers of the segments that are not empty, by address.
    #[must_use]
    pub fn by_address(&self) -> &[u32] {
        &self.order
    }

    /// Which segment holds the byte at `address`.
    #[must_use]
    pub fn segment_of(&self, address: u64) -> Option<usize> {
        self.segment_from(address).filter(|&number| self.segments[number].get(address, 1).is_some())
    }

    /// The last segment that begins at `address` or before it.
    fn segment_from(&self, address: u64) -> Option<usize> {
        let start = |&number: &u32| self.segments[number as usize].address <= address;
        let behind = self.order.partition_point(start);
        Some(self.order[..behind].last().copied()? as usize)
    }

    /// The `len` bytes at `address`, if one segment holds them all.
    #[must_use]
    pub fn get(&self, address: u64, len: usize) -> Option<&'a [u8]> {
        self.segments[self.segment_from(address)?].get(address, len)
    }

    /// The `len` bytes of a node that a survey of this memory has listed.
    #[must_use]
    pub fn reached(&self, address: u64, len: usize) -> &'a [u8] {
        let before = |&number: &u32| self.segments[number as usize].address <= address;
        let number = self.order[self.order.partition_point(before) - 1];
        let segment = &self.segments[number as usize];
        &segment.bytes()[(address - segment.address) as usize..][..len]
    }

    /// The 128-byte node at `address`.
    #[must_use]
    pub fn node(&self, address: u64) -> Option<NodeBits> {
        self.get(address, NODE_BYTES as usize).map(NodeBits::from_bytes)
    }

    /// The 64-byte record at `address`.
    #[must_use]
    pub fn half_node(&self, address: u64) -> Option<HalfNodeBits> {
        self.get(address, NODE_BYTES as usize / 2).map(HalfNodeBits::from_bytes)
    }

    /// The dword at `address`.
    #[must_use]
    pub fn word(&self, address: u64) -> Option<u32> {
        self.get(address, 4)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// RADV's header that leads to a base: at the start of its segment, or anywhere before it, as
    /// in a heap of many structures.
    #[must_use]
    pub fn radv_header(&self, base: u64) -> Option<RadvHeader> {
        let segment = &self.segments[self.segment_of(base)?];
        let first = RadvHeader::of_bytes(segment.bytes());
        let leads_there = |it: &RadvHeader| base - segment.address == u64::from(it.bvh_offset);
        first.filter(leads_there).or_else(|| {
            self.radv_headers.get_or_init(|| self.find_radv_headers()).get(&base).copied()
        })
    }

    /// Of several that lead to a base the last, for older ones may lie around.
    fn find_radv_headers(&self) -> HashMap<u64, RadvHeader> {
        let of_segment = |segment: &'a Segment| {
            let bytes = segment.bytes();
            (0..bytes.len()).step_by(UNIT_BYTES as usize).filter_map(move |start| {
                let header = RadvHeader::of_bytes(&bytes[start..])?;
                let start = segment.address.checked_add(start as u64)?;
                Some((start.checked_add(header.bvh_offset.into())?, header))
            })
        };
        self.segments.iter().flat_map(of_segment).collect()
    }

    /// Where the byte at `address` lies in the file; 0 if nowhere.
    #[must_use]
    pub fn offset_of(&self, address: u64) -> u64 {
        self.segment_of(address)
            .and_then(|number| {
                let offset = self.offsets.get(number)?;
                Some(offset + (address - self.segments[number].address))
            })
            .unwrap_or(0)
    }
}

/// Numbers of the segments that are not empty, by address.
#[must_use]
pub fn address_order(segments: &[Segment]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..segments.len() as u32)
        .filter(|&number| !segments[number as usize].bytes().is_empty())
        .collect();
    order.sort_by_key(|&number| segments[number as usize].address);
    order
}
