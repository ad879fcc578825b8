//! From a binary tree to a wide one of the least cost, by dynamic programming, after Ylitie, Karras,
//! Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", section 3.1.
//!
//! For each binary node and each `i`, the cheapest way to represent everything below it by at most `i`
//! roots of wide subtrees is found from the answers for its children. One root is either a leaf that
//! holds all references, or a wide node over at most `width` roots. The costs are those of the
//! surface-area heuristic with 1 for a node and 1 for a reference, so that the result is the best wide
//! tree that the binary one allows.

use crate::BuildError;
use crate::binary::{BinaryTree, Node};
use crate::options::Options;
use crate::progress::Monitor;
use crate::tagged_box::{Bounds, TaggedBox};
use geometry::Aabb;
use tree::bvh::MAX_WIDTH;
use tree::{Bvh, Entry, Link};

/// Nodes handled between two looks at the progress.
const BLOCK: usize = 1 << 16;

/// The wide tree, and what the binary one cost.
pub(crate) struct Collapsed {
    /// The wide tree.
    pub(crate) bvh: Bvh,
    /// Cost of the binary tree with the best leaves of at most `max_leaf` references.
    pub(crate) binary_cost: f64,
}

/// Collapses `tree`, whose references choose from `item_count` items.
///
/// # Errors
/// Cancellation.
pub(crate) fn collapse(
    tree: &BinaryTree,
    item_count: usize,
    options: &Options,
    monitor: &Monitor<'_>,
) -> Result<Collapsed, BuildError> {
    let scale = area_scale(&tree.nodes[0].bounds());
    let evaluate = match options.width {
        2 => evaluate::<2>,
        3 => evaluate::<3>,
        4 => evaluate::<4>,
        5 => evaluate::<5>,
        6 => evaluate::<6>,
        7 => evaluate::<7>,
        _ => evaluate::<MAX_WIDTH>,
    };
    let costs = evaluate(tree, scale, options.max_leaf, monitor)?;
    let root_area = scaled_area(&tree.nodes[0], scale);
    let binary_cost =
        if root_area > 0.0 { f64::from(costs[0].binary) / f64::from(root_area) } else { 0.0 };
    let bvh = Emitter::new(tree, &costs, options).run(item_count, monitor)?;
    Ok(Collapsed { bvh, binary_cost })
}

/// The answers for one binary node: 40 bytes.
#[derive(Clone, Copy, Default)]
struct Costs {
    /// `roots[i]`: cheapest representation by at most `i + 1` roots.
    roots: [f32; MAX_WIDTH - 1],
    /// Cheapest binary subtree.
    binary: f32,
    /// References below.
    count: u32,
    /// Whether the one root of `roots[0]` is a leaf.
    leaf: bool,
}

/// A power of two that brings the root's longest edge near 1, so that areas neither overflow nor
/// vanish.
fn area_scale(root: &Bounds) -> f32 {
    let edges = (root.max.as_dvec3() - root.min.as_dvec3()).max_element();
    if edges > 0.0 { edges.log2().round().clamp(-126.0, 126.0).exp2().recip() as f32 } else { 1.0 }
}

#[inline(always)]
fn scaled_area(node: &TaggedBox, scale: f32) -> f32 {
    let Bounds { min, max } = node.bounds();
    Bounds { min: min * scale, max: max * scale }.half_area()
}

/// Fills in the answers from the leaves up. Children come after their parents, so backwards will do.
fn evaluate<const WIDTH: usize>(
    tree: &BinaryTree,
    scale: f32,
    max_leaf: usize,
    monitor: &Monitor<'_>,
) -> Result<Vec<Costs>, BuildError> {
    let mut costs = vec![Costs::default(); tree.nodes.len()];
    for index in (0..tree.nodes.len()).rev() {
        let node = &tree.nodes[index];
        let area = scaled_area(node, scale);
        costs[index] = match node.first_child() {
            None => Costs { roots: [area; MAX_WIDTH - 1], binary: area, count: 1, leaf: true },
            Some(child) => inner_costs::<WIDTH>(area, &costs[child], &costs[child + 1], max_leaf),
        };
        if index.is_multiple_of(BLOCK) {
            monitor.check()?;
        }
    }
    Ok(costs)
}

