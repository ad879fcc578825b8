//! Rays against triangles, by the watertight rule.
//!
//! The decisions are those of [`geometry::watertight`], operation by operation: all triangles of a
//! leaf in `f32`, and those that are not certainly outside in `f64`. The second condition of a hit,
//! that `t` lies in the triangle's own box, is settled at once for nearly all of them, and by
//! [`clamped`] for the rest.

use super::active_ray::{ActiveRay, TriangleTestRay};
use super::{TINY, WIDEN};
use crate::simd::{
    Doubles, Floats, Lanes, Simd, each, first_lanes, greatest, inlined, least, of_floats,
};
use geometry::{Ray, SlabRay, Triangle, slab};

/// Corners, seen from the origins of their rays and sheared: x and y, in the order of the shear,
/// and depth.
#[derive(Clone, Copy)]
pub(crate) struct Corners<F> {
    pub(crate) x: F,
    pub(crate) y: F,
    pub(crate) z: F,
}

impl<F: Floats> Corners<F> {
    /// Corners as seen from the origins, sheared by factors.
    #[inline(always)]
    pub(crate) fn sheared([x, y, z]: [F; 3], [along_x, along_y, along_z]: [F; 3]) -> Self {
        Self { x: x - along_x * z, y: y - along_y * z, z: along_z * z }
    }
}

/// Which of some triangles are not certainly outside of their rays, by the corners' places alone.
#[inline(always)]
pub(crate) fn not_outside<F: Floats>(a: &Corners<F>, b: &Corners<F>, c: &Corners<F>) -> u32 {
    let zero = F::splat(0.0);
    let u = c.x * b.y - c.y * b.x;
    let v = a.x * c.y - a.y * c.x;
    let w = b.x * a.y - b.y * a.x;
    !(least([u, v, w]).lt(zero) & greatest([u, v, w]).gt(zero))
}

/// Which of some triangles have a part before a limit and ahead of their rays: the parameter of a
/// hit is a mean of the corners' depths.
#[inline(always)]
pub(crate) fn in_reach<F: Floats>(a: &Corners<F>, b: &Corners<F>, c: &Corners<F>, limit: F) -> u32 {
    let depths = [a.z, b.z, c.z];
    least(depths).le(limit) & greatest(depths).ge(F::splat(0.0))
}

/// The triangles of a leaf that the ray may hit no farther than the end of its range: bit `i` for
/// triangle `i`.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of
/// coordinates.
#[inline(always)]
pub(crate) unsafe fn candidates<V: Simd>(leaf: *const u8, count: usize, slot: &ActiveRay) -> u32 {
    let row = 4 * count;
    // SAFETY: POINTER-PROVED, LEAF-ROOM. The rows of a corner lie three rows behind those of the
    // one before.
    let (a, b, c) = unsafe {
        (
            corner::<V>(leaf, row, &slot.triangle_ray),
            corner::<V>(leaf.add(3 * row), row, &slot.triangle_ray),
            corner::<V>(leaf.add(6 * row), row, &slot.triangle_ray),
        )
    };
    // Depths are known first, so they are asked first.
    let reached = first_lanes(count) & in_reach(&a, &b, &c, V::F8::splat(limit(slot)));
    reached & not_outside(&a, &b, &c)
}

