//! The triangles of a leaf against rays of a bundle, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: in `f32`, and where a triangle is
//! not certainly outside, in `f64`. Where most rays of a vector reach the leaf, each triangle is tested against
//! sixteen rays at once; where few do, each of them is tested against all triangles.

use super::boxes::{TINY, WIDEN};
use super::hits::{Hits, Named, Weights};
use super::lanes::{SIZE, VECTORS};
use super::view::View;
use crate::world::{Pointer, World};
use geometry::{SlabRay, slab};
use std::arch::x86_64::*;

/// A leaf as the rays of a view see it.
#[derive(Clone, Copy)]
pub(super) struct Leaf<'a> {
    world: &'a World,
    pointer: Pointer,
    /// The rows of the first corner, in the order of the shear.
    rows: [*const f32; 3],
    /// Triangles.
    count: usize,
    names: *const u32,
}

impl<'a> Leaf<'a> {
    /// The leaf behind a pointer.
    ///
    /// # Safety
    /// The pointer must lead to a leaf of the world.
    #[inline(always)]
    pub(super) unsafe fn new(world: &'a World, pointer: Pointer, view: &View) -> Self {
        let count = pointer.triangles();
        // SAFETY: as promised; a leaf has ten rows.
        let start = unsafe { world.arena.start().add(pointer.byte()).cast::<f32>() };
        let rows = view.axes.map(|axis| start.wrapping_add(axis * count));
        Self { world, pointer, rows, count, names: start.wrapping_add(9 * count).cast() }
    }

    /// Tests the rays `reaching`; whether one of them found a better hit.
    ///
    /// # Safety
    /// As [`Leaf::new`].
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn test<const ENDS: bool>(
        &self,
        reaching: u64,
        view: &View,
        hits: &mut Hits,
    ) -> bool {
        let mut few = 0;
        let mut is_better = false;
        for vector in 0..VECTORS {
            let mask = (reaching >> (16 * vector)) as u16;
            if mask.count_ones() as usize > self.count {
                // SAFETY: as promised.
                is_better |= unsafe { self.across::<ENDS>(vector, mask, view, hits) };
            } else {
                few |= u64::from(mask) << (16 * vector);
            }
        }
        if few != 0 {
            // SAFETY: as promised.
            is_better |= unsafe { self.along::<ENDS>(few, view, hits) };
        }
        is_better
    }

