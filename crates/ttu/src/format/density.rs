//! How well blocks are filled.

use super::block::{BLOCK_BYTES, MAX_NODES};
use super::check::directory_of;
use super::directory::Parts;
use machine::Image;

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
}

impl Density {
    /// Measures an image; one whose directory is unsound has no figures.
    #[must_use]
    pub fn of(image: &Image) -> Option<Self> {
        let (bytes, directory) = directory_of(image)?;
        let parts = Parts { bytes, directory: &directory };
        Some(Self {
            blocks: directory.block_count as usize,
            nodes: (0..directory.block_count).map(|n| parts.block(n).nodes.len()).sum(),
            references: directory.reference_count as usize,
            triangles: directory.levels.iter().map(|level| level.triangle_count as usize).sum(),
            instances: directory.instance_count as usize,
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

    /// Bytes of blocks and references: what a query can touch.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        (BLOCK_BYTES * self.blocks + 4 * self.references) as u64
    }

    /// The same a triangle; 0 without triangles.
    #[must_use]
    pub fn bytes_per_triangle(&self) -> f64 {
        ratio(self.bytes() as usize, self.triangles)
    }
}

fn ratio(a: usize, b: usize) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}
