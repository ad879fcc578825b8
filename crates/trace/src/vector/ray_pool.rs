//! Rays in flight, and the rounds of steps that they take.
//!
//! A round has phases: a step for every ray that is at a node; hits; a step for every ray at a
//! leaf; the rest, which is rays that end and changes of level; and new rays. Within a phase
//! nothing depends on what kind of step comes next, so there is no branch that could not be
//! predicted, and steps of different rays overlap. Each step ends by asking for the memory of the
//! ray's next one.
//!
//! Steps at nodes and leaves have two halves, and the first half of a ray's step is taken before
//! the second one of the ray's before it: neither waits for the other.
//!
//! `unsafe` here rests on SLOT-UNIQUE, POINTER-PROVED and STACK-ROOM (see [`crate::safety`]): a
//! slot's one task is its ray's next step, which leads into the world.

use super::active_ray::{ActiveRay, BoxTestRay};
use super::lists::{List, Lists, SLOTS};
use super::ray_setup::{WIDTH, enter_world};
use super::source::Steps;
use super::stack;
use super::walk::{Next, Walk};
use crate::kind::Kind;
use crate::simd::{Simd, first_lanes};
use crate::world::{Pointer, Target};
use geometry::Ray;
use std::cell::Cell;

/// Rays of a part of a batch, some of them in flight.
pub(super) struct RayPool<'a, V: Simd, K: Kind, G: Steps<V>> {
    walk: Walk<'a, V, K, G>,
    /// Rays that have been started, or answered without.
    started: usize,
    /// Rays in flight; behind them one for each lane that has no ray when others are set up.
    slots: Vec<ActiveRay>,
    /// How rays that are in an instance see the TLAS.
    outer: Vec<BoxTestRay>,
    stacks: Vec<u32>,
    /// What leaves in which triangles may be hit have kept.
    kept: Box<[G::Saved]>,
    lists: Lists,
}

/// Memory of a pool. What was there before means nothing, but that it was written.
#[derive(Default)]
pub(super) struct Scratch {
    slots: Vec<ActiveRay>,
    outer: Vec<BoxTestRay>,
    stacks: Vec<u32>,
}

thread_local! {
    /// Memory for the thread's next pool: for a few rays it would take longer to make than they
    /// take.
    static SCRATCH: Cell<Scratch> = const {
        Cell::new(Scratch { slots: Vec::new(), outer: Vec::new(), stacks: Vec::new() })
    };
}

impl Scratch {
    /// Keeps it for the thread's next pool.
    pub(super) fn keep(self) {
        SCRATCH.set(self);
    }
}

impl<'a, V: Simd, K: Kind, G: Steps<V>> RayPool<'a, V, K, G> {
    /// Nobody in flight.
    pub(super) fn new(walk: Walk<'a, V, K, G>) -> Self {
        let is_instanced = walk.source.tlas().is_some();
        let count = walk.rays.len().min(SLOTS);
        let Scratch { mut slots, mut outer, mut stacks } = SCRATCH.take();
        slots.resize(count + WIDTH, ActiveRay::EMPTY);
        outer.resize(if is_instanced { count } else { 0 }, BoxTestRay::default());
        stack::make(&mut stacks, count, walk.stack_size);
        Self {
            started: 0,
            slots,
            outer,
            stacks,
            kept: vec![G::Saved::default(); count + 1].into(),
            lists: Lists::all_free(count),
            walk,
        }
    }