    /// Each triangle against sixteen rays.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn across<const ENDS: bool>(
        &self,
        vector: usize,
        mask: u16,
        view: &View,
        hits: &mut Hits,
    ) -> bool {
        let [x, y, z] = view.axes;
        let ox = view.origin[x].0[vector];
        let oy = view.origin[y].0[vector];
        let oz = view.origin[z].0[vector];
        let sx = view.shear[0].0[vector];
        let sy = view.shear[1].0[vector];
        let mut is_better = false;
        for triangle in 0..self.count {
            let corner = |row: usize, number: usize, origin: __m512| {
                // SAFETY: a leaf has rows for three corners, with an entry for each triangle.
                let number = unsafe { *self.rows[row].add(number * 3 * self.count + triangle) };
                _mm512_sub_ps(_mm512_set1_ps(number), origin)
            };
            let (az, bz, cz) = (corner(2, 0, oz), corner(2, 1, oz), corner(2, 2, oz));
            let sheared =
                |at: __m512, shear: __m512, z: __m512| _mm512_sub_ps(at, _mm512_mul_ps(shear, z));
            let ax = sheared(corner(0, 0, ox), sx, az);
            let ay = sheared(corner(1, 0, oy), sy, az);
            let bx = sheared(corner(0, 1, ox), sx, bz);
            let by = sheared(corner(1, 1, oy), sy, bz);
            let cx = sheared(corner(0, 2, ox), sx, cz);
            let cy = sheared(corner(1, 2, oy), sy, cz);
            let u = _mm512_sub_ps(_mm512_mul_ps(cx, by), _mm512_mul_ps(cy, bx));
            let v = _mm512_sub_ps(_mm512_mul_ps(ax, cy), _mm512_mul_ps(ay, cx));
            let w = _mm512_sub_ps(_mm512_mul_ps(bx, ay), _mm512_mul_ps(by, ax));
            let zero = _mm512_setzero_ps();
            let least = _mm512_min_ps(_mm512_min_ps(u, v), w);
            let greatest = _mm512_max_ps(_mm512_max_ps(u, v), w);
            let negative = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(least, zero);
            let outside = _mm512_mask_cmp_ps_mask::<_CMP_GT_OQ>(negative, greatest, zero);
            if mask & !outside == 0 {
                continue;
            }
            let sz = view.shear[2].0[vector];
            let (az, bz, cz) =
                (_mm512_mul_ps(sz, az), _mm512_mul_ps(sz, bz), _mm512_mul_ps(sz, cz));
            // The parameter of a hit is a mean of the corners' depths.
            let limit =
                _mm512_fmadd_ps(hits.best.0[vector], _mm512_set1_ps(WIDEN), _mm512_set1_ps(TINY));
            let candidates = mask & !outside;
            let candidates = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(
                candidates,
                _mm512_min_ps(_mm512_min_ps(az, bz), cz),
                limit,
            );
            let candidates = _mm512_mask_cmp_ps_mask::<_CMP_GE_OQ>(
                candidates,
                _mm512_max_ps(_mm512_max_ps(az, bz), cz),
                zero,
            );
            if candidates & 0xFF != 0 {
                let low = |lanes: __m512| _mm512_castps512_ps256(lanes);
                let sheared = [
                    low(ax),
                    low(ay),
                    low(az),
                    low(bx),
                    low(by),
                    low(bz),
                    low(cx),
                    low(cy),
                    low(cz),
                ];
                // SAFETY: as promised.
                is_better |= unsafe {
                    self.half::<ENDS>(
                        triangle,
                        2 * vector,
                        candidates as u8,
                        &sheared,
                        low(limit),
                        view,
                        hits,
                    )
                };
            }
            if candidates >> 8 != 0 {
                let high = |lanes: __m512| _mm512_extractf32x8_ps::<1>(lanes);
                let sheared = [
                    high(ax),
                    high(ay),
                    high(az),
                    high(bx),
                    high(by),
                    high(bz),
                    high(cx),
                    high(cy),
                    high(cz),
                ];
                // SAFETY: as promised.
                is_better |= unsafe {
                    self.half::<ENDS>(
                        triangle,
                        2 * vector + 1,
                        (candidates >> 8) as u8,
                        &sheared,
                        high(limit),
                        view,
                        hits,
                    )
                };
            }
        }
        is_better
    }

    /// One triangle and the rays `8 half ..`, decided.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    #[allow(clippy::too_many_arguments)]
    unsafe fn half<const ENDS: bool>(
        &self,
        triangle: usize,
        half: usize,
        candidates: u8,
        sheared: &[__m256; 9],
        limit: __m256,
        view: &View,
        hits: &mut Hits,
    ) -> bool {
        let (mut accepted, mut t, weights) = accepted(candidates, sheared, limit);
        if accepted == 0 {
            return false;
        }
        let [x, y, z] = view.axes;
        let corner = |row: usize, number: usize, axis: usize| {
            // SAFETY: a leaf has rows for three corners, with an entry for each triangle.
            let number = unsafe { *self.rows[row].add(number * 3 * self.count + triangle) };
            _mm256_sub_ps(_mm256_set1_ps(number), view.origin[axis].half(half))
        };
        let corners = [
            [corner(0, 0, x), corner(0, 1, x), corner(0, 2, x)],
            [corner(1, 0, y), corner(1, 1, y), corner(1, 2, y)],
            [corner(2, 0, z), corner(2, 1, z), corner(2, 2, z)],
        ];
        let direction = [
            view.direction[x].half(half),
            view.direction[y].half(half),
            view.direction[z].half(half),
        ];
        let settled = inside_own_box(accepted, &corners, t, &direction);
        if settled != accepted {
            let mut ts = [0.0; 8];
            // SAFETY: an array of eight is written and read as a vector of eight.
            unsafe { _mm256_storeu_ps(ts.as_mut_ptr(), t) };
            for (lane, t) in ts.iter_mut().enumerate() {
                if (accepted & !settled) >> lane & 1 == 1 {
                    match self.clamped(triangle, 8 * half + lane, view, *t) {
                        Some(clamped) => *t = clamped,
                        None => accepted &= !(1 << lane),
                    }
                }
            }
            // SAFETY: as above.
            t = unsafe { _mm256_loadu_ps(ts.as_ptr()) };
        }
        // -0.0 becomes +0.0.
        let t = _mm256_add_ps(t, _mm256_setzero_ps());
        // SAFETY: the last row has a name for each triangle.
        let name = unsafe { *self.names.add(triangle) };
        let named = Named { world: self.world, instance: view.instance, name };
        hits.offer_half::<ENDS>(half, accepted, t, &weights, named)
    }

    /// Each of `rays` against all triangles.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn along<const ENDS: bool>(&self, mut rays: u64, view: &View, hits: &mut Hits) -> bool {
        let row = |row: usize, number: usize| {
            // SAFETY: rows are read whole, and what lies behind the last one may be read too.
            unsafe { _mm256_loadu_ps(self.rows[row].add(number * 3 * self.count)) }
        };
        let rows = [
            [row(0, 0), row(0, 1), row(0, 2)],
            [row(1, 0), row(1, 1), row(1, 2)],
            [row(2, 0), row(2, 1), row(2, 2)],
        ];
        let present = ((1u32 << self.count) - 1) as u8;
        let [x, y, z] = view.axes;
        let mut is_better = false;
        while rays != 0 {
            let ray = rays.trailing_zeros() as usize % SIZE;
            rays &= rays - 1;
            let seen = |axis: usize, origin: f32| {
                let origin = _mm256_set1_ps(origin);
                [
                    _mm256_sub_ps(rows[axis][0], origin),
                    _mm256_sub_ps(rows[axis][1], origin),
                    _mm256_sub_ps(rows[axis][2], origin),
                ]
            };
            let xs = seen(0, view.origin[x].of(ray));
            let ys = seen(1, view.origin[y].of(ray));
            let zs = seen(2, view.origin[z].of(ray));
            let sx = _mm256_set1_ps(view.shear[0].of(ray));
            let sy = _mm256_set1_ps(view.shear[1].of(ray));
            let sz = _mm256_set1_ps(view.shear[2].of(ray));
            let sheared =
                |at: __m256, shear: __m256, z: __m256| _mm256_sub_ps(at, _mm256_mul_ps(shear, z));
            let (ax, ay) = (sheared(xs[0], sx, zs[0]), sheared(ys[0], sy, zs[0]));
            let (bx, by) = (sheared(xs[1], sx, zs[1]), sheared(ys[1], sy, zs[1]));
            let (cx, cy) = (sheared(xs[2], sx, zs[2]), sheared(ys[2], sy, zs[2]));
            let u = _mm256_sub_ps(_mm256_mul_ps(cx, by), _mm256_mul_ps(cy, bx));
            let v = _mm256_sub_ps(_mm256_mul_ps(ax, cy), _mm256_mul_ps(ay, cx));
            let w = _mm256_sub_ps(_mm256_mul_ps(bx, ay), _mm256_mul_ps(by, ax));
            let zero = _mm256_setzero_ps();
            let negative = _mm256_cmp_ps_mask::<_CMP_LT_OQ>(least3([u, v, w]), zero);
            let outside =
                _mm256_mask_cmp_ps_mask::<_CMP_GT_OQ>(negative, greatest3([u, v, w]), zero);
            let az = _mm256_mul_ps(sz, zs[0]);
            let bz = _mm256_mul_ps(sz, zs[1]);
            let cz = _mm256_mul_ps(sz, zs[2]);
            let limit = _mm256_set1_ps(hits.best.of(ray) * WIDEN + TINY);
            let mask = present & !outside;
            let mask = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, least3([az, bz, cz]), limit);
            let mask = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, greatest3([az, bz, cz]), zero);
            if mask == 0 {
                continue;
            }
            let (accepted, t, weights) =
                accepted(mask, &[ax, ay, az, bx, by, bz, cx, cy, cz], limit);
            if accepted == 0 {
                continue;
            }
            let direction = [
                _mm256_set1_ps(view.direction[x].of(ray)),
                _mm256_set1_ps(view.direction[y].of(ray)),
                _mm256_set1_ps(view.direction[z].of(ray)),
            ];
            let settled = inside_own_box(accepted, &[xs, ys, zs], t, &direction);
            let mut ts = [0.0; 8];
            let mut parts = [[0.0; 8]; 3];
            // SAFETY: arrays of eight are written as vectors of eight.
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
                    match self.clamped(lane, ray, view, t) {
                        Some(clamped) => t = clamped,
                        None => continue,
                    }
                }
                let t = t + 0.0; // -0.0 becomes +0.0
                // SAFETY: the last row has a name for each triangle.
                let name = unsafe { *self.names.add(lane) };
                let named = Named { world: self.world, instance: view.instance, name };
                let weights = [parts[0][lane], parts[1][lane], parts[2][lane]];
                is_better |= hits.offer_one::<ENDS>(ray, t, weights, named);
            }
        }
        is_better
    }

    /// `t` of an accepted triangle, clamped to where the ray is in the triangle's own box: the second
    /// condition of a hit ([`geometry::hit`]). `None` if it is nowhere.
    #[cold]
    #[inline(never)]
    fn clamped(&self, triangle: usize, ray: usize, view: &View, t: f32) -> Option<f32> {
        let (triangle, _) = self.world.arena.triangle(self.pointer, triangle);
        let ray = view.ray(ray, 0.0, f32::INFINITY);
        let bounds = triangle.bounds();
        let slabs = SlabRay::new(&ray, slab::reach(ray.origin, &bounds));
        Some(slabs.interval(&bounds, 0.0, f32::INFINITY)?.clamp(t))
    }
}

