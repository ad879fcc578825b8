//! The triangles of a leaf against rays of a bundle, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: in `f32`, and where
//! a triangle is not certainly outside, in `f64`. Where most rays of a vector reach the leaf, each
//! triangle is tested against sixteen rays at once; where few do, each of them is tested against
//! all triangles.

use super::hits::{Hits, Named, Weights};
use super::lanes::{SIZE, VECTORS};
use super::view::View;
use crate::vector::boxes::{TINY, WIDEN};
use crate::vector::triangles::clamped;
use crate::world::{Pointer, World};
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

/// A leaf as the rays of a view see it.
struct Leaf<'a> {
    world: &'a World,
    pointer: Pointer,
    view: &'a View,
    /// Rows of coordinates: for each corner three, in the order of the shear. Where all rays start
    /// at one point, they are seen from there.
    rows: [*const f32; 9],
    /// Triangles.
    count: usize,
    names: *const u32,
}

/// Tests the triangles of a leaf against the rays `reaching`; whether one of them found a better
/// hit. `ANY_HIT`: any hit ends its ray. `COMMON`: all rays of the view start at one point.
///
/// # Safety
/// The pointer must lead to a leaf of the world.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn test<const ANY_HIT: bool, const COMMON: bool>(
    world: &World,
    pointer: Pointer,
    reaching: u64,
    view: &View,
    hits: &mut Hits,
) -> bool {
    debug_assert!(world.arena.holds(pointer), "POINTER-PROVED");
    let count = pointer.triangles();
    let [x, y, z] = view.axes;
    // SAFETY: POINTER-PROVED.
    let start = unsafe { world.arena.start().add(pointer.byte()).cast::<f32>() };
    let mut rows = [x, y, z, 3 + x, 3 + y, 3 + z, 6 + x, 6 + y, 6 + z]
        .map(|row| start.wrapping_add(row * count));
    let mut seen = MaybeUninit::<[[f32; 8]; 9]>::uninit();
    if COMMON {
        let origin = [x, y, z].map(|axis| _mm256_set1_ps(view.point[axis]));
        for (number, row) in rows.iter_mut().enumerate() {
            let place = seen.as_mut_ptr().cast::<f32>().wrapping_add(8 * number);
            // SAFETY: POINTER-PROVED, LEAF-ROOM, VECTOR-SIZED: the place is one of nine.
            unsafe {
                let coordinates = _mm256_loadu_ps(*row);
                _mm256_storeu_ps(place, _mm256_sub_ps(coordinates, origin[number % 3]));
            }
            *row = place;
        }
    }
    let names = start.wrapping_add(9 * count).cast();
    let leaf = Leaf { world, pointer, view, rows, count, names };
    let mut few = 0;
    let mut is_better = false;
    for vector in 0..VECTORS {
        let mask = (reaching >> (16 * vector)) as u16;
        if mask.count_ones() as usize > count {
            // SAFETY: POINTER-PROVED.
            is_better |= unsafe { leaf.across::<ANY_HIT, COMMON>(vector, mask, hits) };
        } else {
            few |= u64::from(mask) << (16 * vector);
        }
    }
    if few != 0 {
        // SAFETY: POINTER-PROVED.
        is_better |= unsafe { leaf.along::<ANY_HIT, COMMON>(few, hits) };
    }
    is_better
}

