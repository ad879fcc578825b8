//! A ray in flight: what its next steps need, in two lines of memory.

use super::rule::Rule;
use super::source::VectorSource;
use crate::ordinary;
use crate::world::Pointer;
use geometry::{Aabb, Ray, TriangleRule, slab};
use std::arch::x86_64::*;

pub(crate) const U: f32 = f32::EPSILON / 2.0;

/// A ray in flight.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct ActiveRay {
    /// What boxes are tested with.
    pub(crate) box_ray: BoxTestRay,
    /// The end of the stack: where the next entry goes.
    pub(crate) top: *mut Pointer,
    /// Position of the ray in its part of the batch.
    pub(crate) position: u32,
    /// The instance that it is in.
    pub(crate) instance: u32,
    /// What triangles are tested with.
    pub(crate) triangle_ray: TriangleTestRay,
    /// The BLAS that it is in.
    pub(crate) blas: u32,
    /// What pointers of the level that it is in count from ([`VectorSource::start`]).
    pub(crate) start: *const u8,
}

/// A ray as box tests see it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(C)]
pub(crate) struct BoxTestRay {
    /// `1/d`, with tiny directions replaced.
    pub(crate) inverse: [f32; 3],
    /// The start of the range that matters.
    pub(crate) nearest: f32,
    /// `-oA/d`, where `oA` is the origin that minima are seen from.
    pub(crate) low_offset: [f32; 3],
    /// The end of the range that matters.
    pub(crate) farthest: f32,
    /// `-oB/d`, likewise for maxima.
    pub(crate) high_offset: [f32; 3],
    /// Bit `k`: the direction on axis `k` is negative.
    pub(crate) octant: u32,
}

/// A ray as triangle tests see it. Axes are in the order of the rule: for the watertight one, the
/// dominant one last.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub(crate) struct TriangleTestRay {
    /// The origin.
    pub(crate) origin: [f32; 3],
    /// Which axes these are.
    pub(crate) axes: [u8; 4],
    /// The shear, and the reciprocal of the dominant direction.
    pub(crate) factors: [f32; 3],
    /// The end of the ray's own range.
    pub(crate) end: f32,
    /// The direction; the last lane means nothing.
    pub(crate) direction: [f32; 4],
}

impl ActiveRay {
    /// A slot without a ray.
    pub(crate) const EMPTY: Self = Self {
        box_ray: BoxTestRay {
            inverse: [0.0; 3],
            nearest: 0.0,
            low_offset: [0.0; 3],
            farthest: 0.0,
            high_offset: [0.0; 3],
            octant: 0,
        },
        top: std::ptr::null_mut(),
        position: 0,
        instance: 0,
        triangle_ray: TriangleTestRay {
            origin: [0.0; 3],
            axes: [0; 4],
            factors: [0.0; 3],
            end: 0.0,
            direction: [0.0; 4],
        },
        blas: 0,
        start: std::ptr::null(),
    };

    /// Aims at the outermost level; the root of it.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn enter_world<G: VectorSource>(&mut self, ray: &Ray, source: &G) -> Pointer {
        self.start = source.start(None);
        match (source.tlas(), source.blas(0)) {
            (Some(tlas), _) => {
                let reach = slab::reach(ray.origin, &tlas.level.bounds);
                let dilation = tlas.dilation.dilation(ray.origin, reach) * G::DILATIONS;
                self.box_ray.set_dilated(ray, dilation, ray.tmin, ray.tmax);
                tlas.level.root
            }
            (None, Some(level)) => {
                self.box_ray.set(ray, &level.bounds, G::DILATIONS, ray.tmin, ray.tmax);
                self.triangle_ray.set::<G::Rule>(ray);
                level.root
            }
            (None, None) => Pointer::DONE,
        }
    }
}

