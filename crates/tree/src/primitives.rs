//! The primitives of a BLAS, as a machine sees them.

use bitflags::bitflags;
use geometry::{Aabb, Triangle, Vec3};

/// Triangles, then procedural boxes: primitive `i` is triangle `i` if there are that many, else a
/// box.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Primitives {
    /// The triangles.
    pub triangles: Vec<Triangle>,
    /// The procedural boxes.
    pub boxes: Vec<Aabb>,
    /// An id for each triangle and then each box.
    pub ids: Vec<PrimitiveId>,
}

/// Who a primitive is: 12 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PrimitiveId {
    /// Which geometry of the object.
    pub geometry: u32,
    /// Which primitive of the geometry.
    pub primitive: u32,
    /// What it is.
    pub flags: PrimitiveFlags,
}

bitflags! {
    /// Properties of a primitive.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub struct PrimitiveFlags: u8 {
        /// Hits count without a filter's consent.
        const OPAQUE = 1 << 0;
        /// Face culling has no effect.
        const DOUBLE_SIDED = 1 << 1;
    }
}

/// One primitive of a level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Primitive<'a> {
    /// A triangle.
    Triangle(&'a Triangle),
    /// A procedural box.
    Box(&'a Aabb),
}

impl Primitives {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.triangles.len() + self.boxes.len()
    }

    /// The corners of triangles, then those of boxes.
    pub fn corners(&self) -> impl Iterator<Item = Vec3> {
        let triangles = self.triangles.iter().flat_map(|triangle| triangle.vertices);
        triangles.chain(self.boxes.iter().flat_map(Aabb::corners))
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Primitive `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Primitive<'_> {
        match self.triangles.get(index) {
            Some(triangle) => Primitive::Triangle(triangle),
            None => Primitive::Box(&self.boxes[index - self.triangles.len()]),
        }
    }

    /// The box around primitive `index`.
    #[must_use]
    pub fn bounds(&self, index: usize) -> Aabb {
        match self.get(index) {
            Primitive::Triangle(triangle) => triangle.bounds(),
            Primitive::Box(bounds) => *bounds,
        }
    }
}