impl Leaf<'_> {
    /// A coordinate of a triangle.
    ///
    /// # Safety
    /// This must be a leaf, and have that triangle.
    #[inline(always)]
    unsafe fn coordinate(&self, row: usize, triangle: usize) -> f32 {
        debug_assert!(triangle < self.count, "LANE-PRESENT");
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        unsafe { *self.rows[row].add(triangle) }
    }

    /// Each triangle against sixteen rays.
    ///
    /// Sheared corners are formed with the opposite sign: the edge functions stay the same, and the
    /// coordinates are second operands, which need no load of their own.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn across<const ANY_HIT: bool, const COMMON: bool>(
        &self,
        vector: usize,
        mask: u16,
        hits: &mut Hits,
    ) -> bool {
        let view = self.view;
        let origin = view.axes.map(|axis| view.origin[axis].0[vector]);
        let (sx, sy) = (view.shear[0].0[vector], view.shear[1].0[vector]);
        let zero = _mm512_setzero_ps();
        let mut is_better = false;
        for triangle in 0..self.count {
            let corner = |row: usize| {
                // SAFETY: POINTER-PROVED, LANE-PRESENT.
                let coordinate = unsafe { _mm512_set1_ps(self.coordinate(row, triangle)) };
                if COMMON { coordinate } else { _mm512_sub_ps(coordinate, origin[row % 3]) }
            };
            let (az, bz, cz) = (corner(2), corner(5), corner(8));
            let ax = _mm512_sub_ps(_mm512_mul_ps(sx, az), corner(0));
            let ay = _mm512_sub_ps(_mm512_mul_ps(sy, az), corner(1));
            let bx = _mm512_sub_ps(_mm512_mul_ps(sx, bz), corner(3));
            let by = _mm512_sub_ps(_mm512_mul_ps(sy, bz), corner(4));
            let cx = _mm512_sub_ps(_mm512_mul_ps(sx, cz), corner(6));
            let cy = _mm512_sub_ps(_mm512_mul_ps(sy, cz), corner(7));
            let u = _mm512_sub_ps(_mm512_mul_ps(cx, by), _mm512_mul_ps(cy, bx));
            let v = _mm512_sub_ps(_mm512_mul_ps(ax, cy), _mm512_mul_ps(ay, cx));
            let w = _mm512_sub_ps(_mm512_mul_ps(bx, ay), _mm512_mul_ps(by, ax));
            let least = _mm512_min_ps(_mm512_min_ps(u, v), w);
            let greatest = _mm512_max_ps(_mm512_max_ps(u, v), w);
            let negative = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(least, zero);
            let positive = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(greatest, zero);
            let candidates = mask & !(negative & positive);
            for (half, candidates) in [(0, candidates as u8), (1, (candidates >> 8) as u8)] {
                if candidates != 0 {
                    // SAFETY: POINTER-PROVED, LANE-PRESENT.
                    is_better |= unsafe {
                        self.half::<ANY_HIT, COMMON>(triangle, 2 * vector + half, candidates, hits)
                    };
                }
            }
        }
        is_better
    }

    /// One triangle and the rays `8 half ..`, decided.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    unsafe fn half<const ANY_HIT: bool, const COMMON: bool>(
        &self,
        triangle: usize,
        half: usize,
        candidates: u8,
        hits: &mut Hits,
    ) -> bool {
        let view = self.view;
        let origin = view.axes.map(|axis| view.origin[axis].half(half));
        let corner = |row: usize| {
            // SAFETY: POINTER-PROVED, LANE-PRESENT.
            let coordinate = unsafe { _mm256_set1_ps(self.coordinate(row, triangle)) };
            if COMMON { coordinate } else { _mm256_sub_ps(coordinate, origin[row % 3]) }
        };
        let corners = [
            [corner(0), corner(3), corner(6)],
            [corner(1), corner(4), corner(7)],
            [corner(2), corner(5), corner(8)],
        ];
        let shear = [view.shear[0].half(half), view.shear[1].half(half), view.shear[2].half(half)];
        let sheared = sheared(&corners, &shear);
        let limit =
            _mm256_fmadd_ps(hits.best.half(half), _mm256_set1_ps(WIDEN), _mm256_set1_ps(TINY));
        let (mut accepted, mut t, weights) = accepted(candidates, &sheared, limit);
        if accepted == 0 {
            return false;
        }
        let direction = view.axes.map(|axis| view.direction[axis].half(half));
        let settled = inside_own_box(accepted, &corners, t, &direction);
        if settled != accepted {
            let mut ts = [0.0; 8];
            // SAFETY: VECTOR-SIZED.
            unsafe { _mm256_storeu_ps(ts.as_mut_ptr(), t) };
            for (lane, t) in ts.iter_mut().enumerate() {
                if (accepted & !settled) >> lane & 1 == 1 {
                    match self.clamped(triangle, 8 * half + lane, *t) {
                        Some(clamped) => *t = clamped,
                        None => accepted &= !(1 << lane),
                    }
                }
            }
            // SAFETY: VECTOR-SIZED.
            t = unsafe { _mm256_loadu_ps(ts.as_ptr()) };
        }
        // -0.0 becomes +0.0.
        let t = _mm256_add_ps(t, _mm256_setzero_ps());
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        let name = unsafe { *self.names.add(triangle) };
        let named = Named { world: self.world, instance: view.instance, name };
        hits.offer_half::<ANY_HIT>(half, accepted, t, &weights, named)
    }

    /// Each of `rays` against all triangles.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn along<const ANY_HIT: bool, const COMMON: bool>(
        &self,
        mut rays: u64,
        hits: &mut Hits,
    ) -> bool {
        let view = self.view;
        let row = |row: usize| {
            // SAFETY: POINTER-PROVED, LEAF-ROOM.
            unsafe { _mm256_loadu_ps(self.rows[row]) }
        };
        let rows = [[row(0), row(3), row(6)], [row(1), row(4), row(7)], [row(2), row(5), row(8)]];
        let present = ((1u32 << self.count) - 1) as u8;
        let zero = _mm256_setzero_ps();
        let mut is_better = false;
        while rays != 0 {
            let ray = rays.trailing_zeros() as usize % SIZE;
            rays &= rays - 1;
            let mut corners = rows;
            if !COMMON {
                for (corners, axis) in corners.iter_mut().zip(view.axes) {
                    let origin = _mm256_set1_ps(view.origin[axis].of(ray));
                    for corner in corners {
                        *corner = _mm256_sub_ps(*corner, origin);
                    }
                }
            }
            let shear = [
                _mm256_set1_ps(view.shear[0].of(ray)),
                _mm256_set1_ps(view.shear[1].of(ray)),
                _mm256_set1_ps(view.shear[2].of(ray)),
            ];
            let sheared = sheared(&corners, &shear);
            let [ax, ay, az, bx, by, bz, cx, cy, cz] = sheared;
            let u = _mm256_sub_ps(_mm256_mul_ps(cx, by), _mm256_mul_ps(cy, bx));
            let v = _mm256_sub_ps(_mm256_mul_ps(ax, cy), _mm256_mul_ps(ay, cx));
            let w = _mm256_sub_ps(_mm256_mul_ps(bx, ay), _mm256_mul_ps(by, ax));
            let negative = _mm256_cmp_ps_mask::<_CMP_LT_OQ>(least3([u, v, w]), zero);
            let positive = _mm256_cmp_ps_mask::<_CMP_GT_OQ>(greatest3([u, v, w]), zero);
            let limit = _mm256_set1_ps(hits.best.of(ray) * WIDEN + TINY);
            // The parameter of a hit is a mean of the corners' depths.
            let is_before = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(least3([az, bz, cz]), limit);
            let is_ahead = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(greatest3([az, bz, cz]), zero);
            let mask = present & !(negative & positive) & is_before & is_ahead;
            if mask == 0 {
                continue;
            }
            let (accepted, t, weights) = accepted(mask, &sheared, limit);
            if accepted == 0 {
                continue;
            }
            let direction = view.axes.map(|axis| _mm256_set1_ps(view.direction[axis].of(ray)));
            let settled = inside_own_box(accepted, &corners, t, &direction);
            let mut ts = [0.0; 8];
            let mut parts = [[0.0; 8]; 3];
            // SAFETY: VECTOR-SIZED.
            unsafe {
                _mm256_storeu_ps(ts.as_mut_ptr(), t);
                _mm512_storeu_pd(parts[0].as_mut_ptr(), weights.second);
                _mm512_storeu_pd(parts[1].as_mut_ptr(), weights.third);
                _mm512_storeu_pd(parts[2].as_mut_ptr(), weights.sum);
            }
            let mut left = accepted;
            while left != 0 {
                let lane = left.trailing_zeros() as usize & 7;
                left &= left - 1;
                let mut t = ts[lane];
                if settled >> lane & 1 == 0 {
                    match self.clamped(lane, ray, t) {
                        Some(clamped) => t = clamped,
                        None => continue,
                    }
                }
                let t = t + 0.0; // -0.0 becomes +0.0
                // SAFETY: POINTER-PROVED, LANE-PRESENT.
                let name = unsafe { *self.names.add(lane) };
                let named = Named { world: self.world, instance: view.instance, name };
                let weights = [parts[0][lane], parts[1][lane], parts[2][lane]];
                is_better |= hits.offer_one::<ANY_HIT>(ray, t, weights, named);
            }
        }
        is_better
    }

    /// [`clamped`] of a triangle, for a ray.
    #[cold]
    #[inline(never)]
    fn clamped(&self, triangle: usize, ray: usize, t: f32) -> Option<f32> {
        let (triangle, _) = self.world.arena.triangle(self.pointer, triangle);
        let ray = self.view.ray(ray, 0.0, f32::INFINITY);
        clamped(&ray, &triangle, t)
    }
}

