//! Lists of corners become triangles.

use super::header::Element;
use crate::error::{ErrorKind, Position, Warnings};
use crate::read::{TOO_FEW_CORNERS, polygon};
use geometry::Vec3;

/// Collects the triangles of faces or strips.
pub(super) struct Faces<'a> {
    positions: &'a [Vec3],
    strips: bool,
    corners: Vec<u32>,
    triangles: &'a mut Vec<[u32; 3]>,
    warnings: &'a mut Warnings,
}

impl<'a> Faces<'a> {
    /// For the faces or the strips of `element`.
    pub(super) fn new(
        positions: &'a [Vec3],
        element: &Element,
        triangles: &'a mut Vec<[u32; 3]>,
        warnings: &'a mut Warnings,
    ) -> Self {
        let strips = element.name == "tristrips";
        Self { positions, strips, corners: Vec::new(), triangles, warnings }
    }

    /// Makes room for rows that are known to be there.
    pub(super) fn reserve(&mut self, rows: usize) {
        self.triangles.reserve(rows);
    }

    /// Adds a corner to the current list.
    pub(super) fn corner(&mut self, index: i64) -> Result<(), ErrorKind> {
        if self.strips && index == -1 {
            self.finish(Position::File);
            return Ok(());
        }
        let known = u32::try_from(index).ok().filter(|&i| (i as usize) < self.positions.len());
        let vertices = self.positions.len() as u64;
        self.corners.push(known.ok_or(ErrorKind::NoSuchVertex { index, vertices })?);
        Ok(())
    }

    /// Ends the current list, which stands at `position`. A strip may be empty, a face should not.
    pub(super) fn finish(&mut self, position: Position) {
        if self.strips {
            let odd_ones_turned = |(number, corners): (usize, &[u32])| match number % 2 {
                0 => [corners[0], corners[1], corners[2]],
                _ => [corners[1], corners[0], corners[2]],
            };
            self.triangles.extend(self.corners.windows(3).enumerate().map(odd_ones_turned));
        } else if self.corners.len() < 3 {
            self.warnings.add(position, TOO_FEW_CORNERS);
        } else {
            polygon::triangulate(&self.corners, self.positions, self.triangles);
        }
        self.corners.clear();
    }
}
