//! Triangles and the two rules that intersect them.

use crate::{Aabb, Ray, moller_trumbore, watertight};
use glam::Vec3;

/// A triangle by its corners. Any three finite points will do; zero area is never hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    /// The corners, in winding order.
    pub vertices: [Vec3; 3],
}

impl Triangle {
    /// The triangle with the given corners.
    #[must_use]
    pub const fn new(v0: Vec3, v1: Vec3, v2: Vec3) -> Self {
        Self { vertices: [v0, v1, v2] }
    }

    /// The smallest box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let [v0, v1, v2] = self.vertices;
        Aabb::new(v0.min(v1).min(v2), v0.max(v1).max(v2))
    }

    /// The cross product of two edges: normal to the plane, twice the area long.
    #[must_use]
    pub fn scaled_normal(&self) -> Vec3 {
        let [v0, v1, v2] = self.vertices;
        (v1 - v0).cross(v2 - v0)
    }

    /// The corners as floats, for comparing bit patterns.
    #[must_use]
    pub fn to_bits(&self) -> [[u32; 3]; 3] {
        self.vertices.map(|v| v.to_array().map(f32::to_bits))
    }
}

/// What a triangle rule reports, before the definition of a hit is applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RawHit {
    /// Ray parameter, not negative.
    pub t: f32,
    /// Weight of the second corner.
    pub u: f32,
    /// Weight of the third corner.
    pub v: f32,
    /// Whether the corners run counter-clockwise as seen from the ray's origin.
    pub front: bool,
}

/// Which arithmetic decides whether a ray meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TriangleRule {
    /// As the GFX12 unit computes ([`moller_trumbore`]). Rays can slip between two triangles.
    MollerTrumbore,
    /// Woop, Benthin, Wald 2013 ([`watertight`]). No ray slips through a closed mesh.
    Watertight,
}

impl TriangleRule {
    /// Both rules, in the order in which tables show them.
    pub const ALL: [Self; 2] = [Self::MollerTrumbore, Self::Watertight];

    /// The name used in options and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MollerTrumbore => "moller-trumbore",
            Self::Watertight => "watertight",
        }
    }

    /// Intersects by this rule. Neither side is culled, and the ray's bounds are not looked at.
    #[must_use]
    pub fn intersect(self, ray: &Ray, triangle: &Triangle) -> Option<RawHit> {
        match self {
            Self::MollerTrumbore => moller_trumbore::intersect(ray, triangle),
            Self::Watertight => watertight::intersect(ray, triangle),
        }
    }
}

impl std::fmt::Display for TriangleRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
