//! A scene without instances: every placed triangle in world space.
//!
//! Vertices are moved by the instance's transform and rounded to `f32` once; from then on they are
//! the geometry. Questions that must be exact in world space (the exact rule of beams, a part in
//! motion) are asked about this.

use geometry::Vec3;
use scene::{Geometry, Object, Scene, Shape};

/// Most triangles of a flat scene: beyond, memory would run out before an answer comes.
pub const MOST_TRIANGLES: usize = 100_000_000;

/// A scene whose only object lies in world space.
#[derive(Debug, Clone, PartialEq)]
pub struct FlatScene {
    /// The scene.
    pub scene: Scene,
    /// For each geometry, the instance and the geometry that it was.
    origins: Vec<(u32, u32)>,
}

/// Why a scene has no flat form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FlatSceneError {
    /// Too many placed triangles.
    #[error("the instances place {found} triangles, expected at most {MOST_TRIANGLES}")]
    TooLarge {
        /// How many there are.
        found: usize,
    },
    /// A vertex leaves the range of coordinates.
    #[error("instance {instance} moves a vertex of geometry {geometry} out of range")]
    OutOfRange {
        /// Which instance.
        instance: u32,
        /// Which geometry.
        geometry: u32,
    },
}

impl FlatScene {
    /// The triangles of `scene` in world space. Procedural boxes of instances are left out: turned,
    /// they are no boxes.
    ///
    /// # Errors
    /// When there are too many triangles, or a coordinate overflows.
    pub fn new(scene: Scene) -> Result<Self, FlatSceneError> {
        if scene.instances.is_empty() {
            let geometries = scene.objects.first().map_or(0, |object| object.geometries.len());
            return Ok(Self { origins: (0..geometries as u32).map(|g| (0, g)).collect(), scene });
        }
        let found = scene.placed_triangle_count();
        if found > MOST_TRIANGLES {
            return Err(FlatSceneError::TooLarge { found });
        }
        let (mut geometries, mut origins) = (Vec::new(), Vec::new());
        for placed in scene.flattened() {
            let Geometry { name, opaque, shape, appearance } = placed.geometry;
            let Shape::Triangles { positions, indices } = shape else { continue };
            let positions: Vec<Vec3> = positions.iter().map(|&p| placed.point(p)).collect();
            let (instance, geometry) = (placed.instance, placed.number);
            let limit = geometry::beam::error::LARGEST;
            if positions.iter().any(|p| !p.is_finite() || p.abs().max_element() > limit) {
                return Err(FlatSceneError::OutOfRange { instance, geometry });
            }
            let shape = Shape::Triangles { positions, indices: indices.clone() };
            let appearance = appearance.clone();
            geometries.push(Geometry { appearance, ..Geometry::new(name, *opaque, shape) });
            origins.push((instance, geometry));
        }
        let objects = vec![Object { name: String::new(), geometries }];
        let scene = Scene { objects, instances: Vec::new(), ..scene };
        Ok(Self { scene, origins })
    }

    /// The instance and the geometry that `geometry` of the flat scene was.
    #[must_use]
    pub fn origin(&self, geometry: u32) -> (u32, u32) {
        self.origins.get(geometry as usize).copied().unwrap_or((0, geometry))
    }
}
