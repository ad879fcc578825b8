//! What stands around the nodes: a directory, and the arrays of each level. Little endian.
//!
//! The directory lies where the image's root points to: a header, then a record for each level, the
//! BLASes first. Addresses are absolute.

use crate::node::{NODE_BYTES, Node};
use geometry::{InstanceFlags, Transform, Triangle, Vec3};
use machine::Image;
use machine::bits::Bits;
use machine::fields::{Show, hex};
use tree::{Instance, PrimitiveFlags, PrimitiveId};

/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of a level's record.
pub const RECORD_BYTES: usize = 64;
/// Bytes of a triangle.
pub const TRIANGLE_BYTES: usize = 36;
/// Bytes of a reference to an instance.
pub const REFERENCE_BYTES: usize = 4;
/// Bytes of a triangle's ids.
pub const ID_BYTES: usize = 12;
/// Bytes of an instance.
pub const INSTANCE_BYTES: usize = 112;

machine::fields! {
    /// The header.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own; docs/cwbvh.md"]
    pub struct HeaderFields: 16 words {
        /// Number of levels.
        pub level_count: u32 = 0..32;
        /// 0.
        pub zeros: [u32; 15] = 32..512, Show::Unused;
    }
}

machine::fields! {
    /// The record of a level.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own; docs/cwbvh.md"]
    pub struct LevelFields: 16 words {
        /// 0 BLAS, 1 TLAS.
        pub kind: u32 = 0..32;
        /// Number of nodes; a level without nodes is empty.
        pub node_count: u32 = 32..64;
        /// Number of triangles, or, in a TLAS, of references.
        pub item_count: u32 = 64..96;
        /// Number of instances; 0 in a BLAS.
        pub instance_count: u32 = 96..128;
        /// Address of the nodes, 80 bytes each; the first one is the root.
        pub nodes: u64 = 128..192, Show::Each(hex);
        /// Address of the triangles, 36 bytes each, or, in a TLAS, of the references, 4 bytes each.
        pub items: u64 = 192..256, Show::Each(hex);
        /// Address of the ids, 12 bytes for each triangle, or, in a TLAS, of the instances.
        pub side_table: u64 = 256..320, Show::Each(hex);
        /// 0.
        pub zeros: [u32; 6] = 320..512, Show::Unused;
    }
}

machine::fields! {
    /// A triangle.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[source = "siliray's own; docs/cwbvh.md"]
    pub struct TriangleFields: 9 words {
        /// The corners.
        pub vertices: [Vec3; 3] = 0..288;
    }
}

machine::fields! {
    /// The ids of a triangle.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own; docs/cwbvh.md"]
    pub struct IdFields: 3 words {
        /// Which geometry.
        pub geometry: u32 = 0..32;
        /// Which primitive of the geometry.
        pub primitive: u32 = 32..64;
        /// Bit 0: opaque. Bit 1: not affected by face culling.
        pub flags: u8 = 64..72, Show::Each(hex);
        /// 0.
        pub zero: u32 = 72..96, Show::Unused;
    }
}

machine::fields! {
    /// A reference to an instance.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[source = "siliray's own; docs/cwbvh.md"]
    pub struct ReferenceFields: 1 words {
        /// The number of the instance.
        pub instance: u32 = 0..32;
    }
}

machine::fields! {
    /// An instance.
    #[derive(Debug, Clone, Copy, PartialEq)]
    #[source = "siliray's own; docs/cwbvh.md"]
    pub struct InstanceFields: 28 words {
        /// Takes world-space rays to object space.
        pub world_to_object: Transform = 0..384;
        /// Its inverse.
        pub object_to_world: Transform = 384..768;
        /// The level below.
        pub blas: u32 = 768..800;
        /// Culled when this and the ray's mask have no bit in common.
        pub mask: u8 = 800..808, Show::Each(hex);
        /// Flags of the instance.
        pub flags: u8 = 808..816, Show::Each(hex);
        /// 0.
        pub zero: u16 = 816..832, Show::Unused;
        /// The index that the application chose.
        pub custom_index: u32 = 832..864;
        /// Where its records begin in the shader binding table.
        pub sbt_offset: u32 = 864..896 => "bytes";
    }
}

