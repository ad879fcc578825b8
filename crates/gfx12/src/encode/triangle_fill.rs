//! A primitive node being filled with triangles, and what it would take to store it.
//!
//! Triangles come one after another; two make a pair. Vertices with equal bits are stored once, in
//! the order in which they come. The size follows from what all vertices and all ids have in
//! common:
//!
//! | quantity | value |
//! |---|---|
//! | TZ | trailing zeros of all components together, at most 31 |
//! | prefix of an axis | leading bits that all vertices share, at most 31 - TZ |
//! | base bits | length of the first id |
//! | payload bits | length of the highest bit in which ids differ |
//!
//! Geometry widths are rounded up to even numbers. The order of the triangles therefore decides
//! nothing but the first ids. Source: GPURT's `PrimitiveStructureEncoder3_1`.
//!
//! The quad of two triangles that share an edge, in 157 bits:
//!
//! ```
//! use geometry::{Triangle, Vec3};
//! use gfx12::encode::TriangleFill;
//! use tree::{PrimitiveFlags, PrimitiveId};
//! let corner = |n: u8| Vec3::new(f32::from(n & 1), f32::from(n >> 1), 1.0);
//! let id = |primitive| PrimitiveId { geometry: 0, primitive, flags: PrimitiveFlags::OPAQUE };
//! let mut fill = TriangleFill::new();
//! assert!(fill.push(&Triangle::new(corner(0), corner(1), corner(2)), id(4)));
//! assert!(fill.push(&Triangle::new(corner(2), corner(1), corner(3)), id(5)));
//! assert_eq!((fill.vertex_count(), fill.size_in_bits()), (4, 157));
//! let node = fill.pack(&[true]).unwrap();
//! assert_eq!((node.header().vertex_bits, node.header().midpoint), ([7, 7, 1], 991));
//! ```

use crate::layout::{
    PAIR_DESCRIPTOR_BITS, PackError, PairDescriptor, PrimitiveContents, PrimitiveHeader,
    PrimitiveNode, TriangleDescriptor,
};
use geometry::Triangle;
use tree::{PrimitiveFlags, PrimitiveId};

/// Bits of a node.
pub(super) const NODE_BITS: usize = 1024;
/// Most pairs of a node.
pub(super) const MAX_PAIRS: usize = 8;
/// Most vertices that siliray's own packing names (G-24).
pub(crate) const DENSE_VERTICES: usize = 15;
/// Most vertices that four bits can name; GPURT uses all of them.
pub(crate) const ALL_VERTICES: usize = 16;

/// A primitive node that is not yet closed.
#[derive(Clone, Copy, Debug)]
pub struct TriangleFill {
    footprint: Footprint,
    /// Slots `2 pair + triangle`; those of absent triangles are `None`.
    slots: [Option<Slot>; 2 * MAX_PAIRS],
}

/// What decides how many bits a node takes, and no more: for trying what would fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Footprint {
    vertices: [[u32; 3]; ALL_VERTICES],
    vertex_count: u8,
    vertex_limit: u8,
    /// Whether each triangle has vertices of its own, with all their bits.
    is_updatable: bool,
    pair_count: u8,
    /// Whether the last pair takes a second triangle.
    pair_is_open: bool,
    /// All components together.
    any_bit: u32,
    /// Bits in which some vertex differs from the first, by axis.
    vertex_spread: [u32; 3],
    /// The first ids, and the bits in which some id differs from them.
    first_primitive: u32,
    primitive_spread: u32,
    first_geometry: u32,
    geometry_spread: u32,
}

/// A triangle in the node.
#[derive(Clone, Copy, Debug)]
struct Slot {
    indices: [u8; 3],
    id: PrimitiveId,
}

impl Default for TriangleFill {
    fn default() -> Self {
        Self::new()
    }
}

impl TriangleFill {
    /// An empty node for at most 15 vertices.
    #[must_use]
    pub fn new() -> Self {
        Self::with_vertex_limit(DENSE_VERTICES)
    }

    /// An empty node for at most so many vertices, 3 to 16.
    pub(crate) fn with_vertex_limit(limit: usize) -> Self {
        Self::starting(Footprint::new(limit))
    }

    /// A node that is as empty as its footprint says.
    pub(crate) fn starting(footprint: Footprint) -> Self {
        Self { footprint, slots: [None; 2 * MAX_PAIRS] }
    }

