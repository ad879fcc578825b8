//! Tree → image.

use super::NAME;
use super::block::{BLOCK_BYTES, fold_mask};
use super::directory::{
    Directory, HEADER_BYTES, INSTANCE, INSTANCE_BYTES, InstanceFields, LevelKind, LevelRecord,
    RECORD_BYTES, blocks_offset,
};
use super::pack::Packed;
use super::pack_node::{Items, pack_nodes};
use geometry::{Aabb, Vec3};
use machine::{Image, Segment};
use tree::{BvhError, Instance, PrimitiveFlags, Primitives, Tree, UnsoundTree};

/// Why a tree has no image in this format. The TLAS counts as the level behind the last BLAS.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TtuEncodeError {
    /// A box is empty or not finite.
    #[error("level {level}, entry {entry}: the box is empty or not finite")]
    Box {
        /// The level.
        level: usize,
        /// Position in the hierarchy.
        entry: usize,
    },
    /// A level is wider than 255 cells of the largest size.
    #[error("level {level} is wider than 255 cells of 2^100: no exponent reaches that far")]
    Extent {
        /// The level.
        level: usize,
    },
    /// Too many blocks to number.
    #[error("{count} blocks; at most 2^32 - 2 have a number")]
    Blocks {
        /// How many there would be.
        count: usize,
    },
    /// Too many references to number.
    #[error("{count} primitive references; at most 2^32 - 1 have a number")]
    References {
        /// How many there would be.
        count: usize,
    },
    /// An item has bit 31 in its number, which says "instance".
    #[error("level {level} has {count} items; at most 2^31 have a number")]
    Items {
        /// The level.
        level: usize,
        /// How many items there are.
        count: usize,
    },
    /// The levels do not fit together.
    #[error(transparent)]
    Unsound(#[from] UnsoundTree),
    /// Leaves that fit are more than a hierarchy can have.
    #[error(transparent)]
    Hierarchy(#[from] BvhError),
}

/// Lays a tree out: blocks by treelets, references, instances, and the geometry beside them.
///
/// # Errors
/// When the tree holds something that the format cannot express.
pub fn encode(tree: &Tree) -> Result<Image, TtuEncodeError> {
    tree.check()?;
    let blases = tree.blases.len();
    let mut packed = Packed::default();
    let mut roots = Vec::with_capacity(blases + 1);
    for (level, blas) in tree.blases.iter().enumerate() {
        check_count(level, blas.primitives.len())?;
        let pack_nodes = pack_nodes(level, &blas.bvh, &OfPrimitives(&blas.primitives))?;
        roots.push(packed.level(level, &pack_nodes, 0)?);
    }
    if let Some(tlas) = &tree.tlas {
        check_count(blases, tlas.instances.len())?;
        let pack_nodes = pack_nodes(blases, &tlas.bvh, &OfInstances(&tlas.instances))?;
        roots.push(packed.level(blases, &pack_nodes, INSTANCE)?);
    }
    Ok(write(tree, &packed, &roots))
}

fn check_count(level: usize, count: usize) -> Result<(), TtuEncodeError> {
    if count > INSTANCE as usize { Err(TtuEncodeError::Items { level, count }) } else { Ok(()) }
}

/// The primitives of a BLAS: no masks.
struct OfPrimitives<'a>(&'a Primitives);

impl Items for OfPrimitives<'_> {
    fn bounds(&self, item: u32) -> Option<Aabb> {
        Some(self.0.bounds(item as usize))
    }

    fn mask(&self, _: u32) -> u8 {
        0
    }

    fn is_opaque(&self, item: u32) -> bool {
        self.0.ids[item as usize].flags.contains(PrimitiveFlags::OPAQUE)
    }
}

/// The instances of a TLAS: their boxes are the hierarchy's business, and nothing is known of
/// opacity.
struct OfInstances<'a>(&'a [Instance]);

