//! What stands around the blocks: a directory, and arrays that it names by their offsets. Little
//! endian.
//!
//! | header bytes (128) | field |
//! |---|---|
//! | 0..8 | `SILITB12` |
//! | 8..12 | version: 0 |
//! | 12..16 | number of levels; the last one is the TLAS if its kind says so |
//! | 16..20, 20..24, 24..28 | number of blocks, of references, of instances |
//! | 32..40, 40..48, 48..56 | offset of the blocks, of the references, of the instances |
//! | others | 0 |
//!
//! | level record bytes (64), from 128 on | field |
//! |---|---|
//! | 0..4 | kind: 0 BLAS, 1 TLAS |
//! | 4..8 | root block; 0xFFFFFFFF for a level without items |
//! | 8..12, 12..16 | number of triangles, of procedural boxes; 0 in a TLAS |
//! | 16..24, 24..32, 32..40 | offset of the triangles (36 bytes each), boxes (24), ids (12) |
//! | 40..64 | 0 |
//!
//! A reference is 4 bytes: the number of a primitive of its level, or, with bit 31 set, of an
//! instance (T-16).
//!
//! | instance bytes (128) | field |
//! |---|---|
//! | 0..48, 48..96 | world to object, object to world: rows of f32 |
//! | 96..100, 100..104 | child root block, BLAS |
//! | 104, 105 | mask, flags ([`geometry::InstanceFlags`]) |
//! | 108..112 | custom index |
//! | others | 0 |

use super::block::{BLOCK_BYTES, Block, NO_BLOCK};
use geometry::{Aabb, InstanceFlags, Transform, Triangle, Vec3};
use machine::Image;
use tree::{Instance, PrimitiveFlags, PrimitiveId, Primitives};

/// What a file of this format begins with.
pub const MAGIC: [u8; 8] = *b"SILITB12";

pub(super) const HEADER_BYTES: usize = 128;
pub(super) const RECORD_BYTES: usize = 64;
pub(super) const INSTANCE_BYTES: usize = 128;
/// The bit of a reference that says "instance".
pub(super) const INSTANCE: u32 = 1 << 31;

/// Where block `number` of an image lies, by its directory; the image may be unsound.
#[must_use]
pub fn block_offset(image: &Image, number: u32) -> Option<u64> {
    let base = image.bases.first().copied().unwrap_or(0);
    let header = image.get(base, HEADER_BYTES)?;
    if number >= u32_at(header, 16) {
        return None;
    }
    base.checked_add(u64_at(header, 32))?.checked_add(BLOCK_BYTES as u64 * u64::from(number))
}

/// Where the blocks begin behind a directory of `levels`.
pub(super) const fn blocks_offset(levels: usize) -> usize {
    (HEADER_BYTES + RECORD_BYTES * levels).next_multiple_of(BLOCK_BYTES)
}

/// The directory, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Directory {
    pub(super) block_count: u32,
    pub(super) reference_count: u32,
    pub(super) instance_count: u32,
    pub(super) blocks: u64,
    pub(super) references: u64,
    pub(super) instances: u64,
    pub(super) levels: Vec<LevelRecord>,
}

/// One level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LevelRecord {
    pub(super) kind: LevelKind,
    pub(super) root: u32,
    pub(super) triangle_count: u32,
    pub(super) box_count: u32,
    pub(super) triangles: u64,
    pub(super) boxes: u64,
    pub(super) ids: u64,
}

/// What a level holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LevelKind {
    Blas,
    Tlas,
    /// Neither: an unsound record.
    Unknown(u32),
}

impl Directory {
    pub(super) fn header_bytes(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let counts =
            [self.levels.len() as u32, self.block_count, self.reference_count, self.instance_count];
        for (k, count) in counts.iter().enumerate() {
            bytes[12 + 4 * k..][..4].copy_from_slice(&count.to_le_bytes());
        }
        for (k, offset) in [self.blocks, self.references, self.instances].iter().enumerate() {
            bytes[32 + 8 * k..][..8].copy_from_slice(&offset.to_le_bytes());
        }
        bytes
    }
}

impl LevelRecord {
    /// The record of a TLAS.
    pub(super) const fn tlas(root: u32) -> Self {
        let kind = LevelKind::Tlas;
        Self { kind, root, triangle_count: 0, box_count: 0, triangles: 0, boxes: 0, ids: 0 }
    }