/// Corners, for each axis of each, sheared: x, y, z of each corner.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn sheared(corners: &[[__m256; 3]; 3], shear: &[__m256; 3]) -> [__m256; 9] {
    let [[ax, bx, cx], [ay, by, cy], [az, bz, cz]] = *corners;
    let [sx, sy, sz] = *shear;
    [
        _mm256_sub_ps(ax, _mm256_mul_ps(sx, az)),
        _mm256_sub_ps(ay, _mm256_mul_ps(sy, az)),
        _mm256_mul_ps(sz, az),
        _mm256_sub_ps(bx, _mm256_mul_ps(sx, bz)),
        _mm256_sub_ps(by, _mm256_mul_ps(sy, bz)),
        _mm256_mul_ps(sz, bz),
        _mm256_sub_ps(cx, _mm256_mul_ps(sx, cz)),
        _mm256_sub_ps(cy, _mm256_mul_ps(sy, cz)),
        _mm256_mul_ps(sz, cz),
    ]
}

/// Which of eight pairs of a ray and a triangle the rule accepts, by exact signs, no farther than
/// `limit`; where, and the weights of the corners. The sheared corners come as x, y, z of each.
///
/// Products of two `f32` are exact in `f64`, so that fusing them with the difference changes no
/// bit.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn accepted(candidates: u8, sheared: &[__m256; 9], limit: __m256) -> (u8, __m256, Weights) {
    let [ax, ay, az, bx, by, bz, cx, cy, cz] = *sheared;
    let (ax, ay, az) = (_mm512_cvtps_pd(ax), _mm512_cvtps_pd(ay), _mm512_cvtps_pd(az));
    let (bx, by, bz) = (_mm512_cvtps_pd(bx), _mm512_cvtps_pd(by), _mm512_cvtps_pd(bz));
    let (cx, cy, cz) = (_mm512_cvtps_pd(cx), _mm512_cvtps_pd(cy), _mm512_cvtps_pd(cz));
    let u = _mm512_fmsub_pd(cx, by, _mm512_mul_pd(cy, bx));
    let v = _mm512_fmsub_pd(ax, cy, _mm512_mul_pd(ay, cx));
    let w = _mm512_fmsub_pd(bx, ay, _mm512_mul_pd(by, ax));
    let zero = _mm512_setzero_pd();
    let least = _mm512_min_pd(_mm512_min_pd(u, v), w);
    let greatest = _mm512_max_pd(_mm512_max_pd(u, v), w);
    let negative = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(least, zero);
    let positive = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(greatest, zero);
    let sum = _mm512_add_pd(_mm512_add_pd(u, v), w);
    let weighted = _mm512_add_pd(
        _mm512_add_pd(_mm512_mul_pd(u, az), _mm512_mul_pd(v, bz)),
        _mm512_mul_pd(w, cz),
    );
    let t = _mm512_cvtpd_ps(_mm512_div_pd(weighted, sum));
    let is_flat = _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(sum, zero);
    let is_ahead = _mm256_cmp_ps_mask::<_CMP_GE_OQ>(t, _mm256_setzero_ps());
    let is_before = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(t, limit);
    let mask = candidates & !(negative & positive) & !is_flat & is_ahead & is_before;
    (mask, t, Weights { second: v, third: w, sum })
}

