//! Bytes → tree. Reads untrusted images too: every step that can fail says where and why.

use super::{
    BOX_BYTES, HEADER_BYTES, ID_BYTES, INSTANCE_BYTES, NO_CHILD, NODE_BYTES, RECORD_BYTES, SLOTS,
    TRIANGLE_BYTES, leaf_range,
};
use crate::blocks::MemoryRange;
use crate::{Finding, Image, Severity};
use geometry::{Aabb, InstanceFlags, Transform, Triangle, Vec3};
use tree::{
    Blas, Bvh, BvhError, Instance, Node, NodeLink, PrimitiveFlags, PrimitiveId, Primitives, Tlas,
    Tree,
};

/// One level as the directory describes it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record {
    pub(super) is_top: bool,
    pub(super) node_count: usize,
    pub(super) reference_count: usize,
    item_count: usize,
    box_count: usize,
    pub(super) root_word: u32,
    pub(super) root_bounds: Aabb,
    pub(super) nodes_address: u64,
    pub(super) references_address: u64,
    items_address: u64,
    boxes_address: u64,
    pub(super) ids_address: u64,
    /// Offset of the record in the directory.
    pub(super) offset: u64,
}

impl Record {
    /// Where a triangle, a procedural box or an instance lies.
    pub(super) fn item_memory(&self, item: u32) -> MemoryRange {
        match (item as usize).checked_sub(self.item_count) {
            Some(number) => {
                MemoryRange::element(self.boxes_address, number as u32, BOX_BYTES as u32)
            }
            None if self.is_top => {
                MemoryRange::element(self.items_address, item, INSTANCE_BYTES as u32)
            }
            None => MemoryRange::element(self.items_address, item, TRIANGLE_BYTES as u32),
        }
    }

    /// Bytes of triangles and procedural boxes; those of instances belong to the nodes.
    pub(super) fn geometry_bytes(&self) -> u64 {
        let triangles = if self.is_top { 0 } else { self.item_count as u64 };
        (TRIANGLE_BYTES as u64) * triangles + (BOX_BYTES * self.box_count) as u64
    }

    pub(super) fn id_bytes(&self) -> u64 {
        if self.is_top { 0 } else { (ID_BYTES * (self.item_count + self.box_count)) as u64 }
    }
}

/// Reads the whole image.
pub(super) fn read(image: &Image) -> Result<Tree, Finding> {
    let records = directory(image)?;
    let mut tree = Tree { blases: Vec::new(), tlas: None };
    for (index, record) in records.iter().enumerate() {
        let level = Level { image, record, index };
        if record.is_top {
            if index + 1 != records.len() {
                return Err(level.finding("top_last", 0..32, "a TLAS", "a BLAS"));
            }
            tree.tlas = Some(level.tlas(index)?);
        } else {
            tree.blases.push(level.blas()?);
        }
    }
    if tree.tlas.is_none() && tree.blases.len() != 1 {
        let count = tree.blases.len();
        let found = format!("{count} BLASes and no TLAS");
        return Err(error("one_bottom", 0, 0..32, "directory", &found, "1 BLAS"));
    }
    Ok(tree)
}

/// The words and boxes of the children in a node.
pub(super) fn slots(node: &[u8]) -> Vec<(u32, Aabb)> {
    (0..SLOTS)
        .map(|slot| (u32_at(node, 4 * slot), aabb_at(node, 32 + 24 * slot)))
        .take_while(|&(word, _)| word != NO_CHILD)
        .collect()
}

