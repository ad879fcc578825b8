//! The exact surface-area heuristic for a handful of references: sort their centres on each axis
//! and try every place between two neighbours (Wald, Boulos, Shirley 2007).

use crate::tagged_box::{Bounds, TaggedBox};
use glam::Vec3A;

/// Most references that [`split`] takes.
pub(crate) const LARGEST: usize = 8;

/// Reorders two to [`LARGEST`] references into the two cheapest parts; returns the size of the
/// first part and the boxes of both. None when costs say nothing: all areas are zero, or they
/// overflow.
#[inline(never)]
pub(crate) fn split(references: &mut [TaggedBox]) -> Option<(usize, Bounds, Bounds)> {
    let count = references.len();
    if let [left, right] = references {
        return Some((1, left.bounds(), right.bounds()));
    }
    let mut boxes = [references[0]; LARGEST];
    boxes[..count].copy_from_slice(references);
    let mut centers = [Vec3A::INFINITY; LARGEST];
    for (center, reference) in centers.iter_mut().zip(&*references) {
        *center = reference.bounds().doubled_center();
    }
    let mut best = None;
    let mut best_cost = f32::INFINITY;
    for axis in 0..3 {
        let order = order_along(&centers, axis);
        let (middle, cost) = cheapest_gap(&boxes, &order[..count]);
        if cost < best_cost {
            best_cost = cost;
            best = Some((middle, order));
        }
    }
    let (middle, order) = best.filter(|_| best_cost > 0.0)?;
    for (reference, &from) in references.iter_mut().zip(&order) {
        *reference = boxes[from as usize % LARGEST];
    }
    let (left, right) = references.split_at(middle);
    Some((middle, around(left), around(right)))
}

/// Positions in the order of the centres along an axis. Each centre's rank is the number of smaller
/// ones: no branches, and the compiler compares several at a time. The three lowest bits of a key
/// are its position, which makes keys differ.
#[inline(always)]
fn order_along(centers: &[Vec3A; LARGEST], axis: usize) -> [u8; LARGEST] {
    let keys: [i32; LARGEST] =
        std::array::from_fn(|i| (sortable(centers[i][axis]) & !(LARGEST as i32 - 1)) | i as i32);
    let mut order = [0; LARGEST];
    for (position, &key) in keys.iter().enumerate() {
        let rank: i32 = keys.iter().map(|&other| i32::from(other < key)).sum();
        order[rank as usize % LARGEST] = position as u8;
    }
    order
}

/// An integer that orders like the float.
#[inline(always)]
fn sortable(x: f32) -> i32 {
    let bits = x.to_bits() as i32;
    bits ^ ((bits >> 31) & i32::MAX)
}

/// How many references to take on the left, and the cost of that.
#[inline(always)]
fn cheapest_gap(boxes: &[TaggedBox; LARGEST], order: &[u8]) -> (usize, f32) {
    let count = order.len();
    let nth = |position: usize| boxes[order[position] as usize % LARGEST].bounds();
    let mut right_costs = [0.0f32; LARGEST];
    let mut right = Bounds::EMPTY;
    for position in (1..count).rev() {
        right = right.union(nth(position));
        right_costs[position] = right.half_area() * (count - position) as f32;
    }
    let mut left = Bounds::EMPTY;
    let mut best = (0, f32::INFINITY);
    for (position, right_cost) in right_costs.iter().enumerate().take(count).skip(1) {
        left = left.union(nth(position - 1));
        let cost = left.half_area() * position as f32 + right_cost;
        if cost < best.1 {
            best = (position, cost);
        }
    }
    best
}

fn around(references: &[TaggedBox]) -> Bounds {
    references.iter().fold(Bounds::EMPTY, |all, reference| all.union(reference.bounds()))
}
