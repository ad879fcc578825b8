//! A ray as box tests see it, in registers.

use crate::ordinary;
use crate::vector::active_ray::{self, U};
use crate::vector::boxes::{TINY, WIDEN};
use crate::world::{Node, Tlas};
use geometry::{Aabb, Ray, Vec3, slab};
use std::arch::x86_64::*;
use std::mem::offset_of;

/// A ray as box tests see it; a lane for each axis.
#[derive(Clone, Copy)]
pub(super) struct BoxTestRay {
    /// `1/d`, with tiny directions replaced.
    inverse: __m128,
    /// The same, widened, for the planes that are met last.
    far_inverse: __m128,
    /// `-oA/d`, where the planes that are met first are seen from `oA`.
    near_offset: __m128,
    /// `-oB/d`, where the planes that are met last are seen from `oB`, widened.
    far_offset: __m128,
    /// Bit `k`: the direction on axis `k` is negative.
    octant: usize,
}

impl BoxTestRay {
    /// At a BLAS with these bounds.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn at_blas(ray: &Ray, divisor: __m128, bounds: &Aabb) -> Self {
        let (Vec3 { x, y, z }, Aabb { min, max }) = (ray.origin, *bounds);
        let reach_x = greater(max.x - x, x - min.x);
        let reach_y = greater(max.y - y, y - min.y);
        let reach_z = greater(max.z - z, z - min.z);
        let reach = greater(greater(reach_x, reach_y), reach_z);
        Self::dilated(ray, divisor, all(reach * (8.0 * U)))
    }

    /// Keeps compilers from forming what is made of it before it is needed.
    #[inline(always)]
    pub(super) fn optimization_barrier(&mut self) {
        // SAFETY: REGISTERS-ONLY.
        unsafe {
            std::arch::asm!(
                "/* {0} {1} {2} {3} */",
                inout(xmm_reg) self.inverse,
                inout(xmm_reg) self.far_inverse,
                inout(xmm_reg) self.near_offset,
                inout(xmm_reg) self.far_offset,
                options(nomem, nostack, preserves_flags)
            );
        }
    }

    /// At the TLAS.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn at_tlas(ray: &Ray, divisor: __m128, tlas: &Tlas) -> Self {
        let reach = slab::reach(ray.origin, &tlas.level.bounds);
        let dilation = tlas.dilation.dilation(ray.origin, reach);
        Self::dilated(ray, divisor, all(dilation * (1.0 + 1.0 / 7.0)))
    }

    /// As [`active_ray::BoxTestRay`], but far planes are widened here instead of exits later: by a
    /// factor with one more rounding, in inverse and offset alike (see `docs/trace.md`).
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn dilated(ray: &Ray, divisor: __m128, dilation: __m128) -> Self {
        let (sign, (origin, _)) = (all(-0.0), active_ray::lanes(ray));
        let inverse = _mm_div_ps(all(1.0), divisor);
        let far_inverse = _mm_mul_ps(inverse, all(WIDEN));
        let pad = _mm_fmadd_ps(_mm_andnot_ps(sign, origin), all(4.0 * U), dilation);
        let pad = _mm_or_ps(pad, _mm_and_ps(sign, inverse));
        Self {
            inverse,
            far_inverse,
            near_offset: _mm_mul_ps(_mm_add_ps(origin, pad), _mm_xor_ps(sign, inverse)),
            far_offset: _mm_fnmadd_ps(_mm_sub_ps(origin, pad), far_inverse, all(TINY)),
            octant: _mm_movemask_ps(divisor) as usize & 7,
        }
    }
}

/// The end of a range, widened as far planes are.
#[inline(always)]
pub(super) fn widened(farthest: f32) -> f32 {
    farthest * WIDEN + TINY
}

