//! The ids of a triangle of a primitive node, as `gfx12::layout::PrimitiveNode` reads them.

use gfx12::layout::{PRIMITIVE_HEADER_BITS, PairDescriptor, PrimitiveHeader, pair_descriptor_bits};
use machine::fields::Field;
use tree::{PrimitiveFlags, PrimitiveId};

/// The ids of triangle `lane` behind the first of a pair, in a proved node.
#[inline]
pub(super) fn id(node: &[u8; 128], first_pair: usize, lane: usize) -> PrimitiveId {
    let header = field(node, 0, PRIMITIVE_HEADER_BITS);
    let part = |field: &Field| {
        let place = &field.places[0];
        (header >> place.start) as usize & ((1 << (place.end - place.start)) - 1)
    };
    let number = 2 * first_pair + lane;
    let middle = part(&PrimitiveHeader::midpoint);
    let (base, payload) = (
        part(&PrimitiveHeader::primitive_base_bits),
        part(&PrimitiveHeader::primitive_payload_bits),
    );
    let start = middle + base + number.saturating_sub(1) * payload;
    let primitive = merged(
        field(node, middle, base),
        if number == 0 { None } else { Some(field(node, start, payload)) },
        base,
        payload,
    );
    let (base, payload) = (
        2 * part(&PrimitiveHeader::geometry_base_bits),
        2 * part(&PrimitiveHeader::geometry_payload_bits),
    );
    let start = middle - base;
    let geometry = merged(
        field(node, start, base),
        if number == 0 { None } else { Some(field(node, start - number * payload, payload)) },
        base,
        payload,
    );
    let descriptor = pair_descriptor_bits(number / 2).start;
    // Its two lowest bits are the flags.
    let bits = field(node, descriptor + PairDescriptor::triangles.element(lane % 2).start, 2);
    let mut flags = PrimitiveFlags::empty();
    flags.set(PrimitiveFlags::DOUBLE_SIDED, bits & 1 == 1);
    flags.set(PrimitiveFlags::OPAQUE, bits & 2 == 2);
    PrimitiveId { geometry, primitive, flags }
}

/// A payload as wide as the base replaces it, a narrower one its low bits.
#[inline(always)]
fn merged(base: u64, payload: Option<u64>, base_bits: usize, payload_bits: usize) -> u32 {
    let value = match payload {
        None => base,
        Some(payload) if payload_bits >= base_bits => payload,
        Some(payload) => base & !((1 << payload_bits) - 1) | payload,
    };
    value as u32
}

/// Up to 56 bits, which lie in the node.
#[inline(always)]
pub(super) fn field(node: &[u8; 128], start: usize, length: usize) -> u64 {
    let byte = (start / 8).min(120);
    let mut word = [0; 8];
    word.copy_from_slice(&node[byte..byte + 8]);
    // A field without bits may start behind the last one.
    u64::from_le_bytes(word) >> ((start - 8 * byte) & 63) & ((1 << length) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gfx12::layout::{NodeBits, PrimitiveHeader, PrimitiveNode};

    /// Random payloads behind headers of all widths that fit.
    #[test]
    fn ids_are_those_of_the_format() {
        let mut state = 7u64;
        let mut next = move |end: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % end
        };
        for _ in 0..2_000 {
            let mut bits =
                NodeBits::from_words(std::array::from_fn(|_| next(1 << 31) as u32 * 2 + 1));
            let header = PrimitiveHeader {
                geometry_base_bits: 2 * next(11) as u8,
                geometry_payload_bits: 2 * next(11) as u8,
                primitive_base_bits: next(21) as u8,
                primitive_payload_bits: next(21) as u8,
                pair_count: 8,
                midpoint: 400,
                ..PrimitiveHeader::decode(&bits.part(0))
            };
            bits.set_part(0..52, &header.encode());
            let (node, bytes) = (PrimitiveNode::decode(&bits), bits.to_bytes());
            for number in 0..16 {
                let PrimitiveId { geometry, primitive, flags } = id(&bytes, number / 2, number % 2);
                assert_eq!(primitive, node.primitive_id(number), "{header:?} {number}");
                assert_eq!(geometry, node.geometry_id(number), "{header:?} {number}");
                let triangle = node.pair(number / 2).triangles[number % 2];
                assert_eq!(flags.contains(PrimitiveFlags::OPAQUE), triangle.opaque);
                assert_eq!(flags.contains(PrimitiveFlags::DOUBLE_SIDED), triangle.double_sided);
            }
        }
    }
}
