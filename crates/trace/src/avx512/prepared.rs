//! The CPU's copy as ground of rays in flight.

use super::boxes::Intervals;
use super::ground::{Candidates, Ground};
use super::slot::Slot;
use super::stack;
use super::triangles::{self, Accepted};
use crate::ask::Ask;
use crate::kind::Kind;
use crate::scalar;
use crate::world::{Level, Node, Pointer, TopLevel, World};
use geometry::{Aabb, Ray, Triangle};
use machine::Counters;
use tree::PrimitiveId;

impl Ground for World {
    type Leaf = Pointer;

    const LINES: usize = 4;

    fn is_ordinary(&self) -> bool {
        self.is_ordinary
    }

    #[inline(always)]
    fn top(&self) -> Option<&TopLevel> {
        self.top.as_ref()
    }

    #[inline(always)]
    fn bottom(&self, number: usize) -> Option<&Level> {
        self.bottoms.get(number)
    }

    fn stack_size(&self) -> usize {
        self.stack_size
    }

    fn box_list(&self, number: usize) -> &[(Aabb, PrimitiveId)] {
        self.box_list(number)
    }

    fn answer_plainly<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    ) {
        scalar::answer::<K>(self, ask, position, ray, answer, counters);
    }

    #[inline(always)]
    fn place(&self, pointer: Pointer) -> *const u8 {
        self.arena.start().wrapping_add(pointer.byte())
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn node<const DEPTHS: bool>(
        &self,
        node: Pointer,
        slot: &mut Slot,
        size: usize,
    ) -> Pointer {
        // SAFETY: as promised. The lowest entry of a stack ends the walk, so there is one.
        unsafe {
            let node = &*self.place(node).cast::<Node>();
            let found = Intervals::new(node, &slot.aim).children(node, &slot.aim);
            let pointer = found.nearest_or(node, *slot.top.sub(1));
            slot.top = stack::push_met::<DEPTHS>(slot.top, size, &found).sub(1);
            pointer
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn node_alone(&self, node: Pointer, slot: &mut Slot, size: usize) -> Pointer {
        // SAFETY: as promised. The lowest entry of a stack ends the walk, so there is one.
        unsafe {
            let node = &*self.place(node).cast::<Node>();
            let intervals = Intervals::new(node, &slot.aim);
            let met = intervals.met();
            if met.is_power_of_two() {
                node.children[met.trailing_zeros() as usize]
            } else if met == 0 {
                slot.top = slot.top.sub(1);
                *slot.top
            } else {
                let found = intervals.children(node, &slot.aim);
                slot.top = stack::push_met::<true>(slot.top, size, &found).sub(1);
                found.nearest(node)
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn candidates(&self, leaf: Pointer, slot: &Slot) -> Candidates {
        let tested = leaf.triangles();
        // SAFETY: as promised; there is room behind the last leaf.
        let mask = unsafe { triangles::candidates(self.place(leaf), tested, slot) };
        Candidates { mask, tested, rest: Pointer::DONE }
    }

    #[inline(always)]
    unsafe fn leaf(&self, leaf: Pointer) -> Pointer {
        leaf
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn accepted(&self, leaf: &Pointer, lane: usize, slot: &Slot) -> Option<Accepted> {
        // SAFETY: as promised.
        unsafe { triangles::accepted(self.place(*leaf), leaf.triangles(), lane, slot) }
    }

    fn triangle(&self, leaf: &Pointer, lane: usize) -> Triangle {
        self.arena.triangle(*leaf, lane).0
    }

    #[inline(always)]
    fn id(&self, leaf: &Pointer, lane: usize, slot: &Slot) -> PrimitiveId {
        self.names[slot.bottom as usize].id(self.arena.name(*leaf, lane))
    }

    #[inline(always)]
    fn rest(&self, _: &Pointer) -> Pointer {
        Pointer::DONE
    }
}
