//! Pair descriptor: which vertices form the two triangles of a pair, 29 bits.
//!
//! Descriptor `p` of a primitive node lies at bits `1024 - 29 (p + 1) .. 1024 - 29 p`. An absent
//! triangle 1 has three indices 0: the degenerate triangle (v0, v0, v0). A procedural has
//! v0 = v1 = 15. Sources: GPURT, Mesa, captured vectors.
//!
//! ```
//! use gfx12::layout::PairDescriptor;
//! let pair = PairDescriptor::from_raw(0x0A86_0001);
//! assert!(pair.prim_range_stop);
//! assert_eq!(pair.triangles[0].indices, [3, 4, 5]);
//! assert!(pair.triangles[1].is_absent());
//! assert_eq!(pair.to_raw(), 0x0A86_0001);
//! ```

use super::Bits;
use machine::fields::Show;

machine::fields! {
    /// The two triangles of a pair.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    #[source = "GPURT, Mesa, captured vectors"]
    pub struct PairDescriptor: 1 words {
        /// Whether the range of pairs ends here.
        pub prim_range_stop: bool = 0..1;
        /// Triangles 0 and 1.
        pub triangles: [TriangleDescriptor; 2] = 15..29 | 1..15;
    }
}

machine::fields! {
    /// One triangle of a pair.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
    #[source = "GPURT, Mesa, captured vectors"]
    pub struct TriangleDescriptor: 1 words {
        /// Face culling leaves it alone (G-16).
        pub double_sided: bool = 0..1;
        /// Counts as opaque unless forced otherwise.
        pub opaque: bool = 1..2;
        /// Vertex indices v0, v1, v2 within the node, 4 bits each.
        pub indices: [u8; 3] = 2..14, Show::Whole(indices_text);
    }
}

/// Three indices of four bits.
fn indices_text(raw: u64) -> String {
    let [v0, v1, v2] = [0, 4, 8].map(|shift| raw >> shift & 0xF);
    match [v0, v1] {
        [15, 15] => "procedural".to_owned(),
        _ => format!("vertices {v0}, {v1}, {v2}"),
    }
}

/// Bits of a descriptor.
pub const PAIR_DESCRIPTOR_BITS: usize = 29;

impl PairDescriptor {
    /// Reads the low 29 bits.
    #[must_use]
    #[inline]
    pub fn from_raw(raw: u32) -> Self {
        Self::decode(&Bits::from_words([raw]))
    }

    /// The 29 bits.
    #[must_use]
    pub fn to_raw(&self) -> u32 {
        self.encode().word(0)
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_descriptors_round_trip(raw in 0u32..1 << 29) {
            prop_assert_eq!(PairDescriptor::from_raw(raw).to_raw(), raw);
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
            pair.to_raw(),
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
