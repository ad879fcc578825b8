//! Steps of one ray over the CPU's copy.

use super::{Avx512, stack, triangles};
use crate::vector::active_ray::ActiveRay;
use crate::vector::boxes::Intervals;
use crate::vector::moller_trumbore;
use crate::vector::prepared::Prepared;
use crate::vector::rule::Rule;
use crate::vector::source::{Candidates, Steps, VectorSource};
use crate::vector::triangles::{Accepted, accepted_by};
use crate::world::{Node, Pointer};
use geometry::{Triangle, TriangleRule};
use tree::PrimitiveId;

impl<R: Rule> Steps for Prepared<'_, R, Avx512> {
    type Leaf = Pointer;

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn node_alone(&self, node: Pointer, slot: &mut ActiveRay, size: usize) -> Pointer {
        // SAFETY: POINTER-PROVED, STACK-ROOM, STACK-BOTTOM.
        unsafe {
            let node = &*self.proved_place(node, slot).cast::<Node>();
            let intervals = Intervals::new(node, &slot.box_ray);
            let met = intervals.met();
            if met.is_power_of_two() {
                node.children[met.trailing_zeros() as usize]
            } else if met == 0 {
                slot.top = slot.top.sub(1);
                *slot.top
            } else {
                let found = intervals.children(node, &slot.box_ray);
                slot.top = stack::push_met::<true>(slot.top, size, &found).sub(1);
                found.nearest(node)
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
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

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
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

    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,popcnt,lzcnt,bmi2")]
    #[inline]
    unsafe fn drop_beyond(
        bottom: *mut Pointer,
        top: *mut Pointer,
        size: usize,
        t: f32,
    ) -> *mut Pointer {
        // SAFETY: STACK-ROOM, LANES-INITIALIZED.
        unsafe { stack::drop_beyond(bottom, top, size, t) }
    }
}
