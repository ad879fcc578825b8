//! One ray alone over the CPU's copy, if nobody but the triangle rule has a say in hits.
//!
//! What such a ray waits for is a chain: a pointer, the planes behind it, where they are met, which
//! of them first, the next pointer. So near and far planes are found by address and not by minima
//! and maxima, all that boxes are tested with stays in registers ([`broadcast_ray`]), and nothing
//! is set up that most rays do not need.

mod broadcast_ray;

use super::triangles::candidates;
use crate::Hit;
use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::scalar;
use crate::vector::active_ray::ActiveRay;
use crate::vector::rule::Watertight;
use crate::vector::{stack, triangles};
use crate::world::{Node, Pointer, Target, World};
use broadcast_ray::{BoxTestRay, BroadcastRay, divisor};
use geometry::{InstanceFlags, Ray, TriangleRule};
use machine::primitive_test::MergedFlags;
use machine::{Counters, RayFlags};
use std::arch::x86_64::*;
use std::mem::{MaybeUninit, offset_of};
use tree::primitives::Primitive;

/// Entries of a walk's stack.
const STACK: usize = 256;

/// Whether rays can walk a world like this: if it is ordinary, and its stacks are short, as they
/// nearly always are.
#[inline]
pub(crate) fn can_walk(world: &World) -> bool {
    world.is_ordinary & (world.stack_size <= STACK - stack::MARGIN)
}

/// Answers a ray that is out of the ordinary.
#[cold]
#[inline(never)]
fn answer_scalar<K: Kind>(world: &World, ray: &Ray) -> K::Answer {
    let mut answer = K::miss();
    let ask = Ask::everything(TriangleRule::Watertight);
    scalar::answer::<K, _>(world, &ask, 0, ray, &mut answer, &mut Counters::default());
    answer
}

/// Answers a ray by the watertight rule.
///
/// # Safety
/// The kernel must be available, and [`can_walk`] be true of the world.
#[inline]
pub(crate) unsafe fn answer<K: Kind>(world: &World, ray: &Ray) -> K::Answer {
    debug_assert!(
        crate::avx512::is_available() && can_walk(world),
        "FEATURES-DETECTED, STACK-ROOM"
    );
    // SAFETY: FEATURES-DETECTED.
    unsafe {
        match world.tlas {
            None => walk::<K, false>(world, ray),
            Some(_) => walk::<K, true>(world, ray),
        }
    }
}