#[inline(always)]
fn inner_costs<const WIDTH: usize>(
    area: f32,
    left: &Costs,
    right: &Costs,
    max_leaf: usize,
) -> Costs {
    let count = left.count + right.count;
    let fits = count as usize <= max_leaf;
    let leaf_cost = if fits { area * count as f32 } else { f32::INFINITY };
    let node_cost = area + cheapest_cost(left, right, WIDTH);
    let leaf = fits && leaf_cost <= node_cost;
    let mut roots = [leaf_cost.min(node_cost); MAX_WIDTH - 1];
    for allowed in 2..WIDTH {
        roots[allowed - 1] = roots[allowed - 2].min(cheapest_cost(left, right, allowed));
    }
    let binary = leaf_cost.min(area + left.binary + right.binary);
    Costs { roots, binary, count, leaf }
}

/// The cost of the best way to share `allowed` roots between two children.
#[inline(always)]
fn cheapest_cost(left: &Costs, right: &Costs, allowed: usize) -> f32 {
    let cost = |share: usize| left.roots[share - 1] + right.roots[allowed - share - 1];
    (1..allowed).map(cost).fold(f32::INFINITY, f32::min)
}

/// How to share `allowed` roots between two children: the cost, and how many the left one gets.
#[inline(always)]
fn cheapest_shares(left: &Costs, right: &Costs, allowed: usize) -> (f32, usize) {
    let mut best = (f32::INFINITY, 1);
    for share in 1..allowed {
        let cost = left.roots[share - 1] + right.roots[allowed - share - 1];
        if cost < best.0 {
            best = (cost, share);
        }
    }
    best
}

/// Writes the wide tree down from the root.
struct Emitter<'a> {
    tree: &'a BinaryTree,
    costs: &'a [Costs],
    options: &'a Options,
    entries: Vec<Entry>,
    references: Vec<u32>,
    /// Wide nodes still without children: entry and binary node.
    pending: Vec<(u32, u32)>,
}

impl<'a> Emitter<'a> {
    fn new(tree: &'a BinaryTree, costs: &'a [Costs], options: &'a Options) -> Self {
        let references = Vec::with_capacity(tree.items.len());
        Self { tree, costs, options, entries: Vec::new(), references, pending: Vec::new() }
    }

    fn run(mut self, item_count: usize, monitor: &Monitor<'_>) -> Result<Bvh, BuildError> {
        self.emit(0);
        while let Some((entry, node)) = self.pending.pop() {
            let first = self.entries.len();
            let children = self.children(node as usize);
            children.iter().for_each(|&child| self.emit(child));
            let count = self.entries.len() - first;
            self.entries[entry as usize].link = Link::node(first as u32, count);
            if (entry as usize).is_multiple_of(BLOCK) {
                monitor.check()?;
            }
        }
        Ok(Bvh::new(self.entries, self.references, item_count)?)
    }

    fn emit(&mut self, node: usize) {
        let bounds: Aabb = self.tree.nodes[node].bounds().to_aabb();
        let link = if self.costs[node].leaf {
            self.leaf(node)
        } else {
            self.pending.push((self.entries.len() as u32, node as u32));
            Link::node(0, 0)
        };
        self.entries.push(Entry { bounds, link });
    }

    /// A leaf with all references below `node`. Two references to the same item, which spatial splits
    /// make, become one.
    fn leaf(&mut self, node: usize) -> Link {
        let mut leftmost = node;
        while let Some(child) = self.tree.nodes[leftmost].first_child() {
            leftmost = child;
        }
        let first = self.tree.nodes[leftmost].position();
        let start = self.references.len();
        for &item in &self.tree.items[first..first + self.costs[node].count as usize] {
            if !self.references[start..].contains(&item) {
                self.references.push(item);
            }
        }
        Link::leaf(start as u32, self.references.len() - start)
    }

    /// The binary nodes that become the children of the wide node made of `node`.
    fn children(&self, node: usize) -> Vec<usize> {
        let mut found = Vec::with_capacity(MAX_WIDTH);
        let mut open = Vec::with_capacity(MAX_WIDTH);
        open.push((node, self.options.width, true));
        while let Some((node, allowed, must_open)) = open.pop() {
            let costs = &self.costs[node];
            let mut allowed = allowed;
            if !must_open {
                while allowed > 1 && costs.roots[allowed - 1] == costs.roots[allowed - 2] {
                    allowed -= 1;
                }
            }
            match self.tree.nodes[node].first_child() {
                Some(child) if allowed > 1 => {
                    let (left, right) = (&self.costs[child], &self.costs[child + 1]);
                    let (_, share) = cheapest_shares(left, right, allowed);
                    open.push((child + 1, allowed - share, false));
                    open.push((child, share, false));
                }
                _ => found.push(node),
            }
        }
        found
    }
}
