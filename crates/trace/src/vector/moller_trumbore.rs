//! One ray against the triangles of a leaf, by the rule of Möller and Trumbore.
//!
//! All triangles of a leaf at once, by the operations of [`geometry::moller_trumbore`] in their
//! order, a triangle a lane; for those that are accepted the plain function itself forms the
//! answer. Nothing is said about distances before `t` is clamped: where a triangle is seen edge-on
//! this rule's `t` may be anywhere.

use super::active_ray::{ActiveRay, TriangleTestRay};
use super::triangles::{Accepted, is_inside_own_box};
use crate::simd::{Floats, Lanes, Simd, each, first_lanes, inlined, of_floats};
use geometry::{Ray, Triangle, Vec3, moller_trumbore};

/// The triangles of a leaf that the rule accepts: bit `i` for triangle `i`.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of
/// coordinates.
#[inline(always)]
pub(crate) unsafe fn candidates<V: Simd>(leaf: *const u8, count: usize, slot: &ActiveRay) -> u32 {
    let row = 4 * count;
    // SAFETY: POINTER-PROVED, LEAF-ROOM: nine rows, three for each corner.
    let row = inlined(
        #[inline(always)]
        |number: usize| unsafe { V::F8::load(leaf.add(number * row).cast()) },
    );
    let corner = inlined(
        #[inline(always)]
        |number: usize| [row(3 * number), row(3 * number + 1), row(3 * number + 2)],
    );
    met([corner(0), corner(1), corner(2)], slot) & first_lanes(count)
}

/// Which of some triangles the rule accepts.
#[inline(always)]
pub(crate) fn met<F: Floats>([v0, v1, v2]: [[F; 3]; 3], slot: &ActiveRay) -> u32 {
    let [x, y, z, _] = slot.triangle_ray.direction;
    let direction = each([x, y, z], F::splat);
    let origin = each(slot.triangle_ray.origin, F::splat);
    let (e1, e2, e3) = (minus(v1, v0), minus(v2, v0), minus(origin, v0));
    let (s1, s2) = (cross(direction, e2), cross(e3, e1));
    let denominator = dot(s1, e1);
    let t = dot(e2, s2) / denominator;
    let u = dot(e3, s1) / denominator;
    let v = dot(direction, s2) / denominator;
    let (zero, one) = (F::splat(0.0), F::splat(1.0));
    // A NaN fails every comparison but the first.
    !denominator.eq(zero) & t.ge(zero) & u.ge(zero) & u.le(one) & v.ge(zero) & (u + v).le(one)
}

/// Whether the rule accepts triangle `lane` of a leaf, and where.
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
    let row = 4 * count;
    let mut triangle = Triangle::new(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for (number, vertex) in triangle.vertices.iter_mut().enumerate() {
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        *vertex = unsafe {
            let first = leaf.add(4 * lane + 3 * number * row);
            Vec3::new(*first.cast(), *first.add(row).cast(), *first.add(2 * row).cast())
        };
    }
    accepted_at::<V>(&triangle, slot)
}

/// Whether the rule accepts a triangle, and where.
#[inline(always)]
pub(crate) fn accepted_at<V: Simd>(triangle: &Triangle, slot: &ActiveRay) -> Option<Accepted> {
    let TriangleTestRay { origin: [ox, oy, oz], direction: [dx, dy, dz, _], .. } =
        slot.triangle_ray;
    let ray = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz));
    let hit = moller_trumbore::intersect(&ray, triangle)?;
    let [a, b, c] = triangle.vertices;
    let seen = inlined(
        #[inline(always)]
        |axis: usize| {
            let corners = of_floats::<V::F4, 4>(&[a[axis], b[axis], c[axis], c[axis]]);
            corners - V::F4::splat(slot.triangle_ray.origin[axis])
        },
    );
    let seen = [seen(0), seen(1), seen(2)];
    let is_settled = is_inside_own_box::<V>(seen, hit.t, &slot.triangle_ray.direction);
    Some(Accepted { t: hit.t, is_settled, weights: [hit.u.into(), hit.v.into(), 1.0] })
}

