//! A primitive node as RADV fills it: pairs of one box, everything packed low.
//!
//! Differences from [`super::triangle_fill`]:
//!
//! * vertices are the same if they compare equal, so +0 and -0 are, and NaN never is;
//! * vertices are stored by their position in their pairs: all first vertices, all second ones, and
//!   so on (0..=2 are those of triangle 0, 3..=5 those of triangle 1);
//! * the payload quirk (G-23): on an axis on which all vertices of some pair equal the node's first
//!   vertex, no prefix is found and the payload has all bits above the trailing zeros;
//! * `M = 52 + prefixes + vertices + geometry ids`; a missing second triangle repeats the first's
//!   ids.
//!
//! Of two vertices that are the same, the one in the lower pair is stored; Mesa keeps the one that
//! was assigned first, which changes the order of vertices and nothing else. Source: Mesa's
//! `encode_triangles_gfx12.comp`.

use crate::layout::{
    PackError, PairDescriptor, PrimitiveContents, PrimitiveHeader, PrimitiveNode,
    TriangleDescriptor,
};
use geometry::{Triangle, Vec3};
use tree::{PrimitiveFlags, PrimitiveId};

/// Most unique vertices of a node.
const MAX_VERTICES: usize = 15;
const NODE_BITS: usize = 1024;

/// One or two triangles with their ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RadvPair<'a> {
    pub(crate) first: (&'a Triangle, PrimitiveId),
    pub(crate) second: Option<(&'a Triangle, PrimitiveId)>,
}

impl RadvPair<'_> {
    /// Vertices by position.
    fn corners(&self) -> impl Iterator<Item = (usize, Vec3)> {
        let second = self.second.map(|second| second.0.vertices);
        let corners = self.first.0.vertices.into_iter().chain(second.into_iter().flatten());
        corners.enumerate()
    }

    fn triangles(&self) -> [Option<(&Triangle, PrimitiveId)>; 2] {
        [Some(self.first), self.second]
    }
}

/// Where everything of a node lies.
#[derive(Debug, Clone)]
pub(crate) struct RadvLayout {
    pub(crate) header: PrimitiveHeader,
    pub(crate) vertices: Vec<[u32; 3]>,
    /// Vertex numbers by pair and position.
    indices: Vec<[u8; 6]>,
    /// Bits in all; more than a node has where it does not fit.
    pub(crate) size: usize,
}

