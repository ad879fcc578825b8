//! Pair descriptor: which vertices form the two triangles of a pair, 29 bits.
//!
//! | bits | field |
//! |---|---|
//! | 0 | prim_range_stop |
//! | 1 | triangle 1 double sided |
//! | 2 | triangle 1 opaque |
//! | 3..7, 7..11, 11..15 | triangle 1 vertex indices v0, v1, v2 |
//! | 15 | triangle 0 double sided |
//! | 16 | triangle 0 opaque |
//! | 17..21, 21..25, 25..29 | triangle 0 vertex indices v0, v1, v2 |
//!
//! Descriptor `p` of a primitive node lies at bits `1024 - 29 (p + 1) .. 1024 - 29 p`. An absent
//! triangle 1 has three indices 0: the degenerate triangle (v0, v0, v0). A procedural has
//! v0 = v1 = 15. Sources: GPURT, Mesa, captured vectors.
//!
//! ```
//! use gfx12::layout::PairDescriptor;
//! let pair = PairDescriptor::decode(0x0A86_0001);
//! assert!(pair.prim_range_stop);
//! assert_eq!(pair.triangles[0].indices, [3, 4, 5]);
//! assert!(pair.triangles[1].is_absent());
//! assert_eq!(pair.encode(), 0x0A86_0001);
//! ```

use super::Bits;

/// The two triangles of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct PairDescriptor {
    /// Whether the range of pairs ends here.
    pub prim_range_stop: bool,
    /// Triangles 0 and 1.
    pub triangles: [TriangleDescriptor; 2],
}

/// One triangle of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct TriangleDescriptor {
    /// Vertex indices within the node, 0..=15.
    pub indices: [u8; 3],
    /// Face culling leaves it alone (G-16).
    pub double_sided: bool,
    /// Counts as opaque unless forced otherwise.
    pub opaque: bool,
}

/// Bits of a descriptor.
pub const PAIR_DESCRIPTOR_BITS: usize = 29;

/// First bits of triangle 0 and triangle 1.
const TRIANGLE_STARTS: [usize; 2] = [15, 1];

impl PairDescriptor {
    /// Reads the low 29 bits.
    #[must_use]
    pub fn decode(raw: u32) -> Self {
        let bits = Bits::from_words([raw]);
        Self {
            prim_range_stop: bits.flag(0),
            triangles: TRIANGLE_STARTS.map(|start| TriangleDescriptor::decode(&bits, start)),
        }
    }

    /// The 29 bits.
    #[must_use]
    pub fn encode(&self) -> u32 {
        let mut bits = Bits::from_words([0]);
        bits.set_flag(0, self.prim_range_stop);
        for (triangle, start) in self.triangles.iter().zip(TRIANGLE_STARTS) {
            triangle.encode(&mut bits, start);
        }
        bits.word(0)
    }
}

impl TriangleDescriptor {
    /// Whether this is how an absent triangle 1 is written.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.indices == [0; 3]
    }

    /// Whether software, not the triangle test, decides.
    #[must_use]
    pub fn is_procedural(&self) -> bool {
        self.indices[0] == 0xF && self.indices[1] == 0xF
    }

    fn decode(bits: &Bits<1>, start: usize) -> Self {
        Self {
            double_sided: bits.flag(start),
            opaque: bits.flag(start + 1),
            indices: std::array::from_fn(|k| bits.get(start + 2 + 4 * k..start + 6 + 4 * k) as u8),
        }
    }

    fn encode(&self, bits: &mut Bits<1>, start: usize) {
        bits.set_flag(start, self.double_sided);
        bits.set_flag(start + 1, self.opaque);
        for (k, &index) in self.indices.iter().enumerate() {
            bits.set(start + 2 + 4 * k..start + 6 + 4 * k, u32::from(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_descriptors_round_trip(raw in 0u32..1 << 29) {
            prop_assert_eq!(PairDescriptor::decode(raw).encode(), raw);
        }
    }

    #[test]
    fn fields_sit_where_the_table_says() {
        let mut pair = PairDescriptor::default();
        pair.triangles[0] =
            TriangleDescriptor { indices: [1, 2, 3], double_sided: true, opaque: false };
        pair.triangles[1] =
            TriangleDescriptor { indices: [4, 5, 6], double_sided: false, opaque: true };
        assert_eq!(
            pair.encode(),
            3 << 25 | 2 << 21 | 1 << 17 | 1 << 15 | 6 << 11 | 5 << 7 | 4 << 3 | 1 << 2
        );
    }

    #[test]
    fn procedural_by_two_indices() {
        let triangle = |indices| TriangleDescriptor { indices, ..Default::default() };
        assert!(triangle([15, 15, 0]).is_procedural());
        assert!(!triangle([15, 14, 15]).is_procedural());
    }
}
