//! One primitive against one query.
//!
//! The oracle and every walk decide here whether a primitive is seen and hit, so that culling rules
//! and the definition of a hit exist once.

use crate::{Hit, RayFlags, RayQuery};
use geometry::{InstanceFlags, Ray, SurfaceHit, TriangleRule, procedural_hit, triangle_hit};
use tree::primitives::Primitive;
use tree::{Instance, PrimitiveFlags, PrimitiveId, Primitives};

/// A BLAS as one query sees it through one instance.
#[derive(Debug, Clone, Copy)]
pub struct InstanceView<'a> {
    /// The primitives.
    pub primitives: &'a Primitives,
    /// The query's ray, in the space of the primitives.
    pub ray: Ray,
    /// The id of the instance.
    pub instance: u32,
    /// The flags of the query, merged with those of the instance.
    pub flags: MergedFlags,
}

/// What a query and an instance leave out between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedFlags {
    ray: RayFlags,
    flip_facing: bool,
    face_culling: bool,
}

impl<'a> InstanceView<'a> {
    /// A BLAS that lies in world space.
    #[must_use]
    pub fn world(primitives: &'a Primitives, query: &RayQuery) -> Self {
        let flags = MergedFlags::new(query.flags, InstanceFlags::empty());
        Self { primitives, ray: query.shape, instance: 0, flags }
    }

    /// A BLAS through instance `number`; `None` if the mask hides it.
    #[must_use]
    pub fn placed(
        primitives: &'a Primitives,
        query: &RayQuery,
        number: u32,
        instance: &Instance,
    ) -> Option<Self> {
        (instance.mask & query.mask != 0).then(|| Self {
            primitives,
            ray: instance.world_to_object.ray(&query.shape),
            instance: number,
            flags: MergedFlags::new(query.flags, instance.flags),
        })
    }

    /// Whether and where the query hits primitive `index`.
    #[must_use]
    pub fn hit(&self, rule: TriangleRule, index: usize) -> Option<Hit> {
        let (primitive, id) = (self.primitives.get(index), self.primitives.ids[index]);
        self.flags.hit(rule, &self.ray, primitive, id, self.instance)
    }
}

impl MergedFlags {
    /// Merges as the GFX12 unit does: the force flags of an instance yield to those of the ray.
    #[must_use]
    pub fn new(ray: RayFlags, instance: InstanceFlags) -> Self {
        let forced = RayFlags::FORCE_OPAQUE | RayFlags::FORCE_NON_OPAQUE;
        let mut merged = ray;
        if !ray.intersects(forced) {
            merged.set(RayFlags::FORCE_OPAQUE, instance.contains(InstanceFlags::FORCE_OPAQUE));
            merged.set(
                RayFlags::FORCE_NON_OPAQUE,
                instance.contains(InstanceFlags::FORCE_NON_OPAQUE),
            );
        }
        Self {
            ray: merged,
            flip_facing: instance.contains(InstanceFlags::FLIP_FACING),
            face_culling: !instance.contains(InstanceFlags::DISABLE_FACE_CULL),
        }
    }

    /// Whether and where `ray`, in the space of the primitive, hits it through instance `instance`.
    #[must_use]
    pub fn hit(
        &self,
        rule: TriangleRule,
        ray: &Ray,
        primitive: Primitive<'_>,
        id: PrimitiveId,
        instance: u32,
    ) -> Option<Hit> {
        let surface = match primitive {
            Primitive::Triangle(triangle) => self
                .sees_triangles(id.flags)
                .then(|| triangle_hit(rule, ray, triangle))
                .flatten()
                .filter(|surface| self.sees_face(id.flags, surface.front)),
            Primitive::Box(bounds) => {
                self.sees_boxes(id.flags).then(|| procedural_hit(ray, bounds)).flatten()
            }
        };
        surface.map(|SurfaceHit { t, u, v, .. }| Hit {
            t,
            u,
            v,
            instance,
            geometry: id.geometry,
            primitive: id.primitive,
        })
    }

    /// Whether a triangle with these flags can be hit, whichever side is seen.
    #[must_use]
    pub fn sees_triangles(&self, primitive: PrimitiveFlags) -> bool {
        !self.ray.contains(RayFlags::SKIP_TRIANGLES) && self.sees_opacity(primitive)
    }

    /// Whether a procedural box with these flags can be hit.
    #[must_use]
    pub fn sees_boxes(&self, primitive: PrimitiveFlags) -> bool {
        !self.ray.contains(RayFlags::SKIP_PROCEDURAL) && self.sees_opacity(primitive)
    }

