//! The box test, 8 boxes at a time, with AVX2.

use super::boxes::{BoxGroup, GROUP, Planes};
use super::vector::box_test;
use geometry::Beam;
use geometry::beam::{Axis, Case, Overlap};
use geometry::slab::{EXIT_BIAS, EXIT_SCALE};
use std::arch::x86_64::*;

/// Which boxes `beam` meets.
#[target_feature(enable = "avx2")]
pub(super) fn meets(beam: &Beam, groups: &[BoxGroup], met: &mut [u16]) {
    for (group, met) in groups.iter().zip(met) {
        let (lo, hi) = narrow(beam, &group.planes, 0);
        let low = hit_mask(lo, hi);
        let (lo, hi) = narrow(beam, &group.planes, 8);
        *met = low | hit_mask(lo, hi) << 8;
    }
}

/// When `beam` is inside each box of a group.
#[target_feature(enable = "avx2")]
pub(super) fn bounds(beam: &Beam, group: &BoxGroup) -> [Overlap; GROUP] {
    let [low, high] = [overlaps(beam, &group.planes, 0), overlaps(beam, &group.planes, 8)];
    std::array::from_fn(|lane| if lane < 8 { low[lane] } else { high[lane - 8] })
}

box_test!(
    "avx2",
    8,
    __m256,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_max_ps,
    _mm256_min_ps
);

/// `lo <= fl(fl(hi * EXIT_SCALE) + EXIT_BIAS)` and `lo < +inf`, a bit for each box; not fused
/// (B-2).
#[target_feature(enable = "avx2")]
fn hit_mask(lo: __m256, hi: __m256) -> u16 {
    let widened =
        _mm256_add_ps(_mm256_mul_ps(hi, _mm256_set1_ps(EXIT_SCALE)), _mm256_set1_ps(EXIT_BIAS));
    let is_reached = _mm256_cmp_ps::<_CMP_LE_OQ>(lo, widened);
    let is_finite = _mm256_cmp_ps::<_CMP_LT_OQ>(lo, _mm256_set1_ps(f32::INFINITY));
    _mm256_movemask_ps(_mm256_and_ps(is_reached, is_finite)) as u16
}