impl BoxTestRay {
    /// Aims at the boxes of a BLAS with these bounds, from `nearest` to `farthest`, dilated so many
    /// times as the reference asks.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn set(
        &mut self,
        ray: &Ray,
        bounds: &Aabb,
        dilations: f32,
        nearest: f32,
        farthest: f32,
    ) {
        let (origin, _) = lanes(ray);
        let dilation = slab::DILATION * reach(origin, bounds) * dilations;
        self.set_dilated(ray, dilation, nearest, farthest);
    }

    /// Aims at the boxes of a level that asks for a dilation.
    ///
    /// Minima are seen from `o + e` and maxima from `o - e`, whatever the direction: both move
    /// outward. `e` exceeds what the level asks for by `3u|o|` and more, which covers the rounding
    /// of `o/d` (see `docs/trace.md`).
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn set_dilated(&mut self, ray: &Ray, dilation: f32, nearest: f32, farthest: f32) {
        let (origin, direction) = lanes(ray);
        let sign = _mm_set1_ps(-0.0);
        let size = size(direction);
        // Replaces components that are tiny beside the largest: see `ordinary`.
        let smallest = _mm_set1_ps(greatest(size) * ordinary::SMALLEST);
        let signed_smallest = _mm_or_ps(smallest, _mm_and_ps(sign, direction));
        let is_tiny = _mm_cmp_ps::<_CMP_LT_OQ>(size, smallest);
        let divisor = _mm_blendv_ps(direction, signed_smallest, is_tiny);
        let inverse = _mm_div_ps(_mm_set1_ps(1.0), divisor);
        let pad = _mm_fmadd_ps(
            _mm_andnot_ps(sign, origin),
            _mm_set1_ps(4.0 * U),
            _mm_set1_ps(dilation * (1.0 + 1.0 / 7.0)),
        );
        // Near planes are the minima where the direction is positive.
        let minus_inverse = _mm_xor_ps(sign, inverse);
        let low = _mm_mul_ps(_mm_add_ps(origin, pad), minus_inverse);
        let high = _mm_mul_ps(_mm_sub_ps(origin, pad), minus_inverse);
        // SAFETY: VECTOR-SIZED: an aim is three vectors of four.
        unsafe {
            let place: *mut f32 = std::ptr::from_mut(self).cast();
            _mm_storeu_ps(place, _mm_insert_ps::<0x30>(inverse, _mm_set_ss(nearest)));
            _mm_storeu_ps(place.add(4), _mm_insert_ps::<0x30>(low, _mm_set_ss(farthest)));
            _mm_storeu_ps(place.add(8), high);
        }
        self.octant = _mm_movemask_ps(direction) as u32 & 7;
    }
}

impl TriangleTestRay {
    /// Turns the ray into the last axis, if the rule asks for it.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn set<R: Rule>(&mut self, ray: &Ray) {
        let (origin, direction) = lanes(ray);
        let order = &ORDERS[match R::RULE {
            TriangleRule::Watertight => {
                dominant_last(size(direction), _mm_movemask_ps(direction) as u32 & 7)
            }
            TriangleRule::MollerTrumbore => AS_THEY_ARE,
        }];
        // SAFETY: VECTOR-SIZED: a shear is three vectors of four.
        unsafe {
            let order = _mm_loadu_si128(order.as_ptr().cast());
            let sheared = _mm_permutevar_ps(direction, order);
            let dominant = _mm_shuffle_ps::<0b10_10_10_10>(sheared, sheared);
            let shear = _mm_div_ps(_mm_blend_ps::<0b1100>(sheared, _mm_set1_ps(1.0)), dominant);
            let place: *mut f32 = std::ptr::from_mut(self).cast();
            _mm_storeu_ps(place, _mm_permutevar_ps(origin, order));
            _mm_storeu_ps(place.add(4), shear);
            _mm_storeu_ps(place.add(8), sheared);
        }
        self.axes = [order[0] as u8, order[1] as u8, order[2] as u8, 0];
        self.end = ray.tmax;
    }
}

/// Whether the ray is ordinary: see [`ordinary`].
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) fn is_ordinary(ray: &Ray) -> bool {
    const DIRECTION: i32 = 0b0011_1000;
    const LIMIT: f32 = ordinary::LARGEST;
    let limits = _mm256_setr_ps(LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, f32::INFINITY);
    // SAFETY: VECTOR-SIZED: a ray is eight floats.
    let lanes = unsafe { _mm256_loadu_ps(std::ptr::from_ref(ray).cast()) };
    let size = _mm256_andnot_ps(_mm256_set1_ps(-0.0), lanes);
    let is_moderate = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(size, limits));
    let smallest = _mm256_set1_ps(ordinary::SMALLEST);
    let is_long = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_GE_OQ>(size, smallest));
    let normal = _mm256_set1_ps(f32::MIN_POSITIVE);
    let is_below = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(size, normal));
    let is_zero = _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(size, _mm256_setzero_ps()));
    (is_moderate == 0xFF)
        & (is_long & DIRECTION != 0)
        & (is_below & !is_zero & DIRECTION == 0)
        & (ray.tmin >= 0.0)
        & (ray.tmin <= ray.tmax)
}