/// The records of an image that may be unsound, as many as it says and memory has; `None` without a
/// header.
pub(crate) fn records(image: &Image) -> Option<(HeaderFields, Vec<LevelFields>)> {
    let header = HeaderFields::decode(&Bits::from_bytes(image.get(image.root, HEADER_BYTES)?));
    // Header and records lie in one segment.
    let record = |level: u32| {
        let start = HEADER_BYTES + RECORD_BYTES * level as usize;
        let bytes = image.get(image.root, start + RECORD_BYTES)?;
        Some(LevelFields::decode(&Bits::from_bytes(&bytes[start..])))
    };
    Some((header, (0..header.level_count).map_while(record).collect()))
}

/// Where the record of a level lies.
pub(crate) fn record_address(image: &Image, level: u32) -> Option<u64> {
    image.root.checked_add(HEADER_BYTES as u64 + RECORD_BYTES as u64 * u64::from(level))
}

impl LevelFields {
    /// Whether it is a TLAS.
    pub(crate) const fn is_tlas(&self) -> bool {
        self.kind == 1
    }

    /// The arrays: address, number of elements, bytes of each; nodes, items, side table.
    pub(crate) const fn arrays(&self) -> [(u64, u32, usize); 3] {
        let (item, side) = match self.is_tlas() {
            true => (REFERENCE_BYTES, (self.instance_count, INSTANCE_BYTES)),
            false => (TRIANGLE_BYTES, (self.item_count, ID_BYTES)),
        };
        [
            (self.nodes, self.node_count, NODE_BYTES),
            (self.items, self.item_count, item),
            (self.side_table, side.0, side.1),
        ]
    }
}

/// The memory of an array, if the image has all of it.
pub(crate) fn array(image: &Image, (address, count, size): (u64, u32, usize)) -> Option<&[u8]> {
    image.get(address, usize::try_from(count).ok()?.checked_mul(size)?)
}

/// A level with its arrays. Those that memory does not have are empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level<'a> {
    pub(crate) record: LevelFields,
    nodes: &'a [u8],
    items: &'a [u8],
    side_table: &'a [u8],
}

impl<'a> Level<'a> {
    pub(crate) fn open(image: &'a Image, record: &LevelFields) -> Self {
        let [nodes, items, side_table] =
            record.arrays().map(|place| array(image, place).unwrap_or_default());
        Self { record: *record, nodes, items, side_table }
    }

    pub(crate) fn node(&self, number: u64) -> Option<Node> {
        element(self.nodes, number, NODE_BYTES).map(Node::from_bytes)
    }

    pub(crate) fn node_address(&self, number: u64) -> u64 {
        self.record.nodes.saturating_add(number.saturating_mul(NODE_BYTES as u64))
    }

    pub(crate) fn item_address(&self, number: u64) -> u64 {
        let size = if self.record.is_tlas() { REFERENCE_BYTES } else { TRIANGLE_BYTES };
        self.record.items.saturating_add(number.saturating_mul(size as u64))
    }

    pub(crate) fn triangle(&self, number: u64) -> Option<Triangle> {
        let bytes = element(self.items, number, TRIANGLE_BYTES)?;
        let vertices = TriangleFields::decode(&Bits::from_bytes(bytes)).vertices;
        Some(Triangle { vertices })
    }

    pub(crate) fn id(&self, number: u64) -> Option<PrimitiveId> {
        let bytes = element(self.side_table, number, ID_BYTES)?;
        let IdFields { geometry, primitive, flags, .. } =
            IdFields::decode(&Bits::from_bytes(bytes));
        let flags = PrimitiveFlags::from_bits_truncate(flags);
        Some(PrimitiveId { geometry, primitive, flags })
    }

    pub(crate) fn reference(&self, number: u64) -> Option<u32> {
        let bytes = element(self.items, number, REFERENCE_BYTES)?;
        Some(ReferenceFields::decode(&Bits::from_bytes(bytes)).instance)
    }

    pub(crate) fn instances(&self) -> impl Iterator<Item = Instance> + 'a {
        self.side_table.chunks_exact(INSTANCE_BYTES).map(|bytes| {
            let fields = InstanceFields::decode(&Bits::from_bytes(bytes));
            Instance {
                blas: fields.blas,
                world_to_object: fields.world_to_object,
                object_to_world: fields.object_to_world,
                mask: fields.mask,
                custom_index: fields.custom_index,
                sbt_offset: fields.sbt_offset,
                flags: InstanceFlags::from_bits_truncate(fields.flags),
            }
        })
    }
}

fn element(bytes: &[u8], number: u64, size: usize) -> Option<&[u8]> {
    let start = usize::try_from(number).ok()?.checked_mul(size)?;
    bytes.get(start..start.checked_add(size)?)
}
