//! A beam in the space of the primitives that it is tested with: the leaf tests, shared by every
//! machine.

use crate::{BeamQuery, BeamShape, Hit, LeafRule};
use geometry::beam::Contact;
use geometry::volume::Body;
use geometry::{Aabb, Beam, Transform, Volume};
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
    /// The volume inside the beam that is asked about, in world space.
    volume: Option<Volume>,
    /// From the world to the space of the primitives.
    world_to_object: Option<Transform>,
    /// The id of the instance.
    pub instance: u32,
}

impl BeamSpace {
    /// World space; `None` if the mask sees nothing.
    #[must_use]
    pub fn world(query: &BeamQuery) -> Option<Self> {
        let BeamShape { beam, leaf, volume } = query.shape;
        let within = Contact { first: beam.tmin(), last: beam.tmax() };
        let (beam, world_to_object) = (Some(beam), None);
        let space = Self { beam, within, leaf, volume, world_to_object, instance: 0 };
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
            volume: query.shape.volume,
            world_to_object: Some(instance.world_to_object),
            instance: number,
        })
    }

    /// Whether and when the beam, or the volume inside it, meets a primitive.
    #[must_use]
    pub fn hit(&self, primitive: Primitive<'_>, id: PrimitiveId) -> Option<Hit> {
        let by_beam = match &self.beam {
            Some(beam) => self.contact(beam, primitive)?,
            None => self.within,
        };
        let within = both(by_beam, self.within)?;
        let Contact { first, last } = match &self.volume {
            Some(volume) => both(within, self.volume_contact(volume, primitive)?)?,
            None => within,
        };
        Some(Hit {
            t: first + 0.0, // -0.0 becomes +0.0
            u: last,
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
        // A volume meets nothing whose box the beam around it misses.
        let leaf = if self.volume.is_some() { LeafRule::Conservative } else { self.leaf };
        match (leaf, primitive) {
            (_, Primitive::Box(bounds)) if bounds.is_empty() => None,
            (LeafRule::Conservative, Primitive::Triangle(triangle)) => {
                beam.contact(&triangle.bounds())
            }
            (LeafRule::Conservative, Primitive::Box(bounds)) => beam.contact(bounds),
            (LeafRule::Exact, Primitive::Triangle(triangle)) => beam.triangle_contact(triangle),
            (LeafRule::Exact, Primitive::Box(bounds)) => beam.exact_box_contact(bounds),
        }
    }

    /// When the volume meets a primitive, or by the conservative rule its own box, as placed in
    /// the world.
    fn volume_contact(&self, volume: &Volume, primitive: Primitive<'_>) -> Option<Contact> {
        let map = self.world_to_object.as_ref();
        match (self.leaf, primitive) {
            (LeafRule::Conservative, Primitive::Triangle(triangle)) => {
                volume.contact(Body::Box(&triangle.bounds()), map)
            }
            (LeafRule::Exact, Primitive::Triangle(triangle)) => {
                volume.contact(Body::Triangle(triangle), map)
            }
            (_, Primitive::Box(bounds)) => volume.contact(Body::Box(bounds), map),
        }
    }
}

/// The contact with both, if there is one.
fn both(a: Contact, b: Contact) -> Option<Contact> {
    let (first, last) = (a.first.max(b.first), a.last.min(b.last));
    (first <= last).then_some(Contact { first, last })
}

/// When `beam` enters `bounds`, by a guaranteed lower bound; `None` for a miss or an empty box.
#[must_use]
pub fn enter(beam: &Beam, bounds: &Aabb) -> Option<f32> {
    if bounds.is_empty() {
        return None;
    }
    beam.overlap(bounds).map(|overlap| beam.t_lower(&overlap))
}
