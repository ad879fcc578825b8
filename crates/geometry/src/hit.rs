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
    // B-10: into the interval of the triangle's own box. -0.0 becomes +0.0.
    let t = interval.clamp(raw.t) + 0.0;
    (ray.tmin < t && t < ray.tmax).then_some(SurfaceHit { t, u: raw.u, v: raw.v, front: raw.front })
}

/// Whether and where `ray` enters the box `bounds`.
#[must_use]
pub fn procedural_hit(ray: &Ray, bounds: &Aabb) -> Option<SurfaceHit> {
    let slabs = SlabRay::new(ray, slab::reach(ray.origin, bounds));
    let interval = slabs.interval(bounds, ray.tmin, ray.tmax)?;
    let t = if slab::is_snapped(ray.direction) { slow_entry(ray, bounds)? } else { interval.enter };
    let t = t + 0.0; // -0.0 becomes +0.0
    (t <= ray.tmax).then_some(SurfaceHit { t, u: 0.0, v: 0.0, front: true })
}

/// The farthest hit of a ray with a component too small to divide by. Transforms round such
/// directions coarsely; a quarter keeps its hits finite in every space.
const FARTHEST_SLOW_HIT: f64 = f32::MAX as f64 / 4.0;

/// Where a ray enters a box that the slab test, which takes it for a beam, may take for met. Such a
/// ray moves so slowly that the beam is as wide as the scene.
fn slow_entry(ray: &Ray, bounds: &Aabb) -> Option<f32> {
    let (mut enter, mut exit) = (f64::from(ray.tmin), f64::from(ray.tmax).min(FARTHEST_SLOW_HIT));
    for axis in 0..3 {
        let [origin, direction, min, max] =
            [ray.origin, ray.direction, bounds.min, bounds.max].map(|v| f64::from(v[axis]));
        if direction == 0.0 {
            if origin < min || max < origin {
                return None;
            }
            continue;
        }
        let (a, b) = ((min - origin) / direction, (max - origin) / direction);
        (enter, exit) = (enter.max(a.min(b)), exit.min(a.max(b)));
    }
    (enter <= exit).then_some(enter as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    /// The slab test takes such rays for beams; they still meet only what lies on their way.
    #[test]
    fn slow_rays_meet_boxes_on_their_way() {
        let unit = Aabb::new(-Vec3::ONE, Vec3::ONE);
        let hit = |origin: Vec3, direction: Vec3| {
            procedural_hit(&Ray::new(origin, direction), &unit).map(|hit| hit.t)
        };
        let origin = Vec3::new(1.0 + 1.0e-4, 0.0, 0.0);
        // The box is left at 2^129 or so, but entered before.
        let t = hit(origin, Vec3::new(-1.0e-41, 0.0, 0.0)).unwrap();
        assert!((t / 1.0e37 - 1.0).abs() < 1.0e-2, "{t}");
        // Entered beyond all numbers; passed by; run away from.
        assert_eq!(hit(Vec3::X * 9.0, Vec3::X * -1.0e-40), None);
        assert_eq!(hit(origin, Vec3::new(-1.0e-41, 1.0e-36, 0.0)), None);
        assert_eq!(hit(origin, Vec3::X * 1.0e-41), None);
        assert_eq!(hit(Vec3::ZERO, Vec3::X * 1.0e-41), Some(0.0));
    }
}
