//! What a ray does between box tests, whoever it shares the processor with: hits, and changes of
//! level.

use super::active_ray::ActiveRay;
use super::axis_lanes::AxisLanes;
use super::source::Steps;
use super::{stack, triangles};
use crate::Hit;
use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::simd::Simd;
use crate::world::Pointer;
use geometry::{InstanceFlags, Ray};
use machine::Counters;
use machine::primitive_test::MergedFlags;
use std::marker::PhantomData;
use tree::primitives::Primitive;

/// A part of a batch.
pub(crate) struct Walk<'a, V: Simd, K: Kind, G: Steps<V>> {
    pub(crate) source: &'a G,
    ask: &'a Ask<'a>,
    /// Position of the first ray in the batch.
    first: usize,
    pub(crate) rays: &'a [Ray],
    pub(crate) answers: &'a mut [K::Answer],
    pub(crate) counters: &'a mut Counters,
    /// Entries of a stack.
    pub(crate) stack_size: usize,
    /// Whether neither flags nor a filter may reject hits.
    has_no_filter_or_flags: bool,
    kernel: PhantomData<V>,
}

/// What becomes of a ray.
pub(crate) enum Next {
    /// It goes there.
    Go(Pointer),
    /// It takes the next entry of its stack.
    Pop,
    /// It is done.
    Finish,
}

impl<'a, V: Simd, K: Kind, G: Steps<V>> Walk<'a, V, K, G> {
    /// Rays, and room for as many answers.
    pub(crate) fn new(
        source: &'a G,
        ask: &'a Ask<'a>,
        first: usize,
        rays: &'a [Ray],
        answers: &'a mut [K::Answer],
        counters: &'a mut Counters,
    ) -> Self {
        let stack_size = stack::size(source.stack_size());
        let has_no_filter_or_flags = ask.has_no_filter_or_flags();
        let kernel = PhantomData;
        Self {
            source,
            ask,
            first,
            rays,
            answers,
            counters,
            stack_size,
            has_no_filter_or_flags,
            kernel,
        }
    }

    /// Answers a ray that is out of the ordinary.
    #[cold]
    pub(crate) fn answer_scalar(&mut self, position: usize) {
        let (ray, answer) = (&self.rays[position], &mut self.answers[position]);
        let position = self.first + position;
        self.source.answer_scalar::<K>(self.ask, position, ray, answer, self.counters);
    }

