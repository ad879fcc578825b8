//! Header of a primitive node: the widths of everything that is packed behind it, 52 bits.
//!
//! | bits | field |
//! |---|---|
//! | 0..5, 5..10, 10..15 | x_bits - 1, y_bits - 1, z_bits - 1 |
//! | 15..20 | TZ: dropped trailing zero bits, shared by x, y, z |
//! | 20..24 | geometry base bits / 2 |
//! | 24..28 | geometry payload bits / 2 |
//! | 28..31 | pair count - 1 |
//! | 31 | vertex type: 0 = f32, 1 = "unorm16", which nobody uses (G-13) |
//! | 32..37 | primitive base bits |
//! | 37..42 | primitive payload bits |
//! | 42..52 | M, the index midpoint: an absolute bit position |
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
//! use gfx12::layout::{NodeBits, PrimitiveHeader};
//! let mut words = [0; 32];
//! words[..2].copy_from_slice(&[0x1050_7FFF, 0x000E_1108]);
//! let header = PrimitiveHeader::decode(&NodeBits::from_words(words));
//! assert_eq!((header.vertex_bits, header.trailing_zeros, header.pair_count), ([32; 3], 0, 2));
//! assert_eq!((header.geometry_base_bits, header.geometry_payload_bits), (10, 0));
//! assert_eq!((header.primitive_base_bits, header.primitive_payload_bits), (8, 8));
//! assert_eq!(header.midpoint, 900);
//! assert_eq!(header.primitive_id_bits(1), 908..916);
//! ```

use super::NodeBits;
use super::pair_descriptor::PAIR_DESCRIPTOR_BITS;
use std::ops::Range;

/// The header of a primitive node, every bit of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct PrimitiveHeader {
    /// Payload bits of a vertex's x, y, z: 1..=32.
    pub vertex_bits: [u8; 3],
    /// Low bits that are zero in every component and not stored: 0..=31.
    pub trailing_zeros: u8,
    /// Bits of the first geometry id: even, 0..=30.
    pub geometry_base_bits: u8,
    /// Bits of every further geometry id: even, 0..=30.
    pub geometry_payload_bits: u8,
    /// Pairs in the node: 1..=8.
    pub pair_count: u8,
    /// Bit 31; set means a vertex format that nobody uses (G-13).
    pub vertex_type: bool,
    /// Bits of the first primitive id: 0..=31.
    pub primitive_base_bits: u8,
    /// Bits of every further primitive id: 0..=31.
    pub primitive_payload_bits: u8,
    /// Bit position between geometry and primitive ids: 0..=1023.
    pub midpoint: u16,
}

/// Bits of the header.
pub const PRIMITIVE_HEADER_BITS: usize = 52;

impl PrimitiveHeader {
    /// Reads bits 0..52.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        Self {
            vertex_bits: [bits.get(0..5), bits.get(5..10), bits.get(10..15)]
                .map(|width| width as u8 + 1),
            trailing_zeros: bits.get(15..20) as u8,
            geometry_base_bits: bits.get(20..24) as u8 * 2,
            geometry_payload_bits: bits.get(24..28) as u8 * 2,
            pair_count: bits.get(28..31) as u8 + 1,
            vertex_type: bits.flag(31),
            primitive_base_bits: bits.get(32..37) as u8,
            primitive_payload_bits: bits.get(37..42) as u8,
            midpoint: bits.get(42..52) as u16,
        }
    }

    /// Writes bits 0..52. Fields out of range are cut to their width.
    pub fn encode(&self, bits: &mut NodeBits) {
        let Self {
            vertex_bits,
            trailing_zeros,
            geometry_base_bits,
            geometry_payload_bits,
            pair_count,
            vertex_type,
            primitive_base_bits,
            primitive_payload_bits,
            midpoint,
        } = *self;
        for (axis, width) in vertex_bits.into_iter().enumerate() {
            bits.set(5 * axis..5 * axis + 5, u32::from(width.wrapping_sub(1) & 31));
        }
        bits.set(15..20, u32::from(trailing_zeros));
        bits.set(20..24, u32::from(geometry_base_bits / 2));
        bits.set(24..28, u32::from(geometry_payload_bits / 2));
        bits.set(28..31, u32::from(pair_count.wrapping_sub(1) & 7));
        bits.set_flag(31, vertex_type);
        bits.set(32..37, u32::from(primitive_base_bits));
        bits.set(37..42, u32::from(primitive_payload_bits));
        bits.set(42..52, u32::from(midpoint));
    }

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
        let pairs = usize::from(self.pair_count);
        let ids =
            |base: u8, payload: u8| usize::from(base) + (2 * pairs - 1) * usize::from(payload);
        self.first_vertex_bit()
            + vertex_count * self.vertex_stride()
            + ids(self.geometry_base_bits, self.geometry_payload_bits)
            + ids(self.primitive_base_bits, self.primitive_payload_bits)
            + PAIR_DESCRIPTOR_BITS * pairs
    }
}

/// Where the descriptor of a pair (0..=7) lies: from the end of the node downward.
#[must_use]
pub const fn pair_descriptor_bits(pair: usize) -> Range<usize> {
    1024 - PAIR_DESCRIPTOR_BITS * (pair + 1)..1024 - PAIR_DESCRIPTOR_BITS * pair
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_header_round_trips(low: u32, high in 0u32..1 << 20) {
            let mut bits = NodeBits::ZERO;
            bits.set_word(0, low);
            bits.set_word(1, high);
            let mut written = NodeBits::ZERO;
            PrimitiveHeader::decode(&bits).encode(&mut written);
            prop_assert_eq!(written, bits);
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
