//! Leaves for density: fewer box nodes, at a bounded loss.
//!
//! A tree built for speed has leaves of one or two triangles, and half its bytes are box nodes. So
//! its references are paired ([`triangle_pairs`]), a new binary tree is made of the pairs, and of
//! that the wide tree of the least cost with a price on box nodes. The price is the highest for
//! which the cost of the level stays within [`ALLOWED_LOSS`], found by bisection.

use super::SMALL_LEVEL;
use super::triangle_pairs::{self, Part, Reference};
use build::{BinaryTree, BuildError, Effort, Objective};
use tree::bvh::MAX_WIDTH;
use tree::quality::half_area;
use tree::{Bvh, Primitives, Quality};

/// Most triangles of a leaf.
const MAX_LEAF: u32 = 16;
/// Places that reinsertion looks at for one node.
const STEPS: usize = 64;
/// Share of the cost that may be lost.
const ALLOWED_LOSS: f64 = 0.0999;
/// What a range less is worth when triangles are paired, in costs of a box node of the given tree.
const RANGE_WORTH: f64 = 1.0 / 15.0;
/// What a missing second triangle wastes, in box nodes: about 40 bits of 1024.
const HALF_PAIR: f32 = 0.04;
/// The price that is tried first, in units of cost a box node of the given tree.
const FIRST_PRICE: f64 = 0.5;
/// Prices beyond this factor of the first do not change a tree any more.
const PRICE_SPAN: f64 = 64.0;
/// Halvings of the factor 2 between a price that will do and one that is too high.
const BISECTIONS: usize = 5;
/// The same in large levels.
const FEWER_BISECTIONS: usize = 2;

/// The hierarchy with leaves chosen for density.
pub(crate) fn regroup(bvh: &Bvh, primitives: &Primitives) -> Result<Bvh, BuildError> {
    let given = Quality::of(bvh);
    let unit = half_area(&bvh.root().bounds);
    // Boxes that a file stores may be huge, or infinite.
    let is_usable = |cost: f64| cost > 0.0 && cost.is_finite();
    if given.nodes == 0 || !is_usable(given.sah_cost) || !is_usable(unit) {
        return Ok(bvh.clone());
    }
    let node_cost = given.sah_cost / given.nodes as f64;
    let references = references(bvh, primitives);
    let parts = triangle_pairs::pair(&references, primitives, RANGE_WORTH * node_cost * unit);
    let boxes = parts.iter().map(|part| (part.bounds, part.count));
    let effort = Effort { steps: STEPS, ..Effort::default() };
    // In larger levels reinsertion and further prices take long. They would save half a percent of
    // the bytes at most, and rays up to a sixth of their box tests.
    let (effort, bisections) = if given.references <= SMALL_LEVEL {
        (effort, BISECTIONS)
    } else {
        (Effort { rounds: 0, ..effort }, FEWER_BISECTIONS)
    };
    let Some(tree) = BinaryTree::new(boxes, effort)? else {
        return Ok(bvh.clone());
    };
    let first_box = primitives.triangles.len() as u32;
    let mut is_seen = vec![false; bvh.item_count()];
    let mut again = |r: &Reference| std::mem::replace(&mut is_seen[r.item as usize], true);
    let repeats = references.iter().any(&mut again);
    let wide = |price: f64| {
        let price = price as f32 * tree.root_area();
        let objective = Density { parts: &parts, first_box, repeats, price };
        tree.widen(MAX_WIDTH, objective)
    };
    let limit = given.sah_cost * (1.0 + ALLOWED_LOSS);
    let dense = highest_price(FIRST_PRICE * node_cost, bisections, |price| {
        let tree = wide(price)?;
        Ok::<_, BuildError>((tree.sah_cost() <= limit).then_some(tree))
    })?;
    dense.map_or_else(|| Ok(bvh.clone()), |tree| tree.write(bvh.item_count()))
}

/// The surface-area heuristic, with a price for the bytes of each box node and of each pair without
/// a second triangle.
struct Density<'a> {
    parts: &'a [Part],
    /// Items from this one on are procedurals.
    first_box: u32,
    /// Whether an item is in several parts.
    repeats: bool,
    price: f32,
}

impl Density<'_> {
    fn half_pair(&self, references: u32) -> f32 {
        if references % 2 == 1 { HALF_PAIR * self.price } else { 0.0 }
    }
}

impl Objective for Density<'_> {
    fn node(&self, area: f32) -> f32 {
        area + self.price
    }

    fn leaf(&self, weight: u32, area: f32) -> f32 {
        if weight > MAX_LEAF {
            f32::INFINITY
        } else {
            area * weight as f32 + self.half_pair(weight)
        }
    }

    fn single(&self, item: u32, area: f32) -> f32 {
        let Part { count, .. } = self.parts[item as usize];
        area * count as f32 + self.half_pair(count)
    }

    /// The references; a procedural weighs too much to share a leaf.
    fn weight(&self, item: u32) -> u32 {
        let Part { items, count, .. } = self.parts[item as usize];
        if items[0] < self.first_box { count } else { MAX_LEAF + 1 }
    }

    fn items(&self, item: u32) -> impl Iterator<Item = u32> {
        let Part { items, count, .. } = self.parts[item as usize];
        items.into_iter().take(count as usize)
    }

    fn repeats(&self) -> bool {
        self.repeats
    }
}

/// The references of a hierarchy: what of each primitive lies in the leaf's box.
fn references(bvh: &Bvh, primitives: &Primitives) -> Vec<Reference> {
    let leaves = bvh.nodes().iter().filter(|node| node.link.is_leaf() && !node.bounds.is_empty());
    let of_leaf = |leaf: &tree::Node| {
        let around = leaf.bounds;
        bvh.items(leaf).iter().map(move |&item| {
            let inside = primitives.bounds(item as usize).intersection(around);
            Reference { item, bounds: if inside.is_empty() { around } else { inside } }
        })
    };
    leaves.flat_map(of_leaf).collect()
}

/// What the highest price gives at which `at` gives anything, between `first / PRICE_SPAN` and
/// `first * PRICE_SPAN`, or at 0.
fn highest_price<T, E>(
    first: f64,
    bisections: usize,
    at: impl Fn(f64) -> Result<Option<T>, E>,
) -> Result<Option<T>, E> {
    let mut low = first;
    let mut best = at(first)?;
    if best.is_some() {
        while low < first * PRICE_SPAN {
            let Some(better) = at(2.0 * low)? else { break };
            (low, best) = (2.0 * low, Some(better));
        }
    }
    while best.is_none() {
        low *= 0.5;
        if low < first / PRICE_SPAN {
            return at(0.0);
        }
        best = at(low)?;
    }
    let mut step = 2.0f64;
    for _ in 0..bisections {
        step = step.sqrt();
        if let Some(better) = at(low * step)? {
            (low, best) = (low * step, Some(better));
        }
    }
    Ok(best)
}
