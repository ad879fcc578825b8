//! How to make a wide tree of the least cost from a binary one, by dynamic programming, after
//! Ylitie, Karras, Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed wide
//! BVHs", section 3.1.
//!
//! For each binary node and each number of roots, the cheapest way to represent everything below it
//! by at most so many roots of wide subtrees follows from the answers for its children. One root is
//! either a leaf that holds all references, or a wide node over at most `width` roots. What these
//! cost is said by an [`Objective`]; a build takes the surface-area heuristic with 1 for a node and
//! 1 for a test of references ([`SurfaceArea`]). The result is the best wide tree that the binary
//! one allows. Costs live only while a block of nodes is worked on; what remains is one [`Plan`] of
//! 32 bits for each node.

use crate::BuildError;
use crate::binary::Node;
use crate::objective::Objective;
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
/// bits 22..32          then, what its references weigh
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plan(u32);

impl Plan {
    const LEAF: u32 = 1 << 21;

    /// As one root a leaf, whose references weigh so much.
    #[inline(always)]
    fn leaf(weight: u32) -> u32 {
        debug_assert!(weight < 1 << 10, "leaves are small");
        Self::LEAF | weight << 22
    }

    /// How many of at most `allowed` roots, which are several, each child gets; `None` if one root
    /// is better.
    #[inline(always)]
    pub(crate) fn shares(self, allowed: usize) -> Option<[usize; 2]> {
        let shares = self.0 & ((1 << (3 * (allowed - 1))) - 1);
        let highest = shares.checked_ilog2()? / 3;
        let left = (shares >> (3 * highest)) as usize;
        Some([left, highest as usize + 2 - left])
    }

    /// Whether the node, as one root, becomes a leaf.
    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// What the references of such a leaf weigh.
    #[inline(always)]
    pub(crate) fn weight(self) -> usize {
        (self.0 >> 22) as usize
    }
}

/// Plans for all nodes, and what the binary tree costs.
pub(crate) struct Plans {
    /// A plan for each pair of children, which stands for their parent. Atomic because threads
    /// write them wherever their nodes lie; each is written once, before it is read.
    plans: Vec<AtomicU32>,
    /// Cost of the binary tree with the best leaves of at most `max_leaf` references.
    pub(crate) binary_cost: f64,
}

impl Plans {
    /// The plan for the node whose first child is given.
    #[inline(always)]
    pub(crate) fn of_parent(&self, first_child: usize) -> Plan {
        Plan(self.plans[first_child / 2].load(Ordering::Relaxed))
    }
}

