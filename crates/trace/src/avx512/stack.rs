//! What a ray has still to visit.
//!
//! A stack is two runs of words of the same length: pointers, and where the ray enters what they lead to. The lowest entry is
//! [`Pointer::DONE`], which is always popped last, so a stack is never empty.

use super::boxes::{Children, TINY, WIDEN};
use crate::world::Pointer;
use std::arch::x86_64::*;

/// Vector stores may write this many entries beyond the top of a stack.
pub(super) const MARGIN: usize = 16;

/// Entries of a stack on which a walk never has more than `used`.
pub(crate) fn size(used: usize) -> usize {
    (used + MARGIN).next_multiple_of(16)
}

/// Words from one stack of a size to the next: an odd number of lines, so that the bottoms of stacks do
/// not compete for the same places of a cache.
pub(crate) fn stride(size: usize) -> usize {
    2 * size + 16
}

/// So many stacks of a size, one after the other, each with its lowest entry, which stays for ever.
pub(super) fn all(count: usize, size: usize) -> Vec<u32> {
    let mut words = vec![0; count * stride(size)];
    for stack in words.chunks_exact_mut(stride(size)) {
        (stack[0], stack[size]) = (Pointer::DONE.0, f32::NEG_INFINITY.to_bits());
    }
    words
}

/// Adds an entry that is visited wherever the range ends; the new top.
///
/// # Safety
/// The stack must have room for it.
#[inline(always)]
pub(crate) unsafe fn push(top: *mut Pointer, size: usize, pointer: Pointer) -> *mut Pointer {
    // SAFETY: as promised.
    unsafe {
        *top = pointer;
        *top.add(size).cast() = f32::NEG_INFINITY;
        top.add(1)
    }
}

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
    // SAFETY: as promised.
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
        // SAFETY: entries up to the top are there, and the caller promises sixteen more. What is
        // written lies no higher than what has been read.
        unsafe {
            let left = top.offset_from(read).min(16);
            let depths = _mm512_loadu_ps(read.add(size).cast());
            let pointers = _mm512_loadu_si512(read.cast());
            let present = ((1u32 << left) - 1) as u16;
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
