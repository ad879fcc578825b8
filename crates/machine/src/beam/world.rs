//! A tree as beams see it.

use super::BeamSpace;
use crate::BeamQuery;
use geometry::beam::{BoxError, check_box};
use geometry::{Aabb, SingularTransform};
use tree::{Instance, Primitives, Tree};

/// What beams need of a tree, ready for leaf tests. The hierarchies are not looked at.
#[derive(Debug, Clone)]
pub struct BeamWorld {
    /// The box in world space around each instance's primitives; empty if there are none.
    instance_bounds: Vec<Aabb>,
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

impl BeamWorld {
    /// Proves that every box may be tested, and finds the boxes of instances.
    ///
    /// # Errors
    /// When something reaches beyond `2^126`, or a transform is singular.
    pub fn new(tree: &Tree) -> Result<Self, BeamWorldError> {
        let bounds: Vec<Aabb> = tree.blases.iter().map(|b| bounds(&b.primitives)).collect();
        let instances = tree.tlas.as_ref().map_or(&[][..], |tlas| &tlas.instances);
        Ok(Self { instance_bounds: instance_bounds(&bounds, instances)? })
    }

    /// The box in world space around the primitives of an instance; empty if there are none.
    #[must_use]
    pub fn instance_bounds(&self, instance: u32) -> Aabb {
        self.instance_bounds[instance as usize]
    }

    /// The beam in the space of an instance of `tree`, or in the world; `None` if it sees nothing
    /// there: the mask hides it, or the beam misses its box.
    #[must_use]
    pub fn space(
        &self,
        tree: &Tree,
        query: &BeamQuery,
        instance: Option<u32>,
    ) -> Option<BeamSpace> {
        match (&tree.tlas, instance) {
            (Some(tlas), Some(number)) => {
                let instance = tlas.instances.get(number as usize)?;
                BeamSpace::placed(query, instance, &self.instance_bounds(number), number)
            }
            _ => BeamSpace::world(query),
        }
    }
}

/// The boxes in world space around the primitives of instances; empty if there are none.
///
/// # Errors
/// When something reaches beyond `2^126`, or a transform is singular.
pub fn instance_bounds(
    blases: &[Aabb],
    instances: &[Instance],
) -> Result<Vec<Aabb>, BeamWorldError> {
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
