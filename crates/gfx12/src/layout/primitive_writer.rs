//! Writing a primitive node: header, vertices, ids and descriptors in, 128 bytes out.
//!
//! Where things go is the header's word ([`PrimitiveHeader`]); policies choose it. After writing,
//! everything is read back, so a width too small, a prefix that is not shared, or two fields that
//! overlap are found here and nowhere else.
//!
//! The quad of two triangles that share an edge, packed into 157 bits:
//!
//! ```
//! use gfx12::layout::{PairDescriptor, PrimitiveContents, PrimitiveHeader, TriangleDescriptor};
//! let one = 0x3F80_0000;
//! let contents = PrimitiveContents {
//!     header: PrimitiveHeader {
//!         vertex_bits: [7, 7, 1],
//!         trailing_zeros: 23,
//!         geometry_base_bits: 0,
//!         geometry_payload_bits: 0,
//!         pair_count: 1,
//!         vertex_type: false,
//!         primitive_base_bits: 3,
//!         primitive_payload_bits: 1,
//!         midpoint: 991,
//!     },
//!     vertices: &[[0, 0, one], [one, 0, one], [0, one, one], [one, one, one]],
//!     primitive_ids: &[Some(4), Some(5)],
//!     geometry_ids: &[Some(0), Some(0)],
//!     pairs: &[PairDescriptor {
//!         prim_range_stop: true,
//!         triangles: [[0, 1, 2], [2, 1, 3]]
//!             .map(|indices| TriangleDescriptor { indices, double_sided: false, opaque: true }),
//!     }],
//! };
//! let node = contents.pack().unwrap();
//! assert_eq!(node.bits().words()[..2], [0x000B_80C6, 0x000F_7C23 | 0b0011_1111_0000 << 20]);
//! assert_eq!((node.vertex(3), node.primitive_id(1)), ([one; 3], 5));
//! ```

use super::NodeBits;
use super::pair_descriptor::PairDescriptor;
use super::primitive_header::{PRIMITIVE_HEADER_BITS, PrimitiveHeader, pair_descriptor_bits};
use super::primitive_node::PrimitiveNode;

/// What a primitive node is to hold.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveContents<'a> {
    /// Widths and positions.
    pub header: PrimitiveHeader,
    /// Unique vertices as bit patterns. Prefixes are taken from the first.
    pub vertices: &'a [[u32; 3]],
    /// Id `2 pair + triangle`; `None` for one that is not stored.
    pub primitive_ids: &'a [Option<u32>],
    /// Id `2 pair + triangle`; `None` for one that is not stored.
    pub geometry_ids: &'a [Option<u32>],
    /// The descriptors, as many as the header's pair count.
    pub pairs: &'a [PairDescriptor],
}

/// Why contents do not fit the header that was chosen for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PackError {
    /// The header cannot be written.
    #[error("header field out of range: {0:?}")]
    Header(PrimitiveHeader),
    /// The number of pairs is not the header's.
    #[error("{found} pair descriptors for a header with {expected}")]
    PairCount {
        /// How many were given.
        found: usize,
        /// How many the header announces.
        expected: usize,
    },
    /// A vertex reads back differently.
    #[error("vertex {index} is {expected:08x?} but reads back as {found:08x?}")]
    Vertex {
        /// Which vertex.
        index: usize,
        /// What was to be stored.
        expected: [u32; 3],
        /// What the node holds.
        found: [u32; 3],
    },
    /// A primitive id reads back differently.
    #[error("primitive id {n} is {expected} but reads back as {found}")]
    PrimitiveId {
        /// `2 pair + triangle`.
        n: usize,
        /// What was to be stored.
        expected: u32,
        /// What the node holds.
        found: u32,
    },
    /// A geometry id reads back differently.
    #[error("geometry id {n} is {expected} but reads back as {found}")]
    GeometryId {
        /// `2 pair + triangle`.
        n: usize,
        /// What was to be stored.
        expected: u32,
        /// What the node holds.
        found: u32,
    },
    /// A pair descriptor reads back differently.
    #[error("the descriptor of pair {pair} is overwritten or out of range")]
    Pair {
        /// Which pair.
        pair: usize,
    },
}

