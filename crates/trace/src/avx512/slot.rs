//! A ray in flight: what its next step needs.

use crate::ordinary;
use crate::world::Pointer;
use geometry::{Ray, Vec3};
use std::arch::x86_64::*;

const U: f32 = f32::EPSILON / 2.0;

/// A ray in flight.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Slot {
    /// `1/d`, with tiny directions replaced; the last lane means nothing here and below.
    pub(super) inverse: [f32; 4],
    /// `oA/d`, where `oA` is the origin that near planes are seen from.
    pub(super) near_offset: [f32; 4],
    /// `oB/d`, likewise for far planes.
    pub(super) far_offset: [f32; 4],
    /// The start of the range that matters.
    pub(super) nearest: f32,
    /// The end of the range that matters.
    pub(super) farthest: f32,
    /// Bit `k`: the direction on axis `k` is negative.
    pub(super) octant: u32,
    /// Where the next step goes.
    pub(super) pointer: Pointer,
    /// Entries on the stack.
    pub(super) height: u32,
    /// Entry parameters of the stack's entries.
    pub(super) depths: *mut f32,
    /// Pointers of the stack's entries.
    pub(super) pointers: *mut Pointer,
    /// The origin, with the dominant axis last.
    pub(super) sheared_origin: [f32; 4],
    /// The direction, likewise.
    pub(super) sheared_direction: [f32; 4],
    /// The shear, and the reciprocal of the dominant direction.
    pub(super) shear: [f32; 4],
    /// Which axes these are.
    pub(super) axes: [u32; 3],
    /// Position of the ray in its part of the batch.
    pub(super) position: u32,
    /// The instance that it is in.
    pub(super) instance: u32,
    /// The bottom level that it is in.
    pub(super) bottom: u32,
    /// The ray, in the space that it is in.
    pub(super) ray: Ray,
}

impl Slot {
    /// A slot without a ray, over a stack.
    pub(super) fn new(depths: *mut f32, pointers: *mut Pointer) -> Self {
        Self {
            inverse: [0.0; 4],
            near_offset: [0.0; 4],
            far_offset: [0.0; 4],
            nearest: 0.0,
            farthest: 0.0,
            octant: 0,
            pointer: Pointer::DONE,
            height: 0,
            depths,
            pointers,
            sheared_origin: [0.0; 4],
            sheared_direction: [0.0; 4],
            shear: [0.0; 4],
            axes: [0; 3],
            position: 0,
            instance: 0,
            bottom: 0,
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
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn aim(&mut self, ray: &Ray, dilation: f32) {
        self.ray = *ray;
        let [origin, direction] =
            [ray.origin, ray.direction].map(|v| _mm_setr_ps(v.x, v.y, v.z, 1.0));
        let sign = _mm_set1_ps(-0.0);
        let size = _mm_andnot_ps(sign, direction);
        // Replaces components that are tiny beside the largest: see `ordinary`.
        let smallest = _mm_set1_ps(ray.direction.abs().max_element() * ordinary::SMALLEST);
        let signed_smallest = _mm_or_ps(smallest, _mm_and_ps(sign, direction));
        let is_tiny = _mm_cmp_ps_mask::<_CMP_LT_OQ>(size, smallest);
        let divisor = _mm_mask_blend_ps(is_tiny, direction, signed_smallest);
        let inverse = _mm_div_ps(_mm_set1_ps(1.0), divisor);
        let pad = _mm_fmadd_ps(
            _mm_andnot_ps(sign, origin),
            _mm_set1_ps(4.0 * U),
            _mm_set1_ps(dilation * (1.0 + 1.0 / 7.0)),
        );
        // The pad with the sign of the direction: near planes are seen from farther along.
        let along = _mm_or_ps(pad, _mm_and_ps(sign, direction));
        let near = _mm_mul_ps(_mm_add_ps(origin, along), inverse);
        let far = _mm_mul_ps(_mm_sub_ps(origin, along), inverse);
        self.octant = _mm_movemask_ps(direction) as u32 & 7;
        let (axes, order) = dominant_last(ray.direction);
        self.axes = axes;
        // SAFETY: arrays of four are read and written as vectors of four.
        unsafe {
            let order = _mm_loadu_si128(order.as_ptr().cast());
            let sheared = _mm_permutevar_ps(direction, order);
            let dominant = _mm_shuffle_ps::<0b10_10_10_10>(sheared, sheared);
            let shear = _mm_div_ps(_mm_blend_ps::<0b1100>(sheared, _mm_set1_ps(1.0)), dominant);
            _mm_storeu_ps(self.inverse.as_mut_ptr(), inverse);
            _mm_storeu_ps(self.near_offset.as_mut_ptr(), near);
            _mm_storeu_ps(self.far_offset.as_mut_ptr(), far);
            _mm_storeu_ps(self.sheared_origin.as_mut_ptr(), _mm_permutevar_ps(origin, order));
            _mm_storeu_ps(self.sheared_direction.as_mut_ptr(), sheared);
            _mm_storeu_ps(self.shear.as_mut_ptr(), shear);
        }
    }
}

/// The axes as [`geometry::watertight`] takes them: the longest one last, the lowest on a tie, and the
/// others in the order that keeps the winding; also with a fourth that stays where it is.
#[inline]
fn dominant_last(direction: Vec3) -> ([u32; 3], [u32; 4]) {
    const ORDERS: [[u32; 4]; 6] =
        [[1, 2, 0, 3], [2, 1, 0, 3], [2, 0, 1, 3], [0, 2, 1, 3], [0, 1, 2, 3], [1, 0, 2, 3]];
    let d = direction.abs();
    let is_x = d.x >= d.y && d.x >= d.z;
    let is_y = d.y >= d.z;
    let z = if is_x { 0 } else { usize::from(!is_y) + 1 };
    let order = ORDERS[2 * z + usize::from(direction[z] < 0.0)];
    ([order[0], order[1], order[2]], order)
}
