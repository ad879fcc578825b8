//! The AVX-512 kernel: many rays in flight on one thread.
//!
//! A step of a ray (one node or one leaf) needs memory that the step before has named, so one ray alone
//! waits most of the time. Here [`SLOTS`] rays take steps in turn. Each pops where it goes next as the last
//! thing of its step, and asks for that memory: by its next turn it is there. Rays of a part of a
//! batch are sorted by octant, so that everything that depends on the octant stays in registers.
//!
//! | file | concept |
//! |---|---|
//! | `slot` | a ray in flight |
//! | `boxes` | one ray against eight boxes |
//! | `triangles` | one ray against eight triangles |
//!
//! Box tests are conservative and decide nothing but the work. Hits are decided by the arithmetic of
//! [`geometry`], bit for bit.

mod boxes;
mod slot;
mod triangles;

use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::world::{Pointer, Target, World};
use crate::{Hit, ordinary, scalar};
use boxes::{Sides, drop_beyond};
use geometry::{InstanceFlags, Ray, slab};
use machine::Counters;
use machine::candidate::MergedFlags;
use slot::{Dilation, Slot};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use std::mem::MaybeUninit;
use tree::primitives::Primitive;

/// Rays in flight on a thread.
const SLOTS: usize = 32;

/// Vector stores may write this many entries beyond the top of a stack.
const STACK_MARGIN: usize = 16;

/// Entries of a stack that is not worth an allocation.
const SHORT_STACK: usize = 256;

/// Whether this processor can run the kernel.
pub(crate) fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("popcnt")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("bmi2")
}

/// Answers the rays of a part of a batch by the watertight rule.
///
/// # Safety
/// [`is_available`] must be true.
pub(crate) unsafe fn answer<K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    first: usize,
    rays: &[Ray],
    answers: &mut [K::Answer],
    counters: Option<&mut Counters>,
) {
    let mut uncounted = Counters::default();
    let is_counted = counters.is_some();
    let counters = counters.unwrap_or(&mut uncounted);
    let mut counts = [0usize; 8];
    let mut octants = Vec::with_capacity(rays.len());
    for (position, (ray, answer)) in rays.iter().zip(&mut *answers).enumerate() {
        if takes(world, ask, ray) {
            *answer = K::miss();
            let octant = octant(ray);
            counts[octant] += 1;
            octants.push(octant as u8);
        } else {
            scalar::answer::<K>(world, ask, first + position, ray, answer, counters);
            octants.push(u8::MAX);
        }
    }
    counters.queries += counts.iter().sum::<usize>() as u64;
    let sorted = by_octant(&octants, &counts);
    let size = stack_size(world);
    let mut stacks = vec![0u32; 2 * size * SLOTS];
    let mut slots: Vec<Slot> = stacks.chunks_exact_mut(2 * size).map(Slot::over).collect();
    let mut sorted = sorted.as_slice();
    for (octant, &count) in counts.iter().enumerate() {
        let (waiting, rest) = sorted.split_at(count);
        sorted = rest;
        let is_plain = ask.is_plain();
        let run =
            Run::<K> { world, ask, first, rays, answers, counters, waiting, octant, is_plain };
        // SAFETY: the caller promises the features. Each slot has a stack of its own, large enough for
        // every walk over this world.
        unsafe { run.any_world(&mut slots, is_counted) };
    }
}

/// Positions of rays with an octant, sorted by it; there are so many of each as `counts` says.
fn by_octant(octants: &[u8], counts: &[usize; 8]) -> Vec<u32> {
    let mut before = 0;
    let mut next = counts.map(|count| {
        let first = before;
        before += count;
        first
    });
    let mut sorted = vec![0; counts.iter().sum()];
    for (position, &octant) in octants.iter().enumerate() {
        if let Some(place) = next.get_mut(usize::from(octant)) {
            sorted[*place] = position as u32;
            *place += 1;
        }
    }
    sorted
}