impl PrimitiveContents<'_> {
    /// The node that holds exactly these contents; bits that hold none are 0.
    ///
    /// # Errors
    /// Names the first thing that would not read back as given.
    pub fn pack(&self) -> Result<PrimitiveNode, PackError> {
        let expected = usize::from(self.header.pair_count);
        if self.pairs.len() != expected {
            return Err(PackError::PairCount { found: self.pairs.len(), expected });
        }
        let bits = self.write()?;
        let node = PrimitiveNode::decode(&bits);
        self.verify(&node)?;
        Ok(node)
    }

    fn write(&self) -> Result<NodeBits, PackError> {
        let header = &self.header;
        if !in_range(header) {
            return Err(PackError::Header(*header));
        }
        let mut bits = NodeBits::ZERO;
        bits.set_part(0..PRIMITIVE_HEADER_BITS, &header.encode());
        for axis in 0..3 {
            if let Some(first) = self.vertices.first() {
                let range = header.prefix_range(axis);
                let above = 32 - range.len() as u32;
                bits.set(range, first[axis].checked_shr(above).unwrap_or(0));
            }
            for (index, vertex) in self.vertices.iter().enumerate() {
                let range = header.vertex_range(index, axis);
                put_low(&mut bits, range, vertex[axis] >> header.trailing_zeros);
            }
        }
        for (n, id) in stored(self.primitive_ids) {
            put_low(&mut bits, header.primitive_id_bits(n), id);
        }
        for (n, id) in stored(self.geometry_ids) {
            let range = header.geometry_id_bits(n);
            if let (Ok(start), Ok(end)) = (usize::try_from(range.start), usize::try_from(range.end))
            {
                put_low(&mut bits, start..end, id);
            }
        }
        for (pair, descriptor) in self.pairs.iter().enumerate() {
            bits.set(pair_descriptor_bits(pair), descriptor.to_raw());
        }
        Ok(bits)
    }

    fn verify(&self, node: &PrimitiveNode) -> Result<(), PackError> {
        if *node.header() != self.header {
            return Err(PackError::Header(self.header));
        }
        for (index, &expected) in self.vertices.iter().enumerate() {
            let found = node.vertex(index);
            if found != expected {
                return Err(PackError::Vertex { index, expected, found });
            }
        }
        for (n, expected) in stored(self.primitive_ids) {
            let found = node.primitive_id(n);
            if found != expected {
                return Err(PackError::PrimitiveId { n, expected, found });
            }
        }
        for (n, expected) in stored(self.geometry_ids) {
            let found = node.geometry_id(n);
            if found != expected {
                return Err(PackError::GeometryId { n, expected, found });
            }
        }
        match self.pairs.iter().enumerate().find(|&(p, descriptor)| node.pair(p) != *descriptor) {
            Some((pair, _)) => Err(PackError::Pair { pair }),
            None => Ok(()),
        }
    }
}

/// The ids that are to be stored, with their numbers.
fn stored(ids: &[Option<u32>]) -> impl Iterator<Item = (usize, u32)> {
    ids.iter().enumerate().filter_map(|(n, id)| Some((n, (*id)?)))
}

/// Writes the low bits of a value; what is cut off is noticed when it is read back.
fn put_low(bits: &mut NodeBits, range: std::ops::Range<usize>, value: u32) {
    let mask = ((1u64 << range.len()) - 1) as u32;
    bits.set(range, value & mask);
}

/// Whether every field fits its bits.
fn in_range(header: &PrimitiveHeader) -> bool {
    let even = |width: u8| width.is_multiple_of(2) && width <= 30;
    header.vertex_bits.iter().all(|width| (1..=32).contains(width))
        && header.trailing_zeros <= 31
        && even(header.geometry_base_bits)
        && even(header.geometry_payload_bits)
        && (1..=8).contains(&header.pair_count)
        && header.primitive_base_bits <= 31
        && header.primitive_payload_bits <= 31
        && header.midpoint <= 1023
}

#[cfg(test)]
mod tests {
    use super::super::pair_descriptor::TriangleDescriptor;
    use super::*;
    use proptest::prelude::*;

