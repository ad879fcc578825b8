//! One ray against the triangles of a leaf, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: all triangles of a
//! leaf in `f32`, and those that are not certainly outside, one by one, in `f64`. The second
//! condition of a hit, that `t` lies in the triangle's own box, is settled at once for nearly all
//! of them, and by [`clamped`] for the rest.

use super::active_ray::{ActiveRay, TriangleTestRay};
use super::boxes::{TINY, WIDEN};
use super::moller_trumbore;
use super::rule::Rule;
use geometry::{Ray, SlabRay, Triangle, TriangleRule, slab};
use std::arch::x86_64::*;

/// One corner of each triangle, seen from the origin of the ray and sheared; axes in the order of
/// the shear.
#[derive(Clone, Copy)]
pub(crate) struct Corners {
    pub(crate) x: __m256,
    pub(crate) y: __m256,
    pub(crate) z: __m256,
}

/// A corner of each triangle, seen from the origin of the ray, and sheared.
///
/// # Safety
/// Three rows must lie at `rows`, with 32 bytes behind the last one that is read.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn corner(rows: *const u8, row: usize, shear: &TriangleTestRay) -> Corners {
    // SAFETY: POINTER-PROVED, LEAF-ROOM.
    let (x, y, z) = unsafe {
        (
            _mm256_loadu_ps(rows.add(shear.axes[0] as usize * row).cast()),
            _mm256_loadu_ps(rows.add(shear.axes[1] as usize * row).cast()),
            _mm256_loadu_ps(rows.add(shear.axes[2] as usize * row).cast()),
        )
    };
    let x = _mm256_sub_ps(x, _mm256_set1_ps(shear.origin[0]));
    let y = _mm256_sub_ps(y, _mm256_set1_ps(shear.origin[1]));
    let z = _mm256_sub_ps(z, _mm256_set1_ps(shear.origin[2]));
    Corners {
        x: _mm256_sub_ps(x, _mm256_mul_ps(_mm256_set1_ps(shear.factors[0]), z)),
        y: _mm256_sub_ps(y, _mm256_mul_ps(_mm256_set1_ps(shear.factors[1]), z)),
        z: _mm256_mul_ps(_mm256_set1_ps(shear.factors[2]), z),
    }
}

/// The largest `t`, before clamping, that can still become the best hit.
#[inline(always)]
pub(crate) fn limit(slot: &ActiveRay) -> f32 {
    slot.box_ray.farthest * WIDEN + TINY
}

/// A triangle that the rule accepts.
pub(crate) struct Accepted {
    /// Ray parameter, not yet clamped.
    pub(crate) t: f32,
    /// Whether `t` is certainly inside the triangle's own box.
    pub(crate) is_settled: bool,
    /// The edge functions of the second and the third corner, and the sum of all three.
    pub(crate) weights: [f64; 3],
}

impl Accepted {
    /// The weights of the second and the third corner.
    #[inline]
    pub(crate) fn u_v(&self) -> (f32, f32) {
        let [v, w, determinant] = self.weights;
        ((v / determinant) as f32, (w / determinant) as f32)
    }
}

/// Whether a rule accepts triangle `lane` of a leaf, and where.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, and `lane` be less.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn accepted_by<R: Rule>(
    leaf: *const u8,
    count: usize,
    lane: usize,
    slot: &ActiveRay,
) -> Option<Accepted> {
    // SAFETY: POINTER-PROVED, LANE-PRESENT.
    unsafe {
        match R::RULE {
            TriangleRule::Watertight => accepted(leaf, count, lane, slot),
            TriangleRule::MollerTrumbore => moller_trumbore::accepted(leaf, count, lane, slot),
        }
    }
}

/// Whether the watertight rule accepts it, by exact signs, and where.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, and `lane` be less.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn accepted(
    leaf: *const u8,
    count: usize,
    lane: usize,
    slot: &ActiveRay,
) -> Option<Accepted> {
    debug_assert!(lane < count, "LANE-PRESENT");
    let row = 4 * count;
    // SAFETY: POINTER-PROVED, LANE-PRESENT.
    let (x, y, z) = unsafe {
        let lanes = leaf.add(4 * lane);
        (
            corners_on(0, lanes, row, &slot.triangle_ray),
            corners_on(1, lanes, row, &slot.triangle_ray),
            corners_on(2, lanes, row, &slot.triangle_ray),
        )
    };
    accepted_at(x, y, z, slot)
}

