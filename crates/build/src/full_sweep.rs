//! Top-down building by the exact heuristic: every place between two neighbours along every axis is
//! tried. Slower than bins, for trees that are worth it.
//!
//! By the usual heuristic a side costs its area times its references, as if it became one large
//! leaf. But it becomes a tree, and over a surface the cost of a good tree grows far more slowly,
//! about with the square root of the references. Among large boxes that overlap, the usual
//! heuristic is the better one. [`build`] makes both trees and keeps the one with the smaller
//! boxes.
//!
//! References are sorted once for each axis and stay sorted (Wald and Havran 2006, "On building
//! fast kd-trees for ray tracing, and on doing that in O(N log N)").

use crate::binary::{FIRST_CHILD, Node};
use crate::binned::PARALLEL;
use crate::object_split::DEEPEST_HEURISTIC;
use crate::scratch::Scratch;
use crate::tagged_box::{Bounds, TaggedBox};
use std::sync::atomic::{AtomicBool, Ordering};

/// Builds a tree over references, at least one, whose second tags are weights: how many references
/// of the user's each stands for.
pub(crate) fn build(references: &[TaggedBox]) -> Scratch<TaggedBox> {
    let ((x, y), z) = rayon::join(
        || rayon::join(|| sorted(references, 0), || sorted(references, 1)),
        || sorted(references, 2),
    );
    let orders = [x, y, z];
    let linear = || grown(references, orders.clone(), |weight| weight);
    let root = || grown(references, orders.clone(), f32::sqrt);
    let (linear, root) = rayon::join(linear, root);
    if inner_area(&root) < inner_area(&linear) { root } else { linear }
}

/// What all inner boxes come to.
fn inner_area(nodes: &[TaggedBox]) -> f64 {
    let inner = nodes.iter().filter(|node| node.count() > 1);
    inner.map(|node| f64::from(node.bounds().half_area())).sum()
}

/// The references by the middle of their boxes, equal ones by their numbers.
fn sorted(references: &[TaggedBox], axis: usize) -> Vec<u32> {
    // Both in one number, so that sorting looks at nothing else.
    let key = |(number, reference): (u32, &TaggedBox)| {
        let bits = reference.bounds().doubled_center()[axis].to_bits();
        let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
        u64::from(ordered) << 32 | u64::from(number)
    };
    let mut keys: Vec<u64> = (0..).zip(references).map(key).collect();
    keys.sort_unstable();
    keys.into_iter().map(|key| key as u32).collect()
}

/// The tree where the cost of a side is its area times the growth of its weight.
fn grown<G: Fn(f32) -> f32 + Sync>(
    references: &[TaggedBox],
    mut orders: [Vec<u32>; 3],
    growth: G,
) -> Scratch<TaggedBox> {
    let count = references.len();
    let mut nodes = Scratch::zeros(2 * count);
    let goes_left = (0..count).map(|_| AtomicBool::new(false)).collect();
    let sweep = Sweep { references, growth, goes_left };
    let mut room = (vec![0; count], vec![0.0; count]);
    let range = Range {
        orders: orders.each_mut().map(|order| &mut order[..]),
        aside: &mut room.0,
        right_costs: &mut room.1,
        depth: 0,
    };
    let (root, below) = nodes.split_at_mut(FIRST_CHILD);
    sweep.grow(range, &mut root[0], below, FIRST_CHILD);
    nodes
}

struct Sweep<'a, G> {
    references: &'a [TaggedBox],
    growth: G,
    /// Where each reference goes. Atomic because ranges are split side by side.
    goes_left: Vec<AtomicBool>,
}

/// Some references, in the order of each axis, and room to work in.
struct Range<'a> {
    orders: [&'a mut [u32]; 3],
    aside: &'a mut [u32],
    right_costs: &'a mut [f32],
    depth: usize,
}

impl Range<'_> {
    fn split_at(self, middle: usize) -> [Self; 2] {
        let depth = self.depth + 1;
        let (aside, right_aside) = self.aside.split_at_mut(middle);
        let (right_costs, right_right_costs) = self.right_costs.split_at_mut(middle);
        let [(x, right_x), (y, right_y), (z, right_z)] =
            self.orders.map(|order| order.split_at_mut(middle));
        [
            Self { orders: [x, y, z], aside, right_costs, depth },
            Self {
                orders: [right_x, right_y, right_z],
                aside: right_aside,
                right_costs: right_right_costs,
                depth,
            },
        ]
    }
}

