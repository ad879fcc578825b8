//! Coordinates to elements: vertices to nearest, planes outward.

use crate::numeric::{Rounding, narrow, widen};
use crate::policy::Policy;
use geometry::{Aabb, Triangle, Vec3};

/// Turns coordinates into elements of one policy and back.
#[derive(Debug, Clone, Copy)]
pub struct Quantiser {
    policy: Policy,
}

impl Quantiser {
    /// For a policy.
    #[must_use]
    pub fn new(policy: Policy) -> Self {
        Self { policy }
    }

    /// The nearest element; `None` if the coordinate is out of range.
    #[must_use]
    pub fn nearest(&self, coordinate: f32) -> Option<u32> {
        let policy = Policy { rounding: Rounding::Rne, ..self.policy };
        let bits = narrow(coordinate, &policy).bits;
        // An element that is farther away than its neighbours are apart was clamped.
        let value = widen(bits, &policy).value;
        let (low, high) = (self.value(self.below(coordinate)), self.value(self.above(coordinate)));
        (value.is_finite() && (low..=high).contains(&coordinate)).then_some(bits)
    }

    /// The largest element that is not above a plane.
    #[must_use]
    pub fn below(&self, plane: f32) -> u32 {
        narrow(plane, &Policy { rounding: Rounding::Rdn, ..self.policy }).bits
    }

    /// The smallest element that is not below a plane.
    #[must_use]
    pub fn above(&self, plane: f32) -> u32 {
        narrow(plane, &Policy { rounding: Rounding::Rup, ..self.policy }).bits
    }

    /// The number that an element stands for.
    #[must_use]
    pub fn value(&self, bits: u32) -> f32 {
        widen(bits, &self.policy).value
    }

    /// The six elements of a box, outward.
    #[must_use]
    pub fn planes(&self, bounds: &Aabb) -> [u32; 6] {
        let [x0, y0, z0] = bounds.min.to_array().map(|plane| self.below(plane));
        let [x1, y1, z1] = bounds.max.to_array().map(|plane| self.above(plane));
        [x0, y0, z0, x1, y1, z1]
    }

    /// The box of six elements.
    #[must_use]
    pub fn bounds(&self, [x0, y0, z0, x1, y1, z1]: [u32; 6]) -> Aabb {
        let corner = |elements: [u32; 3]| Vec3::from_array(elements.map(|bits| self.value(bits)));
        Aabb::new(corner([x0, y0, z0]), corner([x1, y1, z1]))
    }

    /// The nine elements of a triangle; `None` if a corner is out of range.
    #[must_use]
    pub fn corners(&self, triangle: &Triangle) -> Option<[u32; 9]> {
        let mut elements = [0; 9];
        for (element, coordinate) in
            elements.iter_mut().zip(triangle.vertices.iter().flat_map(Vec3::to_array))
        {
            *element = self.nearest(coordinate)?;
        }
        Some(elements)
    }

    /// The triangle of nine elements.
    #[must_use]
    pub fn triangle(&self, elements: &[u32; 9]) -> Triangle {
        let value = |k: usize| self.value(elements[k]);
        Triangle {
            vertices: [0, 3, 6].map(|at| Vec3::new(value(at), value(at + 1), value(at + 2))),
        }
    }
}