    /// Answers all rays; returns the memory for [`Scratch::keep`].
    ///
    /// # Safety
    /// The processor must have the instructions.
    #[inline(always)]
    pub(super) unsafe fn answer(mut self, is_counted: bool) -> Scratch {
        // SAFETY: FEATURES-DETECTED, SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM.
        unsafe {
            self.start_waiting();
            self.lists.sort::<V>();
            while self.lists.is_any_in_flight() {
                debug_assert!(self.lists.are_unique(), "SLOT-UNIQUE");
                self.nodes(is_counted);
                self.hits();
                self.leaves(is_counted);
                if self.lists.others.count > 0 {
                    V::run_apart(
                        #[inline(always)]
                        || self.others(),
                    );
                }
                if self.started < self.walk.rays.len() {
                    self.start_waiting();
                }
                self.lists.sort::<V>();
            }
        }
        Scratch { slots: self.slots, outer: self.outer, stacks: self.stacks }
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
    #[inline(always)]
    unsafe fn nodes(&mut self, is_counted: bool) {
        let waiting = self.lists.nodes.count;
        if is_counted {
            self.count_nodes();
        }
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM.
        unsafe {
            if K::NARROWS {
                self.all_nodes::<true>();
            } else {
                self.all_nodes::<false>();
            }
        }
        self.lists.nodes.count = 0;
        self.lists.found.count = waiting;
    }

    #[inline(always)]
    unsafe fn all_nodes<const DEPTHS: bool>(&mut self) {
        let (source, count) = (self.walk.source, self.lists.nodes.count);
        let (slots, size) = (self.slots.as_mut_ptr(), self.walk.stack_size);
        if count == 0 {
            return;
        }
        let (nodes, found) = (&self.lists.nodes, &mut self.lists.found);
        // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM, TASK-ROOM.
        unsafe {
            let (node, mut number) = nodes.get(0);
            let mut met = source.meet::<DEPTHS>(node, &*slots.add(number as usize));
            for index in 1..count {
                let (node, next_number) = nodes.get(index);
                let next = source.meet::<DEPTHS>(node, &*slots.add(next_number as usize));
                Self::push::<DEPTHS>(&met, number, index - 1, found, source, slots, size);
                (number, met) = (next_number, next);
            }
            Self::push::<DEPTHS>(&met, number, count - 1, found, source, slots, size);
        }
    }

    /// The second half of a step at a node.
    #[inline(always)]
    unsafe fn push<const DEPTHS: bool>(
        met: &G::Met<'_>,
        number: u32,
        index: usize,
        found: &mut List,
        source: &G,
        slots: *mut ActiveRay,
        size: usize,
    ) {
        // SAFETY: SLOT-UNIQUE, STACK-ROOM, STACK-BOTTOM, TASK-ROOM.
        unsafe {
            let slot = &mut *slots.add(number as usize);
            let pointer = G::push::<DEPTHS>(met, slot, size);
            source.prefetch::<V>(pointer, slot);
            found.set(index, pointer, number);
        }
    }

    /// Counts the nodes of a round.
    #[cold]
    fn count_nodes(&mut self) {
        let (nodes, counters) = (&self.lists.nodes, &mut *self.walk.counters);
        for (&node, &number) in nodes.pointers.iter().zip(&nodes.slots).take(nodes.count) {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED.
            unsafe { self.walk.source.count_node(node, &self.slots[number as usize], counters) };
        }
    }

    /// One step for every ray at a leaf: what may be hit is put into `lists.met`, and where rays go
    /// next if that is nothing, into `lists.behind`. What is kept of the `n`th leaf in which
    /// something may be hit is the `n`th of `kept`.
    #[inline(always)]
    unsafe fn leaves(&mut self, is_counted: bool) {
        let (source, count) = (self.walk.source, self.lists.leaves.count);
        let slots = self.slots.as_mut_ptr();
        let (mut kept, mut tested) = (self.kept.as_mut_ptr(), 0);
        let (mut number, mut opened) = (0, G::unopened());
        for index in 0..=count {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-BOTTOM, TASK-ROOM: of every leaf something
            // is kept at most once, and what is kept of none lies behind the last.
            unsafe {
                let (mut next_number, mut next) = (0, G::unopened());
                if index < count {
                    let (leaf, number) = self.lists.leaves.get(index);
                    (next_number, next) = (number, source.open(leaf, &*slots.add(number as usize)));
                }
                if index > 0 {
                    let slot = &mut *slots.add(number as usize);
                    let mask = G::candidates(&opened, slot);
                    G::save(&opened, kept);
                    kept = kept.add(usize::from(mask != 0));
                    tested += G::tested(&opened);
                    // A ray that may hit something keeps its stack as it is, and what is found for
                    // it is not used.
                    let rest = G::goes_on(&opened);
                    let is_at_end = rest == Pointer::DONE;
                    slot.top = slot.top.sub(usize::from((mask == 0) & is_at_end));
                    let pointer = if is_at_end { *slot.top } else { rest };
                    source.prefetch::<V>(pointer, slot);
                    *self.lists.behind.get_unchecked_mut(index - 1) = pointer;
                    *self.lists.met.get_unchecked_mut(index - 1) = mask;
                }
                (number, opened) = (next_number, next);
            }
        }
        if is_counted {
            G::count_leaves(count, tested, self.walk.counters);
        }
    }

    /// Decides about triangles that may be hit.
    #[inline(always)]
    unsafe fn hits(&mut self) {
        for index in 0..self.lists.hits.count {
            // SAFETY: SLOT-UNIQUE, POINTER-PROVED, STACK-ROOM, TASK-ROOM.
            unsafe {
                let (leaf, number) = self.lists.hits.get(index);
                let saved = &*self.kept.as_ptr().add(index);
                let mask = *self.lists.masks.get_unchecked(index);
                let bottom = self.bottom(number);
                let slot = &mut *self.slots.as_mut_ptr().add(number as usize);
                let next = self.walk.hits(leaf, saved, mask, slot, bottom);
                self.follow(number, next);
            }
        }
        self.lists.hits.count = 0;
    }

    /// Steps that lead neither to nodes nor to triangles.
    #[inline(always)]
    unsafe fn others(&mut self) {
        for index in 0..self.lists.others.count {
            // SAFETY: TASK-ROOM.
            let (pointer, number) = unsafe { self.lists.others.get(index) };
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
    #[inline(always)]
    unsafe fn follow(&mut self, number: u32, next: Next) {
        let pointer = match next {
            Next::Go(pointer) => pointer,
            Next::Pop => {
                // SAFETY: SLOT-UNIQUE, STACK-BOTTOM.
                let pointer = unsafe {
                    let slot = &mut *self.slots.as_mut_ptr().add(number as usize);
                    slot.top = slot.top.sub(1);
                    *slot.top
                };
                debug_assert!(self.is_stack_sound(number), "STACK-BOTTOM, STACK-ROOM");
                pointer
            }
            Next::Finish => Pointer::DONE,
        };
        self.walk.source.prefetch::<V>(pointer, &self.slots[number as usize]);
        // SAFETY: SLOT-UNIQUE, TASK-ROOM.
        unsafe { self.lists.found.push(pointer, number) };
    }

    /// Fills free slots with rays that wait, eight at a time as long as others are in flight.
    ///
    /// # Safety
    /// As [`RayPool::answer`].
    #[inline(always)]
    unsafe fn start_waiting(&mut self) {
        while self.started < self.walk.rays.len() {
            let free = self.lists.free.count;
            if free < WIDTH && self.lists.is_any_in_flight() {
                return;
            }
            let waiting = self.walk.rays.len() - self.started;
            // SAFETY: FEATURES-DETECTED, SLOT-UNIQUE.
            unsafe {
                V::run_apart(
                    #[inline(always)]
                    || self.start_rays(free.min(WIDTH).min(waiting)),
                );
            }
        }
    }

    /// Fills so many free slots, at most [`WIDTH`].
    #[inline(always)]
    unsafe fn start_rays(&mut self, count: usize) {
        let first = self.started;
        self.started += count;
        prefetch_rays::<V>(&self.walk.rays[first..]);
        self.lists.free.count -= count;
        let free = self.lists.free.count;
        let numbers = lane_slots(&self.lists.free.slots[free..free + count], self.slots.len());
        let slots = self.slots.as_mut_ptr();
        let places = numbers.map(|number| slots.wrapping_add(number as usize));
        // SAFETY: SLOT-UNIQUE: free slots, and those of padding lanes.
        let (root, ordinary) =
            unsafe { enter_world::<V, G>(self.walk.source, &self.walk.rays[first..], &places) };
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

/// The slots of rays that are set up together: of the first lanes free ones; lanes without a ray
/// have slots of their own, the last ones (SLOT-UNIQUE).
#[inline(always)]
fn lane_slots(free: &[u32], slots: usize) -> [u32; WIDTH] {
    let mut numbers = std::array::from_fn(|lane| (slots - WIDTH + lane) as u32);
    numbers[..free.len()].copy_from_slice(free);
    numbers
}

/// Asks for the rays after the next sixteen.
#[inline(always)]
fn prefetch_rays<V: Simd>(rays: &[Ray]) {
    let address = rays.as_ptr().wrapping_add(2 * WIDTH).cast::<u8>();
    for line in 0..4 {
        V::prefetch(address.wrapping_add(64 * line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SLOT-UNIQUE, for any number of rays: no two lanes share a slot, and those without a ray have
    /// none that a ray may have.
    #[test]
    fn slot_unique_holds_for_padding_lanes() {
        let (rays, slots) = (3 * WIDTH, 4 * WIDTH);
        for count in 0..=WIDTH {
            let free: Vec<u32> = (0..rays as u32).rev().take(count).collect();
            let numbers = lane_slots(&free, slots);
            assert_eq!(numbers[..count], free);
            let mut sorted = numbers;
            sorted.sort_unstable();
            assert!(sorted.windows(2).all(|pair| pair[0] < pair[1]), "{numbers:?}");
            let padding = &numbers[count..];
            assert!(padding.iter().all(|slot| (rays..slots).contains(&(*slot as usize))));
        }
    }
}
