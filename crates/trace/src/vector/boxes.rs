//! One ray against the eight boxes of a node.
//!
//! Vectors of eight: those of sixteen would halve the instructions, but each of them takes two
//! turns of the units that were measured, and needs permutations.

use super::active_ray::BoxTestRay;
use crate::world::Node;
use std::arch::x86_64::*;

/// `1 + 16 eps`: how far the exit of a box is widened. The reference test needs `1 + 4 eps`; the
/// rest covers the roundings of this one, and `t` of triangles that are clamped or split (see
/// `docs/trace.md`).
pub(crate) const WIDEN: f32 = 1.0 + 16.0 * f32::EPSILON;

/// `2^-118`, for products near the bottom of the exponent range.
pub(crate) const TINY: f32 = f32::from_bits(0x0480_0000);

/// Where a ray enters and leaves the children of a node, in the order of their slots.
pub(crate) struct Intervals {
    pub(crate) enter: __m256,
    pub(crate) exit: __m256,
}

/// The planes of eight boxes.
pub(crate) struct Planes {
    pub(crate) low_x: __m256,
    pub(crate) high_x: __m256,
    pub(crate) low_y: __m256,
    pub(crate) high_y: __m256,
    pub(crate) low_z: __m256,
    pub(crate) high_z: __m256,
}

impl Intervals {
    /// Of the children of `node`.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn new(node: &Node, aim: &BoxTestRay) -> Self {
        // SAFETY: VECTOR-SIZED.
        let (low_x, high_x, low_y, high_y, low_z, high_z) = unsafe {
            (
                _mm256_load_ps(node.planes[0][0].as_ptr()),
                _mm256_load_ps(node.planes[0][1].as_ptr()),
                _mm256_load_ps(node.planes[1][0].as_ptr()),
                _mm256_load_ps(node.planes[1][1].as_ptr()),
                _mm256_load_ps(node.planes[2][0].as_ptr()),
                _mm256_load_ps(node.planes[2][1].as_ptr()),
            )
        };
        Self::of(&Planes { low_x, high_x, low_y, high_y, low_z, high_z }, aim)
    }

    /// Of eight boxes; minimum and maximum planes may be swapped.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn of(planes: &Planes, aim: &BoxTestRay) -> Self {
        let (a, b, c) = loaded(aim);
        let inverse_x = _mm256_permute_ps::<0b00_00_00_00>(a);
        let inverse_y = _mm256_permute_ps::<0b01_01_01_01>(a);
        let inverse_z = _mm256_permute_ps::<0b10_10_10_10>(a);
        let nearest = _mm256_permute_ps::<0b11_11_11_11>(a);
        let farthest = _mm256_permute_ps::<0b11_11_11_11>(b);
        let low_x = _mm256_fmadd_ps(planes.low_x, inverse_x, _mm256_permute_ps::<0b00_00_00_00>(b));
        let low_y = _mm256_fmadd_ps(planes.low_y, inverse_y, _mm256_permute_ps::<0b01_01_01_01>(b));
        let low_z = _mm256_fmadd_ps(planes.low_z, inverse_z, _mm256_permute_ps::<0b10_10_10_10>(b));
        let high_x =
            _mm256_fmadd_ps(planes.high_x, inverse_x, _mm256_permute_ps::<0b00_00_00_00>(c));
        let high_y =
            _mm256_fmadd_ps(planes.high_y, inverse_y, _mm256_permute_ps::<0b01_01_01_01>(c));
        let high_z =
            _mm256_fmadd_ps(planes.high_z, inverse_z, _mm256_permute_ps::<0b10_10_10_10>(c));
        // A minimum or maximum with a NaN is its second operand: a slot without a child is never
        // met.
        let enter = _mm256_max_ps(
            _mm256_max_ps(nearest, _mm256_min_ps(low_x, high_x)),
            _mm256_max_ps(_mm256_min_ps(low_y, high_y), _mm256_min_ps(low_z, high_z)),
        );
        let exit = _mm256_min_ps(
            _mm256_min_ps(farthest, _mm256_max_ps(low_x, high_x)),
            _mm256_min_ps(_mm256_max_ps(low_y, high_y), _mm256_max_ps(low_z, high_z)),
        );
        Self { enter, exit: _mm256_fmadd_ps(exit, _mm256_set1_ps(WIDEN), _mm256_set1_ps(TINY)) }
    }
}

/// The twelve words of an aim, four and four and four, each twice. Three loads instead of eleven:
/// the compiler would undo it if it saw what becomes of them.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn loaded(aim: &BoxTestRay) -> (__m256, __m256, __m256) {
    // SAFETY: VECTOR-SIZED: an aim is three vectors of four.
    unsafe {
        let words: *const __m128 = std::ptr::from_ref(aim).cast();
        let (mut a, mut b, mut c) = (
            _mm256_broadcast_ps(&*words),
            _mm256_broadcast_ps(&*words.add(1)),
            _mm256_broadcast_ps(&*words.add(2)),
        );
        std::arch::asm!(
            "/* {0} {1} {2} */",
            inout(ymm_reg) a,
            inout(ymm_reg) b,
            inout(ymm_reg) c,
            options(pure, nomem, nostack, preserves_flags)
        );
        (a, b, c)
    }
}
