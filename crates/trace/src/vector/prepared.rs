//! The CPU's copy as source of rays in flight.

use super::active_ray::ActiveRay;
use super::rule::Rule;
use super::source::VectorSource;
use crate::ask::Ask;
use crate::kind::Kind;
use crate::scalar;
use crate::world::{Level, Node, Pointer, TRIANGLE_BYTES, Tlas, World};
use geometry::{Aabb, Ray};
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

impl<R: Rule, V> VectorSource for Prepared<'_, R, V> {
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
