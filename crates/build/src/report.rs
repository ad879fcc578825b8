//! Figures of a tree and of its making.
//!
//! A scene without instances has the figures of its one bottom level. With instances, the cost is the
//! one a ray that meets the world box has to expect: the top level's, plus, for each placement, that of
//! its bottom level times the share of the world box's area that the placement's box has. The overlap
//! is the mean over bottom levels, weighted by their primitives; depths add up; everything else is
//! summed over the stored bottom levels, each once.

use crate::BuildError;
use crate::options::{Options, Preset};
use geometry::Aabb;
use tree::quality::end_point_overlap;
use tree::{Bottom, Quality, Tree};

/// Points from which the overlap of a whole scene is estimated.
const OVERLAP_SAMPLES: usize = 4096;

/// Figures of a tree and of its making.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Report {
    /// How the tree was made.
    pub preset: Preset,
    /// Primitives stored, each object counted once.
    pub primitives: usize,
    /// Cost of the binary tree, with leaves of at most `max_leaf` references.
    pub sah_cost: f64,
    /// Cost of the wide tree.
    pub sah_cost_wide: f64,
    /// End-point overlap of the wide tree.
    pub overlap: f64,
    /// Most entries on a path from the root to a leaf; top and bottom added.
    pub depth: usize,
    /// References per leaf, as a share of `max_leaf`.
    pub leaf_fill: f64,
    /// Nodes of all levels.
    pub nodes: usize,
    /// Leaves of all levels.
    pub leaves: usize,
    /// References of bottom levels beyond one for each primitive: what spatial splits added.
    pub duplicates: usize,
    /// Time from scene to tree.
    pub seconds: f64,
    /// Primitives over time.
    pub primitives_per_second: f64,
}

/// Costs of the binary trees, level by level.
pub(crate) struct LevelFigures {
    pub(crate) bottoms: Vec<f64>,
    pub(crate) top: Option<f64>,
}

impl Report {
    /// Measures a tree that was built in `seconds`.
    pub(crate) fn new(
        tree: &Tree,
        binary: &LevelFigures,
        options: &Options,
        seconds: f64,
    ) -> Result<Self, BuildError> {
        let bottoms: Vec<Quality> = tree.bottoms.iter().map(|b| Quality::of(&b.bvh)).collect();
        let top = tree.top.as_ref().map(|top| Quality::of(&top.bvh));
        let wide = LevelFigures {
            bottoms: bottoms.iter().map(|quality| quality.sah_cost).collect(),
            top: top.map(|quality| quality.sah_cost),
        };
        let primitives = tree.primitive_count();
        let references: usize = bottoms.iter().map(|quality| quality.references).sum();
        let bottom_leaves: usize = bottoms.iter().map(|quality| quality.leaves).sum();
        let top = top.unwrap_or_default();
        Ok(Self {
            preset: options.preset,
            primitives,
            sah_cost: expected_cost(tree, binary)?,
            sah_cost_wide: expected_cost(tree, &wide)?,
            overlap: mean_overlap(&tree.bottoms, primitives),
            depth: top.depth + bottoms.iter().map(|quality| quality.depth).max().unwrap_or(0),
            leaf_fill: references as f64 / (bottom_leaves * options.max_leaf).max(1) as f64,
            nodes: top.nodes + bottoms.iter().map(|quality| quality.nodes).sum::<usize>(),
            leaves: top.leaves + bottom_leaves,
            duplicates: references.saturating_sub(primitives),
            seconds,
            primitives_per_second: primitives as f64 / seconds.max(1e-9),
        })
    }
}

/// The cost that a ray which meets the world box has to expect.
fn expected_cost(tree: &Tree, costs: &LevelFigures) -> Result<f64, BuildError> {
    let (Some(top), Some(top_cost)) = (&tree.top, costs.top) else {
        return Ok(costs.bottoms.first().copied().unwrap_or(0.0));
    };
    let world_area = half_area(&top.bvh.root().bounds);
    let mut below = 0.0;
    for (instance, placement) in top.placements.iter().enumerate() {
        let bottom = placement.bottom as usize;
        let bounds = placement
            .world_bounds(&tree.bottoms[bottom].bvh.root().bounds)
            .map_err(|source| BuildError::Singular { instance, source })?;
        below += half_area(&bounds) * costs.bottoms[bottom];
    }
    Ok(if world_area > 0.0 { top_cost + below / world_area } else { 0.0 })
}

/// The mean of the bottom levels' overlap, weighted by their primitives.
fn mean_overlap(bottoms: &[Bottom], primitives: usize) -> f64 {
    let share = |bottom: &Bottom| bottom.primitives.len() as f64 / primitives.max(1) as f64;
    bottoms
        .iter()
        .map(|bottom| {
            let samples = (share(bottom) * OVERLAP_SAMPLES as f64).ceil() as usize;
            share(bottom) * end_point_overlap(bottom, samples)
        })
        .sum()
}

fn half_area(bounds: &Aabb) -> f64 {
    let e = (bounds.max.as_dvec3() - bounds.min.as_dvec3()).max(glam::DVec3::ZERO);
    e.x * e.y + e.y * e.z + e.z * e.x
}
