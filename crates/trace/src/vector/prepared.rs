//! The CPU's copy as source of rays in flight.

use super::active_ray::ActiveRay;
use super::boxes::{Children, Intervals};
use super::rule::Rule;
use super::source::{Source, Steps};
use super::triangles::{self, Accepted};
use super::{moller_trumbore, stack};
use crate::ask::Ask;
use crate::kind::Kind;
use crate::scalar;
use crate::simd::Simd;
use crate::world::{Level, Node, Pointer, TRIANGLE_BYTES, Tlas, World};
use geometry::{Aabb, Ray, Triangle, TriangleRule};
use machine::Counters;
use std::marker::PhantomData;
use tree::PrimitiveId;

/// The copy, for rays by rule `R`.
pub(crate) struct Prepared<'a, R> {
    /// What pointers count from.
    start: *const u8,
    pub(crate) world: &'a World,
    rule: PhantomData<R>,
}

impl<'a, R> Prepared<'a, R> {
    pub(crate) fn new(world: &'a World) -> Self {
        Self { start: world.arena.start(), world, rule: PhantomData }
    }
}

impl<R: Rule> Source for Prepared<'_, R> {
    type Rule = R;

    const LINES: usize = 4;

    const NODE_BYTES: u64 = size_of::<Node>() as u64;

    const LEAF_BYTES: [u64; 2] = [TRIANGLE_BYTES, 0];

    const DILATIONS: f32 = 1.0;

    unsafe fn child_count(&self, node: Pointer, _: &ActiveRay) -> u64 {
        self.world.arena.node(node).slots().count() as u64
    }

    fn is_ordinary(&self) -> bool {
        self.world.is_ordinary
    }

    #[inline(always)]
    fn tlas(&self) -> Option<&Tlas> {
        self.world.tlas.as_ref()
    }

    #[inline(always)]
    fn blas(&self, number: usize) -> Option<&Level> {
        self.world.blases.get(number)
    }

    #[inline(always)]
    fn start(&self, _: Option<usize>) -> *const u8 {
        self.start
    }

    #[inline(always)]
    fn instance(&self, instance_id: usize) -> Option<usize> {
        Some(instance_id)
    }

    fn stack_size(&self) -> usize {
        self.world.stack_size
    }

    fn box_list(&self, number: usize) -> &[(Aabb, PrimitiveId)] {
        self.world.box_list(number)
    }

    fn answer_scalar<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    ) {
        scalar::answer::<K, _>(self.world, ask, position, ray, answer, counters);
    }

    fn holds(&self, pointer: Pointer, _: &ActiveRay) -> bool {
        self.world.arena.holds(pointer)
    }

    #[inline(always)]
    fn place(&self, pointer: Pointer, _: &ActiveRay) -> *const u8 {
        self.start.wrapping_add(pointer.byte())
    }
}

impl<V: Simd, R: Rule> Steps<V> for Prepared<'_, R> {
    type Met<'a>
        = Children<'a, V>
    where
        Self: 'a;

    /// Where it lies, and its triangles.
    type Opened<'a>
        = (*const u8, usize)
    where
        Self: 'a;

    type Saved = ();

    #[inline(always)]
    unsafe fn meet<const DEPTHS: bool>(&self, node: Pointer, slot: &ActiveRay) -> Children<'_, V> {
        // SAFETY: POINTER-PROVED.
        let node = unsafe { &*self.proved_place(node, slot).cast::<Node>() };
        let intervals = Intervals::<V>::new(node, &slot.box_ray);
        match DEPTHS {
            true => intervals.ordered(node, slot.box_ray.octant),
            false => intervals.unordered(node),
        }
    }

    #[inline(always)]
    unsafe fn push<const DEPTHS: bool>(
        children: &Children<'_, V>,
        slot: &mut ActiveRay,
        size: usize,
    ) -> Pointer {
        let Children { met, enter, pointers, .. } = *children;
        // SAFETY: STACK-ROOM, STACK-BOTTOM.
        unsafe {
            let pointer = children.nearest_or(*slot.top.sub(1));
            let top = stack::push_met::<V, DEPTHS>(slot.top, size, met, pointers, enter);
            slot.top = top.sub(1);
            pointer
        }
    }

    #[inline(always)]
    fn unopened<'a>() -> (*const u8, usize)
    where
        Self: 'a,
    {
        (std::ptr::null(), 0)
    }

    #[inline(always)]
    unsafe fn open(&self, leaf: Pointer, slot: &ActiveRay) -> (*const u8, usize) {
        (self.proved_place(leaf, slot), leaf.triangles())
    }

    #[inline(always)]
    unsafe fn candidates(&(leaf, count): &(*const u8, usize), slot: &ActiveRay) -> u32 {
        // SAFETY: POINTER-PROVED, LEAF-ROOM.
        unsafe {
            match R::RULE {
                TriangleRule::Watertight => triangles::candidates::<V>(leaf, count, slot),
                TriangleRule::MollerTrumbore => moller_trumbore::candidates::<V>(leaf, count, slot),
            }
        }
    }

    #[inline(always)]
    fn tested(&(_, count): &(*const u8, usize)) -> usize {
        count
    }

    #[inline(always)]
    fn goes_on(_: &(*const u8, usize)) -> Pointer {
        Pointer::DONE
    }

    #[inline(always)]
    unsafe fn save(_: &(*const u8, usize), _: *mut ()) {}

    #[inline(always)]
    unsafe fn accepted(
        &self,
        leaf: Pointer,
        (): &(),
        lane: usize,
        slot: &ActiveRay,
    ) -> Option<Accepted> {
        let (place, count) = (self.proved_place(leaf, slot), leaf.triangles());
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        unsafe {
            match R::RULE {
                TriangleRule::Watertight => triangles::accepted::<V>(place, count, lane, slot),
                TriangleRule::MollerTrumbore => {
                    moller_trumbore::accepted::<V>(place, count, lane, slot)
                }
            }
        }
    }

    fn triangle(&self, leaf: Pointer, (): &(), lane: usize) -> Triangle {
        self.world.arena.triangle(leaf, lane).0
    }

    #[inline(always)]
    fn id(&self, leaf: Pointer, (): &(), lane: usize, slot: &ActiveRay) -> PrimitiveId {
        self.world.primitive_ids[slot.blas as usize].id(self.world.arena.name(leaf, lane))
    }

    #[inline(always)]
    fn rest((): &()) -> Pointer {
        Pointer::DONE
    }
}
