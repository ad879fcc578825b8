//! A scene without instances, for libraries that have none: every placed triangle, in world space.

use geometry::Triangle;
#[cfg(any(feature = "obvhs", feature = "tinybvh"))]
use machine::Hit;
use scene::Scene;

/// Triangles in world space, and what each is called in the scene.
#[derive(Debug, Default)]
pub struct Flat {
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// Instance, geometry and primitive of each.
    pub ids: Vec<[u32; 3]>,
}

impl Flat {
    /// All triangles of `scene`, copied once for each instance.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        let mut flat = Self::default();
        for placed in scene.flattened() {
            for (primitive, triangle) in (0..).zip(placed.triangles()) {
                flat.triangles.push(triangle);
                flat.ids.push([placed.instance, placed.number, primitive]);
            }
        }
        flat
    }

    /// A hit of the triangle at position `index`.
    #[cfg(any(feature = "obvhs", feature = "tinybvh"))]
    pub(crate) fn hit(&self, index: usize, t: f32, u: f32, v: f32) -> Hit {
        let [instance, geometry, primitive] = self.ids[index];
        Hit { t, u, v, instance, geometry, primitive }
    }
}