/// The same, for worlds that have instances if `PLACED` says so.
///
/// # Safety
/// As [`answer`].
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
unsafe fn walk<K: Kind, const PLACED: bool>(world: &World, ray: &Ray) -> K::Answer {
    let Some(divisor) = divisor(ray) else { return answer_scalar::<K>(world, ray) };
    let mut answer = K::miss();
    let start = world.arena.start();
    let mut slot = ActiveRay::EMPTY;
    (slot.box_ray.nearest, slot.box_ray.farthest) = (ray.tmin, ray.tmax);
    let (mut aim, mut pointer) = match (&world.tlas, world.blases.first()) {
        (Some(tlas), _) if PLACED => (BoxTestRay::at_tlas(ray, divisor, tlas), tlas.level.root),
        (_, Some(level)) => {
            slot.triangle_ray.set::<Watertight>(ray);
            (BoxTestRay::at_blas(ray, divisor, &level.bounds), level.root)
        }
        (_, None) => return answer,
    };
    let mut entries = MaybeUninit::<[u32; 2 * STACK]>::uninit();
    let outer = aim;
    // Entries that begin beyond this are not looked at.
    let mut limit = f32::INFINITY;
    let mut sight = BroadcastRay::new(&aim, start, ray.tmin, ray.tmax);
    // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM, LEAF-ROOM, LANE-PRESENT.
    unsafe {
        let bottom: *mut Pointer = entries.as_mut_ptr().cast();
        let mut top = stack::push(bottom, STACK, Pointer::DONE);
        loop {
            while pointer.is_node() {
                debug_assert!(world.arena.holds(pointer), "POINTER-PROVED");
                debug_assert!(stack::is_within(bottom, top, STACK), "STACK-ROOM");
                let place = pointer.0 as usize * 16;
                let (enter, exit) = sight.intervals(place);
                let met = is_less(enter, exit);
                let node = start.add(place);
                if !K::NARROWS && met != 0 {
                    // In whichever order: one branch less is worth more than some steps.
                    let pointers = _mm256_load_si256(node.add(offset_of!(Node, children)).cast());
                    let stored = _mm256_maskz_compress_epi32(met as u8, pointers);
                    _mm256_storeu_si256(top.cast(), stored);
                    top = top.add(met.count_ones() as usize - 1);
                    pointer = child_of(node, met.ilog2() as usize);
                    prefetch(start, *top.sub(1));
                } else if met & met.wrapping_sub(1) != 0 {
                    let order = *sight.orders.add(place).cast::<u32>();
                    let pointers = _mm256_load_si256(node.add(offset_of!(Node, children)).cast());
                    let shifts = _mm256_setr_epi32(21, 18, 15, 12, 9, 6, 3, 0);
                    let places = _mm256_srlv_epi32(_mm256_set1_epi32(order as i32), shifts);
                    let enter = _mm256_permutevar8x32_epi32(enter, places);
                    let exit = _mm256_permutevar8x32_epi32(exit, places);
                    let pointers = _mm256_permutevar8x32_epi32(pointers, places);
                    let met = _mm256_cmpgt_epi32_mask(exit, enter);
                    let stored = _mm256_maskz_compress_epi32(met, pointers);
                    _mm256_storeu_si256(top.cast(), stored);
                    if K::NARROWS {
                        let depths = _mm256_maskz_compress_epi32(met, enter);
                        _mm256_storeu_si256(top.add(STACK).cast(), depths);
                    }
                    top = top.add(met.count_ones() as usize - 1);
                    let zeros = u32::from(met).leading_zeros(); // 24 if the nearest is met
                    let child = order >> ((3 * zeros + 24) & 31) & 7;
                    pointer = child_of(node, child as usize);
                    prefetch(start, *top.sub(1));
                } else if met != 0 {
                    pointer = child_of(node, met.trailing_zeros() as usize);
                } else {
                    (top, pointer) = popped::<K>(top, limit);
                }
            }
            match pointer.target() {
                Target::Node | Target::Leaf => {
                    debug_assert!(world.arena.holds(pointer), "POINTER-PROVED");
                    let (leaf, count) = (start.add(pointer.byte()), pointer.triangles());
                    let mut mask = candidates(leaf, count, &slot);
                    if mask != 0 {
                        while mask != 0 {
                            let lane = mask.trailing_zeros() as usize;
                            mask &= mask - 1;
                            let found = triangles::accepted(leaf, count, lane, &slot);
                            let Some(found) = found else { continue };
                            let mut t = found.t;
                            if !found.is_settled {
                                match clamped(world, ray, &slot, pointer, lane, t) {
                                    Some(clamped) => t = clamped,
                                    None => continue,
                                }
                            }
                            t += 0.0; // -0.0 becomes +0.0
                            let is_within = (ray.tmin < t) & (t < ray.tmax);
                            if !is_within {
                                continue;
                            }
                            let hit = if K::NEEDS_HIT {
                                let world = optimization_barrier(world);
                                let name = world.arena.name(pointer, lane);
                                let id = world.primitive_ids[slot.blas as usize].id(name);
                                let (u, v) = found.u_v();
                                let (geometry, primitive) = (id.geometry, id.primitive);
                                Hit { t, u, v, instance: slot.instance, geometry, primitive }
                            } else {
                                Hit { t, ..Hit::MISS }
                            };
                            match K::offer(&mut answer, hit) {
                                Outcome::Continue => (),
                                Outcome::Narrow(t) => {
                                    (slot.box_ray.farthest, limit) = (t, broadcast_ray::widened(t));
                                }
                                Outcome::Done => return answer,
                            }
                        }
                        aim.optimization_barrier();
                        sight = BroadcastRay::new(&aim, start, ray.tmin, slot.box_ray.farthest);
                    }
                    (top, pointer) = popped::<K>(top, limit);
                    continue;
                }
                Target::Instance(number) => match enter(world, ray, number, &mut slot) {
                    Entered::NeedsScalar => return answer_scalar::<K>(world, ray),
                    Entered::No => (),
                    Entered::At(inner, root) => {
                        top = stack::push(top, STACK, Pointer::LEAVE);
                        aim = inner;
                        sight = BroadcastRay::new(&aim, start, ray.tmin, slot.box_ray.farthest);
                        pointer = root;
                        continue;
                    }
                },
                Target::Boxes(list) => match boxes::<K>(world, ray, list, &slot, &mut answer) {
                    Outcome::Continue => (),
                    Outcome::Narrow(t) => {
                        (slot.box_ray.farthest, limit) = (t, broadcast_ray::widened(t));
                    }
                    Outcome::Done => return answer,
                },
                Target::Leave => aim = outer,
                Target::Done => {
                    K::finish(&mut answer);
                    return answer;
                }
            }
            aim.optimization_barrier();
            sight = BroadcastRay::new(&aim, start, ray.tmin, slot.box_ray.farthest);
            (top, pointer) = popped::<K>(top, limit);
        }
    }
}

/// The same world. Compilers would read what is needed of it before they know that it is.
#[inline(always)]
fn optimization_barrier(world: &World) -> &World {
    let mut place = std::ptr::from_ref(world);
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) place, options(readonly, nostack, preserves_flags));
        &*place
    }
}

