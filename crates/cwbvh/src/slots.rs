//! Which child stands in which slot.
//!
//! A walk visits the slots of a node in the order of `slot XOR octant`, so a child should stand in
//! the slot of the octant that it lies in. As the paper has it, child `c` in slot `s` costs the
//! projection of its centre, seen from the centre of the node, on the diagonal of the slot; bit 2
//! of a slot stands for x, bit 1 for y, bit 0 for z, and a set bit for the upper side. The paper
//! approaches the cheapest assignment by an auction. Eight slots have only 256 subsets, so here it
//! is found exactly, by dynamic programming over the slots taken so far.
//!
//! Costs are computed from the cells as stored, and ties are settled by them, so that a decoded
//! node gets its slots back whatever the order of its children.

use crate::node::SLOTS;
use geometry::GridAxis;

/// Corners of a child in cells.
pub type Cells = ([u8; 3], [u8; 3]);

/// The slot of each of at most eight children.
#[must_use]
pub fn assign(axes: &[GridAxis; 3], children: &[Cells]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..children.len()).collect();
    order.sort_by_key(|&child| (children[child], child));
    let sorted: Vec<Cells> = order.iter().map(|&child| children[child]).collect();
    let mut slots = cheapest(&costs(axes, &sorted));
    // Children with the same box take their slots in the order in which they come.
    let mut start = 0;
    for equal in sorted.chunk_by(|a, b| a == b) {
        slots[start..start + equal.len()].sort_unstable();
        start += equal.len();
    }
    let mut assigned = vec![0; children.len()];
    for (child, slot) in order.into_iter().zip(slots) {
        assigned[child] = slot;
    }
    assigned
}

/// What each child costs in each slot.
fn costs(axes: &[GridAxis; 3], children: &[Cells]) -> Vec<[f64; SLOTS]> {
    let coarsest = axes.iter().map(|axis| axis.exponent).max().unwrap_or(0);
    let width = axes.map(|axis| f64::from(axis.exponent - coarsest).exp2());
    // The node begins at cell 0; all coordinates are doubled, so that centres are whole numbers.
    let top: [u8; 3] =
        std::array::from_fn(|k| children.iter().map(|(_, high)| high[k]).max().unwrap_or(0));
    let cost = |(low, high): &Cells, slot: usize| {
        let along = |k: usize| {
            let offset = i32::from(low[k]) + i32::from(high[k]) - i32::from(top[k]);
            let side = if slot >> (2 - k) & 1 == 1 { -1.0 } else { 1.0 };
            side * f64::from(offset) * width[k]
        };
        along(0) + along(1) + along(2)
    };
    children.iter().map(|child| std::array::from_fn(|slot| cost(child, slot))).collect()
}

/// The assignment with the smallest sum.
fn cheapest(costs: &[[f64; SLOTS]]) -> Vec<usize> {
    const SUBSETS: usize = 1 << SLOTS;
    // For each set of slots: the least cost of giving them to the first children, and the slot that
    // the last of these takes.
    let mut best = [(f64::INFINITY, 0); SUBSETS];
    best[0].0 = 0.0;
    for taken in 0..SUBSETS {
        let Some(row) = costs.get(taken.count_ones() as usize) else { continue };
        for slot in (0..SLOTS).filter(|slot| taken >> slot & 1 == 0) {
            let cost = best[taken].0 + row[slot];
            let next = &mut best[taken | 1 << slot];
            if cost < next.0 {
                *next = (cost, slot);
            }
        }
    }
    let full = (0..SUBSETS).filter(|set| set.count_ones() as usize == costs.len());
    let mut taken = full.min_by(|&a, &b| best[a].0.total_cmp(&best[b].0)).unwrap_or(0);
    let mut slots = vec![0; costs.len()];
    for child in (0..costs.len()).rev() {
        slots[child] = best[taken].1;
        taken &= !(1 << slots[child]);
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AXES: [GridAxis; 3] = [
        GridAxis { origin: 1.0, exponent: -7 },
        GridAxis { origin: -4.0, exponent: -9 },
        GridAxis { origin: 0.25, exponent: -6 },
    ];

    /// Eight boxes in eight octants: each stands in its own.
    #[test]
    fn octants_are_slots() {
        let corner = |octant: usize| [2, 1, 0].map(|bit| (octant >> bit & 1) as u8 * 150);
        let shuffled = [3, 7, 0, 5, 1, 6, 2, 4];
        let children = shuffled.map(|octant| (corner(octant), corner(octant).map(|c| c + 90)));
        assert_eq!(assign(&AXES, &children), shuffled);
    }

    fn least(costs: &[[f64; SLOTS]], taken: usize) -> f64 {
        let Some((first, rest)) = costs.split_first() else { return 0.0 };
        let free = (0..SLOTS).filter(|slot| taken >> slot & 1 == 0);
        free.map(|slot| first[slot] + least(rest, taken | 1 << slot)).fold(f64::MAX, f64::min)
    }

    proptest! {
        /// The sum is the least of all assignments, and any order of the children gives the same.
        #[test]
        fn the_cheapest_whatever_the_order(
            boxes in prop::collection::vec((any::<[u8; 3]>(), any::<[u8; 3]>()), 1..6),
            turn in 0usize..6,
        ) {
            let slots = assign(&AXES, &boxes);
            let costs = costs(&AXES, &boxes);
            let sum: f64 = costs.iter().zip(&slots).map(|(row, &slot)| row[slot]).sum();
            prop_assert!((sum - least(&costs, 0)).abs() < 1e-6);
            let mut turned = boxes.clone();
            turned.rotate_left(turn % boxes.len());
            let mut expected: Vec<(Cells, usize)> = boxes.into_iter().zip(slots).collect();
            let again = assign(&AXES, &turned);
            let mut found: Vec<(Cells, usize)> = turned.into_iter().zip(again).collect();
            expected.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
