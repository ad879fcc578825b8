//! How to make a wide tree of the least cost from a binary one, by dynamic programming, after Ylitie,
//! Karras, Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs",
//! section 3.1.
//!
//! For each binary node and each number of roots, the cheapest way to represent everything below it by
//! at most so many roots of wide subtrees follows from the answers for its children. One root is
//! either a leaf that holds all references, or a wide node over at most `width` roots. The costs are
//! those of the surface-area heuristic with 1 for a node and 1 for a test of references, so that the
//! result is the best wide tree that the binary one allows. Costs live only while a block of nodes is worked on;
//! what remains is one [`Plan`] of 32 bits for each node.

use crate::BuildError;
use crate::binary::Node;
use crate::options::Options;
use crate::progress::Monitor;
use crate::tagged_box::{Bounds, TaggedBox};
use std::sync::atomic::{AtomicU32, Ordering};
use tree::bvh::MAX_WIDTH;

/// Subtrees over at most so many references are planned by one thread.
const BLOCK: usize = 1 << 11;

/// What to do with one binary node.
///
/// ```text
/// bits 3(a-2)..3(a-1)  a = 2..=8: of a roots, the left child gets so many; 0: use only a - 1
/// bit  21              as one root it is a leaf
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plan(u32);

impl Plan {
    const LEAF: u32 = 1 << 21;

    /// How many of `allowed` roots the left child gets; 0 if the plan is the one for a root less.
    #[inline(always)]
    pub(crate) fn left_share(self, allowed: usize) -> usize {
        (self.0 >> (3 * (allowed - 2)) & 7) as usize
    }

    /// Whether the node, as one root, becomes a leaf.
    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }
}

/// Plans for all nodes, and what the binary tree costs.
pub(crate) struct Plans {
    /// A plan for each binary node. Atomic because threads write them wherever their nodes lie; each
    /// is written once, before it is read.
    plans: Vec<AtomicU32>,
    /// Cost of the binary tree with the best leaves of at most `max_leaf` references.
    pub(crate) binary_cost: f64,
}

impl Plans {
    /// The plan for a node.
    #[inline(always)]
    pub(crate) fn of(&self, node: usize) -> Plan {
        Plan(self.plans[node].load(Ordering::Relaxed))
    }
}

/// Plans the collapse of a binary tree: to at most so many children and references per leaf as the options
/// say.
///
/// # Errors
/// Cancellation.
pub(crate) fn plan(
    nodes: &[TaggedBox],
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<Plans, BuildError> {
    let scale = area_scale(&nodes[0].bounds());
    let plans = (0..nodes.len()).map(|_| AtomicU32::new(0)).collect();
    let leaf = LeafCost {
        max_leaf: options.max_leaf as u32,
        tested_at_once: options.tested_at_once as u32,
    };
    let planner = Planner { nodes, plans, scale, leaf, monitor };
    let costs = match options.width {
        2 => planner.subtree::<2>(0),
        3 => planner.subtree::<3>(0),
        4 => planner.subtree::<4>(0),
        5 => planner.subtree::<5>(0),
        6 => planner.subtree::<6>(0),
        7 => planner.subtree::<7>(0),
        _ => planner.subtree::<MAX_WIDTH>(0),
    }?;
    let root_area = planner.area(0);
    let binary_cost =
        if root_area > 0.0 { f64::from(costs.binary) / f64::from(root_area) } else { 0.0 };
    Ok(Plans { plans: planner.plans, binary_cost })
}

/// A power of two that brings the root's longest edge near 1, so that areas neither overflow nor
/// vanish.
fn area_scale(root: &Bounds) -> f32 {
    let edges = (root.max.as_dvec3() - root.min.as_dvec3()).max_element();
    if edges > 0.0 { edges.log2().round().clamp(-126.0, 126.0).exp2().recip() as f32 } else { 1.0 }
}

/// The answers for one binary node.
#[derive(Clone, Copy, Default)]
struct Costs {
    /// `roots[i]`: cheapest representation by at most `i + 1` roots.
    roots: [f32; MAX_WIDTH - 1],
    /// Cheapest binary subtree.
    binary: f32,
    /// References below.
    count: u32,
}

/// What leaves cost.
#[derive(Clone, Copy)]
struct LeafCost {
    max_leaf: u32,
    tested_at_once: u32,
}

impl LeafCost {
    /// The cost of a leaf with so many references for each unit of area; infinite if it may not be.
    #[inline(always)]
    fn of(self, count: u32) -> f32 {
        if count > self.max_leaf {
            f32::INFINITY
        } else if self.tested_at_once == 1 {
            count as f32
        } else {
            count.div_ceil(self.tested_at_once) as f32
        }
    }
}

struct Planner<'a> {
    nodes: &'a [TaggedBox],
    plans: Vec<AtomicU32>,
    scale: f32,
    leaf: LeafCost,
    monitor: &'a Monitor<'a>,
}

