//! One ray against the eight boxes of a node, and the children that it meets onto its stack.
//!
//! Vectors of eight: those of sixteen would halve the instructions, but each of them takes two turns of the
//! units that were measured, and needs permutations.

use super::slot::Slot;
use crate::world::{Node, Pointer};
use std::arch::x86_64::*;
use std::hint::select_unpredictable;
use std::mem::offset_of;

/// `1 + 16 eps`: how far the exit of a box is widened. The reference test needs `1 + 4 eps`; the rest covers
/// the roundings of this one, and `t` of triangles that are clamped or split (see `docs/trace.md`).
pub(super) const WIDEN: f32 = 1.0 + 16.0 * f32::EPSILON;

/// `2^-118`, for products near the bottom of the exponent range.
pub(super) const TINY: f32 = f32::from_bits(0x0480_0000);

/// Where the near and the far planes of a node lie for rays of an octant: bytes, for each axis.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    near: [usize; 3],
    far: [usize; 3],
    /// Where the order of the children lies.
    order: usize,
}

impl Sides {
    /// The sides of an octant.
    #[inline(always)]
    pub(super) fn of(octant: u32) -> Self {
        let side = |axis: usize, flip: u32| {
            offset_of!(Node, planes) + 64 * axis + 32 * ((octant ^ flip) as usize >> axis & 1)
        };
        Self {
            near: std::array::from_fn(|axis| side(axis, 0)),
            far: std::array::from_fn(|axis| side(axis, 7)),
            order: offset_of!(Node, orders) + 4 * (octant as usize & 7),
        }
    }
}

/// Tests the children of `node`, pushes those that the ray meets, the nearest last, and pops the top of the
/// stack.
///
/// # Safety
/// The slot's stack must have an entry, and room for eight more.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn step(node: &Node, slot: &mut Slot, sides: &Sides) -> Pointer {
    let bytes: *const u8 = std::ptr::from_ref(node).cast();
    // SAFETY: sides are places of planes and orders in a node.
    let (at_near, at_far, order) = unsafe {
        let at = |side: usize, axis: usize, offset: f32| {
            let planes = _mm256_load_ps(bytes.add(side).cast());
            let inverse = _mm256_set1_ps(slot.inverse[axis]);
            _mm256_fmsub_ps(planes, inverse, _mm256_set1_ps(offset))
        };
        (
            [0, 1, 2].map(|axis| at(sides.near[axis], axis, slot.near_offset[axis])),
            [0, 1, 2].map(|axis| at(sides.far[axis], axis, slot.far_offset[axis])),
            *bytes.add(sides.order).cast::<u32>(),
        )
    };
    let enter = _mm256_max_ps(
        _mm256_max_ps(at_near[0], at_near[1]),
        _mm256_max_ps(at_near[2], _mm256_set1_ps(slot.nearest)),
    );
    let exit = _mm256_min_ps(
        _mm256_min_ps(at_far[0], at_far[1]),
        _mm256_min_ps(at_far[2], _mm256_set1_ps(slot.farthest)),
    );
    let exit = _mm256_fmadd_ps(exit, _mm256_set1_ps(WIDEN), _mm256_set1_ps(TINY));
    // Only the lowest three bits of an index count.
    let shifts = _mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21);
    let places = _mm256_srlv_epi32(_mm256_set1_epi32(order as i32), shifts);
    let enter = _mm256_permutexvar_ps(places, enter);
    let exit = _mm256_permutexvar_ps(places, exit);
    let met = _mm256_cmp_ps_mask::<_CMP_LE_OQ>(enter, exit);
    let height = slot.height as usize;
    // SAFETY: the caller promises an entry, and room for eight more; a node has eight children.
    unsafe {
        let children = _mm256_load_si256(node.children.as_ptr().cast());
        let children = _mm256_permutexvar_epi32(places, children);
        let top = *slot.pointers.add(height - 1);
        _mm256_storeu_ps(slot.depths.add(height), _mm256_maskz_compress_ps(met, enter));
        let children = _mm256_maskz_compress_epi32(met, children);
        _mm256_storeu_si256(slot.pointers.add(height).cast(), children);
        slot.height = slot.height + met.count_ones() - 1;
        // The nearest child, found without waiting for the store.
        let last = 31u32.wrapping_sub(u32::from(met).leading_zeros());
        let slot_of_nearest = (order >> (last.wrapping_mul(3) & 31) & 7) as usize;
        // Volatile, so that no branch is made of the choice: it could not be predicted.
        let nearest = node.children.as_ptr().add(slot_of_nearest).read_volatile();
        Pointer(select_unpredictable(met == 0, top.0, nearest.0))
    }
}

/// Drops the entries of a slot's stack that begin beyond `t`.
///
/// # Safety
/// The slot's stack must have room for sixteen more entries.
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
#[inline]
pub(super) unsafe fn drop_beyond(slot: &mut Slot, t: f32) {
    let limit = _mm512_set1_ps(t * WIDEN + TINY);
    let (mut read, mut kept) = (0, 0);
    while read < slot.height {
        let left = (slot.height - read).min(16);
        // SAFETY: entries up to the height are there, and the caller promises sixteen more. What is
        // written lies no higher than what has been read.
        unsafe {
            let depths = _mm512_loadu_ps(slot.depths.add(read as usize));
            let pointers = _mm512_loadu_si512(slot.pointers.add(read as usize).cast());
            let present = ((1u32 << left) - 1) as u16;
            let near = _mm512_mask_cmp_ps_mask::<_CMP_LE_OQ>(present, depths, limit);
            let depths = _mm512_maskz_compress_ps(near, depths);
            let pointers = _mm512_maskz_compress_epi32(near, pointers);
            _mm512_storeu_ps(slot.depths.add(kept as usize), depths);
            _mm512_storeu_si512(slot.pointers.add(kept as usize).cast(), pointers);
            kept += near.count_ones();
        }
        read += left;
    }
    slot.height = kept;
}
