//! What a batch asks beside its rays: who is seen, and which callbacks may reject hits.

use crate::Hit;
use geometry::{Aabb, Ray, SlabRay, SurfaceHit, TriangleRule, slab};
use machine::RayFlags;
use machine::primitive_test::MergedFlags;
use tree::PrimitiveId;
use tree::primitives::Primitive;

/// Decides whether a hit on a primitive that is not opaque counts: an any-hit shader. It is told
/// the position of the ray in its batch, and may be asked in any order, on any thread, and more
/// than once for a hit.
pub type Filter<'a> = dyn Fn(usize, &Hit) -> bool + Sync + 'a;

/// Decides whether and where a ray meets what is inside a procedural box: an intersection shader.
/// The parameter that it answers must lie where the ray is inside the box and inside its own
/// bounds; other answers are misses.
pub type Intersector<'a> = dyn Fn(&BoxCandidate) -> Option<SurfaceHit> + Sync + 'a;

/// A procedural box that a ray meets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxCandidate {
    /// The position of the ray in its batch.
    pub position: usize,
    /// The ray, in the space of the box.
    pub ray: Ray,
    /// The box.
    pub bounds: Aabb,
    /// Which instance.
    pub instance: u32,
    /// Which geometry of the object.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub primitive: u32,
}

/// What all rays of a batch share.
#[derive(Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) rule: TriangleRule,
    pub(crate) mask: u8,
    pub(crate) flags: RayFlags,
    pub(crate) filter: Option<&'a Filter<'a>>,
    pub(crate) intersector: Option<&'a Intersector<'a>>,
}

impl Ask<'_> {
    /// The question that sees everything.
    pub(crate) fn everything(rule: TriangleRule) -> Self {
        Self { rule, mask: 0xFF, flags: RayFlags::empty(), filter: None, intersector: None }
    }

    /// Whether every triangle can be hit from both sides and nobody is asked.
    pub(crate) fn has_no_filter_or_flags(&self) -> bool {
        self.flags.is_empty() && self.filter.is_none()
    }

    /// Whether and where a ray, in the space of the primitive, hits it.
    pub(crate) fn hit(
        &self,
        position: usize,
        space: &Space,
        primitive: Primitive<'_>,
        id: PrimitiveId,
    ) -> Option<Hit> {
        let hit = match (primitive, self.intersector) {
            (Primitive::Box(bounds), Some(intersector)) if space.flags.sees_boxes(id.flags) => {
                intersected(intersector, position, space, bounds, id)
            }
            _ => space.flags.hit(self.rule, &space.ray, primitive, id, space.instance),
        }?;
        self.consents(position, space, id, &hit).then_some(hit)
    }

    /// Whether the filter, if there is one and it has to be asked, lets a hit count.
    pub(crate) fn consents(
        &self,
        position: usize,
        space: &Space,
        id: PrimitiveId,
        hit: &Hit,
    ) -> bool {
        match self.filter {
            Some(filter) if !space.flags.is_opaque(id.flags) => filter(position, hit),
            _ => true,
        }
    }
}

/// A ray in the space of a BLAS.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Space {
    pub(crate) ray: Ray,
    pub(crate) instance: u32,
    pub(crate) flags: MergedFlags,
}

fn intersected(
    intersector: &Intersector<'_>,
    position: usize,
    space: &Space,
    bounds: &Aabb,
    id: PrimitiveId,
) -> Option<Hit> {
    let Space { ray, instance, .. } = *space;
    let slabs = SlabRay::new(&ray, slab::reach(ray.origin, bounds));
    let interval = slabs.interval(bounds, ray.tmin, ray.tmax)?;
    let PrimitiveId { geometry, primitive, .. } = id;
    let candidate = BoxCandidate { position, ray, bounds: *bounds, instance, geometry, primitive };
    let SurfaceHit { t, u, v, .. } = intersector(&candidate)?;
    let t = t + 0.0; // -0.0 becomes +0.0
    let is_inside = interval.enter <= t && t <= interval.exit && t <= ray.tmax;
    is_inside.then_some(Hit { t, u, v, instance, geometry, primitive })
}
