//! Which rays in flight wait for which kind of step.

use crate::world::Pointer;
use std::arch::x86_64::*;

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

    /// Adds a task.
    ///
    /// # Safety
    /// There must be fewer than [`SLOTS`] tasks.
    #[inline(always)]
    pub(super) unsafe fn push(&mut self, pointer: Pointer, slot: u32) {
        debug_assert!(self.count < SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM.
        unsafe {
            *self.pointers.get_unchecked_mut(self.count) = pointer;
            *self.slots.get_unchecked_mut(self.count) = slot;
        }
        self.count += 1;
    }

    /// Writes those of sixteen tasks that `mask` names behind the first `count`. How many there are
    /// then; the list is told when all are written.
    ///
    /// # Safety
    /// There must be at most [`SLOTS`] tasks afterwards.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn append(
        &mut self,
        count: usize,
        mask: u16,
        pointers: __m512i,
        slots: __m512i,
    ) -> usize {
        debug_assert!(count + mask.count_ones() as usize <= SLOTS, "TASK-ROOM");
        // SAFETY: TASK-ROOM, VECTOR-SIZED.
        unsafe {
            let place = self.pointers.as_mut_ptr().add(count);
            _mm512_storeu_si512(place.cast(), _mm512_maskz_compress_epi32(mask, pointers));
            let place = self.slots.as_mut_ptr().add(count);
            _mm512_storeu_si512(place.cast(), _mm512_maskz_compress_epi32(mask, slots));
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
}

impl Lists {
    /// No tasks, and all slots free.
    pub(super) fn all_free() -> Self {
        let mut free = List::EMPTY;
        free.slots = std::array::from_fn(|slot| slot as u32);
        free.count = SLOTS;
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
        }
    }

    /// Whether every slot has one task, or is free: SLOT-UNIQUE, for assertions between rounds.
    pub(super) fn are_unique(&self) -> bool {
        let lists = [&self.nodes, &self.leaves, &self.others, &self.hits, &self.free];
        let slots = lists.iter().flat_map(|list| &list.slots[..list.count]);
        let (seen, count) =
            slots.fold((0u64, 0), |(seen, count), &slot| (seen | 1 << slot, count + 1));
        (seen.count_ones() as usize, count) == (SLOTS, SLOTS)
    }

    /// Whether a slot is not free.
    pub(super) fn is_any_in_flight(&self) -> bool {
        self.free.count < SLOTS
    }

    /// Moves all found tasks to the lists of their kinds, and the tasks of `leaves`, which have
    /// been done, to `hits` where triangles may be hit, and to where their rays go on where not.
    /// All other tasks must have been done.
    ///
    /// # Safety
    /// A slot must have one task at most in all lists together.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn sort(&mut self) {
        let mut counts = Counts::default();
        let (done, found) = (self.leaves.count, self.found.count);
        let mut hits = 0;
        for at in (0..done).step_by(16) {
            // SAFETY: TASK-ROOM, VECTOR-SIZED. What is written to `leaves` lies no higher than what
            // has been read.
            unsafe {
                let met = _mm512_loadu_si512(self.met.as_ptr().add(at).cast());
                let leaves = _mm512_loadu_si512(self.leaves.pointers.as_ptr().add(at).cast());
                let slots = _mm512_loadu_si512(self.leaves.slots.as_ptr().add(at).cast());
                let behind = _mm512_loadu_si512(self.behind.as_ptr().add(at).cast());
                let present = first(done - at);
                let is_hit = _mm512_mask_test_epi32_mask(present, met, met);
                let place = self.masks.as_mut_ptr().add(hits);
                _mm512_storeu_si512(place.cast(), _mm512_maskz_compress_epi32(is_hit, met));
                hits = self.hits.append(hits, is_hit, leaves, slots);
                counts = self.distribute(counts, present & !is_hit, behind, slots);
            }
        }
        for at in (0..found).step_by(16) {
            // SAFETY: TASK-ROOM, VECTOR-SIZED, SLOT-UNIQUE.
            unsafe {
                let pointers = _mm512_loadu_si512(self.found.pointers.as_ptr().add(at).cast());
                let slots = _mm512_loadu_si512(self.found.slots.as_ptr().add(at).cast());
                counts = self.distribute(counts, first(found - at), pointers, slots);
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
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn distribute(
        &mut self,
        counts: Counts,
        mask: u16,
        pointers: __m512i,
        slots: __m512i,
    ) -> Counts {
        let nodes = mask & !_mm512_movepi32_mask(pointers);
        let limit = _mm512_set1_epi32(Pointer::FIRST_OTHER as i32);
        let others = _mm512_mask_cmpge_epu32_mask(mask, pointers, limit);
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

/// The lowest bits of sixteen.
#[inline(always)]
fn first(count: usize) -> u16 {
    ((1u32 << count.min(16)) - 1) as u16
}
