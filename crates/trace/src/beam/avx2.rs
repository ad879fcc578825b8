//! The box test, 8 boxes at a time, with AVX2.

use super::boxes::{BoxGroup, GROUP};
use geometry::Beam;
use geometry::beam::{Axis, Case, Overlap};
use geometry::slab::{C, TINY};
use std::arch::x86_64::*;

/// Which boxes `beam` meets.
#[target_feature(enable = "avx2")]
pub(super) fn meets(beam: &Beam, groups: &[BoxGroup], met: &mut [u16]) {
    for (group, met) in groups.iter().zip(met) {
        let (lo, hi) = narrow(beam, group, 0);
        let low = hit_mask(lo, hi);
        let (lo, hi) = narrow(beam, group, 8);
        *met = low | hit_mask(lo, hi) << 8;
    }
}

/// When `beam` is inside each box of a group.
#[target_feature(enable = "avx2")]
pub(super) fn bounds(beam: &Beam, group: &BoxGroup) -> [Overlap; GROUP] {
    let (low, high) = (half(beam, group, 0), half(beam, group, 8));
    std::array::from_fn(|lane| if lane < 8 { low[lane] } else { high[lane - 8] })
}

/// The same for the eight boxes from lane `first` on.
#[target_feature(enable = "avx2")]
pub(super) fn half(beam: &Beam, group: &BoxGroup, first: usize) -> [Overlap; 8] {
    let (mut lo, mut hi) = ([0.0; 8], [0.0; 8]);
    let (entries, exits) = narrow(beam, group, first);
    // SAFETY: both arrays have room for 8 floats.
    unsafe {
        _mm256_storeu_ps(lo.as_mut_ptr(), entries);
        _mm256_storeu_ps(hi.as_mut_ptr(), exits);
    }
    std::array::from_fn(|lane| Overlap { lo: lo[lane], hi: hi[lane] })
}

/// `lo` and `hi` of 8 boxes, from lane `first` on.
#[target_feature(enable = "avx2")]
fn narrow(beam: &Beam, group: &BoxGroup, first: usize) -> (__m256, __m256) {
    let mut lo = _mm256_set1_ps(beam.tmin());
    let mut hi = _mm256_set1_ps(beam.tmax());
    for (axis, planes) in beam.axes().iter().zip(&group.planes) {
        let (a, b) = products(axis, planes, first);
        // The candidate comes first: a NaN, and a zero of another sign, leaves the second operand.
        match axis.case {
            Case::Forward => {
                lo = _mm256_max_ps(a, lo);
                hi = _mm256_min_ps(b, hi);
            }
            Case::Backward => {
                lo = _mm256_max_ps(b, lo);
                hi = _mm256_min_ps(a, hi);
            }
            Case::Opening => lo = _mm256_max_ps(b, _mm256_max_ps(a, lo)),
            Case::Closing => hi = _mm256_min_ps(b, _mm256_min_ps(a, hi)),
        }
    }
    (lo, hi)
}

/// `(MIN - oA) * idA` and `(MAX - oB) * idB`.
#[target_feature(enable = "avx2")]
fn products(axis: &Axis, planes: &[[f32; GROUP]; 2], first: usize) -> (__m256, __m256) {
    let [min, max] = planes;
    assert!(first + 8 <= GROUP);
    // SAFETY: 8 floats follow each of the two places, as asserted.
    let (min, max) = unsafe {
        (_mm256_loadu_ps(min.as_ptr().add(first)), _mm256_loadu_ps(max.as_ptr().add(first)))
    };
    let a = _mm256_sub_ps(min, _mm256_set1_ps(axis.upper_origin));
    let b = _mm256_sub_ps(max, _mm256_set1_ps(axis.lower_origin));
    (
        _mm256_mul_ps(a, _mm256_set1_ps(axis.upper_inverse)),
        _mm256_mul_ps(b, _mm256_set1_ps(axis.lower_inverse)),
    )
}

/// `lo <= fl(fl(hi * C) + TINY)` and `lo < +inf`, a bit for each box; not fused (B-2).
#[target_feature(enable = "avx2")]
fn hit_mask(lo: __m256, hi: __m256) -> u16 {
    let widened = _mm256_add_ps(_mm256_mul_ps(hi, _mm256_set1_ps(C)), _mm256_set1_ps(TINY));
    let is_reached = _mm256_cmp_ps::<_CMP_LE_OQ>(lo, widened);
    let is_finite = _mm256_cmp_ps::<_CMP_LT_OQ>(lo, _mm256_set1_ps(f32::INFINITY));
    _mm256_movemask_ps(_mm256_and_ps(is_reached, is_finite)) as u16
}