    /// Whether that side of a triangle can be hit. A double-sided triangle shows both (G-16).
    #[must_use]
    pub fn sees_face(&self, primitive: PrimitiveFlags, front: bool) -> bool {
        if !self.face_culling || primitive.contains(PrimitiveFlags::DOUBLE_SIDED) {
            return true;
        }
        let culled =
            if front != self.flip_facing { RayFlags::CULL_FRONT } else { RayFlags::CULL_BACK };
        !self.ray.contains(culled)
    }

    /// Whether the primitive counts as opaque after force flags.
    #[must_use]
    pub fn is_opaque(&self, primitive: PrimitiveFlags) -> bool {
        self.ray.contains(RayFlags::FORCE_OPAQUE)
            || (!self.ray.contains(RayFlags::FORCE_NON_OPAQUE)
                && primitive.contains(PrimitiveFlags::OPAQUE))
    }

    fn sees_opacity(&self, primitive: PrimitiveFlags) -> bool {
        let culled = if self.is_opaque(primitive) {
            RayFlags::CULL_OPAQUE
        } else {
            RayFlags::CULL_NON_OPAQUE
        };
        !self.ray.contains(culled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: PrimitiveFlags = PrimitiveFlags::empty();

    fn merged(ray: RayFlags, instance: InstanceFlags) -> MergedFlags {
        MergedFlags::new(ray, instance)
    }

    /// The worked merge of the GFX12 guide: the ray's force flag wins over the instance's.
    #[test]
    fn force_flags_of_the_ray_win() {
        let both = merged(RayFlags::FORCE_OPAQUE, InstanceFlags::FORCE_NON_OPAQUE);
        assert!(both.is_opaque(NONE));
        let instance = merged(RayFlags::empty(), InstanceFlags::FORCE_NON_OPAQUE);
        assert!(!instance.is_opaque(PrimitiveFlags::OPAQUE));
        let stored = merged(RayFlags::empty(), InstanceFlags::empty());
        assert!(stored.is_opaque(PrimitiveFlags::OPAQUE) && !stored.is_opaque(NONE));
    }

    #[test]
    fn opacity_culls_after_forcing() {
        let ray = RayFlags::CULL_OPAQUE;
        let forced = merged(ray, InstanceFlags::FORCE_OPAQUE);
        assert!(!forced.sees_triangles(NONE) && !forced.sees_boxes(NONE));
        let stored = merged(ray, InstanceFlags::empty());
        assert!(stored.sees_triangles(NONE) && !stored.sees_triangles(PrimitiveFlags::OPAQUE));
        let non_opaque = merged(RayFlags::CULL_NON_OPAQUE, InstanceFlags::empty());
        assert!(!non_opaque.sees_boxes(NONE) && non_opaque.sees_boxes(PrimitiveFlags::OPAQUE));
    }

    #[test]
    fn kinds_can_be_skipped() {
        let triangles = merged(RayFlags::SKIP_TRIANGLES, InstanceFlags::empty());
        assert!(!triangles.sees_triangles(NONE) && triangles.sees_boxes(NONE));
        let boxes = merged(RayFlags::SKIP_PROCEDURAL, InstanceFlags::empty());
        assert!(boxes.sees_triangles(NONE) && !boxes.sees_boxes(NONE));
    }

    /// Every combination of seen side, flipped, culling disabled and double sided.
    #[test]
    fn faces_are_culled_as_seen() {
        for bits in 0..16 {
            let (front, flip) = (bits & 1 != 0, bits & 2 != 0);
            let (disabled, double_sided) = (bits & 4 != 0, bits & 8 != 0);
            let mut instance = InstanceFlags::empty();
            instance.set(InstanceFlags::FLIP_FACING, flip);
            instance.set(InstanceFlags::DISABLE_FACE_CULL, disabled);
            let mut primitive = NONE;
            primitive.set(PrimitiveFlags::DOUBLE_SIDED, double_sided);
            let seen = |ray| merged(ray, instance).sees_face(primitive, front);
            let kept = disabled || double_sided;
            assert_eq!(seen(RayFlags::CULL_FRONT), kept || front == flip, "{bits:04b}");
            assert_eq!(seen(RayFlags::CULL_BACK), kept || front != flip, "{bits:04b}");
            assert!(seen(RayFlags::empty()));
        }
    }
}
