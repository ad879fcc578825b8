//! From the parts of an object to numbered primitives with boxes.

use crate::BuildError;
use crate::progress::Monitor;
use crate::tagged_box::{Bounds, TaggedBox};
use geometry::{Aabb, Triangle, Vec3};
use rayon::prelude::*;
use scene::{Geometry, Object, Shape};
use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// Primitives handled between two looks at the progress.
const BLOCK: usize = 1 << 14;

/// The primitives of `object`: the triangles of all parts in order, then their boxes.
///
/// # Errors
/// Too many primitives, a missing vertex, a coordinate that is not finite, or cancellation.
pub(crate) fn collect(
    object: &Object,
    position: usize,
    monitor: &Monitor<'_>,
) -> Result<Primitives, BuildError> {
    let count = object.geometries.iter().map(primitive_count).sum();
    if count > u32::MAX as usize {
        return Err(BuildError::TooManyPrimitives { object: position, count });
    }
    let mut primitives = Primitives {
        triangles: Vec::with_capacity(object.triangle_count()),
        boxes: Vec::with_capacity(count - object.triangle_count()),
        ids: Vec::with_capacity(count),
    };
    for (geometry, part) in object.geometries.iter().enumerate() {
        if let Shape::Triangles { positions, indices } = &part.shape {
            let place = Place { object: position, geometry };
            add_triangles(&mut primitives.triangles, positions, indices, place, monitor)?;
            add_ids(&mut primitives.ids, geometry, part.opaque, indices.len());
        }
    }
    for (geometry, part) in object.geometries.iter().enumerate() {
        if let Shape::Boxes(boxes) = &part.shape {
            if let Some(primitive) = boxes.iter().position(|b| b.min.is_nan() || b.max.is_nan()) {
                return Err(BuildError::NotFinite { object: position, geometry, primitive });
            }
            primitives.boxes.extend_from_slice(boxes);
            add_ids(&mut primitives.ids, geometry, part.opaque, boxes.len());
            monitor.advance(boxes.len())?;
        }
    }
    Ok(primitives)
}

/// One tagged box for each primitive; the first tag is its number. Empty procedural boxes are left
/// out: nothing can hit them.
pub(crate) fn references(primitives: &Primitives) -> Vec<TaggedBox> {
    let mut references = Vec::with_capacity(primitives.len());
    primitives
        .triangles
        .par_iter()
        .enumerate()
        .map(|(index, triangle)| TaggedBox::new(triangle_bounds(triangle), index as u32, 0))
        .collect_into_vec(&mut references);
    let first_box = primitives.triangles.len() as u32;
    references.extend(boxes_as_references(&primitives.boxes, first_box));
    references
}

/// Tagged boxes for those of `boxes` that are not empty, numbered by position from `first` on.
pub(crate) fn boxes_as_references(
    boxes: &[Aabb],
    first: u32,
) -> impl Iterator<Item = TaggedBox> + '_ {
    (first..)
        .zip(boxes)
        .filter(|(_, bounds)| !bounds.is_empty())
        .map(|(index, bounds)| TaggedBox::new((*bounds).into(), index, 0))
}

fn primitive_count(part: &Geometry) -> usize {
    match &part.shape {
        Shape::Triangles { indices, .. } => indices.len(),
        Shape::Boxes(boxes) => boxes.len(),
    }
}

fn triangle_bounds(triangle: &Triangle) -> Bounds {
    let [v0, v1, v2] = triangle.vertices.map(glam::Vec3A::from);
    Bounds { min: v0.min(v1).min(v2), max: v0.max(v1).max(v2) }
}

/// Where a primitive comes from, for messages.
#[derive(Clone, Copy)]
struct Place {
    object: usize,
    geometry: usize,
}

fn add_triangles(
    triangles: &mut Vec<Triangle>,
    positions: &[Vec3],
    indices: &[[u32; 3]],
    place: Place,
    monitor: &Monitor<'_>,
) -> Result<(), BuildError> {
    let start = triangles.len();
    triangles.resize(start + indices.len(), Triangle::new(Vec3::ZERO, Vec3::ZERO, Vec3::ZERO));
    let blocks = triangles[start..].par_chunks_mut(BLOCK).zip(indices.par_chunks(BLOCK));
    // All blocks run to their end, so that the error reported is the first whatever the threads do.
    let results: Vec<Result<(), BuildError>> = blocks
        .enumerate()
        .map(|(block, (triangles, indices))| {
            fill_block(triangles, positions, indices, place, block * BLOCK)?;
            monitor.advance(indices.len())
        })
        .collect();
    results.into_iter().collect()
}

fn fill_block(
    triangles: &mut [Triangle],
    positions: &[Vec3],
    indices: &[[u32; 3]],
    Place { object, geometry }: Place,
    first: usize,
) -> Result<(), BuildError> {
    for (position, (triangle, corners)) in (first..).zip(triangles.iter_mut().zip(indices)) {
        for (vertex, &corner) in triangle.vertices.iter_mut().zip(corners) {
            *vertex = *positions.get(corner as usize).ok_or(BuildError::MissingVertex {
                object,
                geometry,
                triangle: position,
                vertices: positions.len(),
            })?;
        }
        if !triangle.vertices.iter().all(|vertex| vertex.is_finite()) {
            return Err(BuildError::NotFinite { object, geometry, primitive: position });
        }
    }
    Ok(())
}

fn add_ids(ids: &mut Vec<PrimitiveId>, geometry: usize, opaque: bool, count: usize) {
    let flags = if opaque { PrimitiveFlags::OPAQUE } else { PrimitiveFlags::empty() };
    let geometry = geometry as u32;
    ids.extend((0..count as u32).map(|primitive| PrimitiveId { geometry, primitive, flags }));
}