pub(super) fn directory(image: &Image) -> Result<Vec<Record>, Finding> {
    let header = image.get(image.root, HEADER_BYTES).ok_or_else(|| {
        error("directory", 0, 0..32, "directory", "no memory", "a header of 128 bytes")
    })?;
    let count = u32_at(header, 0) as usize;
    let available = image
        .segments
        .iter()
        .find(|segment| segment.get(image.root, HEADER_BYTES).is_some())
        .map_or(0, |segment| segment.bytes().len() / RECORD_BYTES);
    if count == 0 || count >= available.max(1) {
        let expected = format!("1 to {}", available.saturating_sub(1));
        return Err(error("level_count", 0, 0..32, "directory", &count.to_string(), &expected));
    }
    (0..count)
        .map(|index| {
            let offset = (HEADER_BYTES + RECORD_BYTES * index) as u64;
            let place = format!("record {index}");
            let bytes = image.get(image.root + offset, RECORD_BYTES).ok_or_else(|| {
                error("directory", offset, 0..1024, &place, "no memory", "a record of 128 bytes")
            })?;
            let kind = u32_at(bytes, 0);
            if kind > 1 {
                return Err(error("kind", offset, 0..32, &place, &kind.to_string(), "0 or 1"));
            }
            let count = |at| u32_at(bytes, at) as usize;
            Ok(Record {
                is_top: kind == 1,
                node_count: count(4),
                reference_count: count(8),
                item_count: count(12),
                box_count: count(16),
                root_word: u32_at(bytes, 20),
                root_bounds: aabb_at(bytes, 24),
                nodes_address: u64_at(bytes, 48),
                references_address: u64_at(bytes, 56),
                items_address: u64_at(bytes, 64),
                boxes_address: u64_at(bytes, 72),
                ids_address: u64_at(bytes, 80),
                offset,
            })
        })
        .collect()
}

/// A level being read.
struct Level<'a> {
    image: &'a Image,
    record: &'a Record,
    index: usize,
}

impl Level<'_> {
    fn blas(&self) -> Result<Blas, Finding> {
        let Record { item_count, box_count, .. } = *self.record;
        let triangles = self.array("triangles", self.record.items_address, item_count, 36, 512)?;
        let boxes = self.array("boxes", self.record.boxes_address, box_count, 24, 576)?;
        let ids = self.array("ids", self.record.ids_address, item_count + box_count, 12, 640)?;
        let primitives = Primitives {
            triangles: triangles
                .chunks_exact(36)
                .map(|t| Triangle { vertices: [vec3_at(t, 0), vec3_at(t, 12), vec3_at(t, 24)] })
                .collect(),
            boxes: boxes.chunks_exact(24).map(|b| aabb_at(b, 0)).collect(),
            ids: ids
                .chunks_exact(12)
                .map(|id| PrimitiveId {
                    geometry: u32_at(id, 0),
                    primitive: u32_at(id, 4),
                    flags: PrimitiveFlags::from_bits_truncate(u32_at(id, 8) as u8),
                })
                .collect(),
        };
        let bvh = self.bvh(primitives.len())?;
        Ok(Blas { primitives, bvh })
    }

    fn tlas(&self, blases: usize) -> Result<Tlas, Finding> {
        let count = self.record.item_count;
        let bytes = self.array("instances", self.record.items_address, count, 112, 512)?;
        let mut instances = Vec::with_capacity(count);
        for (number, record) in bytes.chunks_exact(112).enumerate() {
            let instance = instance_at(record);
            if instance.blas as usize >= blases {
                let found = format!("instance {number} of level {}", instance.blas);
                let expected = format!("a level below {blases}");
                return Err(self.finding("placement_bottom", 512..576, &found, &expected));
            }
            if instance.world_to_object.inverse().is_err() {
                let found = format!("instance {number} with a singular transform");
                return Err(self.finding(
                    "placement_transform",
                    512..576,
                    &found,
                    "an invertible one",
                ));
            }
            instances.push(instance);
        }
        let bvh = self.bvh(count)?;
        Ok(Tlas { instances, bvh })
    }

    fn bvh(&self, items: usize) -> Result<Bvh, Finding> {
        let Record { node_count, reference_count, .. } = *self.record;
        let nodes = self.array("nodes", self.record.nodes_address, node_count, NODE_BYTES, 384)?;
        let references =
            self.array("references", self.record.references_address, reference_count, 4, 448)?;
        let groups: Vec<Vec<(u32, Aabb)>> = nodes.chunks_exact(NODE_BYTES).map(slots).collect();
        // Where the children of each node begin in the array of entries.
        let starts: Vec<u32> = groups
            .iter()
            .scan(1u32, |next, group| {
                let start = *next;
                *next += group.len() as u32;
                Some(start)
            })
            .collect();
        let link = |word: u32| match leaf_range(word) {
            Some((first, count)) => Ok(NodeLink::leaf(first, count as usize)),
            None => match (starts.get(word as usize), groups.get(word as usize)) {
                (Some(&start), Some(group)) => Ok(NodeLink::inner(start, group.len())),
                _ => {
                    let (found, expected) = (format!("node {word}"), format!("below {node_count}"));
                    Err(self.finding("node_number", 160..192, &found, &expected))
                }
            },
        };
        let mut entries =
            vec![Node { bounds: self.record.root_bounds, link: link(self.record.root_word)? }];
        for &(word, bounds) in groups.iter().flatten() {
            entries.push(Node { bounds, link: link(word)? });
        }
        let references = references.chunks_exact(4).map(|r| u32_at(r, 0)).collect();
        Bvh::new(entries, references, items).map_err(|cause| self.no_hierarchy(&cause))
    }

    /// The `count` elements of `size` bytes at `address`; nothing is taken on the record's word.
    fn array(
        &self,
        name: &str,
        address: u64,
        count: usize,
        size: usize,
        bit: u32,
    ) -> Result<&[u8], Finding> {
        let bytes = count.checked_mul(size).and_then(|len| self.image.get(address, len));
        bytes.ok_or_else(|| {
            let found = format!("{count} {name} of {size} bytes at address {address:#x}");
            self.finding("array_range", bit..bit + 64, &found, "memory of the image")
        })
    }

    fn no_hierarchy(&self, cause: &BvhError) -> Finding {
        self.finding("hierarchy", 384..448, &cause.to_string(), "a tree")
    }

    fn finding(
        &self,
        rule: &'static str,
        bits: std::ops::Range<u32>,
        found: &str,
        expected: &str,
    ) -> Finding {
        error(rule, self.record.offset, bits, &format!("level {}", self.index), found, expected)
    }
}

