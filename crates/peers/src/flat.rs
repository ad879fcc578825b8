//! A scene without instances, for libraries that have none: every placed triangle, in world space.

use geometry::{Triangle, Vec3};
#[cfg(any(feature = "obvhs", feature = "tinybvh"))]
use machine::Hit;
use scene::{Object, Scene};

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
        if scene.instances.is_empty() {
            scene.objects.iter().for_each(|object| flat.place(object, 0, |point| point));
        }
        for (instance, id) in scene.instances.iter().zip(0..) {
            let object = &scene.objects[instance.object];
            flat.place(object, id, |point| instance.object_to_world.point(point));
        }
        flat
    }

    fn place(&mut self, object: &Object, instance: u32, place: impl Fn(Vec3) -> Vec3) {
        for (geometry, geometry_id) in object.geometries.iter().zip(0..) {
            for (triangle, primitive) in geometry.triangles().zip(0..) {
                self.triangles.push(Triangle { vertices: triangle.vertices.map(&place) });
                self.ids.push([instance, geometry_id, primitive]);
            }
        }
    }

    /// A hit of the triangle at position `index`.
    #[cfg(any(feature = "obvhs", feature = "tinybvh"))]
    pub(crate) fn hit(&self, index: usize, t: f32, u: f32, v: f32) -> Hit {
        let [instance, geometry, primitive] = self.ids[index];
        Hit { t, u, v, instance, geometry, primitive }
    }
}
