//! The walk of a bundle: one for all of its rays.

use super::boxes::{push_children, reaching};
use super::hits::Hits;
use super::stack::Stack;
use super::triangles;
use super::view::{Dilation, View};
use crate::simd::Simd;
use crate::vector::WIDEN;
use crate::world::{Level, Node, Pointer, Target, World};

/// No box: the place of a root.
const NOWHERE: u32 = u32::MAX;

/// A bundle under way.
pub(super) struct Walk<'a> {
    pub(super) world: &'a World,
    /// Which instances are seen.
    pub(super) mask: u8,
    /// Rays that are out of the ordinary in the space of an instance.
    pub(super) needs_scalar: u64,
    /// Steps that the bundle may still take. Without any it has diverged, and answers mean nothing:
    /// its rays fall back to single rays.
    pub(super) steps: u32,
}

impl Walk<'_> {
    /// Visits what lies below the root of a level, for the members of a view. `below` is for the
    /// spaces of instances.
    ///
    /// # Safety
    /// The processor must have the features, the view be prepared for the level, and the stack have
    /// room for every walk over this world.
    pub(super) unsafe fn level<V: Simd, const ANY_HIT: bool>(
        &mut self,
        level: &Level,
        view: &View,
        below: Option<&mut View>,
        hits: &mut Hits,
        stack: &mut Stack,
    ) {
        // SAFETY: FEATURES-DETECTED, STACK-ROOM.
        unsafe {
            if view.is_common {
                V::run(
                    #[inline(always)]
                    || self.visit::<V, ANY_HIT, true>(level, view, below, hits, stack),
                );
            } else {
                V::run(
                    #[inline(always)]
                    || self.visit::<V, ANY_HIT, false>(level, view, below, hits, stack),
                );
            }
        }
    }

    /// The same. `COMMON`: all rays of the view start at one point.
    ///
    /// # Safety
    /// As [`Walk::level`].
    #[inline(always)]
    unsafe fn visit<V: Simd, const ANY_HIT: bool, const COMMON: bool>(
        &mut self,
        level: &Level,
        view: &View,
        mut below: Option<&mut View>,
        hits: &mut Hits,
        stack: &mut Stack,
    ) {
        let world = self.world;
        let bottom = stack.height();
        let mut farthest = hits.farthest::<V>(view.members, &view.speed);
        let mut limit = farthest * WIDEN + view.beam.tiny;
        let (mut depth, mut pointer, mut place) = (f32::NEG_INFINITY, level.root, NOWHERE);
        loop {
            if self.steps == 0 {
                stack.cut(bottom);
                return;
            }
            self.steps -= 1;
            if depth <= limit {
                if pointer.is_node() {
                    // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM.
                    unsafe {
                        let node = world.arena.node_unchecked(pointer);
                        let count = push_children::<V>(node, pointer, view, farthest, stack);
                        for below_top in 0..count as usize {
                            prefetch::<V>(world, stack.pointer_below_top(below_top));
                        }
                    }
                } else {
                    let members = if place == NOWHERE {
                        view.members
                    } else {
                        // SAFETY: POINTER-PROVED: a place is the pointer to a node, and a slot.
                        let node: &Node =
                            unsafe { world.arena.node_unchecked(Pointer(place & !7)) };
                        reaching::<V, COMMON>(node, place as usize & 7, view, hits)
                    };
                    if members != 0 {
                        let is_better = if pointer.is_node_or_leaf() {
                            // SAFETY: POINTER-PROVED.
                            unsafe {
                                triangles::test::<V, ANY_HIT, COMMON>(
                                    world, pointer, members, view, hits,
                                )
                            }
                        } else if let (Target::Instance(number), Some(below)) =
                            (pointer.target(), below.as_deref_mut())
                        {
                            // SAFETY: FEATURES-DETECTED, STACK-ROOM.
                            unsafe {
                                self.instance::<V, ANY_HIT>(
                                    number, members, view, below, hits, stack,
                                )
                            };
                            true
                        } else {
                            false
                        };
                        if is_better {
                            farthest = hits.farthest::<V>(view.members, &view.speed);
                            limit = farthest * WIDEN + view.beam.tiny;
                            if ANY_HIT && farthest < 0.0 {
                                stack.cut(bottom);
                                return;
                            }
                        }
                    }
                }
            }
            if stack.height() == bottom {
                return;
            }
            // SAFETY: STACK-BOTTOM: the stack is higher than at the start.
            let entry = unsafe { stack.pop() };
            (depth, pointer, place) = (entry.depth, entry.pointer, entry.place);
        }
    }

    /// Visits an instance: its rays in its space, in as many walks as they have classes there.
    ///
    /// # Safety
    /// As [`Walk::level`].
    unsafe fn instance<V: Simd, const ANY_HIT: bool>(
        &mut self,
        number: usize,
        members: u64,
        view: &View,
        below: &mut View,
        hits: &mut Hits,
        stack: &mut Stack,
    ) {
        let Some(tlas) = &self.world.tlas else { return };
        let instance = &tlas.instances[number];
        let level = &self.world.blases[instance.blas as usize];
        if instance.mask & self.mask == 0 || level.root == Pointer::DONE {
            return;
        }
        // SAFETY: FEATURES-DETECTED.
        let mut left = unsafe {
            V::run(
                #[inline(always)]
                || {
                    below.transform::<V>(view, &instance.world_to_object, members);
                    below.ordinary::<V>(members)
                },
            )
        };
        below.instance = number as u32;
        let mut needs_scalar = members & !left;
        self.needs_scalar |= needs_scalar;
        while needs_scalar != 0 {
            hits.end(needs_scalar.trailing_zeros() as usize);
            needs_scalar &= needs_scalar - 1;
        }
        while left != 0 {
            // SAFETY: FEATURES-DETECTED, STACK-ROOM.
            unsafe {
                V::run(
                    #[inline(always)]
                    || {
                        let class = below.choose_class::<V>(left);
                        left &= !class;
                        below.prepare::<V>(class, &level.bounds, Dilation::Blas, &hits.tmin);
                    },
                );
                self.level::<V, ANY_HIT>(level, below, None, hits, stack);
            }
        }
    }
}

/// Asks for the memory behind a pointer.
#[inline(always)]
fn prefetch<V: Simd>(world: &World, pointer: Pointer) {
    let address = world.arena.start().wrapping_add(pointer.byte());
    for line in 0..4 {
        V::prefetch(address.wrapping_add(64 * line));
    }
}
