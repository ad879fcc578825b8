//! A beam against the eight boxes of a node, and single rays against one box.

use super::hits::Hits;
use super::lanes::{Lanes, among, vectors};
use super::stack::Stack;
use super::view::View;
use crate::simd::{Floats, Lanes as _, Simd, inlined, of_floats};
use crate::vector::boxes::{children_of, places};
use crate::vector::{TINY, WIDEN};
use crate::world::{Node, Pointer};

/// Pushes the children of the node at `pointer` that the beam meets no deeper than `farthest`, the
/// nearest last.
///
/// # Safety
/// The pointer must lead to the node, and the stack have room for eight more entries.
#[inline(always)]
pub(super) unsafe fn push_children<V: Simd>(
    node: &Node,
    pointer: Pointer,
    view: &View,
    farthest: f32,
    stack: &mut Stack,
) -> u32 {
    let (beam, octant) = (&view.beam, view.octant);
    let planes = inlined(
        #[inline(always)]
        |axis: usize, far: usize| {
            of_floats::<V::F8, 8>(&node.planes[axis][(octant >> axis & 1) ^ far])
        },
    );
    let near = inlined(
        #[inline(always)]
        |axis: usize| {
            let inverse = V::F8::splat(beam.near_inverse[axis]);
            planes(axis, 0).mul_add(inverse, V::F8::splat(beam.near_offset[axis]))
        },
    );
    let far = inlined(
        #[inline(always)]
        |axis: usize| {
            let inverse = V::F8::splat(beam.far_inverse[axis]);
            planes(axis, 1).mul_add(inverse, V::F8::splat(beam.far_offset[axis]))
        },
    );
    // With a NaN the outcome is the second operand: a slot without a child is never met.
    let enter = V::F8::splat(beam.nearest).max(near(0)).max(near(1).max(near(2)));
    let exit = V::F8::splat(farthest).min(far(0)).min(far(1).min(far(2)));
    let exit = exit.mul_add(V::F8::splat(WIDEN), V::F8::splat(beam.tiny));
    let places = places::<V>(node.orders[octant & 7]) & V::I8::splat(7);
    let (enter, exit) = (enter.permuted(places), exit.permuted(places));
    let met = enter.le(exit);
    let children = crate::simd::Ints::permuted(children_of::<V>(node), places);
    // SAFETY: STACK-ROOM.
    unsafe { stack.push_8::<V>(met, enter, children, places | V::I8::splat(pointer.0)) };
    met.count_ones()
}

/// The members that reach child `slot` of the node before their best hits. `COMMON`: all rays of
/// the view start at one point.
#[inline(always)]
pub(super) fn reaching<V: Simd, const COMMON: bool>(
    node: &Node,
    slot: usize,
    view: &View,
    hits: &Hits,
) -> u64 {
    let plane = inlined(
        #[inline(always)]
        |axis: usize, far: usize| {
            let plane = node.planes[axis][(view.octant >> axis & 1) ^ far][slot & 7];
            V::Wide::splat(if COMMON { plane - view.seen_from[far][axis] } else { plane })
        },
    );
    let near = [plane(0, 0), plane(1, 0), plane(2, 0)];
    let far = [plane(0, 1), plane(1, 1), plane(2, 1)];
    let mut reaching = 0;
    for vector in 0..vectors::<V::Wide>() {
        let at = inlined(
            #[inline(always)]
            |plane: V::Wide, axis: usize, offsets: &[Lanes; 3]| {
                let inverse = view.inverse[axis].get(vector);
                if COMMON {
                    plane * inverse
                } else {
                    plane.mul_add(inverse, offsets[axis].get(vector))
                }
            },
        );
        let enter = at(near[0], 0, &view.near_offset)
            .max(at(near[1], 1, &view.near_offset))
            .max(at(near[2], 2, &view.near_offset).max(hits.tmin.get(vector)));
        let exit = at(far[0], 0, &view.far_offset)
            .min(at(far[1], 1, &view.far_offset))
            .min(at(far[2], 2, &view.far_offset).min(hits.best.get(vector)));
        let exit = exit.mul_add(V::Wide::splat(WIDEN), V::Wide::splat(TINY));
        reaching |= among::<V::Wide>(enter.le(exit), vector);
    }
    reaching & view.members
}
