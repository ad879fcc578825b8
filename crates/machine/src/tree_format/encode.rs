//! Tree → bytes.

use super::{
    DIRECTORY_ADDRESS, HEADER_BYTES, MAX_LEAF_COUNT, MAX_REFERENCES, NAME, NO_CHILD, NODE_BYTES,
    RECORD_BYTES, SLOTS, leaf_word,
};
use crate::{Image, Segment};
use geometry::{Aabb, Transform, Vec3};
use tree::{Bvh, Instance, Node, Primitives, Tree};

/// Why a tree has no image in this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TreeFormatError {
    /// A leaf has more references than its word can count, or they lie too far back.
    #[error(
        "level {level}, entry {entry}: a leaf of {count} references from {first} on; at most \
         {MAX_LEAF_COUNT}, below {MAX_REFERENCES}, can be named"
    )]
    Leaf {
        /// Which level; the TLAS comes last.
        level: usize,
        /// Position of the leaf in the hierarchy.
        entry: usize,
        /// First reference.
        first: usize,
        /// Number of references.
        count: usize,
    },
}

pub(super) fn encode(tree: &Tree) -> Result<Image, TreeFormatError> {
    let level_count = tree.blases.len() + usize::from(tree.tlas.is_some());
    let directory = HEADER_BYTES + RECORD_BYTES * level_count;
    let mut writer = Writer {
        segments: vec![Segment::zeroed(DIRECTORY_ADDRESS, directory)],
        next_address: (DIRECTORY_ADDRESS + directory as u64).next_multiple_of(256),
    };
    writer.segments[0].bytes_mut()[..4].copy_from_slice(&(level_count as u32).to_le_bytes());
    for (level, blas) in tree.blases.iter().enumerate() {
        let Primitives { triangles, boxes, ids } = &blas.primitives;
        let corners: Vec<u8> =
            triangles.iter().flat_map(|t| t.vertices).flat_map(vector_bytes).collect();
        let box_bytes: Vec<u8> = boxes.iter().flat_map(aabb_bytes).collect();
        let id_bytes: Vec<u8> = ids
            .iter()
            .flat_map(|id| [id.geometry, id.primitive, u32::from(id.flags.bits())])
            .flat_map(u32::to_le_bytes)
            .collect();
        writer.level(
            level,
            0,
            &blas.bvh,
            [triangles.len(), boxes.len()],
            [&corners, &box_bytes, &id_bytes],
        )?;
    }
    if let Some(tlas) = &tree.tlas {
        let instances: Vec<u8> = tlas.instances.iter().flat_map(instance_bytes).collect();
        let counts = [tlas.instances.len(), 0];
        writer.level(tree.blases.len(), 1, &tlas.bvh, counts, [&instances, &[], &[]])?;
    }
    Ok(Image {
        format: NAME,
        segments: writer.segments,
        bases: vec![DIRECTORY_ADDRESS],
        root: DIRECTORY_ADDRESS,
    })
}

struct Writer {
    segments: Vec<Segment>,
    next_address: u64,
}

impl Writer {
    /// Writes the arrays of a level and its record in the directory.
    fn level(
        &mut self,
        level: usize,
        kind: u32,
        bvh: &Bvh,
        item_counts: [usize; 2],
        arrays: [&[u8]; 3],
    ) -> Result<(), TreeFormatError> {
        let groups = Groups::new(bvh);
        let word = |index: usize| groups.word(level, index, &bvh.nodes()[index]);
        let mut nodes = vec![0; groups.starts.len() * NODE_BYTES];
        for (k, node) in nodes.chunks_exact_mut(NODE_BYTES).enumerate() {
            let start = groups.starts[k];
            let end = groups.starts.get(k + 1).copied().unwrap_or(bvh.nodes().len());
            for slot in 0..SLOTS {
                let index = start + slot;
                let (word, bounds) = if index < end {
                    (word(index)?, aabb_bytes(&bvh.nodes()[index].bounds))
                } else {
                    (NO_CHILD, [0; 24])
                };
                node[4 * slot..][..4].copy_from_slice(&word.to_le_bytes());
                node[32 + 24 * slot..][..24].copy_from_slice(&bounds);
            }
        }
        let references: Vec<u8> = bvh.indices().iter().flat_map(|r| r.to_le_bytes()).collect();
        let mut record = Vec::with_capacity(RECORD_BYTES);
        let counts = [groups.starts.len(), bvh.indices().len(), item_counts[0], item_counts[1]];
        record.extend(kind.to_le_bytes());
        record.extend(counts.iter().flat_map(|&count| (count as u32).to_le_bytes()));
        record.extend(word(0)?.to_le_bytes());
        record.extend(aabb_bytes(&bvh.root().bounds));
        for array in [&nodes[..], &references, arrays[0], arrays[1], arrays[2]] {
            record.extend(self.array(array).to_le_bytes());
        }
        let at = HEADER_BYTES + RECORD_BYTES * level;
        self.segments[0].bytes_mut()[at..][..record.len()].copy_from_slice(&record);
        Ok(())
    }

    /// Writes an array into a segment of its own and returns its address.
    fn array(&mut self, bytes: &[u8]) -> u64 {
        let address = self.next_address;
        self.segments.push(Segment::new(address, bytes));
        self.next_address = (address + bytes.len() as u64 + 1).next_multiple_of(256);
        address
    }
}

/// Where each group of siblings begins, in the order of the entries.
struct Groups {
    starts: Vec<usize>,
}

impl Groups {
    fn new(bvh: &Bvh) -> Self {
        let inner = bvh.nodes().iter().filter(|entry| !entry.link.is_leaf());
        let mut starts: Vec<usize> = inner.map(|entry| entry.link.range().start).collect();
        starts.sort_unstable();
        Self { starts }
    }

    fn word(&self, level: usize, index: usize, entry: &Node) -> Result<u32, TreeFormatError> {
        let range = entry.link.range();
        if entry.link.is_leaf() {
            let (first, count) = (range.start, range.len());
            leaf_word(first, count).ok_or(TreeFormatError::Leaf {
                level,
                entry: index,
                first,
                count,
            })
        } else {
            Ok(self.starts.partition_point(|&start| start < range.start) as u32)
        }
    }
}

fn vector_bytes(v: Vec3) -> [u8; 12] {
    let mut bytes = [0; 12];
    for (chunk, x) in bytes.chunks_exact_mut(4).zip(v.to_array()) {
        chunk.copy_from_slice(&x.to_le_bytes());
    }
    bytes
}

fn aabb_bytes(bounds: &Aabb) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[..12].copy_from_slice(&vector_bytes(bounds.min));
    bytes[12..].copy_from_slice(&vector_bytes(bounds.max));
    bytes
}

fn instance_bytes(instance: &Instance) -> Vec<u8> {
    let Instance { blas, world_to_object, object_to_world, .. } = instance;
    let matrix = |transform: &Transform| transform.rows.as_flattened().to_vec();
    let floats = matrix(world_to_object).into_iter().chain(matrix(object_to_world));
    let Instance { mask, custom_index, sbt_offset, flags, .. } = *instance;
    let words = [*blas, u32::from(mask), custom_index, u32::from(flags.bits()) | sbt_offset << 8];
    floats.map(f32::to_bits).chain(words).flat_map(u32::to_le_bytes).collect()
}
