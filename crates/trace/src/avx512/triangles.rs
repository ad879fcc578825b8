//! One ray against the triangles of a leaf, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: all triangles of a leaf in `f32`,
//! and those that are not certainly outside, one by one, in `f64`. The second condition of a hit, that `t` lies in the triangle's own box, is
//! settled at once for nearly all of them, and by [`clamped`] for the rest.

use super::boxes::{TINY, WIDEN};
use super::slot::Slot;
use geometry::{Ray, SlabRay, Triangle, slab};
use std::arch::x86_64::*;

/// Triangles of a leaf that are not certainly missed.
pub(super) struct Candidates {
    /// Bit `i`: triangle `i`.
    pub(super) mask: u8,
    /// Their corners, seen from the origin of the ray.
    corners: [Corners; 3],
    /// The same, sheared: x, y, z of each corner.
    sheared: [[f32; 8]; 9],
}

/// A triangle that the rule accepts.
pub(super) struct Accepted {
    /// Ray parameter, not yet clamped.
    pub(super) t: f32,
    /// Whether `t` is certainly inside the triangle's own box.
    pub(super) is_settled: bool,
    /// The three edge functions, last their sum.
    weights: [f64; 3],
}

impl Accepted {
    /// The weights of the second and the third corner.
    #[inline]
    pub(super) fn u_v(&self) -> (f32, f32) {
        let [v, w, determinant] = self.weights;
        ((v / determinant) as f32, (w / determinant) as f32)
    }
}

/// One corner of each triangle; axes in the order of the shear.
#[derive(Clone, Copy)]
struct Corners {
    x: __m256,
    y: __m256,
    z: __m256,
}

/// The triangles of the leaf at `leaf` that the ray may hit no farther than the end of its range.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of coordinates.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn candidates(leaf: *const u8, count: usize, slot: &Slot) -> Option<Candidates> {
    let rows = slot.axes.map(|axis| leaf.wrapping_add(axis as usize * count * 4));
    let corner = |number: usize| {
        let row = |axis: usize| {
            // SAFETY: rows are read whole, and what lies behind the last one may be read too.
            let row = unsafe { _mm256_loadu_ps(rows[axis].add(number * count * 12).cast()) };
            _mm256_sub_ps(row, _mm256_set1_ps(slot.sheared_origin[axis]))
        };
        Corners { x: row(0), y: row(1), z: row(2) }
    };
    let corners = [corner(0), corner(1), corner(2)];
    let [sx, sy, sz, _] = slot.shear.map(|s| _mm256_set1_ps(s));
    let shear = |Corners { x, y, z }: Corners| Corners {
        x: _mm256_sub_ps(x, _mm256_mul_ps(sx, z)),
        y: _mm256_sub_ps(y, _mm256_mul_ps(sy, z)),
        z: _mm256_mul_ps(sz, z),
    };
    let [a, b, c] = corners.map(shear);
    let u = _mm256_sub_ps(_mm256_mul_ps(c.x, b.y), _mm256_mul_ps(c.y, b.x));
    let v = _mm256_sub_ps(_mm256_mul_ps(a.x, c.y), _mm256_mul_ps(a.y, c.x));
    let w = _mm256_sub_ps(_mm256_mul_ps(b.x, a.y), _mm256_mul_ps(b.y, a.x));
    let zero = _mm256_setzero_ps();
    let negative = _mm256_cmp_ps_mask::<_CMP_LT_OQ>(least3(u, v, w), zero);
    let outside = _mm256_mask_cmp_ps_mask::<_CMP_GT_OQ>(negative, greatest3(u, v, w), zero);
    // The parameter of a hit is a mean of the corners' depths.
    let limit = _mm256_set1_ps(limit(slot));
    let present = ((1u32 << count) - 1) as u8;
    let mask = present & !outside;
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, least3(a.z, b.z, c.z), limit);
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, greatest3(a.z, b.z, c.z), zero);
    if mask == 0 {
        return None;
    }
    let mut sheared = [[0.0; 8]; 9];
    let lanes = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z];
    for (row, lanes) in sheared.iter_mut().zip(lanes) {
        // SAFETY: an array of eight is written as a vector of eight.
        unsafe { _mm256_storeu_ps(row.as_mut_ptr(), lanes) };
    }
    Some(Candidates { mask, corners, sheared })
}

