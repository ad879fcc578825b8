//! What is traced: meshes, procedural boxes, instances and a camera.
//!
//! A [`Scene`] has objects; each object becomes one BLAS. Without instances there
//! is exactly one object and it lies in world space. With instances, each places an object in the
//! world. Nothing here knows about trees or formats.
//!
//! Scenes come from files ([`open`], [`read`]: OBJ, PLY, STL, glTF, [`description`]s) or from code
//! ([`builtin`]). A scene that was read is sound: every coordinate is finite and at most 2^126,
//! every index is in range, every transform can be inverted, and there is something to meet. What
//! else is odd about it, [`defects`] tells.
//!
//! | file | concept |
//! |---|---|
//! | `object`, `instance`, `camera` | what a scene is made of |
//! | [`appearance`] | how a geometry looks |
//! | `flattened` | a scene without its instances |
//! | [`builtin`] | scenes made by code |
//! | `read` | which format a file has, and what all formats share |
//! | `obj`, [`ply`], `stl`, `gltf` | the formats |
//! | [`description`] | TOML files that place meshes and say what meshes cannot |
//! | `sound` | what readers promise, asked of scenes that a program has made |
//! | `write` | a scene as one mesh, in the format that a file's ending names |
//! | `error` | what can be wrong with a file, and where |
//! | `defects` | what is odd about a mesh, though it can be traced |

#[cfg(target_family = "wasm")]
extern crate sequential as rayon;

pub mod appearance;
pub mod builtin;
mod camera;
mod defects;
pub mod description;
mod error;
mod flattened;
mod gltf;
mod instance;
mod obj;
mod object;
pub mod ply;
mod read;
mod sound;
mod stl;
mod write;

pub use appearance::{Appearance, ImageSource, Texture};
pub use camera::{Camera, NamedCamera, Picture};
pub use defects::{Defect, DefectKind, defects};
pub use error::{ErrorKind, Item, Location, Position, SceneError, Warning};
pub use flattened::PlacedGeometry;
pub use geometry::InstanceFlags;
pub use instance::Instance;
pub use object::{Geometry, Object, Shape};
pub use read::regular_file::{FileError, FileProblem, read_file};
pub use read::{is_scene, open, read};
pub use sound::UnsoundScene;
pub use write::{MeshFormat, UnknownEnding};

use geometry::{Aabb, SingularTransform, Vec3};
use rayon::prelude::*;

/// Everything that a machine needs to know about a world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// What the scene is called: a file name or the name of a built-in scene.
    pub name: String,
    /// The things that can be placed.
    pub objects: Vec<Object>,
    /// Where they are placed. Empty: the scene is its only object, in world space.
    pub instances: Vec<Instance>,
    /// The views that the source names, the one to begin with first.
    pub cameras: Vec<NamedCamera>,
    /// What was passed over in the file that it comes from.
    pub warnings: Vec<Warning>,
}

impl Scene {
    /// A scene of one mesh, in world space: vertices, and for each triangle which three of them are
    /// its corners.
    ///
    /// # Errors
    /// When a coordinate is not finite or beyond 2^126, or a triangle names a vertex that is not
    /// there.
    ///
    /// ```
    /// use geometry::Vec3;
    /// use scene::Scene;
    /// let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    /// assert_eq!(Scene::from_mesh(vertices.clone(), vec![[0, 1, 2]])?.triangle_count(), 1);
    /// assert!(Scene::from_mesh(vertices, vec![[0, 1, 3]]).is_err());
    /// # Ok::<(), scene::UnsoundScene>(())
    /// ```
    pub fn from_mesh(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<Self, UnsoundScene> {
        let shape = Shape::Triangles { positions: vertices, indices: triangles };
        let geometries = vec![Geometry::new("", true, shape)];
        let objects = vec![Object { name: String::new(), geometries }];
        let scene = Self { objects, ..Self::default() };
        scene.check().map(|()| scene)
    }

    /// The view to begin with, where the source names one.
    #[must_use]
    pub fn camera(&self) -> Option<Camera> {
        self.cameras.first().map(|named| named.camera)
    }

    /// Triangles stored, each object counted once.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.objects.iter().map(Object::triangle_count).sum()
    }

    /// Triangles seen, each object counted as often as it is placed.
    #[must_use]
    pub fn placed_triangle_count(&self) -> usize {
        if self.instances.is_empty() {
            return self.triangle_count();
        }
        self.instances.iter().map(|i| self.objects[i.object].triangle_count()).sum()
    }

    /// Procedural boxes, each object's counted as often as it is placed.
    #[must_use]
    pub fn placed_box_count(&self) -> usize {
        let boxes = |placed: PlacedGeometry<'_>| match &placed.geometry.shape {
            Shape::Boxes(boxes) => boxes.len(),
            Shape::Triangles { .. } => 0,
        };
        self.flattened().map(boxes).sum()
    }

    /// The box around everything in world space; empty for an empty scene. Of a turned instance it
    /// is that of its corners, not of its turned box.
    ///
    /// # Errors
    /// When an instance has a singular transform.
    pub fn bounds(&self) -> Result<Aabb, SingularTransform> {
        if self.instances.is_empty() {
            return Ok(self.objects.iter().map(Object::bounds).fold(Aabb::EMPTY, Aabb::union));
        }
        let corners = self.object_corners();
        let placed = self.instances.par_iter().map(|instance| {
            let inverse = instance.object_to_world.inverse()?;
            inverse.preimage_bounds_of(corners[instance.object].iter().copied())
        });
        placed.try_reduce(|| Aabb::EMPTY, |a, b| Ok(a.union(b)))
    }

    /// Every vertex in world space, as often as it is placed, and the corners of boxes.
    pub fn corners(&self) -> impl Iterator<Item = Vec3> {
        let objects = self.object_corners();
        let alone = if self.instances.is_empty() { objects.concat() } else { Vec::new() };
        let placed = self.instances.iter().flat_map(move |instance| {
            let move_to_world = |&corner: &Vec3| instance.object_to_world.point(corner);
            objects[instance.object].iter().map(move_to_world).collect::<Vec<Vec3>>()
        });
        alone.into_iter().chain(placed)
    }

    fn object_corners(&self) -> Vec<Vec<Vec3>> {
        self.objects.par_iter().map(Object::corners).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Transform;

    /// A ridge along the diagonal of its box, turned so that it lies along an axis.
    #[test]
    fn bounds_of_a_turned_instance_are_tight() {
        let positions = vec![Vec3::ZERO, Vec3::new(3.0, 3.0, 0.0), Vec3::new(3.0, 3.0, 1.0)];
        let unused = Vec3::splat(-50.0);
        let positions = [positions, vec![unused]].concat();
        let shape = Shape::Triangles { positions, indices: vec![[0, 1, 2]] };
        let objects =
            vec![Object { geometries: vec![Geometry::new("", true, shape)], ..Object::default() }];
        let half = 0.5f32.sqrt();
        let rows = [[half, half, 0.0, 10.0], [-half, half, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let instances = vec![Instance::new(0, Transform { rows })];
        let bounds = Scene { objects, instances, ..Scene::default() }.bounds().unwrap();
        let expected = Aabb::new(Vec3::X * 10.0, Vec3::new(10.0 + 18f32.sqrt(), 0.0, 1.0));
        assert!(
            bounds.min.distance(expected.min) < 1e-5 && bounds.max.distance(expected.max) < 1e-5
        );
    }
}
