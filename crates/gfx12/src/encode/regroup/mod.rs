//! Leaves for density: fewer box nodes, at a bounded loss.
//!
//! A tree built for speed has leaves of one or two triangles, and half its bytes are box nodes.
//! Each maximal subtree of at most [`TREELET_REFERENCES`] references is put together again with a
//! price on box nodes ([`treelet`]). One price serves the whole level: the highest for which the
//! cost of the level stays within [`ALLOWED_LOSS`]. It is found by bisection. In small levels, all
//! that helps is tried on every subtree. In larger ones time counts: what helps is found on a
//! sample.
//!
//! | file | step |
//! |---|---|
//! | `mates` | which triangles go together |
//! | `draft`, `sweep` | a binary tree, from the top down |
//! | `reinsert` | the same tree, improved |
//! | `treelet` | the wide tree of the least cost and price |

mod draft;
mod mates;
mod reinsert;
mod sweep;
mod treelet;

use super::SMALL_LEVEL;
use super::flatten::references_below;
use geometry::Aabb;
use rayon::prelude::*;
use sweep::Growth;
use tree::{Bvh, BvhError, Node, NodeLink, Primitives, Quality};
use treelet::{Rebuilt, Treelet};

/// Most references of a subtree that is put together again.
const TREELET_REFERENCES: u32 = 1 << 17;
/// Rounds of reinsertion in small levels.
const ROUNDS: usize = 3;
/// References of the subtrees on which larger levels find out how binary trees are made best.
const SAMPLE_REFERENCES: usize = 1 << 16;
/// Share of the cost that may be lost.
const ALLOWED_LOSS: f64 = 0.0999;
/// What a range less is worth when triangles are paired, in costs of a box node of the given tree.
const RANGE_WORTH: f64 = 1.0 / 15.0;
/// The price that is tried first, in units of cost a box node of the given tree.
const FIRST_PRICE: f64 = 0.5;
/// Prices beyond this factor of the first do not change a tree any more.
const PRICE_SPAN: f64 = 64.0;
/// Halvings of the factor 2 between a price that will do and one that is too high.
const BISECTIONS: usize = 6;

/// What it may take to put a subtree together.
#[derive(Debug, Clone, Copy)]
struct Effort {
    /// What a range less is worth, in half areas.
    range_worth: f64,
    /// Rounds of reinsertion.
    rounds: usize,
    /// How binary trees are made; `None` to find out.
    growth: Option<Growth>,
}

/// The hierarchy with leaves chosen for density.
pub(crate) fn regroup(bvh: &Bvh, primitives: &Primitives) -> Result<Bvh, BvhError> {
    let given = Quality::of(bvh);
    let unit = half_area(&bvh.root().bounds);
    if given.nodes == 0 || given.sah_cost <= 0.0 || !(unit > 0.0 && unit.is_finite()) {
        return Ok(bvh.clone());
    }
    let below = references_below(bvh);
    let roots = treelet_roots(bvh, &below);
    let old_costs: Vec<f64> = roots.par_iter().map(|&root| subtree_cost(bvh, root, unit)).collect();
    let above = given.sah_cost - old_costs.iter().sum::<f64>();
    let node_cost = given.sah_cost / given.nodes as f64;
    let is_small = given.references <= SMALL_LEVEL;
    let rounds = if is_small { ROUNDS } else { 0 };
    let effort = Effort { range_worth: RANGE_WORTH * node_cost * unit, rounds, growth: None };
    let make = |k: usize, effort: &Effort| Treelet::new(bvh, roots[k], primitives, effort);
    let growth = if is_small {
        None
    } else {
        let sample = costliest(&roots, &below, &old_costs);
        Some(elected(&sample.par_iter().map(|&k| make(k, &effort)).collect::<Vec<Treelet>>()))
    };
    let effort = Effort { growth, ..effort };
    let treelets: Vec<Treelet> =
        (0..roots.len()).into_par_iter().map(|k| make(k, &effort)).collect();
    let limit = given.sah_cost * (1.0 + ALLOWED_LOSS);
    let price = highest_price(FIRST_PRICE * node_cost, |price| {
        let cost_of = |treelet: &Treelet| treelet.rebuild(price).map_or(0.0, |new| new.cost);
        let costs: Vec<f64> = treelets.par_iter().map(cost_of).collect();
        above + costs.iter().sum::<f64>() <= limit
    });
    let Some(price) = price else { return Ok(bvh.clone()) };
    let rebuilt = treelets.par_iter().map(|treelet| treelet.rebuild(price)).collect();
    assemble(bvh, &below, rebuilt)
}

