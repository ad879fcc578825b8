//! Primitive node (types 0..=3 and 8..=11): up to 8 triangle pairs, bit-packed into 128 bytes.
//!
//! ```text
//! bit 0     52         vertices →  ..  ← geometry ids | M | primitive ids → .. ← descriptors 1024
//! [ header ][ prefixes ][ v0 ][ v1 ]     [ g1 ][ g0 ]    [ p0 ][ p1 ]        [ pair 1 ][ pair 0 ]
//! ```
//!
//! All widths and M come from the [`PrimitiveHeader`]. A component is
//! `prefix << (32 - P) | payload << TZ`. Ids have a base, the value of id 0, and payloads that
//! replace its low bits (or all of it, where the payload is as wide). Id `2 pair + triangle`
//! belongs to a triangle, absent ones included. The vertex count is not stored: any index reads
//! whatever bits lie there, and bits past the end are 0 (G-26). Sources: GPURT, Mesa, a real HIPRT
//! image.
//!
//! ```
//! use gfx12::layout::{NodeBits, PrimitiveNode};
//! let mut words = [0; 32];
//! words[..2].copy_from_slice(&[0x1050_7FFF, 0x000E_1108]);
//! words[4] = 0x0003_F800; // bits 116..148: z of vertex 0
//! words[28] = 0x9282_1370; // ids from bit 900 on
//! let node = PrimitiveNode::decode(&NodeBits::from_words(words));
//! assert_eq!(node.vertex(0), [0, 0, 0x3F80_0000]);
//! assert_eq!((node.primitive_id(0), node.primitive_id(1)), (55, 33));
//! ```

use super::NodeBits;
use super::pair_descriptor::PairDescriptor;
use super::primitive_header::{PrimitiveHeader, pair_descriptor_bits};
use geometry::{Triangle, Vec3};

/// A primitive node: its bits, with the header taken apart. Any 128 bytes are one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrimitiveNode {
    bits: NodeBits,
    header: PrimitiveHeader,
    /// Prefixes, shifted to where they stand in a component.
    prefix: [u32; 3],
    first_vertex_bit: usize,
}

impl PrimitiveNode {
    /// Reads a node.
    #[must_use]
    pub fn decode(bits: &NodeBits) -> Self {
        let header = PrimitiveHeader::decode(&bits.part(0));
        let prefix = std::array::from_fn(|axis| {
            let range = header.prefix_range(axis);
            let above = 32 - range.len() as u32;
            // A prefix of no bits is 0, and shifting by 32 would overflow.
            bits.get(range).checked_shl(above).unwrap_or(0)
        });
        Self { bits: *bits, header, prefix, first_vertex_bit: header.first_vertex_bit() }
    }

    /// All bits of the node.
    #[must_use]
    pub const fn bits(&self) -> &NodeBits {
        &self.bits
    }

    /// The same node without geometry ids: HIPRT has the number of vertices in their place.
    #[must_use]
    pub fn without_geometry_ids(mut self) -> Self {
        (self.header.geometry_base_bits, self.header.geometry_payload_bits) = (0, 0);
        self
    }

    /// The header.
    #[must_use]
    pub const fn header(&self) -> &PrimitiveHeader {
        &self.header
    }

    /// Pairs in the node, 1..=8.
    #[must_use]
    pub fn pair_count(&self) -> usize {
        usize::from(self.header.pair_count)
    }

    /// The descriptor of a pair; beyond the eighth there is none but zeros.
    #[must_use]
    pub fn pair(&self, pair: usize) -> PairDescriptor {
        PairDescriptor::from_raw(if pair < 8 {
            self.bits.get(pair_descriptor_bits(pair))
        } else {
            0
        })
    }

    /// The three components of a vertex, as bit patterns.
    #[must_use]
    pub fn vertex(&self, index: usize) -> [u32; 3] {
        let mut start = self.first_vertex_bit + index * self.header.vertex_stride();
        std::array::from_fn(|axis| {
            let end = start + usize::from(self.header.vertex_bits[axis]);
            let payload = self.bits.get(start..end);
            start = end;
            self.prefix[axis] | payload << self.header.trailing_zeros
        })
    }

    /// A vertex as a point.
    #[must_use]
    pub fn position(&self, index: usize) -> Vec3 {
        Vec3::from_array(self.vertex(index).map(f32::from_bits))
    }

    /// The corners of triangle 0 or 1 of a pair. Meaningless for a procedural.
    #[must_use]
    pub fn triangle(&self, pair: usize, triangle: usize) -> Triangle {
        let indices = self.pair(pair).triangles[triangle & 1].indices;
        Triangle { vertices: indices.map(|index| self.position(usize::from(index))) }
    }

