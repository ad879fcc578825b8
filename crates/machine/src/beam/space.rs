//! A beam in the space of the primitives that it is tested with: the leaf tests, shared by every
//! machine.

use crate::{BeamQuery, BeamShape, Hit, LeafRule};
use geometry::beam::Contact;
use geometry::{Aabb, Beam};
use tree::primitives::Primitive;
use tree::{Instance, PrimitiveId};

/// A beam as a BLAS sees it.
#[derive(Debug, Clone, Copy)]
pub struct BeamSpace {
    /// The beam in the space of the primitives. `None` if it is too large to be moved there: then
    /// it cannot be told from all of space, and meets everything.
    pub beam: Option<Beam>,
    /// When the beam meets the instance's box in world space: nothing is met before or after.
    pub within: Contact,
    /// What counts as met.
    pub leaf: LeafRule,
    /// The id of the instance.
    pub instance: u32,
}

impl BeamSpace {
    /// World space; `None` if the mask sees nothing.
    #[must_use]
    pub fn world(query: &BeamQuery) -> Option<Self> {
        let BeamShape { beam, leaf } = query.shape;
        let within = Contact { first: beam.tmin(), last: beam.tmax() };
        let space = Self { beam: Some(beam), within, leaf, instance: 0 };
        (query.mask != 0).then_some(space)
    }

    /// The space of instance `number`, whose primitives lie inside `bounds` in world space;
    /// `None` if the mask hides it or the beam misses that box.
    #[must_use]
    pub fn placed(
        query: &BeamQuery,
        instance: &Instance,
        bounds: &Aabb,
        number: u32,
    ) -> Option<Self> {
        if instance.mask & query.mask == 0 || bounds.is_empty() {
            return None;
        }
        Some(Self {
            within: query.shape.beam.contact(bounds)?,
            beam: instance.world_to_object.beam(&query.shape.beam).ok(),
            leaf: query.shape.leaf,
            instance: number,
        })
    }

    /// Whether and when the beam meets a primitive.
    #[must_use]
    pub fn hit(&self, primitive: Primitive<'_>, id: PrimitiveId) -> Option<Hit> {
        let contact = match &self.beam {
            Some(beam) => self.contact(beam, primitive)?,
            None => self.within,
        };
        let (t, exit) = (contact.first.max(self.within.first), contact.last.min(self.within.last));
        (t <= exit).then_some(Hit {
            t: t + 0.0, // -0.0 becomes +0.0
            u: exit,
            v: 0.0,
            instance: self.instance,
            geometry: id.geometry,
            primitive: id.primitive,
        })
    }

    /// When the beam enters a box of the hierarchy above the primitives, by a guaranteed lower
    /// bound.
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
