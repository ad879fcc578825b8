//! A subtree taken apart and put together again with fewer nodes.
//!
//! Its references are paired ([`super::mates`]) and a new binary tree is made of them
//! ([`super::sweep`], [`super::reinsert`]). Then, as in Ylitie, Karras, Laine 2017, "Efficient
//! incoherent ray traversal on GPUs through compressed wide BVHs", section 3.1, dynamic programming
//! finds the cheapest wide subtree that the binary one allows. The cost is that of the surface-area
//! heuristic, 1 for a node and 1 for a reference, plus a price for the bytes of each box node and
//! of each pair without a second triangle: a higher price gives fewer box nodes and larger leaves.

use super::draft::{Draft, DraftNode};
use super::mates::{self, Part, Reference};
use super::{Effort, half_area, reinsert, sweep};
use geometry::Aabb;
use tree::bvh::MAX_WIDTH;
use tree::{Bvh, NodeLink, Primitives};

/// Most triangles of a leaf.
const MAX_LEAF: u32 = 16;
/// What a missing second triangle wastes, in box nodes: about 40 bits of 1024.
const HALF_PAIR: f32 = 0.04;

/// A binary tree over the references of a subtree.
#[derive(Debug)]
pub(super) struct Treelet {
    /// Children come before parents; the root is last.
    nodes: Vec<Node>,
    parts: Vec<Part>,
    /// Half area of the hierarchy's root: the unit of cost.
    unit: f64,
    /// What the inner boxes of the binary trees of each growth came to, if both were made.
    areas: [f64; 2],
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// Both children, or [`LEAF`] and the part.
    left: u32,
    right: u32,
    /// References below.
    count: u32,
    /// Whether a procedural is below.
    procedural: bool,
}

const LEAF: u32 = u32::MAX;

/// A treelet put together for some price.
#[derive(Debug)]
pub(super) struct Rebuilt {
    /// Node 0 is the root of the subtree; links count from here.
    pub(super) entries: Vec<tree::Node>,
    /// Items of the leaves.
    pub(super) references: Vec<u32>,
    /// Its cost, without prices.
    pub(super) cost: f64,
}

/// The answers of the dynamic programme for one node.
#[derive(Debug, Clone, Copy, Default)]
struct Costs {
    /// `roots[i]`: cheapest representation by at most `i + 1` roots.
    roots: [f32; MAX_WIDTH - 1],
    /// Whether the one root of `roots[0]` is a leaf.
    leaf: bool,
}

impl Treelet {
    /// Takes the subtree below an entry apart and makes a binary tree of it.
    pub(super) fn new(bvh: &Bvh, root: usize, primitives: &Primitives, effort: &Effort) -> Self {
        let references = references_below(bvh, root, primitives);
        let parts = mates::pair(&references, primitives, effort.range_worth);
        let unit = half_area(&bvh.root().bounds);
        let mut treelet = Self { nodes: Vec::new(), parts, unit, areas: [0.0; 2] };
        if !treelet.parts.is_empty() {
            let mut draft = match effort.growth {
                Some(growth) => sweep::build(&treelet.parts, growth),
                None => {
                    let (better, areas) = sweep::build_better(&treelet.parts);
                    treelet.areas = areas;
                    better
                }
            };
            reinsert::improve(&mut draft, effort.rounds);
            treelet.adopt(&draft, primitives.triangles.len());
        }
        treelet
    }

    /// What the inner boxes of the binary trees of each growth came to, if both were made.
    pub(super) fn areas(&self) -> [f64; 2] {
        self.areas
    }