    /// Takes those hits of a leaf into account that `mask` names. Always inlined, with all that it
    /// calls: only so each kernel's own instructions get into it.
    ///
    /// # Safety
    /// `leaf` must be a leaf of the world that has these triangles, and `bottom` be the bottom of
    /// the slot's stack.
    #[inline(always)]
    pub(crate) unsafe fn hits(
        &mut self,
        leaf: Pointer,
        saved: &G::Saved,
        mut mask: u32,
        slot: &mut ActiveRay,
        bottom: *mut Pointer,
    ) -> Next {
        let source = self.source;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            // SAFETY: POINTER-PROVED, LANE-PRESENT.
            let accepted = unsafe { source.accepted(leaf, saved, lane, slot) };
            let Some(accepted) = accepted else { continue };
            // SAFETY: POINTER-PROVED, LANE-PRESENT, STACK-ROOM.
            let is_done = unsafe {
                if self.has_no_filter_or_flags {
                    self.offer_unfiltered(&accepted, leaf, saved, lane, slot, bottom)
                } else {
                    V::run_apart(
                        #[inline(always)]
                        || self.offer_asked(leaf, saved, lane, slot, bottom),
                    )
                }
            };
            if is_done {
                return Next::Finish;
            }
        }
        match G::rest(saved) {
            Pointer::DONE => Next::Pop,
            rest => Next::Go(rest),
        }
    }

    /// Takes an accepted triangle into account if nothing else may reject it; whether the ray is
    /// done.
    ///
    /// # Safety
    /// As [`Walk::hits`].
    #[inline(always)]
    unsafe fn offer_unfiltered(
        &mut self,
        accepted: &triangles::Accepted,
        leaf: Pointer,
        saved: &G::Saved,
        lane: usize,
        slot: &mut ActiveRay,
        bottom: *mut Pointer,
    ) -> bool {
        let mut t = accepted.t;
        if !accepted.is_settled {
            let triangle = self.source.triangle(leaf, saved, lane);
            match triangles::clamped(&self.ray(slot), &triangle, t) {
                Some(clamped) => t = clamped,
                None => return false,
            }
        }
        t += 0.0; // -0.0 becomes +0.0
        let is_within = (slot.box_ray.nearest < t) & (t < slot.triangle_ray.end);
        if !is_within {
            return false;
        }
        let hit = if K::NEEDS_HIT {
            let id = self.source.id(leaf, saved, lane, slot);
            let (u, v) = accepted.u_v();
            let ActiveRay { instance, .. } = *slot;
            Hit { t, u, v, instance, geometry: id.geometry, primitive: id.primitive }
        } else {
            Hit { t, ..Hit::MISS }
        };
        // SAFETY: STACK-ROOM.
        unsafe { self.offer(slot, bottom, hit) }
    }

    /// The same, if flags or a filter may reject it.
    ///
    /// # Safety
    /// As [`Walk::hits`].
    #[inline(always)]
    unsafe fn offer_asked(
        &mut self,
        leaf: Pointer,
        saved: &G::Saved,
        lane: usize,
        slot: &mut ActiveRay,
        bottom: *mut Pointer,
    ) -> bool {
        let triangle = self.source.triangle(leaf, saved, lane);
        let id = self.source.id(leaf, saved, lane, slot);
        let position = self.first + slot.position as usize;
        let hit = self.ask.hit(position, &self.space(slot), Primitive::Triangle(&triangle), id);
        // SAFETY: STACK-ROOM.
        hit.is_some_and(|hit| unsafe { self.offer(slot, bottom, hit) })
    }

    /// Takes a hit into account; whether the ray is done.
    ///
    /// # Safety
    /// `bottom` must be the bottom of the slot's stack.
    #[inline(always)]
    unsafe fn offer(&mut self, slot: &mut ActiveRay, bottom: *mut Pointer, hit: Hit) -> bool {
        match K::offer(&mut self.answers[slot.position as usize], hit) {
            Outcome::Continue => false,
            Outcome::Narrow(t) => {
                slot.box_ray.farthest = t;
                debug_assert!(stack::is_within(bottom, slot.top, self.stack_size), "STACK-ROOM");
                // SAFETY: STACK-ROOM, LANES-INITIALIZED.
                slot.top = unsafe { stack::drop_beyond::<V>(bottom, slot.top, self.stack_size, t) };
                false
            }
            Outcome::Done => true,
        }
    }

    /// Enters an instance.
    #[inline(always)]
    pub(crate) fn enter_instance(&mut self, instance_id: usize, slot: &mut ActiveRay) -> Next {
        let (Some(tlas), Some(number)) = (self.source.tlas(), self.source.instance(instance_id))
        else {
            return Next::Pop;
        };
        let instance = &tlas.instances[number];
        if instance.mask & self.ask.mask == 0 {
            return Next::Pop;
        }
        let position = slot.position as usize;
        let ray = instance.world_to_object.ray(&self.rays[position]);
        let lanes = AxisLanes::<V>::new(&ray);
        if !lanes.is_ordinary() {
            self.answer_scalar(position);
            self.counters.queries -= 1;
            return Next::Finish;
        }
        self.counters.instances += 1;
        let level = match self.source.blas(instance.blas as usize) {
            Some(level) if level.root != Pointer::DONE => level,
            _ => return Next::Pop,
        };
        // SAFETY: STACK-ROOM: this entry is counted.
        slot.top = unsafe { stack::push(slot.top, self.stack_size, Pointer::LEAVE) };
        slot.enter_blas::<V, G>(&lanes, level);
        (slot.instance, slot.blas) = (number as u32, instance.blas);
        slot.start = self.source.start(Some(instance.blas as usize));
        Next::Go(level.root)
    }

    /// Asks about procedural boxes.
    ///
    /// # Safety
    /// `bottom` must be the bottom of the slot's stack.
    #[inline(always)]
    pub(crate) unsafe fn boxes(
        &mut self,
        list: usize,
        slot: &mut ActiveRay,
        bottom: *mut Pointer,
    ) -> Next {
        self.counters.leaves += 1;
        let source = self.source;
        let space = self.space(slot);
        let position = self.first + slot.position as usize;
        for (bounds, id) in source.box_list(list) {
            self.counters.procedural_tests += 1;
            let hit = self.ask.hit(position, &space, Primitive::Box(bounds), *id);
            let Some(hit) = hit else { continue };
            // SAFETY: STACK-ROOM.
            if unsafe { self.offer(slot, bottom, hit) } {
                return Next::Finish;
            }
        }
        Next::Pop
    }

    /// The ray of a slot, in the space that it is in.
    fn ray(&self, slot: &ActiveRay) -> Ray {
        let ray = &self.rays[slot.position as usize];
        match self.source.tlas() {
            Some(tlas) => tlas.instances[slot.instance as usize].world_to_object.ray(ray),
            None => *ray,
        }
    }

    fn space(&self, slot: &ActiveRay) -> Space {
        let instance = match self.source.tlas() {
            Some(tlas) => tlas.instances[slot.instance as usize].flags,
            None => InstanceFlags::empty(),
        };
        let flags = MergedFlags::new(self.ask.flags, instance);
        Space { ray: self.ray(slot), instance: slot.instance, flags }
    }
}
