//! What stands around the blocks: a directory, and arrays that it names by their offsets. Little
//! endian.
//!
//! A reference is 4 bytes: the number of a primitive of its level, or, with bit 31 set, of an
//! instance (T-16).

use super::block::{BLOCK_BYTES, Block, NO_BLOCK, block_text};
use geometry::{Aabb, InstanceFlags, Transform, Triangle, Vec3};
use machine::Image;
use machine::bits::{HalfNodeBits, NodeBits};
use machine::fields::{Show, hex};
use tree::{Instance, PrimitiveFlags, PrimitiveId, Primitives};

machine::fields! {
    /// The header. The last level is the top level if its kind says so.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own (T-16)"]
    pub(super) struct HeaderFields: 32 words {
        /// `SILITB12`.
        pub(super) magic: u64 = 0..64, Show::Each(magic_text);
        /// 0.
        pub(super) version: u32 = 64..96;
        /// Number of levels.
        pub(super) level_count: u32 = 96..128;
        /// Number of blocks.
        pub(super) block_count: u32 = 128..160;
        /// Number of references.
        pub(super) reference_count: u32 = 160..192;
        /// Number of instances.
        pub(super) instance_count: u32 = 192..224;
        /// 0.
        pub(super) zero: u32 = 224..256, Show::Unused;
        /// Offset of the blocks.
        pub(super) blocks: u64 = 256..320, Show::Each(hex);
        /// Offset of the references.
        pub(super) references: u64 = 320..384, Show::Each(hex);
        /// Offset of the instances.
        pub(super) instances: u64 = 384..448, Show::Each(hex);
        /// 0.
        pub(super) zeros: [u32; 18] = 448..1024, Show::Unused;
    }
}

machine::fields! {
    /// The record of a level; the records follow the header.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own (T-16)"]
    pub(super) struct LevelFields: 16 words {
        /// 0 bottom, 1 top.
        pub(super) kind: u32 = 0..32;
        /// Root block; 0xFFFFFFFF for a level without items.
        pub(super) root: u32 = 32..64, Show::Each(block_text);
        /// Number of triangles; 0 in a top level.
        pub(super) triangle_count: u32 = 64..96;
        /// Number of procedural boxes; 0 in a top level.
        pub(super) box_count: u32 = 96..128;
        /// Offset of the triangles, 36 bytes each.
        pub(super) triangles: u64 = 128..192, Show::Each(hex);
        /// Offset of the boxes, 24 bytes each.
        pub(super) boxes: u64 = 192..256, Show::Each(hex);
        /// Offset of the ids, 12 bytes each.
        pub(super) ids: u64 = 256..320, Show::Each(hex);
        /// 0.
        pub(super) zeros: [u32; 6] = 320..512, Show::Unused;
    }
}

machine::fields! {
    /// The record of an instance.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[source = "siliray's own (T-16)"]
    pub(super) struct InstanceFields: 32 words {
        /// Takes world-space rays to object space.
        pub(super) world_to_object: Transform = 0..384;
        /// Its inverse.
        pub(super) object_to_world: Transform = 384..768;
        /// Root block of the level below.
        pub(super) root: u32 = 768..800, Show::Each(block_text);
        /// The level below.
        pub(super) level: u32 = 800..832;
        /// Culled when this and the ray's mask have no bit in common.
        pub(super) mask: u8 = 832..840, Show::Each(hex);
        /// Flags of the instance.
        pub(super) flags: u8 = 840..848, Show::Each(hex);
        /// 0.
        pub(super) zero: u16 = 848..864, Show::Unused;
        /// The index that the application chose.
        pub(super) custom_index: u32 = 864..896;
        /// Where its records begin in the shader binding table.
        pub(super) sbt_offset: u32 = 896..928 => "bytes";
        /// 0.
        pub(super) zeros: [u32; 3] = 928..1024, Show::Unused;
    }
}

fn magic_text(magic: u64) -> String {
    magic.to_le_bytes().escape_ascii().to_string()
}

/// What a file of this format begins with.
pub const MAGIC: [u8; 8] = *b"SILITB12";