fn error(
    rule: &'static str,
    offset: u64,
    bits: std::ops::Range<u32>,
    place: &str,
    found: &str,
    expected: &str,
) -> Finding {
    Finding {
        severity: Severity::Error,
        rule,
        offset,
        bits,
        found: found.to_owned(),
        expected: expected.to_owned(),
        place: place.to_owned(),
        count: 1,
        weight: 0,
    }
}

fn instance_at(bytes: &[u8]) -> Instance {
    let matrix = |at: usize| Transform {
        rows: std::array::from_fn(|r| std::array::from_fn(|c| f32_at(bytes, at + 16 * r + 4 * c))),
    };
    Instance {
        world_to_object: matrix(0),
        object_to_world: matrix(48),
        blas: u32_at(bytes, 96),
        mask: u32_at(bytes, 100) as u8,
        custom_index: u32_at(bytes, 104),
        sbt_offset: u32_at(bytes, 108) >> 8,
        flags: InstanceFlags::from_bits_truncate(u32_at(bytes, 108) as u8),
    }
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|k| bytes[at + k]))
}

fn f32_at(bytes: &[u8], at: usize) -> f32 {
    f32::from_bits(u32_at(bytes, at))
}

fn vec3_at(bytes: &[u8], at: usize) -> Vec3 {
    Vec3::new(f32_at(bytes, at), f32_at(bytes, at + 4), f32_at(bytes, at + 8))
}

pub(super) fn aabb_at(bytes: &[u8], at: usize) -> Aabb {
    Aabb::new(vec3_at(bytes, at), vec3_at(bytes, at + 12))
}
