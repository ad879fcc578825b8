//! The surface of a box, divided into a lattice of quads and blown up to a sphere: closed, even,
//! and of nearly any number of triangles.

use geometry::Vec3;
use rayon::prelude::*;
use std::f32::consts::FRAC_PI_4;

/// The lattice on the surface of a box of `cells[0]` x `cells[1]` x `cells[2]` cells.
///
/// Vertices are numbered in layers of z: the full bottom layer, the rims of the layers between, the
/// full top layer.
pub(super) struct Lattice {
    cells: [usize; 3],
}

impl Lattice {
    /// Cells that give nearest to `triangles`; the three edges differ by at most one cell.
    pub(super) fn nearest(triangles: usize) -> Self {
        let n = ((triangles as f64 / 12.0).sqrt() as usize).max(1);
        let choices = [[n, n, n], [n + 1, n, n], [n + 1, n + 1, n], [n + 1, n + 1, n + 1]];
        let nearest = choices.into_iter().map(|cells| Self { cells });
        nearest
            .min_by_key(|l| l.triangle_count().abs_diff(triangles))
            .unwrap_or(Self { cells: [n; 3] })
    }

    /// Positions and triangles of the surface that `point` gives for each direction from the
    /// centre.
    pub(super) fn surface(
        &self,
        point: impl Fn(Vec3) -> Vec3 + Sync,
    ) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let positions: Vec<Vec3> = (0..self.vertex_count())
            .into_par_iter()
            .map(|vertex| point(self.direction(vertex)))
            .collect();
        let quads = self.quads();
        let mut indices = vec![[0; 3]; self.triangle_count()];
        indices.par_chunks_exact_mut(2).zip(quads).for_each(|(pair, quad)| {
            pair.copy_from_slice(&split_along_shorter_diagonal(quad, &positions));
        });
        (positions, indices)
    }

    /// The angle between neighbouring lattice lines, in radians.
    pub(super) fn step(&self) -> f32 {
        2.0 * FRAC_PI_4 / self.cells[0] as f32
    }

    pub(super) fn triangle_count(&self) -> usize {
        let [a, b, c] = self.cells;
        4 * (a * b + b * c + c * a)
    }

    const fn vertex_count(&self) -> usize {
        let [a, b, c] = self.cells;
        2 * (a + 1) * (b + 1) + 2 * (a + b) * (c - 1)
    }

    /// The number of the vertex at a lattice point on the surface.
    fn vertex(&self, [i, j, k]: [usize; 3]) -> u32 {
        let [a, b, c] = self.cells;
        let (layer, rim) = ((a + 1) * (b + 1), 2 * (a + b));
        let number = match k {
            0 => j * (a + 1) + i,
            _ if k == c => layer + rim * (c - 1) + j * (a + 1) + i,
            _ => {
                let around = match (i, j) {
                    (_, 0) => i,
                    _ if i == a => a + j,
                    _ if j == b => 2 * a + b - i,
                    _ => 2 * (a + b) - j,
                };
                layer + rim * (k - 1) + around
            }
        };
        number as u32
    }

    /// The lattice point of a vertex.
    fn point(&self, vertex: usize) -> [usize; 3] {
        let [a, b, c] = self.cells;
        let (layer, rim) = ((a + 1) * (b + 1), 2 * (a + b));
        if vertex < layer {
            return [vertex % (a + 1), vertex / (a + 1), 0];
        }
        let above = vertex - layer;
        if above >= rim * (c - 1) {
            let top = above - rim * (c - 1);
            return [top % (a + 1), top / (a + 1), c];
        }
        let (k, around) = (above / rim + 1, above % rim);
        let [i, j] = if around <= a {
            [around, 0]
        } else if around <= a + b {
            [a, around - a]
        } else if around <= 2 * a + b {
            [2 * a + b - around, b]
        } else {
            [0, 2 * (a + b) - around]
        };
        [i, j, k]
    }

    /// The direction of a vertex from the centre; equal angles between lattice lines on each face.
    fn direction(&self, vertex: usize) -> Vec3 {
        let point = self.point(vertex);
        let face = |axis: usize| {
            let x = 2.0 * point[axis] as f32 / self.cells[axis] as f32 - 1.0;
            (x * FRAC_PI_4).tan()
        };
        Vec3::new(face(0), face(1), face(2)).normalize()
    }

    /// All quads, counter-clockwise seen from outside.
    fn quads(&self) -> Vec<[u32; 4]> {
        let mut quads = Vec::with_capacity(self.triangle_count() / 2);
        for axis in 0..3 {
            let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
            for side in [0, self.cells[axis]] {
                for t in 0..self.cells[second] {
                    for s in 0..self.cells[first] {
                        let at = |ds: usize, dt: usize| {
                            let mut point = [0; 3];
                            (point[axis], point[first], point[second]) = (side, s + ds, t + dt);
                            self.vertex(point)
                        };
                        let [a, b, c, d] = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
                        quads.push(if side == 0 { [a, d, c, b] } else { [a, b, c, d] });
                    }
                }
            }
        }
        quads
    }
}

fn split_along_shorter_diagonal([a, b, c, d]: [u32; 4], positions: &[Vec3]) -> [[u32; 3]; 2] {
    let at = |index: u32| positions[index as usize];
    if at(a).distance_squared(at(c)) <= at(b).distance_squared(at(d)) {
        [[a, b, c], [a, c, d]]
    } else {
        [[a, b, d], [b, c, d]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_and_lattice_points_are_the_same() {
        let lattice = Lattice { cells: [4, 3, 5] };
        for vertex in 0..lattice.vertex_count() {
            assert_eq!(lattice.vertex(lattice.point(vertex)) as usize, vertex);
        }
    }
}