impl<G: Fn(f32) -> f32 + Sync> Sweep<'_, G> {
    /// Builds the subtree over a range: its root into `node`, its descendants into `below`, whose
    /// first element has the number `base`.
    fn grow(
        &self,
        mut range: Range<'_>,
        node: &mut TaggedBox,
        below: &mut [TaggedBox],
        base: usize,
    ) {
        let own = &*range.orders[0];
        let count = own.len();
        if let [reference] = *own {
            let reference = &self.references[reference as usize];
            *node = TaggedBox::leaf(reference.bounds(), reference.tag_a());
            return;
        }
        let bounds = own.iter().fold(Bounds::EMPTY, |all, &k| all.union(self.bounds(k)));
        *node = TaggedBox::inner(bounds, base, count);
        let middle = self.split(&mut range);
        let [left, right] = range.split_at(middle);
        let (children, below) = below.split_at_mut(2);
        let (left_node, right_node) = children.split_at_mut(1);
        let (left_below, right_below) = below.split_at_mut(2 * middle - 2);
        let grow_left = || self.grow(left, &mut left_node[0], left_below, base + 2);
        let grow_right = || self.grow(right, &mut right_node[0], right_below, base + 2 * middle);
        if count > PARALLEL {
            rayon::join(grow_left, grow_right);
        } else {
            grow_left();
            grow_right();
        }
    }

    fn bounds(&self, reference: u32) -> Bounds {
        self.references[reference as usize].bounds()
    }

    /// Divides all orders of a range; returns where.
    fn split(&self, range: &mut Range<'_>) -> usize {
        let count = range.orders[0].len();
        if count == 2 {
            // Along every axis there is the same split, and whoever gets one looks at no order.
            return 1;
        }
        let halved = (0, count / 2);
        let is_deep = range.depth >= DEEPEST_HEURISTIC;
        let (axis, middle) = if is_deep { halved } else { self.cheapest(range).unwrap_or(halved) };
        for (position, &reference) in range.orders[axis].iter().enumerate() {
            self.goes_left[reference as usize].store(position < middle, Ordering::Relaxed);
        }
        let others = range.orders.iter_mut().enumerate().filter(|(other, _)| *other != axis);
        for (_, order) in others {
            let (mut kept, mut moved) = (0, 0);
            // Without branches: nothing foretells where a reference goes.
            for position in 0..count {
                let reference = order[position];
                let is_kept = self.goes_left[reference as usize].load(Ordering::Relaxed);
                order[kept] = reference;
                range.aside[moved] = reference;
                kept += usize::from(is_kept);
                moved += usize::from(!is_kept);
            }
            order[kept..].copy_from_slice(&range.aside[..moved]);
        }
        middle
    }

    /// The axis and the position of the cheapest split; none where costs say nothing.
    fn cheapest(&self, range: &mut Range<'_>) -> Option<(usize, usize)> {
        let cost = |bounds: Bounds, weight: u32| bounds.half_area() * (self.growth)(weight as f32);
        let (mut best, mut best_cost) = (None, f32::INFINITY);
        for (axis, order) in range.orders.iter().enumerate() {
            let (mut right, mut weight) = (Bounds::EMPTY, 0);
            for position in (1..order.len()).rev() {
                right = right.union(self.bounds(order[position]));
                weight += self.references[order[position] as usize].tag_b();
                range.right_costs[position] = cost(right, weight);
            }
            let (mut left, mut weight) = (Bounds::EMPTY, 0);
            for position in 1..order.len() {
                left = left.union(self.bounds(order[position - 1]));
                weight += self.references[order[position - 1] as usize].tag_b();
                let both = cost(left, weight) + range.right_costs[position];
                if both < best_cost {
                    (best, best_cost) = (Some((axis, position)), both);
                }
            }
        }
        best.filter(|_| best_cost > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3A;

    fn depth(nodes: &[TaggedBox], node: usize) -> usize {
        let mut deepest = 0;
        let mut open = vec![(node, 0)];
        while let Some((node, depth)) = open.pop() {
            deepest = deepest.max(depth);
            if let Some(child) = nodes[node].first_child() {
                assert_eq!(nodes[node].count(), nodes[child].count() + nodes[child + 1].count());
                open.extend([(child, depth + 1), (child + 1, depth + 1)]);
            }
        }
        deepest
    }

    #[test]
    fn splits_that_peel_do_not_take_a_level_each() {
        // Each box is inside the next: the cheapest split always takes off the outermost.
        let nested = |item: u32| {
            let size = Vec3A::splat(1.5f32.powi(item as i32 % 64)) + item as f32;
            TaggedBox::new(Bounds { min: -size, max: size }, item, 1)
        };
        let references: Vec<TaggedBox> = (0..3000).map(nested).collect();
        let nodes = build(&references);
        assert_eq!(nodes[0].count(), 3000);
        assert!(depth(&nodes, 0) < DEEPEST_HEURISTIC + 13);
    }
}
