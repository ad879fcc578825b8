//! Where a walk of a bundle still has to go.

use crate::simd::{Floats, Ints, Simd};
use crate::world::Pointer;

/// Vector stores may write this many entries beyond the top.
const MARGIN: usize = 8;

/// An entry of the stack.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The depth at which its box begins.
    pub(super) depth: f32,
    /// Where it leads.
    pub(super) pointer: Pointer,
    /// Where its box is: the pointer to a node, and in the lowest three bits the slot.
    pub(super) place: u32,
}

/// Entries to be visited, the nearest last.
pub(super) struct Stack {
    depths: Vec<f32>,
    pointers: Vec<u32>,
    places: Vec<u32>,
    height: usize,
}

impl Stack {
    /// A stack without room.
    pub(super) const EMPTY: Self =
        Self { depths: Vec::new(), pointers: Vec::new(), places: Vec::new(), height: 0 };

    /// Drops all entries, and makes room for so many.
    pub(super) fn reset(&mut self, size: usize) {
        let size = self.depths.len().max(size + MARGIN);
        self.depths.resize(size, 0.0);
        self.pointers.resize(size, 0);
        self.places.resize(size, 0);
        self.height = 0;
    }

    /// Entries on the stack.
    #[inline(always)]
    pub(super) fn height(&self) -> usize {
        self.height
    }

    /// Drops entries until there are so many.
    #[inline(always)]
    pub(super) fn cut(&mut self, height: usize) {
        self.height = self.height.min(height);
    }

    /// The entry on top, which must be there.
    #[inline(always)]
    pub(super) unsafe fn pop(&mut self) -> Entry {
        debug_assert!(self.height > 0, "STACK-BOTTOM");
        self.height -= 1;
        // SAFETY: STACK-BOTTOM: the caller has seen an entry.
        unsafe {
            Entry {
                depth: *self.depths.get_unchecked(self.height),
                pointer: Pointer(*self.pointers.get_unchecked(self.height)),
                place: *self.places.get_unchecked(self.height),
            }
        }
    }

    /// Puts those of eight entries on top that `met` names.
    ///
    /// # Safety
    /// There must be room for eight entries.
    #[inline(always)]
    pub(super) unsafe fn push_8<V: Simd>(
        &mut self,
        met: u32,
        depths: V::F8,
        pointers: V::I8,
        places: V::I8,
    ) {
        debug_assert!(self.height + 8 <= self.depths.len(), "STACK-ROOM");
        // SAFETY: STACK-ROOM, VECTOR-SIZED.
        unsafe {
            depths.store_some(met, self.depths.as_mut_ptr().add(self.height));
            pointers.store_some(met, self.pointers.as_mut_ptr().add(self.height));
            places.store_some(met, self.places.as_mut_ptr().add(self.height));
        }
        self.height += met.count_ones() as usize;
    }

    /// The pointer of an entry, counted from the top.
    #[inline(always)]
    pub(super) unsafe fn pointer_below_top(&self, below: usize) -> Pointer {
        debug_assert!(below < self.height, "STACK-BOTTOM");
        // SAFETY: STACK-BOTTOM: the caller has pushed so many.
        unsafe { Pointer(*self.pointers.get_unchecked(self.height - 1 - below)) }
    }
}
