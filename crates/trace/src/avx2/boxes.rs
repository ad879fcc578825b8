//! The children of a node that a ray meets.

use super::packing;
use crate::vector::boxes::Intervals;
use crate::world::{Node, Pointer};
use std::arch::x86_64::*;

/// Bit `i`: the ray meets the child in slot `i`.
#[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) fn met(intervals: &Intervals) -> u8 {
    _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(intervals.enter, intervals.exit)) as u8
}

/// Children of a node that are met, in the order of an octant, far to near, or of their slots.
pub(super) struct Children<'a> {
    node: &'a Node,
    /// Which child is where in that order, 3 bits each.
    order: u32,
    /// The same, a lane each; only the lowest three bits count.
    places: __m256i,
    /// Bit `i`: the ray meets child `i` in that order.
    met: u8,
    /// Where the ray enters children, in the order of their slots.
    enter: __m256,
}

impl<'a> Children<'a> {
    /// Those of `node`, for a ray of an octant.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn new(node: &'a Node, intervals: &Intervals, octant: u32) -> Self {
        let order = node.orders[octant as usize & 7];
        let shifts = _mm256_setr_epi32(21, 18, 15, 12, 9, 6, 3, 0);
        let places = _mm256_srlv_epi32(_mm256_set1_epi32(order as i32), shifts);
        let is_met = _mm256_cmp_ps::<_CMP_LE_OQ>(intervals.enter, intervals.exit);
        let met = _mm256_movemask_ps(_mm256_permutevar8x32_ps(is_met, places)) as u8;
        Self { node, order, places, met, enter: intervals.enter }
    }

    /// Those of `node`, in the order of their slots, which is that of their areas: the last is the
    /// likeliest to stop a ray.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) fn unordered(node: &'a Node, intervals: &Intervals) -> Self {
        let places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        let (met, enter) = (met(intervals), intervals.enter);
        Self { node, order: 0o01234567, places, met, enter }
    }

    /// The nearest child that is met; any if none is.
    #[inline(always)]
    pub(super) fn nearest(&self) -> Pointer {
        let zeros = u32::from(self.met).leading_zeros(); // 24 if the nearest is met, 32 if none is
        let child = self.order >> ((3 * zeros + 24) & 31) & 7;
        self.node.children[child as usize]
    }

    /// The nearest child that is met, or `other` if none is: known before the stack is written, and
    /// without a branch, which could not be predicted.
    #[inline(always)]
    pub(super) fn nearest_or(&self, other: Pointer) -> Pointer {
        let mut pointer = self.nearest().0;
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

    /// Adds them to a stack of `size` entries; with `DEPTHS`, also where they are entered. The new
    /// top.
    ///
    /// # Safety
    /// The stack must have room for eight entries more.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn push<const DEPTHS: bool>(
        &self,
        top: *mut Pointer,
        size: usize,
    ) -> *mut Pointer {
        let places = _mm256_permutevar8x32_epi32(self.places, packing::lanes(self.met));
        // SAFETY: STACK-ROOM, VECTOR-SIZED.
        unsafe {
            let pointers = _mm256_load_si256(self.node.children.as_ptr().cast());
            _mm256_storeu_si256(top.cast(), _mm256_permutevar8x32_epi32(pointers, places));
            if DEPTHS {
                let enter = _mm256_permutevar8x32_ps(self.enter, places);
                _mm256_storeu_ps(top.add(size).cast(), enter);
            }
            top.add(self.met.count_ones() as usize)
        }
    }
}
