//! What a ray has still to visit.
//!
//! A stack is two runs of words of the same length: pointers, and where the ray enters what they
//! lead to. The lowest entry is [`Pointer::DONE`], which is always popped last, so a stack is never
//! empty.

use super::{TINY, WIDEN};
use crate::simd::{Floats, Ints, Lanes, Simd, first_lanes};
use crate::world::Pointer;

/// Vector stores may write this many entries beyond the top of a stack.
pub(crate) const MARGIN: usize = 16;

/// Entries of a stack on which a walk never has more than `used`.
pub(crate) fn size(used: usize) -> usize {
    (used + MARGIN).next_multiple_of(16)
}

/// Words from one stack of a size to the next: an odd number of lines, so that the bases of stacks
/// do not compete for the same places of a cache.
pub(crate) fn stride(size: usize) -> usize {
    2 * size + 16
}

/// Makes so many stacks of a size, one after the other, of words that were stacks before: each has
/// its lowest entry, which stays for ever.
pub(crate) fn make(words: &mut Vec<u32>, count: usize, size: usize) {
    words.resize(words.len().max(count * stride(size)), 0);
    for stack in words.chunks_exact_mut(stride(size)).take(count) {
        (stack[0], stack[size]) = (Pointer::DONE.0, f32::NEG_INFINITY.to_bits());
    }
}

/// Whether a stack of a size that ends at `top` has its lowest entry, or just had it taken, and
/// room for a vector of entries more: STACK-BOTTOM, STACK-ROOM, for assertions.
pub(crate) fn is_within(bottom: *mut Pointer, top: *mut Pointer, size: usize) -> bool {
    bottom <= top && top <= bottom.wrapping_add(size - MARGIN)
}

/// Adds an entry that is visited wherever the range ends; the new top.
///
/// # Safety
/// The stack must have room for it.
#[inline(always)]
pub(crate) unsafe fn push(top: *mut Pointer, size: usize, pointer: Pointer) -> *mut Pointer {
    // SAFETY: STACK-ROOM.
    unsafe {
        *top = pointer;
        *top.add(size).cast() = f32::NEG_INFINITY;
        top.add(1)
    }
}

/// Adds those of eight entries that `met` names, of a node's children; with `DEPTHS`, also where
/// they are entered. The new top.
///
/// # Safety
/// The stack must have room for eight entries more.
#[inline(always)]
pub(crate) unsafe fn push_met<V: Simd, const DEPTHS: bool>(
    top: *mut Pointer,
    size: usize,
    met: u32,
    pointers: V::I8,
    enter: V::F8,
) -> *mut Pointer {
    // SAFETY: STACK-ROOM, VECTOR-SIZED.
    unsafe {
        pointers.store_some(met, top.cast());
        if DEPTHS {
            enter.store_some(met, top.add(size).cast());
        }
        top.add(met.count_ones() as usize)
    }
}

/// Drops the entries from `bottom` to `top` that begin beyond `t`. The new top.
///
/// # Safety
/// The stack must have room for sixteen entries more, and depths for all that it has.
#[inline(always)]
pub(crate) unsafe fn drop_beyond<V: Simd>(
    bottom: *mut Pointer,
    top: *mut Pointer,
    size: usize,
    t: f32,
) -> *mut Pointer {
    let limit = V::F16::splat(t * WIDEN + TINY);
    let (mut read, mut kept) = (bottom, bottom);
    while read < top {
        // SAFETY: STACK-ROOM, LANES-INITIALIZED. What is written lies no higher than what has been
        // read.
        unsafe {
            let left = top.offset_from(read).min(16);
            let depths = V::F16::load(read.add(size).cast());
            let pointers = V::I16::load(read.cast());
            let near = first_lanes(left as usize) & depths.le(limit);
            depths.store_some(near, kept.add(size).cast());
            pointers.store_some(near, kept.cast());
            kept = kept.add(near.count_ones() as usize);
            read = read.add(16);
        }
    }
    kept
}
