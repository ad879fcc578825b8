//! What vectors do with a stack.

use super::boxes::Children;
use crate::vector::boxes::{TINY, WIDEN};
use crate::world::Pointer;
use std::arch::x86_64::*;

/// Adds the children that are met; with `DEPTHS`, also where they are entered. The new top.
///
/// # Safety
/// The stack must have room for eight entries more.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn push_met<const DEPTHS: bool>(
    top: *mut Pointer,
    size: usize,
    found: &Children,
) -> *mut Pointer {
    // SAFETY: STACK-ROOM, VECTOR-SIZED.
    unsafe {
        let pointers = _mm256_maskz_compress_epi32(found.met, found.pointers);
        _mm256_storeu_si256(top.cast(), pointers);
        if DEPTHS {
            let depths = _mm256_maskz_compress_ps(found.met, found.enter);
            _mm256_storeu_ps(top.add(size).cast(), depths);
        }
        top.add(found.met.count_ones() as usize)
    }
}

/// Drops the entries from `bottom` to `top` that begin beyond `t`. The new top.
///
/// # Safety
/// The stack must have room for sixteen entries more, and depths for all that it has.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(crate) unsafe fn drop_beyond(
    bottom: *mut Pointer,
    top: *mut Pointer,
    size: usize,
    t: f32,
) -> *mut Pointer {
    let limit = _mm512_set1_ps(t * WIDEN + TINY);
    let (mut read, mut kept) = (bottom, bottom);
    while read < top {
        // SAFETY: STACK-ROOM, LANES-INITIALIZED. What is written lies no higher than what has been
        // read.
        unsafe {
            let left = top.offset_from(read).min(16);
            let present = ((1u32 << left) - 1) as u16;
            let depths = _mm512_maskz_loadu_ps(present, read.add(size).cast());
            let pointers = _mm512_maskz_loadu_epi32(present, read.cast());
            let near = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(present, depths, limit);
            let depths = _mm512_maskz_compress_ps(near, depths);
            let pointers = _mm512_maskz_compress_epi32(near, pointers);
            _mm512_storeu_ps(kept.add(size).cast(), depths);
            _mm512_storeu_si512(kept.cast(), pointers);
            kept = kept.add(near.count_ones() as usize);
            read = read.add(16);
        }
    }
    kept
}
