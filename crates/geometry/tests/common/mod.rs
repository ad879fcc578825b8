//! What the tests of this crate share: a reproducible random source and a closed mesh.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses its own part")]

use geometry::{Triangle, Vec3};
use std::collections::HashMap;

/// SplitMix64: small, fast, the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.bits() >> 40) as f32 / 16_777_216.0)
    }

    pub fn vector(&mut self, low: f32, high: f32) -> Vec3 {
        Vec3::new(self.range(low, high), self.range(low, high), self.range(low, high))
    }
}

/// A lumpy closed surface of `20 * 4^levels` triangles around `center`, vertices shared.
pub fn closed_mesh(levels: u32, center: Vec3, radius: f32) -> Vec<Triangle> {
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
