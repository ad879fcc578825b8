//! The primitives of a structure: every present triangle of every pair that a range reaches, and
//! every procedural, in the order of (node address, pair, triangle). A pair that several ranges
//! reach is read once.

use crate::layout::{
    NODE_BYTES, PairDescriptor, PrimitiveNode, ProceduralBox, ProceduralWriter, TriangleDescriptor,
    pair_descriptor_bits,
};
use crate::survey::pair_count;
use crate::survey::{LeafRecord, Memory, Surveyed};
use geometry::{Aabb, Triangle};
use rayon::prelude::*;
use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// Which pairs are reached: `byte offset of the node from the primitive base / 16 + pair`,
/// ascending.
#[derive(Debug)]
pub(crate) struct Pairs {
    keys: Vec<u64>,
}

/// The primitives of a structure, and their numbers.
#[derive(Debug)]
pub(crate) struct ReadPrimitives {
    pub(crate) primitives: Primitives,
    pub(crate) numbers: PrimitiveNumbers,
}

/// Which primitives each pair of a structure has, by number: what a walk reads needs no more.
#[derive(Debug)]
pub(crate) struct PrimitiveNumbers {
    pairs: Pairs,
    /// For each pair and one beyond: the number of triangles and boxes before it.
    before: Vec<[u32; 2]>,
}

/// What one triangle of a pair is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Stored {
    Triangle(Triangle, PrimitiveId),
    Box(Aabb, PrimitiveId),
}

/// Pairs in one task.
const CHUNK: usize = 1 << 12;

/// Tasks whose results are held at once.
const CHUNKS_AT_ONCE: usize = 1 << 4;

impl Pairs {
    /// The pairs that the leaves of a structure reach.
    pub(crate) fn new(memory: &Memory<'_>, surveyed: &Surveyed) -> Self {
        let mut keys: Vec<u64> = surveyed
            .leaves
            .par_iter()
            .with_min_len(1 << 10)
            .flat_map_iter(|leaf| range_keys(memory, surveyed, leaf))
            .collect();
        keys.par_sort_unstable();
        keys.dedup();
        Self { keys }
    }

    /// All keys.
    pub(crate) fn keys(&self) -> &[u64] {
        &self.keys
    }

    /// Positions of a leaf's pairs. Those of one range are neighbours: a key beyond a node's last
    /// pair does not occur.
    pub(crate) fn of_leaf(&self, leaf: &LeafRecord) -> std::ops::Range<usize> {
        let first = self.keys.partition_point(|&key| key < first_key(leaf));
        first..(first + leaf.pairs as usize).min(self.keys.len())
    }
}

/// Byte offset of the node from the primitive base, and the pair.
pub(crate) fn split_key(key: u64) -> (u64, usize) {
    (key / 8 * NODE_BYTES, (key % 8) as usize)
}

fn first_key(leaf: &LeafRecord) -> u64 {
    leaf.pointer.byte_offset() / NODE_BYTES * 8 + u64::from(leaf.pointer.pair())
}

/// The bytes of primitive nodes that a range lies in.
pub(crate) fn leaf_bytes(memory: &Memory<'_>, surveyed: &Surveyed, leaf: &LeafRecord) -> u32 {
    let last = range_keys(memory, surveyed, leaf).last();
    last.map_or(0, |last| split_key(last).0 - split_key(first_key(leaf)).0 + NODE_BYTES) as u32
}

/// The keys of a range.
fn range_keys<'a>(
    memory: &'a Memory<'_>,
    surveyed: &'a Surveyed,
    leaf: &'a LeafRecord,
) -> impl Iterator<Item = u64> + 'a {
    let count = move |key: u64| {
        let node = memory.node(surveyed.structure.primitive_base + split_key(key).0);
        node.map_or(8, |bits| u64::from(pair_count(&bits)))
    };
    let first = first_key(leaf);
    let mut state = (first, if leaf.pairs > 1 { count(first) } else { 8 });
    (0..leaf.pairs).map(move |n| {
        if n > 0 {
            let (key, pairs) = state;
            state = if key % 8 + 1 < pairs { (key + 1, pairs) } else { ((key / 8 + 1) * 8, 0) };
            if state.1 == 0 {
                state.1 = count(state.0);
            }
        }
        state.0
    })
}

impl ReadPrimitives {
    /// Reads what the leaves of a structure reach.
    pub(crate) fn new(memory: &Memory<'_>, surveyed: &Surveyed) -> Self {
        let numbers = PrimitiveNumbers::new(memory, surveyed);
        let [triangles, boxes] = numbers.counts().map(|count| count as usize);
        let mut primitives = Primitives {
            triangles: Vec::with_capacity(triangles),
            boxes: Vec::with_capacity(boxes),
            ids: Vec::with_capacity(triangles + boxes),
        };
        let mut box_ids = Vec::with_capacity(boxes);
        // Some chunks at a time: all of them would be a second copy.
        for keys in numbers.pairs.keys.chunks(CHUNKS_AT_ONCE * CHUNK) {
            let chunks: Vec<(Primitives, Vec<PrimitiveId>)> =
                keys.par_chunks(CHUNK).map(|keys| read_chunk(memory, surveyed, keys)).collect();
            for (chunk, ids) in chunks {
                primitives.triangles.extend(chunk.triangles);
                primitives.boxes.extend(chunk.boxes);
                primitives.ids.extend(chunk.ids);
                box_ids.extend(ids);
            }
        }
        primitives.ids.extend(box_ids);
        Self { primitives, numbers }
    }
}

