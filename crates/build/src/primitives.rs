//! From the parts of an object to numbered primitives with boxes.

use crate::BuildError;
use crate::progress::Monitor;
use crate::scratch::Scratch;
use crate::tagged_box::{Bounds, TaggedBox};
use geometry::{Aabb, Triangle, Vec3};
use rayon::prelude::*;
use scene::{Geometry, Object, Shape};
use tree::{PrimitiveFlags, PrimitiveId, Primitives};

/// Primitives handled between two looks at the progress.
const BLOCK: usize = 1 << 16;

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
pub(crate) fn references(primitives: &Primitives) -> Scratch<TaggedBox> {
    let triangles = &primitives.triangles;
    let mut references = Scratch::zeros(primitives.len());
    let (of_triangles, of_boxes) = references.split_at_mut(triangles.len());
    of_triangles.par_iter_mut().zip(triangles).enumerate().for_each(
        |(index, (place, triangle))| {
            *place = TaggedBox::new(triangle_bounds(triangle), index as u32, 0);
        },
    );
    let count = triangles.len() + put_boxes(of_boxes, &primitives.boxes, triangles.len() as u32);
    references.set_length(count);
    references
}

/// The same for boxes alone.
pub(crate) fn boxes_as_references(boxes: &[Aabb]) -> Scratch<TaggedBox> {
    let mut references = Scratch::zeros(boxes.len());
    let count = put_boxes(&mut references, boxes, 0);
    references.set_length(count);
    references
}

/// Tagged boxes for those of `boxes` that are not empty, numbered by position from `first` on.
/// Returns how many there are.
fn put_boxes(references: &mut [TaggedBox], boxes: &[Aabb], first: u32) -> usize {
    let mut count = 0;
    for (index, bounds) in (first..).zip(boxes).filter(|(_, bounds)| !bounds.is_empty()) {
        references[count] = TaggedBox::new((*bounds).into(), index, 0);
        count += 1;
    }
    count
}

fn primitive_count(part: &Geometry) -> usize {
    match &part.shape {
        Shape::Triangles { indices, .. } => indices.len(),
        Shape::Boxes(boxes) => boxes.len(),
    }
}

pub(crate) fn triangle_bounds(triangle: &Triangle) -> Bounds {
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
    for (block, indices) in indices.chunks(BLOCK).enumerate() {
        let start = triangles.len();
        triangles.par_extend(indices.par_iter().map(|corners| {
            // A missing vertex becomes NaN, and is told apart below.
            let vertex = |corner: u32| positions.get(corner as usize).copied().unwrap_or(Vec3::NAN);
            Triangle { vertices: corners.map(vertex) }
        }));
        let is_finite = |t: &Triangle| t.vertices.iter().all(|vertex| vertex.is_finite());
        if let Some(offset) =
            triangles[start..].par_iter().position_first(|triangle| !is_finite(triangle))
        {
            let vertices = positions.len();
            let is_missing = indices[offset].iter().any(|&corner| corner as usize >= vertices);
            let (Place { object, geometry }, triangle) = (place, block * BLOCK + offset);
            return Err(match is_missing {
                true => BuildError::MissingVertex { object, geometry, triangle, vertices },
                false => BuildError::NotFinite { object, geometry, primitive: triangle },
            });
        }
        monitor.advance(indices.len())?;
    }
    Ok(())
}

fn add_ids(ids: &mut Vec<PrimitiveId>, geometry: usize, opaque: bool, count: usize) {
    let flags = if opaque { PrimitiveFlags::OPAQUE } else { PrimitiveFlags::empty() };
    let geometry = geometry as u32;
    ids.extend((0..count as u32).map(|primitive| PrimitiveId { geometry, primitive, flags }));
}
