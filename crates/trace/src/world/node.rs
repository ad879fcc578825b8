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
use std::cmp::Ordering;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// A node.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
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
            node.set_bounds(slot, bounds);
        }
        node.orders = orders(boxes);
        node
    }

    /// Puts a box into a slot.
    pub(crate) fn set_bounds(&mut self, slot: usize, bounds: &Aabb) {
        for (axis, [minima, maxima]) in self.planes.iter_mut().enumerate() {
            minima[slot] = bounds.min[axis];
            maxima[slot] = bounds.max[axis];
        }
    }

    /// Forms the orders anew, after boxes have changed. Where children are not in the first slots,
    /// the old ones will do: any order is right.
    pub(crate) fn set_orders(&mut self) {
        let count = self.slots().count();
        if self.slots().all(|slot| slot < count) {
            let boxes: [Aabb; 8] = std::array::from_fn(|slot| self.bounds(slot));
            self.orders = orders(&boxes[..count]);
        }
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

/// The orders of boxes for rays of each octant, near to far: by their centres along the octant's
/// diagonal, and slots without a child last. An octant's opposite has the opposite order.
fn orders(boxes: &[Aabb]) -> [u32; 8] {
    let count = boxes.len().min(8);
    let mut centers = [[0.0; 8]; 3];
    for (slot, bounds) in boxes.iter().take(count).enumerate() {
        let center = bounds.center();
        for (axis, row) in centers.iter_mut().enumerate() {
            row[slot] = center[axis];
        }
    }
    let [x, y, z] = centers;
    let empty = (count..8).fold(0, |word, slot| word | (slot as u32) << (3 * slot));
    let mut orders = [empty; 8];
    for octant in 0..4 {
        let [sx, sy] = [0, 1].map(|axis| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 });
        let depths: [f32; 8] = std::array::from_fn(|slot| sx * x[slot] + sy * y[slot] + z[slot]);
        for slot in 0..count {
            let before = |other: &usize| match depths[*other].total_cmp(&depths[slot]) {
                Ordering::Less => true,
                Ordering::Equal => *other < slot,
                Ordering::Greater => false,
            };
            let place = (0..count).filter(before).count();
            orders[octant] |= (slot as u32) << (3 * place);
            orders[7 - octant] |= (slot as u32) << (3 * (count - 1 - place));
        }
    }
    orders
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
