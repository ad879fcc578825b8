//! The box test, 16 boxes at a time, with AVX-512 F.

use super::boxes::{BoxGroup, GROUP};
use geometry::Beam;
use geometry::beam::{Axis, Case, Overlap};
use geometry::slab::{C, TINY};
use std::arch::x86_64::*;

/// Which boxes `beam` meets.
#[target_feature(enable = "avx512f")]
pub(super) fn meets(beam: &Beam, groups: &[BoxGroup], met: &mut [u16]) {
    for (group, met) in groups.iter().zip(met) {
        let (lo, hi) = narrow(beam, group);
        *met = hit_mask(lo, hi);
    }
}

/// When `beam` is inside each box of a group.
#[target_feature(enable = "avx512f")]
pub(super) fn bounds(beam: &Beam, group: &BoxGroup) -> [Overlap; GROUP] {
    let (mut lo, mut hi) = ([0.0; GROUP], [0.0; GROUP]);
    let (entries, exits) = narrow(beam, group);
    // SAFETY: both arrays have room for 16 floats.
    unsafe {
        _mm512_storeu_ps(lo.as_mut_ptr(), entries);
        _mm512_storeu_ps(hi.as_mut_ptr(), exits);
    }
    std::array::from_fn(|lane| Overlap { lo: lo[lane], hi: hi[lane] })
}

/// `lo` and `hi` of 16 boxes, from lane `first` on.
#[target_feature(enable = "avx512f")]
fn narrow(beam: &Beam, group: &BoxGroup) -> (__m512, __m512) {
    let mut lo = _mm512_set1_ps(beam.tmin());
    let mut hi = _mm512_set1_ps(beam.tmax());
    for (axis, planes) in beam.axes().iter().zip(&group.planes) {
        let (a, b) = products(axis, planes);
        // The candidate comes first: a NaN, and a zero of another sign, leaves the second operand.
        match axis.case {
            Case::Forward => {
                lo = _mm512_max_ps(a, lo);
                hi = _mm512_min_ps(b, hi);
            }
            Case::Backward => {
                lo = _mm512_max_ps(b, lo);
                hi = _mm512_min_ps(a, hi);
            }
            Case::Opening => lo = _mm512_max_ps(b, _mm512_max_ps(a, lo)),
            Case::Closing => hi = _mm512_min_ps(b, _mm512_min_ps(a, hi)),
        }
    }
    (lo, hi)
}

/// `(MIN - oA) * idA` and `(MAX - oB) * idB`.
#[target_feature(enable = "avx512f")]
fn products(axis: &Axis, planes: &[[f32; GROUP]; 2]) -> (__m512, __m512) {
    let [min, max] = planes;
    // SAFETY: 16 floats follow the start of each array.
    let (min, max) = unsafe { (_mm512_loadu_ps(min.as_ptr()), _mm512_loadu_ps(max.as_ptr())) };
    let a = _mm512_sub_ps(min, _mm512_set1_ps(axis.upper_origin));
    let b = _mm512_sub_ps(max, _mm512_set1_ps(axis.lower_origin));
    (
        _mm512_mul_ps(a, _mm512_set1_ps(axis.upper_inverse)),
        _mm512_mul_ps(b, _mm512_set1_ps(axis.lower_inverse)),
    )
}

/// `lo <= fl(fl(hi * C) + TINY)` and `lo < +inf`, a bit for each box; not fused (B-2).
#[target_feature(enable = "avx512f")]
fn hit_mask(lo: __m512, hi: __m512) -> u16 {
    let widened = _mm512_add_ps(_mm512_mul_ps(hi, _mm512_set1_ps(C)), _mm512_set1_ps(TINY));
    let is_reached = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(lo, widened);
    is_reached & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(lo, _mm512_set1_ps(f32::INFINITY))
}
