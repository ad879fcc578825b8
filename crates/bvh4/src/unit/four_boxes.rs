//! Four boxes of a node, and what a ray makes of them.

use super::NOTHING;
use super::culling::is_culled_by_flags;
use super::slab::UnitSlabRay;
use super::sort::SortEntry;
use crate::layout::{
    Bvh4Pointer, CullFlags, Fp16BoxNode, Fp32BoxNode, PointerFlags, SortHeuristic,
};
use geometry::{Aabb, Vec3};

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
            cull_flags: std::array::from_fn(|slot| node.cull_flags(slot)),
        }
    }
}

impl From<&Fp16BoxNode> for FourBoxes {
    fn from(node: &Fp16BoxNode) -> Self {
        let boxes = std::array::from_fn(|slot| node.child_box(slot));
        Self { children: node.children, boxes, cull_flags: [CullFlags::empty(); 4] }
    }
}

impl FourBoxes {
    /// The boxes of an fp32 node, as [`Fp32BoxNode`] has them, without decoding the rest.
    #[must_use]
    #[inline]
    pub fn of_fp32(words: &[u32; 32]) -> Self {
        let corner = |at: usize| {
            Vec3::new(
                f32::from_bits(words[at]),
                f32::from_bits(words[at + 1]),
                f32::from_bits(words[at + 2]),
            )
        };
        let flags = words[28].to_le_bytes();
        Self {
            children: std::array::from_fn(|slot| Bvh4Pointer(words[slot])),
            boxes: std::array::from_fn(|slot| {
                Aabb::new(corner(4 + 6 * slot), corner(7 + 6 * slot))
            }),
            cull_flags: flags.map(CullFlags::from_bits_truncate),
        }
    }

    /// Tests the four boxes; unsorted.
    #[must_use]
    #[inline]
    pub fn test(
        &self,
        slab: &UnitSlabRay,
        heuristic: SortHeuristic,
        flags: Option<PointerFlags>,
    ) -> [SortEntry; 4] {
        let planes = |axis: usize, slot: usize| {
            let Aabb { min, max } = self.boxes[slot];
            [min[axis], max[axis]]
        };
        let intervals: [_; 4] = slab.test_all(planes);
        std::array::from_fn(|slot| {
            let (pointer, interval) = (self.children[slot].0, &intervals[slot]);
            let culled =
                || flags.is_some_and(|flags| is_culled_by_flags(self.cull_flags[slot], flags));
            if pointer == NOTHING || !interval.hit || culled() {
                SortEntry::NONE
            } else {
                SortEntry { pointer, distance: interval.distance(heuristic) }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::bits::NodeBits;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn words_are_read_as_the_table_of_fields_has_them(words: [u32; 32]) {
            let node = Fp32BoxNode::decode(&NodeBits::from_words(words));
            let [fast, plain] = [FourBoxes::of_fp32(&words), FourBoxes::from(&node)];
            // Texts, since NaN planes are not equal.
            prop_assert_eq!(format!("{fast:?}"), format!("{plain:?}"));
        }
    }
}