impl Items for OfInstances<'_> {
    fn bounds(&self, _: u32) -> Option<Aabb> {
        None
    }

    fn mask(&self, item: u32) -> u8 {
        fold_mask(self.0[item as usize].mask)
    }

    fn is_opaque(&self, _: u32) -> bool {
        false
    }
}

fn write(tree: &Tree, packed: &Packed, roots: &[u32]) -> Image {
    let mut arrays = Arrays { next: blocks_offset(roots.len()), arrays: Vec::new() };
    let blocks: Vec<u8> = packed.blocks.iter().flat_map(|block| block.to_bytes()).collect();
    let references: Vec<u8> = packed.references.iter().flat_map(|r| r.to_le_bytes()).collect();
    let instances = tree.tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
    let records: Vec<u8> =
        instances.iter().flat_map(|instance| instance_bytes(instance, roots)).collect();
    let directory = Directory {
        block_count: packed.blocks.len() as u32,
        reference_count: packed.references.len() as u32,
        instance_count: instances.len() as u32,
        blocks: arrays.add(blocks),
        references: arrays.add(references),
        instances: arrays.add(records),
        levels: Vec::new(),
    };
    let mut levels = Vec::with_capacity(roots.len());
    for (level, &root) in roots.iter().enumerate() {
        let record = match tree.blases.get(level) {
            Some(blas) => {
                let Primitives { triangles, boxes, ids } = &blas.primitives;
                let corners = triangles.iter().flat_map(|t| t.vertices).flat_map(vector_bytes);
                let planes = boxes.iter().flat_map(|b| [b.min, b.max]).flat_map(vector_bytes);
                let ids = ids
                    .iter()
                    .flat_map(|id| [id.geometry, id.primitive, u32::from(id.flags.bits())])
                    .flat_map(u32::to_le_bytes);
                LevelRecord {
                    kind: LevelKind::Blas,
                    root,
                    triangle_count: triangles.len() as u32,
                    box_count: boxes.len() as u32,
                    triangles: arrays.add(corners.collect()),
                    boxes: arrays.add(planes.collect()),
                    ids: arrays.add(ids.collect()),
                }
            }
            None => LevelRecord::tlas(root),
        };
        levels.push(record);
    }
    let directory = Directory { levels, ..directory };
    let mut segment = Segment::zeroed(0, arrays.next);
    let bytes = segment.bytes_mut();
    bytes[..HEADER_BYTES].copy_from_slice(&directory.header_bytes());
    for (slot, record) in
        bytes[HEADER_BYTES..].chunks_exact_mut(RECORD_BYTES).zip(&directory.levels)
    {
        slot.copy_from_slice(&record.to_bytes());
    }
    for (at, array) in &arrays.arrays {
        bytes[*at..][..array.len()].copy_from_slice(array);
    }
    Image { format: NAME, segments: vec![segment], bases: vec![0], root: 0 }
}

/// Arrays one after the other, each on a line of its own.
struct Arrays {
    next: usize,
    arrays: Vec<(usize, Vec<u8>)>,
}

impl Arrays {
    fn add(&mut self, bytes: Vec<u8>) -> u64 {
        let at = self.next;
        self.next = (at + bytes.len()).next_multiple_of(BLOCK_BYTES);
        self.arrays.push((at, bytes));
        at as u64
    }
}

fn instance_bytes(instance: &Instance, roots: &[u32]) -> [u8; INSTANCE_BYTES] {
    let Instance { blas, world_to_object, object_to_world, .. } = *instance;
    let Instance { mask, custom_index, sbt_offset, flags, .. } = *instance;
    let fields = InstanceFields {
        world_to_object,
        object_to_world,
        root: roots[blas as usize],
        level: blas,
        mask,
        flags: flags.bits(),
        zero: 0,
        custom_index,
        sbt_offset,
        zeros: [0; 3],
    };
    fields.encode().to_bytes()
}

fn vector_bytes(v: Vec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (chunk, x) in bytes.chunks_exact_mut(4).zip(v.to_array()) {
        chunk.copy_from_slice(&x.to_le_bytes());
    }
    bytes
}