impl Planner<'_> {
    #[inline(always)]
    fn area(&self, node: usize) -> f32 {
        let Bounds { min, max } = self.nodes[node].clean_bounds();
        Bounds { min: min * self.scale, max: max * self.scale }.half_area()
    }

    /// Plans a node and everything below.
    fn subtree<const WIDTH: usize>(&self, node: usize) -> Result<Costs, BuildError> {
        match self.nodes[node].first_child() {
            Some(child) if self.nodes[node].count() > BLOCK => {
                let (left, right) = rayon::join(
                    || self.subtree::<WIDTH>(child),
                    || self.subtree::<WIDTH>(child + 1),
                );
                Ok(self.inner::<WIDTH>(node, &left?, &right?))
            }
            _ => {
                self.monitor.check()?;
                Ok(self.block::<WIDTH>(node))
            }
        }
    }

    /// The same for a small subtree: lists its inner nodes from the top down, then plans from the
    /// bottom up. Leaves are not listed: their costs are their areas, and a plan of zero will do.
    fn block<const WIDTH: usize>(&self, root: usize) -> Costs {
        if self.nodes[root].count() == 1 {
            return self.leaf(root);
        }
        let size = self.nodes[root].count() - 1;
        // Each inner node, and where its inner children are in the list.
        let mut list: Vec<(u32, [u32; 2])> = Vec::with_capacity(size);
        list.push((root as u32, [0; 2]));
        for position in 0..size {
            let first = self.nodes[list[position].0 as usize].first() as usize;
            for side in 0..2 {
                if self.nodes[first + side].count() > 1 {
                    list[position].1[side] = list.len() as u32;
                    list.push(((first + side) as u32, [0; 2]));
                }
            }
        }
        let mut costs = vec![Costs::default(); size];
        for position in (0..size).rev() {
            let (node, listed) = list[position];
            let node = node as usize;
            let first = self.nodes[node].first() as usize;
            costs[position] = match listed.map(|child| child as usize) {
                [0, 0] => self.pair::<WIDTH>(node, self.area(first), self.area(first + 1)),
                [0, right] => self.inner::<WIDTH>(node, &self.leaf(first), &costs[right]),
                [left, 0] => self.inner::<WIDTH>(node, &costs[left], &self.leaf(first + 1)),
                [left, right] => self.inner::<WIDTH>(node, &costs[left], &costs[right]),
            };
        }
        costs[0]
    }

    #[inline(always)]
    fn leaf(&self, node: usize) -> Costs {
        let area = self.area(node);
        Costs { roots: [area; MAX_WIDTH - 1], binary: area, count: 1 }
    }

    /// An inner node over two leaves, whose answers are known without a search.
    #[inline(always)]
    fn pair<const WIDTH: usize>(&self, node: usize, left: f32, right: f32) -> Costs {
        let area = self.area(node);
        let (apart, together) = (left + right, self.leaf.of(2) * area);
        let leaf = self.leaf.max_leaf >= 2 && together <= area + apart;
        let one_root = if leaf { together } else { area + apart };
        let mut roots = [one_root.min(apart); MAX_WIDTH - 1];
        roots[0] = one_root;
        let as_two_roots = u32::from(WIDTH > 2 && apart < one_root);
        let as_node = 1 << (3 * (WIDTH - 2));
        let as_leaf = if leaf { Plan::LEAF } else { 0 };
        self.plans[node].store(as_two_roots | as_node | as_leaf, Ordering::Relaxed);
        Costs { roots, binary: one_root, count: 2 }
    }

    #[inline(always)]
    fn inner<const WIDTH: usize>(&self, node: usize, left: &Costs, right: &Costs) -> Costs {
        let (costs, plan) = inner::<WIDTH>(self.area(node), left, right, self.leaf);
        self.plans[node].store(plan.0, Ordering::Relaxed);
        costs
    }
}

#[inline(always)]
fn inner<const WIDTH: usize>(
    area: f32,
    left: &Costs,
    right: &Costs,
    leaf: LeafCost,
) -> (Costs, Plan) {
    let count = left.count + right.count;
    let fits = count <= leaf.max_leaf;
    let leaf_cost = if fits { area * leaf.of(count) } else { f32::INFINITY };
    let (open_cost, mut shares) = cheapest_shares(left, right, WIDTH);
    let node_cost = area + open_cost;
    let one_root = leaf_cost.min(node_cost);
    let mut roots = [one_root; MAX_WIDTH - 1];
    for allowed in (2..WIDTH).rev() {
        let (cost, share) = cheapest_shares(left, right, allowed);
        roots[allowed - 1] = cost;
        shares = shares << 3 | share;
    }
    for allowed in 2..WIDTH {
        let fewer = roots[allowed - 2];
        if roots[allowed - 1] >= fewer {
            roots[allowed - 1] = fewer;
            shares &= !(7 << (3 * (allowed - 2)));
        }
    }
    let leaf = if fits && leaf_cost <= node_cost { Plan::LEAF } else { 0 };
    let binary = leaf_cost.min(area + left.binary + right.binary);
    (Costs { roots, binary, count }, Plan(shares | leaf))
}

/// How to share `allowed` roots between two children: the cost, and how many the left one gets.
#[inline(always)]
fn cheapest_shares(left: &Costs, right: &Costs, allowed: usize) -> (f32, u32) {
    let mut best = (left.roots[0] + right.roots[allowed - 2], 1);
    for share in 2..allowed {
        let cost = left.roots[share - 1] + right.roots[allowed - share - 1];
        if cost < best.0 {
            best = (cost, share as u32);
        }
    }
    best
}
