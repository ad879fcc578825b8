//! Nodes: up to eight boxes as structure of arrays, 256 bytes, four lines.
//!
//! | bytes | field |
//! |---|---|
//! | 64 k .. 64 k + 32 | minima of the eight boxes on axis `k` |
//! | 64 k + 32 .. 64 k + 64 | maxima |
//! | 192 .. 224 | pointers of the children |
//! | 224 .. 256 | for each octant of directions, the order of the children, far to near |
//!
//! An order is eight numbers of 3 bits, the nearest child in the lowest. Bit `k` of an octant is
//! set where the direction on axis `k` is negative. The planes of a slot without a child are NaN,
//! and no ray meets it.

use super::pointer::Pointer;
use geometry::{Aabb, Vec3};

/// A node.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Node {
    /// For each axis: minima, then maxima.
    pub(crate) planes: [[[f32; 8]; 2]; 3],
    /// The children.
    pub(crate) children: [Pointer; 8],
    /// For each octant, the order of the children.
    pub(crate) orders: [u32; 8],
}

impl Node {
    /// A node without children.
    pub(crate) const EMPTY: Self =
        Self { planes: [[[f32::NAN; 8]; 2]; 3], children: [Pointer::DONE; 8], orders: [0; 8] };

    /// Puts boxes into the first slots; the pointers are left to be filled in.
    pub(crate) fn of_boxes(boxes: &[Aabb]) -> Self {
        let mut node = Self::EMPTY;
        for (slot, bounds) in boxes.iter().enumerate().take(8) {
            for (axis, [minima, maxima]) in node.planes.iter_mut().enumerate() {
                minima[slot] = bounds.min[axis];
                maxima[slot] = bounds.max[axis];
            }
        }
        node.orders = std::array::from_fn(|octant| order(boxes, octant));
        node
    }

    /// The node as words, in the order of its bytes.
    pub(crate) fn words(&self) -> [u32; 64] {
        let mut words = [0; 64];
        let planes = self.planes.iter().flatten().flatten().map(|plane| plane.to_bits());
        let pointers = self.children.iter().map(|child| child.0);
        for (word, value) in words.iter_mut().zip(planes.chain(pointers).chain(self.orders)) {
            *word = value;
        }
        words
    }

    /// The box of a slot.
    pub(crate) fn bounds(&self, slot: usize) -> Aabb {
        let corner =
            |side: usize| Vec3::from_array(std::array::from_fn(|k| self.planes[k][side][slot]));
        Aabb::new(corner(0), corner(1))
    }

    /// The slots that have a child.
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        (0..8).filter(|&slot| self.children[slot] != Pointer::DONE)
    }
}

/// The order of boxes for rays of an octant, near to far: by their centres along the octant's
/// diagonal. Slots without a child come last.
fn order(boxes: &[Aabb], octant: usize) -> u32 {
    let sign = |axis: usize| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 };
    let diagonal = Vec3::new(sign(0), sign(1), sign(2));
    let depth = |slot: &usize| {
        boxes.get(*slot).map_or(f32::INFINITY, |bounds| bounds.center().dot(diagonal))
    };
    let mut slots: [usize; 8] = std::array::from_fn(|slot| slot);
    slots.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    slots.iter().rev().fold(0, |word, &slot| word << 3 | slot as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_has_four_lines() {
        assert_eq!((size_of::<Node>(), align_of::<Node>()), (256, 64));
    }

    #[test]
    fn the_nearest_child_comes_first() {
        let at = |x: f32, y: f32| Aabb::new(Vec3::new(x, y, 0.0), Vec3::new(x + 1.0, y + 2.0, 0.5));
        let node = Node::of_boxes(&[at(5.0, 0.0), at(0.0, 1.0), at(2.0, 1.0)]);
        let places = |octant: usize| -> Vec<u32> {
            (0..8).map(|place| node.orders[octant] >> (3 * place) & 7).collect()
        };
        assert_eq!(places(0)[..3], [1, 2, 0]);
        assert_eq!(places(1)[..3], [0, 2, 1]);
        assert_eq!(node.bounds(2), at(2.0, 1.0));
    }
}
