//! One ray against the triangles of a leaf, by the watertight rule.

use crate::vector::active_ray::ActiveRay;
use crate::vector::triangles::{corner, greatest3, least3, limit};
use std::arch::x86_64::*;

/// The triangles of a leaf that the ray may hit no farther than the end of its range: bit `i` for
/// triangle `i`.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of
/// coordinates.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn candidates(leaf: *const u8, count: usize, slot: &ActiveRay) -> u8 {
    let row = 4 * count;
    // SAFETY: POINTER-PROVED, LEAF-ROOM. The rows of a corner lie three rows behind those of the
    // one before.
    let (a, b, c) = unsafe {
        (
            corner(leaf, row, &slot.triangle_ray),
            corner(leaf.add(3 * row), row, &slot.triangle_ray),
            corner(leaf.add(6 * row), row, &slot.triangle_ray),
        )
    };
    let u = _mm256_sub_ps(_mm256_mul_ps(c.x, b.y), _mm256_mul_ps(c.y, b.x));
    let v = _mm256_sub_ps(_mm256_mul_ps(a.x, c.y), _mm256_mul_ps(a.y, c.x));
    let w = _mm256_sub_ps(_mm256_mul_ps(b.x, a.y), _mm256_mul_ps(b.y, a.x));
    let zero = _mm256_setzero_ps();
    let not_negative = _mm256_cmp_ps::<_CMP_NLT_UQ>(least3(u, v, w), zero);
    let not_positive = _mm256_cmp_ps::<_CMP_NGT_UQ>(greatest3(u, v, w), zero);
    // The parameter of a hit is a mean of the corners' depths.
    let limit = _mm256_set1_ps(limit(slot));
    let is_near = _mm256_cmp_ps::<_CMP_LE_OQ>(least3(a.z, b.z, c.z), limit);
    let is_ahead = _mm256_cmp_ps::<_CMP_GE_OQ>(greatest3(a.z, b.z, c.z), zero);
    let met =
        _mm256_and_ps(_mm256_or_ps(not_negative, not_positive), _mm256_and_ps(is_near, is_ahead));
    (_mm256_movemask_ps(met) as u32 & ((1 << count) - 1)) as u8
}
