//! One ray alone over the CPU's copy, if nobody but the triangle rule has a say in hits.
//!
//! What such a ray waits for is a chain: a pointer, the planes behind it, where they are met, which of them first, the
//! next pointer. So near and far planes are found by address and not by minima and maxima, all that boxes are
//! tested with stays in registers ([`sight`]), and nothing is set up that most rays do not need.

mod sight;

use super::rule::Watertight;
use super::slot::Slot;
use super::{stack, triangles};
use crate::Hit;
use crate::ask::{Ask, Space};
use crate::kind::{Kind, Outcome};
use crate::scalar;
use crate::world::{Node, Pointer, Target, World};
use geometry::{InstanceFlags, Ray, TriangleRule};
use machine::candidate::MergedFlags;
use machine::{Counters, RayFlags};
use sight::{Aim, Sight, divisor};
use std::arch::x86_64::*;
use std::mem::{MaybeUninit, offset_of};
use tree::primitives::Primitive;

/// Entries of a walk's stack.
const STACK: usize = 256;

/// Whether rays can walk a world like this: if it is ordinary, and its stacks are short, as they nearly always are.
#[inline]
pub(crate) fn takes(world: &World) -> bool {
    world.is_ordinary & (world.stack_size <= STACK - stack::MARGIN)
}

/// Answers a ray that is out of the ordinary.
#[cold]
#[inline(never)]
fn plainly<K: Kind>(world: &World, ray: &Ray) -> K::Answer {
    let mut answer = K::miss();
    let ask = Ask::everything(TriangleRule::Watertight);
    scalar::answer::<K>(world, &ask, 0, ray, &mut answer, &mut Counters::default());
    answer
}

/// Answers a ray by the watertight rule.
///
/// # Safety
/// The kernel must be available, and [`takes`] be true of the world.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
pub(crate) unsafe fn answer<K: Kind>(world: &World, ray: &Ray) -> K::Answer {
    let Some(divisor) = divisor(ray) else { return plainly::<K>(world, ray) };
    let mut answer = K::miss();
    let start = world.arena.start();
    let mut slot = Slot::EMPTY;
    (slot.aim.nearest, slot.aim.farthest) = (ray.tmin, ray.tmax);
    let (mut aim, mut pointer) = match (&world.top, world.bottoms.first()) {
        (Some(top), _) => (Aim::at_top(ray, divisor, top), top.level.root),
        (None, Some(level)) => {
            slot.shear.set::<Watertight>(ray);
            (Aim::at_bottom(ray, divisor, &level.bounds), level.root)
        }
        (None, None) => return answer,
    };
    let mut entries = MaybeUninit::<[u32; 2 * STACK]>::uninit();
    let bottom: *mut Pointer = entries.as_mut_ptr().cast();
    let outer = aim;
    let mut sight = Sight::new(&aim, start, ray.tmin, ray.tmax);
    // SAFETY: pointers lead into the world; stacks are as large as any walk needs, and the lowest
    // entry ends it.
    unsafe {
        let mut top = stack::push(bottom, STACK, Pointer::DONE);
        loop {
            while pointer.is_node() {
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
                } else if met != 0 {
                    pointer = child_of(node, met.trailing_zeros() as usize);
                } else {
                    top = top.sub(1);
                    pointer = *top;
                }
            }
            match pointer.target() {
                Target::Node | Target::Leaf => {
                    let (leaf, count) = (start.add(pointer.byte()), pointer.triangles());
                    let mut mask = triangles::candidates(leaf, count, &slot);
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
                                let world = hidden(world);
                                let name = world.arena.name(pointer, lane);
                                let id = world.names[slot.bottom as usize].id(name);
                                let (u, v) = found.u_v();
                                let (geometry, primitive) = (id.geometry, id.primitive);
                                Hit { t, u, v, instance: slot.instance, geometry, primitive }
                            } else {
                                Hit { t, ..Hit::MISS }
                            };
                            match K::offer(&mut answer, hit) {
                                Outcome::Continue => (),
                                Outcome::Narrow(t) => {
                                    slot.aim.farthest = t;
                                    top = stack::drop_beyond(bottom, top, STACK, t);
                                }
                                Outcome::Done => return answer,
                            }
                        }
                        aim.hide();
                        sight = Sight::new(&aim, start, ray.tmin, slot.aim.farthest);
                    }
                    top = top.sub(1);
                    pointer = *top;
                    continue;
                }
                Target::Instance(number) => match enter(world, ray, number, &mut slot) {
                    Entered::Plainly => return plainly::<K>(world, ray),
                    Entered::No => (),
                    Entered::At(inner, root) => {
                        top = stack::push(top, STACK, Pointer::LEAVE);
                        aim = inner;
                        sight = Sight::new(&aim, start, ray.tmin, slot.aim.farthest);
                        pointer = root;
                        continue;
                    }
                },
                Target::Boxes(list) => match boxes::<K>(world, ray, list, &slot, &mut answer) {
                    Outcome::Continue => (),
                    Outcome::Narrow(t) => {
                        slot.aim.farthest = t;
                        top = stack::drop_beyond(bottom, top, STACK, t);
                    }
                    Outcome::Done => return answer,
                },
                Target::Leave => aim = outer,
                Target::Done => {
                    K::finish(&mut answer);
                    return answer;
                }
            }
            aim.hide();
            sight = Sight::new(&aim, start, ray.tmin, slot.aim.farthest);
            top = top.sub(1);
            pointer = *top;
        }
    }
}

