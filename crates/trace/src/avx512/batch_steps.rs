//! Steps of all rays that wait for one kind of them.

use super::boxes::Children;
use super::lists::{List, Lists};
use super::{Avx512, stack};
use crate::vector::active_ray::ActiveRay;
use crate::vector::boxes::Intervals;
use crate::vector::prepared::Prepared;
use crate::vector::rule::Rule;
use crate::vector::source::{Candidates, Steps, VectorSource};
use crate::world::{Node, Pointer};

/// A source over which many rays go at once.
///
/// All `unsafe` functions need the processor's features, tasks that lead to what they are said to
/// lead to, and slots with room on their stacks.
pub(super) trait BatchSteps: Steps {
    /// What a step at a leaf keeps for a look at its triangles.
    type SavedLeaf: Copy + Default;

    /// A step at a node for each of `lists.nodes`; where rays go next is put into `lists.found`.
    ///
    /// # Safety
    /// As above.
    unsafe fn nodes<const DEPTHS: bool>(
        &self,
        lists: &mut Lists,
        slots: *mut ActiveRay,
        size: usize,
    );

    /// A step at a leaf for each of `lists.leaves`: what may be hit is put into `lists.met`, and
    /// where rays go next if that is nothing, into `lists.behind`. What is kept of the `n`th leaf
    /// in which something may be hit is the `n`th of `kept`. How many triangles were tested, if
    /// that is `COUNTED`.
    ///
    /// # Safety
    /// As above.
    unsafe fn leaves<const COUNTED: bool>(
        &self,
        lists: &mut Lists,
        kept: &mut [Self::SavedLeaf],
        slots: *mut ActiveRay,
    ) -> usize;

    /// A leaf of which something was kept.
    fn saved_leaf<'a>(leaf: &'a Pointer, kept: &'a Self::SavedLeaf) -> &'a Self::Leaf;
}

impl<R: Rule> BatchSteps for Prepared<'_, R, Avx512> {
    type SavedLeaf = ();

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn nodes<const DEPTHS: bool>(
        &self,
        lists: &mut Lists,
        slots: *mut ActiveRay,
        size: usize,
    ) {
        let count = lists.nodes.count;
        if count == 0 {
            return;
        }
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM, TASK-ROOM.
        unsafe {
            let mut number = *lists.nodes.slots.get_unchecked(0);
            let mut found = self.meet::<DEPTHS>(&lists.nodes, 0, slots);
            for index in 1..count {
                let next_number = *lists.nodes.slots.get_unchecked(index);
                let next = self.meet::<DEPTHS>(&lists.nodes, index, slots);
                self.push::<DEPTHS>(&found, number, index - 1, &mut lists.found, slots, size);
                (number, found) = (next_number, next);
            }
            self.push::<DEPTHS>(&found, number, count - 1, &mut lists.found, slots, size);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn leaves<const COUNTED: bool>(
        &self,
        lists: &mut Lists,
        _: &mut [()],
        slots: *mut ActiveRay,
    ) -> usize {
        let mut all = 0;
        for index in 0..lists.leaves.count {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-BOTTOM, TASK-ROOM.
            unsafe {
                let leaf = *lists.leaves.pointers.get_unchecked(index);
                let number = *lists.leaves.slots.get_unchecked(index);
                let slot = &mut *slots.add(number as usize);
                let Candidates { mask, tested, .. } = self.candidates(leaf, slot);
                if COUNTED {
                    all += tested;
                }
                // A ray that may hit something keeps its stack as it is, and what is found for it
                // is not used.
                slot.top = slot.top.sub(usize::from(mask == 0));
                let pointer = *slot.top;
                self.prefetch(pointer, slot);
                *lists.behind.get_unchecked_mut(index) = pointer;
                *lists.met.get_unchecked_mut(index) = u32::from(mask);
            }
        }
        all
    }

    #[inline(always)]
    fn saved_leaf<'a>(leaf: &'a Pointer, _: &'a ()) -> &'a Pointer {
        leaf
    }
}

/// Steps at nodes have two halves, and the first half of a ray's step is taken before the second
/// one of the ray's before it: neither waits for the other.
impl<R: Rule> Prepared<'_, R, Avx512> {
    /// The first half.
    ///
    /// # Safety
    /// As [`BatchSteps`], for both.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn meet<const DEPTHS: bool>(
        &self,
        nodes: &List,
        index: usize,
        slots: *mut ActiveRay,
    ) -> (&Node, Children) {
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, TASK-ROOM.
        unsafe {
            let slot = &*slots.add(*nodes.slots.get_unchecked(index) as usize);
            let pointer = *nodes.pointers.get_unchecked(index);
            let node = &*self.proved_place(pointer, slot).cast::<Node>();
            let intervals = Intervals::new(node, &slot.box_ray);
            let children = match DEPTHS {
                true => intervals.children(node, &slot.box_ray),
                false => intervals.unordered(node),
            };
            (node, children)
        }
    }

    /// The second half.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn push<const DEPTHS: bool>(
        &self,
        (node, children): &(&Node, Children),
        number: u32,
        index: usize,
        found: &mut List,
        slots: *mut ActiveRay,
        size: usize,
    ) {
        // SAFETY: SLOT-UNIQUE, STACK-ROOM, STACK-BOTTOM, TASK-ROOM.
        unsafe {
            let slot = &mut *slots.add(number as usize);
            let pointer = children.nearest_or(node, *slot.top.sub(1));
            slot.top = stack::push_met::<DEPTHS>(slot.top, size, children).sub(1);
            self.prefetch(pointer, slot);
            *found.pointers.get_unchecked_mut(index) = pointer;
            *found.slots.get_unchecked_mut(index) = number;
        }
    }
}
