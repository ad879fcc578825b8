//! A ray in flight: what its next step needs, ready for 512-bit registers.

use crate::ordinary;
use crate::world::Pointer;
use geometry::{Ray, Vec3};
use std::arch::x86_64::*;

const U: f32 = f32::EPSILON / 2.0;

/// A ray in flight.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Slot {
    /// Per axis: `1/d` eight times, then `-1/d` eight times.
    pub(super) inverse: [[f32; 16]; 3],
    /// Per axis: `oA/d` eight times, then `-oB/d`, where `oA` is the origin for near planes.
    pub(super) offset: [[f32; 16]; 3],
    /// `tmin` eight times, then minus the farthest parameter that matters.
    pub(super) range: [f32; 16],
    /// The origin, with the dominant axis last.
    pub(super) sheared_origin: [f32; 3],
    /// The shear, and the reciprocal of the dominant direction.
    pub(super) shear: [f32; 3],
    /// Which axes these are.
    pub(super) axes: [u32; 3],
    /// Bit `k`: the direction on axis `k` is negative.
    pub(super) octant: u32,
    /// Where the next step goes.
    pub(super) pointer: Pointer,
    /// Entries on the stack.
    pub(super) height: u32,
    /// Position of the ray in its part of the batch.
    pub(super) position: u32,
    /// The instance that it is in.
    pub(super) instance: u32,
    /// The bottom level that it is in.
    pub(super) bottom: u32,
    /// Entry parameters of the stack's entries.
    pub(super) depths: *mut f32,
    /// Pointers of the stack's entries.
    pub(super) pointers: *mut Pointer,
    /// The origin; the last lane is 0.
    pub(super) origin: [f32; 4],
    /// `1/d`, infinite where `d` is zero; the last lane is 0.
    pub(super) reciprocal: [f32; 4],
    /// The ray, in the space that it is in.
    pub(super) ray: Ray,
}

impl Slot {
    /// A slot without a ray, over a stack.
    pub(super) fn new(depths: *mut f32, pointers: *mut Pointer) -> Self {
        Self {
            inverse: [[0.0; 16]; 3],
            offset: [[0.0; 16]; 3],
            range: [0.0; 16],
            sheared_origin: [0.0; 3],
            shear: [0.0; 3],
            axes: [0; 3],
            octant: 0,
            pointer: Pointer::DONE,
            height: 0,
            position: 0,
            instance: 0,
            bottom: 0,
            depths,
            pointers,
            origin: [0.0; 4],
            reciprocal: [0.0; 4],
            ray: Ray::new(Vec3::ZERO, Vec3::X),
        }
    }

    /// A slot without a ray, over a stack of half as many entries as words.
    pub(super) fn over(stack: &mut [u32]) -> Self {
        let (depths, pointers) = stack.split_at_mut(stack.len() / 2);
        Self::new(depths.as_mut_ptr().cast(), pointers.as_mut_ptr().cast())
    }

    /// Aims at a level: everything that depends on the space of the ray. `dilation` is what the level
    /// asks for, `7uR` in a bottom level.
    ///
    /// Near planes are tested from `oA = o + e`, far ones from `oB = o - e`, on axes with a negative
    /// direction the other way round. `e` exceeds the dilation by `3u|o|` and more, which covers the
    /// rounding of `oA/d` (see `docs/trace.md`).
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt")]
    #[inline]
    pub(super) fn aim(&mut self, ray: &Ray, dilation: f32) {
        self.ray = *ray;
        let Ray { origin, direction, .. } = *ray;
        let inverse = ordinary::reciprocals(direction);
        let pad = Vec3::splat(dilation * (1.0 + 1.0 / 7.0)) + origin.abs() * (4.0 * U);
        let (upper, lower) = (origin + pad, origin - pad);
        let backward = inverse.cmplt(Vec3::ZERO);
        let near = Vec3::select(backward, lower, upper) * inverse;
        let far = Vec3::select(backward, upper, lower) * -inverse;
        self.octant = backward.bitmask();
        for axis in 0..3 {
            write_halves(&mut self.inverse[axis], inverse[axis], -inverse[axis]);
            write_halves(&mut self.offset[axis], near[axis], far[axis]);
        }
        let axes = dominant_last(direction);
        self.axes = axes.map(|axis| axis as u32);
        self.sheared_origin = axes.map(|axis| origin[axis]);
        let [x, y, z] = axes.map(|axis| direction[axis]);
        self.shear = [x / z, y / z, 1.0 / z];
        let reciprocal =
            Vec3::select(direction.cmpeq(Vec3::ZERO), Vec3::INFINITY, direction.recip());
        self.origin = [origin.x, origin.y, origin.z, 0.0];
        self.reciprocal = [reciprocal.x, reciprocal.y, reciprocal.z, 0.0];
    }

    /// Sets the range of parameters that matter.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt")]
    #[inline]
    pub(super) fn set_range(&mut self, ray: &Ray) {
        write_halves(&mut self.range, ray.tmin, -ray.tmax);
    }

    /// Moves the end of the range.
    #[inline]
    pub(super) fn narrow(&mut self, t: f32) {
        self.range[8..].fill(-t);
    }
}

/// Eight times `first`, then eight times `second`.
#[target_feature(enable = "avx512f")]
#[inline]
fn write_halves(lanes: &mut [f32; 16], first: f32, second: f32) {
    let both = _mm512_mask_blend_ps(0xFF00, _mm512_set1_ps(first), _mm512_set1_ps(second));
    // SAFETY: sixteen lanes are written.
    unsafe { _mm512_storeu_ps(lanes.as_mut_ptr(), both) };
}

/// The axes as [`geometry::watertight`] takes them: the longest one last, the lowest on a tie, and the
/// others in the order that keeps the winding.
fn dominant_last(direction: Vec3) -> [usize; 3] {
    let d = direction.abs();
    let z = if d.x >= d.y && d.x >= d.z {
        0
    } else if d.y >= d.z {
        1
    } else {
        2
    };
    let (x, y) = ((z + 1) % 3, (z + 2) % 3);
    if direction[z] < 0.0 { [y, x, z] } else { [x, y, z] }
}
