//! One ray against the eight boxes of a node.
//!
//! Vectors of eight: those of sixteen would halve the instructions, but each of them takes two turns of the
//! units that were measured, and needs permutations.

use super::slot::Aim;
use crate::world::{Node, Pointer};
use std::arch::x86_64::*;

/// `1 + 16 eps`: how far the exit of a box is widened. The reference test needs `1 + 4 eps`; the rest covers
/// the roundings of this one, and `t` of triangles that are clamped or split (see `docs/trace.md`).
pub(crate) const WIDEN: f32 = 1.0 + 16.0 * f32::EPSILON;

/// `2^-118`, for products near the bottom of the exponent range.
pub(crate) const TINY: f32 = f32::from_bits(0x0480_0000);

/// Children of a node in the order of an octant, far to near, or of their slots.
pub(crate) struct Children {
    /// Bit `i`: the ray meets child `i`.
    pub(crate) met: u8,
    /// Where it enters them.
    pub(crate) enter: __m256,
    /// Where they lead.
    pub(crate) pointers: __m256i,
    /// Which child is where, 3 bits each.
    order: u32,
}

impl Children {
    /// The nearest child of `node` that is met; any if none is.
    #[inline(always)]
    pub(crate) fn nearest(&self, node: &Node) -> Pointer {
        let zeros = u32::from(self.met).leading_zeros(); // 24 if the nearest is met, 32 if none is
        let child = self.order >> ((3 * zeros + 24) & 31) & 7;
        node.children[child as usize]
    }

    /// The nearest child of `node` that is met, or `other` if none is. Without a branch, which could not be predicted: the compiler makes one of
    /// every other way to say this.
    #[inline(always)]
    pub(crate) fn nearest_or(&self, node: &Node, other: Pointer) -> Pointer {
        let mut pointer = self.nearest(node).0;
        // SAFETY: registers alone are read and written.
        unsafe {
            std::arch::asm!(
                "test {met:e}, {met:e}",
                "cmovz {pointer:e}, {other:e}",
                met = in(reg) u32::from(self.met),
                other = in(reg) other.0,
                pointer = inout(reg) pointer,
                options(pure, nomem, nostack)
            );
        }
        Pointer(pointer)
    }
}

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
    pub(crate) fn new(node: &Node, aim: &Aim) -> Self {
        // SAFETY: eight planes are a vector, and aligned like one.
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
    pub(crate) fn of(planes: &Planes, aim: &Aim) -> Self {
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
        // A minimum or maximum with a NaN is its second operand: a slot without a child is never met.
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

    /// Bit `i`: the ray meets the child in slot `i`.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn met(&self) -> u8 {
        _mm256_cmp_ps_mask::<_CMP_LE_OQ>(self.enter, self.exit)
    }

    /// In the order of their slots, which is that of their areas: the last is the likeliest to stop a ray.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn unordered(&self, node: &Node) -> Children {
        // SAFETY: eight pointers are a vector, and aligned like one.
        let pointers = unsafe { _mm256_load_si256(node.children.as_ptr().cast()) };
        Children { met: self.met(), enter: self.enter, pointers, order: 0o01234567 }
    }

    /// In the order of the ray's octant.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn children(&self, node: &Node, aim: &Aim) -> Children {
        let order = node.orders[aim.octant as usize & 7];
        // SAFETY: eight pointers are a vector, and aligned like one.
        let pointers = unsafe { _mm256_load_si256(node.children.as_ptr().cast()) };
        // Only the lowest three bits of an index count.
        let shifts = _mm256_setr_epi32(21, 18, 15, 12, 9, 6, 3, 0);
        let places = _mm256_srlv_epi32(_mm256_set1_epi32(order as i32), shifts);
        let enter = _mm256_permutexvar_ps(places, self.enter);
        let exit = _mm256_permutexvar_ps(places, self.exit);
        Children {
            met: _mm256_cmp_ps_mask::<_CMP_LE_OQ>(enter, exit),
            enter,
            pointers: _mm256_permutexvar_epi32(places, pointers),
            order,
        }
    }
}

/// The twelve words of an aim, four and four and four, each twice. Three loads instead of eleven: the
/// compiler would undo it if it saw what becomes of them.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn loaded(aim: &Aim) -> (__m256, __m256, __m256) {
    // SAFETY: an aim is three vectors of four.
    unsafe {
        let words: *const __m128 = std::ptr::from_ref(aim).cast();
        let (mut a, mut b, mut c) = (
            _mm256_broadcast_ps(&*words),
            _mm256_broadcast_ps(&*words.add(1)),
            _mm256_broadcast_ps(&*words.add(2)),
        );
        std::arch::asm!("/* {0} {1} {2} */", inout(ymm_reg) a, inout(ymm_reg) b, inout(ymm_reg) c, options(pure, nomem, nostack, preserves_flags));
        (a, b, c)
    }
}
