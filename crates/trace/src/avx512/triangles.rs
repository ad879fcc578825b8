//! Which triangles of a leaf a ray may hit by the watertight rule.

use crate::vector::active_ray::ActiveRay;
use crate::vector::triangles::{Corners, corner, greatest3, least3, limit};
use std::arch::x86_64::*;

/// The triangles of a leaf that the ray may hit no farther than the end of its range: bit `i` for
/// triangle `i`.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of
/// coordinates.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn candidates(leaf: *const u8, count: usize, slot: &ActiveRay) -> u8 {
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
    let present = ((1u32 << count) - 1) as u8;
    met(&a, &b, &c, present, slot)
}

/// Which of some triangles, those of `present`, the ray may hit no farther than the end of its
/// range.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) fn met(a: &Corners, b: &Corners, c: &Corners, present: u8, slot: &ActiveRay) -> u8 {
    let zero = _mm256_setzero_ps();
    // The parameter of a hit is a mean of the corners' depths. These are known first, so they are
    // asked first.
    let limit = _mm256_set1_ps(limit(slot));
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(present, least3(a.z, b.z, c.z), limit);
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, greatest3(a.z, b.z, c.z), zero);
    let u = _mm256_sub_ps(_mm256_mul_ps(c.x, b.y), _mm256_mul_ps(c.y, b.x));
    let v = _mm256_sub_ps(_mm256_mul_ps(a.x, c.y), _mm256_mul_ps(a.y, c.x));
    let w = _mm256_sub_ps(_mm256_mul_ps(b.x, a.y), _mm256_mul_ps(b.y, a.x));
    let not_negative = _mm256_mask_cmp_ps_mask::<_CMP_NLT_UQ>(mask, least3(u, v, w), zero);
    let not_positive = _mm256_mask_cmp_ps_mask::<_CMP_NGT_UQ>(mask, greatest3(u, v, w), zero);
    not_negative | not_positive
}