/// Which pairs have `t` where the ray is inside the triangle's own box, so that clamping leaves it
/// alone. The corners come as seen from the origin: for each axis, of each.
///
/// Let `R` be the largest distance from the origin to a corner on any axis, as rounded here; the
/// reference test dilates by `7uR` or more. By the comparison below the point at `t` lies within
/// `2uR` of the box as seen from the origin, whose planes are off by at most `uR`: `3uR` in all.
/// What remains, `4uR/|d|`, is more than the three roundings of a bound, none of which exceeds
/// `uR/|d|` by more than second order.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn inside_own_box(mask: u8, corners: &[[__m256; 3]; 3], t: __m256, direction: &[__m256; 3]) -> u8 {
    let zero = _mm256_setzero_ps();
    let min = [least3(corners[0]), least3(corners[1]), least3(corners[2])];
    let max = [greatest3(corners[0]), greatest3(corners[1]), greatest3(corners[2])];
    let lowest = least3(min);
    let reach = _mm256_max_ps(greatest3(max), _mm256_sub_ps(zero, lowest));
    let slack = _mm256_mul_ps(reach, _mm256_set1_ps(f32::EPSILON));
    // How far the point lies outside, on the axis where that is most.
    let outside = |axis: usize| {
        let past_max = _mm256_fmsub_ps(t, direction[axis], max[axis]);
        let before_min = _mm256_fnmadd_ps(t, direction[axis], min[axis]);
        _mm256_max_ps(past_max, before_min)
    };
    let outside = greatest3([outside(0), outside(1), outside(2)]);
    mask & _mm256_cmp_ps_mask::<_CMP_LE_OQ>(outside, slack)
}

#[target_feature(enable = "avx2")]
#[inline]
fn least3([a, b, c]: [__m256; 3]) -> __m256 {
    _mm256_min_ps(_mm256_min_ps(a, b), c)
}

#[target_feature(enable = "avx2")]
#[inline]
fn greatest3([a, b, c]: [__m256; 3]) -> __m256 {
    _mm256_max_ps(_mm256_max_ps(a, b), c)
}
