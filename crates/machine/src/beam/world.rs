//! A tree as beams see it: the leaf tests, shared by every machine.

use super::{BeamHit, BeamQuery, LeafRule};
use geometry::beam::{BoxError, Contact, check_box};
use geometry::{Aabb, Beam, SingularTransform};
use tree::primitives::Primitive;
use tree::{Primitives, Tree};

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
        for (bottom, bounds) in bounds.iter().enumerate().filter(|(_, b)| !b.is_empty()) {
            check_box(bounds).map_err(|error| BeamWorldError::Bottom { bottom, error })?;
        }
        let mut placed = Vec::new();
        for (instance, placement) in tree.top.iter().flat_map(|t| &t.placements).enumerate() {
            let bounds = placement
                .world_bounds(&bounds[placement.bottom as usize])
                .map_err(|error| BeamWorldError::Singular { instance, error })?;
            if !bounds.is_empty() {
                check_box(&bounds)
                    .map_err(|error| BeamWorldError::Placement { instance, error })?;
            }
            placed.push(bounds);
        }
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
        let (beam, leaf) = (Some(query.beam), query.leaf);
        let within = Contact { first: query.beam.tmin(), last: query.beam.tmax() };
        (query.mask != 0).then_some(BeamView { primitives, beam, within, leaf, instance: 0 })
    }

    /// What the beam sees through placement `instance`; `None` if the mask hides it or the beam misses
    /// its box.
    #[must_use]
    pub fn placed(&self, query: &BeamQuery, instance: u32) -> Option<BeamView<'a>> {
        let placement = self.tree.top.as_ref()?.placements.get(instance as usize)?;
        let bounds = self.placed_bounds(instance);
        if placement.mask & query.mask == 0 || bounds.is_empty() {
            return None;
        }
        Some(BeamView {
            primitives: &self.tree.bottoms[placement.bottom as usize].primitives,
            beam: placement.world_to_object.beam(&query.beam).ok(),
            within: query.beam.contact(&bounds)?,
            leaf: query.leaf,
            instance,
        })
    }
}

/// A bottom level as one beam sees it.
#[derive(Debug, Clone, Copy)]
pub struct BeamView<'a> {
    /// The primitives.
    pub primitives: &'a Primitives,
    /// The beam in the space of the primitives. `None` if it is too large to be moved there: then it
    /// cannot be told from all of space, and meets everything.
    pub beam: Option<Beam>,
    /// When the beam meets the placement's box in world space: nothing is met before or after.
    pub within: Contact,
    /// What counts as met.
    pub leaf: LeafRule,
    /// The id of the placement.
    pub instance: u32,
}

impl BeamView<'_> {
    /// Whether and when the beam meets primitive `index`.
    #[must_use]
    pub fn hit(&self, index: usize) -> Option<BeamHit> {
        let contact = match &self.beam {
            Some(beam) => self.contact(beam, self.primitives.get(index))?,
            None => self.within,
        };
        let id = self.primitives.ids[index];
        let (t, exit) = (contact.first.max(self.within.first), contact.last.min(self.within.last));
        (t <= exit).then_some(BeamHit {
            t: t + 0.0, // -0.0 becomes +0.0
            exit,
            instance: self.instance,
            geometry: id.geometry,
            primitive: id.primitive,
        })
    }

    /// When the beam enters a box of the hierarchy above the primitives, by a guaranteed lower bound.
    #[must_use]
    pub fn enter(&self, bounds: &Aabb) -> Option<f32> {
        match &self.beam {
            Some(beam) => enter(beam, bounds),
            None => Some(self.within.first),
        }
    }

    fn contact(&self, beam: &Beam, primitive: Primitive<'_>) -> Option<Contact> {
        match (self.leaf, primitive) {
            (_, Primitive::Box(bounds)) if bounds.is_empty() => None,
            (LeafRule::Conservative, Primitive::Triangle(triangle)) => {
                beam.contact(&triangle.bounds())
            }
            (LeafRule::Conservative, Primitive::Box(bounds)) => beam.contact(bounds),
            (LeafRule::Exact, Primitive::Triangle(triangle)) => beam.triangle_contact(triangle),
            (LeafRule::Exact, Primitive::Box(bounds)) => beam.exact_box_contact(bounds),
        }
    }
}

/// When `beam` enters `bounds`, by a guaranteed lower bound; `None` for a miss or an empty box.
#[must_use]
pub fn enter(beam: &Beam, bounds: &Aabb) -> Option<f32> {
    if bounds.is_empty() {
        return None;
    }
    beam.overlap(bounds).map(|overlap| beam.t_lower(&overlap))
}

/// The box around all primitives that have one.
fn bounds(primitives: &Primitives) -> Aabb {
    (0..primitives.len())
        .map(|index| primitives.bounds(index))
        .filter(|bounds| !bounds.is_empty())
        .fold(Aabb::EMPTY, Aabb::union)
}