    /// Adds a triangle to the open pair, or to a new one. `false` and unchanged where it does not
    /// fit.
    #[must_use]
    pub fn push(&mut self, triangle: &Triangle, id: PrimitiveId) -> bool {
        let Some((n, indices)) = self.footprint.push(triangle, id) else { return false };
        self.slots[n] = Some(Slot { indices, id });
        true
    }

    /// Ends the open pair, so that the next triangle starts a new one.
    pub fn close_pair(&mut self) {
        self.footprint.close_pair();
    }

    /// What decides the size so far.
    pub(crate) fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// Pairs so far.
    #[must_use]
    pub fn pair_count(&self) -> usize {
        self.footprint.pair_count()
    }

    /// Vertices so far.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        usize::from(self.footprint.vertex_count)
    }

    /// Whether nothing has been added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.footprint.is_empty()
    }

    /// Bits that the node takes so far.
    #[must_use]
    pub fn size_in_bits(&self) -> usize {
        self.footprint.size_in_bits()
    }

    /// The header of the node so far. Ids lie against the descriptors, as GPURT has them.
    #[must_use]
    pub fn header(&self) -> PrimitiveHeader {
        self.footprint.header()
    }

    /// The finished node. `stops[p]` says whether a range ends with pair `p`.
    ///
    /// # Errors
    /// When an id is too wide; everything else fits by construction.
    pub fn pack(&self, stops: &[bool]) -> Result<PrimitiveNode, PackError> {
        self.pack_with(self.header(), stops)
    }

    /// The finished node with a header of another policy's making.
    pub(crate) fn pack_with(
        &self,
        header: PrimitiveHeader,
        stops: &[bool],
    ) -> Result<PrimitiveNode, PackError> {
        let used = &self.slots[..2 * self.pair_count()];
        let mut pairs = [PairDescriptor::default(); MAX_PAIRS];
        let mut primitive_ids = [None; 2 * MAX_PAIRS];
        let mut geometry_ids = [None; 2 * MAX_PAIRS];
        for (n, slot) in used.iter().enumerate() {
            let Some(Slot { indices, id }) = *slot else { continue };
            pairs[n / 2].triangles[n % 2] = TriangleDescriptor {
                indices,
                double_sided: id.flags.contains(PrimitiveFlags::DOUBLE_SIDED),
                opaque: id.flags.contains(PrimitiveFlags::OPAQUE),
            };
            primitive_ids[n] = Some(id.primitive);
            geometry_ids[n] = Some(id.geometry);
        }
        for (pair, &stop) in pairs.iter_mut().zip(stops) {
            pair.prim_range_stop = stop;
        }
        let contents = PrimitiveContents {
            header,
            vertices: self.footprint.vertices(),
            primitive_ids: &primitive_ids[..used.len()],
            geometry_ids: &geometry_ids[..used.len()],
            pairs: &pairs[..self.pair_count()],
        };
        contents.pack()
    }
}

impl Footprint {
    /// Of an empty node.
    pub(crate) fn new(vertex_limit: usize) -> Self {
        Self {
            vertices: [[0; 3]; ALL_VERTICES],
            vertex_count: 0,
            vertex_limit: vertex_limit as u8,
            is_updatable: false,
            pair_count: 0,
            pair_is_open: false,
            any_bit: 0,
            vertex_spread: [0; 3],
            first_primitive: 0,
            primitive_spread: 0,
            first_geometry: 0,
            geometry_spread: 0,
        }
    }

    /// Of an empty node whose triangles may move anywhere later: nothing is compressed or shared.
    pub(crate) fn updatable(vertex_limit: usize) -> Self {
        let all = u32::MAX;
        let empty = Self::new(vertex_limit);
        Self { is_updatable: true, any_bit: all, vertex_spread: [all; 3], ..empty }
    }

    /// The vertices so far, as bit patterns.
    pub(crate) fn vertices(&self) -> &[[u32; 3]] {
        &self.vertices[..usize::from(self.vertex_count)]
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pair_count == 0
    }

    /// Pairs so far.
    pub(crate) fn pair_count(&self) -> usize {
        usize::from(self.pair_count)
    }

    pub(crate) fn close_pair(&mut self) {
        self.pair_is_open = false;
    }

