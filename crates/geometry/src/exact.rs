//! The questions of this crate answered in rational arithmetic: what a test should say if numbers
//! had no width. For tests; slow.

use crate::{Aabb, Ray, Triangle};
use glam::Vec3;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};

/// The exact value of a finite float.
///
/// # Panics
/// For NaN and infinities, which have none.
#[must_use]
#[allow(clippy::expect_used, reason = "an oracle for tests")]
pub fn rational(x: f32) -> BigRational {
    BigRational::from_float(x).expect("a finite float")
}

/// About how large a fraction is.
#[must_use]
pub fn approximately(x: &BigRational) -> f64 {
    x.to_f64().unwrap_or(f64::NAN)
}

/// A point or vector with exact coordinates.
pub type ExactVec3 = [BigRational; 3];

/// The exact value of a finite vector.
#[must_use]
pub fn vector(v: Vec3) -> ExactVec3 {
    v.to_array().map(rational)
}

/// Entry and exit of a ray and a closed box within `[tmin, tmax]`; `None` for a miss. An exit of
/// `None` means that the ray never leaves.
#[must_use]
pub fn ray_box(ray: &Ray, bounds: &Aabb) -> Option<(BigRational, Option<BigRational>)> {
    let mut enter = rational(ray.tmin);
    let mut exit = ray.tmax.is_finite().then(|| rational(ray.tmax));
    for k in 0..3 {
        let (origin, direction) = (rational(ray.origin[k]), rational(ray.direction[k]));
        let (min, max) = (rational(bounds.min[k]), rational(bounds.max[k]));
        if direction.is_zero() {
            if origin < min || origin > max {
                return None;
            }
            continue;
        }
        let (a, b) = ((min - &origin) / &direction, (max - &origin) / &direction);
        let (near, far) = if direction.is_positive() { (a, b) } else { (b, a) };
        enter = enter.max(near);
        exit = Some(exit.map_or(far.clone(), |exit| exit.min(far)));
    }
    match &exit {
        Some(exit) if enter > *exit => None,
        _ => Some((enter, exit)),
    }
}

/// Where a line meets a triangle, exactly.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactHit {
    /// Line parameter, of any sign.
    pub t: BigRational,
    /// Weight of the second corner.
    pub u: BigRational,
    /// Weight of the third corner.
    pub v: BigRational,
    /// Whether the corners run counter-clockwise as seen from the origin.
    pub front: bool,
}

/// Intersects the line of a ray with the closed triangle; `None` when they do not meet or are
/// parallel.
#[must_use]
pub fn line_triangle(ray: &Ray, triangle: &Triangle) -> Option<ExactHit> {
    let [v0, v1, v2] = triangle.vertices.map(vector);
    let (e1, e2) = (sub(&v1, &v0), sub(&v2, &v0));
    let direction = vector(ray.direction);
    let from_corner = sub(&vector(ray.origin), &v0);
    let (s1, s2) = (cross(&direction, &e2), cross(&from_corner, &e1));
    let denominator = dot(&s1, &e1);
    if denominator.is_zero() {
        return None;
    }
    let (t, u, v) = (
        dot(&e2, &s2) / &denominator,
        dot(&from_corner, &s1) / &denominator,
        dot(&direction, &s2) / &denominator,
    );
    let inside = !u.is_negative() && !v.is_negative() && &u + &v <= BigRational::one();
    inside.then(|| ExactHit { t, u, v, front: denominator.is_positive() })
}

fn sub(a: &ExactVec3, b: &ExactVec3) -> ExactVec3 {
    std::array::from_fn(|k| &a[k] - &b[k])
}

fn cross(a: &ExactVec3, b: &ExactVec3) -> ExactVec3 {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        &a[i] * &b[j] - &a[j] * &b[i]
    })
}

fn dot(a: &ExactVec3, b: &ExactVec3) -> BigRational {
    &a[0] * &b[0] + &a[1] * &b[1] + &a[2] * &b[2]
}
