//! Cutting a reference at a plane.
//!
//! The parts of a triangle on the two sides of an axis-aligned plane get boxes of their own. The
//! crossing of an edge and the plane is found in `f64`, with a bound on its error, and rounded
//! outward; then each box is cut to the reference's own. By induction the boxes of all references
//! to a triangle together cover it, exactly: a point of the triangle that lies in the reference's
//! box is on one side of the plane, hence in that part's box before the cut, and the cut is to a
//! box that it lies in.

use crate::tagged_box::{Bounds, TaggedBox};
use geometry::Vec3;
use geometry::rounding::{narrow_down, narrow_up};
use glam::Vec3A;
use tree::Primitives;
use tree::primitives::Primitive;

/// The boxes of the parts of a reference below and above a plane; a part that does not exist has an
/// empty box.
pub(crate) fn cut(
    primitives: &Primitives,
    reference: &TaggedBox,
    axis: usize,
    plane: f32,
) -> (Bounds, Bounds) {
    let own = reference.clean_bounds();
    let (mut low, mut high) = match primitives.get(reference.tag_a() as usize) {
        Primitive::Triangle(triangle) => cut_triangle(&triangle.vertices, axis, plane),
        Primitive::Box(_) => (own, own),
    };
    low.max[axis] = low.max[axis].min(plane);
    high.min[axis] = high.min[axis].max(plane);
    (intersection(low, own), intersection(high, own))
}

/// Boxes around the parts of a triangle; the caller cuts them at the plane itself.
fn cut_triangle(vertices: &[Vec3; 3], axis: usize, plane: f32) -> (Bounds, Bounds) {
    let (mut low, mut high) = (Bounds::EMPTY, Bounds::EMPTY);
    for corner in 0..3 {
        let (from, to) = (vertices[corner], vertices[(corner + 1) % 3]);
        let side = from[axis];
        if side <= plane {
            low = low.with_point(from.into());
        }
        if side >= plane {
            high = high.with_point(from.into());
        }
        if (side < plane && plane < to[axis]) || (to[axis] < plane && plane < side) {
            let crossing = crossing(from, to, axis, plane);
            low = low.union(crossing);
            high = high.union(crossing);
        }
    }
    (low, high)
}

/// A box around the point where an edge crosses a plane.
fn crossing(from: Vec3, to: Vec3, axis: usize, plane: f32) -> Bounds {
    // Differences of floats are off by at most one rounding of f64, their quotient by three, so
    // that the share is off by 4 units of its last place; the product and the sum add a few more.
    // The magnitudes bound every intermediate result.
    const ERROR: f64 = 16.0 * f64::EPSILON;
    let (start, end) = (from.as_dvec3(), to.as_dvec3());
    let share = (f64::from(plane) - start[axis]) / (end[axis] - start[axis]);
    let point = start + (end - start) * share;
    let error = (start.abs() + end.abs()) * ERROR;
    let (mut min, mut max) = (Vec3A::ZERO, Vec3A::ZERO);
    for k in 0..3 {
        // Never beyond the edge itself: the exact point is not.
        min[k] = narrow_down(point[k] - error[k]).max(from[k].min(to[k]));
        max[k] = narrow_up(point[k] + error[k]).min(from[k].max(to[k]));
    }
    Bounds { min, max }
}

fn intersection(a: Bounds, b: Bounds) -> Bounds {
    Bounds { min: a.min.max(b.min), max: a.max.min(b.max) }
}