    /// Adds a triangle: its slot and its vertex indices, or `None` and unchanged where it does not
    /// fit.
    pub(crate) fn push(
        &mut self,
        triangle: &Triangle,
        id: PrimitiveId,
    ) -> Option<(usize, [u8; 3])> {
        let before = *self;
        let added = self.add(triangle, id).filter(|_| self.size_in_bits() <= NODE_BITS);
        if added.is_none() {
            *self = before;
        }
        added
    }

    pub(crate) fn size_in_bits(&self) -> usize {
        if self.is_empty() { 0 } else { self.header().size_in_bits(self.vertices().len()) }
    }

    fn header(&self) -> PrimitiveHeader {
        let pair_count = usize::from(self.pair_count);
        tight_header(
            self.any_bit,
            self.vertex_spread,
            [self.first_primitive, self.primitive_spread],
            [self.first_geometry, self.geometry_spread],
            pair_count,
        )
    }

    /// Adds a triangle without looking at the size.
    fn add(&mut self, triangle: &Triangle, id: PrimitiveId) -> Option<(usize, [u8; 3])> {
        let indices = self.vertex_indices(triangle)?;
        // Three indices 0 in a second triangle mean that there is none.
        let second = self.pair_is_open && indices != [0; 3];
        let pairs = usize::from(self.pair_count);
        // Two indices 15 mean a procedural.
        if !second && pairs == MAX_PAIRS || indices[0] == 15 && indices[1] == 15 {
            return None;
        }
        if pairs == 0 {
            (self.first_primitive, self.first_geometry) = (id.primitive, id.geometry);
        }
        self.primitive_spread |= id.primitive ^ self.first_primitive;
        self.geometry_spread |= id.geometry ^ self.first_geometry;
        self.pair_is_open = !second;
        if second {
            return Some((2 * pairs - 1, indices));
        }
        self.pair_count += 1;
        Some((2 * pairs, indices))
    }

    /// Numbers of the triangle's vertices; new ones are appended.
    fn vertex_indices(&mut self, triangle: &Triangle) -> Option<[u8; 3]> {
        let mut indices = [0; 3];
        for (index, corner) in indices.iter_mut().zip(&triangle.vertices) {
            let bits = corner.to_array().map(f32::to_bits);
            let shared = if self.is_updatable { &[] } else { self.vertices() };
            let known = shared.iter().position(|&vertex| vertex == bits);
            *index = match known {
                Some(known) => known as u8,
                None => self.append_vertex(bits)?,
            };
        }
        Some(indices)
    }

    fn append_vertex(&mut self, bits: [u32; 3]) -> Option<u8> {
        let index = self.vertex_count;
        if index >= self.vertex_limit {
            return None;
        }
        self.vertices[usize::from(index)] = bits;
        self.vertex_count += 1;
        for (axis, word) in bits.into_iter().enumerate() {
            self.any_bit |= word;
            self.vertex_spread[axis] |= word ^ self.vertices[0][axis];
        }
        Some(index)
    }
}

/// The narrowest header: for components with these bits in all and in difference, for the first id
/// of primitives and geometries with the bits in which others differ, and for so many pairs.
pub(super) fn tight_header(
    any_bit: u32,
    vertex_spread: [u32; 3],
    [first_primitive, primitive_spread]: [u32; 2],
    [first_geometry, geometry_spread]: [u32; 2],
    pair_count: usize,
) -> PrimitiveHeader {
    let trailing_zeros = any_bit.trailing_zeros().min(31) as u8;
    let vertex_bits = vertex_spread.map(|spread| {
        let prefix = (spread.leading_zeros() as u8).min(31).min(31 - trailing_zeros);
        32 - trailing_zeros - prefix
    });
    let primitive_base_bits = bit_length(first_primitive);
    let primitive_payload_bits = bit_length(primitive_spread);
    let ids = usize::from(primitive_base_bits)
        + (2 * pair_count).saturating_sub(1) * usize::from(primitive_payload_bits);
    let midpoint = NODE_BITS.saturating_sub(PAIR_DESCRIPTOR_BITS * pair_count + ids);
    PrimitiveHeader {
        vertex_bits,
        trailing_zeros,
        geometry_base_bits: bit_length(first_geometry).next_multiple_of(2),
        geometry_payload_bits: bit_length(geometry_spread).next_multiple_of(2),
        pair_count: pair_count as u8,
        vertex_type: false,
        primitive_base_bits,
        primitive_payload_bits,
        midpoint: midpoint as u16,
    }
}

fn bit_length(value: u32) -> u8 {
    (32 - value.leading_zeros()) as u8
}
