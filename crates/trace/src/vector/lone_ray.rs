//! One ray alone, over any source and whatever is asked.
//!
//! It waits for memory, and for the outcome of each test, at every step; nothing is gained by
//! rounds.

use super::active_ray::{ActiveRay, BoxTestRay};
use super::axis_lanes::AxisLanes;
use super::source::Steps;
use super::stack;
use super::walk::{Next, Walk};
use crate::kind::Kind;
use crate::simd::Simd;
use crate::world::{Pointer, Target};

/// Words of a stack that is not worth an allocation.
const SHORT_STACK: usize = 512;

/// Answers the one ray of a walk.
///
/// # Safety
/// The processor must have the instructions, and there must be one ray.
#[inline(always)]
pub(super) unsafe fn answer<V: Simd, K: Kind, G: Steps<V>>(
    walk: &mut Walk<'_, V, K, G>,
    is_counted: bool,
) {
    let ray = &walk.rays[0];
    let lanes = AxisLanes::<V>::new(ray);
    if !lanes.is_ordinary() {
        return walk.answer_scalar(0);
    }
    walk.answers[0] = K::miss();
    walk.counters.queries += 1;
    let mut slot = ActiveRay::EMPTY;
    slot.start = walk.source.start(None);
    let root = match (walk.source.tlas(), walk.source.blas(0)) {
        (Some(tlas), _) => {
            let dilation = lanes.instance_dilation(tlas) * G::DILATIONS;
            slot.box_ray = lanes.box_ray(dilation, ray.tmin, ray.tmax);
            tlas.level.root
        }
        (None, Some(level)) => {
            let dilation = lanes.dilation(&level.bounds) * G::DILATIONS;
            slot.box_ray = lanes.box_ray(dilation, ray.tmin, ray.tmax);
            slot.triangle_ray = lanes.triangle_ray::<G::Rule>();
            level.root
        }
        (None, None) => Pointer::DONE,
    };
    let mut short = [0; SHORT_STACK];
    let mut long = Vec::new();
    if 2 * walk.stack_size > SHORT_STACK {
        long.resize(2 * walk.stack_size, 0);
    }
    let words = if long.is_empty() { &mut short[..] } else { &mut long };
    // SAFETY: FEATURES-DETECTED, POINTER-PROVED, STACK-ROOM.
    unsafe { go(walk, slot, root, words.as_mut_ptr().cast(), is_counted) };
    K::finish(&mut walk.answers[0]);
}

/// Walks from `pointer` on, with an empty stack at `bottom`.
///
/// # Safety
/// As [`answer`]; the stack must be large enough, and made of zeros.
#[inline(always)]
unsafe fn go<V: Simd, K: Kind, G: Steps<V>>(
    walk: &mut Walk<'_, V, K, G>,
    mut slot: ActiveRay,
    mut pointer: Pointer,
    bottom: *mut Pointer,
    is_counted: bool,
) {
    let (source, size) = (walk.source, walk.stack_size);
    let outer = slot.box_ray;
    let mut saved = G::Saved::default();
    // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM.
    unsafe {
        slot.top = stack::push(bottom, size, Pointer::DONE);
        loop {
            debug_assert!(stack::is_within(bottom, slot.top, size), "STACK-ROOM");
            if pointer.is_node() {
                if is_counted {
                    source.count_node(pointer, &slot, walk.counters);
                }
                pointer = if K::NARROWS {
                    G::push::<true>(&source.meet::<true>(pointer, &slot), &mut slot, size)
                } else {
                    G::push::<false>(&source.meet::<false>(pointer, &slot), &mut slot, size)
                };
                continue;
            }
            let next = match pointer.target() {
                Target::Node | Target::Leaf => {
                    let opened = source.open(pointer, &slot);
                    if is_counted {
                        G::count_leaves(1, G::tested(&opened), walk.counters);
                    }
                    match (G::candidates(&opened, &slot), G::goes_on(&opened)) {
                        (0, Pointer::DONE) => Next::Pop,
                        (0, rest) => Next::Go(rest),
                        (mask, _) => {
                            G::save(&opened, &raw mut saved);
                            walk.hits(pointer, &saved, mask, &mut slot, bottom)
                        }
                    }
                }
                Target::Instance(number) => walk.enter_instance(number, &mut slot),
                Target::Boxes(list) => walk.boxes(list, &mut slot, bottom),
                Target::Leave => {
                    slot.box_ray = BoxTestRay { farthest: slot.box_ray.farthest, ..outer };
                    slot.start = source.start(None);
                    Next::Pop
                }
                Target::Done => return,
            };
            pointer = match next {
                Next::Go(pointer) => pointer,
                Next::Pop => {
                    slot.top = slot.top.sub(1);
                    *slot.top
                }
                Next::Finish => return,
            };
        }
    }
}
