//! Levels, and the tree that they form.

use crate::{Bvh, Primitives};
use geometry::{Aabb, InstanceFlags, SingularTransform, Transform, Vec3};

/// A whole acceleration structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The BLASes; exactly one if there is no TLAS.
    pub blases: Vec<Blas>,
    /// The TLAS of an instanced scene.
    pub tlas: Option<Tlas>,
}

/// Primitives in one space, and the hierarchy over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Blas {
    /// The primitives.
    pub primitives: Primitives,
    /// The hierarchy; its items are the primitives.
    pub bvh: Bvh,
}

/// Instances, and the hierarchy over them.
#[derive(Debug, Clone, PartialEq)]
pub struct Tlas {
    /// The instances; the position is the instance id of a hit.
    pub instances: Vec<Instance>,
    /// The hierarchy in world space; its items are the instances.
    pub bvh: Bvh,
}

/// One instance of a BLAS in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// Which BLAS.
    pub blas: u32,
    /// The map that machines apply to rays. It is the truth: the other one is its rounded inverse.
    pub world_to_object: Transform,
    /// From object space to world space, as the scene gave it.
    pub object_to_world: Transform,
    /// Seen only by rays whose mask shares a bit with this one.
    pub mask: u8,
    /// A number of the user's, 24 bits.
    pub custom_index: u32,
    /// Where its records begin in the shader binding table, 24 bits.
    pub sbt_offset: u32,
    /// How its triangles are treated.
    pub flags: InstanceFlags,
}

impl Instance {
    /// The box in world space around everything that maps into `object_bounds`.
    ///
    /// # Errors
    /// When the transform is singular.
    pub fn world_bounds(&self, object_bounds: &Aabb) -> Result<Aabb, SingularTransform> {
        if object_bounds.is_empty() {
            return Ok(Aabb::EMPTY);
        }
        self.world_to_object.preimage_bounds(object_bounds)
    }
}

impl Tree {
    /// The box around everything, in world space.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match (&self.tlas, self.blases.first()) {
            (Some(tlas), _) => tlas.bvh.root().bounds,
            (None, Some(blas)) => blas.bvh.root().bounds,
            (None, None) => Aabb::EMPTY,
        }
    }

    /// Whether a geometry of an instance, 0 without a TLAS, has procedural boxes.
    #[must_use]
    pub fn is_procedural(&self, instance: u32, geometry: u32) -> bool {
        let placed = self.tlas.as_ref().map(|tlas| tlas.instances.get(instance as usize));
        let blas = placed.map_or(Some(0), |placed| placed.map(|placed| placed.blas as usize));
        let primitives = blas.and_then(|blas| self.blases.get(blas)).map(|blas| &blas.primitives);
        primitives.is_some_and(|primitives| {
            let boxes = &primitives.ids[primitives.triangles.len()..];
            boxes.iter().any(|id| id.geometry == geometry)
        })
    }

    /// Every corner of what it holds, in world space, as often as it is stored and placed: what the
    /// boxes of a format are rounded to does not matter. What is not finite is left out.
    pub fn corners(&self) -> impl Iterator<Item = Vec3> {
        let placed = self.tlas.iter().flat_map(|tlas| &tlas.instances);
        let placed = placed.map(|one| (one.blas as usize, Some(&one.object_to_world)));
        let alone = (self.tlas.is_none() && !self.blases.is_empty()).then_some((0, None));
        let levels = alone.into_iter().chain(placed);
        let corners = levels.flat_map(|(blas, to_world)| {
            let primitives = self.blases.get(blas).map(|blas| &blas.primitives);
            let corners = primitives.into_iter().flat_map(Primitives::corners);
            corners.map(move |corner| to_world.map_or(corner, |map| map.point(corner)))
        });
        corners.filter(|corner| corner.is_finite())
    }

    /// Hands over the same, which is quick even where the caller is compiled for size.
    pub fn for_each_corner(&self, act: &mut dyn FnMut(Vec3)) {
        self.corners().for_each(act);
    }

    /// The same geometry and hierarchies, with the smallest boxes that contain everything below
    /// them: a walk over it loses nothing, whatever the boxes were.
    ///
    /// # Errors
    /// When a transform is singular.
    pub fn refitted(&self) -> Result<Self, SingularTransform> {
        let blases: Vec<Blas> = self
            .blases
            .iter()
            .map(|Blas { primitives, bvh }| Blas {
                bvh: bvh.refitted(|item| primitives.bounds(item as usize)),
                primitives: primitives.clone(),
            })
            .collect();
        let tlas = self.tlas.as_ref().map(|tlas| {
            let bounds = tlas.instances.iter().map(|instance| {
                instance.world_bounds(&blases[instance.blas as usize].bvh.root().bounds)
            });
            let bounds = bounds.collect::<Result<Vec<Aabb>, _>>()?;
            let bvh = tlas.bvh.refitted(|item| bounds[item as usize]);
            Ok(Tlas { instances: tlas.instances.clone(), bvh })
        });
        Ok(Self { tlas: tlas.transpose()?, blases })
    }

    /// Triangles stored, each BLAS counted once.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.blases.iter().map(|blas| blas.primitives.triangles.len()).sum()
    }

    /// Primitives stored, each BLAS counted once.
    #[must_use]
    pub fn primitive_count(&self) -> usize {
        self.blases.iter().map(|blas| blas.primitives.len()).sum()
    }
}
