//! One ray alone.
//!
//! It waits for memory, and for the outcome of each test, at every step; nothing is gained by
//! rounds. Always inlined: only so each kernel's own instructions get into it.

use super::active_ray::{ActiveRay, BoxTestRay};
use super::source::{Candidates, Steps};
use super::walk::{Next, Walk};
use super::{active_ray, stack};
use crate::kind::Kind;
use crate::world::{Pointer, Target};
use std::mem::MaybeUninit;

/// Entries of a stack that is not worth an allocation.
const SHORT_STACK: usize = 256;

/// Answers the one ray of `walk`.
///
/// # Safety
/// The processor must have the features, and there must be one ray.
#[inline(always)]
pub(crate) unsafe fn answer<K: Kind, G: Steps, const COUNTED: bool>(walk: &mut Walk<'_, K, G>) {
    // SAFETY: FEATURES-DETECTED.
    if !unsafe { active_ray::is_ordinary(&walk.rays[0]) } {
        return walk.answer_scalar(0);
    }
    walk.answers[0] = K::miss();
    walk.counters.queries += 1;
    let mut short = MaybeUninit::<[u32; 2 * SHORT_STACK]>::uninit();
    let mut long = Vec::new();
    let bottom: *mut Pointer = if walk.stack_size <= SHORT_STACK {
        short.as_mut_ptr().cast()
    } else {
        long.resize(stack::stride(walk.stack_size), Pointer::DONE);
        long.as_mut_ptr()
    };
    // SAFETY: STACK-ROOM.
    unsafe { go::<K, G, COUNTED>(walk, bottom) };
    K::finish(&mut walk.answers[0]);
}

/// Walks with the stack at `bottom`.
///
/// # Safety
/// As [`answer`], and the stack must be large enough.
#[inline(always)]
unsafe fn go<K: Kind, G: Steps, const COUNTED: bool>(
    walk: &mut Walk<'_, K, G>,
    bottom: *mut Pointer,
) {
    let (ray, source) = (walk.rays[0], walk.source);
    let mut slot = ActiveRay::EMPTY;
    // SAFETY: FEATURES-DETECTED.
    let mut pointer = unsafe { slot.enter_world(&ray, source) };
    let outer = slot.box_ray;
    // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM.
    unsafe {
        slot.top = stack::push(bottom, walk.stack_size, Pointer::DONE);
        loop {
            debug_assert!(stack::is_within(bottom, slot.top, walk.stack_size), "STACK-ROOM");
            if pointer.is_node() {
                if COUNTED {
                    source.count_node(pointer, &slot, walk.counters);
                }
                pointer = source.node_alone(pointer, &mut slot, walk.stack_size);
                continue;
            }
            let next = match pointer.target() {
                Target::Node | Target::Leaf => match walk.candidates::<COUNTED>(pointer, &slot) {
                    Candidates { mask: 0, rest: Pointer::DONE, .. } => Next::Pop,
                    Candidates { mask: 0, rest, .. } => Next::Go(rest),
                    Candidates { mask, .. } => {
                        let leaf = source.leaf(pointer, &slot);
                        walk.hits(&leaf, mask, &mut slot, bottom)
                    }
                },
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