/// Answers one ray by the watertight rule.
///
/// # Safety
/// [`is_available`] must be true.
pub(crate) unsafe fn answer_one<K: Kind>(
    world: &World,
    ask: &Ask<'_>,
    ray: &Ray,
    answer: &mut K::Answer,
    counters: Option<&mut Counters>,
) {
    let mut uncounted = Counters::default();
    let is_counted = counters.is_some();
    let counters = counters.unwrap_or(&mut uncounted);
    if !takes(world, ask, ray) {
        return scalar::answer::<K>(world, ask, 0, ray, answer, counters);
    }
    *answer = K::miss();
    counters.queries += 1;
    let size = stack_size(world);
    let mut short = MaybeUninit::<[u32; 2 * SHORT_STACK]>::uninit();
    let mut long = Vec::new();
    let mut slot = if size <= SHORT_STACK {
        let start = short.as_mut_ptr().cast::<u32>();
        Slot::new(start.cast(), start.wrapping_add(SHORT_STACK).cast())
    } else {
        long.resize(2 * size, 0);
        Slot::over(&mut long)
    };
    let run = Run::<K> {
        world,
        ask,
        first: 0,
        rays: std::slice::from_ref(ray),
        answers: std::slice::from_mut(answer),
        counters,
        waiting: &[0],
        octant: octant(ray),
        is_plain: ask.is_plain(),
    };
    // SAFETY: the caller promises the features, and the stack is large enough.
    unsafe { run.any_world(std::slice::from_mut(&mut slot), is_counted) };
}

/// Whether the kernel can answer the ray.
fn takes(world: &World, ask: &Ask<'_>, ray: &Ray) -> bool {
    ask.mask != 0 && world.is_ordinary && ordinary::is_ordinary(ray)
}

/// Entries of a stack for any walk over a world.
fn stack_size(world: &World) -> usize {
    (world.stack_size + STACK_MARGIN).next_multiple_of(16)
}

/// Bit `k`: the direction on axis `k` is negative.
fn octant(ray: &Ray) -> usize {
    let negative = |axis: usize| usize::from(ray.direction[axis].is_sign_negative());
    negative(0) | negative(1) << 1 | negative(2) << 2
}

/// Rays of one octant under way.
struct Run<'a, K: Kind> {
    world: &'a World,
    ask: &'a Ask<'a>,
    first: usize,
    rays: &'a [Ray],
    answers: &'a mut [K::Answer],
    counters: &'a mut Counters,
    /// Positions of rays that have not started.
    waiting: &'a [u32],
    octant: usize,
    /// Whether nobody but the triangle rule has a say in hits.
    is_plain: bool,
}