/// Whether the watertight rule accepts the triangle with these corners, a lane each, as seen from
/// the origin of the ray.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) fn accepted_at(x: __m128, y: __m128, z: __m128, slot: &ActiveRay) -> Option<Accepted> {
    let shear = &slot.triangle_ray;
    let sheared_x = _mm_sub_ps(x, _mm_mul_ps(_mm_set1_ps(shear.factors[0]), z));
    let sheared_y = _mm_sub_ps(y, _mm_mul_ps(_mm_set1_ps(shear.factors[1]), z));
    let sheared_x = _mm256_cvtps_pd(sheared_x);
    let sheared_y = _mm256_cvtps_pd(sheared_y);
    let depth = _mm256_cvtps_pd(_mm_mul_ps(_mm_set1_ps(shear.factors[2]), z));
    // Lanes u, v, w: corners c, a, b before, and b, c, a after.
    const BEFORE: i32 = 0b11_01_00_10;
    const AFTER: i32 = 0b11_00_10_01;
    let edges = _mm256_sub_pd(
        _mm256_mul_pd(
            _mm256_permute4x64_pd::<BEFORE>(sheared_x),
            _mm256_permute4x64_pd::<AFTER>(sheared_y),
        ),
        _mm256_mul_pd(
            _mm256_permute4x64_pd::<BEFORE>(sheared_y),
            _mm256_permute4x64_pd::<AFTER>(sheared_x),
        ),
    );
    let zero = _mm256_setzero_pd();
    let negative = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LT_OQ>(edges, zero)) & 7;
    let positive = _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(edges, zero)) & 7;
    let parts = _mm256_mul_pd(edges, depth);
    let [u, v, w] = three(edges);
    let [at_a, at_b, at_c] = three(parts);
    let determinant = (u + v) + w;
    let t = (((at_a + at_b) + at_c) / determinant) as f32;
    // A determinant of zero makes `t` infinite or NaN.
    let is_reached = (t >= 0.0) & (t <= limit(slot));
    if ((negative != 0) & (positive != 0)) | !is_reached | (determinant == 0.0) {
        return None;
    }
    let is_settled = inside_own_box(x, y, z, t, &shear.direction);
    Some(Accepted { t, is_settled, weights: [v, w, determinant] })
}

/// The three corners of a triangle on an axis, seen from the origin of the ray.
///
/// # Safety
/// `lanes` must point to the triangle's place in the first row of its leaf.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
unsafe fn corners_on(axis: usize, lanes: *const u8, row: usize, shear: &TriangleTestRay) -> __m128 {
    // SAFETY: POINTER-PROVED, LANE-PRESENT. The rows of the corners on one axis are three rows
    // apart.
    let corners = unsafe {
        let first = lanes.add(shear.axes[axis] as usize * row);
        let c = *first.add(6 * row).cast();
        _mm_setr_ps(*first.cast(), *first.add(3 * row).cast(), c, c)
    };
    _mm_sub_ps(corners, _mm_set1_ps(shear.origin[axis]))
}

/// The first three lanes.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn three(lanes: __m256d) -> [f64; 3] {
    let low = _mm256_castpd256_pd128(lanes);
    let high = _mm256_extractf128_pd::<1>(lanes);
    [_mm_cvtsd_f64(low), _mm_cvtsd_f64(_mm_unpackhi_pd(low, low)), _mm_cvtsd_f64(high)]
}

/// Whether the ray is at `t` inside the own box of the triangle with these corners, so that
/// clamping leaves it alone.
///
/// Let `R` be the largest distance from the origin to a corner on any axis, as rounded here; the
/// reference test dilates by `7uR` or more. By the comparison below the point at `t` lies within
/// `2uR` of the box as seen from the origin, whose planes are off by at most `uR`: `3uR` in all.
/// What remains, `4uR/|d|`, is more than the three roundings of a bound, none of which exceeds
/// `uR/|d|` by more than second order.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) fn inside_own_box(
    x: __m128,
    y: __m128,
    z: __m128,
    t: f32,
    direction: &[f32; 4],
) -> bool {
    // Rows of corners become corners with lanes x, y, z.
    let xy = _mm_unpacklo_ps(x, y);
    let a = _mm_shuffle_ps::<0b00_00_01_00>(xy, z);
    let b = _mm_shuffle_ps::<0b01_01_11_10>(xy, z);
    let c = _mm_shuffle_ps::<0b10_10_01_00>(_mm_unpackhi_ps(x, y), z);
    let min = _mm_min_ps(_mm_min_ps(a, b), c);
    let max = _mm_max_ps(_mm_max_ps(a, b), c);
    let size = _mm_max_ps(max, _mm_sub_ps(_mm_setzero_ps(), min));
    let size = _mm_max_ps(size, _mm_movehl_ps(size, size));
    let reach = _mm_max_ps(size, _mm_shuffle_ps::<0b01_01_01_01>(size, size));
    let slack = _mm_mul_ps(_mm_broadcastss_ps(reach), _mm_set1_ps(f32::EPSILON));
    let minus_slack = _mm_sub_ps(_mm_setzero_ps(), slack);
    // SAFETY: VECTOR-SIZED.
    let direction = unsafe { _mm_loadu_ps(direction.as_ptr()) };
    let t = _mm_set1_ps(t);
    let past_min = _mm_fmsub_ps(t, direction, min);
    let past_max = _mm_fmsub_ps(t, direction, max);
    let inside = _mm_and_ps(
        _mm_cmp_ps::<_CMP_GE_OQ>(past_min, minus_slack),
        _mm_cmp_ps::<_CMP_LE_OQ>(past_max, slack),
    );
    _mm_movemask_ps(inside) & 7 == 7
}

/// `t` of an accepted triangle, clamped to where the ray is in the triangle's own box: the second
/// condition of a hit ([`geometry::hit`]). `None` if it is nowhere.
#[cold]
pub(crate) fn clamped(ray: &Ray, triangle: &Triangle, t: f32) -> Option<f32> {
    let bounds = triangle.bounds();
    let slabs = SlabRay::new(ray, slab::reach(ray.origin, &bounds));
    Some(slabs.interval(&bounds, 0.0, f32::INFINITY)?.clamp(t))
}

#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn least3(a: __m256, b: __m256, c: __m256) -> __m256 {
    _mm256_min_ps(_mm256_min_ps(a, b), c)
}

#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn greatest3(a: __m256, b: __m256, c: __m256) -> __m256 {
    _mm256_max_ps(_mm256_max_ps(a, b), c)
}
