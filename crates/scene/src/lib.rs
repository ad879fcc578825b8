//! What is traced: meshes, procedural boxes, instances and a camera.
//!
//! A [`Scene`] has objects; each object becomes one BLAS. Without instances there
//! is exactly one object and it lies in world space. With instances, each places an object in the
//! world. Nothing here knows about trees or formats.
//!
//! Scenes come from files ([`open`], [`read`]: OBJ, PLY, STL, glTF) or from code ([`builtin`]). A
//! scene that was read is sound: every coordinate is finite and at most 2^126, every index is in
//! range, every transform can be inverted, and there is a triangle. What else is odd about it,
//! [`defects`] tells.
//!
//! | file | concept |
//! |---|---|
//! | `object`, `instance`, `camera` | what a scene is made of |
//! | `flattened` | a scene without its instances |
//! | [`builtin`] | scenes made by code |
//! | `read` | which format a file has, and what all formats share |
//! | `obj`, [`ply`], `stl`, `gltf` | the formats |
//! | `write` | meshes in the format that a file's ending names |
//! | `error` | what can be wrong with a file, and where |
//! | `defects` | what is odd about a mesh, though it can be traced |

pub mod builtin;
mod camera;
mod defects;
mod error;
mod flattened;
mod gltf;
mod instance;
mod obj;
mod object;
pub mod ply;
mod read;
mod stl;
mod write;

pub use camera::Camera;
pub use defects::{Defect, DefectKind, defects};
pub use error::{ErrorKind, Item, Location, Position, SceneError};
pub use flattened::PlacedGeometry;
pub use geometry::InstanceFlags;
pub use instance::Instance;
pub use object::{Geometry, Object, Shape};
pub use read::regular_file::{FileError, FileProblem, read_file};
pub use read::{open, read};
pub use write::{MeshFormat, UnknownEnding};

use geometry::{Aabb, SingularTransform};

/// Everything that a machine needs to know about a world.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// What the scene is called: a file name or the name of a built-in scene.
    pub name: String,
    /// The things that can be placed.
    pub objects: Vec<Object>,
    /// Where they are placed. Empty: the scene is its only object, in world space.
    pub instances: Vec<Instance>,
    /// A view, where the source names one.
    pub camera: Option<Camera>,
}

impl Scene {
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

    /// The box around everything in world space; empty for an empty scene.
    ///
    /// # Errors
    /// When an instance has a singular transform.
    pub fn bounds(&self) -> Result<Aabb, SingularTransform> {
        let objects: Vec<Aabb> = self.objects.iter().map(Object::bounds).collect();
        if self.instances.is_empty() {
            return Ok(objects.into_iter().fold(Aabb::EMPTY, Aabb::union));
        }
        self.instances.iter().filter(|i| !objects[i.object].is_empty()).try_fold(
            Aabb::EMPTY,
            |all, instance| {
                let inverse = instance.object_to_world.inverse()?;
                Ok(all.union(inverse.preimage_bounds(&objects[instance.object])?))
            },
        )
    }
}
