//! Figures of a tree and of its making.
//!
//! A scene without instances has the figures of its one BLAS. With instances, the cost is the
//! one a ray that meets the world box has to expect: the TLAS's, plus, for each instance, that of
//! its BLAS times the share of the world box's area that the instance's box has. The overlap
//! is the mean over BLASes, weighted by their primitives; depths add up; everything else is
//! summed over the stored BLASes, each once.

use crate::BuildError;
use crate::options::{Options, Preset};
use tree::quality::{LevelCosts, end_point_overlap};
use tree::{Blas, Quality, Tree};

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
    /// Most nodes on a path from the root to a leaf; TLAS and BLAS added.
    pub depth: usize,
    /// References per leaf, as a share of `max_leaf`.
    pub leaf_fill: f64,
    /// Nodes of all levels.
    pub nodes: usize,
    /// Leaves of all levels.
    pub leaves: usize,
    /// References of BLASes beyond one for each primitive: what spatial splits added.
    pub duplicates: usize,
    /// Time from scene to tree.
    pub seconds: f64,
    /// Primitives over time.
    pub primitives_per_second: f64,
}

impl Report {
    /// Measures a tree that was built in `seconds`.
    pub(crate) fn new(
        tree: &Tree,
        binary: &LevelCosts,
        options: &Options,
        seconds: f64,
    ) -> Result<Self, BuildError> {
        let blases: Vec<Quality> = tree.blases.iter().map(|b| Quality::of(&b.bvh)).collect();
        let tlas = tree.tlas.as_ref().map(|tlas| Quality::of(&tlas.bvh));
        let wide = LevelCosts {
            blases: blases.iter().map(|quality| quality.sah_cost).collect(),
            tlas: tlas.map(|quality| quality.sah_cost),
        };
        let expected = |costs: &LevelCosts| {
            let singular = |(instance, source)| BuildError::Singular { instance, source };
            costs.expected(tree).map_err(singular)
        };
        let primitives = tree.primitive_count();
        let references: usize = blases.iter().map(|quality| quality.references).sum();
        let blas_leaves: usize = blases.iter().map(|quality| quality.leaves).sum();
        let tlas = tlas.unwrap_or_default();
        Ok(Self {
            preset: options.preset,
            primitives,
            sah_cost: expected(binary)?,
            sah_cost_wide: expected(&wide)?,
            overlap: mean_overlap(&tree.blases, primitives),
            depth: tlas.depth + blases.iter().map(|quality| quality.depth).max().unwrap_or(0),
            leaf_fill: references as f64 / (blas_leaves * options.max_leaf).max(1) as f64,
            nodes: tlas.nodes + blases.iter().map(|quality| quality.nodes).sum::<usize>(),
            leaves: tlas.leaves + blas_leaves,
            duplicates: references.saturating_sub(primitives),
            seconds,
            primitives_per_second: primitives as f64 / seconds.max(1e-9),
        })
    }
}

/// The mean of the BLASes' overlap, weighted by their primitives.
fn mean_overlap(blases: &[Blas], primitives: usize) -> f64 {
    let share = |blas: &Blas| blas.primitives.len() as f64 / primitives.max(1) as f64;
    blases
        .iter()
        .map(|blas| {
            let samples = (share(blas) * OVERLAP_SAMPLES as f64).ceil() as usize;
            share(blas) * end_point_overlap(blas, samples)
        })
        .sum()
}
