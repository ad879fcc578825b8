//! Steps of many rays.
//!
//! A step is so long that a processor can hardly look beyond it. So steps have two halves, and the
//! first half of a ray's step is taken before the second one of the ray's before it: neither waits
//! for the other.

use super::Bytes;
use super::leaf::{DecodedLeaf, LeafVectors};
use super::node::Met;
use crate::avx512::batch_steps::BatchSteps;
use crate::avx512::lists::{List, Lists};
use crate::vector::active_ray::ActiveRay;
use crate::vector::rule::Rule;
use crate::vector::source::VectorSource;
use crate::world::Pointer;

impl<'a, R: Rule, const TURNED: bool> BatchSteps for Bytes<'a, R, TURNED> {
    type SavedLeaf = DecodedLeaf<'a>;

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
            let mut met = self.meet(&lists.nodes, 0, slots);
            for index in 1..count {
                let next_number = *lists.nodes.slots.get_unchecked(index);
                let next = self.meet(&lists.nodes, index, slots);
                self.push::<DEPTHS>(&met, number, index - 1, &mut lists.found, slots, size);
                (number, met) = (next_number, next);
            }
            self.push::<DEPTHS>(&met, number, count - 1, &mut lists.found, slots, size);
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn leaves<const COUNTED: bool>(
        &self,
        lists: &mut Lists,
        kept: &mut [DecodedLeaf<'a>],
        slots: *mut ActiveRay,
    ) -> usize {
        let count = lists.leaves.count;
        let (mut kept, mut tested) = (kept.as_mut_ptr(), 0);
        let (mut number, mut decoded) = (0, LeafVectors::nothing());
        for index in 0..=count {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-BOTTOM, TASK-ROOM: of every leaf something
            // is kept at most once.
            unsafe {
                let (mut next_number, mut next) = (0, LeafVectors::nothing());
                if index < count {
                    next_number = *lists.leaves.slots.get_unchecked(index);
                    next = self.decode::<COUNTED>(&lists.leaves, index, slots);
                }
                if index > 0 {
                    kept = self.test::<COUNTED>(&decoded, number, index - 1, lists, kept, slots);
                    if COUNTED {
                        tested += decoded.triangles();
                    }
                }
                (number, decoded) = (next_number, next);
            }
        }
        tested
    }

    #[inline(always)]
    fn saved_leaf<'k>(_: &'k Pointer, kept: &'k DecodedLeaf<'a>) -> &'k DecodedLeaf<'a> {
        kept
    }
}

impl<'a, R: Rule, const TURNED: bool> Bytes<'a, R, TURNED> {
    /// The first half of a step at a node.
    ///
    /// # Safety
    /// As [`BatchSteps`], for all of these.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn meet(&self, nodes: &List, index: usize, slots: *mut ActiveRay) -> Met {
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, TASK-ROOM.
        unsafe {
            let slot = &*slots.add(*nodes.slots.get_unchecked(index) as usize);
            self.met(*nodes.pointers.get_unchecked(index), slot)
        }
    }

    /// The second half.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn push<const DEPTHS: bool>(
        &self,
        met: &Met,
        number: u32,
        index: usize,
        found: &mut List,
        slots: *mut ActiveRay,
        size: usize,
    ) {
        // SAFETY: SLOT-UNIQUE, STACK-ROOM, STACK-BOTTOM, TASK-ROOM.
        unsafe {
            let slot = &mut *slots.add(number as usize);
            slot.top = met.push::<DEPTHS>(slot.top, size).sub(1);
            let pointer = *slot.top;
            self.prefetch(pointer, slot);
            *found.pointers.get_unchecked_mut(index) = pointer;
            *found.slots.get_unchecked_mut(index) = number;
        }
    }

    /// The first half of a step at a leaf.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn decode<const COUNTED: bool>(
        &self,
        leaves: &List,
        index: usize,
        slots: *mut ActiveRay,
    ) -> LeafVectors<'a> {
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, TASK-ROOM.
        unsafe {
            let slot = &*slots.add(*leaves.slots.get_unchecked(index) as usize);
            let leaf = *leaves.pointers.get_unchecked(index);
            LeafVectors::new::<R>(self.node(leaf, slot), leaf, &slot.triangle_ray)
        }
    }

    /// The second half. Where the next leaf is kept.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn test<const COUNTED: bool>(
        &self,
        leaf: &LeafVectors<'a>,
        number: u32,
        index: usize,
        lists: &mut Lists,
        kept: *mut DecodedLeaf<'a>,
        slots: *mut ActiveRay,
    ) -> *mut DecodedLeaf<'a> {
        // SAFETY: SLOT-UNIQUE, STACK-BOTTOM, TASK-ROOM.
        unsafe {
            let slot = &mut *slots.add(number as usize);
            let mask = leaf.candidates::<R>(slot);
            leaf.keep(kept);
            // A ray that may hit something keeps its stack as it is, and what is found for it is
            // not used.
            let is_at_end = leaf.rest == Pointer::DONE;
            slot.top = slot.top.sub(usize::from((mask == 0) & is_at_end));
            let pointer = if is_at_end { *slot.top } else { leaf.rest };
            self.prefetch(pointer, slot);
            *lists.behind.get_unchecked_mut(index) = pointer;
            *lists.met.get_unchecked_mut(index) = u32::from(mask);
            kept.add(usize::from(mask != 0))
        }
    }
}
