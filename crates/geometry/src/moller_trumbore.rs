//! The triangle test of Möller and Trumbore, in the order of operations of the GFX12 unit (G-8).
//!
//! Every product, sum and quotient is rounded on its own; a cross product is two products and a
//! difference, a dot product is `(x + y) + z`, and quotients are true divisions. Nothing is fused.

use crate::{RawHit, Ray, Triangle};
use glam::Vec3;

/// The determinant and the three numerators of the test, defined for misses too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Determinants {
    /// `dot(s1, e1)`: positive or zero for a front face.
    pub denominator: f32,
    /// Numerator of `t`.
    pub t: f32,
    /// Numerator of `u`, the weight of the second corner.
    pub u: f32,
    /// Numerator of `v`, the weight of the third corner.
    pub v: f32,
}

/// Evaluates the test for the line through `origin` along `direction`.
#[must_use]
pub fn determinants(origin: Vec3, direction: Vec3, triangle: &Triangle) -> Determinants {
    let [v0, v1, v2] = triangle.vertices;
    let (e1, e2, e3) = (v1 - v0, v2 - v0, origin - v0);
    let (s1, s2) = (cross(direction, e2), cross(e3, e1));
    Determinants { denominator: dot(s1, e1), t: dot(e2, s2), u: dot(e3, s1), v: dot(direction, s2) }
}

/// The hit, if there is one at `t >= 0`. A NaN anywhere is a miss.
#[must_use]
pub fn intersect(ray: &Ray, triangle: &Triangle) -> Option<RawHit> {
    let d = determinants(ray.origin, ray.direction, triangle);
    let (t, u, v) = (d.t / d.denominator, d.u / d.denominator, d.v / d.denominator);
    let inside = (0.0..=1.0).contains(&u) && v >= 0.0 && u + v <= 1.0;
    (d.denominator != 0.0 && inside && t >= 0.0).then_some(RawHit {
        t,
        u,
        v,
        front: d.denominator > 0.0,
    })
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

fn dot(a: Vec3, b: Vec3) -> f32 {
    (a.x * b.x + a.y * b.y) + a.z * b.z
}