impl<K: Kind> Run<'_, K> {
    /// Answers all rays that wait, with the code for this kind of world.
    ///
    /// # Safety
    /// As [`Run::all`].
    unsafe fn any_world(self, slots: &mut [Slot], is_counted: bool) {
        // SAFETY: as promised by the caller.
        unsafe {
            match (self.world.top.is_some(), is_counted) {
                (false, false) => self.all::<false, false>(slots),
                (false, true) => self.all::<false, true>(slots),
                (true, false) => self.all::<true, false>(slots),
                (true, true) => self.all::<true, true>(slots),
            }
        }
    }

    /// Answers all rays that wait.
    ///
    /// # Safety
    /// The processor must have the features, and every slot a stack of its own for this world.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    unsafe fn all<const INSTANCED: bool, const COUNTED: bool>(mut self, slots: &mut [Slot]) {
        let sides = Sides::of(self.octant as u32);
        let mut active = slots.len().min(self.waiting.len());
        for slot in &mut slots[..active] {
            self.start(slot);
        }
        while active > 0 {
            let mut number = 0;
            while number < active {
                let slot = &mut slots[number];
                // SAFETY: as promised by the caller.
                let is_done = unsafe { self.step::<INSTANCED, COUNTED>(slot, &sides) };
                if is_done && !self.start(slot) {
                    active -= 1;
                    slots.swap(number, active);
                } else {
                    number += 1;
                }
            }
        }
    }

    /// Puts the next ray into a slot; `false` if none waits.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    fn start(&mut self, slot: &mut Slot) -> bool {
        let Some((&position, waiting)) = self.waiting.split_first() else { return false };
        self.waiting = waiting;
        slot.position = position;
        slot.height = 1;
        // SAFETY: every stack has room for an entry.
        unsafe {
            *slot.depths = f32::NEG_INFINITY;
            *slot.pointers = Pointer::DONE;
        }
        let ray = &self.rays[position as usize];
        (slot.nearest, slot.farthest) = (ray.tmin, ray.tmax);
        self.enter_world(slot, ray);
        true
    }

    /// Aims a slot at the outermost level.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn enter_world(&self, slot: &mut Slot, ray: &Ray) {
        (slot.instance, slot.bottom) = (0, 0);
        let (level, dilation) = match (&self.world.top, self.world.bottoms.first()) {
            (Some(top), _) => {
                let reach = slab::reach(ray.origin, &top.level.bounds);
                (&top.level, Dilation::Given(top.dilation.dilation(ray.origin, reach)))
            }
            (None, Some(level)) => (level, Dilation::Reach(&level.bounds)),
            (None, None) => {
                slot.pointer = Pointer::DONE;
                return;
            }
        };
        slot.aim(ray, dilation);
        slot.pointer = level.root;
    }

    /// One step of a ray; whether it was the last.
    ///
    /// # Safety
    /// As [`Run::all`].
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn step<const INSTANCED: bool, const COUNTED: bool>(
        &mut self,
        slot: &mut Slot,
        sides: &Sides,
    ) -> bool {
        let pointer = slot.pointer;
        if pointer.is_node() {
            if COUNTED {
                self.counters.nodes += 1;
                self.counters.box_tests += 8;
            }
            // SAFETY: pointers of a world lead to its nodes.
            let node = unsafe { self.world.arena.node_unchecked(pointer) };
            // SAFETY: stacks are as large as any walk needs, and eight entries more; the lowest entry ends
            // the walk, so there is one.
            slot.pointer = unsafe {
                if INSTANCED {
                    boxes::step(node, slot, &Sides::of(slot.octant))
                } else {
                    boxes::step(node, slot, sides)
                }
            };
            self.prefetch(slot.pointer);
            return false;
        } else if pointer.is_node_or_leaf() {
            // SAFETY: as above.
            if unsafe { self.leaf::<COUNTED>(pointer, slot) } {
                return self.finish(slot);
            }
        } else if pointer == Pointer::DONE {
            return self.finish(slot);
        } else {
            match self.special(pointer, slot) {
                Next::Pop => (),
                Next::Go => return false,
                Next::Finish => return self.finish(slot),
            }
        }
        slot.height -= 1;
        // SAFETY: the lowest entry is `DONE`, which ends the walk before the stack is empty.
        slot.pointer = unsafe { *slot.pointers.add(slot.height as usize) };
        self.prefetch(slot.pointer);
        false
    }

    /// Asks for the memory of the next step.
    #[inline(always)]
    fn prefetch(&self, pointer: Pointer) {
        let address = self.world.arena.start().wrapping_add(pointer.byte()).cast::<i8>();
        // SAFETY: a hint may name any address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address);
            _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(64));
            _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(128));
            _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(192));
        }
    }

    fn finish(&mut self, slot: &Slot) -> bool {
        K::finish(&mut self.answers[slot.position as usize]);
        true
    }

    /// Tests the triangles of a leaf; whether the ray is done.
    ///
    /// # Safety
    /// As [`Run::all`]; `pointer` must lead to a leaf.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn leaf<const COUNTED: bool>(&mut self, pointer: Pointer, slot: &mut Slot) -> bool {
        let count = pointer.triangles();
        if COUNTED {
            self.counters.leaves += 1;
            self.counters.triangle_tests += count as u64;
        }
        // SAFETY: pointers of a world lead to its leaves, and there is room behind the last one.
        let found = unsafe {
            let leaf = self.world.arena.start().add(pointer.byte());
            triangles::candidates(leaf, count, slot)
        };
        let Some(found) = found else { return false };
        let mut mask = found.mask;
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let Some(accepted) = triangles::accepted(&found, lane, slot) else { continue };
            let hit = if self.is_plain {
                // SAFETY: as above.
                unsafe { self.plain_hit(&accepted, pointer, lane, slot) }
            } else {
                self.asked_hit(pointer, lane, slot)
            };
            if let Some(hit) = hit
                && self.offer(slot, hit)
            {
                return true;
            }
        }
        false
    }

    /// The hit on an accepted triangle, if nobody has a say in it.
    ///
    /// # Safety
    /// As [`Run::leaf`]; the leaf must have a triangle `lane`.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn plain_hit(
        &self,
        accepted: &triangles::Accepted,
        leaf: Pointer,
        lane: usize,
        slot: &Slot,
    ) -> Option<Hit> {
        let t = if accepted.is_settled {
            accepted.t
        } else {
            let (triangle, _) = self.world.arena.triangle(leaf, lane);
            triangles::clamped(&slot.ray, &triangle, accepted.t)?
        };
        let t = t + 0.0; // -0.0 becomes +0.0
        let is_within = slot.ray.tmin < t && t < slot.ray.tmax;
        if !is_within {
            return None;
        }
        if !K::NEEDS_HIT {
            return Some(Hit { t, ..Hit::MISS });
        }
        let row = leaf.byte() + 9 * 4 * leaf.triangles();
        // SAFETY: as promised; the last row has the names.
        let name = unsafe { *self.world.arena.start().add(row).cast::<u32>().add(lane) };
        let id = self.world.names[slot.bottom as usize].id(name);
        let (u, v) = accepted.u_v();
        let Slot { instance, .. } = *slot;
        Some(Hit { t, u, v, instance, geometry: id.geometry, primitive: id.primitive })
    }

    /// The same, if flags or a filter have a say.
    #[inline(never)]
    fn asked_hit(&self, leaf: Pointer, lane: usize, slot: &Slot) -> Option<Hit> {
        let (triangle, name) = self.world.arena.triangle(leaf, lane);
        let id = self.world.names[slot.bottom as usize].id(name);
        let position = self.first + slot.position as usize;
        self.ask.hit(position, &self.space(slot), Primitive::Triangle(&triangle), id)
    }

    /// Takes a hit into account; whether the ray is done.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    fn offer(&mut self, slot: &mut Slot, hit: Hit) -> bool {
        match K::offer(&mut self.answers[slot.position as usize], hit) {
            Outcome::Continue => false,
            Outcome::Narrow(t) => {
                slot.farthest = t;
                // SAFETY: the kernel runs, so the features are there; stacks have room.
                unsafe { drop_beyond(slot, t) };
                false
            }
            Outcome::Done => true,
        }
    }

    /// The ray of a slot, in the space that it is in.
    fn space(&self, slot: &Slot) -> Space {
        let instance = match &self.world.top {
            Some(top) => top.placements[slot.instance as usize].flags,
            None => InstanceFlags::empty(),
        };
        let flags = MergedFlags::new(self.ask.flags, instance);
        Space { ray: slot.ray, instance: slot.instance, flags }
    }

    /// A step that leads neither to a node nor to triangles.
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline(never)]
    fn special(&mut self, pointer: Pointer, slot: &mut Slot) -> Next {
        match pointer.target() {
            Target::Instance(number) => self.enter_instance(number, slot),
            Target::Boxes(list) => self.boxes(list, slot),
            Target::Leave => {
                let ray = self.rays[slot.position as usize];
                self.enter_world(slot, &ray);
                Next::Pop
            }
            Target::Done | Target::Node | Target::Leaf => Next::Finish,
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    fn enter_instance(&mut self, number: usize, slot: &mut Slot) -> Next {
        let Some(top) = &self.world.top else { return Next::Pop };
        let placement = &top.placements[number];
        if placement.mask & self.ask.mask == 0 {
            return Next::Pop;
        }
        let ray = placement.world_to_object.ray(&slot.ray);
        if !ordinary::is_ordinary(&ray) {
            let position = slot.position as usize;
            let mut uncounted = Counters::default();
            let answer = &mut self.answers[position];
            let world_ray = &self.rays[position];
            scalar::answer::<K>(
                self.world,
                self.ask,
                self.first + position,
                world_ray,
                answer,
                &mut uncounted,
            );
            return Next::Finish;
        }
        self.counters.instances += 1;
        let level = &self.world.bottoms[placement.bottom as usize];
        // SAFETY: stacks are as large as any walk needs, this entry included.
        unsafe {
            *slot.depths.add(slot.height as usize) = f32::NEG_INFINITY;
            *slot.pointers.add(slot.height as usize) = Pointer::LEAVE;
        }
        slot.height += 1;
        slot.aim(&ray, Dilation::Reach(&level.bounds));
        (slot.instance, slot.bottom) = (number as u32, placement.bottom);
        slot.pointer = level.root;
        self.prefetch(level.root);
        if level.root == Pointer::DONE { Next::Pop } else { Next::Go }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    fn boxes(&mut self, list: usize, slot: &mut Slot) -> Next {
        self.counters.leaves += 1;
        let world = self.world;
        let range = &world.box_lists[list];
        let space = self.space(slot);
        let position = self.first + slot.position as usize;
        for (bounds, id) in &world.boxes[range.start as usize..range.end as usize] {
            self.counters.procedural_tests += 1;
            let hit = self.ask.hit(position, &space, Primitive::Box(bounds), *id);
            if let Some(hit) = hit
                && self.offer(slot, hit)
            {
                return Next::Finish;
            }
        }
        Next::Pop
    }
}

/// What follows a special step.
enum Next {
    /// The next entry of the stack.
    Pop,
    /// Where the slot's pointer leads.
    Go,
    /// Nothing: the ray is done.
    Finish,
}