    pub(super) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let kind = match self.kind {
            LevelKind::Blas => 0,
            LevelKind::Tlas => 1,
            LevelKind::Unknown(kind) => kind,
        };
        let mut bytes = [0; RECORD_BYTES];
        let words = [kind, self.root, self.triangle_count, self.box_count];
        for (k, word) in words.iter().enumerate() {
            bytes[4 * k..][..4].copy_from_slice(&word.to_le_bytes());
        }
        for (k, offset) in [self.triangles, self.boxes, self.ids].iter().enumerate() {
            bytes[16 + 8 * k..][..8].copy_from_slice(&offset.to_le_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            kind: match u32_at(bytes, 0) {
                0 => LevelKind::Blas,
                1 => LevelKind::Tlas,
                kind => LevelKind::Unknown(kind),
            },
            root: u32_at(bytes, 4),
            triangle_count: u32_at(bytes, 8),
            box_count: u32_at(bytes, 12),
            triangles: u64_at(bytes, 16),
            boxes: u64_at(bytes, 24),
            ids: u64_at(bytes, 32),
        }
    }

    pub(super) const fn item_count(&self) -> u64 {
        self.triangle_count as u64 + self.box_count as u64
    }
}

/// The arrays of an image whose directory has been proved to name memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) directory: &'a Directory,
}

impl<'a> Parts<'a> {
    /// The `count` elements of `size` bytes at `offset`, if the image has them.
    pub(super) fn array(bytes: &'a [u8], offset: u64, count: u64, size: u64) -> Option<&'a [u8]> {
        let start = usize::try_from(offset).ok()?;
        let len = usize::try_from(count.checked_mul(size)?).ok()?;
        bytes.get(start..start.checked_add(len)?)
    }

    fn at(&self, offset: u64, count: u32, size: usize) -> &'a [u8] {
        Self::array(self.bytes, offset, u64::from(count), size as u64).unwrap_or_default()
    }

    pub(super) fn block_bytes(&self, number: u32) -> [u8; BLOCK_BYTES] {
        let blocks = self.at(self.directory.blocks, self.directory.block_count, BLOCK_BYTES);
        let bytes = blocks.chunks_exact(BLOCK_BYTES).nth(number as usize);
        bytes.and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; BLOCK_BYTES])
    }

    pub(super) fn block(&self, number: u32) -> Block {
        Block::from_bytes(&self.block_bytes(number))
    }

    pub(super) fn reference(&self, number: u32) -> u32 {
        let references = self.at(self.directory.references, self.directory.reference_count, 4);
        references.get(4 * number as usize..).map_or(NO_BLOCK, |bytes| u32_at(bytes, 0))
    }

    pub(super) fn instances(&self) -> Vec<(Instance, u32)> {
        self.at(self.directory.instances, self.directory.instance_count, INSTANCE_BYTES)
            .chunks_exact(INSTANCE_BYTES)
            .map(|bytes| (instance_at(bytes), u32_at(bytes, 96)))
            .collect()
    }

    pub(super) fn primitives(&self, level: &LevelRecord) -> Primitives {
        let LevelRecord { triangle_count, box_count, .. } = *level;
        let ids = triangle_count.saturating_add(box_count);
        Primitives {
            triangles: self
                .at(level.triangles, triangle_count, 36)
                .chunks_exact(36)
                .map(|t| Triangle { vertices: [0, 12, 24].map(|at| vec3_at(t, at)) })
                .collect(),
            boxes: self
                .at(level.boxes, box_count, 24)
                .chunks_exact(24)
                .map(|b| Aabb::new(vec3_at(b, 0), vec3_at(b, 12)))
                .collect(),
            ids: self
                .at(level.ids, ids, 12)
                .chunks_exact(12)
                .map(|id| PrimitiveId {
                    geometry: u32_at(id, 0),
                    primitive: u32_at(id, 4),
                    flags: PrimitiveFlags::from_bits_truncate(u32_at(id, 8) as u8),
                })
                .collect(),
        }
    }
}

fn instance_at(bytes: &[u8]) -> Instance {
    let matrix = |at: usize| Transform {
        rows: std::array::from_fn(|r| {
            std::array::from_fn(|c| f32::from_bits(u32_at(bytes, at + 16 * r + 4 * c)))
        }),
    };
    Instance {
        world_to_object: matrix(0),
        object_to_world: matrix(48),
        blas: u32_at(bytes, 100),
        mask: bytes[104],
        custom_index: u32_at(bytes, 108),
        flags: InstanceFlags::from_bits_truncate(bytes[105]),
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

fn vec3_at(bytes: &[u8], at: usize) -> Vec3 {
    let f32_at = |at: usize| f32::from_bits(u32_at(bytes, at));
    Vec3::new(f32_at(at), f32_at(at + 4), f32_at(at + 8))
}
