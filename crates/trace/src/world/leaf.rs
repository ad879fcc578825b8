//! Leaves: 1 to 8 triangles as structure of arrays.
//!
//! A leaf of `n` triangles has ten rows of `n` words: corner 0 x, y, z, corner 1 x, y, z, corner 2
//! x, y, z, and names. Rows are not padded, so a kernel that loads eight words of a row reads into
//! the next rows, the next leaf, or the room behind the last leaf, and must ignore what it finds
//! there.

use super::pointer::{Pointer, UNIT};
use geometry::Triangle;

/// Most triangles of a leaf.
pub(crate) const MAX_TRIANGLES: usize = 8;

const ROWS: usize = 10;

/// Bytes of a triangle and its name.
pub(crate) const TRIANGLE_BYTES: u64 = 4 * ROWS as u64;

/// All leaves, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    words: Vec<u32>,
}

impl Leaves {
    /// Adds a leaf of 1 to 8 triangles with their names; `None` if there is no room for it. The
    /// pointer counts from the first leaf.
    pub(crate) fn push(&mut self, triangles: &[(Triangle, u32)]) -> Option<Pointer> {
        let (count, start) = (triangles.len(), self.words.len());
        let pointer = Pointer::leaf(start * 4, count)?;
        self.words.resize(start + (ROWS * count).next_multiple_of(UNIT / 4), 0);
        for (column, (triangle, name)) in triangles.iter().enumerate() {
            let corners = triangle.vertices.iter().flat_map(|v| v.to_array()).map(f32::to_bits);
            for (row, word) in corners.chain([*name]).enumerate() {
                self.words[start + row * count + column] = word;
            }
        }
        Some(pointer)
    }

    /// All of them.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }
}