    /// Primitive id `n = 2 pair + triangle`.
    #[must_use]
    pub fn primitive_id(&self, n: usize) -> u32 {
        let base = self.bits.get(self.header.primitive_id_bits(0));
        if n == 0 {
            return base;
        }
        let payload = self.bits.get(self.header.primitive_id_bits(n));
        merge_id(base, payload, self.header.primitive_base_bits, self.header.primitive_payload_bits)
    }

    /// Geometry id `n = 2 pair + triangle`.
    #[must_use]
    pub fn geometry_id(&self, n: usize) -> u32 {
        let base = self.signed_field(self.header.geometry_id_bits(0));
        if n == 0 {
            return base;
        }
        let payload = self.signed_field(self.header.geometry_id_bits(n));
        merge_id(base, payload, self.header.geometry_base_bits, self.header.geometry_payload_bits)
    }

    /// A field whose range may reach below bit 0, where everything is 0.
    fn signed_field(&self, range: std::ops::Range<i32>) -> u32 {
        let missing = (-range.start).max(0) as u32;
        let start = range.start.max(0) as usize;
        let end = range.end.max(0) as usize;
        self.bits.get(start..end.max(start)).checked_shl(missing).unwrap_or(0)
    }
}

/// A payload as wide as the base replaces it, a narrower one replaces its low bits.
fn merge_id(base: u32, payload: u32, base_bits: u8, payload_bits: u8) -> u32 {
    if payload_bits >= base_bits {
        payload
    } else {
        let low = (1u32 << payload_bits) - 1;
        base & !low | payload
    }
}

#[cfg(test)]
mod tests {
    use super::super::PRIMITIVE_HEADER_BITS;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Everything that can be asked of a node has an answer, and the bits stay.
        #[test]
        fn any_bytes_decode(bytes in any::<[u8; 128]>(), index in 0usize..40) {
            let node = PrimitiveNode::decode(&NodeBits::from_bytes(&bytes));
            prop_assert_eq!(node.bits().to_bytes(), bytes);
            let _ = (node.vertex(index), node.primitive_id(index), node.geometry_id(index));
            let _ = (node.pair(index), node.triangle(index, index));
        }

        /// A component as the format defines it, one bit at a time.
        #[test]
        fn components_are_prefix_and_payload(
            bytes in any::<[u8; 128]>(),
            index in 0usize..16,
            axis in 0usize..3,
        ) {
            let bits = NodeBits::from_bytes(&bytes);
            let node = PrimitiveNode::decode(&bits);
            let header = node.header();
            let (prefix, payload) = (header.prefix_range(axis), header.vertex_range(index, axis));
            let mut expected = 0u64;
            for (k, bit) in payload.clone().enumerate() {
                expected |= u64::from(bits.flag(bit)) << (k + usize::from(header.trailing_zeros));
            }
            for (k, bit) in prefix.clone().enumerate() {
                expected |= u64::from(bits.flag(bit)) << (32 - prefix.len() + k);
            }
            prop_assert_eq!(node.vertex(index)[axis], expected as u32);
        }
    }

    #[test]
    fn ids_below_the_first_bit_read_zero() {
        let mut bits = NodeBits::from_words([u32::MAX; 32]);
        let header = PrimitiveHeader {
            geometry_base_bits: 2,
            geometry_payload_bits: 8,
            midpoint: 6,
            ..PrimitiveHeader::decode(&bits.part(0))
        };
        bits.set_part(0..PRIMITIVE_HEADER_BITS, &header.encode());
        bits.set(0..5, 0x1F);
        // Payload 1 covers bits -4..4: four that exist, all ones, above four that do not.
        assert_eq!(PrimitiveNode::decode(&bits).geometry_id(1), 0xF0);
        assert_eq!(PrimitiveNode::decode(&bits).geometry_id(2), 0);
    }

    #[test]
    fn narrow_payloads_replace_low_bits() {
        assert_eq!(merge_id(0b1011_0110, 0b001, 8, 3), 0b1011_0001);
        assert_eq!(merge_id(0b1011_0110, 0, 8, 0), 0b1011_0110);
        assert_eq!(merge_id(0b1011_0110, 0b0000_0001, 8, 8), 1);
        assert_eq!(merge_id(0b10, 0b1_0000, 2, 5), 0b1_0000);
        assert_eq!(merge_id(0, 0, 0, 0), 0);
    }
}
