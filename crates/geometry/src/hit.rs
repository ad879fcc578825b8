//! The definition of a hit.
//!
//! A triangle is hit when the triangle rule accepts it **and** the reference slab test of the
//! triangle's own box is not empty; `t` is then clamped into that interval, and must satisfy
//! `tmin < t < tmax`. The slab test is monotone ([`crate::slab`]), so the interval of any box that
//! contains the triangle's box contains that `t`: skipping boxes that the ray misses, or that begin
//! beyond the best hit so far, never changes an answer, for any tree and for both rules. Without
//! the second condition near edge-on triangles would be accepted outside their own boxes, and the
//! answer would depend on the tree.
//!
//! A procedural box is hit where the ray enters it, or at `tmin` when the ray starts inside; its
//! bounds are closed.

use crate::{Aabb, Ray, SlabRay, Triangle, TriangleRule, slab};

/// Where a ray meets a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceHit {
    /// Ray parameter.
    pub t: f32,
    /// Weight of the second corner; 0 for a procedural box.
    pub u: f32,
    /// Weight of the third corner; 0 for a procedural box.
    pub v: f32,
    /// Whether the front is seen; always true for a procedural box.
    pub front: bool,
}

/// Whether and where `ray` hits `triangle`.
#[must_use]
pub fn triangle_hit(rule: TriangleRule, ray: &Ray, triangle: &Triangle) -> Option<SurfaceHit> {
    let raw = rule.intersect(ray, triangle)?;
    let bounds = triangle.bounds();
    let slabs = SlabRay::new(ray, slab::reach(ray.origin, &bounds));
    let interval = slabs.interval(&bounds, 0.0, f32::INFINITY)?;
    let t = interval.clamp(raw.t) + 0.0; // -0.0 becomes +0.0
    (ray.tmin < t && t < ray.tmax).then_some(SurfaceHit { t, u: raw.u, v: raw.v, front: raw.front })
}

/// Whether and where `ray` enters the box `bounds`.
#[must_use]
pub fn procedural_hit(ray: &Ray, bounds: &Aabb) -> Option<SurfaceHit> {
    let slabs = SlabRay::new(ray, slab::reach(ray.origin, bounds));
    let t = slabs.interval(bounds, ray.tmin, ray.tmax)?.enter + 0.0;
    (t <= ray.tmax).then_some(SurfaceHit { t, u: 0.0, v: 0.0, front: true })
}
