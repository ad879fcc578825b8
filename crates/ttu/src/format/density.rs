//! How well blocks are filled, and where bytes go.

use super::block::MAX_NODES;
use super::check::directory_of;
use super::directory::{LevelRecord, Parts};
use machine::{ByteSplit, Image};

/// Figures of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Density {
    /// Blocks.
    pub blocks: usize,
    /// Nodes in use.
    pub nodes: usize,
    /// Primitive references.
    pub references: usize,
    /// Triangles stored, each BLAS counted once.
    pub triangles: usize,
    /// Instances.
    pub instances: usize,
    /// Where the bytes go.
    pub bytes: ByteSplit,
}

impl Density {
    /// Measures an image; one whose directory is unsound has no figures.
    #[must_use]
    pub fn of(image: &Image) -> Option<Self> {
        let (bytes, directory) = directory_of(image)?;
        let parts = Parts { bytes, directory: &directory };
        let sum = |count: fn(&LevelRecord) -> u64| directory.levels.iter().map(count).sum::<u64>();
        let triangles = sum(|level| level.triangle_count.into());
        let geometry = 36 * triangles + 24 * sum(|level| level.box_count.into());
        let ids = 12 * sum(LevelRecord::item_count);
        Some(Self {
            blocks: directory.block_count as usize,
            nodes: (0..directory.block_count).map(|n| parts.block(n).nodes.len()).sum(),
            references: directory.reference_count as usize,
            triangles: triangles as usize,
            instances: directory.instance_count as usize,
            bytes: ByteSplit::new(image.byte_count() as u64, geometry, ids),
        })
    }

    /// Nodes a block; 0 without blocks.
    #[must_use]
    pub fn nodes_per_block(&self) -> f64 {
        ratio(self.nodes, self.blocks)
    }

    /// How much of the blocks' nodes is in use, from 0 to 1.
    #[must_use]
    pub fn fill(&self) -> f64 {
        ratio(self.nodes, MAX_NODES * self.blocks)
    }
}

fn ratio(a: usize, b: usize) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}
