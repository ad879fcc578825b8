//! How rays see oriented nodes ([`crate::oriented`]).

use crate::oriented::turned;
use crate::vector::active_ray::{ActiveRay, BoxTestRay};
use geometry::{Aabb, Ray, Vec3};
use gfx12::obb;

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
    let ray = Ray { origin, direction, tmin: nearest, tmax: farthest };
    let (ray, dilation) = turned(&ray, bounds, rotation);
    let mut aim = BoxTestRay::default();
    aim.set_dilated(&ray, dilation, nearest, farthest);
    Some(aim)
}