/// The greater of two numbers; neither is NaN.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The direction, with components that are tiny beside the largest replaced; `None` if the ray is
/// out of the ordinary (see [`ordinary`]).
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) fn divisor(ray: &Ray) -> Option<__m128> {
    const LIMIT: f32 = ordinary::LARGEST;
    let limits = _mm256_setr_ps(LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, LIMIT, f32::INFINITY);
    let sizes = _mm256_andnot_ps(_mm256_set1_ps(-0.0), numbers(ray));
    let is_moderate = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(sizes, limits) == 0xFF;
    let (_, direction) = active_ray::lanes(ray);
    let sign = all(-0.0);
    let size = _mm_andnot_ps(sign, direction);
    let pairs = _mm_max_ss(size, _mm_movehdup_ps(size));
    let greatest = _mm_max_ss(pairs, _mm_movehl_ps(size, size));
    let smallest = _mm_broadcastss_ps(_mm_mul_ss(greatest, all(ordinary::SMALLEST)));
    let is_tiny = _mm_cmp_ps_mask::<_CMP_NGE_UQ>(size, smallest) & 7;
    let is_long = _mm_cvtss_f32(greatest) >= ordinary::SMALLEST;
    // A branch, so that the division need not wait.
    if is_moderate & is_long & (is_tiny == 0) & (ray.tmin >= 0.0) & (ray.tmin <= ray.tmax) {
        return Some(direction);
    }
    std::hint::cold_path();
    let replaced = _mm_or_ps(smallest, _mm_and_ps(sign, direction));
    active_ray::is_ordinary(ray).then_some(_mm_mask_blend_ps(is_tiny, direction, replaced))
}

/// The numbers of a ray. Compilers would make all others that are loaded of these, which takes
/// longer than to load them.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn numbers(ray: &Ray) -> __m256 {
    let numbers;
    // SAFETY: VECTOR-SIZED: a ray is eight floats.
    unsafe {
        std::arch::asm!(
            "vmovups {numbers}, [{ray}]",
            ray = in(reg) ray,
            numbers = lateout(ymm_reg) numbers,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    numbers
}

/// An [`BoxTestRay`] in registers, each number in all lanes.
#[derive(Clone, Copy)]
pub(super) struct BroadcastRay {
    near: Side,
    far: Side,
    /// The order of the ray's octant in a node at the start of the world.
    pub(super) orders: *const u8,
}

/// The planes that the ray meets first, or last, of each axis.
#[derive(Clone, Copy)]
struct Side {
    /// Where they lie in a node at the start of the world.
    x: *const u8,
    y: *const u8,
    z: *const u8,
    inverse_x: __m256,
    inverse_y: __m256,
    inverse_z: __m256,
    offset_x: __m256,
    offset_y: __m256,
    offset_z: __m256,
    /// The bound of the range that matters.
    bound: __m256i,
}

impl BroadcastRay {
    /// For a world that starts there, with a range that matters.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn new(aim: &BoxTestRay, start: *const u8, nearest: f32, farthest: f32) -> Self {
        let BoxTestRay { inverse, far_inverse, near_offset, far_offset, octant } = *aim;
        let near = [32 * (octant & 1), 16 * (octant & 2), 8 * (octant & 4)];
        let row = |axis: usize, offset: usize| start.wrapping_add(64 * axis + offset);
        let nearest = nearest + 0.0; // -0.0 becomes +0.0
        Self {
            near: Side {
                x: row(0, near[0]),
                y: row(1, near[1]),
                z: row(2, near[2]),
                inverse_x: lane::<0>(inverse),
                inverse_y: lane::<1>(inverse),
                inverse_z: lane::<2>(inverse),
                offset_x: lane::<0>(near_offset),
                offset_y: lane::<1>(near_offset),
                offset_z: lane::<2>(near_offset),
                bound: _mm256_castps_si256(_mm256_set1_ps(nearest)),
            },
            far: Side {
                x: row(0, near[0] ^ 32),
                y: row(1, near[1] ^ 32),
                z: row(2, near[2] ^ 32),
                inverse_x: lane::<0>(far_inverse),
                inverse_y: lane::<1>(far_inverse),
                inverse_z: lane::<2>(far_inverse),
                offset_x: lane::<0>(far_offset),
                offset_y: lane::<1>(far_offset),
                offset_z: lane::<2>(far_offset),
                bound: _mm256_castps_si256(_mm256_set1_ps(widened(farthest))),
            },
            orders: start.wrapping_add(offset_of!(Node, orders) + 4 * octant),
        }
    }

    /// Where the ray enters and leaves the children of the node at a place, as the bits of floats.
    ///
    /// Among floats that are not negative the order of their bits is their own, a NaN (a slot
    /// without a child) is the greatest, and all that are negative are less. No entry is negative,
    /// as the range does not begin before 0; an exit that is negative is less than any entry,
    /// whichever of several it is.
    ///
    /// # Safety
    /// There must be a node.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn intervals(&self, place: usize) -> (__m256i, __m256i) {
        // SAFETY: POINTER-PROVED.
        let ([near_x, near_y, near_z], [far_x, far_y, far_z]) =
            unsafe { (self.near.parameters(place), self.far.parameters(place)) };
        let enter = _mm256_max_epi32(
            _mm256_max_epi32(near_x, near_y),
            _mm256_max_epi32(near_z, self.near.bound),
        );
        let exit = _mm256_min_epi32(
            _mm256_min_epi32(far_x, far_y),
            _mm256_min_epi32(far_z, self.far.bound),
        );
        (enter, exit)
    }
}

