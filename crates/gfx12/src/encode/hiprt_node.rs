//! Primitive nodes as HIPRT fills them: no compression, ranges that go on from node to node.
//!
//! The leaves of a box are laid end to end, pair by pair, in nodes of their own. A pair is two
//! triangles with an edge in common, or one. A node takes pairs as long as there are at most 7 of
//! them, at most 15 vertices, and room for 32-bit coordinates and the ids (4.3 of the
//! specification). Where others have the widths of geometry ids stands the number of vertices.

use super::error::EncodeError;
use super::run::{PackedRun, RangeStart, RunPacker};
use super::tables::IdTable;
use super::triangle_fill::NODE_BITS;
use crate::layout::{
    PAIR_DESCRIPTOR_BITS, PRIMITIVE_HEADER_BITS, PackError, PairDescriptor, PrimitiveContents,
    PrimitiveHeader, PrimitiveNode, TriangleDescriptor, type_of_pair,
};
use geometry::Triangle;
use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// Most pairs of a leaf.
pub(crate) const LEAF_PAIRS: usize = 4;
/// One more than the most pairs and vertices of a node.
const PAIR_LIMIT: usize = 8;
const VERTEX_LIMIT: usize = 16;

type Vertex = [u32; 3];

/// The triangles of a leaf, in pairs: items in order.
pub(crate) fn pairs<'i>(items: &'i [u32], primitives: &Primitives) -> Vec<&'i [u32]> {
    let vertices = |item: u32| primitives.triangles[item as usize].to_bits();
    let ids = |item: u32| {
        let PrimitiveId { geometry, primitive, .. } = primitives.ids[item as usize];
        (geometry, primitive)
    };
    let is_pair = |a: u32, b: u32| {
        let (first, second) = (vertices(a), vertices(b));
        let common = second.iter().filter(|vertex| first.contains(vertex)).count();
        // A point may look like no triangle, and equal ids mean that there is only one.
        let is_point = second[0] == second[1] && second[1] == second[2];
        common >= 2 && !is_point && ids(a) != ids(b)
    };
    let mut pairs = Vec::new();
    let mut rest = items;
    while let [first, behind @ ..] = rest {
        let count = if behind.first().is_some_and(|&b| is_pair(*first, b)) { 2 } else { 1 };
        pairs.push(&rest[..count]);
        rest = &rest[count..];
    }
    pairs
}

/// Packs a run; `parents` tells the boxes of its leaves apart.
pub(crate) fn pack(
    leaves: &[u32],
    parents: &[u32],
    packer: &RunPacker<'_>,
    ids: &IdTable,
) -> Result<PackedRun, EncodeError> {
    let mut run = PackedRun::default();
    let mut place = 0;
    for family in parents.chunk_by(|a, b| a == b) {
        let mut packet = Packet::default();
        for &leaf in &leaves[place..place + family.len()] {
            let pairs = pairs(packer.items(leaf), packer.primitives());
            for (number, &items) in pairs.iter().enumerate() {
                let triangles = items.iter().map(|&item| {
                    let (triangle, id) = packer.triangle(item);
                    (triangle, ids.position(id.geometry, id.primitive) as u32, id.flags)
                });
                let triangles: Vec<Member<'_>> = triangles.collect();
                if !packet.fits(&triangles) {
                    packet.close(packer, &mut run)?;
                }
                packet.add(&triangles, number + 1 == pairs.len());
                let node = run.nodes.len() as u32;
                let node_type = type_of_pair(packet.pairs.len() as u8 - 1);
                if number == 0 {
                    run.starts.push(RangeStart { node, node_type, length: 0 });
                }
                let pointer = node << 4 | u32::from(node_type);
                run.pointers.extend(std::iter::repeat_n(pointer, items.len()));
            }
        }
        packet.close(packer, &mut run)?;
        place += family.len();
    }
    Ok(run)
}

/// A triangle of a pair, with its number in the structure.
type Member<'a> = (&'a Triangle, u32, PrimitiveFlags);

/// A node being filled.
#[derive(Default)]
struct Packet {
    vertices: Vec<Vertex>,
    pairs: Vec<PairDescriptor>,
    ids: Vec<u32>,
    triangles: usize,
}

