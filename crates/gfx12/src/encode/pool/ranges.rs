//! The ranges of a pool, and the bits that some of them take together in a node.

use super::super::run::RunPacker;
use super::super::triangle_fill::{MAX_PAIRS, NODE_BITS, tight_header};

/// The ranges of a pool, by position.
#[derive(Debug)]
pub(super) struct Ranges {
    contents: Vec<Contents>,
    /// The distinct vertices of all ranges, one range after another, by number.
    vertices: Vec<u32>,
    /// Where those of each range begin; one more than ranges.
    first_vertices: Vec<u32>,
    /// The ranges at all vertices, one vertex after another.
    incident: Vec<u32>,
    /// Where those of each vertex begin; one more than vertices.
    first_incident: Vec<u32>,
    /// When each vertex was last counted.
    counted: Vec<u32>,
    count: u32,
    vertex_limit: u32,
}

/// What a range holds, as far as it decides how many bits a node takes.
#[derive(Debug, Clone, Copy)]
struct Contents {
    triangles: u32,
    pairs: u32,
    /// Vertex components by axis, the primitive id and the geometry id.
    words: [Bits; 5],
}

/// Bits that are set in any and in all of some words.
#[derive(Debug, Clone, Copy)]
struct Bits {
    any: u32,
    all: u32,
}

impl Bits {
    const NONE: Self = Self { any: 0, all: u32::MAX };

    fn with(self, other: Self) -> Self {
        Self { any: self.any | other.any, all: self.all & other.all }
    }

    /// Bits in which the words differ.
    fn spread(self) -> u32 {
        self.any & !self.all
    }
}

/// Ranges that share a node, at most one a pair.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Members {
    list: [u32; MAX_PAIRS],
    len: u8,
}

impl Members {
    pub(super) fn as_slice(&self) -> &[u32] {
        &self.list[..usize::from(self.len)]
    }

    /// With one more; `None` where there are enough already.
    pub(super) fn with(mut self, range: u32) -> Option<Self> {
        *self.list.get_mut(usize::from(self.len))? = range;
        self.len += 1;
        Some(self)
    }

    /// Without one that is there.
    pub(super) fn without(mut self, range: u32) -> Self {
        if let Some(position) = self.as_slice().iter().position(|&member| member == range) {
            self.len -= 1;
            self.list[position] = self.list[usize::from(self.len)];
        }
        self
    }
}

impl Ranges {
    /// The ranges of some leaves, all of triangles.
    pub(super) fn new(leaves: &[u32], packer: &RunPacker<'_>) -> Self {
        let mut contents = Vec::with_capacity(leaves.len());
        let mut corners: Vec<([u32; 3], u32)> = Vec::new();
        for (range, &leaf) in leaves.iter().enumerate() {
            let items = packer.items(leaf);
            let mut words = [Bits::NONE; 5];
            for &item in items {
                let (triangle, id) = packer.triangle(item);
                for vertex in triangle.vertices {
                    let [x, y, z] = vertex.to_array().map(f32::to_bits);
                    corners.push(([x, y, z], range as u32));
                    let all = [x, y, z, id.primitive, id.geometry];
                    for (bits, word) in words.iter_mut().zip(all) {
                        *bits = bits.with(Bits { any: word, all: word });
                    }
                }
            }
            let triangles = items.len() as u32;
            contents.push(Contents { triangles, pairs: triangles.div_ceil(2), words });
        }
        corners.sort_unstable();
        corners.dedup();
        let mut incident = Vec::with_capacity(corners.len());
        let mut first_incident = Vec::new();
        let mut of_ranges: Vec<(u32, u32)> = Vec::with_capacity(corners.len());
        for (number, vertex) in corners.chunk_by(|a, b| a.0 == b.0).enumerate() {
            first_incident.push(incident.len() as u32);
            incident.extend(vertex.iter().map(|&(_, range)| range));
            of_ranges.extend(vertex.iter().map(|&(_, range)| (range, number as u32)));
        }
        let counted = vec![0; first_incident.len()];
        first_incident.push(incident.len() as u32);
        of_ranges.sort_unstable();
        let mut first_vertices = vec![0; leaves.len() + 1];
        for &(range, _) in &of_ranges {
            first_vertices[range as usize + 1] += 1;
        }
        for range in 0..leaves.len() {
            first_vertices[range + 1] += first_vertices[range];
        }
        Self {
            contents,
            vertices: of_ranges.into_iter().map(|(_, vertex)| vertex).collect(),
            first_vertices,
            incident,
            first_incident,
            counted,
            count: 0,
            vertex_limit: packer.vertex_limit() as u32,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.contents.len()
    }

    /// Triangles of a range.
    pub(super) fn triangles(&self, range: u32) -> u32 {
        self.contents[range as usize].triangles
    }

    /// The ranges that have a vertex in common with one, and itself; once for each vertex.
    pub(super) fn neighbours(&self, range: u32) -> impl Iterator<Item = u32> {
        let own = self.first_vertices[range as usize]..self.first_vertices[range as usize + 1];
        let vertices = &self.vertices[own.start as usize..own.end as usize];
        vertices.iter().flat_map(|&vertex| {
            let [first, end] = [0, 1].map(|k| self.first_incident[vertex as usize + k] as usize);
            self.incident[first..end].iter().copied()
        })
    }

    /// Bits that some ranges take in a node, if it can hold them. At most too many: the first id is
    /// taken for as long as the longest.
    pub(super) fn bits(&mut self, members: &Members) -> Option<u32> {
        self.count += 1;
        let (mut pairs, mut vertices, mut words) = (0, 0, [Bits::NONE; 5]);
        for &range in members.as_slice() {
            let contents = &self.contents[range as usize];
            pairs += contents.pairs;
            for (bits, more) in words.iter_mut().zip(contents.words) {
                *bits = bits.with(more);
            }
            let [first, end] = [0, 1].map(|k| self.first_vertices[range as usize + k] as usize);
            for &vertex in &self.vertices[first..end] {
                let counted = &mut self.counted[vertex as usize];
                vertices += u32::from(*counted != self.count);
                *counted = self.count;
            }
        }
        if pairs as usize > MAX_PAIRS || vertices > self.vertex_limit {
            return None;
        }
        let [x, y, z, primitive, geometry] = words;
        let header = tight_header(
            x.any | y.any | z.any,
            [x, y, z].map(Bits::spread),
            [primitive.any, primitive.spread()],
            [geometry.any, geometry.spread()],
            pairs as usize,
        );
        let bits = header.size_in_bits(vertices as usize);
        (bits <= NODE_BITS).then_some(bits as u32)
    }
}
