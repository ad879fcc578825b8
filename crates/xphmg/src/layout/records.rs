//! Records, ranges, queues and descriptors.
//!
//! | structure | bytes | fields at offset |
//! |---|---|---|
//! | ray record | EW | ox oy oz dx dy dz tmin tmax, then w if W_GUARD |
//! | triangle | 9·EW/8 | v0, v1, v2 |
//! | TriRange | 16 | u32 first 0, count 4; u64 base 8 |
//! | Queue | 24 | u32 head 0, tail 4, cap 8, rsv 12; u64 base 16 |
//! | ray entry (X-49) | EW + 8 | record, u32 ray_id, u32 zero |
//! | hit entry (X-49) | 32 | u32 ray_id 0, prim 4, leaf_idx 8, flags 12; t 16, u 20, v 24, zero |
//! | miss entry (X-49) | 8 | u32 ray_id, u32 zero |
//! | descriptor | 72 | u64 bvh_base 0, rayq 8, hitq 16, missq 24, tri_buf 32; |
//! | | | u32 opts 40, rsv 44; MEMCTL 48 |
//! | MEMCTL | 24 | u8 dom 0, … (hints; `dom` alone has an effect) |

use crate::memory::{u32_at, u64_at};
use crate::numeric::ElementFormat;
use machine::bits::Bits;
use machine::fields::{Show, hex};

/// Bytes of a TriRange.
pub const TRI_RANGE_BYTES: usize = 16;
/// Bytes of a Queue.
pub const QUEUE_BYTES: usize = 24;
/// Bytes of a hit entry.
pub const HIT_ENTRY_BYTES: usize = 32;
/// Bytes of a miss entry.
pub const MISS_ENTRY_BYTES: usize = 8;
/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = 72;
/// Where MEMCTL is in a descriptor.
pub const MEMCTL_OFFSET: usize = 48;
/// Bytes of MEMCTL.
pub const MEMCTL_BYTES: usize = 24;
/// Offset of a Queue's head and tail.
pub const QUEUE_HEAD: u64 = 0;
/// Offset of a Queue's tail.
pub const QUEUE_TAIL: u64 = 4;

/// Bytes of a ray record without w: eight elements.
#[must_use]
pub const fn ray_record_bytes(format: ElementFormat) -> usize {
    8 * format.bytes()
}

/// Bytes of a ray queue's entry.
#[must_use]
pub const fn ray_entry_bytes(format: ElementFormat) -> usize {
    ray_record_bytes(format) + 8
}

/// Bytes of a triangle.
#[must_use]
pub const fn triangle_bytes(format: ElementFormat) -> usize {
    9 * format.bytes()
}

machine::fields! {
    /// A run of triangles.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct TriRange: 4 words {
        /// Number of the first triangle.
        pub first: u32 = 0..32;
        /// How many.
        pub count: u32 = 32..64;
        /// Where triangle 0 is; 0 stands for the job's triangle buffer.
        pub base: u64 = 64..128, Show::Each(hex);
    }
}

impl TriRange {
    /// The range in 16 bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; TRI_RANGE_BYTES]) -> Self {
        Self::decode(&Bits::from_bytes(bytes))
    }

    /// The bytes of the range.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; TRI_RANGE_BYTES] {
        let mut bytes = [0; TRI_RANGE_BYTES];
        self.encode().write_bytes(&mut bytes);
        bytes
    }
}

/// A ring of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Queue {
    /// Where the consumer reads next.
    pub head: u32,
    /// Where the producer writes next.
    pub tail: u32,
    /// Entries of the storage; one of them stays free.
    pub cap: u32,
    /// Address of entry 0.
    pub base: u64,
}

impl Queue {
    /// The queue in 24 bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; QUEUE_BYTES]) -> Self {
        Self {
            head: u32_at(bytes, 0),
            tail: u32_at(bytes, 4),
            cap: u32_at(bytes, 8),
            base: u64_at(bytes, 16),
        }
    }

    /// The bytes of the queue.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; QUEUE_BYTES] {
        let mut bytes = [0; QUEUE_BYTES];
        for (chunk, word) in bytes.chunks_exact_mut(4).zip([self.head, self.tail, self.cap]) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes[16..].copy_from_slice(&self.base.to_le_bytes());
        bytes
    }

    /// Whether the indices make sense.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.cap >= 2 && self.head < self.cap && self.tail < self.cap
    }

    /// No entry to read.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    /// No entry to write: `cap - 1` entries are usable.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.after(self.tail) == self.head
    }

    /// How many entries can be read.
    #[must_use]
    pub const fn count(&self) -> u32 {
        if self.tail >= self.head {
            self.tail - self.head
        } else {
            self.cap - self.head + self.tail
        }
    }

    /// The index after `index`.
    #[must_use]
    pub const fn after(&self, index: u32) -> u32 {
        if index + 1 >= self.cap { 0 } else { index + 1 }
    }
}

/// A job's descriptor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Descriptor {
    /// Address of node 0; 0 stands for RTBASE.
    pub bvh_base: u64,
    /// Address of the ray queue; 0 stands for RTQ_RAY.
    pub ray_queue: u64,
    /// Address of the hit queue; 0 stands for RTQ_HIT.
    pub hit_queue: u64,
    /// Address of the miss queue; 0 stands for RTQ_MISS.
    pub miss_queue: u64,
    /// Address of triangle 0.
    pub triangles: u64,
    /// Options.
    pub options: u32,
    /// MEMCTL.dom. Its other fields are policy without an effect on results.
    pub domain: u8,
}

impl Descriptor {
    /// The descriptor in 72 bytes. Reserved words are ignored.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; DESCRIPTOR_BYTES]) -> Self {
        Self {
            bvh_base: u64_at(bytes, 0),
            ray_queue: u64_at(bytes, 8),
            hit_queue: u64_at(bytes, 16),
            miss_queue: u64_at(bytes, 24),
            triangles: u64_at(bytes, 32),
            options: u32_at(bytes, 40),
            domain: bytes[MEMCTL_OFFSET],
        }
    }

    /// The bytes of the descriptor.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; DESCRIPTOR_BYTES] {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        let words =
            [self.bvh_base, self.ray_queue, self.hit_queue, self.miss_queue, self.triangles];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(words) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        bytes[40..44].copy_from_slice(&self.options.to_le_bytes());
        bytes[MEMCTL_OFFSET] = self.domain;
        bytes
    }
}
