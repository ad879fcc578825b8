//! A small subtree taken apart and put together again with fewer nodes.
//!
//! The wide nodes become binary ones, by joining the two children with the smallest common box until
//! one is left. Then, as in Ylitie, Karras, Laine 2017, "Efficient incoherent ray traversal on GPUs
//! through compressed wide BVHs", section 3.1, dynamic programming finds the cheapest wide subtree that
//! the binary one allows. The cost is that of the surface-area heuristic, 1 for a node and 1 for a
//! reference, plus a price for the bytes of each box node and of each pair without a second triangle:
//! a higher price gives fewer box nodes and larger leaves.

use geometry::Aabb;
use tree::bvh::MAX_WIDTH;
use tree::{Bvh, Entry, Link, Primitives};

/// Most triangles of a leaf.
const MAX_LEAF: u32 = 16;
/// What a missing second triangle wastes, in box nodes: about 40 bits of 1024.
const HALF_PAIR: f32 = 0.04;

/// A binary tree over the references of a subtree. Children come before parents; the root is last.
#[derive(Debug)]
pub(crate) struct Treelet {
    nodes: Vec<Node>,
    /// Half area of the hierarchy's root: the unit of cost.
    unit: f64,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    bounds: Aabb,
    /// Both children, or [`LEAF`] and the item.
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
pub(crate) struct Rebuilt {
    /// Entry 0 is the root of the subtree; links count from here.
    pub(crate) entries: Vec<Entry>,
    /// Items of the leaves.
    pub(crate) references: Vec<u32>,
    /// Its cost, without prices.
    pub(crate) cost: f64,
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
    /// Takes the subtree below an entry apart.
    pub(crate) fn new(bvh: &Bvh, root: usize, primitives: &Primitives) -> Self {
        let mut inner = Vec::new();
        let mut open = vec![root];
        while let Some(entry) = open.pop() {
            inner.push(entry);
            let link = bvh.entries()[entry].link;
            if !link.is_leaf() {
                open.extend(link.range());
            }
        }
        let mut treelet = Self { nodes: Vec::new(), unit: half_area(&bvh.root().bounds) };
        // Entries with something below them wait here for their parent, the deepest first.
        let mut finished: Vec<(usize, u32)> = Vec::new();
        for entry in inner.into_iter().rev() {
            let Entry { bounds, link } = bvh.entries()[entry];
            let mut parts = Vec::new();
            if link.is_leaf() {
                for &item in bvh.items(&bvh.entries()[entry]) {
                    parts.extend(treelet.reference(item, &bounds, primitives));
                }
            } else {
                let children = link.range();
                // The children were finished last, in reverse order.
                while finished.last().is_some_and(|&(child, _)| children.contains(&child)) {
                    parts.extend(finished.pop().map(|(_, node)| node));
                }
            }
            if let Some(node) = treelet.join(parts) {
                finished.push((entry, node));
            }
        }
        treelet
    }

    /// The cheapest wide subtree where a box node is worth `price` of cost; `None` where the treelet
    /// holds nothing.
    pub(crate) fn rebuild(&self, price: f64) -> Option<Rebuilt> {
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
                rebuilt.entries[position].link = Link::leaf(first as u32, count);
                rebuilt.cost += area * count as f64;
            } else {
                let children = self.wide_children(node, &costs);
                let first = rebuilt.entries.len();
                rebuilt.entries[position].link = Link::node(first as u32, children.len());
                rebuilt.cost += area;
                for child in children {
                    open.push((rebuilt.entries.len(), child));
                    rebuilt.entries.push(self.entry(child));
                }
            }
        }
        Some(rebuilt)
    }

    /// A reference as a leaf of the binary tree: what of it lies in the leaf's box.
    fn reference(&mut self, item: u32, leaf: &Aabb, primitives: &Primitives) -> Option<u32> {
        let inside = primitives.bounds(item as usize).intersection(*leaf);
        let bounds = if inside.is_empty() { *leaf } else { inside };
        if bounds.is_empty() {
            return None;
        }
        let procedural = item as usize >= primitives.triangles.len();
        self.nodes.push(Node { bounds, left: LEAF, right: item, count: 1, procedural });
        Some(self.nodes.len() as u32 - 1)
    }

    /// Joins nodes two by two, the smallest common box first.
    fn join(&mut self, mut parts: Vec<u32>) -> Option<u32> {
        while parts.len() > 1 {
            let mut best = (f64::INFINITY, 0, 1);
            for a in 0..parts.len() {
                for b in a + 1..parts.len() {
                    let [left, right] = [a, b].map(|k| self.nodes[parts[k] as usize].bounds);
                    let area = half_area(&left.union(right));
                    if area < best.0 {
                        best = (area, a, b);
                    }
                }
            }
            let right = parts.remove(best.2);
            let left = parts[best.1];
            let [l, r] = [left, right].map(|part| self.nodes[part as usize]);
            self.nodes.push(Node {
                bounds: l.bounds.union(r.bounds),
                left,
                right,
                count: l.count + r.count,
                procedural: l.procedural || r.procedural,
            });
            parts[best.1] = self.nodes.len() as u32 - 1;
        }
        parts.first().copied()
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

    fn entry(&self, node: usize) -> Entry {
        Entry { bounds: self.nodes[node].bounds, link: Link::leaf(0, 0) }
    }

    /// The items below a node, each once.
    fn collect_items(&self, node: usize, references: &mut Vec<u32>) {
        let first = references.len();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Node { left, right, .. } = self.nodes[node];
            if left != LEAF {
                open.extend([right as usize, left as usize]);
            } else if !references[first..].contains(&right) {
                references.push(right);
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

/// Half the surface area, which cannot overflow here.
pub(crate) fn half_area(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let e = bounds.max.as_dvec3() - bounds.min.as_dvec3();
    e.x * e.y + e.y * e.z + e.z * e.x
}
