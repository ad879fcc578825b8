//! Leaves for density: fewer box nodes, at a bounded loss.
//!
//! A tree built for speed has leaves of one or two triangles, and half its bytes are box nodes. Each
//! maximal subtree of at most [`TREELET_REFERENCES`] references is put together again with a price on
//! box nodes ([`super::treelet`]). One price serves the whole level: the highest of a few for which the
//! cost of the level stays within the allowed loss. For a large level the prices are tried on a sample.

use super::flatten::references_below;
use super::treelet::{Rebuilt, Treelet, half_area};
use rayon::prelude::*;
use tree::{Bvh, BvhError, Entry, Link, Primitives, Quality};

/// Most references of a subtree that is put together again.
const TREELET_REFERENCES: u32 = 4096;
/// How many subtrees prices are tried on.
const SAMPLE: usize = 64;
/// Share of the cost that may be lost.
const ALLOWED_LOSS: f64 = 0.095;
/// Prices that are tried, in units of cost a box node of the given tree, from the highest.
const PRICES: [f64; 16] =
    [16.0, 11.3, 8.0, 5.66, 4.0, 2.83, 2.0, 1.41, 1.0, 0.71, 0.5, 0.35, 0.25, 0.125, 0.03, 0.0];

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
    let stride = roots.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<usize> = (0..roots.len()).step_by(stride).collect();
    let treelets: Vec<Treelet> =
        sample.par_iter().map(|&k| Treelet::new(bvh, roots[k], primitives)).collect();
    let sample_before: f64 = sample.iter().map(|&k| old_costs[k]).sum();
    // The sample stands for all subtrees in proportion to its cost.
    let share = if sample_before > 0.0 { (given.sah_cost - above) / sample_before } else { 1.0 };
    for price in PRICES.map(|price| price * node_cost) {
        let cost_of = |treelet: &Treelet| treelet.rebuild(price).map_or(0.0, |new| new.cost);
        let costs: Vec<f64> = treelets.par_iter().map(cost_of).collect();
        let limit = given.sah_cost * (1.0 + ALLOWED_LOSS);
        if above + share * costs.iter().sum::<f64>() > limit {
            continue;
        }
        let rebuilt: Vec<Option<Rebuilt>> = roots
            .par_iter()
            .map(|&root| Treelet::new(bvh, root, primitives).rebuild(price))
            .collect();
        let total: f64 = rebuilt.iter().flatten().map(|new| new.cost).sum();
        if above + total <= limit {
            return assemble(bvh, &below, rebuilt);
        }
    }
    Ok(bvh.clone())
}

/// The maximal subtrees that are small enough, in the order in which [`assemble`] meets them.
fn treelet_roots(bvh: &Bvh, below: &[u32]) -> Vec<usize> {
    let mut roots = Vec::new();
    let mut open = vec![0];
    while let Some(entry) = open.pop() {
        let link = bvh.entries()[entry].link;
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
        let Entry { bounds, link } = bvh.entries()[entry];
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
    let mut references = Vec::with_capacity(bvh.references().len());
    let mut rebuilt = rebuilt.into_iter();
    // Entries of the old hierarchy with their positions in the new one.
    let mut open = vec![(0, 0)];
    while let Some((old, new)) = open.pop() {
        let link = bvh.entries()[old].link;
        if link.is_leaf() || below[old] <= TREELET_REFERENCES {
            match rebuilt.next().flatten() {
                Some(treelet) => graft(new, treelet, &mut entries, &mut references),
                None => entries[new].link = Link::leaf(references.len() as u32, 0),
            }
            continue;
        }
        let first = entries.len();
        entries[new].link = Link::node(first as u32, link.count());
        entries.extend(link.range().map(|child| bvh.entries()[child]));
        open.extend(link.range().rev().zip((first..entries.len()).rev()));
    }
    Bvh::new(entries, references, bvh.item_count())
}

/// Puts a treelet at a position; everything below its root goes to the end.
fn graft(position: usize, treelet: Rebuilt, entries: &mut Vec<Entry>, references: &mut Vec<u32>) {
    // Entry 0 of the treelet takes the position, entry 1 comes next.
    let shift = entries.len() as u32 - 1;
    let first_reference = references.len() as u32;
    let moved = |entry: &Entry| {
        let range = entry.link.range();
        let link = if entry.link.is_leaf() {
            Link::leaf(first_reference + range.start as u32, range.len())
        } else {
            Link::node(shift + range.start as u32, range.len())
        };
        Entry { link, ..*entry }
    };
    entries.extend(treelet.entries[1..].iter().map(moved));
    entries[position] = moved(&treelet.entries[0]);
    references.extend(treelet.references);
}
