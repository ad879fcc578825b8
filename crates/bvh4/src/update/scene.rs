//! What an update takes from a scene, and how it changes an image, whatever the width of nodes.

use crate::survey::Memory;
use geometry::{Aabb, Triangle};
use machine::Image;
use machine::source::Geometry;
use std::collections::HashMap;
use tree::primitives::Primitive;
use tree::{PrimitiveId, Primitives, Tree};

/// An image that is written while it is read as it was.
#[derive(Debug)]
pub struct Rewritten<'a> {
    /// What it was.
    pub memory: &'a Memory<'a>,
    /// What it is.
    pub image: Image,
}

impl Rewritten<'_> {
    /// Writes bytes where there is memory for them.
    pub fn write(&mut self, address: u64, bytes: &[u8]) {
        let mut segments = self.image.segments.iter_mut();
        if let Some(segment) = segments.find(|segment| segment.get(address, bytes.len()).is_some())
        {
            let at = (address - segment.address) as usize;
            segment.bytes_mut()[at..at + bytes.len()].copy_from_slice(bytes);
        }
    }

    /// Writes the corners of a box.
    pub fn write_box(&mut self, address: u64, bounds: &Aabb) {
        let corners = [bounds.min.to_array(), bounds.max.to_array()];
        let bytes: Vec<u8> = corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        self.write(address, &bytes);
    }
}

/// The scene has other instances than the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scene has {found} instances, the image {expected}")]
pub struct OtherInstances {
    /// Those of the scene.
    pub found: usize,
    /// Those of the image.
    pub expected: usize,
}

/// The scene lacks a primitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the scene has no geometry {geometry}, primitive {primitive}")]
pub struct Missing {
    /// Which geometry.
    pub geometry: u32,
    /// Which primitive of it.
    pub primitive: u32,
}

/// For each of the BLASes of an image, what it becomes: `None` if no instance shows it, which stays
/// as it is. `tree` is what the image decodes to.
///
/// # Errors
/// When the scene has other instances; behind the last that the image has, those that no ray sees
/// do not count.
pub fn objects<'s>(
    tree: &Tree,
    scene: &'s Geometry,
    blases: usize,
) -> Result<Vec<Option<Moved<'s>>>, OtherInstances> {
    let Some(tlas) = &tree.tlas else {
        return Ok((0..blases).map(|_| Some(Moved::new(scene.objects.first()))).collect());
    };
    let (stored, wanted) = (&tlas.instances, &scene.instances);
    let seen = wanted.iter().rposition(|it| it.mask != 0).map_or(0, |last| last + 1);
    if !(seen..=wanted.len()).contains(&stored.len()) {
        return Err(OtherInstances { found: wanted.len(), expected: stored.len() });
    }
    let object = |number: usize| {
        let mut placed = stored.iter().zip(wanted);
        let (_, wanted) = placed.find(|(stored, _)| stored.blas as usize == number)?;
        Some(Moved::new(scene.objects.get(wanted.blas as usize)))
    };
    Ok((0..blases).map(object).collect())
}

/// The primitives of an object, by their ids.
#[derive(Debug)]
pub struct Moved<'s> {
    primitives: Option<&'s Primitives>,
    by_id: HashMap<(u32, u32), usize>,
}

impl<'s> Moved<'s> {
    fn new(primitives: Option<&'s Primitives>) -> Self {
        let ids = primitives.iter().flat_map(|it| it.ids.iter().enumerate());
        let by_id = ids.map(|(number, id)| ((id.geometry, id.primitive), number)).collect();
        Self { primitives, by_id }
    }

    /// The primitive of an id.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, id: PrimitiveId) -> Result<Primitive<'s>, Missing> {
        let PrimitiveId { geometry, primitive, .. } = id;
        let found = self.by_id.get(&(geometry, primitive)).zip(self.primitives);
        let found = found.map(|(&number, primitives)| primitives.get(number));
        found.ok_or(Missing { geometry, primitive })
    }
}

/// The box around a triangle, NaN left out.
#[must_use]
pub fn triangle_bounds(triangle: &Triangle) -> Aabb {
    let points = triangle.vertices.map(|vertex| Aabb::new(vertex, vertex));
    points.into_iter().fold(Aabb::EMPTY, crate::decode::bounds::union)
}
