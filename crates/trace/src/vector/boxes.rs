//! One ray against the eight boxes of a node.
//!
//! Vectors of eight: those of sixteen would halve the instructions, but each of them takes two
//! turns of the units that were measured, and needs permutations.

use super::active_ray::BoxTestRay;
use super::{TINY, WIDEN};
use crate::simd::{Floats, Ints, Lanes, Simd, inlined, of_floats, of_words};
use crate::world::{Node, Pointer};

/// Where a ray enters and leaves the children of a node, in the order of their slots.
pub(crate) struct Intervals<V: Simd> {
    pub(crate) enter: V::F8,
    pub(crate) exit: V::F8,
}

/// Children of a node in the order of an octant, far to near, or of their slots.
pub(crate) struct Children<'a, V: Simd> {
    node: &'a Node,
    /// Bit `i`: the ray meets child `i`.
    pub(crate) met: u32,
    /// Where it enters them.
    pub(crate) enter: V::F8,
    /// Where they lead.
    pub(crate) pointers: V::I8,
    /// Which child is where, 3 bits each.
    order: u32,
}

impl<V: Simd> Intervals<V> {
    /// Of the children of `node`.
    #[inline(always)]
    pub(crate) fn new(node: &Node, box_ray: &BoxTestRay) -> Self {
        let words: *const f32 = std::ptr::from_ref(box_ray).cast();
        // SAFETY: VECTOR-SIZED: a ray is three vectors of four. Three loads instead of eleven.
        let (a, b, c) =
            unsafe { (V::twice(words), V::twice(words.add(4)), V::twice(words.add(8))) };
        let planes = inlined(
            #[inline(always)]
            |axis: usize, side: usize| of_floats::<V::F8, 8>(&node.planes[axis][side]),
        );
        let (inverse_x, inverse_y) = (V::spread::<0>(a), V::spread::<1>(a));
        let inverse_z = V::spread::<2>(a);
        let low_x = planes(0, 0).mul_add(inverse_x, V::spread::<0>(b));
        let low_y = planes(1, 0).mul_add(inverse_y, V::spread::<1>(b));
        let low_z = planes(2, 0).mul_add(inverse_z, V::spread::<2>(b));
        let high_x = planes(0, 1).mul_add(inverse_x, V::spread::<0>(c));
        let high_y = planes(1, 1).mul_add(inverse_y, V::spread::<1>(c));
        let high_z = planes(2, 1).mul_add(inverse_z, V::spread::<2>(c));
        Self::between(
            [V::spread::<3>(a), V::spread::<3>(b)],
            [low_x, low_y, low_z],
            [high_x, high_y, high_z],
        )
    }

    /// Within a range, of boxes whose planes are met there; minima and maxima may be swapped.
    #[inline(always)]
    pub(crate) fn between(
        [nearest, farthest]: [V::F8; 2],
        low: [V::F8; 3],
        high: [V::F8; 3],
    ) -> Self {
        let [near_x, near_y, near_z] =
            [low[0].min(high[0]), low[1].min(high[1]), low[2].min(high[2])];
        let [far_x, far_y, far_z] = [low[0].max(high[0]), low[1].max(high[1]), low[2].max(high[2])];
        // A minimum or maximum with a NaN is its second operand: a slot without a child is never
        // met.
        let enter = nearest.max(near_x).max(near_y.max(near_z));
        let exit = farthest.min(far_x).min(far_y.min(far_z));
        Self { enter, exit: exit.mul_add(V::F8::splat(WIDEN), V::F8::splat(TINY)) }
    }

    /// The children of `node` in the order of their slots, which is that of their areas: the last
    /// is the likeliest to stop a ray.
    #[inline(always)]
    pub(crate) fn unordered(self, node: &Node) -> Children<'_, V> {
        let met = self.enter.le(self.exit);
        let pointers = children_of::<V>(node);
        Children { node, met, enter: self.enter, pointers, order: 0o01234567 }
    }

    /// In the order of the ray's octant.
    #[inline(always)]
    pub(crate) fn ordered(self, node: &Node, octant: u32) -> Children<'_, V> {
        let order = node.orders[octant as usize & 7];
        let places = places::<V>(order);
        let (enter, exit) = (self.enter.permuted(places), self.exit.permuted(places));
        let pointers = children_of::<V>(node).permuted(places);
        Children { node, met: enter.le(exit), enter, pointers, order }
    }
}

/// The pointers of a node.
#[inline(always)]
pub(crate) fn children_of<V: Simd>(node: &Node) -> V::I8 {
    // SAFETY: VECTOR-SIZED.
    unsafe { V::I8::load(node.children.as_ptr().cast()) }
}

/// Which child is where in an order, a lane each; only the lowest three bits count.
#[inline(always)]
pub(crate) fn places<V: Simd>(order: u32) -> V::I8 {
    V::I8::splat(order).shr(of_words(&[21, 18, 15, 12, 9, 6, 3, 0]))
}

impl<V: Simd> Children<'_, V> {
    /// The nearest child that is met, or `other` if none is.
    #[inline(always)]
    pub(crate) fn nearest_or(&self, other: Pointer) -> Pointer {
        let zeros = self.met.leading_zeros(); // 24 if the nearest is met, 32 if none is
        let child = self.order >> ((3 * zeros + 24) & 31) & 7;
        Pointer(V::choose(self.met, self.node.children[child as usize].0, other.0))
    }
}
