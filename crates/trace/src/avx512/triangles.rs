//! One ray against the triangles of a leaf, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: all triangles in `f32`, and
//! those that are not certainly outside once more in `f64`. What remains are triangles that the rule
//! accepts, with `t`, `u` and `v`; [`own_box`] then applies the second condition of a hit.

use super::boxes::{TINY, WIDEN};
use super::slot::Slot;
use geometry::{SlabRay, Triangle, Vec3, slab};
use std::arch::x86_64::*;

/// Triangles of a leaf that the rule accepts.
pub(super) struct Accepted {
    /// Bit `i`: triangle `i`.
    pub(super) mask: u8,
    /// Ray parameters, not yet clamped.
    pub(super) t: [f32; 8],
    /// Weights of the second corners.
    pub(super) u: [f32; 8],
    /// Weights of the third corners.
    pub(super) v: [f32; 8],
}

/// The triangles of the leaf at `leaf` that the rule accepts no farther than the end of the slot's range.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of coordinates.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt")]
#[inline]
pub(super) unsafe fn accepted(leaf: *const u8, count: usize, slot: &Slot) -> Option<Accepted> {
    let [ox, oy, oz] = slot.sheared_origin.map(|o| _mm256_set1_ps(o));
    let [sx, sy, sz] = slot.shear.map(|s| _mm256_set1_ps(s));
    let corner = |number: usize| {
        let row = |axis: usize| {
            let place = (3 * number + slot.axes[axis] as usize) * count * 4;
            // SAFETY: rows are read whole, and what lies behind the last one may be read too.
            unsafe { _mm256_loadu_ps(leaf.add(place).cast()) }
        };
        let (x, y, z) =
            (_mm256_sub_ps(row(0), ox), _mm256_sub_ps(row(1), oy), _mm256_sub_ps(row(2), oz));
        (_mm256_sub_ps(x, _mm256_mul_ps(sx, z)), _mm256_sub_ps(y, _mm256_mul_ps(sy, z)), z)
    };
    let (ax, ay, az) = corner(0);
    let (bx, by, bz) = corner(1);
    let (cx, cy, cz) = corner(2);
    let u = _mm256_sub_ps(_mm256_mul_ps(cx, by), _mm256_mul_ps(cy, bx));
    let v = _mm256_sub_ps(_mm256_mul_ps(ax, cy), _mm256_mul_ps(ay, cx));
    let w = _mm256_sub_ps(_mm256_mul_ps(bx, ay), _mm256_mul_ps(by, ax));
    let least = _mm256_min_ps(_mm256_min_ps(u, v), w);
    let most = _mm256_max_ps(_mm256_max_ps(u, v), w);
    let zero = _mm256_setzero_ps();
    let negative = _mm256_cmp_ps_mask::<_CMP_LT_OQ>(least, zero);
    let outside = _mm256_mask_cmp_ps_mask::<_CMP_GT_OQ>(negative, most, zero);
    let present = ((1u32 << count) - 1) as u8;
    let mask = present & !outside;
    // The parameter of a hit is a mean of the corners' depths.
    let (az, bz, cz) = (_mm256_mul_ps(sz, az), _mm256_mul_ps(sz, bz), _mm256_mul_ps(sz, cz));
    let nearest = _mm256_min_ps(_mm256_min_ps(az, bz), cz);
    let farthest = _mm256_max_ps(_mm256_max_ps(az, bz), cz);
    let limit = _mm256_set1_ps(slot.range[8] * -WIDEN + TINY);
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, nearest, limit);
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, farthest, zero);
    if mask == 0 {
        return None;
    }
    let [ax, ay, az] = [ax, ay, az].map(|x| _mm512_cvtps_pd(x));
    let [bx, by, bz] = [bx, by, bz].map(|x| _mm512_cvtps_pd(x));
    let [cx, cy, cz] = [cx, cy, cz].map(|x| _mm512_cvtps_pd(x));
    let u = _mm512_sub_pd(_mm512_mul_pd(cx, by), _mm512_mul_pd(cy, bx));
    let v = _mm512_sub_pd(_mm512_mul_pd(ax, cy), _mm512_mul_pd(ay, cx));
    let w = _mm512_sub_pd(_mm512_mul_pd(bx, ay), _mm512_mul_pd(by, ax));
    let zero = _mm512_setzero_pd();
    let least = _mm512_min_pd(_mm512_min_pd(u, v), w);
    let most = _mm512_max_pd(_mm512_max_pd(u, v), w);
    let negative = _mm512_mask_cmp_pd_mask::<_CMP_LT_OQ>(mask, least, zero);
    let outside = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(negative, most, zero);
    let determinant = _mm512_add_pd(_mm512_add_pd(u, v), w);
    let mask = _mm512_mask_cmp_pd_mask::<_CMP_NEQ_OQ>(mask & !outside, determinant, zero);
    let sum = _mm512_add_pd(
        _mm512_add_pd(_mm512_mul_pd(u, az), _mm512_mul_pd(v, bz)),
        _mm512_mul_pd(w, cz),
    );
    let t = _mm512_cvtpd_ps(_mm512_div_pd(sum, determinant));
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, t, _mm256_setzero_ps());
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, t, limit);
    if mask == 0 {
        return None;
    }
    let mut accepted = Accepted { mask, t: [0.0; 8], u: [0.0; 8], v: [0.0; 8] };
    // SAFETY: arrays of eight are written as vectors of eight.
    unsafe {
        _mm256_storeu_ps(accepted.t.as_mut_ptr(), t);
        _mm256_storeu_ps(accepted.u.as_mut_ptr(), _mm512_cvtpd_ps(_mm512_div_pd(v, determinant)));
        _mm256_storeu_ps(accepted.v.as_mut_ptr(), _mm512_cvtpd_ps(_mm512_div_pd(w, determinant)));
    }
    Some(accepted)
}

