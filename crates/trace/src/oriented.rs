//! Oriented nodes, whose boxes lie in a frame of their own: rays are turned before they are tested.
//!
//! Such a box contains `M p` for the matrix `M` of the node and every point `p` of what is below
//! it. `M` is linear, so a ray keeps its parameters in the frame. With `u = 2^-24`, the reach `R`
//! and the origin `o` of the ray in its level, and sizes as largest components (`M` makes them at
//! most `sqrt(3)` times as large):
//!
//! * A hit by the watertight rule lies within `10uR` of a point of the triangle: its weights are
//!   those of the point where the ray passes, but for the rounding of sheared corners, and `t` is
//!   their mean depth. So does the entry into a procedural box. In the frame that is less than
//!   `24uR`.
//! * The turned origin is off by less than `6u|o|`, and the direction, at a hit, by less than
//!   `6uR`.
//! * Planes are met as in any node. The node's origin is no larger than four times the root's box,
//!   whose corners are no larger than `R + |o|`, and `S` is at most `16R`; with that, they move by
//!   less than `32u(R + |o|)`. In the scalar walk they are decoded to `f32`, and move by less.
//!
//! All of it is less than `68u(R + |o|)`; rays are dilated by nearly twice that. The rule of Möller
//! and Trumbore accepts points that lie farther from their triangle, and directions out of the
//! ordinary ([`crate::ordinary`]) do not keep such bounds when they are turned: then the boxes of
//! oriented nodes decide nothing.

use crate::ordinary;
use geometry::{Aabb, Ray, SlabRay, Transform, TriangleRule, slab};

/// The dilation of turned rays, in units of the reach and the origin: 112 u.
const DILATION: f32 = 112.0 / 16_777_216.0;

/// A ray of a level with these bounds in the frame of a node, and its dilation there.
#[inline]
pub(crate) fn turned(ray: &Ray, bounds: &Aabb, rotation: &Transform) -> (Ray, f32) {
    let (origin, direction) = (rotation.point(ray.origin), rotation.vector(ray.direction));
    let size = slab::reach(ray.origin, bounds) + ray.origin.abs().max_element();
    (Ray { origin, direction, ..*ray }, DILATION * size)
}

/// The same for the reference test, for a ray whose level already dilates it; `None` if the boxes
/// of the node decide nothing.
pub(crate) fn slab_ray(
    rule: TriangleRule,
    (ray, dilation): (&Ray, f32),
    bounds: &Aabb,
    rotation: &Transform,
) -> Option<SlabRay> {
    if rule != TriangleRule::Watertight || !ordinary::is_ordinary(ray) {
        return None;
    }
    let (ray, more) = turned(ray, bounds, rotation);
    // More than the square root of 3.
    Some(SlabRay::dilated(&ray, 1.75 * dilation + more))
}
