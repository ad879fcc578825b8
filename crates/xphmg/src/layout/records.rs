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
//! | MEMCTL | 24 | u8 dom 0, l1_hint 1, l2_hint 2, lds_hint 3; u16 line_sz 4, qos 6; |
//! | | | u64 lds_softpin 8; u8 mclass 16, sprof_id 17, hyb 18, sec 19 |

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
/// Offset of a Queue's head.
pub const QUEUE_HEAD: u64 = Queue::head.places[0].start as u64 / 8;
/// Offset of a Queue's tail.
pub const QUEUE_TAIL: u64 = Queue::tail.places[0].start as u64 / 8;

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
    #[source = "XPHMG_RT 0.1.1 (X-49)"]
    pub struct TriRange: 4 words {
        /// Number of the first triangle.
        pub first: u32 = 0..32;
        /// How many.
        pub count: u32 = 32..64;
        /// Where triangle 0 is; 0 stands for the job's triangle buffer.
        pub base: u64 = 64..128, Show::Each(hex);
    }
}

machine::fields! {
    /// A ring of entries.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "XPHMG_RT 0.1.1 (X-49)"]
    pub struct Queue: 6 words {
        /// Where the consumer reads next.
        pub head: u32 = 0..32;
        /// Where the producer writes next.
        pub tail: u32 = 32..64;
        /// Entries of the storage; one of them stays free.
        pub cap: u32 = 64..96;
        /// Address of entry 0.
        pub base: u64 = 128..192, Show::Each(hex);
    }
}

machine::fields! {
    /// A job's descriptor. Reserved words are ignored.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "XPHMG_RT 0.1.1 (X-49)"]
    pub struct Descriptor: 18 words {
        /// Address of node 0; 0 stands for RTBASE.
        pub bvh_base: u64 = 0..64, Show::Each(hex);
        /// Address of the ray queue; 0 stands for RTQ_RAY.
        pub ray_queue: u64 = 64..128, Show::Each(hex);
        /// Address of the hit queue; 0 stands for RTQ_HIT.
        pub hit_queue: u64 = 128..192, Show::Each(hex);
        /// Address of the miss queue; 0 stands for RTQ_MISS.
        pub miss_queue: u64 = 192..256, Show::Each(hex);
        /// Address of triangle 0.
        pub triangles: u64 = 256..320, Show::Each(hex);
        /// Options.
        pub options: u32 = 320..352, Show::Each(hex);
        /// MEMCTL.
        pub memory: MemoryControl = 384..576, Show::Flat;
    }
}

machine::fields! {
    /// MEMCTL: how the memory of a job is to be treated. Zero leaves a choice to registers;
    /// nothing of it changes a result.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[source = "XPHMG_RT 0.1.1 (X-49)"]
    pub struct MemoryControl: 6 words {
        /// Coherence domain.
        pub domain: u8 = 0..8;
        /// Hint for the first level, stored.
        pub l1_hint: u8 = 8..16;
        /// Hint for the second level, stored.
        pub l2_hint: u8 = 16..24;
        /// Hint for local memory, stored.
        pub lds_hint: u8 = 24..32;
        /// Bytes of a line.
        pub line_size: u16 = 32..48 => "bytes";
        /// Quality of service.
        pub qos: u16 = 48..64;
        /// Local memory to keep, stored.
        pub lds_softpin: u64 = 64..128, Show::Each(hex);
        /// Memory class.
        pub class: u8 = 128..136;
        /// Stream profile.
        pub stream_profile: u8 = 136..144;
        /// Hybrid: bit 0 lets the class borrow ways, bits 3:1 say with which quality of service.
        pub hybrid: u8 = 144..152;
        /// Security domain; there is none (CAP.SEC_DOM is 0).
        pub security: u8 = 152..160;
    }
}

/// Gives structures their bytes.
macro_rules! stored {
    ($($structure:ident: $bytes:ident;)+) => {$(
        impl $structure {
            /// The structure that stands in these bytes.
            #[must_use]
            #[inline]
            pub fn from_bytes(bytes: &[u8; $bytes]) -> Self {
                Self::decode(&Bits::from_bytes(bytes))
            }

            /// Its bytes.
            #[must_use]
            pub fn to_bytes(&self) -> [u8; $bytes] {
                let mut bytes = [0; $bytes];
                self.encode().write_bytes(&mut bytes);
                bytes
            }
        }
    )+};
}

stored! {
    TriRange: TRI_RANGE_BYTES;
    Queue: QUEUE_BYTES;
    Descriptor: DESCRIPTOR_BYTES;
}

impl Queue {
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
