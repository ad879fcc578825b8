//! Oriented nodes, whose boxes lie in a frame of their own: rays are turned before they are tested.
//!
//! Such a box contains `M p` for the matrix `M` of the node and every point `p` of what is below
//! it. `M` is linear, so a ray keeps its parameters in the frame. With `u = 2^-24`, the reach `R`
//! and the origin `o` of the ray in its level, and sizes as largest components (`M` makes them at
//! most `sqrt(3)` times as large):
//!
//! * A hit by the watertight rule lies within `10uR` of a point of the triangle: its weights are
//!   those of the point where the ray passes, but for the rounding of sheared corners, and `t` is
//!   their mean depth. In the frame that is less than `24uR`.
//! * The turned origin is off by less than `6u|o|`, and the direction, at a hit, by less than
//!   `6uR`.
//! * Planes are met as in any node. The node's origin is no larger than four times the root's box,
//!   whose corners are no larger than `R + |o|`, and `S` is at most `16R`; with that, they move by
//!   less than `32u(R + |o|)`.
//!
//! All of it is less than `68u(R + |o|)`; rays are dilated by nearly twice that.

use crate::vector::active_ray::{ActiveRay, BoxTestRay, U};
use geometry::{Aabb, Ray, Vec3, slab};
use gfx12::obb;

/// The dilation of turned rays, in units of the reach and the origin.
const DILATION: f32 = 112.0 * U;

/// How a ray in a level with these bounds sees the boxes of a node, if that is oriented.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) fn aim(slot: &ActiveRay, bounds: &Aabb, obb_matrix_index: u8) -> Option<BoxTestRay> {
    let rotation = obb::rotation(obb_matrix_index)?;
    let (mut origin, mut direction) = (Vec3::ZERO, Vec3::ZERO);
    for (place, &axis) in slot.triangle_ray.axes[..3].iter().enumerate() {
        origin[usize::from(axis)] = slot.triangle_ray.origin[place];
        direction[usize::from(axis)] = slot.triangle_ray.direction[place];
    }
    let BoxTestRay { nearest, farthest, .. } = slot.box_ray;
    let ray = Ray {
        origin: rotation.point(origin),
        direction: rotation.vector(direction),
        tmin: nearest,
        tmax: farthest,
    };
    let size = slab::reach(origin, bounds) + origin.abs().max_element();
    let mut aim = BoxTestRay::default();
    aim.set_dilated(&ray, DILATION * size, nearest, farthest);
    Some(aim)
}
