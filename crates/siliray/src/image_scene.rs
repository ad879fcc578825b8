//! The scene in an image: its geometry as stored, without its tree.
//!
//! Geometries are numbered anew, in the order of their ids; so are primitives within a geometry.
//! One that the image stores twice, as spatial splits do, counts once. A geometry that holds opaque
//! and other primitives becomes two.

use geometry::{Aabb, Triangle};
use scene::{Geometry, Instance, Object, Scene, Shape};
use std::collections::{BTreeMap, HashMap};
use tree::{Blas, PrimitiveFlags, PrimitiveId, Tree};

/// A corner or a plane is NaN or infinite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("BLAS {blas}, geometry {geometry}, primitive {primitive} is not finite")]
pub struct NotFinite {
    /// Position of the BLAS.
    pub blas: usize,
    /// Geometry id.
    pub geometry: u32,
    /// Primitive id.
    pub primitive: u32,
}

/// The scene of a tree.
///
/// # Errors
/// When something is not finite.
pub fn scene_of(tree: &Tree, name: String) -> Result<Scene, NotFinite> {
    let levels = tree.blases.iter().enumerate();
    let objects = levels.map(|(blas, level)| {
        object_of(level).map_err(|id| NotFinite {
            blas,
            geometry: id.geometry,
            primitive: id.primitive,
        })
    });
    let instances = tree.tlas.iter().flat_map(|tlas| &tlas.instances);
    let instances = instances.map(|instance| Instance {
        object: instance.blas as usize,
        object_to_world: instance.object_to_world,
        mask: instance.mask,
        custom_index: instance.custom_index,
        sbt_offset: instance.sbt_offset,
        flags: instance.flags,
    });
    Ok(Scene {
        name,
        objects: objects.collect::<Result<_, _>>()?,
        instances: instances.collect(),
        ..Scene::default()
    })
}

/// Primitives of one geometry that share a kind and their opacity.
type Part = (u32, bool, bool);

fn object_of(blas: &Blas) -> Result<Object, PrimitiveId> {
    let primitives = &blas.primitives;
    let mut parts: BTreeMap<Part, Vec<usize>> = BTreeMap::new();
    for (number, id) in primitives.ids.iter().enumerate() {
        // Corner by corner: a box ignores a NaN beside a number.
        let is_finite = match primitives.triangles.get(number) {
            Some(triangle) => triangle.vertices.iter().all(|corner| corner.is_finite()),
            None => primitives.bounds(number).is_finite(),
        };
        if !is_finite {
            return Err(*id);
        }
        let is_box = number >= primitives.triangles.len();
        let opaque = id.flags.contains(PrimitiveFlags::OPAQUE);
        parts.entry((id.geometry, is_box, opaque)).or_default().push(number);
    }
    let geometries = parts.into_iter().map(|((geometry, is_box, opaque), mut members)| {
        members.sort_by_key(|&number| primitives.ids[number].primitive);
        let shape = if is_box {
            let boxes = members.iter().map(|&n| primitives.boxes[n - primitives.triangles.len()]);
            Shape::Boxes(without_repeats(boxes, box_bits))
        } else {
            let triangles = members.iter().map(|&number| primitives.triangles[number]);
            mesh(&without_repeats(triangles, corner_bits))
        };
        Geometry::new(format!("geometry {geometry}"), opaque, shape)
    });
    Ok(Object { name: String::new(), geometries: geometries.collect() })
}

/// The items without those that equal one of the same key before them. Copies of a split primitive
/// have the same id, so that sorting by id has brought them together.
fn without_repeats<T, K: PartialEq>(
    items: impl Iterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Vec<T> {
    let mut kept: Vec<T> = items.collect();
    kept.dedup_by(|a, b| key(a) == key(b));
    kept
}

fn corner_bits(triangle: &Triangle) -> [[u32; 3]; 3] {
    triangle.vertices.map(|corner| corner.to_array().map(f32::to_bits))
}

fn box_bits(bounds: &Aabb) -> [[u32; 3]; 2] {
    [bounds.min, bounds.max].map(|corner| corner.to_array().map(f32::to_bits))
}

/// A mesh in which corners with equal bits are one vertex.
fn mesh(triangles: &[Triangle]) -> Shape {
    let mut positions = Vec::new();
    let mut known = HashMap::new();
    let mut indices = Vec::with_capacity(triangles.len());
    for triangle in triangles {
        indices.push(triangle.vertices.map(|corner| {
            *known.entry(corner.to_array().map(f32::to_bits)).or_insert_with(|| {
                positions.push(corner);
                positions.len() as u32 - 1
            })
        }));
    }
    Shape::Triangles { positions, indices }
}