/// The layout of some pairs, in the order of their slots; `None` for too many vertices or pairs.
pub(crate) fn layout(pairs: &[RadvPair<'_>]) -> Option<RadvLayout> {
    if pairs.is_empty() || pairs.len() > 8 {
        return None;
    }
    let (vertices, indices) = number_vertices(pairs)?;
    let any = vertices.iter().flatten().fold(0, |any, word| any | word);
    let trailing_zeros = any.trailing_zeros().min(31) as u8;
    let source = pairs[0].first.0.vertices[0].to_array().map(f32::to_bits);
    let vertex_bits = std::array::from_fn(|axis| {
        let spreads = pairs.iter().map(|pair| {
            let words = pair.corners().map(|(_, corner)| corner[axis].to_bits());
            words.fold(0, |spread, word| spread | (word ^ source[axis]))
        });
        // A pair without any difference counts as one that differs in every bit.
        let widest = spreads.map(|spread| if spread == 0 { 32 } else { bit_length(spread) }).max();
        widest.unwrap_or(32).saturating_sub(trailing_zeros).max(1)
    });
    let base = pairs[0].first.1;
    let ids = || pairs.iter().flat_map(RadvPair::triangles).flatten().map(|triangle| triangle.1);
    let geometries = ids().fold(0, |spread, id| spread | (id.geometry ^ base.geometry));
    let primitives = ids().fold(0, |spread, id| spread | (id.primitive ^ base.primitive));
    let mut header = PrimitiveHeader {
        vertex_bits,
        trailing_zeros,
        geometry_base_bits: bit_length(base.geometry).next_multiple_of(2),
        geometry_payload_bits: bit_length(geometries).next_multiple_of(2),
        pair_count: pairs.len() as u8,
        vertex_type: false,
        primitive_base_bits: bit_length(base.primitive),
        primitive_payload_bits: bit_length(primitives),
        midpoint: 0,
    };
    let geometry_bits = usize::from(header.geometry_base_bits)
        + (2 * pairs.len() - 1) * usize::from(header.geometry_payload_bits);
    let vertices_end = header.first_vertex_bit() + vertices.len() * header.vertex_stride();
    header.midpoint = (vertices_end + geometry_bits).min(NODE_BITS - 1) as u16;
    let size = header.size_in_bits(vertices.len());
    Some(RadvLayout { header, vertices, indices, size })
}

impl RadvLayout {
    /// Whether a node has room for it.
    pub(crate) fn fits(&self) -> bool {
        self.size <= NODE_BITS
    }

    /// The node.
    pub(crate) fn pack(&self, pairs: &[RadvPair<'_>]) -> Result<PrimitiveNode, PackError> {
        write(self.header, &self.vertices, &self.indices, pairs)
    }
}

/// Two single triangles of different boxes in one pair, nothing compressed.
pub(crate) fn merged_singles(pair: &RadvPair<'_>) -> Result<PrimitiveNode, PackError> {
    let header = PrimitiveHeader {
        vertex_bits: [32; 3],
        trailing_zeros: 0,
        geometry_base_bits: 24,
        geometry_payload_bits: 24,
        pair_count: 1,
        vertex_type: false,
        primitive_base_bits: 24,
        primitive_payload_bits: 24,
        midpoint: 676,
    };
    let vertices: Vec<[u32; 3]> =
        pair.corners().map(|(_, corner)| corner.to_array().map(f32::to_bits)).collect();
    write(header, &vertices, &[[0, 1, 2, 3, 4, 5]], &[*pair])
}

/// A triangle alone, where RADV's updates look for its ids: the geometry in bits 356..384, the
/// primitive in 384..412.
pub(crate) fn updatable(
    (triangle, id): (&Triangle, PrimitiveId),
) -> Result<PrimitiveNode, PackError> {
    let header = PrimitiveHeader {
        vertex_bits: [32; 3],
        trailing_zeros: 0,
        geometry_base_bits: 28,
        geometry_payload_bits: 0,
        pair_count: 1,
        vertex_type: false,
        primitive_base_bits: 28,
        primitive_payload_bits: 0,
        midpoint: 384,
    };
    let vertices = triangle.vertices.map(|corner| corner.to_array().map(f32::to_bits));
    let pair = RadvPair { first: (triangle, id), second: None };
    write(header, &vertices, &[[0, 1, 2, 0, 0, 0]], &[pair])
}

fn write(
    header: PrimitiveHeader,
    vertices: &[[u32; 3]],
    indices: &[[u8; 6]],
    pairs: &[RadvPair<'_>],
) -> Result<PrimitiveNode, PackError> {
    let descriptors: Vec<PairDescriptor> = pairs
        .iter()
        .zip(indices)
        .map(|(pair, indices)| PairDescriptor {
            prim_range_stop: true,
            triangles: std::array::from_fn(|which| match pair.triangles()[which] {
                None => TriangleDescriptor::default(),
                Some((_, id)) => TriangleDescriptor {
                    indices: std::array::from_fn(|k| indices[3 * which + k]),
                    double_sided: id.flags.contains(PrimitiveFlags::DOUBLE_SIDED),
                    opaque: id.flags.contains(PrimitiveFlags::OPAQUE),
                },
            }),
        })
        .collect();
    let ids = || pairs.iter().flat_map(|pair| [pair.first.1, pair.second.unwrap_or(pair.first).1]);
    let primitive_ids: Vec<Option<u32>> = ids().map(|id| Some(id.primitive)).collect();
    let geometry_ids: Vec<Option<u32>> = ids().map(|id| Some(id.geometry)).collect();
    let contents = PrimitiveContents {
        header,
        vertices,
        primitive_ids: &primitive_ids,
        geometry_ids: &geometry_ids,
        pairs: &descriptors,
    };
    contents.pack()
}

/// The stored vertices, and the numbers of each pair's vertices.
type Numbered = (Vec<[u32; 3]>, Vec<[u8; 6]>);

/// Finds which vertices are stored, and their numbers.
fn number_vertices(pairs: &[RadvPair<'_>]) -> Option<Numbered> {
    // For each vertex, the pair and position where the one that stands for it is kept.
    let mut owners: Vec<Vec<(usize, usize)>> = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let corners: Vec<Vec3> = pair.corners().map(|(_, corner)| corner).collect();
        let mut own: Vec<(usize, usize)> = Vec::with_capacity(6);
        for (position, corner) in corners.iter().enumerate() {
            let stored = pairs[..number].iter().enumerate().find_map(|(lower, pair)| {
                let same = pair.corners().filter(|(_, other)| other == corner);
                let kept = same.filter(|&(k, _)| owners[lower][k] == (lower, k));
                kept.last().map(|(k, _)| (lower, k))
            });
            // Within a pair, triangle 1 shares what triangle 0 has.
            let in_pair = || {
                let same = (0..3).rev().find(|&k| position >= 3 && corners[k] == *corner);
                same.map(|k| own[k])
            };
            own.push(stored.or_else(in_pair).unwrap_or((number, position)));
        }
        // Three indices 0 would say that there is no triangle 1.
        if own.len() == 6 && own[3..].iter().all(|&owner| owner == (0, 0)) {
            own[3] = (number, 3);
        }
        owners.push(own);
    }
    let mut vertices = Vec::new();
    let mut numbers = vec![[0u8; 6]; pairs.len()];
    let by_position =
        (0..6).flat_map(|position| (0..pairs.len()).map(move |pair| (position, pair)));
    for (position, pair) in by_position {
        if let Some((_, corner)) = pairs[pair].corners().nth(position)
            && owners[pair][position] == (pair, position)
        {
            numbers[pair][position] = vertices.len() as u8;
            vertices.push(corner.to_array().map(f32::to_bits));
        }
    }
    if vertices.len() > MAX_VERTICES {
        return None;
    }
    let indices = owners
        .iter()
        .map(|own| {
            let mut indices = [0; 6];
            for (index, &(pair, position)) in indices.iter_mut().zip(own) {
                *index = numbers[pair][position];
            }
            indices
        })
        .collect();
    Some((vertices, indices))
}

fn bit_length(value: u32) -> u8 {
    (32 - value.leading_zeros()) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(n: u8) -> Vec3 {
        Vec3::new(f32::from(n & 1), f32::from(n >> 1), 1.0)
    }

    /// The compressed quad, with the payload quirk on z.
    #[test]
    fn the_quad_takes_181_bits() {
        let id = |primitive| PrimitiveId { geometry: 0, primitive, flags: PrimitiveFlags::OPAQUE };
        let first = Triangle::new(corner(0), corner(1), corner(2));
        let second = Triangle::new(corner(2), corner(1), corner(3));
        let pair = RadvPair { first: (&first, id(4)), second: Some((&second, id(5))) };
        let layout = layout(&[pair]).unwrap();
        assert_eq!((layout.header.vertex_bits, layout.size), ([7, 7, 9], 181));
        assert_eq!((layout.header.midpoint, layout.vertices.len()), (148, 4));
        let node = layout.pack(&[pair]).unwrap();
        assert_eq!((node.triangle(0, 0), node.triangle(0, 1)), (first, second));
        assert_eq!((node.primitive_id(0), node.primitive_id(1)), (4, 5));
    }

    #[test]
    fn merged_singles_lie_where_the_table_says() {
        let id = |primitive| PrimitiveId { geometry: 7, primitive, flags: PrimitiveFlags::empty() };
        let first = Triangle::new(corner(0), corner(1), corner(2));
        let second = Triangle::new(corner(3), corner(3), corner(3));
        let pair = RadvPair { first: (&first, id(99)), second: Some((&second, id(1 << 20))) };
        let node = merged_singles(&pair).unwrap();
        assert_eq!(node.header().midpoint, 676);
        assert_eq!((node.triangle(0, 1), node.primitive_id(1)), (second, 1 << 20));
        assert_eq!((node.geometry_id(0), node.geometry_id(1)), (7, 7));
    }
}
