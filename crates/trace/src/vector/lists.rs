//! Which rays in flight wait for which kind of step.

use crate::simd::{Ints, Lanes, Simd, first_lanes};
use crate::world::Pointer;

/// Rays in flight on a thread.
pub(super) const SLOTS: usize = 64;

/// Vector stores may write this many tasks beyond the last one.
const MARGIN: usize = 16;

/// Tasks of one kind: slots, and where their next step goes. A slot has one task at most.
#[derive(Debug)]
#[repr(C, align(64))]
pub(super) struct List {
    /// Where the steps go.
    pub(super) pointers: [Pointer; SLOTS + MARGIN],
    /// Which slots.
    pub(super) slots: [u32; SLOTS + MARGIN],
    /// How many there are.
    pub(super) count: usize,
}

impl List {
    const EMPTY: Self =
        Self { pointers: [Pointer::DONE; SLOTS + MARGIN], slots: [0; SLOTS + MARGIN], count: 0 };

    /// A task.
    ///
    /// # Safety
    /// There must be, or just have been, that many.
    #[inline(always)]
    pub(super) unsafe fn get(&self, index: usize) -> (Pointer, u32) {
        debug_assert!(index < SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM.
        unsafe { (*self.pointers.get_unchecked(index), *self.slots.get_unchecked(index)) }
    }

    /// Adds a task.
    ///
    /// # Safety
    /// There must be fewer than [`SLOTS`] tasks.
    #[inline(always)]
    pub(super) unsafe fn push(&mut self, pointer: Pointer, slot: u32) {
        // SAFETY: TASK-ROOM.
        unsafe { self.set(self.count, pointer, slot) };
        self.count += 1;
    }

    /// Writes a task, of which the list is told when all are written.
    ///
    /// # Safety
    /// The index must be less than [`SLOTS`].
    #[inline(always)]
    pub(super) unsafe fn set(&mut self, index: usize, pointer: Pointer, slot: u32) {
        debug_assert!(index < SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM.
        unsafe {
            *self.pointers.get_unchecked_mut(index) = pointer;
            *self.slots.get_unchecked_mut(index) = slot;
        }
    }

    /// Writes those of sixteen tasks that `mask` names behind the first `count`. How many there are
    /// then.
    ///
    /// # Safety
    /// There must be at most [`SLOTS`] tasks afterwards.
    #[inline(always)]
    unsafe fn append<I: Ints>(&mut self, count: usize, mask: u32, pointers: I, slots: I) -> usize {
        debug_assert!(count + mask.count_ones() as usize <= SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM, VECTOR-SIZED.
        unsafe {
            pointers.store_some(mask, self.pointers.as_mut_ptr().add(count).cast());
            slots.store_some(mask, self.slots.as_mut_ptr().add(count));
        }
        count + mask.count_ones() as usize
    }
}

/// All tasks, by the kind of their step.
#[derive(Debug)]
pub(super) struct Lists {
    /// Steps at nodes.
    pub(super) nodes: List,
    /// Steps at leaves.
    pub(super) leaves: List,
    /// Everything else.
    pub(super) others: List,
    /// Leaves in which triangles may be hit.
    pub(super) hits: List,
    /// Slots without a ray.
    pub(super) free: List,
    /// Tasks that have just been found, to be sorted.
    pub(super) found: List,
    /// Which triangles of a leaf may be hit, for each task of `hits`.
    pub(super) masks: [u32; SLOTS + MARGIN],
    /// For each task of `leaves`, once it has been done: which triangles may be hit.
    pub(super) met: [u32; SLOTS + MARGIN],
    /// Likewise: where the ray goes on if none is.
    pub(super) behind: [Pointer; SLOTS + MARGIN],
    /// How many slots there are.
    slots: usize,
}

impl Lists {
    /// No tasks, and so many slots, all free.
    pub(super) fn all_free(slots: usize) -> Self {
        let mut free = List::EMPTY;
        free.slots = std::array::from_fn(|slot| slot as u32);
        free.count = slots;
        Self {
            nodes: List::EMPTY,
            leaves: List::EMPTY,
            others: List::EMPTY,
            hits: List::EMPTY,
            free,
            found: List::EMPTY,
            masks: [0; SLOTS + MARGIN],
            met: [0; SLOTS + MARGIN],
            behind: [Pointer::DONE; SLOTS + MARGIN],
            slots,
        }
    }

    /// Whether every slot has one task, or is free: SLOT-UNIQUE, for assertions between rounds.
    pub(super) fn are_unique(&self) -> bool {
        let lists = [&self.nodes, &self.leaves, &self.others, &self.hits, &self.free];
        let slots = lists.iter().flat_map(|list| &list.slots[..list.count]);
        let (seen, count) =
            slots.fold((0u64, 0), |(seen, count), &slot| (seen | 1 << slot, count + 1));
        (seen.count_ones() as usize, count) == (self.slots, self.slots)
    }

    /// Whether a slot is not free.
    #[inline(always)]
    pub(super) fn is_any_in_flight(&self) -> bool {
        self.free.count < self.slots
    }

    /// Moves all found tasks to the lists of their kinds, and the tasks of `leaves`, which have
    /// been done, to `hits` where triangles may be hit, and to where their rays go on where not.
    /// All other tasks must have been done.
    ///
    /// # Safety
    /// A slot must have one task at most in all lists together.
    #[inline(always)]
    pub(super) unsafe fn sort<V: Simd>(&mut self) {
        let mut counts = Counts::default();
        let (done, found) = (self.leaves.count, self.found.count);
        let mut hits = 0;
        for at in (0..done).step_by(16) {
            // SAFETY: TASK-ROOM, VECTOR-SIZED. What is written to `leaves` lies no higher than what
            // has been read.
            unsafe {
                let met = V::I16::load(self.met.as_ptr().add(at));
                let leaves = V::I16::load(self.leaves.pointers.as_ptr().add(at).cast());
                let slots = V::I16::load(self.leaves.slots.as_ptr().add(at));
                let behind = V::I16::load(self.behind.as_ptr().add(at).cast());
                let present = first_lanes((done - at).min(16));
                let is_hit = present & !met.eq(V::I16::splat(0));
                met.store_some(is_hit, self.masks.as_mut_ptr().add(hits));
                hits = self.hits.append(hits, is_hit, leaves, slots);
                counts = self.distribute(counts, present & !is_hit, behind, slots);
            }
        }
        for at in (0..found).step_by(16) {
            // SAFETY: TASK-ROOM, VECTOR-SIZED, SLOT-UNIQUE.
            unsafe {
                let pointers = V::I16::load(self.found.pointers.as_ptr().add(at).cast());
                let slots = V::I16::load(self.found.slots.as_ptr().add(at));
                let present = first_lanes((found - at).min(16));
                counts = self.distribute(counts, present, pointers, slots);
            }
        }
        self.found.count = 0;
        self.hits.count = hits;
        (self.nodes.count, self.leaves.count) = (counts.nodes, counts.leaves);
        self.others.count = counts.others;
    }

    /// Adds those of sixteen tasks that `mask` names to the lists of their kinds.
    ///
    /// # Safety
    /// As [`Lists::sort`].
    #[inline(always)]
    unsafe fn distribute<I: Ints>(
        &mut self,
        counts: Counts,
        mask: u32,
        pointers: I,
        slots: I,
    ) -> Counts {
        // The highest bit says that it is no node, the next one, that it is no leaf either.
        let is_no_node = pointers.is_high();
        let others = mask & is_no_node & pointers.shl(I::splat(1)).is_high();
        let nodes = mask & !is_no_node;
        let leaves = mask & !nodes & !others;
        // SAFETY: SLOT-UNIQUE, so TASK-ROOM.
        unsafe {
            Counts {
                nodes: self.nodes.append(counts.nodes, nodes, pointers, slots),
                leaves: self.leaves.append(counts.leaves, leaves, pointers, slots),
                others: self.others.append(counts.others, others, pointers, slots),
            }
        }
    }
}

/// Tasks of each kind.
#[derive(Clone, Copy, Default)]
struct Counts {
    nodes: usize,
    leaves: usize,
    others: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SLOT-UNIQUE: what debug builds assert once a round fails if a slot has two tasks or none.
    #[test]
    fn slot_unique_is_seen_to_be_broken() {
        let mut lists = Lists::all_free(16);
        assert!(lists.are_unique());
        lists.free.count -= 1;
        assert!(!lists.are_unique());
        // SAFETY: TASK-ROOM.
        unsafe { lists.nodes.push(Pointer::DONE, 15) };
        assert!(lists.are_unique());
        // SAFETY: TASK-ROOM.
        unsafe { lists.leaves.push(Pointer::DONE, 15) };
        assert!(!lists.are_unique());
    }
}