/// Plans the collapse of a binary tree to nodes of at most `width` children.
///
/// # Errors
/// Cancellation.
pub(crate) fn plan<O: Objective>(
    nodes: &[TaggedBox],
    width: usize,
    objective: &O,
    monitor: &Monitor<'_>,
) -> Result<Plans, BuildError> {
    let scale = area_scale(&nodes[0].bounds());
    let plans = (0..nodes.len() / 2).map(|_| AtomicU32::new(0)).collect();
    let planner = Planner { nodes, plans, scale, objective, monitor };
    let costs = match width {
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
/// vanish; a smaller one where coordinates would overflow instead.
fn area_scale(root: &Bounds) -> f32 {
    let (min, max) = (root.min.as_dvec3(), root.max.as_dvec3());
    let edges = (max - min).max_element();
    let most = 100.0 - min.abs().max(max.abs()).max_element().log2().ceil();
    if edges > 0.0 {
        (-edges.log2().round()).clamp(-126.0, most.min(126.0)).exp2() as f32
    } else {
        1.0
    }
}

/// Half the surface area of a box, scaled along each axis.
#[inline(always)]
fn scaled_area(node: &TaggedBox, scale: f32) -> f32 {
    let Bounds { min, max } = node.clean_bounds();
    Bounds { min: min * scale, max: max * scale }.half_area()
}

/// The area of a tree's root as [`Objective`]s see it.
pub(crate) fn root_area(nodes: &[TaggedBox]) -> f32 {
    scaled_area(&nodes[0], area_scale(&nodes[0].bounds()))
}

/// The answers for one binary node.
#[derive(Clone, Copy)]
struct Costs {
    /// `roots[MAX_WIDTH + i]`: cheapest representation by at most `i + 1` roots. Infinities lie
    /// before them and behind, so that answers for several numbers of roots can be read at once,
    /// from any place on.
    roots: [f32; 2 * MAX_WIDTH],
    /// Cheapest binary subtree.
    binary: f32,
    /// What the references below weigh.
    weight: u32,
}

impl Costs {
    const NONE: Self = Self { roots: [f32::INFINITY; 2 * MAX_WIDTH], binary: 0.0, weight: 0 };

    fn new(roots: [f32; MAX_WIDTH], binary: f32, weight: u32) -> Self {
        let mut costs = Self { binary, weight, ..Self::NONE };
        costs.roots[MAX_WIDTH..2 * MAX_WIDTH - 1].copy_from_slice(&roots[..MAX_WIDTH - 1]);
        costs
    }
}

struct Planner<'a, O> {
    nodes: &'a [TaggedBox],
    plans: Vec<AtomicU32>,
    scale: f32,
    objective: &'a O,
    monitor: &'a Monitor<'a>,
}

impl<O: Objective> Planner<'_, O> {
    #[inline(always)]
    fn area(&self, node: usize) -> f32 {
        scaled_area(&self.nodes[node], self.scale)
    }

    /// What a leaf of the binary tree costs as a leaf of its own, and what it weighs.
    #[inline(always)]
    fn single(&self, node: usize) -> (f32, u32) {
        let item = self.nodes[node].item();
        (self.objective.single(item, self.area(node)), self.objective.weight(item))
    }

    /// Plans a node and everything below.
    fn subtree<const WIDTH: usize>(&self, node: usize) -> Result<Costs, BuildError> {
        match self.nodes[node].first_child() {
            Some(child) if self.nodes[node].count() > BLOCK => {
                let (left, right) = rayon::join(
                    || self.subtree::<WIDTH>(child),
                    || self.subtree::<WIDTH>(child + 1),
                );
                Ok(self.both::<WIDTH>(node, &left?, &right?))
            }
            _ => {
                self.monitor.check()?;
                Ok(self.block::<WIDTH>(node))
            }
        }
    }

    /// The same for a small subtree: lists its inner nodes from the top down, then plans from the
    /// bottom up. Leaves are not listed: their costs are known, and a plan of zero will do.
    fn block<const WIDTH: usize>(&self, root: usize) -> Costs {
        if self.nodes[root].count() == 1 {
            return self.leaf(root);
        }
        let size = self.nodes[root].count() - 1;
        // Each inner node, and where its inner children are in the list.
        let mut list: Vec<(u32, [u32; 2])> = Vec::with_capacity(size);
        list.push((root as u32, [0; 2]));
        for position in 0..size {
            let first = self.nodes[list[position].0 as usize].tag_a() as usize;
            for side in 0..2 {
                if self.nodes[first + side].count() > 1 {
                    list[position].1[side] = list.len() as u32;
                    list.push(((first + side) as u32, [0; 2]));
                }
            }
        }
        // From the end of the list on.
        let mut costs: Vec<Costs> = Vec::with_capacity(size);
        for &(node, listed) in list.iter().rev() {
            let of = |child: u32| &costs[size - 1 - child as usize];
            let node = node as usize;
            let first = self.nodes[node].tag_a() as usize;
            let planned = match listed {
                [0, 0] => self.pair::<WIDTH>(node, self.single(first), self.single(first + 1)),
                [0, right] => {
                    let single = self.single(first);
                    self.beside_leaf::<WIDTH>(node, of(right), single, LEFT_IS_LEAF)
                }
                [left, 0] => {
                    let single = self.single(first + 1);
                    self.beside_leaf::<WIDTH>(node, of(left), single, RIGHT_IS_LEAF)
                }
                [left, right] => self.both::<WIDTH>(node, of(left), of(right)),
            };
            costs.push(planned);
        }
        costs[size - 1]
    }

    #[inline(always)]
    fn store(&self, node: usize, plan: u32) {
        self.plans[self.nodes[node].tag_a() as usize / 2].store(plan, Ordering::Relaxed);
    }

    fn leaf(&self, node: usize) -> Costs {
        let (cost, weight) = self.single(node);
        Costs::new([cost; MAX_WIDTH], cost, weight)
    }

    /// An inner node over two leaves, whose answers are known without a search.
    #[inline(always)]
    fn pair<const WIDTH: usize>(&self, node: usize, left: (f32, u32), right: (f32, u32)) -> Costs {
        let area = self.area(node);
        let (apart, weight) = (left.0 + right.0, left.1 + right.1);
        let as_node = self.objective.node(area) + apart;
        let together = self.objective.leaf(weight, area);
        let leaf = together < f32::INFINITY && together <= as_node;
        let one_root = if leaf { together } else { as_node };
        let mut roots = [one_root.min(apart); MAX_WIDTH];
        roots[0] = one_root;
        let as_two_roots = u32::from(WIDTH > 2 && apart < one_root);
        let of_all_roots = 1 << (3 * (WIDTH - 2));
        let as_leaf = if leaf { Plan::leaf(weight) } else { 0 };
        self.store(node, as_two_roots | of_all_roots | as_leaf);
        Costs::new(roots, one_root, weight)
    }

    /// An inner node over a leaf, which gets one root, and a subtree, which gets the rest. `left`
    /// says what that leaves for the left child.
    #[inline(always)]
    fn beside_leaf<const WIDTH: usize>(
        &self,
        node: usize,
        other: &Costs,
        (cost, weight): (f32, u32),
        left: [u32; MAX_WIDTH],
    ) -> Costs {
        let costs = std::array::from_fn(|lane| other.roots[MAX_WIDTH + lane] + cost);
        let (binary, weight) = (cost + other.binary, other.weight + weight);
        self.inner::<WIDTH>(node, Shares { costs, left }, binary, weight)
    }

    /// An inner node over any two subtrees.
    #[inline(always)]
    fn both<const WIDTH: usize>(&self, node: usize, left: &Costs, right: &Costs) -> Costs {
        let binary = left.binary + right.binary;
        self.inner::<WIDTH>(node, cheapest(left, right), binary, left.weight + right.weight)
    }

    /// An inner node, given the cheapest shares of its children, the cost of both as binary trees
    /// and the weight of the references below.
    #[inline(always)]
    fn inner<const WIDTH: usize>(
        &self,
        node: usize,
        shares: Shares,
        binary: f32,
        weight: u32,
    ) -> Costs {
        let area = self.area(node);
        let own_cost = self.objective.node(area);
        let leaf_cost = self.objective.leaf(weight, area);
        let node_cost = own_cost + shares.costs[WIDTH - 2];
        let one_root = leaf_cost.min(node_cost);
        let mut roots = [one_root; MAX_WIDTH];
        let mut plan = shares.left[WIDTH - 2] << (3 * (WIDTH - 2));
        for allowed in 2..WIDTH {
            let cost = shares.costs[allowed - 2];
            roots[allowed - 1] = cost.min(one_root);
            // More roots never cost more: where they do not cost less than one, fewer will not
            // either.
            let left = if cost < one_root { shares.left[allowed - 2] } else { 0 };
            plan |= left << (3 * (allowed - 2));
        }
        let fits = leaf_cost < f32::INFINITY;
        let leaf = if fits && leaf_cost <= node_cost { Plan::leaf(weight) } else { 0 };
        self.store(node, plan | leaf);
        Costs::new(roots, leaf_cost.min(own_cost + binary), weight)
    }
}