/// A corner of each triangle, seen from the origin of the ray, and sheared.
///
/// # Safety
/// Three rows must lie at `rows`, with 32 bytes behind the last one that is read.
#[inline(always)]
unsafe fn corner<V: Simd>(rows: *const u8, row: usize, shear: &TriangleTestRay) -> Corners<V::F8> {
    let seen = inlined(
        #[inline(always)]
        |axis: usize| {
            // SAFETY: POINTER-PROVED, LEAF-ROOM.
            let lanes = unsafe { V::F8::load(rows.add(shear.axes[axis] as usize * row).cast()) };
            lanes - V::F8::splat(shear.origin[axis])
        },
    );
    Corners::sheared([seen(0), seen(1), seen(2)], each(shear.factors, V::F8::splat))
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

/// Whether the rule accepts triangle `lane` of a leaf, by exact signs, and where.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, and `lane` be less.
#[inline(always)]
pub(crate) unsafe fn accepted<V: Simd>(
    leaf: *const u8,
    count: usize,
    lane: usize,
    slot: &ActiveRay,
) -> Option<Accepted> {
    debug_assert!(lane < count, "LANE-PRESENT");
    let (row, shear) = (4 * count, &slot.triangle_ray);
    let corners = inlined(
        #[inline(always)]
        |axis: usize| {
            // SAFETY: POINTER-PROVED, LANE-PRESENT. The rows of the corners on one axis are three
            // rows apart.
            let [a, b, c] = unsafe {
                let first = leaf.add(4 * lane + shear.axes[axis] as usize * row);
                [*first.cast(), *first.add(3 * row).cast(), *first.add(6 * row).cast()]
            };
            of_floats::<V::F4, 4>(&[a, b, c, c]) - V::F4::splat(shear.origin[axis])
        },
    );
    accepted_at::<V>(corners(0), corners(1), corners(2), slot)
}

/// Whether it accepts the triangle with these corners, a lane each, as seen from the origin of the
/// ray.
#[inline(always)]
pub(crate) fn accepted_at<V: Simd>(
    x: V::F4,
    y: V::F4,
    z: V::F4,
    slot: &ActiveRay,
) -> Option<Accepted> {
    let shear = &slot.triangle_ray;
    let sheared = Corners::sheared([x, y, z], each(shear.factors, V::F4::splat));
    // Lanes u, v, w: corners c, a, b before, and b, c, a after.
    let before = [V::D4::widened(V::before(sheared.x)), V::D4::widened(V::before(sheared.y))];
    let after = [V::D4::widened(V::after(sheared.x)), V::D4::widened(V::after(sheared.y))];
    let edges = before[0] * after[1] - before[1] * after[0];
    let zero = V::D4::splat(0.0);
    let (negative, positive) = (edges.lt(zero) & 7, zero.lt(edges) & 7);
    let [u, v, w] = three(edges);
    let [at_a, at_b, at_c] = three(edges * V::D4::widened(sheared.z));
    let determinant = (u + v) + w;
    let t = (((at_a + at_b) + at_c) / determinant) as f32;
    // A determinant of zero makes `t` infinite or NaN.
    let is_reached = (t >= 0.0) & (t <= limit(slot));
    if ((negative != 0) & (positive != 0)) | !is_reached | (determinant == 0.0) {
        return None;
    }
    let is_settled = is_inside_own_box::<V>([x, y, z], t, &shear.direction);
    Some(Accepted { t, is_settled, weights: [v, w, determinant] })
}

/// The first three lanes.
#[inline(always)]
fn three<D: Doubles>(lanes: D) -> [f64; 3] {
    let mut four = [0.0; 4];
    const { assert!(D::LANES == 4) }
    // SAFETY: VECTOR-SIZED.
    unsafe { lanes.store(four.as_mut_ptr()) };
    [four[0], four[1], four[2]]
}

/// Whether a ray is at `t` inside the own box of the triangle with these corners, a lane each, on
/// each axis: [`inside_own_box`] with an axis a lane.
#[inline(always)]
pub(crate) fn is_inside_own_box<V: Simd>(
    corners: [V::F4; 3],
    t: f32,
    direction: &[f32; 4],
) -> bool {
    let corners = V::columns(corners);
    let (min, max) = (least(corners), greatest(corners));
    let slack = V::F4::splat(max.max(min.minus()).greatest() * slack::<V>());
    let (t, direction) = (V::F4::splat(t), of_floats(direction));
    let past_max = t.mul_add(direction, max.minus());
    let before_min = t.minus().mul_add(direction, min);
    past_max.max(before_min).le(slack) & 7 == 7
}

/// How far outside its own box a point may lie, in terms of the reach.
#[inline(always)]
fn slack<V: Simd>() -> f32 {
    if V::FUSED { f32::EPSILON } else { f32::EPSILON / 2.0 }
}

/// Which rays are at `t` inside the own box of a triangle, so that clamping leaves it alone. The
/// corners come as seen from the origin: for each axis, of each.
///
/// Let `R` be the largest distance from the origin to a corner on any axis, as rounded here; the
/// reference test dilates by `7uR` or more. By the comparison below the point at `t` lies within
/// `2uR` of the box as seen from the origin (the product is rounded by `uR` where it is not fused),
/// whose planes are off by at most `uR`: `3uR` in all. What remains, `4uR/|d|`, is more than the
/// three roundings of a bound, none of which exceeds `uR/|d|` by more than second order.
#[inline(always)]
pub(crate) fn inside_own_box<V: Simd, F: Floats>(
    corners: &[[F; 3]; 3],
    t: F,
    direction: &[F; 3],
) -> u32 {
    let min = each(*corners, least);
    let max = each(*corners, greatest);
    let reach = greatest(max).max(least(min).minus());
    let slack = reach * F::splat(slack::<V>());
    // How far the point lies outside, on the axis where that is most.
    let outside = inlined(
        #[inline(always)]
        |axis: usize| {
            let past_max = t.mul_add(direction[axis], max[axis].minus());
            let before_min = t.minus().mul_add(direction[axis], min[axis]);
            past_max.max(before_min)
        },
    );
    greatest([outside(0), outside(1), outside(2)]).le(slack)
}

/// Which of eight pairs of a ray and a triangle the rule accepts, by exact signs, no farther than
/// `limit`; where, and the weights of the second and third corner and the sum of all.
#[inline(always)]
pub(crate) fn accepted_pairs<V: Simd>(
    a: &Corners<V::F8>,
    b: &Corners<V::F8>,
    c: &Corners<V::F8>,
    limit: V::F8,
) -> (u32, V::F8, [V::D8; 3]) {
    let [ax, ay, az] = each([a.x, a.y, a.z], V::D8::widened);
    let [bx, by, bz] = each([b.x, b.y, b.z], V::D8::widened);
    let [cx, cy, cz] = each([c.x, c.y, c.z], V::D8::widened);
    // Products of two `f32` are exact in `f64`, so that fusing them with the difference changes no
    // bit.
    let u = cx.mul_sub(by, cy * bx);
    let v = ax.mul_sub(cy, ay * cx);
    let w = bx.mul_sub(ay, by * ax);
    let zero = V::D8::splat(0.0);
    let negative = u.min(v).min(w).lt(zero);
    let positive = zero.lt(u.max(v).max(w));
    let sum = (u + v) + w;
    let t = (((u * az + v * bz) + w * cz) / sum).narrowed();
    let is_reached = t.ge(V::F8::splat(0.0)) & t.le(limit);
    (is_reached & !(negative & positive) & !sum.eq(zero), t, [v, w, sum])
}

/// `t` of an accepted triangle, clamped to where the ray is in the triangle's own box: the second
/// condition of a hit ([`geometry::hit`]). `None` if it is nowhere.
#[cold]
pub(crate) fn clamped(ray: &Ray, triangle: &Triangle, t: f32) -> Option<f32> {
    let bounds = triangle.bounds();
    let slabs = SlabRay::new(ray, slab::reach(ray.origin, &bounds));
    Some(slabs.interval(&bounds, 0.0, f32::INFINITY)?.clamp(t))
}
