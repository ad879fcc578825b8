//! Writes a scene as one mesh, in the format that the ending of its file names.

use crate::{Scene, Shape, ply};
use geometry::{Aabb, Vec3};
use std::io::{self, Write};
use std::path::Path;

/// The formats that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeshFormat {
    /// Wavefront OBJ, text.
    Obj,
    /// PLY, binary and little endian.
    Ply,
    /// STL, binary.
    Stl,
}

/// A file whose ending names no format that can be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}: the ending names no mesh format, expected .obj, .ply or .stl")]
pub struct UnknownEnding(pub String);

impl MeshFormat {
    /// The format of a file that is to be written.
    ///
    /// # Errors
    /// When its ending is none of `.obj`, `.ply` and `.stl`, in any case.
    pub fn of(path: &Path) -> Result<Self, UnknownEnding> {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        match ending.as_deref().and_then(|ending| ending.to_str()) {
            Some("obj") => Ok(Self::Obj),
            Some("ply") => Ok(Self::Ply),
            Some("stl") => Ok(Self::Stl),
            _ => Err(UnknownEnding(path.display().to_string())),
        }
    }

    /// Writes a mesh. OBJ and PLY keep every vertex as it is; STL repeats those of each triangle.
    /// Wrap a file in a [`io::BufWriter`].
    ///
    /// # Errors
    /// When the writer fails, an index is out of range, or the format cannot count so high.
    ///
    /// ```
    /// use geometry::Vec3;
    /// use scene::MeshFormat;
    /// let positions = [Vec3::ZERO, Vec3::X, Vec3::new(0.1, 2.0, 0.0)];
    /// let mut file = Vec::new();
    /// MeshFormat::Obj.write(&mut file, &positions, &[[0, 1, 2]])?;
    /// assert_eq!(file, b"v 0 0 0\nv 1 0 0\nv 0.1 2 0\nf 1 2 3\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn write(
        self,
        out: &mut impl Write,
        positions: &[Vec3],
        indices: &[[u32; 3]],
    ) -> io::Result<()> {
        match self {
            Self::Obj => write_obj(out, positions, indices),
            Self::Ply => ply::write(out, positions, indices),
            Self::Stl => write_stl(out, positions, indices),
        }
    }
}

impl Scene {
    /// Everything as one mesh in world space, boxes as twelve triangles each: positions and
    /// corners. Nothing if a vertex could not be numbered with 32 bits.
    #[must_use]
    pub fn to_mesh(&self) -> Option<(Vec<Vec3>, Vec<[u32; 3]>)> {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for placed in self.flattened() {
            let mut add = |positions: &[Vec3], indices: &[[u32; 3]]| {
                let first = u32::try_from(vertices.len()).ok()?;
                first.checked_add(u32::try_from(positions.len()).ok()?)?;
                vertices.extend(positions.iter().map(|&position| placed.point(position)));
                triangles.extend(indices.iter().map(|corners| corners.map(|c| first + c)));
                Some(())
            };
            match &placed.geometry.shape {
                Shape::Triangles { positions, indices } => add(positions, indices)?,
                Shape::Boxes(boxes) => {
                    boxes.iter().try_for_each(|bounds| add(&box_corners(bounds), &BOX_FACES))?;
                }
            }
        }
        Some((vertices, triangles))
    }
}

/// The corners of a box; bit `k` of a corner's number chooses the side of axis `k`.
fn box_corners(bounds: &Aabb) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        let side = |axis: usize| if corner >> axis & 1 == 1 { bounds.max } else { bounds.min };
        Vec3::new(side(0).x, side(1).y, side(2).z)
    })
}

/// The faces of a box by its corners, two triangles each, seen from outside counter-clockwise.
#[rustfmt::skip]
const BOX_FACES: [[u32; 3]; 12] = [
    [0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5], [0, 1, 5], [0, 5, 4],
    [2, 6, 7], [2, 7, 3], [0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6],
];

/// Numbers have as many digits as tell them apart, so that they are read as they were.
fn write_obj(out: &mut impl Write, positions: &[Vec3], indices: &[[u32; 3]]) -> io::Result<()> {
    for Vec3 { x, y, z } in positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for corners in indices {
        let [a, b, c] = corners.map(|corner| u64::from(corner) + 1);
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// 80 bytes of comment and the number of triangles; for each its normal, its corners and 16 zero
/// bits.
fn write_stl(out: &mut impl Write, positions: &[Vec3], indices: &[[u32; 3]]) -> io::Result<()> {
    let invalid = |reason: String| io::Error::new(io::ErrorKind::InvalidInput, reason);
    let count = u32::try_from(indices.len())
        .map_err(|_| invalid(format!("{} triangles are too many for STL", indices.len())))?;
    // Text files begin with "solid"; this one must not.
    let mut header = [b' '; 80];
    header[..11].copy_from_slice(b"binary mesh");
    out.write_all(&header)?;
    out.write_all(&count.to_le_bytes())?;
    for corners in indices {
        let corner = |index: u32| positions.get(index as usize).copied();
        let [Some(a), Some(b), Some(c)] = corners.map(corner) else {
            return Err(invalid(format!("corners {corners:?} of {} vertices", positions.len())));
        };
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let numbers = [normal, a, b, c].map(|v| v.to_array().map(f32::to_le_bytes));
        out.write_all(numbers.as_flattened().as_flattened())?;
        out.write_all(&[0; 2])?;
    }
    Ok(())
}
