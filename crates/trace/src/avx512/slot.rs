//! A ray in flight: what its next step needs.

use crate::ordinary;
use crate::world::Pointer;
use geometry::{Aabb, Ray, slab};
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
            ray: Ray::new(geometry::Vec3::ZERO, geometry::Vec3::X),
        }
    }

    /// A slot without a ray, over a stack of half as many entries as words.
    pub(super) fn over(stack: &mut [u32]) -> Self {
        let (depths, pointers) = stack.split_at_mut(stack.len() / 2);
        Self::new(depths.as_mut_ptr().cast(), pointers.as_mut_ptr().cast())
    }

    /// Aims at a level: everything that depends on the space of the ray.
    ///
    /// Near planes are seen from `o + e` where the direction is positive, far ones from `o - e`; where it is
    /// negative the other way round. `e` exceeds what the level asks for by `3u|o|` and more, which covers
    /// the rounding of `o/d` (see `docs/trace.md`).
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn aim(&mut self, ray: &Ray, dilation: Dilation<'_>) {
        self.ray = *ray;
        // SAFETY: a ray has eight floats: the fourth lanes are the direction's x and `tmin`.
        let (origin, direction) = unsafe {
            let lanes: *const f32 = std::ptr::from_ref(ray).cast();
            (_mm_loadu_ps(lanes), _mm_loadu_ps(lanes.add(3)))
        };
        let sign = _mm_set1_ps(-0.0);
        let size = _mm_blend_ps::<8>(_mm_andnot_ps(sign, direction), _mm_setzero_ps());
        let dilation = match dilation {
            Dilation::Reach(bounds) => slab::DILATION * reach(origin, bounds),
            Dilation::Given(dilation) => dilation,
        };
        // Replaces components that are tiny beside the largest: see `ordinary`.
        let smallest = _mm_set1_ps(greatest(size) * ordinary::SMALLEST);
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
        let order = &ORDERS[dominant_last(size, self.octant)];
        self.axes = [order[0], order[1], order[2]];
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

/// How far a level dilates a ray.
#[derive(Clone, Copy)]
pub(super) enum Dilation<'a> {
    /// `7uR`, where `R` is the reach into these bounds.
    Reach(&'a Aabb),
    /// So far.
    Given(f32),
}

/// [`slab::reach`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn reach(origin: __m128, bounds: &Aabb) -> f32 {
    let [min, max] = [bounds.min, bounds.max].map(|v| _mm_setr_ps(v.x, v.y, v.z, 0.0));
    let sign = _mm_set1_ps(-0.0);
    let to_min = _mm_andnot_ps(sign, _mm_sub_ps(min, origin));
    let to_max = _mm_andnot_ps(sign, _mm_sub_ps(max, origin));
    let farthest = _mm_blend_ps::<8>(_mm_max_ps(to_min, to_max), _mm_setzero_ps());
    greatest(farthest).next_up()
}

/// The greatest of four lanes, none of them NaN.
#[target_feature(enable = "avx2")]
#[inline]
fn greatest(lanes: __m128) -> f32 {
    let pairs = _mm_max_ps(lanes, _mm_movehl_ps(lanes, lanes));
    _mm_cvtss_f32(_mm_max_ss(pairs, _mm_movehdup_ps(pairs)))
}

/// Axes as [`geometry::watertight`] takes them, the dominant one last: for each dominant axis, with a
/// positive and with a negative direction. The fourth lane stays where it is.
const ORDERS: [[u32; 4]; 6] =
    [[1, 2, 0, 3], [2, 1, 0, 3], [2, 0, 1, 3], [0, 2, 1, 3], [0, 1, 2, 3], [1, 0, 2, 3]];

/// Which of the orders: the longest axis is dominant, the lowest on a tie. Without a branch, which could
/// not be predicted.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn dominant_last(size: __m128, octant: u32) -> usize {
    /// By the bits `x >= y`, `y >= z`, `z > x`.
    const DOMINANT: [u8; 8] = [2, 0, 1, 0, 2, 2, 1, 1];
    let next = _mm_shuffle_ps::<0b11_00_10_01>(size, size);
    let at_least = _mm_cmp_ps_mask::<_CMP_GE_OQ>(size, next);
    let more = _mm_cmp_ps_mask::<_CMP_GT_OQ>(size, next);
    let axis = u32::from(DOMINANT[usize::from(at_least & 3 | more & 4)]);
    (2 * axis + (octant >> axis & 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    /// Every way in which three sizes can compare.
    #[test]
    fn the_dominant_axis_is_the_reference_one() {
        if !super::super::is_available() {
            return;
        }
        for case in 0..27 * 8 {
            let size = |axis: u32| (case / 3u32.pow(axis) % 3) as f32;
            let d = [size(0), size(1), size(2)];
            let expected = if d[0] >= d[1] && d[0] >= d[2] {
                0
            } else if d[1] >= d[2] {
                1
            } else {
                2
            };
            let octant = case / 27;
            let (x, y) = ((expected + 1) % 3, (expected + 2) % 3);
            let is_negative = octant >> expected & 1 == 1;
            let wanted = if is_negative { [y, x, expected] } else { [x, y, expected] };
            // SAFETY: the kernel is available.
            let found = unsafe { dominant_last(_mm_setr_ps(d[0], d[1], d[2], 0.0), octant) };
            assert_eq!(ORDERS[found][..3], wanted, "{d:?} {octant}");
        }
    }

    #[test]
    fn the_reach_is_the_reference_one() {
        if !super::super::is_available() {
            return;
        }
        let bounds = Aabb::new(Vec3::new(-1.5, 2.0, 3.25), Vec3::new(4.0, 2.5, 7.125));
        for origin in [Vec3::ZERO, Vec3::new(9.0, -3.0, 5.5), Vec3::new(0.1, 2.2, 99.0)] {
            // SAFETY: the kernel is available.
            let found = unsafe { reach(_mm_setr_ps(origin.x, origin.y, origin.z, 5.0), &bounds) };
            assert_eq!(found, slab::reach(origin, &bounds));
        }
    }
}
