//! What a ray has still to visit.
//!
//! A stack is two runs of words of the same length: pointers, and where the ray enters what they
//! lead to. The lowest entry is [`Pointer::DONE`], which is always popped last, so a stack is never
//! empty.

use crate::world::Pointer;

/// Vector stores may write this many entries beyond the top of a stack.
pub(crate) const MARGIN: usize = 16;

/// Entries of a stack on which a walk never has more than `used`.
pub(crate) fn size(used: usize) -> usize {
    (used + MARGIN).next_multiple_of(16)
}

/// Words from one stack of a size to the next: an odd number of lines, so that the blases of stacks
/// do not compete for the same places of a cache.
pub(crate) fn stride(size: usize) -> usize {
    2 * size + 16
}

/// So many stacks of a size, one after the other, each with its lowest entry, which stays for ever.
pub(crate) fn all(count: usize, size: usize) -> Vec<u32> {
    let mut words = vec![0; count * stride(size)];
    for stack in words.chunks_exact_mut(stride(size)) {
        (stack[0], stack[size]) = (Pointer::DONE.0, f32::NEG_INFINITY.to_bits());
    }
    words
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