/// The largest `t`, before clamping, that can still become the best hit.
#[inline(always)]
fn limit(slot: &Slot) -> f32 {
    slot.farthest * WIDEN + TINY
}

/// Whether the rule accepts candidate `lane`, by exact signs, and where.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) fn accepted(candidates: &Candidates, lane: usize, slot: &Slot) -> Option<Accepted> {
    let [ax, ay, az, bx, by, bz, cx, cy, cz] =
        candidates.sheared.map(|row| f64::from(row[lane & 7]));
    let u = cx * by - cy * bx;
    let v = ax * cy - ay * cx;
    let w = bx * ay - by * ax;
    let outside = ((u < 0.0) | (v < 0.0) | (w < 0.0)) & ((u > 0.0) | (v > 0.0) | (w > 0.0));
    let determinant = (u + v) + w;
    let t = (((u * az + v * bz) + w * cz) / determinant) as f32;
    // A determinant of zero makes `t` infinite or NaN.
    let is_reached = (t >= 0.0) & (t <= limit(slot));
    if outside | !is_reached | (determinant == 0.0) {
        return None;
    }
    let settled = inside_own_box(1 << (lane & 7), &candidates.corners, _mm256_set1_ps(t), slot);
    Some(Accepted { t, is_settled: settled != 0, weights: [v, w, determinant] })
}

/// Which triangles have `t` where the ray is inside their own box, so that clamping leaves it alone.
///
/// Let `R` be the largest distance from the origin to a corner on any axis, as rounded here; the reference
/// test dilates by `7uR` or more. By the comparison below the point at `t` lies within `2uR` of the box as seen
/// from the origin, whose planes are off by at most `uR`: `3uR` in all. What remains, `4uR/|d|`, is more
/// than the three roundings of a bound, none of which exceeds `uR/|d|` by more than second order.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn inside_own_box(mask: u8, corners: &[Corners; 3], t: __m256, slot: &Slot) -> u8 {
    let [a, b, c] = corners;
    let axes = [[a.x, b.x, c.x], [a.y, b.y, c.y], [a.z, b.z, c.z]];
    let min = axes.map(|[a, b, c]| least3(a, b, c));
    let max = axes.map(|[a, b, c]| greatest3(a, b, c));
    let size =
        |axis: usize| _mm256_max_ps(max[axis], _mm256_sub_ps(_mm256_setzero_ps(), min[axis]));
    let reach = greatest3(size(0), size(1), size(2));
    let slack = _mm256_mul_ps(reach, _mm256_set1_ps(f32::EPSILON));
    let minus_slack = _mm256_sub_ps(_mm256_setzero_ps(), slack);
    let mut inside = mask;
    for ((min, max), direction) in min.into_iter().zip(max).zip(slot.sheared_direction) {
        let direction = _mm256_set1_ps(direction);
        let past_min = _mm256_fmsub_ps(t, direction, min);
        let past_max = _mm256_fmsub_ps(t, direction, max);
        inside = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(inside, past_min, minus_slack);
        inside = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(inside, past_max, slack);
    }
    inside
}

/// `t` of an accepted triangle, clamped to where the ray is in the triangle's own box: the second
/// condition of a hit ([`geometry::hit`]). `None` if it is nowhere.
#[cold]
pub(super) fn clamped(ray: &Ray, triangle: &Triangle, t: f32) -> Option<f32> {
    let bounds = triangle.bounds();
    let slabs = SlabRay::new(ray, slab::reach(ray.origin, &bounds));
    Some(slabs.interval(&bounds, 0.0, f32::INFINITY)?.clamp(t))
}

#[target_feature(enable = "avx2")]
#[inline]
fn least3(a: __m256, b: __m256, c: __m256) -> __m256 {
    _mm256_min_ps(_mm256_min_ps(a, b), c)
}

#[target_feature(enable = "avx2")]
#[inline]
fn greatest3(a: __m256, b: __m256, c: __m256) -> __m256 {
    _mm256_max_ps(_mm256_max_ps(a, b), c)
}