pub(super) const HEADER_BYTES: usize = 128;
pub(super) const RECORD_BYTES: usize = 64;
pub(super) const INSTANCE_BYTES: usize = 128;
pub(super) const TRIANGLE_BYTES: usize = 36;
pub(super) const PROCEDURAL_BYTES: usize = 24;
/// The bit of a reference that says "instance".
pub(super) const INSTANCE: u32 = 1 << 31;

/// Where block `number` of an image lies, by its directory; the image may be unsound.
#[must_use]
pub fn block_offset(image: &Image, number: u32) -> Option<u64> {
    let base = image.bases.first().copied().unwrap_or(0);
    let header = header_of(image)?;
    if number >= header.block_count {
        return None;
    }
    base.checked_add(header.blocks)?.checked_add(BLOCK_BYTES as u64 * u64::from(number))
}

/// The header of an image that may be unsound.
pub(super) fn header_of(image: &Image) -> Option<HeaderFields> {
    let base = image.bases.first().copied().unwrap_or(0);
    let bytes = image.get(base, HEADER_BYTES)?;
    Some(HeaderFields::decode(&NodeBits::from_bytes(bytes)))
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
        let fields = HeaderFields {
            magic: u64::from_le_bytes(MAGIC),
            version: 0,
            level_count: self.levels.len() as u32,
            block_count: self.block_count,
            reference_count: self.reference_count,
            instance_count: self.instance_count,
            zero: 0,
            blocks: self.blocks,
            references: self.references,
            instances: self.instances,
            zeros: [0; 18],
        };
        fields.encode().to_bytes()
    }
}

impl LevelRecord {
    /// The record of a TLAS.
    pub(super) const fn tlas(root: u32) -> Self {
        let kind = LevelKind::Tlas;
        Self { kind, root, triangle_count: 0, box_count: 0, triangles: 0, boxes: 0, ids: 0 }
    }

    pub(super) fn to_bytes(self) -> [u8; RECORD_BYTES] {
        let Self { kind, root, triangle_count, box_count, triangles, boxes, ids } = self;
        let kind = match kind {
            LevelKind::Blas => 0,
            LevelKind::Tlas => 1,
            LevelKind::Unknown(kind) => kind,
        };
        let zeros = [0; 6];
        let fields =
            LevelFields { kind, root, triangle_count, box_count, triangles, boxes, ids, zeros };
        fields.encode().to_bytes()
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let fields = LevelFields::decode(&HalfNodeBits::from_bytes(bytes));
        let LevelFields { kind, root, triangle_count, box_count, triangles, boxes, ids, .. } =
            fields;
        let kind = match kind {
            0 => LevelKind::Blas,
            1 => LevelKind::Tlas,
            kind => LevelKind::Unknown(kind),
        };
        Self { kind, root, triangle_count, box_count, triangles, boxes, ids }
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
            .map(instance_at)
            .collect()
    }

    pub(super) fn primitives(&self, level: &LevelRecord) -> Primitives {
        let LevelRecord { triangle_count, box_count, .. } = *level;
        let ids = triangle_count.saturating_add(box_count);
        Primitives {
            triangles: self
                .at(level.triangles, triangle_count, TRIANGLE_BYTES)
                .chunks_exact(TRIANGLE_BYTES)
                .map(|t| Triangle { vertices: [0, 12, 24].map(|at| vec3_at(t, at)) })
                .collect(),
            boxes: self
                .at(level.boxes, box_count, PROCEDURAL_BYTES)
                .chunks_exact(PROCEDURAL_BYTES)
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

/// An instance, and the root block of its level.
fn instance_at(bytes: &[u8]) -> (Instance, u32) {
    let fields = InstanceFields::decode(&NodeBits::from_bytes(bytes));
    let instance = Instance {
        world_to_object: fields.world_to_object,
        object_to_world: fields.object_to_world,
        blas: fields.level,
        mask: fields.mask,
        custom_index: fields.custom_index,
        sbt_offset: fields.sbt_offset,
        flags: InstanceFlags::from_bits_truncate(fields.flags),
    };
    (instance, fields.root)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

fn vec3_at(bytes: &[u8], at: usize) -> Vec3 {
    let f32_at = |at: usize| f32::from_bits(u32_at(bytes, at));
    Vec3::new(f32_at(at), f32_at(at + 4), f32_at(at + 8))
}
