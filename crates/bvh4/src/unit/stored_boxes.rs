//! Four boxes as memory holds them: the test of [`FourBoxes`](super::FourBoxes) on the bytes of a
//! node, for instructions that emulators run by the million. Planes are read where they are needed,
//! and nothing branches on what they say.

use super::UnitSlabRay;
use super::four_boxes::{culled, entries};
use super::slab::Side;
use super::sort::SortEntry;
use crate::layout::{CullFlags, PointerFlags, SortHeuristic};

/// 2^112: how much smaller the exponent of a half makes an f32 that has its bits.
const HALF_SCALE: f32 = f32::from_bits(0x7780_0000);

/// Tests the boxes of an [fp32 node](crate::layout::Fp32BoxNode); unsorted.
#[must_use]
#[inline]
pub fn test_fp32(
    node: &[u8; 128],
    slab: &UnitSlabRay,
    heuristic: SortHeuristic,
    flags: Option<PointerFlags>,
) -> [SortEntry; 4] {
    let plane = |side: Side, axis: usize, slot: usize| {
        f32::from_bits(word(node, 16 + 24 * slot + 12 * side as usize + 4 * axis))
    };
    let children = [0, 4, 8, 12].map(|at| word(node, at));
    let held = [112, 113, 114, 115].map(|at| CullFlags::from_bits_truncate(node[at]));
    entries(&slab.test_all(plane), children, heuristic, culled(held, flags))
}

/// Tests the boxes of an [fp16 node](crate::layout::Fp16BoxNode), which no flags cull; unsorted.
#[must_use]
#[inline]
pub fn test_fp16(node: &[u8; 64], slab: &UnitSlabRay, heuristic: SortHeuristic) -> [SortEntry; 4] {
    // All at once, which takes fewer steps than one by one.
    let mut planes = [0.0; 24];
    for (plane, half) in planes.iter_mut().zip(node[16..].as_chunks::<2>().0) {
        *plane = widened(u16::from_le_bytes(*half));
    }
    let plane = |side: Side, axis: usize, slot: usize| planes[6 * slot + 3 * side as usize + axis];
    let children = [0, 4, 8, 12].map(|at| word(node, at));
    entries(&slab.test_all(plane), children, heuristic, [false; 4])
}

#[inline]
fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// A half as f32, exactly: its bits are moved to their places, and the product repairs the exponent
/// of numbers, subnormals too.
#[inline]
fn widened(half: u16) -> f32 {
    let magnitude = u32::from(half & 0x7FFF) << 13;
    let number = (f32::from_bits(magnitude) * HALF_SCALE).to_bits();
    let is_number = half & 0x7C00 != 0x7C00;
    let bits = if is_number { number } else { magnitude | f32::INFINITY.to_bits() };
    f32::from_bits(bits | u32::from(half & 0x8000) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{Fp16BoxNode, Fp32BoxNode};
    use crate::unit::FourBoxes;
    use geometry::Vec3;
    use half::f16;
    use machine::bits::{HalfNodeBits, NodeBits};
    use proptest::prelude::*;

    #[test]
    fn every_half_is_widened_as_the_library_does() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (widened(bits), f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan());
        }
    }

    /// Numbers that meet at planes, with infinities, NaN and both zeros among them.
    fn number() -> impl Strategy<Value = f32> {
        let odd = [0.0, -0.0, 1.0, -1.0, 2.5, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        prop_oneof![
            3 => proptest::sample::select(odd.to_vec()),
            2 => -4.0f32..4.0,
            1 => any::<u32>().prop_map(f32::from_bits),
        ]
    }

    fn slab() -> impl Strategy<Value = UnitSlabRay> {
        let vector = || [number(), number(), number()];
        (vector(), vector(), number(), any::<u8>()).prop_map(|(origin, inverse, extent, grow)| {
            UnitSlabRay::with_inverse(Vec3::from_array(origin), inverse, extent, grow)
        })
    }

    /// Texts, since NaN is not equal to itself.
    fn same(ours: [SortEntry; 4], plain: [SortEntry; 4]) -> bool {
        format!("{ours:?}") == format!("{plain:?}")
    }

    proptest! {
        #[test]
        fn fp32_boxes_are_those_of_the_decoded_node(
            children: [u32; 4], planes in proptest::array::uniform24(number()), held: u32,
            slab in slab(), heuristic in 0u8..4, flags in proptest::option::of(any::<u16>()),
        ) {
            let mut words = [0; 32];
            words[..4].copy_from_slice(&children);
            words[4..28].copy_from_slice(&planes.map(f32::to_bits));
            words[28] = held;
            let mut bytes = [0; 128];
            for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            let heuristic = heuristic_of(heuristic);
            let flags = flags.map(PointerFlags::from_bits_truncate);
            let node = Fp32BoxNode::decode(&NodeBits::from_words(words));
            let plain = FourBoxes::from(&node).test(&slab, heuristic, flags);
            prop_assert!(same(test_fp32(&bytes, &slab, heuristic, flags), plain));
        }

        #[test]
        fn fp16_boxes_are_those_of_the_decoded_node(
            bytes in any::<[u8; 64]>(), slab in slab(), heuristic in 0u8..4,
        ) {
            let heuristic = heuristic_of(heuristic);
            let node = Fp16BoxNode::decode(&HalfNodeBits::from_bytes(&bytes));
            let plain = FourBoxes::from(&node).test(&slab, heuristic, None);
            prop_assert!(same(test_fp16(&bytes, &slab, heuristic), plain));
        }
    }

    fn heuristic_of(code: u8) -> SortHeuristic {
        [
            SortHeuristic::Closest,
            SortHeuristic::Largest,
            SortHeuristic::Midpoint,
            SortHeuristic::Reserved,
        ][usize::from(code)]
    }
}
