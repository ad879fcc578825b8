//! How much trees have decayed, by the surface-area heuristic.

use crate::world::{Level, World, whole};
use geometry::Aabb;
use rayon::prelude::*;
use std::ops::Range;

/// Nodes that one thread sums at a time.
const BLOCK: usize = 4096;

/// What a level cost when it was built.
#[derive(Debug, Clone)]
pub(crate) struct LevelCost {
    /// All of it.
    pub(crate) whole: f64,
    /// Its subtrees of some thousand nodes.
    pub(crate) parts: Vec<PartCost>,
}

/// What a subtree cost when it was built.
#[derive(Debug, Clone)]
pub(crate) struct PartCost {
    /// Its nodes, from its root on.
    pub(crate) nodes: Range<usize>,
    /// What a ray that meets its box had to expect.
    pub(crate) cost: f64,
}

impl LevelCost {
    /// How many times as much it costs now.
    pub(crate) fn decay((built, now): (&Self, f64)) -> f64 {
        if built.whole > 0.0 { now / built.whole } else { 1.0 }
    }
}

/// What the levels of a world cost now: BLASes, with their parts, then the TLAS.
pub(crate) fn costs(world: &World) -> Vec<LevelCost> {
    let part = |nodes: Range<usize>| PartCost { cost: part_cost(world, &nodes), nodes };
    let cost = |((number, nodes), whole): ((usize, Range<usize>), f64)| {
        let is_blas = number < world.blases.len();
        let parts = if is_blas { world.subtrees(&nodes) } else { Vec::new() };
        LevelCost { whole, parts: parts.into_iter().map(part).collect() }
    };
    let ranges = world.node_ranges().into_par_iter().enumerate();
    ranges.zip(whole_costs(world)).map(cost).collect()
}

/// The same without their parts.
pub(crate) fn whole_costs(world: &World) -> Vec<f64> {
    let cost = |(level, nodes): (&Level, Range<usize>)| {
        let whole = area(&level.bounds);
        let boxes = areas(world, &nodes);
        if whole > 0.0 { 1.0 + boxes / whole } else { 0.0 }
    };
    let levels: Vec<&Level> = levels(world).collect();
    levels.into_par_iter().zip(world.node_ranges()).map(cost).collect()
}

/// What a subtree costs a ray that meets its box.
pub(crate) fn part_cost(world: &World, nodes: &Range<usize>) -> f64 {
    let own = part_area(world, nodes);
    if own > 0.0 { 1.0 + areas(world, nodes) / own } else { 0.0 }
}

/// The area of the box around a subtree.
pub(crate) fn part_area(world: &World, nodes: &Range<usize>) -> f64 {
    area(&whole(&world.arena.nodes()[nodes.start]))
}

/// The levels: BLASes, then the TLAS.
pub(crate) fn levels(world: &World) -> impl Iterator<Item = &Level> {
    world.blases.iter().chain(world.tlas.as_ref().map(|tlas| &tlas.level))
}

/// The area that costs are weighed with.
pub(crate) fn area(bounds: &Aabb) -> f64 {
    tree::quality::half_area(bounds)
}

/// The areas of all boxes in some nodes, summed in blocks that are added in order, so that threads
/// do not matter.
fn areas(world: &World, nodes: &Range<usize>) -> f64 {
    let of_block = |block: &[crate::world::Node]| -> f64 {
        let boxes = block.iter().flat_map(|node| node.slots().map(|slot| node.bounds(slot)));
        boxes.map(|bounds| area(&bounds)).sum()
    };
    let blocks: Vec<f64> =
        world.arena.nodes()[nodes.clone()].par_chunks(BLOCK).map(of_block).collect();
    blocks.iter().sum()
}
