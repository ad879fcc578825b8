//! A tree as beams see it: the leaf tests, shared by every machine.

use super::{BeamHit, BeamQuery, BeamSpace};
use geometry::beam::{BoxError, check_box};
use geometry::{Aabb, SingularTransform};
use tree::{Placement, Primitives, Tree};

/// The primitives and placements of a tree, ready for leaf tests. The hierarchies are not looked at.
#[derive(Debug, Clone)]
pub struct BeamWorld<'a> {
    tree: &'a Tree,
    /// The box in world space around each placement's primitives; empty if there are none.
    placed: Vec<Aabb>,
}

/// Why beams cannot be asked about a tree.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum BeamWorldError {
    /// A level reaches too far.
    #[error("bottom level {bottom}: {error}")]
    Bottom {
        /// Which.
        bottom: usize,
        /// The rule that its box breaks.
        error: BoxError,
    },
    /// A placement reaches too far.
    #[error("instance {instance}: {error}")]
    Placement {
        /// Which.
        instance: usize,
        /// The rule that its box breaks.
        error: BoxError,
    },
    /// A placement has no inverse.
    #[error("instance {instance}: {error}")]
    Singular {
        /// Which.
        instance: usize,
        /// Why.
        error: SingularTransform,
    },
}

impl<'a> BeamWorld<'a> {
    /// Proves that every box may be tested, and finds the boxes of placements.
    ///
    /// # Errors
    /// When something reaches beyond `2^126`, or a transform is singular.
    pub fn new(tree: &'a Tree) -> Result<Self, BeamWorldError> {
        let bounds: Vec<Aabb> = tree.bottoms.iter().map(|b| bounds(&b.primitives)).collect();
        let placements = tree.top.as_ref().map_or(&[][..], |top| &top.placements);
        let placed = placed_bounds(&bounds, placements)?;
        Ok(Self { tree, placed })
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The box in world space around the primitives of placement `instance`; empty if there are none.
    #[must_use]
    pub fn placed_bounds(&self, instance: u32) -> Aabb {
        self.placed[instance as usize]
    }

    /// Bottom level `bottom`, which lies in world space; `None` if the mask sees nothing.
    #[must_use]
    pub fn world(&self, query: &BeamQuery, bottom: usize) -> Option<BeamView<'a>> {
        let primitives = &self.tree.bottoms[bottom].primitives;
        Some(BeamView { primitives, space: BeamSpace::world(query)? })
    }

    /// What the beam sees through placement `instance`; `None` if the mask hides it or the beam misses
    /// its box.
    #[must_use]
    pub fn placed(&self, query: &BeamQuery, instance: u32) -> Option<BeamView<'a>> {
        let placement = self.tree.top.as_ref()?.placements.get(instance as usize)?;
        let space = BeamSpace::placed(query, placement, &self.placed_bounds(instance), instance)?;
        let primitives = &self.tree.bottoms[placement.bottom as usize].primitives;
        Some(BeamView { primitives, space })
    }
}

/// A bottom level as one beam sees it.
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

/// The boxes in world space around the primitives of placements; empty if there are none.
///
/// # Errors
/// When something reaches beyond `2^126`, or a transform is singular.
pub fn placed_bounds(
    bottoms: &[Aabb],
    placements: &[Placement],
) -> Result<Vec<Aabb>, BeamWorldError> {
    for (bottom, bounds) in bottoms.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
        check_box(bounds).map_err(|error| BeamWorldError::Bottom { bottom, error })?;
    }
    let placed = placements.iter().enumerate().map(|(instance, placement)| {
        let bounds = placement
            .world_bounds(&bottoms[placement.bottom as usize])
            .map_err(|error| BeamWorldError::Singular { instance, error })?;
        if !bounds.is_empty() {
            check_box(&bounds).map_err(|error| BeamWorldError::Placement { instance, error })?;
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