/// The same world. Compilers would read what is needed of it before they know that it is.
#[inline(always)]
fn hidden(world: &World) -> &World {
    let mut place = std::ptr::from_ref(world);
    // SAFETY: nothing is done.
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
    Plainly,
    /// A level, and its root.
    At(Aim, Pointer),
}

/// Enters an instance.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline(never)]
fn enter(world: &World, ray: &Ray, number: usize, slot: &mut Slot) -> Entered {
    let Some(top) = &world.top else { return Entered::No };
    let placement = &top.placements[number];
    let level = &world.bottoms[placement.bottom as usize];
    if placement.mask == 0 || level.root == Pointer::DONE {
        return Entered::No;
    }
    let ray = placement.world_to_object.ray(ray);
    let Some(divisor) = divisor(&ray) else { return Entered::Plainly };
    slot.shear.set::<Watertight>(&ray);
    (slot.instance, slot.bottom) = (number as u32, placement.bottom);
    Entered::At(Aim::at_bottom(&ray, divisor, &level.bounds), level.root)
}

/// Asks about procedural boxes.
#[inline(never)]
fn boxes<K: Kind>(
    world: &World,
    ray: &Ray,
    list: usize,
    slot: &Slot,
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
    slot: &Slot,
    leaf: Pointer,
    lane: usize,
    t: f32,
) -> Option<f32> {
    triangles::clamped(&space(world, ray, slot).ray, &world.arena.triangle(leaf, lane).0, t)
}

/// The space that the ray is in.
fn space(world: &World, ray: &Ray, slot: &Slot) -> Space {
    let (ray, flags) = match &world.top {
        Some(top) => {
            let placement = &top.placements[slot.instance as usize];
            (placement.world_to_object.ray(ray), placement.flags)
        }
        None => (*ray, InstanceFlags::empty()),
    };
    Space { ray, instance: slot.instance, flags: MergedFlags::new(RayFlags::empty(), flags) }
}

/// A child of the node at `node`. In one instruction at each place, which compilers would merge into a longer way.
///
/// # Safety
/// There must be a node, and `number` less than eight.
#[inline(always)]
unsafe fn child_of(node: *const u8, number: usize) -> Pointer {
    let pointer: u32;
    // SAFETY: as promised.
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

/// Bit `i`: `a` is less than `b` in lane `i`.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
fn is_less(a: __m256i, b: __m256i) -> u32 {
    // Comparing to a vector takes less time than comparing to a mask.
    _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a))) as u32
}