/// How to share roots between two children, for each number of roots from 2 on.
struct Shares {
    /// What that costs.
    costs: [f32; MAX_WIDTH],
    /// How many roots the left child gets.
    left: [u32; MAX_WIDTH],
}

const LEFT_IS_LEAF: [u32; MAX_WIDTH] = [1; MAX_WIDTH];
const RIGHT_IS_LEAF: [u32; MAX_WIDTH] = [1, 2, 3, 4, 5, 6, 7, 0];

/// The cheapest shares, for all numbers of roots at once. The lowest bits of a cost make room for
/// the share, so that the minimum of both is one instruction; costs are not negative, so their bits
/// order like them, and infinity becomes a NaN, which loses each comparison.
#[inline(always)]
fn cheapest(left: &Costs, right: &Costs) -> Shares {
    const SHARE: u32 = MAX_WIDTH as u32 - 1;
    let mut best = [f32::INFINITY; MAX_WIDTH];
    for share in 1..MAX_WIDTH {
        let left_cost = left.roots[MAX_WIDTH + share - 1];
        // Lane `k` is for `k + 2` roots, of which the right child gets `k + 2 - share`.
        let right_costs = &right.roots[MAX_WIDTH + 1 - share..2 * MAX_WIDTH + 1 - share];
        for (best, &right_cost) in best.iter_mut().zip(right_costs) {
            let cost = (left_cost + right_cost).to_bits();
            let key = f32::from_bits(cost & !SHARE | share as u32);
            *best = if key < *best { key } else { *best };
        }
    }
    Shares {
        costs: best.map(|key| f32::from_bits(key.to_bits() & !SHARE)),
        left: best.map(|key| key.to_bits() & SHARE),
    }
}