    /// Widths as a plain encoder would choose them, everything packed low.
    fn tight_header(
        vertices: &[[u32; 3]],
        ids: &[u32],
        geometries: &[u32],
        pairs: usize,
    ) -> PrimitiveHeader {
        let bit_length = |x: u32| (32 - x.leading_zeros()) as u8;
        let spread = |values: &[u32]| values.iter().fold(0, |all, v| all | (v ^ values[0]));
        let all = vertices.iter().flatten().fold(0, |all, v| all | v);
        let trailing_zeros = all.trailing_zeros().min(31) as u8;
        let vertex_bits = [0, 1, 2].map(|axis| {
            let column: Vec<u32> = vertices.iter().map(|v| v[axis]).collect();
            bit_length(spread(&column)).saturating_sub(trailing_zeros).max(1)
        });
        let mut header = PrimitiveHeader {
            vertex_bits,
            trailing_zeros,
            geometry_base_bits: bit_length(geometries[0]).next_multiple_of(2),
            geometry_payload_bits: bit_length(spread(geometries)).next_multiple_of(2),
            pair_count: pairs as u8,
            vertex_type: false,
            primitive_base_bits: bit_length(ids[0]),
            primitive_payload_bits: bit_length(spread(ids)),
            midpoint: 0,
        };
        let payloads = (2 * pairs - 1) * usize::from(header.geometry_payload_bits);
        header.midpoint = (header.first_vertex_bit()
            + vertices.len() * header.vertex_stride()
            + usize::from(header.geometry_base_bits)
            + payloads) as u16;
        header
    }

    proptest! {
        #[test]
        fn random_nodes_survive(
            base: [u32; 3],
            low in 1u32..20,
            zeros in 0u32..12,
            offsets in prop::collection::vec(any::<[u32; 3]>(), 1..8),
            ids in prop::collection::vec(0u32..1 << 12, 6),
            geometries in prop::collection::vec(0u32..1 << 4, 6),
            descriptors in prop::collection::vec(0u32..1 << 29, 3),
        ) {
            let keep = (1u32 << low) - 1;
            let vertices: Vec<[u32; 3]> = offsets
                .iter()
                .map(|o| std::array::from_fn(|a| (base[a] ^ (o[a] & keep)) >> zeros << zeros))
                .collect();
            let pairs: Vec<_> = descriptors.into_iter().map(PairDescriptor::from_raw).collect();
            let header = tight_header(&vertices, &ids, &geometries, pairs.len());
            prop_assume!(header.size_in_bits(vertices.len()) <= 1024);
            let contents = PrimitiveContents {
                header,
                vertices: &vertices,
                primitive_ids: &ids.iter().copied().map(Some).collect::<Vec<_>>(),
                geometry_ids: &geometries.iter().copied().map(Some).collect::<Vec<_>>(),
                pairs: &pairs,
            };
            let node = contents.pack().unwrap();
            for (index, vertex) in vertices.iter().enumerate() {
                prop_assert_eq!(node.vertex(index), *vertex);
            }
            for n in 0..6 {
                prop_assert_eq!(node.primitive_id(n), ids[n]);
                prop_assert_eq!(node.geometry_id(n), geometries[n]);
            }
        }
    }

    fn plain(vertices: &[[u32; 3]], midpoint: u16) -> Result<PrimitiveNode, PackError> {
        let header = PrimitiveHeader {
            vertex_bits: [32; 3],
            trailing_zeros: 0,
            geometry_base_bits: 28,
            geometry_payload_bits: 28,
            pair_count: 1,
            vertex_type: false,
            primitive_base_bits: 28,
            primitive_payload_bits: 28,
            midpoint,
        };
        let pairs = [PairDescriptor {
            prim_range_stop: true,
            triangles: [
                TriangleDescriptor { indices: [0, 1, 2], ..Default::default() },
                TriangleDescriptor::default(),
            ],
        }];
        let contents = PrimitiveContents {
            header,
            vertices,
            primitive_ids: &[Some(0x0ABC_DEF1), None],
            geometry_ids: &[Some(7), None],
            pairs: &pairs,
        };
        contents.pack()
    }

    #[test]
    fn radv_single_layout_overlaps_only_where_nothing_is_stored() {
        let node = plain(&[[!0; 3]; 3], 384).unwrap();
        assert_eq!((node.geometry_id(0), node.primitive_id(0)), (7, 0x0ABC_DEF1));
        assert_eq!(node.geometry_id(1) & 0xFFF, 0xFFF, "junk: the last bits of vertex 2");
    }

    #[test]
    fn overlaps_and_lost_bits_are_named() {
        assert!(matches!(plain(&[[!0; 3]; 3], 350), Err(PackError::Vertex { index: 2, .. })));
        assert!(matches!(plain(&[[!0; 3]; 10], 500), Err(PackError::Vertex { .. })));
        assert!(matches!(plain(&[[0; 3]; 3], 980), Err(PackError::PrimitiveId { n: 0, .. })));
        assert!(plain(&[[0; 3]; 3], 20).is_err());
    }
}