/// `t` of an accepted triangle, clamped to where the ray is in the triangle's own box: the second
/// condition of a hit ([`geometry::hit`]). `None` if it is nowhere.
///
/// The interval is first formed with origins that are dilated a little less, since they are rounded to
/// nearest. By monotonicity it lies inside the true one, so a `t` in it stays as it is.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, more than `lane`.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt")]
#[inline]
pub(super) unsafe fn own_box(
    leaf: *const u8,
    count: usize,
    lane: usize,
    slot: &Slot,
    t: f32,
) -> Option<f32> {
    // SAFETY: rows of the leaf, as promised.
    let word = |row: usize| unsafe { *leaf.cast::<f32>().add(row * count + lane) };
    let corners: [[f32; 3]; 3] =
        std::array::from_fn(|corner| std::array::from_fn(|axis| word(3 * corner + axis)));
    let [a, b, c] = corners.map(|[x, y, z]| _mm_setr_ps(x, y, z, 0.0));
    // SAFETY: arrays of four are read as vectors of four.
    let (origin, reciprocal) =
        unsafe { (_mm_loadu_ps(slot.origin.as_ptr()), _mm_loadu_ps(slot.reciprocal.as_ptr())) };
    let min = _mm_min_ps(_mm_min_ps(a, b), c);
    let max = _mm_max_ps(_mm_max_ps(a, b), c);
    let magnitude = _mm_set1_ps(f32::from_bits(0x7FFF_FFFF));
    let to_min = _mm_and_ps(_mm_sub_ps(min, origin), magnitude);
    let to_max = _mm_and_ps(_mm_sub_ps(max, origin), magnitude);
    let reach = greatest(_mm_max_ps(to_min, to_max)).next_up();
    let dilation = _mm_set1_ps(slab::DILATION * reach);
    let at_min = _mm_mul_ps(_mm_sub_ps(min, _mm_add_ps(origin, dilation)), reciprocal);
    let at_max = _mm_mul_ps(_mm_sub_ps(max, _mm_sub_ps(origin, dilation)), reciprocal);
    // The sign bit of a reciprocal tells which plane is near; that of a zero direction is positive.
    let near = _mm_blendv_ps(at_min, at_max, reciprocal);
    let far = _mm_blendv_ps(at_max, at_min, reciprocal);
    // A NaN is no constraint: the second operand is kept. The last lane is 0 in both.
    let enter = greatest(_mm_max_ps(near, _mm_setzero_ps()));
    let endless = _mm_set1_ps(f32::INFINITY);
    let exit = slab::widen(least(_mm_blend_ps::<8>(_mm_min_ps(far, endless), endless)));
    if enter <= t && t <= exit {
        return Some(t + 0.0); // -0.0 becomes +0.0
    }
    let triangle = Triangle { vertices: corners.map(Vec3::from_array) };
    let bounds = triangle.bounds();
    let slabs = SlabRay::new(&slot.ray, slab::reach(slot.ray.origin, &bounds));
    let interval = slabs.interval(&bounds, 0.0, f32::INFINITY)?;
    Some(interval.clamp(t) + 0.0)
}

/// The greatest of four lanes, none of them NaN.
#[target_feature(enable = "avx2")]
#[inline]
fn greatest(lanes: __m128) -> f32 {
    let pairs = _mm_max_ps(lanes, _mm_movehl_ps(lanes, lanes));
    _mm_cvtss_f32(_mm_max_ss(pairs, _mm_movehdup_ps(pairs)))
}

/// The least of four lanes, none of them NaN.
#[target_feature(enable = "avx2")]
#[inline]
fn least(lanes: __m128) -> f32 {
    let pairs = _mm_min_ps(lanes, _mm_movehl_ps(lanes, lanes));
    _mm_cvtss_f32(_mm_min_ss(pairs, _mm_movehdup_ps(pairs)))
}