    /// The cheapest wide subtree where a box node is worth `price` of cost; `None` where the
    /// treelet holds nothing.
    pub(super) fn rebuild(&self, price: f64) -> Option<Rebuilt> {
        let price = price as f32;
        let mut costs: Vec<Costs> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let solved = self.solve(node, &costs, price);
            costs.push(solved);
        }
        let root = self.nodes.len().checked_sub(1)?;
        let mut rebuilt = Rebuilt { entries: Vec::new(), references: Vec::new(), cost: 0.0 };
        let mut open = vec![(0usize, root)];
        rebuilt.entries.push(self.entry(root));
        while let Some((position, node)) = open.pop() {
            let area = half_area(&self.nodes[node].bounds) / self.unit;
            if costs[node].leaf {
                let first = rebuilt.references.len();
                self.collect_items(node, &mut rebuilt.references);
                let count = rebuilt.references.len() - first;
                rebuilt.entries[position].link = NodeLink::leaf(first as u32, count);
                rebuilt.cost += area * count as f64;
            } else {
                let children = self.wide_children(node, &costs);
                let first = rebuilt.entries.len();
                rebuilt.entries[position].link = NodeLink::inner(first as u32, children.len());
                rebuilt.cost += area;
                for child in children {
                    open.push((rebuilt.entries.len(), child));
                    rebuilt.entries.push(self.entry(child));
                }
            }
        }
        Some(rebuilt)
    }

    /// Takes the nodes of a draft over. Items from `triangles` on are procedurals.
    fn adopt(&mut self, draft: &Draft, triangles: usize) {
        let order = draft.bottom_up();
        let mut places = vec![0; draft.nodes.len()];
        self.nodes.reserve_exact(order.len());
        for (place, &node) in order.iter().enumerate() {
            places[node as usize] = place as u32;
            let DraftNode { bounds, children, .. } = draft.nodes[node as usize];
            let adopted = if draft.nodes[node as usize].is_leaf() {
                let Part { items, count, .. } = self.parts[children[1] as usize];
                let procedural = items[0] as usize >= triangles;
                Node { bounds, left: LEAF, right: children[1], count, procedural }
            } else {
                let [left, right] = children.map(|child| places[child as usize]);
                let [l, r] = [left, right].map(|child| &self.nodes[child as usize]);
                let (count, procedural) = (l.count + r.count, l.procedural || r.procedural);
                Node { bounds, left, right, count, procedural }
            };
            self.nodes.push(adopted);
        }
    }

    fn solve(&self, node: &Node, costs: &[Costs], price: f32) -> Costs {
        let area = if self.unit > 0.0 { (half_area(&node.bounds) / self.unit) as f32 } else { 0.0 };
        let fits = node.count == 1 || node.count <= MAX_LEAF && !node.procedural;
        let half = if node.count % 2 == 1 { HALF_PAIR * price } else { 0.0 };
        let leaf_cost = if fits { area * node.count as f32 + half } else { f32::INFINITY };
        if node.left == LEAF {
            return Costs { roots: [leaf_cost; MAX_WIDTH - 1], leaf: true };
        }
        let (left, right) = (&costs[node.left as usize], &costs[node.right as usize]);
        let node_cost = area + price + cheapest_shares(left, right, MAX_WIDTH).0;
        let leaf = leaf_cost <= node_cost;
        let mut roots = [leaf_cost.min(node_cost); MAX_WIDTH - 1];
        for allowed in 2..MAX_WIDTH {
            roots[allowed - 1] = roots[allowed - 2].min(cheapest_shares(left, right, allowed).0);
        }
        Costs { roots, leaf }
    }

    /// The binary nodes that become the children of the wide node made of `node`.
    fn wide_children(&self, node: usize, costs: &[Costs]) -> Vec<usize> {
        let mut found = Vec::with_capacity(MAX_WIDTH);
        let mut open = vec![(node, MAX_WIDTH, true)];
        while let Some((node, mut allowed, must_open)) = open.pop() {
            let roots = &costs[node].roots;
            while !must_open && allowed > 1 && roots[allowed - 1] == roots[allowed - 2] {
                allowed -= 1;
            }
            let Node { left, right, .. } = self.nodes[node];
            if left == LEAF || allowed == 1 {
                found.push(node);
                continue;
            }
            let [l, r] = [left as usize, right as usize];
            let (_, share) = cheapest_shares(&costs[l], &costs[r], allowed);
            open.push((r, allowed - share, false));
            open.push((l, share, false));
        }
        found
    }

    fn entry(&self, node: usize) -> tree::Node {
        tree::Node { bounds: self.nodes[node].bounds, link: NodeLink::leaf(0, 0) }
    }

    /// The items below a node, each once.
    fn collect_items(&self, node: usize, references: &mut Vec<u32>) {
        let first = references.len();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Node { left, right, .. } = self.nodes[node];
            if left != LEAF {
                open.extend([right as usize, left as usize]);
                continue;
            }
            let Part { items, count, .. } = &self.parts[right as usize];
            for item in &items[..*count as usize] {
                if !references[first..].contains(item) {
                    references.push(*item);
                }
            }
        }
    }
}

/// How to share `allowed` roots between two children: the cost, and how many the left one gets.
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

/// The references of a subtree: what of each primitive lies in the leaf's box.
fn references_below(bvh: &Bvh, root: usize, primitives: &Primitives) -> Vec<Reference> {
    let mut references = Vec::new();
    let mut open = vec![root];
    while let Some(entry) = open.pop() {
        let entry = &bvh.nodes()[entry];
        if !entry.link.is_leaf() {
            open.extend(entry.link.range().rev());
            continue;
        }
        for &item in bvh.items(entry) {
            let inside = primitives.bounds(item as usize).intersection(entry.bounds);
            let bounds = if inside.is_empty() { entry.bounds } else { inside };
            if !bounds.is_empty() {
                references.push(Reference { item, bounds });
            }
        }
    }
    references
}