impl Side {
    /// Where the ray meets the planes of the node at a place.
    ///
    /// # Safety
    /// There must be a node.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn parameters(&self, place: usize) -> [__m256i; 3] {
        // SAFETY: POINTER-PROVED, VECTOR-SIZED.
        let (x, y, z) = unsafe {
            (
                _mm256_load_ps(self.x.add(place).cast()),
                _mm256_load_ps(self.y.add(place).cast()),
                _mm256_load_ps(self.z.add(place).cast()),
            )
        };
        [
            _mm256_castps_si256(_mm256_fmadd_ps(x, self.inverse_x, self.offset_x)),
            _mm256_castps_si256(_mm256_fmadd_ps(y, self.inverse_y, self.offset_y)),
            _mm256_castps_si256(_mm256_fmadd_ps(z, self.inverse_z, self.offset_z)),
        ]
    }
}

/// A number in all lanes.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn all(number: f32) -> __m128 {
    _mm_set1_ps(number)
}

/// A lane in all lanes.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn lane<const LANE: i32>(lanes: __m128) -> __m256 {
    _mm256_permutevar8x32_ps(_mm256_castps128_ps256(lanes), _mm256_set1_epi32(LANE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also where a box is behind the ray, or around its origin.
    #[test]
    fn boxes_are_met_and_slots_without_a_child_are_not() {
        if !crate::avx512::is_available() {
            return;
        }
        let at = |x: f32| Aabb::new(Vec3::new(x, -1.0, 2.0), Vec3::new(x + 1.0, 1.0, 3.0));
        let node = Node::of_boxes(&[at(4.0), at(-5.0), at(-0.5), at(8.0)]);
        let bounds = Aabb::new(Vec3::splat(-9.0), Vec3::splat(9.0));
        let forward: &[(usize, f32)] = &[(0, 4.0), (2, 0.0), (3, 8.0)];
        let backward: &[(usize, f32)] = &[(1, 4.0), (2, 0.0)];
        for (direction, wanted) in [(1.0, forward), (-1.0, backward)] {
            let ray = Ray::new(Vec3::new(0.0, 0.25, 2.5), Vec3::new(direction, 0.0, -0.0));
            let (mut enter, mut exit) = ([0.0f32; 8], [0; 8]);
            // SAFETY: FEATURES-DETECTED, VECTOR-SIZED; there is a node at place 0.
            unsafe {
                let aim = BoxTestRay::at_blas(&ray, divisor(&ray).unwrap(), &bounds);
                let start = std::ptr::from_ref(&node).cast();
                let found = BroadcastRay::new(&aim, start, ray.tmin, ray.tmax).intervals(0);
                _mm256_storeu_si256(enter.as_mut_ptr().cast(), found.0);
                _mm256_storeu_si256(exit.as_mut_ptr().cast(), found.1);
            }
            let met = |&slot: &usize| exit[slot] > enter[slot].to_bits() as i32;
            let found: Vec<usize> = (0..8).filter(met).collect();
            assert_eq!(found, wanted.iter().map(|wanted| wanted.0).collect::<Vec<_>>());
            for &(slot, depth) in wanted {
                assert!((enter[slot] - depth).abs() < 1e-4, "{slot}: {enter:?}");
            }
        }
    }

    #[test]
    fn rays_out_of_the_ordinary_have_no_divisor() {
        if !crate::avx512::is_available() {
            return;
        }
        let numbers = [0.0, -0.0, 1.0, -3.5, 1e-39, 1e-14, 1e13, 2e12, f32::NAN, f32::INFINITY];
        for case in 0..10usize.pow(4) {
            let number = |place: u32| numbers[case / 10usize.pow(place) % 10];
            let direction = Vec3::new(number(0), 0.5 * number(1), number(0) * number(2));
            let ray = Ray::new(Vec3::new(1.0, number(3), 2.0), direction);
            for ray in [ray, ray.between(number(1), number(3))] {
                // SAFETY: FEATURES-DETECTED.
                let found = unsafe { divisor(&ray) };
                assert_eq!(found.is_some(), ordinary::is_ordinary(&ray), "{ray:?}");
            }
        }
    }
}
