//! Where two triangles touch, for reports: in `f64`, with the features that are nearest.
//!
//! Closest points after Ericson, "Real-Time Collision Detection" (2005), chapter 5.

use crate::Triangle;
use glam::{DVec3, Vec3};

/// Which features of two triangles meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Features {
    /// A vertex of the first and the face of the second.
    VertexFace,
    /// The face of the first and a vertex of the second.
    FaceVertex,
    /// An edge of each.
    EdgeEdge,
    /// An edge of one passes through the face of the other: they overlap.
    Crossing,
}

impl Features {
    /// The name used in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::VertexFace => "vertex-face",
            Self::FaceVertex => "face-vertex",
            Self::EdgeEdge => "edge-edge",
            Self::Crossing => "crossing",
        }
    }
}

/// A point where two triangles are nearest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TouchPoint {
    /// Midway between the two nearest points.
    pub point: Vec3,
    /// How far these are apart.
    pub distance: f64,
    /// What is nearest; of equals the first in the order of declaration.
    pub features: Features,
}

/// Where `moving`, displaced by `offset`, and `still` are nearest.
#[must_use]
pub fn touch_point(moving: &Triangle, offset: DVec3, still: &Triangle) -> TouchPoint {
    let a = moving.vertices.map(|vertex| vertex.as_dvec3() + offset);
    let b = still.vertices.map(Vec3::as_dvec3);
    let vertex_face = a.map(|vertex| (vertex, on_triangle(vertex, &b), Features::VertexFace));
    let face_vertex = b.map(|vertex| (on_triangle(vertex, &a), vertex, Features::FaceVertex));
    let edge_edge = edges(&a).into_iter().flat_map(|p| edges(&b).map(|q| nearest_of_edges(p, q)));
    let pierced = edges(&a).into_iter().filter_map(|edge| crossing(edge, &b));
    let pierces = edges(&b).into_iter().filter_map(|edge| crossing(edge, &a));
    let crossings = pierced.chain(pierces).map(|point| (point, point, Features::Crossing));
    let mut best =
        TouchPoint { point: Vec3::ZERO, distance: f64::INFINITY, features: Features::VertexFace };
    for (p, q, features) in
        vertex_face.into_iter().chain(face_vertex).chain(edge_edge).chain(crossings)
    {
        let distance = p.distance(q);
        if distance < best.distance {
            best = TouchPoint { point: ((p + q) * 0.5).as_vec3(), distance, features };
        }
    }
    best
}

type Edge = [DVec3; 2];

fn edges(corners: &[DVec3; 3]) -> [Edge; 3] {
    std::array::from_fn(|i| [corners[i], corners[(i + 1) % 3]])
}

/// The point of an edge that is nearest to `p`.
fn on_edge(p: DVec3, [a, b]: Edge) -> DVec3 {
    let along = b - a;
    let length = along.length_squared();
    if length == 0.0 { a } else { a + along * ((p - a).dot(along) / length).clamp(0.0, 1.0) }
}

/// The point of a triangle that is nearest to `p`: in its plane if that lies inside, else on an
/// edge.
fn on_triangle(p: DVec3, corners: &[DVec3; 3]) -> DVec3 {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if normal.length_squared() > 0.0 {
        let inside = edges(corners).iter().all(|[a, b]| (*b - *a).cross(p - *a).dot(normal) >= 0.0);
        if inside {
            return p - normal * ((p - corners[0]).dot(normal) / normal.length_squared());
        }
    }
    let [first, rest @ ..] = edges(corners).map(|edge| on_edge(p, edge));
    rest.into_iter().fold(first, |best, point| {
        if p.distance_squared(point) < p.distance_squared(best) { point } else { best }
    })
}

/// The nearest points of two edges.
fn nearest_of_edges(p: Edge, q: Edge) -> (DVec3, DVec3, Features) {
    let (d, e, between) = (p[1] - p[0], q[1] - q[0], p[0] - q[0]);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let denominator = dd * ee - de * de;
    // Parallel edges: any end will do, and ends are tried as vertices too.
    let s = if denominator > 0.0 {
        ((de * e.dot(between) - ee * d.dot(between)) / denominator).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let on_q = on_edge(p[0] + d * s, q);
    (on_edge(on_q, p), on_q, Features::EdgeEdge)
}

/// Where an edge passes through a face.
fn crossing([a, b]: Edge, corners: &[DVec3; 3]) -> Option<DVec3> {
    let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let (from, to) = ((a - corners[0]).dot(normal), (b - corners[0]).dot(normal));
    if from * to >= 0.0 {
        return None;
    }
    let point = a + (b - a) * (from / (from - to));
    let inside = edges(corners).iter().all(|[a, b]| (*b - *a).cross(point - *a).dot(normal) >= 0.0);
    inside.then_some(point)
}
