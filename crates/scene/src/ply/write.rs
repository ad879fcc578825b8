//! Writes binary little-endian PLY.

use geometry::Vec3;
use std::io::{self, Write};

/// Writes a mesh as binary little-endian PLY: float coordinates, faces as lists of three `int`, the
/// types that every reader knows. Wrap a file in a [`io::BufWriter`].
///
/// # Errors
/// When the writer fails, or there are more vertices than an `int` can number.
///
/// ```
/// use geometry::Vec3;
/// let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
/// let mut file = Vec::new();
/// scene::ply::write(&mut file, &positions, &[[0, 1, 2]])?;
/// assert_eq!(scene::read("corner", &file)?.triangle_count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(out: &mut impl Write, positions: &[Vec3], indices: &[[u32; 3]]) -> io::Result<()> {
    if i32::try_from(positions.len()).is_err() {
        let reason = format!("{} vertices are too many for a PLY file", positions.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty float x\nproperty float \
         y\nproperty float z\nelement face {}\nproperty list uchar int \
         vertex_indices\nend_header\n",
        positions.len(),
        indices.len()
    )?;
    for position in positions {
        let [x, y, z] = position.to_array().map(f32::to_le_bytes);
        out.write_all([x, y, z].as_flattened())?;
    }
    for corners in indices {
        let mut row = [3; 13];
        row[1..].copy_from_slice(corners.map(u32::to_le_bytes).as_flattened());
        out.write_all(&row)?;
    }
    Ok(())
}
