//! Rays in flight, and the rounds of steps that they take.
//!
//! As in the AVX-512 kernel: a step for every ray that is at a node; one for every ray at a leaf;
//! hits; the rest; and new rays. Each step asks for the memory of the ray's next one and puts it
//! into the list of its kind.
//!
//! `unsafe` here rests on SLOT-UNIQUE, POINTER-PROVED and STACK-ROOM (see [`crate::safety`]): a
//! slot's one task is its ray's next step, which leads into the world. A phase empties its list and
//! refills it from the front: it never writes a task before it has read what was there.

use super::Avx2;
use super::boxes::Children;
use super::lists::{Lists, SLOTS, Task};
use crate::kind::Kind;
use crate::vector::active_ray::{ActiveRay, BoxTestRay};
use crate::vector::prepared::Prepared;
use crate::vector::ray_setup::{Rays, WIDTH};
use crate::vector::rule::Rule;
use crate::vector::source::{Candidates, Steps, VectorSource};
use crate::vector::stack;
use crate::vector::walk::{Next, Walk};
use crate::world::{Pointer, Target};

/// Rays of a part of a batch, some of them in flight.
pub(super) struct RayPool<'a, K: Kind, R: Rule> {
    walk: Walk<'a, K, Prepared<'a, R, Avx2>>,
    /// Rays that have been started, or answered without.
    started: usize,
    /// Rays in flight; behind them one for each lane that has no ray when others are set up.
    slots: Box<[ActiveRay; SLOTS + WIDTH]>,
    /// How rays that are in an instance see the TLAS.
    outer: Vec<BoxTestRay>,
    stacks: Vec<u32>,
    lists: Lists,
}

impl<'a, K: Kind, R: Rule> RayPool<'a, K, R> {
    /// Nobody in flight.
    pub(super) fn new(walk: Walk<'a, K, Prepared<'a, R, Avx2>>) -> Self {
        let is_instanced = walk.source.tlas().is_some();
        Self {
            started: 0,
            slots: Box::new([ActiveRay::EMPTY; SLOTS + WIDTH]),
            outer: if is_instanced { vec![BoxTestRay::default(); SLOTS] } else { Vec::new() },
            stacks: vec![0; SLOTS * stack::stride(walk.stack_size)],
            lists: Lists::all_free(),
            walk,
        }
    }

    /// Answers all rays.
    ///
    /// # Safety
    /// The processor must have the features.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    pub(super) unsafe fn answer<const COUNTED: bool>(mut self) {
        // SAFETY: FEATURES-DETECTED, SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM.
        unsafe {
            self.launch();
            while !self.lists.is_empty() {
                debug_assert!(self.lists.are_unique(), "SLOT-UNIQUE");
                self.nodes::<COUNTED>();
                self.leaves::<COUNTED>();
                self.hits();
                self.others();
                self.launch();
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
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn nodes<const COUNTED: bool>(&mut self) {
        let source = self.walk.source;
        let waiting = self.lists.nodes.count;
        if COUNTED {
            for index in 0..waiting {
                // SAFETY: SLOT-UNIQUE, POINTER-PROVED, TASK-ROOM.
                unsafe {
                    let Task { pointer, slot } = self.lists.nodes.get(index);
                    let slot = &self.slots[slot as usize];
                    source.count_node(pointer, slot, self.walk.counters);
                }
            }
        }
        if waiting == 0 {
            return;
        }
        self.lists.nodes.count = 0;
        let slots = self.slots.as_mut_ptr();
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED. Nothing is written to a ray before both halves of
        // its step have read it.
        unsafe {
            let Task { pointer, slot: mut number } = self.lists.nodes.get(0);
            let mut found = source.children(pointer, &*slots.add(number as usize), K::NARROWS);
            for index in 1..waiting {
                let Task { pointer, slot: next_number } = self.lists.nodes.get(index);
                let next = source.children(pointer, &*slots.add(next_number as usize), K::NARROWS);
                self.push(&found, number);
                (number, found) = (next_number, next);
            }
            self.push(&found, number);
        }
    }

    /// The second half of a step at a node.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn push(&mut self, found: &Children<'_>, number: u32) {
        let size = self.walk.stack_size;
        // SAFETY: SLOT-UNIQUE, STACK-ROOM, STACK-BOTTOM.
        unsafe {
            let slot = &mut *self.slots.as_mut_ptr().add(number as usize);
            let pointer = found.nearest_or(*slot.top.sub(1));
            slot.top = match K::NARROWS {
                true => found.push::<true>(slot.top, size),
                false => found.push::<false>(slot.top, size),
            };
            slot.top = slot.top.sub(1);
            self.walk.source.prefetch(pointer, slot);
            self.lists.distribute(true, pointer, number);
        }
    }

    /// One step for every ray at a leaf.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn leaves<const COUNTED: bool>(&mut self) {
        let waiting = self.lists.leaves.count;
        (self.lists.leaves.count, self.lists.hits.count) = (0, 0);
        let slots = self.slots.as_mut_ptr();
        for index in 0..waiting {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-BOTTOM, TASK-ROOM.
            unsafe {
                let task = self.lists.leaves.get(index);
                let slot = &mut *slots.add(task.slot as usize);
                let Candidates { mask, .. } = self.walk.candidates::<COUNTED>(task.pointer, slot);
                // A ray that may hit something keeps its stack as it is, and what is found for it
                // is not used.
                slot.top = slot.top.sub(usize::from(mask == 0));
                let pointer = *slot.top;
                self.walk.source.prefetch(pointer, slot);
                *self.lists.masks.get_unchecked_mut(self.lists.hits.count) = mask;
                self.lists.hits.add_if(mask != 0, task);
                self.lists.distribute(mask == 0, pointer, task.slot);
            }
        }
    }

