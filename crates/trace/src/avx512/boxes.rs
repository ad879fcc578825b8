//! The children of a node that a ray meets.

use crate::vector::active_ray::BoxTestRay;
use crate::vector::boxes::Intervals;
use crate::world::{Node, Pointer};
use std::arch::x86_64::*;

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

    /// The nearest child of `node` that is met, or `other` if none is. Without a branch, which
    /// could not be predicted: the compiler makes one of every other way to say this.
    #[inline(always)]
    pub(crate) fn nearest_or(&self, node: &Node, other: Pointer) -> Pointer {
        let mut pointer = self.nearest(node).0;
        // SAFETY: REGISTERS-ONLY.
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

impl Intervals {
    /// Bit `i`: the ray meets the child in slot `i`.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn met(&self) -> u8 {
        _mm256_cmp_ps_mask::<_CMP_LE_OQ>(self.enter, self.exit)
    }

    /// In the order of their slots, which is that of their areas: the last is the likeliest to stop
    /// a ray.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn unordered(&self, node: &Node) -> Children {
        // SAFETY: VECTOR-SIZED.
        let pointers = unsafe { _mm256_load_si256(node.children.as_ptr().cast()) };
        Children { met: self.met(), enter: self.enter, pointers, order: 0o01234567 }
    }

    /// In the order of the ray's octant.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(crate) fn children(&self, node: &Node, aim: &BoxTestRay) -> Children {
        let order = node.orders[aim.octant as usize & 7];
        // SAFETY: VECTOR-SIZED.
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
