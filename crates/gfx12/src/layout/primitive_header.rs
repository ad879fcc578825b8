//! Header of a primitive node: the widths of everything that is packed behind it, 52 bits.
//!
//! Positions that follow from it:
//!
//! ```text
//! prefix of an axis has P = 32 - TZ - bits bits; the three prefixes start at bit 52
//! vertex v       52 + PX + PY + PZ + v (x_bits + y_bits + z_bits)      x, y, z payload
//! primitive id   base at [M, M + pb), payload n >= 1 at [M + pb + (n-1) pp, + pp)   upward
//! geometry id    base at [M - gb, M), payload n >= 1 at [M - gb - n gp, + gp)       downward
//! ```
//!
//! Sources: GPURT, Mesa, captured vectors. HIPRT stores its vertex count minus 1 in bits 20..28.
//!
//! ```
//! use gfx12::layout::{Bits, PrimitiveHeader};
//! let header = PrimitiveHeader::decode(&Bits::from_words([0x1050_7FFF, 0x000E_1108]));
//! assert_eq!((header.vertex_bits, header.trailing_zeros, header.pair_count), ([32; 3], 0, 2));
//! assert_eq!((header.geometry_base_bits, header.geometry_payload_bits), (10, 0));
//! assert_eq!((header.primitive_base_bits, header.primitive_payload_bits), (8, 8));
//! assert_eq!(header.midpoint, 900);
//! assert_eq!(header.primitive_id_bits(1), 908..916);
//! ```

use super::pair_descriptor::PAIR_DESCRIPTOR_BITS;
use machine::fields::{Halved, MinusOne, Show};
use std::ops::Range;

machine::fields! {
    /// The header of a primitive node, every bit of it.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
    #[source = "GPURT, Mesa, captured vectors"]
    pub struct PrimitiveHeader: 2 words {
        /// Payload bits of a vertex's x, y, z: 1..=32, stored less 1.
        pub vertex_bits: [u8; 3] as MinusOne = 0..15, Show::Each(|raw| format!("{} bits", raw + 1))
            => "bits";
        /// Low bits that are zero in every component and not stored: 0..=31.
        pub trailing_zeros: u8 = 15..20, Show::Each(|raw| format!("{raw} bits dropped")) => "bits";
        /// Bits of the first geometry id: even, 0..=30, stored halved.
        pub geometry_base_bits: u8 as Halved = 20..24, Show::Each(|raw| format!("{} \
            bits", 2 * raw));
        /// Bits of every further geometry id: even, 0..=30, stored halved.
        pub geometry_payload_bits: u8 as Halved = 24..28,
            Show::Each(|raw| format!("{} bits", 2 * raw));
        /// Pairs in the node: 1..=8, stored less 1.
        pub pair_count: u8 as MinusOne = 28..31, Show::Each(pairs_text);
        /// Vertices as f32, or as "unorm16", which nobody uses (G-13).
        pub vertex_type: bool = 31..32,
            Show::Each(|raw| if raw == 0 { "f32" } else { "unorm16" }.to_owned());
        /// Bits of the first primitive id: 0..=31.
        pub primitive_base_bits: u8 = 32..37, Show::Each(|raw| format!("{raw} bits")) => "bits";
        /// Bits of every further primitive id: 0..=31.
        pub primitive_payload_bits: u8 = 37..42, Show::Each(|raw| format!("{raw} bits")) => "bits";
        /// M, the bit position between geometry and primitive ids: 0..=1023.
        pub midpoint: u16 = 42..52, Show::Each(|raw| format!("bit {raw}"));
    }
}

fn pairs_text(stored: u64) -> String {
    let count = stored + 1;
    format!("{count} {}", if count == 1 { "pair" } else { "pairs" })
}

/// Bits that say where ids lie.
pub(crate) const ID_FIELDS: Range<u32> =
    PrimitiveHeader::primitive_base_bits.bits().start..PrimitiveHeader::midpoint.bits().end;

/// Bits of the header.
pub const PRIMITIVE_HEADER_BITS: usize = 52;

impl PrimitiveHeader {
    /// Bits of the prefix that all vertices share on an axis. A header that asks for more than 32
    /// bits in all has none.
    #[must_use]
    pub fn prefix_bits(&self, axis: usize) -> usize {
        32usize.saturating_sub(usize::from(self.trailing_zeros + self.vertex_bits[axis]))
    }

    /// Where the prefix of an axis lies.
    #[must_use]
    pub fn prefix_range(&self, axis: usize) -> Range<usize> {
        let start =
            PRIMITIVE_HEADER_BITS + (0..axis).map(|before| self.prefix_bits(before)).sum::<usize>();
        start..start + self.prefix_bits(axis)
    }

    /// Bits that one vertex takes.
    #[must_use]
    pub fn vertex_stride(&self) -> usize {
        self.vertex_bits.into_iter().map(usize::from).sum()
    }