impl Packet {
    /// Whether a pair still has room; it has in an empty node.
    fn fits(&self, pair: &[Member<'_>]) -> bool {
        if self.pairs.is_empty() {
            return true;
        }
        let mut vertices = self.vertices.clone();
        let mut ids = self.ids.clone();
        for (triangle, id, _) in pair {
            triangle.to_bits().iter().for_each(|vertex| {
                index_of(&mut vertices, vertex);
            });
            ids.push(*id);
        }
        has_room(self.pairs.len() + 1, vertices.len(), &ids)
    }

    fn add(&mut self, pair: &[Member<'_>], stops: bool) {
        let mut descriptor = PairDescriptor {
            prim_range_stop: stops,
            triangles: [TriangleDescriptor::default(); 2],
        };
        for (&(triangle, _, flags), described) in pair.iter().zip(&mut descriptor.triangles) {
            *described = TriangleDescriptor {
                indices: triangle.to_bits().map(|vertex| index_of(&mut self.vertices, &vertex)),
                double_sided: flags.contains(PrimitiveFlags::DOUBLE_SIDED),
                opaque: flags.contains(PrimitiveFlags::OPAQUE),
            };
        }
        // A single triangle has its id twice.
        let ids = pair.iter().map(|&(_, id, _)| id).cycle().take(2);
        self.ids.extend(ids);
        self.pairs.push(descriptor);
        self.triangles += pair.len();
    }

    /// Writes the node, and begins the next.
    fn close(&mut self, packer: &RunPacker<'_>, run: &mut PackedRun) -> Result<(), EncodeError> {
        let packet = std::mem::take(self);
        if packet.pairs.is_empty() {
            return Ok(());
        }
        let node = packer.named(run.nodes.len(), packet.write())?;
        run.stored.add_node(node.bits(), packet.triangles);
        run.nodes.push(*node.bits());
        Ok(())
    }

    fn write(&self) -> Result<PrimitiveNode, PackError> {
        let [base, payload] = id_widths(&self.ids);
        let pairs = self.pairs.len();
        let id_bits = usize::from(base) + (2 * pairs - 1) * usize::from(payload);
        let header = PrimitiveHeader {
            vertex_bits: [32; 3],
            trailing_zeros: 0,
            // Half of this stands there: the number of vertices, less one.
            geometry_base_bits: 2 * (self.vertices.len() as u8 - 1),
            geometry_payload_bits: 0,
            pair_count: pairs as u8,
            vertex_type: false,
            primitive_base_bits: base,
            primitive_payload_bits: payload,
            midpoint: (NODE_BITS - PAIR_DESCRIPTOR_BITS * pairs - id_bits) as u16,
        };
        let ids: Vec<Option<u32>> = self.ids.iter().copied().map(Some).collect();
        let contents = PrimitiveContents {
            header,
            vertices: &self.vertices,
            primitive_ids: &ids,
            geometry_ids: &[],
            pairs: &self.pairs,
        };
        contents.pack()
    }
}

/// Whether a node holds so many pairs and vertices, and these ids.
fn has_room(pairs: usize, vertices: usize, ids: &[u32]) -> bool {
    let [base, payload] = id_widths(ids).map(usize::from);
    let id_bits = base + (2 * pairs - 1) * payload;
    let bits = PRIMITIVE_HEADER_BITS + 96 * vertices + PAIR_DESCRIPTOR_BITS * pairs + id_bits;
    pairs < PAIR_LIMIT && vertices < VERTEX_LIMIT && bits <= NODE_BITS
}

/// The place of a vertex, which is added if it is new.
fn index_of(vertices: &mut Vec<Vertex>, vertex: &Vertex) -> u8 {
    let known = vertices.iter().position(|other| other == vertex);
    known.unwrap_or_else(|| {
        vertices.push(*vertex);
        vertices.len() - 1
    }) as u8
}

/// Bits of the first id, and of where the others differ from it.
fn id_widths(ids: &[u32]) -> [u8; 2] {
    let first = ids.first().copied().unwrap_or(0);
    let spread = ids.iter().fold(0, |spread, id| spread | (id ^ first));
    [first, spread].map(|value| (32 - value.leading_zeros()) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::decode::{Memory, Pairs, Stored, split_key, stored};

    /// HIPRT's own dump, whose triangles have no vertex in common, begins nodes where they are
    /// full.
    #[test]
    fn nodes_of_the_dump_are_full() {
        let dump = include_bytes!("../../tests/vectors/hiprt-cornell-bvh8.bin");
        let image = crate::dump::read(dump, None).unwrap().image;
        let memory = Memory::new(&image);
        let checked = check(image.clone()).checked.unwrap();
        let surveyed = &checked.proof().survey().structures[0];
        let pairs = Pairs::new(&memory, surveyed);
        let mut seen = [0, 0];
        for number in 0..surveyed.boxes.len() as u32 {
            let mut node = None;
            let mut ids = Vec::new();
            let leaves = surveyed.leaves.iter().filter(|leaf| leaf.parent == number);
            for &key in leaves.flat_map(|leaf| &pairs.keys()[pairs.of_leaf(leaf)]) {
                let (offset, pair) = split_key(key);
                let bits = memory.node(surveyed.structure.primitive_base + offset).unwrap();
                let held = stored(&surveyed.structure.primitive_node(&bits), pair);
                let [Some(Stored::Triangle(_, id)), None] = held else {
                    panic!("one triangle a pair");
                };
                ids.extend([id.primitive; 2]);
                let count = ids.len() / 2;
                let has_room = has_room(count, 3 * count, &ids);
                let goes_on = node == Some(offset);
                assert!(node.is_none() || goes_on == has_room, "box {number}, pair {count}");
                if !goes_on {
                    ids.drain(..ids.len() - 2);
                }
                node = Some(offset);
                seen[usize::from(goes_on)] += 1;
            }
        }
        assert_eq!(seen, [15, 17], "nodes, and pairs that joined one");
    }
}
