//! Rays in flight, and the rounds of steps that they take.
//!
//! A round has phases: a step for every ray that is at a node; hits; a step for every ray at a
//! leaf; the rest, which is rays that end and changes of level; and new rays. Within a phase
//! nothing depends on what kind of step comes next, so there is no branch that could not be
//! predicted, and steps of different rays overlap. Each step ends by asking for the memory of the
//! ray's next one.
//!
//! `unsafe` here rests on SLOT-UNIQUE, POINTER-PROVED and STACK-ROOM (see [`crate::safety`]): a
//! slot's one task is its ray's next step, which leads into the world.

use super::batch_steps::BatchSteps;
use super::lists::{Lists, SLOTS};
use crate::kind::Kind;
use crate::vector::active_ray::{ActiveRay, BoxTestRay};
use crate::vector::ray_setup::{Rays, WIDTH};
use crate::vector::stack;
use crate::vector::walk::{Next, Walk};
use crate::world::{Pointer, Target};
use geometry::Ray;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// Rays of a part of a batch, some of them in flight.
pub(super) struct RayPool<'a, K: Kind, G: BatchSteps> {
    walk: Walk<'a, K, G>,
    /// Rays that have been started, or answered without.
    started: usize,
    /// Rays in flight; behind them one for each lane that has no ray when others are set up.
    slots: Box<[ActiveRay; SLOTS + WIDTH]>,
    /// How rays that are in an instance see the TLAS.
    outer: Vec<BoxTestRay>,
    stacks: Vec<u32>,
    /// What leaves in which triangles may be hit have kept.
    kept: Box<[G::SavedLeaf]>,
    lists: Lists,
}

impl<'a, K: Kind, G: BatchSteps> RayPool<'a, K, G> {
    /// Nobody in flight.
    pub(super) fn new(walk: Walk<'a, K, G>) -> Self {
        let is_instanced = walk.source.tlas().is_some();
        Self {
            started: 0,
            slots: Box::new([ActiveRay::EMPTY; SLOTS + WIDTH]),
            outer: if is_instanced { vec![BoxTestRay::default(); SLOTS] } else { Vec::new() },
            stacks: stack::all(SLOTS, walk.stack_size),
            kept: vec![G::SavedLeaf::default(); SLOTS].into(),
            lists: Lists::all_free(),
            walk,
        }
    }