impl PrimitiveNumbers {
    /// Numbers what the leaves of a structure reach.
    pub(crate) fn new(memory: &Memory<'_>, surveyed: &Surveyed) -> Self {
        let pairs = Pairs::new(memory, surveyed);
        let before = before(memory, surveyed, &pairs.keys);
        Self { pairs, before }
    }

    /// How many triangles and boxes there are.
    fn counts(&self) -> [u32; 2] {
        self.before.last().copied().unwrap_or_default()
    }

    /// Numbers of a leaf's primitives, in the order of its range.
    pub(crate) fn of_leaf<'a>(&'a self, leaf: &LeafRecord) -> impl Iterator<Item = u32> + 'a {
        let [triangles, _] = self.counts();
        self.pairs.of_leaf(leaf).flat_map(move |pair| {
            let ([first, first_box], [end, end_box]) = (self.before[pair], self.before[pair + 1]);
            (first..end).chain(triangles + first_box..triangles + end_box)
        })
    }
}

/// For each pair and one beyond: the number of triangles and boxes before it.
fn before(memory: &Memory<'_>, surveyed: &Surveyed, keys: &[u64]) -> Vec<[u32; 2]> {
    let counts: Vec<Vec<[u32; 2]>> = keys
        .par_chunks(CHUNK)
        .map(|keys| {
            let count = |key: &u64| {
                let (offset, pair) = split_key(*key);
                let bits = memory.node(surveyed.structure.primitive_base + offset);
                let bits = bits.map_or(0, |bits| bits.get(pair_descriptor_bits(pair)));
                let triangles = PairDescriptor::from_raw(bits).triangles;
                let all = &triangles[..1 + usize::from(!triangles[1].is_absent())];
                let boxes = all.iter().filter(|triangle| triangle.is_procedural()).count();
                [(all.len() - boxes) as u32, boxes as u32]
            };
            keys.iter().map(count).collect()
        })
        .collect();
    let mut before = Vec::with_capacity(keys.len() + 1);
    let mut sum = [0, 0];
    before.push(sum);
    before.extend(counts.into_iter().flatten().map(|[triangles, boxes]| {
        sum = [sum[0] + triangles, sum[1] + boxes];
        sum
    }));
    before
}

/// Primitives with the ids of the triangles, and ids of the boxes, of some pairs.
fn read_chunk(
    memory: &Memory<'_>,
    surveyed: &Surveyed,
    keys: &[u64],
) -> (Primitives, Vec<PrimitiveId>) {
    let mut primitives = Primitives::default();
    let mut box_ids = Vec::new();
    for same_node in keys.chunk_by(|a, b| a / 8 == b / 8) {
        let (offset, _) = split_key(same_node[0]);
        let address = surveyed.structure.primitive_base + offset;
        let bits = memory.node(address).unwrap_or(crate::layout::NodeBits::ZERO);
        let node = surveyed.structure.primitive_node(&bits);
        let all = same_node.iter().flat_map(|&key| stored(&node, split_key(key).1));
        for stored in all.flatten() {
            match stored {
                Stored::Triangle(triangle, id) => {
                    primitives.triangles.push(triangle);
                    primitives.ids.push(id);
                }
                Stored::Box(bounds, id) => {
                    primitives.boxes.push(bounds);
                    box_ids.push(id);
                }
            }
        }
    }
    (primitives, box_ids)
}

/// How many primitives some pairs hold.
pub(crate) fn stored_count(memory: &Memory<'_>, surveyed: &Surveyed, pairs: &Pairs) -> usize {
    let before = before(memory, surveyed, pairs.keys());
    before.last().map_or(0, |[triangles, boxes]| (triangles + boxes) as usize)
}

/// The one or two primitives of a pair.
pub(crate) fn stored(node: &PrimitiveNode, pair: usize) -> [Option<Stored>; 2] {
    let [first, second] = node.pair(pair).triangles;
    [Some(one(node, pair, 0, &first)), (!second.is_absent()).then(|| one(node, pair, 1, &second))]
}

fn one(node: &PrimitiveNode, pair: usize, which: usize, triangle: &TriangleDescriptor) -> Stored {
    let n = 2 * pair + which;
    let mut flags = PrimitiveFlags::empty();
    flags.set(PrimitiveFlags::OPAQUE, triangle.opaque);
    let (geometry, primitive) = (node.geometry_id(n), node.primitive_id(n));
    if triangle.is_procedural() {
        let bounds = ProceduralBox::read(node, ProceduralWriter::of(node)).bounds;
        Stored::Box(bounds, PrimitiveId { geometry, primitive, flags })
    } else {
        flags.set(PrimitiveFlags::DOUBLE_SIDED, triangle.double_sided);
        let corners = triangle.indices.map(|index| node.position(usize::from(index)));
        Stored::Triangle(Triangle { vertices: corners }, PrimitiveId { geometry, primitive, flags })
    }
}
