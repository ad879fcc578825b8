//! Objects: lists of geometries in one space.

use crate::Appearance;
use geometry::{Aabb, Triangle, Vec3};

/// A thing that can be placed in the world; becomes one BLAS.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Object {
    /// Its name in the source, or empty.
    pub name: String,
    /// Its parts, numbered by position; the number is the geometry id of a hit.
    pub geometries: Vec<Geometry>,
}

/// One part of an object, opaque or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Geometry {
    /// Its name in the source (a group, a material, a primitive), or empty.
    pub name: String,
    /// Whether hits count without a filter's consent.
    pub opaque: bool,
    /// What it is made of.
    pub shape: Shape,
    /// How it looks, where the source says so.
    pub appearance: Option<Box<Appearance>>,
}

/// What a geometry is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// An indexed triangle mesh; the position in `indices` is the primitive id of a hit.
    Triangles {
        /// Vertex positions, all finite.
        positions: Vec<Vec3>,
        /// Three positions for each triangle, all in range.
        indices: Vec<[u32; 3]>,
    },
    /// Procedural boxes; the position is the primitive id of a hit.
    Boxes(Vec<Aabb>),
}

impl Object {
    /// The number of triangles in all parts.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        self.geometries.iter().map(Geometry::triangle_count).sum()
    }

    /// The box around all parts.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.geometries.iter().map(Geometry::bounds).fold(Aabb::EMPTY, Aabb::union)
    }

    /// Every vertex that a triangle uses, once, and the corners of boxes.
    #[must_use]
    pub fn corners(&self) -> Vec<Vec3> {
        let mut corners = Vec::new();
        for geometry in &self.geometries {
            match &geometry.shape {
                Shape::Boxes(boxes) => corners.extend(boxes.iter().flat_map(Aabb::corners)),
                Shape::Triangles { positions, indices } => {
                    let mut is_used = vec![false; positions.len()];
                    indices.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
                    let used = positions.iter().zip(is_used).filter(|(_, is_used)| *is_used);
                    corners.extend(used.map(|(&position, _)| position));
                }
            }
        }
        corners
    }
}

impl Geometry {
    /// A geometry whose looks are unknown.
    #[must_use]
    pub fn new(name: impl Into<String>, opaque: bool, shape: Shape) -> Self {
        Self { name: name.into(), opaque, shape, appearance: None }
    }

    /// The number of triangles; 0 for procedural boxes.
    #[must_use]
    pub fn triangle_count(&self) -> usize {
        match &self.shape {
            Shape::Triangles { indices, .. } => indices.len(),
            Shape::Boxes(_) => 0,
        }
    }

    /// Its triangles in order; none for procedural boxes.
    pub fn triangles(&self) -> impl Iterator<Item = Triangle> + '_ {
        let (positions, indices): (&[Vec3], &[[u32; 3]]) = match &self.shape {
            Shape::Triangles { positions, indices } => (positions, indices),
            Shape::Boxes(_) => (&[], &[]),
        };
        indices
            .iter()
            .map(|corners| Triangle { vertices: corners.map(|index| positions[index as usize]) })
    }

    /// The box around everything that primitives use; unused vertices do not count.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        match &self.shape {
            Shape::Triangles { .. } => {
                self.triangles().map(|t| t.bounds()).fold(Aabb::EMPTY, Aabb::union)
            }
            Shape::Boxes(boxes) => boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union),
        }
    }
}