    /// Answers all rays.
    ///
    /// # Safety
    /// The processor must have the features.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) unsafe fn answer<const COUNTED: bool>(mut self) {
        // SAFETY: FEATURES-DETECTED, SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM.
        unsafe {
            self.launch();
            self.lists.sort();
            while self.lists.is_any_in_flight() {
                debug_assert!(self.lists.are_unique(), "SLOT-UNIQUE");
                self.nodes::<COUNTED>();
                self.hits();
                self.leaves::<COUNTED>();
                self.others();
                self.launch();
                self.lists.sort();
            }
        }
    }

    /// Where the stack of a slot begins.
    #[inline(always)]
    fn bottom(&mut self, slot: u32) -> *mut Pointer {
        let words = self.stacks.as_mut_ptr();
        words.wrapping_add(slot as usize * stack::stride(self.walk.stack_size)).cast()
    }

    /// Whether the stack of a slot is within its memory: STACK-BOTTOM, STACK-ROOM, for assertions.
    fn is_stack_sound(&mut self, number: u32) -> bool {
        let (bottom, size) = (self.bottom(number), self.walk.stack_size);
        stack::is_within(bottom, self.slots[number as usize].top, size)
    }

    /// One step for every ray at a node.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn nodes<const COUNTED: bool>(&mut self) {
        let source = self.walk.source;
        let waiting = self.lists.nodes.count;
        if COUNTED {
            let nodes = &self.lists.nodes;
            for (&node, &number) in nodes.pointers.iter().zip(&nodes.slots).take(waiting) {
                // SAFETY: SLOT-UNIQUE, POINTER-PROVED.
                unsafe {
                    source.count_node(node, &self.slots[number as usize], self.walk.counters);
                }
            }
        }
        let (slots, size) = (self.slots.as_mut_ptr(), self.walk.stack_size);
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM.
        unsafe {
            if K::NARROWS {
                source.nodes::<true>(&mut self.lists, slots, size);
            } else {
                source.nodes::<false>(&mut self.lists, slots, size);
            }
        }
        self.lists.nodes.count = 0;
        self.lists.found.count = waiting;
    }

    /// One step for every ray at a leaf.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn leaves<const COUNTED: bool>(&mut self) {
        let waiting = self.lists.leaves.count;
        let slots = self.slots.as_mut_ptr();
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-BOTTOM.
        let tested =
            unsafe { self.walk.source.leaves::<COUNTED>(&mut self.lists, &mut self.kept, slots) };
        if COUNTED {
            G::count_leaves(waiting, tested, self.walk.counters);
        }
    }

    /// Decides about triangles that may be hit.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn hits(&mut self) {
        for index in 0..self.lists.hits.count {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM, TASK-ROOM.
            unsafe {
                let leaf = *self.lists.hits.pointers.get_unchecked(index);
                let kept = &*self.kept.as_ptr().add(index);
                let number = *self.lists.hits.slots.get_unchecked(index);
                let mask = *self.lists.masks.get_unchecked(index) as u16;
                let bottom = self.bottom(number);
                let slot = &mut *self.slots.as_mut_ptr().add(number as usize);
                let next = self.walk.hits(G::saved_leaf(&leaf, kept), mask, slot, bottom);
                self.follow(number, next);
            }
        }
        self.lists.hits.count = 0;
    }

    /// Steps that lead neither to nodes nor to triangles.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    unsafe fn others(&mut self) {
        for index in 0..self.lists.others.count {
            let pointer = self.lists.others.pointers[index];
            let number = self.lists.others.slots[index];
            let bottom = self.bottom(number);
            let slot = &mut self.slots[number as usize];
            let next = match pointer.target() {
                Target::Instance(instance) => self.walk.enter_instance(instance, slot),
                // SAFETY: SLOT-UNIQUE, STACK-ROOM.
                Target::Boxes(list) => unsafe { self.walk.boxes(list, slot, bottom) },
                Target::Leave => {
                    let BoxTestRay { farthest, .. } = slot.box_ray;
                    slot.box_ray = BoxTestRay { farthest, ..self.outer[number as usize] };
                    slot.start = self.walk.source.start(None);
                    Next::Pop
                }
                Target::Done | Target::Node | Target::Leaf => {
                    K::finish(&mut self.walk.answers[slot.position as usize]);
                    // SAFETY: SLOT-UNIQUE, TASK-ROOM.
                    unsafe { self.lists.free.push(Pointer::DONE, number) };
                    continue;
                }
            };
            // SAFETY: SLOT-UNIQUE.
            unsafe { self.follow(number, next) };
        }
        self.lists.others.count = 0;
    }

    /// Lists what becomes of a ray.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn follow(&mut self, number: u32, next: Next) {
        let pointer = match next {
            Next::Go(pointer) => pointer,
            Next::Pop => {
                let slot = &mut self.slots[number as usize];
                // SAFETY: STACK-BOTTOM.
                let pointer = unsafe {
                    slot.top = slot.top.sub(1);
                    *slot.top
                };
                debug_assert!(self.is_stack_sound(number), "STACK-BOTTOM, STACK-ROOM");
                pointer
            }
            Next::Finish => Pointer::DONE,
        };
        self.walk.source.prefetch(pointer, &self.slots[number as usize]);
        // SAFETY: SLOT-UNIQUE, TASK-ROOM.
        unsafe { self.lists.found.push(pointer, number) };
    }

    /// Fills free slots with rays that wait, eight at a time as long as others are in flight.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    unsafe fn launch(&mut self) {
        while self.started < self.walk.rays.len() {
            let free = self.lists.free.count;
            if free < WIDTH && self.lists.is_any_in_flight() {
                return;
            }
            let waiting = self.walk.rays.len() - self.started;
            // SAFETY: SLOT-UNIQUE.
            unsafe { self.start_rays(free.min(WIDTH).min(waiting)) };
        }
    }

    /// Fills so many free slots, at most [`WIDTH`].
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn start_rays(&mut self, count: usize) {
        let first = self.started;
        self.started += count;
        prefetch_rays(&self.walk.rays[first..]);
        let rays = Rays::padded(&self.walk.rays[first..]);
        self.lists.free.count -= count;
        // Lanes without a ray have slots of their own.
        let mut numbers: [u32; WIDTH] = std::array::from_fn(|lane| (SLOTS + lane) as u32);
        let free = self.lists.free.count;
        numbers[..count].copy_from_slice(&self.lists.free.slots[free..free + count]);
        let slots = self.slots.as_mut_ptr();
        let places = numbers.map(|number| slots.wrapping_add(number as usize));
        // SAFETY: SLOT-UNIQUE: free slots, and those of padding lanes.
        let root = unsafe { rays.enter_world(self.walk.source, &places) };
        let ordinary = rays.ordinary();
        self.walk.counters.queries += u64::from((ordinary & first_lanes(count)).count_ones());
        for (lane, &number) in numbers.iter().enumerate().take(count) {
            let position = first + lane;
            if ordinary >> lane & 1 == 0 {
                self.walk.answer_scalar(position);
                // SAFETY: SLOT-UNIQUE, TASK-ROOM.
                unsafe { self.lists.free.push(Pointer::DONE, number) };
                continue;
            }
            self.walk.answers[position] = K::miss();
            let bottom = self.bottom(number);
            let slot = &mut self.slots[number as usize];
            slot.position = position as u32;
            (slot.instance, slot.blas) = (0, 0);
            slot.start = self.walk.source.start(None);
            if let Some(outer) = self.outer.get_mut(number as usize) {
                *outer = slot.box_ray;
            }
            slot.top = bottom.wrapping_add(1);
            // SAFETY: SLOT-UNIQUE, TASK-ROOM.
            unsafe { self.lists.found.push(root, number) };
        }
    }
}

/// The lowest lanes.
#[inline(always)]
fn first_lanes(count: usize) -> u8 {
    ((1u32 << count) - 1) as u8
}

/// Asks for the rays after the next sixteen.
#[inline(always)]
fn prefetch_rays(rays: &[Ray]) {
    let address = rays.as_ptr().wrapping_add(2 * WIDTH).cast::<i8>();
    for line in 0..4 {
        // SAFETY: ANY-ADDRESS.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(64 * line)) };
    }
}
