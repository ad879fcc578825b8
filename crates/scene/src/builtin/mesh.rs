//! The drawing board of the built-in scenes: blocks, patches, lathed bodies and tubes become one
//! indexed mesh. A board may also only count, so that a scene's size is known before it is drawn.

use super::lattice::Lattice;
use crate::{Geometry, Shape};
use geometry::Vec3;
use std::f32::consts::TAU;

/// A mesh being drawn, or only counted.
#[derive(Default)]
pub(super) struct Mesh {
    positions: Vec<Vec3>,
    indices: Vec<[u32; 3]>,
    triangles: usize,
    counting: bool,
}

impl Mesh {
    /// A board that stores nothing but the number of triangles.
    pub(super) fn counting() -> Self {
        Self { counting: true, ..Self::default() }
    }

    /// The triangles drawn or counted so far.
    pub(super) const fn triangles(&self) -> usize {
        self.triangles
    }

    /// The finished mesh.
    pub(super) fn into_geometry(self, name: &str, opaque: bool) -> Geometry {
        let shape = Shape::Triangles { positions: self.positions, indices: self.indices };
        Geometry::new(name, opaque, shape)
    }

    /// An upright box, twelve triangles.
    pub(super) fn block(&mut self, min: Vec3, max: Vec3) {
        self.slanted_block(min, max, Vec3::ZERO);
    }

    /// A box whose face at the greater z is moved by `shift`: a handrail, a stringer.
    pub(super) fn slanted_block(&mut self, min: Vec3, max: Vec3, shift: Vec3) {
        self.triangles += 12;
        if self.counting {
            return;
        }
        let first = self.positions.len() as u32;
        for corner in 0..8 {
            let pick = |axis: usize| if corner >> axis & 1 == 1 { max[axis] } else { min[axis] };
            let far = if corner & 4 == 4 { shift } else { Vec3::ZERO };
            self.positions.push(Vec3::new(pick(0), pick(1), pick(2)) + far);
        }
        for [a, b, c, d] in
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
        {
            self.indices.push([first + a, first + b, first + c]);
            self.indices.push([first + a, first + c, first + d]);
        }
    }

    /// A surface over the unit square in `columns` by `rows` quads; `closed` joins u = 1 to u = 0.
    /// It faces the side of (change along u) x (change along v).
    pub(super) fn patch(
        &mut self,
        columns: usize,
        rows: usize,
        closed: bool,
        point: impl Fn(f32, f32) -> Vec3,
    ) {
        self.triangles += 2 * columns * rows;
        if self.counting {
            return;
        }
        let first = self.positions.len() as u32;
        let width = if closed { columns } else { columns + 1 };
        for row in 0..=rows {
            for column in 0..width {
                let (u, v) = (column as f32 / columns as f32, row as f32 / rows as f32);
                self.positions.push(point(u, v));
            }
        }
        for row in 0..rows {
            for column in 0..columns {
                let at = |c: usize, r: usize| first + (r * width + c % width) as u32;
                let (a, b) = (at(column, row), at(column + 1, row));
                let (d, c) = (at(column, row + 1), at(column + 1, row + 1));
                self.indices.push([a, b, c]);
                self.indices.push([a, c, d]);
            }
        }
    }

    /// A body of revolution about the upright axis through `base`: `profile` gives (radius, height)
    /// for v from the bottom to the top.
    pub(super) fn lathe(
        &mut self,
        base: Vec3,
        sides: usize,
        rows: usize,
        profile: impl Fn(f32) -> (f32, f32),
    ) {
        self.patch(sides, rows, true, |u, v| {
            let (radius, height) = profile(v);
            let (sin, cos) = (u * TAU).sin_cos();
            base + Vec3::new(radius * cos, height, -radius * sin)
        });
    }

    /// A tube along `path`; its cross-section is carried along without twist (parallel transport).
    pub(super) fn tube(&mut self, path: &[Vec3], sides: usize, radius: impl Fn(f32) -> f32) {
        let rows = path.len().saturating_sub(1);
        self.triangles += 2 * sides * rows;
        if self.counting {
            return;
        }
        let first = self.positions.len() as u32;
        let mut side = Vec3::ZERO;
        for (row, &center) in path.iter().enumerate() {
            let ahead = path[(row + 1).min(rows)] - path[row.saturating_sub(1)];
            let along = ahead.normalize_or(Vec3::Y);
            side = (side - along * side.dot(along)).normalize_or(along.any_orthonormal_vector());
            let other = along.cross(side);
            let radius = radius(row as f32 / rows as f32);
            for column in 0..sides {
                let (sin, cos) = (column as f32 / sides as f32 * TAU).sin_cos();
                self.positions.push(center + (side * cos + other * sin) * radius);
            }
        }
        for row in 0..rows {
            for column in 0..sides {
                let at = |c: usize, r: usize| first + (r * sides + c % sides) as u32;
                let (a, b) = (at(column, row), at(column + 1, row));
                let (d, c) = (at(column, row + 1), at(column + 1, row + 1));
                self.indices.push([a, b, c]);
                self.indices.push([a, c, d]);
            }
        }
    }

    /// A closed surface over a lattice: `point` gives the point in each direction from the centre.
    pub(super) fn sphere(&mut self, lattice: &Lattice, point: impl Fn(Vec3) -> Vec3 + Sync) {
        self.triangles += lattice.triangle_count();
        if self.counting {
            return;
        }
        let first = self.positions.len() as u32;
        let (positions, indices) = lattice.surface(point);
        self.positions.extend(positions);
        self.indices.extend(indices.into_iter().map(|corners| corners.map(|i| i + first)));
    }

    /// Adds another drawing.
    pub(super) fn append(&mut self, mut other: Self) {
        let first = self.positions.len() as u32;
        self.triangles += other.triangles;
        self.positions.append(&mut other.positions);
        self.indices.extend(other.indices.iter().map(|corners| corners.map(|i| i + first)));
    }
}