/// Which of eight pairs of a ray and a triangle the rule accepts, by exact signs, no farther than `limit`; where, and
/// the weights of the corners. The sheared corners come as x, y, z of each.
///
/// Products of two `f32` are exact in `f64`, so that fusing them with the difference changes no bit.
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
    let outside = _mm512_mask_cmp_pd_mask::<_CMP_GT_OQ>(negative, greatest, zero);
    let sum = _mm512_add_pd(_mm512_add_pd(u, v), w);
    let weighted = _mm512_add_pd(
        _mm512_add_pd(_mm512_mul_pd(u, az), _mm512_mul_pd(v, bz)),
        _mm512_mul_pd(w, cz),
    );
    let t = _mm512_cvtpd_ps(_mm512_div_pd(weighted, sum));
    let mask = candidates & !outside;
    let mask = _mm512_mask_cmp_pd_mask::<_CMP_NEQ_OQ>(mask, sum, zero);
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(mask, t, _mm256_setzero_ps());
    let mask = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(mask, t, limit);
    (mask, t, Weights { second: v, third: w, sum })
}

/// Which pairs have `t` where the ray is inside the triangle's own box, so that clamping leaves it alone. The
/// corners come as seen from the origin: for each axis, of each.
///
/// Let `R` be the largest distance from the origin to a corner on any axis, as rounded here; the reference
/// test dilates by `7uR` or more. By the comparison below the point at `t` lies within `2uR` of the box as seen
/// from the origin, whose planes are off by at most `uR`: `3uR` in all. What remains, `4uR/|d|`, is more
/// than the three roundings of a bound, none of which exceeds `uR/|d|` by more than second order.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn inside_own_box(mask: u8, corners: &[[__m256; 3]; 3], t: __m256, direction: &[__m256; 3]) -> u8 {
    let zero = _mm256_setzero_ps();
    let min = [least3(corners[0]), least3(corners[1]), least3(corners[2])];
    let max = [greatest3(corners[0]), greatest3(corners[1]), greatest3(corners[2])];
    let lowest = least3(min);
    let reach = _mm256_max_ps(greatest3(max), _mm256_sub_ps(zero, lowest));
    let slack = _mm256_mul_ps(reach, _mm256_set1_ps(f32::EPSILON));
    let minus_slack = _mm256_sub_ps(zero, slack);
    let mut inside = mask;
    for axis in 0..3 {
        let past_min = _mm256_fmsub_ps(t, direction[axis], min[axis]);
        let past_max = _mm256_fmsub_ps(t, direction[axis], max[axis]);
        inside = _mm256_mask_cmp_ps_mask::<_CMP_GE_OQ>(inside, past_min, minus_slack);
        inside = _mm256_mask_cmp_ps_mask::<_CMP_LE_OQ>(inside, past_max, slack);
    }
    inside
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
