//! Writes a mesh in the format that the ending of its file names.

use crate::ply;
use geometry::Vec3;
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
