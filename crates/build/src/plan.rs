//! How to make a wide tree of the least cost from a binary one, by dynamic programming, after Ylitie,
//! Karras, Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs",
//! section 3.1.
//!
//! For each binary node and each number of roots, the cheapest way to represent everything below it by
//! at most so many roots of wide subtrees follows from the answers for its children. One root is
//! either a leaf that holds all references, or a wide node over at most `width` roots. The costs are
//! those of the surface-area heuristic with 1 for a node and 1 for a reference, so that the result is
//! the best wide tree that the binary one allows. Costs live only while a block of nodes is worked on;
//! what remains is one [`Plan`] of 32 bits for each node.

use crate::BuildError;
use crate::binary::{BinaryTree, Node};
use crate::progress::Monitor;
use crate::tagged_box::{Bounds, TaggedBox};
use std::ops::Range;
use tree::bvh::MAX_WIDTH;

/// Subtrees with at most so many nodes are planned by one thread.
const BLOCK: usize = 1 << 12;

/// What to do with one binary node.
///
/// ```text
/// bits 3(a-2)..3(a-1)  a = 2..=8: of a roots, the left child gets so many; 0: use only a - 1
/// bit  21              as one root it is a leaf
/// bits 22..29          then: its references
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plan(u32);

impl Plan {
    const LEAF: u32 = 1 << 21;
    const COUNT_SHIFT: u32 = 22;

    fn leaf(count: u32) -> Self {
        Self(Self::LEAF | count << Self::COUNT_SHIFT)
    }

    /// How many of `allowed` roots the left child gets; 0 if the plan is the one for a root less.
    #[inline(always)]
    pub(crate) fn left_share(self, allowed: usize) -> usize {
        (self.0 >> (3 * (allowed - 2)) & 7) as usize
    }

    /// The number of references if the node becomes a leaf when it is one root.
    #[inline(always)]
    pub(crate) fn leaf_count(self) -> Option<usize> {
        (self.0 & Self::LEAF != 0).then_some((self.0 >> Self::COUNT_SHIFT) as usize)
    }
}

/// Plans for all nodes, and what the binary tree costs.
pub(crate) struct Plans {
    /// A plan for each binary node.
    pub(crate) plans: Vec<Plan>,
    /// Cost of the binary tree with the best leaves of at most `max_leaf` references.
    pub(crate) binary_cost: f64,
}

/// Plans the collapse of `tree` to at most `width` children and `max_leaf` references per leaf.
///
/// # Errors
/// Cancellation.
pub(crate) fn plan(
    tree: &BinaryTree,
    width: usize,
    max_leaf: usize,
    monitor: &Monitor<'_>,
) -> Result<Plans, BuildError> {
    let scale = area_scale(&tree.nodes[0].bounds());
    let planner = Planner { nodes: &tree.nodes, scale, max_leaf: max_leaf as u32, monitor };
    let mut plans = vec![Plan::default(); tree.nodes.len()];
    let (root_plan, below) = plans.split_at_mut(1);
    let range = 1..tree.nodes.len();
    let (costs, plan) = match width {
        2 => planner.subtree::<2>(0, range, below),
        3 => planner.subtree::<3>(0, range, below),
        4 => planner.subtree::<4>(0, range, below),
        5 => planner.subtree::<5>(0, range, below),
        6 => planner.subtree::<6>(0, range, below),
        7 => planner.subtree::<7>(0, range, below),
        _ => planner.subtree::<MAX_WIDTH>(0, range, below),
    }?;
    root_plan[0] = plan;
    let root_area = planner.area(0);
    let binary_cost =
        if root_area > 0.0 { f64::from(costs.binary) / f64::from(root_area) } else { 0.0 };
    Ok(Plans { plans, binary_cost })
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

struct Planner<'a> {
    nodes: &'a [TaggedBox],
    scale: f32,
    max_leaf: u32,
    monitor: &'a Monitor<'a>,
}

impl Planner<'_> {
    #[inline(always)]
    fn area(&self, node: usize) -> f32 {
        let Bounds { min, max } = self.nodes[node].bounds();
        Bounds { min: min * self.scale, max: max * self.scale }.half_area()
    }

    /// Plans everything below `node`, which are the nodes `below`, into `plans`; returns the node's own
    /// costs and plan.
    fn subtree<const WIDTH: usize>(
        &self,
        node: usize,
        below: Range<usize>,
        plans: &mut [Plan],
    ) -> Result<(Costs, Plan), BuildError> {
        if below.is_empty() {
            return Ok(self.leaf(node));
        }
        if below.len() <= BLOCK {
            self.monitor.check()?;
            return Ok(self.block::<WIDTH>(node, below, plans));
        }
        let (left, right) = (below.start, below.start + 1);
        let middle = self.nodes[right].first_child().unwrap_or(below.end);
        let (children, plans) = plans.split_at_mut(2);
        let (left_plans, right_plans) = plans.split_at_mut(middle - below.start - 2);
        let (left_result, right_result) = rayon::join(
            || self.subtree::<WIDTH>(left, below.start + 2..middle, left_plans),
            || self.subtree::<WIDTH>(right, middle..below.end, right_plans),
        );
        let ((left_costs, left_plan), (right_costs, right_plan)) = (left_result?, right_result?);
        children[0] = left_plan;
        children[1] = right_plan;
        Ok(inner::<WIDTH>(self.area(node), &left_costs, &right_costs, self.max_leaf))
    }

    /// The same for a small subtree. Children come after their parents, so backwards will do.
    fn block<const WIDTH: usize>(
        &self,
        node: usize,
        below: Range<usize>,
        plans: &mut [Plan],
    ) -> (Costs, Plan) {
        let mut costs = vec![Costs::default(); below.len()];
        for index in below.clone().rev() {
            let offset = index - below.start;
            (costs[offset], plans[offset]) = match self.nodes[index].first_child() {
                None => self.leaf(index),
                Some(child) => {
                    let pair = &costs[child - below.start..][..2];
                    inner::<WIDTH>(self.area(index), &pair[0], &pair[1], self.max_leaf)
                }
            };
        }
        inner::<WIDTH>(self.area(node), &costs[0], &costs[1], self.max_leaf)
    }

    #[inline(always)]
    fn leaf(&self, node: usize) -> (Costs, Plan) {
        let area = self.area(node);
        (Costs { roots: [area; MAX_WIDTH - 1], binary: area, count: 1 }, Plan::leaf(1))
    }
}

#[inline(always)]
fn inner<const WIDTH: usize>(
    area: f32,
    left: &Costs,
    right: &Costs,
    max_leaf: u32,
) -> (Costs, Plan) {
    let count = left.count + right.count;
    let fits = count <= max_leaf;
    let leaf_cost = if fits { area * count as f32 } else { f32::INFINITY };
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
    let plan = match fits && leaf_cost <= node_cost {
        true => Plan(shares | Plan::leaf(count).0),
        false => Plan(shares),
    };
    let binary = leaf_cost.min(area + left.binary + right.binary);
    (Costs { roots, binary, count }, plan)
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