    /// Where vertex 0 starts.
    #[must_use]
    pub fn first_vertex_bit(&self) -> usize {
        self.prefix_range(2).end
    }

    /// Where the payload of one axis of a vertex lies.
    #[must_use]
    pub fn vertex_range(&self, vertex: usize, axis: usize) -> Range<usize> {
        let before: usize = self.vertex_bits[..axis].iter().map(|&width| usize::from(width)).sum();
        let start = self.first_vertex_bit() + vertex * self.vertex_stride() + before;
        start..start + usize::from(self.vertex_bits[axis])
    }

    /// Where primitive id `n` (2 pair + triangle) lies: the base for 0, else a payload.
    #[must_use]
    pub fn primitive_id_bits(&self, n: usize) -> Range<usize> {
        let (base, payload) =
            (usize::from(self.primitive_base_bits), usize::from(self.primitive_payload_bits));
        let midpoint = usize::from(self.midpoint);
        if n == 0 {
            midpoint..midpoint + base
        } else {
            let start = midpoint + base + (n - 1) * payload;
            start..start + payload
        }
    }

    /// Where geometry id `n` (2 pair + triangle) lies. Bits before the node's first one do not
    /// exist; a malformed header can ask for them, hence the signed positions.
    #[must_use]
    pub fn geometry_id_bits(&self, n: usize) -> Range<i32> {
        let (base, payload) =
            (i32::from(self.geometry_base_bits), i32::from(self.geometry_payload_bits));
        let midpoint = i32::from(self.midpoint);
        if n == 0 {
            midpoint - base..midpoint
        } else {
            let end = midpoint - base - (n as i32 - 1) * payload;
            end - payload..end
        }
    }

    /// Bits that a node with this header and so many vertices needs.
    #[must_use]
    pub fn size_in_bits(&self, vertex_count: usize) -> usize {
        self.first_vertex_bit()
            + vertex_count * self.vertex_stride()
            + self.id_bits()
            + PAIR_DESCRIPTOR_BITS * usize::from(self.pair_count)
    }

    /// Bits of geometry and primitive ids.
    #[must_use]
    pub fn id_bits(&self) -> usize {
        let further = 2 * usize::from(self.pair_count) - 1;
        let ids = |base: u8, payload: u8| usize::from(base) + further * usize::from(payload);
        ids(self.geometry_base_bits, self.geometry_payload_bits)
            + ids(self.primitive_base_bits, self.primitive_payload_bits)
    }
}

/// Where the descriptor of a pair (0..=7) lies: from the end of the node downward.
#[must_use]
pub const fn pair_descriptor_bits(pair: usize) -> Range<usize> {
    1024 - PAIR_DESCRIPTOR_BITS * (pair + 1)..1024 - PAIR_DESCRIPTOR_BITS * pair
}

#[cfg(test)]
mod tests {
    use super::super::Bits;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_header_round_trips(low: u32, high in 0u32..1 << 20) {
            let bits = Bits::from_words([low, high]);
            prop_assert_eq!(PrimitiveHeader::decode(&bits).encode(), bits);
        }
    }

    #[test]
    fn positions_of_the_layouts_in_use() {
        let mut header = PrimitiveHeader {
            vertex_bits: [32; 3],
            trailing_zeros: 0,
            geometry_base_bits: 30,
            geometry_payload_bits: 30,
            pair_count: 1,
            vertex_type: false,
            primitive_base_bits: 31,
            primitive_payload_bits: 31,
            midpoint: 933,
        };
        assert_eq!(header.vertex_range(5, 2).end, 628);
        assert_eq!(header.geometry_id_bits(1), 873..903);
        assert_eq!(header.geometry_id_bits(0), 903..933);
        assert_eq!(header.primitive_id_bits(1), 964..995);
        assert_eq!(pair_descriptor_bits(0), 995..1024);
        header.midpoint = 873;
        assert_eq!(header.primitive_id_bits(2), 935..966);
        assert_eq!(header.geometry_id_bits(2), 783..813);
    }

    #[test]
    fn the_size_of_the_compressed_quad() {
        let header = PrimitiveHeader {
            vertex_bits: [7, 7, 1],
            trailing_zeros: 23,
            geometry_base_bits: 0,
            geometry_payload_bits: 0,
            pair_count: 1,
            vertex_type: false,
            primitive_base_bits: 3,
            primitive_payload_bits: 1,
            midpoint: 991,
        };
        assert_eq!([0, 1, 2].map(|axis| header.prefix_bits(axis)), [2, 2, 8]);
        assert_eq!(header.size_in_bits(4), 157);
        let quirk = PrimitiveHeader { vertex_bits: [7, 7, 9], ..header };
        assert_eq!(quirk.size_in_bits(4), 181);
    }
}