#[inline(always)]
fn minus<F: Floats>(a: [F; 3], b: [F; 3]) -> [F; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// Two products and a difference.
#[inline(always)]
fn cross<F: Floats>([ax, ay, az]: [F; 3], [bx, by, bz]: [F; 3]) -> [F; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// `(x + y) + z`.
#[inline(always)]
fn dot<F: Floats>(a: [F; 3], b: [F; 3]) -> F {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::super::rule::MollerTrumbore;
    use super::super::triangles::clamped;
    use super::*;
    use crate::kernel::with_kernel;
    use crate::vector::axis_lanes::AxisLanes;
    use crate::{Kernel, ordinary};
    use geometry::random::Random;

    /// A coordinate: most of them near, some on a grid so that they meet, few extreme.
    fn coordinate(random: &mut Random) -> f32 {
        match random.below(16) {
            0..6 => random.below(5) as f32 - 2.0,
            6 => random.range(0.0, 1e-38),
            7 => random.range(0.0, 1e30),
            _ => random.range(-2.0, 2.0),
        }
    }

    fn point(random: &mut Random) -> Vec3 {
        Vec3::new(coordinate(random), coordinate(random), coordinate(random))
    }

    /// A triangle that the ray may meet anywhere, edge-on, at a corner; some have no area.
    fn triangle(random: &mut Random, ray: &Ray) -> Triangle {
        let [a, b, c] = [point(random), point(random), point(random)];
        let on_ray = ray.at(coordinate(random));
        match random.below(8) {
            0 => Triangle::new(a, a + ray.direction * random.range(0.0, 1.0), b),
            1 => Triangle::new(on_ray, a, b),
            2 => Triangle::new(a, b, a + (b - a) * random.range(0.0, 1.0)),
            3 => Triangle::new(a, b, a),
            4 | 5 => Triangle::new(on_ray + a * 0.1, on_ray + b * 0.1, on_ray + c * 0.1),
            _ => Triangle::new(a, b, c),
        }
    }

    /// All lanes against the plain rule, and what is settled against the definition of a hit.
    #[test]
    fn lanes_are_the_plain_rule() {
        for kernel in Kernel::ALL.into_iter().filter(|kernel| kernel.is_available()) {
            with_kernel!(kernel, V => lanes_of::<V>());
        }
    }

    fn lanes_of<V: Simd>() {
        let mut random = Random(31);
        let (mut accepted_count, mut settled_count) = (0, 0);
        for _ in 0..60_000 {
            let ray = Ray::new(point(&mut random), point(&mut random));
            let count = 1 + random.below(8);
            let triangles: Vec<Triangle> =
                (0..count).map(|_| triangle(&mut random, &ray)).collect();
            let mut words = [f32::NAN; 9 * 8 + 8];
            for (column, triangle) in triangles.iter().enumerate() {
                let corners = triangle.vertices.iter().flat_map(|v| v.to_array());
                for (row, coordinate) in corners.enumerate() {
                    words[row * count + column] = coordinate;
                }
            }
            let mut slot = ActiveRay::EMPTY;
            let leaf = words.as_ptr().cast();
            // SAFETY: FEATURES-DETECTED, LEAF-ROOM: nine rows lie there, and eight words more.
            let mask = unsafe {
                slot.triangle_ray = AxisLanes::<V>::new(&ray).triangle_ray::<MollerTrumbore>();
                candidates::<V>(leaf, count, &slot)
            };
            for (lane, triangle) in triangles.iter().enumerate() {
                let expected = moller_trumbore::intersect(&ray, triangle);
                assert_eq!(mask >> lane & 1 == 1, expected.is_some(), "{ray:?} {triangle:?}");
                // SAFETY: FEATURES-DETECTED, LANE-PRESENT.
                let found = unsafe { accepted::<V>(leaf, count, lane, &slot) };
                let bits = |t: f32, (u, v): (f32, f32)| [t, u, v].map(f32::to_bits);
                assert_eq!(
                    found.as_ref().map(|found| bits(found.t, found.u_v())),
                    expected.map(|hit| bits(hit.t, (hit.u, hit.v))),
                );
                accepted_count += usize::from(found.is_some());
                let largest = triangle.vertices.map(|v| v.abs().max_element());
                let is_ordinary = ordinary::is_ordinary(&ray)
                    && largest.iter().all(|&size| size <= ordinary::LARGEST);
                if let Some(Accepted { t, is_settled: true, .. }) = found
                    && is_ordinary
                {
                    settled_count += 1;
                    assert_eq!(clamped(&ray, triangle, t), Some(t), "{ray:?} {triangle:?}");
                }
            }
            assert_eq!(mask >> count, 0);
        }
        assert!(accepted_count > 10_000 && settled_count > 5_000, "{accepted_count}");
    }
}
