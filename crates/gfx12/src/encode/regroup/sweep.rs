//! A binary tree over parts, from the top down.
//!
//! Every split between neighbours along every axis is tried. By the usual heuristic a side costs
//! its area times its references, as if it became one large leaf. But it becomes a tree, and over a
//! surface the cost of a good tree grows far more slowly, about with the square root of the
//! references. Among large boxes that overlap, the usual heuristic is the better one. So both trees
//! are made, and the one with the smaller boxes is taken.
//!
//! The parts are sorted once for each axis and stay sorted (Wald and Havran 2006, "On building fast
//! kd-trees for ray tracing, and on doing that in O(N log N)").

use super::draft::{Draft, DraftNode};
use super::half_area;
use super::mates::Part;
use geometry::Aabb;

/// From this depth on, parts are halved: splits that peel off one part after another would
/// otherwise take as many levels as there are parts.
const MAX_SWEPT_DEPTH: u32 = 56;

/// How the cost of a side is thought to grow with its references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Growth {
    /// As that of a leaf.
    Linear,
    /// As that of a tree over a surface: with their root.
    Root,
}

impl Growth {
    /// All of them.
    pub(super) const ALL: [Self; 2] = [Self::Linear, Self::Root];
}

/// The tree over some parts, of which there is at least one.
pub(super) fn build(parts: &[Part], growth: Growth) -> Draft {
    swept(parts, [0, 1, 2].map(|axis| sorted(parts, axis)), growth)
}

/// The better tree of both growths, and what the inner boxes of each came to.
pub(super) fn build_better(parts: &[Part]) -> (Draft, [f64; 2]) {
    let orders = [0, 1, 2].map(|axis| sorted(parts, axis));
    let [linear, root] = Growth::ALL.map(|growth| swept(parts, orders.clone(), growth));
    let areas = [linear.inner_area(), root.inner_area()];
    (if areas[1] < areas[0] { root } else { linear }, areas)
}

fn swept(parts: &[Part], orders: [Vec<u32>; 3], growth: Growth) -> Draft {
    let mut sweep = Sweep {
        parts,
        orders,
        growth,
        goes_left: vec![false; parts.len()],
        aside: Vec::with_capacity(parts.len()),
        right_costs: vec![0.0; parts.len()],
    };
    let mut draft = Draft { nodes: Vec::with_capacity(2 * parts.len()) };
    draft.nodes.push(DraftNode::unlinked());
    let mut open = vec![Task { node: 0, start: 0, end: parts.len(), depth: 0 }];
    while let Some(task) = open.pop() {
        let Task { node, start, end, depth } = task;
        let own = &sweep.orders[0][start..end];
        let all = own.iter().fold(Aabb::EMPTY, |all, &part| all.union(parts[part as usize].bounds));
        draft.nodes[node].bounds = all;
        if let [part] = *own {
            draft.nodes[node].make_leaf(part);
            continue;
        }
        let middle = sweep.split(start, end, depth);
        let first = draft.adopt(node);
        open.push(Task { node: first + 1, start: middle, end, depth: depth + 1 });
        open.push(Task { node: first, start, end: middle, depth: depth + 1 });
    }
    draft
}

/// A node whose parts lie at `start..end` of every order.
#[derive(Debug, Clone, Copy)]
struct Task {
    node: usize,
    start: usize,
    end: usize,
    depth: u32,
}

/// The parts by the middle of their boxes.
fn sorted(parts: &[Part], axis: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..parts.len() as u32).collect();
    let middle = |part: u32| parts[part as usize].bounds.center()[axis];
    order.sort_unstable_by(|&a, &b| middle(a).total_cmp(&middle(b)).then(a.cmp(&b)));
    order
}

struct Sweep<'a> {
    parts: &'a [Part],
    orders: [Vec<u32>; 3],
    growth: Growth,
    goes_left: Vec<bool>,
    aside: Vec<u32>,
    right_costs: Vec<f64>,
}

impl Sweep<'_> {
    /// Divides `start..end` of all orders; returns where.
    fn split(&mut self, start: usize, end: usize, depth: u32) -> usize {
        let (axis, middle) = if depth < MAX_SWEPT_DEPTH {
            self.cheapest(start, end)
        } else {
            (0, start.midpoint(end))
        };
        for position in start..end {
            let part = self.orders[axis][position];
            self.goes_left[part as usize] = position < middle;
        }
        for order in &mut self.orders {
            let own = &mut order[start..end];
            self.aside.clear();
            let mut kept = 0;
            for position in 0..own.len() {
                let part = own[position];
                if self.goes_left[part as usize] {
                    own[kept] = part;
                    kept += 1;
                } else {
                    self.aside.push(part);
                }
            }
            own[kept..].copy_from_slice(&self.aside);
        }
        middle
    }

    /// The axis and the position of the cheapest split.
    fn cheapest(&mut self, start: usize, end: usize) -> (usize, usize) {
        let mut best = (f64::INFINITY, 0, start.midpoint(end));
        for (axis, order) in self.orders.iter().enumerate() {
            let mut right = Side::default();
            for position in (start + 1..end).rev() {
                right.add(&self.parts[order[position] as usize]);
                self.right_costs[position] = right.cost(self.growth);
            }
            let mut left = Side::default();
            for position in start + 1..end {
                left.add(&self.parts[order[position - 1] as usize]);
                let cost = left.cost(self.growth) + self.right_costs[position];
                if cost < best.0 {
                    best = (cost, axis, position);
                }
            }
        }
        (best.1, best.2)
    }
}

/// Parts on one side of a split.
struct Side {
    bounds: Aabb,
    count: u32,
}

impl Default for Side {
    fn default() -> Self {
        Self { bounds: Aabb::EMPTY, count: 0 }
    }
}

impl Side {
    fn add(&mut self, part: &Part) {
        self.bounds = self.bounds.union(part.bounds);
        self.count += part.count;
    }

    fn cost(&self, growth: Growth) -> f64 {
        let references = f64::from(self.count);
        half_area(&self.bounds)
            * match growth {
                Growth::Linear => references,
                Growth::Root => references.sqrt(),
            }
    }
}
