//! The steps of rays over the CPU's copy.

use super::boxes::{self, Children};
use super::{Avx2, packing, triangles};
use crate::vector::active_ray::ActiveRay;
use crate::vector::boxes::{Intervals, TINY, WIDEN};
use crate::vector::moller_trumbore;
use crate::vector::prepared::Prepared;
use crate::vector::rule::Rule;
use crate::vector::source::{Candidates, Steps, VectorSource};
use crate::vector::triangles::{Accepted, accepted_by};
use crate::world::{Node, Pointer};
use geometry::{Triangle, TriangleRule};
use std::arch::x86_64::*;
use tree::PrimitiveId;

impl<R: Rule> Prepared<'_, R, Avx2> {
    /// The children of a node that a ray meets, in the order of its octant or of their slots.
    ///
    /// # Safety
    /// As [`Steps`].
    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    pub(super) unsafe fn children(
        &self,
        node: Pointer,
        slot: &ActiveRay,
        is_ordered: bool,
    ) -> Children<'_> {
        // SAFETY: POINTER-PROVED.
        let node = unsafe { &*self.proved_place(node, slot).cast::<Node>() };
        let intervals = Intervals::new(node, &slot.box_ray);
        match is_ordered {
            true => Children::new(node, &intervals, slot.box_ray.octant),
            false => Children::unordered(node, &intervals),
        }
    }
}

impl<R: Rule> Steps for Prepared<'_, R, Avx2> {
    type Leaf = Pointer;

    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn node_alone(&self, node: Pointer, slot: &mut ActiveRay, size: usize) -> Pointer {
        // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM.
        unsafe {
            let node = &*self.proved_place(node, slot).cast::<Node>();
            let intervals = Intervals::new(node, &slot.box_ray);
            let met = boxes::met(&intervals);
            if met.is_power_of_two() {
                return node.children[met.trailing_zeros() as usize];
            }
            if met == 0 {
                slot.top = slot.top.sub(1);
                return *slot.top;
            }
            let found = Children::new(node, &intervals, slot.box_ray.octant);
            slot.top = found.push::<true>(slot.top, size).sub(1);
            found.nearest()
        }
    }

    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn candidates(&self, leaf: Pointer, slot: &ActiveRay) -> Candidates {
        let tested = leaf.triangles();
        // SAFETY: POINTER-PROVED, LEAF-ROOM.
        let mask = unsafe {
            match R::RULE {
                TriangleRule::Watertight => {
                    triangles::candidates(self.proved_place(leaf, slot), tested, slot)
                }
                TriangleRule::MollerTrumbore => {
                    moller_trumbore::candidates(self.proved_place(leaf, slot), tested, slot)
                }
            }
        };
        Candidates { mask: mask.into(), tested, rest: Pointer::DONE }
    }

    #[inline(always)]
    unsafe fn leaf(&self, leaf: Pointer, _: &ActiveRay) -> Pointer {
        leaf
    }

    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn accepted(&self, leaf: &Pointer, lane: usize, slot: &ActiveRay) -> Option<Accepted> {
        // SAFETY: POINTER-PROVED, LANE-PRESENT.
        unsafe { accepted_by::<R>(self.proved_place(*leaf, slot), leaf.triangles(), lane, slot) }
    }

    fn triangle(&self, leaf: &Pointer, lane: usize) -> Triangle {
        self.world.arena.triangle(*leaf, lane).0
    }

    #[inline(always)]
    fn id(&self, leaf: &Pointer, lane: usize, slot: &ActiveRay) -> PrimitiveId {
        self.world.primitive_ids[slot.blas as usize].id(self.world.arena.name(*leaf, lane))
    }

    #[inline(always)]
    fn rest(&self, _: &Pointer) -> Pointer {
        Pointer::DONE
    }

    #[target_feature(enable = "avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn drop_beyond(
        bottom: *mut Pointer,
        top: *mut Pointer,
        size: usize,
        t: f32,
    ) -> *mut Pointer {
        let limit = _mm256_set1_ps(t * WIDEN + TINY);
        let (mut read, mut kept) = (bottom, bottom);
        while read < top {
            // SAFETY: STACK-ROOM, LANES-INITIALIZED. What is written lies no higher than what has
            // been read.
            unsafe {
                let left = top.offset_from(read).min(8);
                let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
                let present = _mm256_cmpgt_epi32(_mm256_set1_epi32(left as i32), lanes);
                let depths = _mm256_maskload_ps(read.add(size).cast(), present);
                let pointers = _mm256_maskload_epi32(read.cast(), present);
                let is_near = _mm256_cmp_ps::<_CMP_LE_OQ>(depths, limit);
                let near = (_mm256_movemask_ps(is_near) & ((1 << left) - 1)) as u8;
                let lanes = packing::lanes(near);
                let depths = _mm256_permutevar8x32_ps(depths, lanes);
                let pointers = _mm256_permutevar8x32_epi32(pointers, lanes);
                _mm256_storeu_ps(kept.add(size).cast(), depths);
                _mm256_storeu_si256(kept.cast(), pointers);
                kept = kept.add(near.count_ones() as usize);
                read = read.add(8);
            }
        }
        kept
    }
}
