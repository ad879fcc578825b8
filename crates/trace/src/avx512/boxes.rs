//! One ray against the eight boxes of a node, and the children that it meets onto its stack.

use super::slot::Slot;
use crate::world::Node;
use std::arch::x86_64::*;

/// `1 + 16 eps`: how far the exit of a box is widened. The reference test needs `1 + 4 eps`; the rest covers
/// the roundings of this one, and `t` of triangles that are clamped or split (see `docs/trace.md`).
pub(super) const WIDEN: f32 = 1.0 + 16.0 * f32::EPSILON;

/// `2^-118`, for products near the bottom of the exponent range.
pub(super) const TINY: f32 = f32::from_bits(0x0480_0000);

/// Permutations that bring near planes into the lower half: one for each axis.
pub(super) type Swaps = [__m512i; 3];

/// The permutations of an octant.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn swaps(octant: u32) -> Swaps {
    let straight = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let swapped = _mm512_xor_si512(straight, _mm512_set1_epi32(8));
    [0, 1, 2].map(|axis| if octant >> axis & 1 == 1 { swapped } else { straight })
}

/// Tests the children of `node` and pushes those that the ray meets, the nearest last.
///
/// # Safety
/// The slot's stack must have room for eight more entries.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt")]
#[inline]
pub(super) unsafe fn push_children(node: &Node, slot: &mut Slot, swaps: &Swaps, octant: usize) {
    // SAFETY: arrays of 16 and 8 words are read as vectors of that size.
    let (ends, children, order) = unsafe {
        let axis = |axis: usize| {
            let planes = _mm512_load_ps(node.planes[axis].as_ptr().cast());
            let near_first = _mm512_permutexvar_ps(swaps[axis], planes);
            let inverse = _mm512_load_ps(slot.inverse[axis].as_ptr());
            _mm512_fmsub_ps(near_first, inverse, _mm512_load_ps(slot.offset[axis].as_ptr()))
        };
        let range = _mm512_load_ps(slot.range.as_ptr());
        let ends = _mm512_max_ps(_mm512_max_ps(axis(0), axis(1)), _mm512_max_ps(axis(2), range));
        let children = _mm256_load_si256(node.children.as_ptr().cast());
        (ends, children, _mm256_set1_epi32(node.orders[octant] as i32))
    };
    // Only the lowest three bits of an index count.
    let order = _mm256_srlv_epi32(order, _mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21));
    let enter = _mm512_castps512_ps256(ends);
    let minus_exit = _mm512_extractf32x8_ps::<1>(ends);
    let excess = _mm256_fmadd_ps(minus_exit, _mm256_set1_ps(WIDEN), enter);
    let excess = _mm256_permutexvar_ps(order, excess);
    let met = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(excess, _mm256_set1_ps(TINY));
    let enter = _mm256_maskz_compress_ps(met, _mm256_permutexvar_ps(order, enter));
    let children = _mm256_maskz_compress_epi32(met, _mm256_permutexvar_epi32(order, children));
    // SAFETY: the caller promises room for eight entries.
    unsafe {
        _mm256_storeu_ps(slot.depths.add(slot.height as usize), enter);
        _mm256_storeu_si256(slot.pointers.add(slot.height as usize).cast(), children);
    }
    slot.height += met.count_ones();
}

/// Drops the entries of a slot's stack that begin beyond `t`.
///
/// # Safety
/// The slot's stack must have room for eight more entries.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt")]
pub(super) unsafe fn drop_beyond(slot: &mut Slot, t: f32) {
    let limit = _mm256_set1_ps(t * WIDEN + TINY);
    let (mut read, mut kept) = (0, 0);
    while read < slot.height {
        let left = (slot.height - read).min(8);
        // SAFETY: entries up to the height are there, and the caller promises eight more. What is
        // written lies no higher than what has been read.
        unsafe {
            let depths = _mm256_loadu_ps(slot.depths.add(read as usize));
            let pointers = _mm256_loadu_si256(slot.pointers.add(read as usize).cast());
            let near = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(depths, limit) & ((1u32 << left) - 1) as u8;
            _mm256_storeu_ps(
                slot.depths.add(kept as usize),
                _mm256_maskz_compress_ps(near, depths),
            );
            _mm256_storeu_si256(
                slot.pointers.add(kept as usize).cast(),
                _mm256_maskz_compress_epi32(near, pointers),
            );
            kept += near.count_ones();
        }
        read += left;
    }
    slot.height = kept;
}