/// The origin and the direction; the last lanes mean nothing.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn lanes(ray: &Ray) -> (__m128, __m128) {
    let lanes: *const f32 = std::ptr::from_ref(ray).cast();
    // SAFETY: VECTOR-SIZED: a ray is eight floats; the fourth lanes are the direction's x and
    // `tmin`.
    unsafe { (_mm_loadu_ps(lanes), _mm_loadu_ps(lanes.add(3))) }
}

/// The absolute components, last 0.
#[target_feature(enable = "avx2")]
#[inline]
fn size(direction: __m128) -> __m128 {
    _mm_blend_ps::<8>(_mm_andnot_ps(_mm_set1_ps(-0.0), direction), _mm_setzero_ps())
}

/// [`slab::reach`].
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
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

/// Axes as [`geometry::watertight`] takes them, the dominant one last: for each dominant axis, with
/// a positive and with a negative direction. The fourth lane stays where it is.
const ORDERS: [[u32; 4]; 6] =
    [[1, 2, 0, 3], [2, 1, 0, 3], [2, 0, 1, 3], [0, 2, 1, 3], [0, 1, 2, 3], [1, 0, 2, 3]];

/// The order of axes that changes nothing, as the rule of Möller and Trumbore takes them.
pub(crate) const AS_THEY_ARE: usize = 4;

/// [`TriangleTestRay::axes`] of each order, as words.
pub(crate) const AXES: [u32; 8] = {
    let mut words = [0; 8];
    let mut number = 0;
    while number < ORDERS.len() {
        let [x, y, z, _] = ORDERS[number];
        words[number] = x | y << 8 | z << 16;
        number += 1;
    }
    words
};

/// Which of the orders: the longest axis is dominant, the lowest on a tie. Without a branch, which
/// could not be predicted.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn dominant_last(size: __m128, octant: u32) -> usize {
    /// By the bits `x >= y`, `y >= z`, `z > x`.
    const DOMINANT: [u8; 8] = [2, 0, 1, 0, 2, 2, 1, 1];
    let next = _mm_shuffle_ps::<0b11_00_10_01>(size, size);
    let at_least = _mm_movemask_ps(_mm_cmp_ps::<_CMP_GE_OQ>(size, next));
    let more = _mm_movemask_ps(_mm_cmp_ps::<_CMP_GT_OQ>(size, next));
    let axis = u32::from(DOMINANT[(at_least & 3 | more & 4) as usize]);
    (2 * axis + (octant >> axis & 1)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vec3;

    /// Every way in which three sizes can compare.
    #[test]
    fn the_dominant_axis_is_the_reference_one() {
        if !crate::avx2::is_available() {
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
            // SAFETY: FEATURES-DETECTED.
            let found = unsafe { dominant_last(_mm_setr_ps(d[0], d[1], d[2], 0.0), octant) };
            assert_eq!(ORDERS[found][..3], wanted, "{d:?} {octant}");
        }
    }

    #[test]
    fn the_reach_is_the_reference_one() {
        if !crate::avx2::is_available() {
            return;
        }
        let bounds = Aabb::new(Vec3::new(-1.5, 2.0, 3.25), Vec3::new(4.0, 2.5, 7.125));
        for origin in [Vec3::ZERO, Vec3::new(9.0, -3.0, 5.5), Vec3::new(0.1, 2.2, 99.0)] {
            // SAFETY: FEATURES-DETECTED.
            let found = unsafe { reach(_mm_setr_ps(origin.x, origin.y, origin.z, 5.0), &bounds) };
            assert_eq!(found, slab::reach(origin, &bounds));
        }
    }
}
