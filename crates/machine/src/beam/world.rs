//! A tree as beams see it: the leaf tests, shared by every machine.

use super::{BeamHit, BeamQuery, BeamSpace};
use geometry::beam::{BoxError, check_box};
use geometry::{Aabb, SingularTransform};
use tree::{Instance, Primitives, Tree};

/// The primitives and instances of a tree, ready for leaf tests. The hierarchies are not looked at.
#[derive(Debug, Clone)]
pub struct BeamWorld<'a> {
    tree: &'a Tree,
    /// The box in world space around each instance's primitives; empty if there are none.
    placed: Vec<Aabb>,
}

/// Why beams cannot be asked about a tree.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BeamWorldError {
    /// A level reaches too far.
    #[error("BLAS {blas}: {error}")]
    Blas {
        /// Which.
        blas: usize,
        /// The rule that its box breaks.
        error: BoxError,
    },
    /// An instance reaches too far.
    #[error("instance {instance}: {error}")]
    Instance {
        /// Which.
        instance: usize,
        /// The rule that its box breaks.
        error: BoxError,
    },
    /// An instance has no inverse.
    #[error("instance {instance}: {error}")]
    Singular {
        /// Which.
        instance: usize,
        /// Why.
        error: SingularTransform,
    },
}

impl<'a> BeamWorld<'a> {
    /// Proves that every box may be tested, and finds the boxes of instances.
    ///
    /// # Errors
    /// When something reaches beyond `2^126`, or a transform is singular.
    pub fn new(tree: &'a Tree) -> Result<Self, BeamWorldError> {
        let bounds: Vec<Aabb> = tree.blases.iter().map(|b| bounds(&b.primitives)).collect();
        let instances = tree.tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
        let placed = placed_bounds(&bounds, instances)?;
        Ok(Self { tree, placed })
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The box in world space around the primitives of instance `instance`; empty if there are none.
    #[must_use]
    pub fn placed_bounds(&self, instance: u32) -> Aabb {
        self.placed[instance as usize]
    }

    /// BLAS `blas`, which lies in world space; `None` if the mask sees nothing.
    #[must_use]
    pub fn world(&self, query: &BeamQuery, blas: usize) -> Option<BeamView<'a>> {
        let primitives = &self.tree.blases[blas].primitives;
        Some(BeamView { primitives, space: BeamSpace::world(query)? })
    }

    /// What the beam sees through instance `number`; `None` if the mask hides it or the beam misses
    /// its box.
    #[must_use]
    pub fn placed(&self, query: &BeamQuery, number: u32) -> Option<BeamView<'a>> {
        let instance = self.tree.tlas.as_ref()?.instances.get(number as usize)?;
        let space = BeamSpace::placed(query, instance, &self.placed_bounds(number), number)?;
        let primitives = &self.tree.blases[instance.blas as usize].primitives;
        Some(BeamView { primitives, space })
    }
}

/// A BLAS as one beam sees it.
#[derive(Debug, Clone, Copy)]
pub struct BeamView<'a> {
    /// The primitives.
    pub primitives: &'a Primitives,
    /// The beam in their space.
    pub space: BeamSpace,
}

impl BeamView<'_> {
    /// Whether and when the beam meets primitive `index`.
    #[must_use]
    pub fn hit(&self, index: usize) -> Option<BeamHit> {
        self.space.hit(self.primitives.get(index), self.primitives.ids[index])
    }
}

/// The boxes in world space around the primitives of instances; empty if there are none.
///
/// # Errors
/// When something reaches beyond `2^126`, or a transform is singular.
pub fn placed_bounds(blases: &[Aabb], instances: &[Instance]) -> Result<Vec<Aabb>, BeamWorldError> {
    for (blas, bounds) in blases.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
        check_box(bounds).map_err(|error| BeamWorldError::Blas { blas, error })?;
    }
    let placed = instances.iter().enumerate().map(|(number, instance)| {
        let bounds = instance
            .world_bounds(&blases[instance.blas as usize])
            .map_err(|error| BeamWorldError::Singular { instance: number, error })?;
        if !bounds.is_empty() {
            check_box(&bounds)
                .map_err(|error| BeamWorldError::Instance { instance: number, error })?;
        }
        Ok(bounds)
    });
    placed.collect()
}

/// The box around all primitives that have one.
fn bounds(primitives: &Primitives) -> Aabb {
    (0..primitives.len())
        .map(|index| primitives.bounds(index))
        .filter(|bounds| !bounds.is_empty())
        .fold(Aabb::EMPTY, Aabb::union)
}