/// The subtrees with the highest costs, [`SAMPLE_REFERENCES`] or a little more together.
fn costliest(roots: &[usize], below: &[u32], costs: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..roots.len()).collect();
    order.sort_by(|&a, &b| costs[b].total_cmp(&costs[a]).then(a.cmp(&b)));
    let mut references = 0;
    let wanted = order.iter().take_while(|&&k| {
        let enough = references >= SAMPLE_REFERENCES;
        references += below[roots[k]] as usize;
        !enough
    });
    wanted.copied().collect()
}

/// The growth that gives the smaller boxes in a sample.
fn elected(sample: &[Treelet]) -> Growth {
    let [linear, root]: [f64; 2] =
        [0, 1].map(|k| sample.iter().map(|treelet| treelet.areas()[k]).sum());
    if root < linear { Growth::Root } else { Growth::Linear }
}

/// The highest price that will do, between `first / PRICE_SPAN` and `first * PRICE_SPAN`, or 0.
fn highest_price(first: f64, will_do: impl Fn(f64) -> bool) -> Option<f64> {
    let mut low = first;
    if will_do(first) {
        while low < first * PRICE_SPAN && will_do(2.0 * low) {
            low *= 2.0;
        }
    } else {
        loop {
            low *= 0.5;
            if low < first / PRICE_SPAN {
                return will_do(0.0).then_some(0.0);
            }
            if will_do(low) {
                break;
            }
        }
    }
    let mut step = 2.0f64;
    for _ in 0..BISECTIONS {
        step = step.sqrt();
        if will_do(low * step) {
            low *= step;
        }
    }
    Some(low)
}

/// The maximal subtrees that are small enough, in the order in which [`assemble`] meets them.
fn treelet_roots(bvh: &Bvh, below: &[u32]) -> Vec<usize> {
    let mut roots = Vec::new();
    let mut open = vec![0];
    while let Some(entry) = open.pop() {
        let link = bvh.nodes()[entry].link;
        if link.is_leaf() || below[entry] <= TREELET_REFERENCES {
            roots.push(entry);
        } else {
            open.extend(link.range().rev());
        }
    }
    roots
}

fn subtree_cost(bvh: &Bvh, root: usize, unit: f64) -> f64 {
    let mut cost = 0.0;
    let mut open = vec![root];
    while let Some(entry) = open.pop() {
        let Node { bounds, link } = bvh.nodes()[entry];
        let weight = if link.is_leaf() { link.count() } else { 1 };
        cost += weight as f64 * half_area(&bounds) / unit;
        if !link.is_leaf() {
            open.extend(link.range());
        }
    }
    cost
}

/// The nodes above the treelets, with the new treelets below them.
fn assemble(bvh: &Bvh, below: &[u32], rebuilt: Vec<Option<Rebuilt>>) -> Result<Bvh, BvhError> {
    let mut entries = vec![*bvh.root()];
    let mut references = Vec::with_capacity(bvh.indices().len());
    let mut rebuilt = rebuilt.into_iter();
    // Entries of the old hierarchy with their positions in the new one.
    let mut open = vec![(0, 0)];
    while let Some((old, new)) = open.pop() {
        let link = bvh.nodes()[old].link;
        if link.is_leaf() || below[old] <= TREELET_REFERENCES {
            match rebuilt.next().flatten() {
                Some(treelet) => graft(new, treelet, &mut entries, &mut references),
                None => entries[new].link = NodeLink::leaf(references.len() as u32, 0),
            }
            continue;
        }
        let first = entries.len();
        entries[new].link = NodeLink::inner(first as u32, link.count());
        entries.extend(link.range().map(|child| bvh.nodes()[child]));
        open.extend(link.range().rev().zip((first..entries.len()).rev()));
    }
    Bvh::new(entries, references, bvh.item_count())
}

/// Puts a treelet at a position; everything below its root goes to the end.
fn graft(position: usize, treelet: Rebuilt, entries: &mut Vec<Node>, references: &mut Vec<u32>) {
    // Node 0 of the treelet takes the position, entry 1 comes next.
    let shift = entries.len() as u32 - 1;
    let first_reference = references.len() as u32;
    let moved = |entry: &Node| {
        let range = entry.link.range();
        let link = if entry.link.is_leaf() {
            NodeLink::leaf(first_reference + range.start as u32, range.len())
        } else {
            NodeLink::inner(shift + range.start as u32, range.len())
        };
        Node { link, ..*entry }
    };
    entries.extend(treelet.entries[1..].iter().map(moved));
    entries[position] = moved(&treelet.entries[0]);
    references.extend(treelet.references);
}

/// Half the surface area, which cannot overflow here.
pub(crate) fn half_area(bounds: &Aabb) -> f64 {
    if bounds.is_empty() {
        return 0.0;
    }
    let e = bounds.max.as_dvec3() - bounds.min.as_dvec3();
    e.x * e.y + e.y * e.z + e.z * e.x
}