/// What comes of entering an instance.
enum Entered {
    /// There is nothing to be seen.
    No,
    /// The ray is out of the ordinary there.
    NeedsScalar,
    /// A level, and its root.
    At(BoxTestRay, Pointer),
}

/// Enters an instance.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline(never)]
fn enter(world: &World, ray: &Ray, number: usize, slot: &mut ActiveRay) -> Entered {
    let Some(tlas) = &world.tlas else { return Entered::No };
    let instance = &tlas.instances[number];
    let level = &world.blases[instance.blas as usize];
    if instance.mask == 0 || level.root == Pointer::DONE {
        return Entered::No;
    }
    let ray = instance.world_to_object.ray(ray);
    let Some(divisor) = divisor(&ray) else { return Entered::NeedsScalar };
    slot.triangle_ray.set::<Watertight>(&ray);
    (slot.instance, slot.blas) = (number as u32, instance.blas);
    Entered::At(BoxTestRay::at_blas(&ray, divisor, &level.bounds), level.root)
}

/// Asks about procedural boxes.
#[inline(never)]
fn boxes<K: Kind>(
    world: &World,
    ray: &Ray,
    list: usize,
    slot: &ActiveRay,
    answer: &mut K::Answer,
) -> Outcome {
    let ask = Ask::everything(TriangleRule::Watertight);
    let space = space(world, ray, slot);
    let mut outcome = Outcome::Continue;
    for (bounds, id) in world.box_list(list) {
        let Some(hit) = ask.hit(0, &space, Primitive::Box(bounds), *id) else { continue };
        match K::offer(answer, hit) {
            Outcome::Continue => (),
            Outcome::Narrow(t) => outcome = Outcome::Narrow(t),
            Outcome::Done => return Outcome::Done,
        }
    }
    outcome
}

/// [`triangles::clamped`] of a triangle in a leaf.
#[cold]
#[inline(never)]
fn clamped(
    world: &World,
    ray: &Ray,
    slot: &ActiveRay,
    leaf: Pointer,
    lane: usize,
    t: f32,
) -> Option<f32> {
    triangles::clamped(&space(world, ray, slot).ray, &world.arena.triangle(leaf, lane).0, t)
}

/// The space that the ray is in.
fn space(world: &World, ray: &Ray, slot: &ActiveRay) -> Space {
    let (ray, flags) = match &world.tlas {
        Some(tlas) => {
            let instance = &tlas.instances[slot.instance as usize];
            (instance.world_to_object.ray(ray), instance.flags)
        }
        None => (*ray, InstanceFlags::empty()),
    };
    Space { ray, instance: slot.instance, flags: MergedFlags::new(RayFlags::empty(), flags) }
}

/// The next entry of a stack that matters, and the stack without it.
///
/// # Safety
/// There must be such an entry: the lowest one always matters.
#[inline(always)]
unsafe fn popped<K: Kind>(mut top: *mut Pointer, limit: f32) -> (*mut Pointer, Pointer) {
    // SAFETY: STACK-BOTTOM, LANES-INITIALIZED.
    unsafe {
        loop {
            top = top.sub(1);
            if !K::NARROWS || *top.add(STACK).cast::<f32>() <= limit {
                return (top, *top);
            }
        }
    }
}

/// Asks for the memory of the step after the next one.
#[inline(always)]
fn prefetch(start: *const u8, pointer: Pointer) {
    let address = start.wrapping_add(pointer.byte()).cast::<i8>();
    // SAFETY: ANY-ADDRESS.
    unsafe {
        _mm_prefetch::<_MM_HINT_T0>(address);
        _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(64));
        _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(128));
        _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(192));
    }
}

/// A child of the node at `node`. In one instruction at each place, which compilers would merge
/// into a longer way.
///
/// # Safety
/// There must be a node, and `number` less than eight.
#[inline(always)]
unsafe fn child_of(node: *const u8, number: usize) -> Pointer {
    let pointer: u32;
    // SAFETY: POINTER-PROVED.
    unsafe {
        std::arch::asm!(
            "mov {pointer:e}, [{node} + 4 * {number} + {children}]",
            node = in(reg) node,
            number = in(reg) number,
            children = const offset_of!(Node, children),
            pointer = lateout(reg) pointer,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    Pointer(pointer)
}

/// Bit `i`: `a` is less than `b` in lane `i`. Comparing to a mask, as compilers do, takes longer.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn is_less(a: __m256i, b: __m256i) -> u32 {
    let bits;
    // SAFETY: REGISTERS-ONLY.
    unsafe {
        std::arch::asm!(
            "vpcmpgtd {is_less}, {b}, {a}",
            "vmovmskps {bits:e}, {is_less}",
            a = in(ymm_reg) a,
            b = in(ymm_reg) b,
            is_less = out(ymm_reg) _,
            bits = lateout(reg) bits,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    bits
}
