//! A beam against the eight boxes of a node, and single rays against one box.

use super::hits::Hits;
use super::lanes::{Lanes, VECTORS};
use super::stack::Stack;
use super::view::View;
use crate::vector::boxes::{TINY, WIDEN};
use crate::world::{Node, Pointer};
use std::arch::x86_64::*;
use std::mem::offset_of;

/// Pushes the children of the node at `pointer` that the beam meets no deeper than `farthest`, the
/// nearest last.
///
/// # Safety
/// The pointer must lead to the node, and the stack have room for eight more entries.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn push_children(
    node: &Node,
    pointer: Pointer,
    view: &View,
    farthest: f32,
    stack: &mut Stack,
) -> u32 {
    let beam = &view.beam;
    let octant = view.octant;
    let bytes: *const u8 = std::ptr::from_ref(node).cast();
    let side = |axis: usize, far: usize| {
        offset_of!(Node, planes) + 64 * axis + 32 * ((octant >> axis & 1) ^ far)
    };
    // SAFETY: VECTOR-SIZED: sides are places of planes in a node.
    let (enter, exit) = unsafe {
        let near = |axis: usize| {
            let planes = _mm256_load_ps(bytes.add(side(axis, 0)).cast());
            _mm256_fmsub_ps(
                planes,
                _mm256_set1_ps(beam.near_inverse[axis]),
                _mm256_set1_ps(beam.near_offset[axis]),
            )
        };
        let far = |axis: usize| {
            let planes = _mm256_load_ps(bytes.add(side(axis, 1)).cast());
            _mm256_fmsub_ps(
                planes,
                _mm256_set1_ps(beam.far_inverse[axis]),
                _mm256_set1_ps(beam.far_offset[axis]),
            )
        };
        // With a NaN the outcome is the second operand: a slot without a child is never met.
        (
            _mm256_max_ps(
                _mm256_max_ps(_mm256_set1_ps(beam.nearest), near(0)),
                _mm256_max_ps(near(1), near(2)),
            ),
            _mm256_min_ps(
                _mm256_min_ps(_mm256_set1_ps(farthest), far(0)),
                _mm256_min_ps(far(1), far(2)),
            ),
        )
    };
    let exit = _mm256_fmadd_ps(exit, _mm256_set1_ps(WIDEN), _mm256_set1_ps(beam.tiny));
    let order = node.orders[octant & 7];
    // Only the lowest three bits of an index count.
    let shifts = _mm256_setr_epi32(21, 18, 15, 12, 9, 6, 3, 0);
    let places = _mm256_srlv_epi32(_mm256_set1_epi32(order as i32), shifts);
    let places = _mm256_and_si256(places, _mm256_set1_epi32(7));
    let enter = _mm256_permutexvar_ps(places, enter);
    let exit = _mm256_permutexvar_ps(places, exit);
    let met = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(enter, exit);
    // SAFETY: STACK-ROOM, VECTOR-SIZED.
    unsafe {
        let children = _mm256_load_si256(node.children.as_ptr().cast());
        let children = _mm256_permutexvar_epi32(places, children);
        let boxes = _mm256_or_si256(places, _mm256_set1_epi32(pointer.0 as i32));
        stack.push_8(
            met,
            _mm256_maskz_compress_ps(met, enter),
            _mm256_maskz_compress_epi32(met, children),
            _mm256_maskz_compress_epi32(met, boxes),
        );
    }
    met.count_ones()
}

/// The members that reach child `slot` of the node before their best hits. `COMMON`: all rays of
/// the view start at one point.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) fn reaching<const COMMON: bool>(
    node: &Node,
    slot: usize,
    view: &View,
    hits: &Hits,
) -> u64 {
    let plane = |axis: usize, far: usize| {
        let plane = node.planes[axis][(view.octant >> axis & 1) ^ far][slot & 7];
        _mm512_set1_ps(if COMMON { plane - view.seen_from[far][axis] } else { plane })
    };
    let near = [plane(0, 0), plane(1, 0), plane(2, 0)];
    let far = [plane(0, 1), plane(1, 1), plane(2, 1)];
    let mut reaching = 0;
    for vector in 0..VECTORS {
        let at = |plane: __m512, axis: usize, offsets: &[Lanes; 3]| {
            let inverse = view.inverse[axis].0[vector];
            if COMMON {
                _mm512_mul_ps(plane, inverse)
            } else {
                _mm512_fmsub_ps(plane, inverse, offsets[axis].0[vector])
            }
        };
        let enter = _mm512_max_ps(
            _mm512_max_ps(at(near[0], 0, &view.near_offset), at(near[1], 1, &view.near_offset)),
            _mm512_max_ps(at(near[2], 2, &view.near_offset), hits.tmin.0[vector]),
        );
        let exit = _mm512_min_ps(
            _mm512_min_ps(at(far[0], 0, &view.far_offset), at(far[1], 1, &view.far_offset)),
            _mm512_min_ps(at(far[2], 2, &view.far_offset), hits.best.0[vector]),
        );
        let exit = _mm512_fmadd_ps(exit, _mm512_set1_ps(WIDEN), _mm512_set1_ps(TINY));
        let mask = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(enter, exit);
        reaching |= u64::from(mask) << (16 * vector);
    }
    reaching & view.members
}
