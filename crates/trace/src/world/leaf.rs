//! Leaves: 1 to 8 triangles as structure of arrays.
//!
//! A leaf of `n` triangles has ten rows of `n` words: corner 0 x, y, z, corner 1 x, y, z, corner 2
//! x, y, z, and names. Rows are not padded, so a kernel that loads eight words of a row reads into the
//! next rows, the next leaf, or the room behind the last leaf, and must ignore what it finds there.

use super::pointer::{LEAF_UNIT, Pointer};
use geometry::{Triangle, Vec3};

/// Most triangles of a leaf.
pub(crate) const MAX_TRIANGLES: usize = 8;

const ROWS: usize = 10;
const UNIT_WORDS: usize = LEAF_UNIT / 4;

/// One line of memory.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// All leaves.
#[derive(Debug, Default)]
pub(crate) struct Leaves {
    lines: Vec<Line>,
    /// Words in use.
    len: usize,
}

impl Leaves {
    /// Adds a leaf of 1 to 8 triangles with their names; `None` if there is no room for it.
    pub(crate) fn push(&mut self, triangles: &[(Triangle, u32)]) -> Option<Pointer> {
        let count = triangles.len();
        let pointer = Pointer::leaf(self.len * 4, count)?;
        let start = self.len;
        self.len += (ROWS * count).next_multiple_of(UNIT_WORDS);
        // A whole line and more remains behind the last word: see above.
        self.lines.resize(self.len / 16 + 3, Line([0; 16]));
        for (column, (triangle, name)) in triangles.iter().enumerate() {
            let corners = triangle.vertices.iter().flat_map(|v| v.to_array()).map(f32::to_bits);
            for (row, word) in corners.chain([*name]).enumerate() {
                let at = start + row * count + column;
                self.lines[at / 16].0[at % 16] = word;
            }
        }
        Some(pointer)
    }

    /// Gives back what was reserved and not needed.
    pub(crate) fn finish(&mut self) {
        self.lines.shrink_to_fit();
    }

    /// Triangle `column` of the leaf of `count` triangles at `byte`, and its name.
    pub(crate) fn triangle(&self, byte: usize, count: usize, column: usize) -> (Triangle, u32) {
        let word = |row: usize| {
            let at = byte / 4 + row * count + column;
            self.lines[at / 16].0[at % 16]
        };
        let corner =
            |c: usize| Vec3::from_array(std::array::from_fn(|k| f32::from_bits(word(3 * c + k))));
        (Triangle { vertices: std::array::from_fn(corner) }, word(9))
    }

    /// The first byte.
    pub(crate) fn start(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_come_back() {
        let triangle = |x: f32| {
            Triangle::new(Vec3::new(x, 1.0, 2.0), Vec3::new(x, -4.0, 3.0), Vec3::new(7.0, x, 0.5))
        };
        let all: Vec<(Triangle, u32)> = (0..11).map(|n| (triangle(n as f32), 100 + n)).collect();
        let mut leaves = Leaves::default();
        let places: Vec<_> = [&all[..3], &all[3..]].map(|part| leaves.push(part).unwrap()).to_vec();
        for (pointer, part) in places.iter().zip([&all[..3], &all[3..]]) {
            let (byte, count) = pointer.leaf_place();
            assert_eq!(count, part.len());
            for (column, expected) in part.iter().enumerate() {
                assert_eq!(leaves.triangle(byte, count, column), *expected);
            }
        }
        assert_eq!(leaves.start().align_offset(64), 0);
    }
}
