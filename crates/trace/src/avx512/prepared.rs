//! The CPU's copy as ground of rays in flight.

use super::boxes::Intervals;
use super::ground::{Candidates, Ground, Steps};
use super::rule::Rule;
use super::slot::Slot;
use super::triangles::{self, Accepted};
use super::{Avx512, moller_trumbore, stack};
use crate::ask::Ask;
use crate::kind::Kind;
use crate::scalar;
use crate::world::{Level, Node, Pointer, TopLevel, World};
use geometry::{Aabb, Ray, Triangle, TriangleRule};
use machine::Counters;
use std::marker::PhantomData;
use tree::PrimitiveId;

/// The copy, for rays by rule `R` in a kernel with the instructions `V`.
pub(crate) struct Prepared<'a, R, V> {
    /// What pointers count from.
    start: *const u8,
    pub(crate) world: &'a World,
    types: PhantomData<(R, V)>,
}

impl<'a, R, V> Prepared<'a, R, V> {
    pub(crate) fn new(world: &'a World) -> Self {
        Self { start: world.arena.start(), world, types: PhantomData }
    }
}

impl<R: Rule, V> Ground for Prepared<'_, R, V> {
    type Rule = R;

    const LINES: usize = 4;

    const DILATIONS: f32 = 1.0;

    fn is_ordinary(&self) -> bool {
        self.world.is_ordinary
    }

    #[inline(always)]
    fn top(&self) -> Option<&TopLevel> {
        self.world.top.as_ref()
    }

    #[inline(always)]
    fn bottom(&self, number: usize) -> Option<&Level> {
        self.world.bottoms.get(number)
    }

    #[inline(always)]
    fn start(&self, _: Option<usize>) -> *const u8 {
        self.start
    }

    #[inline(always)]
    fn placement(&self, named: usize) -> usize {
        named
    }

    fn stack_size(&self) -> usize {
        self.world.stack_size
    }

    fn box_list(&self, number: usize) -> &[(Aabb, PrimitiveId)] {
        self.world.box_list(number)
    }

    fn answer_plainly<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    ) {
        scalar::answer::<K>(self.world, ask, position, ray, answer, counters);
    }

    #[inline(always)]
    fn place(&self, pointer: Pointer, _: &Slot) -> *const u8 {
        self.start.wrapping_add(pointer.byte())
    }
}

impl<R: Rule> Steps for Prepared<'_, R, Avx512> {
    type Leaf = Pointer;

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn node_alone(&self, node: Pointer, slot: &mut Slot, size: usize) -> Pointer {
        // SAFETY: as promised. The lowest entry of a stack ends the walk, so there is one.
        unsafe {
            let node = &*self.place(node, slot).cast::<Node>();
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
        let mask = unsafe {
            match R::RULE {
                TriangleRule::Watertight => {
                    triangles::candidates(self.place(leaf, slot), tested, slot)
                }
                TriangleRule::MollerTrumbore => {
                    moller_trumbore::candidates(self.place(leaf, slot), tested, slot)
                }
            }
        };
        Candidates { mask: mask.into(), tested, rest: Pointer::DONE }
    }

    #[inline(always)]
    unsafe fn leaf(&self, leaf: Pointer, _: &Slot) -> Pointer {
        leaf
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn accepted(&self, leaf: &Pointer, lane: usize, slot: &Slot) -> Option<Accepted> {
        // SAFETY: as promised.
        unsafe {
            triangles::accepted_by::<R>(self.place(*leaf, slot), leaf.triangles(), lane, slot)
        }
    }

    fn triangle(&self, leaf: &Pointer, lane: usize) -> Triangle {
        self.world.arena.triangle(*leaf, lane).0
    }

    #[inline(always)]
    fn id(&self, leaf: &Pointer, lane: usize, slot: &Slot) -> PrimitiveId {
        self.world.names[slot.bottom as usize].id(self.world.arena.name(*leaf, lane))
    }

    #[inline(always)]
    fn rest(&self, _: &Pointer) -> Pointer {
        Pointer::DONE
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn drop_beyond(
        bottom: *mut Pointer,
        top: *mut Pointer,
        size: usize,
        t: f32,
    ) -> *mut Pointer {
        // SAFETY: as promised.
        unsafe { stack::drop_beyond(bottom, top, size, t) }
    }
}
