//! Leaves: 1 to 8 triangles as structure of arrays.
//!
//! A leaf of `n` triangles has ten rows of `n` words: corner 0 x, y, z, corner 1 x, y, z, corner 2
//! x, y, z, and names. Rows are not padded, so a kernel that loads eight words of a row reads into
//! the next rows, the next leaf, or the room behind the last leaf, and must ignore what it finds
//! there.

use super::pointer::UNIT;
use geometry::Triangle;

/// Most triangles of a leaf.
pub(crate) const MAX_TRIANGLES: usize = 8;

const ROWS: usize = 10;

/// Bytes of a triangle and its name.
pub(crate) const TRIANGLE_BYTES: u64 = 4 * ROWS as u64;

/// Units of a leaf.
pub(crate) fn units(triangles: usize) -> usize {
    (4 * ROWS * triangles).div_ceil(UNIT)
}

/// Writes a leaf of `count` triangles with their names to the beginning of `words`.
pub(crate) fn write(
    words: &mut [u32],
    count: usize,
    triangles: impl Iterator<Item = (Triangle, u32)>,
) {
    let words = &mut words[..ROWS * count];
    for (column, (triangle, name)) in triangles.take(count).enumerate() {
        for (corner, vertex) in triangle.vertices.iter().enumerate() {
            for axis in 0..3 {
                words[(3 * corner + axis) * count + column] = vertex[axis].to_bits();
            }
        }
        words[9 * count + column] = name;
    }
}
