//! The box test, 16 boxes at a time, with AVX-512 F.

use super::boxes::{BoxGroup, Planes};
use super::vector::box_test;
use geometry::Beam;
use geometry::beam::{Axis, Case, Overlap};
use geometry::slab::{EXIT_BIAS, EXIT_SCALE};
use std::arch::x86_64::*;

/// Which boxes `beam` meets.
#[target_feature(enable = "avx512f")]
pub(super) fn meets(beam: &Beam, groups: &[BoxGroup], met: &mut [u16]) {
    for (group, met) in groups.iter().zip(met) {
        let (lo, hi) = narrow(beam, &group.planes, 0);
        *met = hit_mask(lo, hi);
    }
}

box_test!(
    "avx512f",
    16,
    __m512,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_max_ps,
    _mm512_min_ps
);

/// `lo <= fl(fl(hi * EXIT_SCALE) + EXIT_BIAS)` and `lo < +inf`, a bit for each box; not fused
/// (B-2).
#[target_feature(enable = "avx512f")]
fn hit_mask(lo: __m512, hi: __m512) -> u16 {
    let widened =
        _mm512_add_ps(_mm512_mul_ps(hi, _mm512_set1_ps(EXIT_SCALE)), _mm512_set1_ps(EXIT_BIAS));
    let is_reached = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(lo, widened);
    is_reached & _mm512_cmp_ps_mask::<_CMP_LT_OQ>(lo, _mm512_set1_ps(f32::INFINITY))
}
