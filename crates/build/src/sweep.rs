//! The exact surface-area heuristic for a handful of references: sort their centres on each axis and
//! try every place between two neighbours (Wald, Boulos, Shirley 2007).

use crate::tagged_box::{Bounds, TaggedBox};

/// Most references that [`split`] takes.
pub(crate) const LARGEST: usize = 8;

/// Reorders two to [`LARGEST`] references into the two cheapest parts; returns the size of the first
/// part and the boxes of both. None when costs say nothing: all areas are zero, or they overflow.
pub(crate) fn split(references: &mut [TaggedBox]) -> Option<(usize, Bounds, Bounds)> {
    let count = references.len();
    if let [left, right] = references {
        return Some((1, left.bounds(), right.bounds()));
    }
    let mut scratch = [references[0]; LARGEST];
    let mut best_order = scratch;
    let sorted = &mut scratch[..count];
    sorted.copy_from_slice(references);
    let mut best = None;
    let mut best_cost = f32::INFINITY;
    for axis in 0..3 {
        sort_by_center(sorted, axis);
        let (middle, cost) = cheapest_gap(sorted);
        if cost < best_cost {
            best_cost = cost;
            best = Some(middle);
            best_order[..count].copy_from_slice(sorted);
        }
    }
    let middle = best.filter(|_| best_cost > 0.0)?;
    references.copy_from_slice(&best_order[..count]);
    let (left, right) = references.split_at(middle);
    Some((middle, around(left), around(right)))
}

/// Insertion sort by the sum of the planes; equal sums stay in order.
fn sort_by_center(references: &mut [TaggedBox], axis: usize) {
    let mut keys = [0.0f32; LARGEST];
    for position in 0..references.len() {
        let reference = references[position];
        let key = reference.bounds().center()[axis];
        let mut hole = position;
        while hole > 0 && keys[hole - 1] > key {
            keys[hole] = keys[hole - 1];
            references[hole] = references[hole - 1];
            hole -= 1;
        }
        keys[hole] = key;
        references[hole] = reference;
    }
}

/// How many references to take on the left, and the cost of that.
fn cheapest_gap(sorted: &[TaggedBox]) -> (usize, f32) {
    let count = sorted.len();
    let mut right_costs = [0.0f32; LARGEST];
    let mut right = Bounds::EMPTY;
    for position in (1..count).rev() {
        right = right.union(sorted[position].bounds());
        right_costs[position] = right.half_area() * (count - position) as f32;
    }
    let mut left = Bounds::EMPTY;
    let mut best = (0, f32::INFINITY);
    for position in 1..count {
        left = left.union(sorted[position - 1].bounds());
        let cost = left.half_area() * position as f32 + right_costs[position];
        if cost < best.1 {
            best = (position, cost);
        }
    }
    best
}

fn around(references: &[TaggedBox]) -> Bounds {
    references.iter().fold(Bounds::EMPTY, |all, reference| all.union(reference.bounds()))
}
