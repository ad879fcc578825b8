//! A closed mesh whose vertices are shared.

use geometry::{Triangle, Vec3};
use std::collections::HashMap;

/// A lumpy closed surface of `20 * 4^levels` triangles around `center`, vertices shared.
pub(crate) fn closed_mesh(levels: u32, center: Vec3, radius: f32) -> Vec<Triangle> {
    let golden = f32::midpoint(1.0, 5.0f32.sqrt());
    let mut points: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        points.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
    }
    let mut faces = icosahedron_faces(&points);
    for _ in 0..levels {
        let mut middles = HashMap::new();
        let mut finer = Vec::with_capacity(faces.len() * 4);
        for [a, b, c] in faces {
            let mut middle = |i: usize, j: usize| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    points.push((points[i].normalize() + points[j].normalize()) * 0.5);
                    points.len() - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = finer;
    }
    let place = |p: Vec3| {
        let n = p.normalize();
        let lumps =
            1.0 + 0.2 * (5.0 * n.x).sin() * (3.0 * n.y + 1.0).cos() + 0.1 * (7.0 * n.z).sin();
        center + n * (radius * lumps)
    };
    faces.into_iter().map(|face| Triangle { vertices: face.map(|i| place(points[i])) }).collect()
}

/// The triples of mutually adjacent points, wound so that normals point outward.
fn icosahedron_faces(points: &[Vec3]) -> Vec<[usize; 3]> {
    let adjacent = |i: usize, j: usize| points[i].distance(points[j]) < 2.1;
    let mut faces = Vec::new();
    for i in 0..12 {
        for j in i + 1..12 {
            for k in j + 1..12 {
                if adjacent(i, j) && adjacent(j, k) && adjacent(k, i) {
                    let normal = (points[j] - points[i]).cross(points[k] - points[i]);
                    faces.push(if normal.dot(points[i]) > 0.0 { [i, j, k] } else { [i, k, j] });
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    faces
}