    /// Decides about triangles that may be hit.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn hits(&mut self) {
        for index in 0..self.lists.hits.count {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM.
            unsafe {
                let Task { pointer, slot: number } = self.lists.hits.get(index);
                let mask = *self.lists.masks.get_unchecked(index);
                let bottom = self.bottom(number);
                let slot = &mut *self.slots.as_mut_ptr().add(number as usize);
                let leaf = self.walk.source.leaf(pointer, slot);
                let next = self.walk.hits(&leaf, mask, slot, bottom);
                self.follow(number, next);
            }
        }
    }

    /// Steps that lead neither to nodes nor to triangles.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    unsafe fn others(&mut self) {
        let waiting = self.lists.others.count;
        self.lists.others.count = 0;
        for index in 0..waiting {
            // SAFETY: TASK-ROOM.
            let Task { pointer, slot: number } = unsafe { self.lists.others.get(index) };
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
                    let task = Task { pointer, slot: number };
                    // SAFETY: SLOT-UNIQUE, TASK-ROOM.
                    unsafe { self.lists.free.add_if(true, task) };
                    continue;
                }
            };
            // SAFETY: SLOT-UNIQUE.
            unsafe { self.follow(number, next) };
        }
    }

    /// Lists what becomes of a ray.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
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
        unsafe { self.lists.distribute(true, pointer, number) };
    }

    /// Fills free slots with rays that wait, eight at a time as long as others are in flight.
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn launch(&mut self) {
        while self.started < self.walk.rays.len() {
            let free = self.lists.free.count;
            if free < WIDTH && !self.lists.is_empty() {
                return;
            }
            let waiting = self.walk.rays.len() - self.started;
            // SAFETY: SLOT-UNIQUE.
            unsafe { self.start_rays(free.min(WIDTH).min(waiting)) };
        }
    }

    /// Fills so many free slots, at most [`WIDTH`].
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    unsafe fn start_rays(&mut self, count: usize) {
        let first = self.started;
        self.started += count;
        self.lists.free.count -= count;
        // Lanes without a ray have slots of their own.
        let mut numbers: [u32; WIDTH] = std::array::from_fn(|lane| (SLOTS + lane) as u32);
        for (lane, number) in numbers.iter_mut().enumerate().take(count) {
            // SAFETY: TASK-ROOM: there were so many free slots.
            *number = unsafe { self.lists.free.get(self.lists.free.count + lane).slot };
        }
        let slots = self.slots.as_mut_ptr();
        let places = numbers.map(|number| slots.wrapping_add(number as usize));
        let rays = Rays::padded(&self.walk.rays[first..]);
        // SAFETY: SLOT-UNIQUE: free slots, and those of padding lanes.
        let root = unsafe { rays.enter_world(self.walk.source, &places) };
        let ordinary = rays.ordinary();
        for (lane, &number) in numbers.iter().enumerate().take(count) {
            let position = first + lane;
            if ordinary >> lane & 1 == 0 {
                self.walk.answer_scalar(position);
                let task = Task { pointer: Pointer::DONE, slot: number };
                // SAFETY: SLOT-UNIQUE, TASK-ROOM.
                unsafe { self.lists.free.add_if(true, task) };
                continue;
            }
            self.walk.answers[position] = K::miss();
            self.walk.counters.queries += 1;
            let bottom = self.bottom(number);
            let slot = &mut self.slots[number as usize];
            slot.position = position as u32;
            (slot.instance, slot.blas) = (0, 0);
            slot.start = self.walk.source.start(None);
            if let Some(outer) = self.outer.get_mut(number as usize) {
                *outer = slot.box_ray;
            }
            // SAFETY: STACK-ROOM, SLOT-UNIQUE, TASK-ROOM.
            unsafe {
                slot.top = stack::push(bottom, self.walk.stack_size, Pointer::DONE);
                self.lists.distribute(true, root, number);
            }
        }
    }
}
