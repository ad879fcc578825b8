//! The watertight triangle test of Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection",
//! Journal of Computer Graphics Techniques 2(1), 2013.
//!
//! The corners are moved so that the ray starts at the origin and sheared so that it runs along its
//! dominant axis; what is left is a point in a 2D triangle. The rounded corners depend on the ray
//! and on one vertex each, so neighbours agree on a shared edge. The sign of an edge function is
//! exact for these rounded corners: rounded products keep their order, so a wrong sign can only
//! show up as zero, and `f64` settles that case, where the products of two `f32` are exact (B-8).
//!
//! The paper returns to `f64` only when an edge function is zero. Here every ray that is not
//! certainly outside goes there. The decisions are the paper's, but `t` keeps a relative error of a
//! few `u` even where the triangle is seen edge-on and the `f32` edge functions are mostly noise.
//! That is what lets a tree refer to a triangle from several smaller boxes (spatial splits) and
//! still be culled without loss: the reported `t` belongs to a point within `gamma(6) R` of the
//! triangle, and that point lies in the dilated box of one of its parts.

use crate::{RawHit, Ray, Triangle};
use glam::Vec3;

/// The hit, if there is one at `t >= 0`. A NaN anywhere is a miss.
#[must_use]
pub fn intersect(ray: &Ray, triangle: &Triangle) -> Option<RawHit> {
    let shear = Shear::new(ray.direction);
    let [a, b, c] = triangle.vertices.map(|vertex| shear.apply(vertex - ray.origin));
    let u = c.x * b.y - c.y * b.x;
    let v = a.x * c.y - a.y * c.x;
    let w = b.x * a.y - b.y * a.x;
    let outside = (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0);
    if outside { None } else { intersect_wide(a, b, c) }
}

/// Decides by exact signs, and forms the quotients in `f64`.
fn intersect_wide(a: Vec3, b: Vec3, c: Vec3) -> Option<RawHit> {
    let [a, b, c] = [a, b, c].map(Vec3::as_dvec3);
    let u = c.x * b.y - c.y * b.x;
    let v = a.x * c.y - a.y * c.x;
    let w = b.x * a.y - b.y * a.x;
    let outside = (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0);
    let determinant = (u + v) + w;
    if outside || determinant == 0.0 {
        return None;
    }
    let t = (((u * a.z + v * b.z) + w * c.z) / determinant) as f32;
    (t >= 0.0).then_some(RawHit {
        t,
        u: (v / determinant) as f32,
        v: (w / determinant) as f32,
        front: determinant > 0.0,
    })
}

/// The shear that turns the ray into the z axis.
struct Shear {
    axes: [usize; 3],
    x: f32,
    y: f32,
    z: f32,
}

impl Shear {
    fn new(direction: Vec3) -> Self {
        let z = dominant_axis(direction);
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if direction[z] < 0.0 {
            std::mem::swap(&mut x, &mut y); // keeps the winding
        }
        Self {
            axes: [x, y, z],
            x: direction[x] / direction[z],
            y: direction[y] / direction[z],
            z: 1.0 / direction[z],
        }
    }

    fn apply(&self, point: Vec3) -> Vec3 {
        let [x, y, z] = self.axes.map(|axis| point[axis]);
        Vec3::new(x - self.x * z, y - self.y * z, self.z * z)
    }
}

/// The axis on which the direction is longest; the lowest on a tie.
fn dominant_axis(direction: Vec3) -> usize {
    let d = direction.abs();
    if d.x >= d.y && d.x >= d.z {
        0
    } else if d.y >= d.z {
        1
    } else {
        2
    }
}
