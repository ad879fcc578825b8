//! Four boxes of a node, and what a ray makes of them.

use super::NOTHING;
use super::culling::is_culled_by_flags;
use super::slab::{Side, SlabInterval, UnitSlabRay};
use super::sort::SortEntry;
use crate::layout::{
    Bvh4Pointer, CullFlags, Fp16BoxNode, Fp32BoxNode, PointerFlags, SortHeuristic,
};
use geometry::Aabb;

/// Four children in one form, whatever format they were stored in.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FourBoxes {
    /// Child pointers.
    pub children: [Bvh4Pointer; 4],
    /// Decoded boxes.
    pub boxes: [Aabb; 4],
    /// What the subtrees hold.
    pub cull_flags: [CullFlags; 4],
}

impl From<&Fp32BoxNode> for FourBoxes {
    fn from(node: &Fp32BoxNode) -> Self {
        Self {
            children: node.children,
            boxes: node.boxes,
            cull_flags: core::array::from_fn(|slot| node.cull_flags(slot)),
        }
    }
}

impl From<&Fp16BoxNode> for FourBoxes {
    fn from(node: &Fp16BoxNode) -> Self {
        let boxes = core::array::from_fn(|slot| node.child_box(slot));
        Self { children: node.children, boxes, cull_flags: [CullFlags::empty(); 4] }
    }
}

impl FourBoxes {
    /// Tests the four boxes; unsorted.
    #[must_use]
    #[inline]
    pub fn test(
        &self,
        slab: &UnitSlabRay,
        heuristic: SortHeuristic,
        flags: Option<PointerFlags>,
    ) -> [SortEntry; 4] {
        let plane = |side: Side, axis: usize, slot: usize| match side {
            Side::Lower => self.boxes[slot].min[axis],
            Side::Upper => self.boxes[slot].max[axis],
        };
        let children = self.children.map(|child| child.0);
        entries(&slab.test_all(plane), children, heuristic, culled(self.cull_flags, flags))
    }
}

/// Which children flags rule out.
#[inline]
pub(super) fn culled(children: [CullFlags; 4], flags: Option<PointerFlags>) -> [bool; 4] {
    match flags.filter(|flags| flags.intersects(PointerFlags::CULLING)) {
        Some(flags) => children.map(|child| is_culled_by_flags(child, flags)),
        None => [false; 4],
    }
}

/// What is left of the children.
#[inline]
pub(super) fn entries(
    intervals: &[SlabInterval; 4],
    children: [u32; 4],
    heuristic: SortHeuristic,
    culled: [bool; 4],
) -> [SortEntry; 4] {
    core::array::from_fn(|slot| {
        let (pointer, interval) = (children[slot], &intervals[slot]);
        let distance = interval.distance(heuristic);
        // Without a short cut: what is read anyway costs less than a branch that is guessed wrong.
        let is_gone = (pointer == NOTHING) | !interval.hit | culled[slot];
        if is_gone { SortEntry::NONE } else { SortEntry { pointer, distance } }
    })
}
