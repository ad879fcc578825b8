//! One ray against the triangles of a leaf, by the rule of Möller and Trumbore.
//!
//! All triangles of a leaf at once, by the operations of [`geometry::moller_trumbore`] in their
//! order, a triangle a lane; for those that are accepted the plain function itself forms the
//! answer. Nothing is said about distances before `t` is clamped: where a triangle is seen edge-on
//! this rule's `t` may be anywhere.

use super::active_ray::{ActiveRay, TriangleTestRay};
use super::triangles::{Accepted, inside_own_box};
use geometry::{Ray, Triangle, Vec3, moller_trumbore};
use std::arch::x86_64::*;

/// A vector a lane.
#[derive(Clone, Copy)]
pub(crate) struct Three {
    pub(crate) x: __m256,
    pub(crate) y: __m256,
    pub(crate) z: __m256,
}

/// The triangles of a leaf that the rule accepts: bit `i` for triangle `i`.
///
/// # Safety
/// `leaf` must point to a leaf of `count` triangles, with 32 bytes behind its last row of
/// coordinates.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn candidates(leaf: *const u8, count: usize, slot: &ActiveRay) -> u8 {
    let row = 4 * count;
    // SAFETY: POINTER-PROVED, LEAF-ROOM. The rows of a corner lie three rows behind those of the
    // one before.
    let (v0, v1, v2) = unsafe {
        (corner(leaf, row), corner(leaf.add(3 * row), row), corner(leaf.add(6 * row), row))
    };
    met(v0, v1, v2, slot) & ((1u32 << count) - 1) as u8
}

/// Which of eight triangles the rule accepts.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) fn met(v0: Three, v1: Three, v2: Three, slot: &ActiveRay) -> u8 {
    let [x, y, z, _] = slot.triangle_ray.direction;
    let direction = spread([x, y, z]);
    let origin = spread(slot.triangle_ray.origin);
    let (e1, e2, e3) = (minus(v1, v0), minus(v2, v0), minus(origin, v0));
    let (s1, s2) = (cross(direction, e2), cross(e3, e1));
    let denominator = dot(s1, e1);
    let t = _mm256_div_ps(dot(e2, s2), denominator);
    let u = _mm256_div_ps(dot(e3, s1), denominator);
    let v = _mm256_div_ps(dot(direction, s2), denominator);
    let (zero, one) = (_mm256_setzero_ps(), _mm256_set1_ps(1.0));
    // A NaN fails every comparison but the first.
    let mut inside = _mm256_cmp_ps::<_CMP_NEQ_UQ>(denominator, zero);
    inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_GE_OQ>(t, zero));
    inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_GE_OQ>(u, zero));
    inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_LE_OQ>(u, one));
    inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_GE_OQ>(v, zero));
    inside = _mm256_and_ps(inside, _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_add_ps(u, v), one));
    _mm256_movemask_ps(inside) as u8
}

/// Whether the rule accepts triangle `lane` of a leaf, and where.
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
    let mut triangle = Triangle::new(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for (number, vertex) in triangle.vertices.iter_mut().enumerate() {
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        *vertex = unsafe {
            let first = leaf.add(4 * lane + 3 * number * row);
            Vec3::new(*first.cast(), *first.add(row).cast(), *first.add(2 * row).cast())
        };
    }
    accepted_at(&triangle, slot)
}

/// Whether the rule accepts a triangle, and where.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) fn accepted_at(triangle: &Triangle, slot: &ActiveRay) -> Option<Accepted> {
    let TriangleTestRay { origin: [ox, oy, oz], direction: [dx, dy, dz, _], .. } =
        slot.triangle_ray;
    let ray = Ray::new(Vec3::new(ox, oy, oz), Vec3::new(dx, dy, dz));
    let hit = moller_trumbore::intersect(&ray, triangle)?;
    let [a, b, c] = triangle.vertices;
    let x = _mm_sub_ps(_mm_setr_ps(a.x, b.x, c.x, c.x), _mm_set1_ps(ox));
    let y = _mm_sub_ps(_mm_setr_ps(a.y, b.y, c.y, c.y), _mm_set1_ps(oy));
    let z = _mm_sub_ps(_mm_setr_ps(a.z, b.z, c.z, c.z), _mm_set1_ps(oz));
    let is_settled = inside_own_box(x, y, z, hit.t, &slot.triangle_ray.direction);
    Some(Accepted { t: hit.t, is_settled, weights: [hit.u.into(), hit.v.into(), 1.0] })
}

/// A corner of each triangle.
///
/// # Safety
/// Three rows must lie at `rows`, with 32 bytes behind the last one that is read.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
unsafe fn corner(rows: *const u8, row: usize) -> Three {
    // SAFETY: POINTER-PROVED, LEAF-ROOM.
    unsafe {
        Three {
            x: _mm256_loadu_ps(rows.cast()),
            y: _mm256_loadu_ps(rows.add(row).cast()),
            z: _mm256_loadu_ps(rows.add(2 * row).cast()),
        }
    }
}

/// The same in all lanes.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn spread(numbers: [f32; 3]) -> Three {
    Three {
        x: _mm256_set1_ps(numbers[0]),
        y: _mm256_set1_ps(numbers[1]),
        z: _mm256_set1_ps(numbers[2]),
    }
}

#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn minus(a: Three, b: Three) -> Three {
    Three { x: _mm256_sub_ps(a.x, b.x), y: _mm256_sub_ps(a.y, b.y), z: _mm256_sub_ps(a.z, b.z) }
}

/// Two products and a difference.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn cross(a: Three, b: Three) -> Three {
    Three {
        x: _mm256_sub_ps(_mm256_mul_ps(a.y, b.z), _mm256_mul_ps(a.z, b.y)),
        y: _mm256_sub_ps(_mm256_mul_ps(a.z, b.x), _mm256_mul_ps(a.x, b.z)),
        z: _mm256_sub_ps(_mm256_mul_ps(a.x, b.y), _mm256_mul_ps(a.y, b.x)),
    }
}

/// `(x + y) + z`.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn dot(a: Three, b: Three) -> __m256 {
    let xy = _mm256_add_ps(_mm256_mul_ps(a.x, b.x), _mm256_mul_ps(a.y, b.y));
    _mm256_add_ps(xy, _mm256_mul_ps(a.z, b.z))
}

#[cfg(test)]
mod tests {
    use super::super::rule::MollerTrumbore;
    use super::super::triangles::clamped;
    use super::*;
    use crate::ordinary;
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
        if !crate::avx2::is_available() {
            return;
        }
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
                slot.triangle_ray.set::<MollerTrumbore>(&ray);
                candidates(leaf, count, &slot)
            };
            for (lane, triangle) in triangles.iter().enumerate() {
                let expected = moller_trumbore::intersect(&ray, triangle);
                assert_eq!(mask >> lane & 1 == 1, expected.is_some(), "{ray:?} {triangle:?}");
                // SAFETY: FEATURES-DETECTED, LANE-PRESENT.
                let found = unsafe { accepted(leaf, count, lane, &slot) };
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
            assert_eq!(u32::from(mask) >> count, 0);
        }
        assert!(accepted_count > 10_000 && settled_count > 5_000, "{accepted_count}");
    }
}
