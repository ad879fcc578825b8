//! One run of memory for nodes and leaves, so that a pointer is a place in it whatever it leads to.
//!
//! Nodes come first, then leaves, then room for kernels that load whole vectors of a leaf's last
//! row.

use super::node::Node;
use super::pointer::{Pointer, UNIT};
use geometry::{Triangle, Vec3};
use rayon::prelude::*;
use std::mem::MaybeUninit;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

/// One line of memory.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
struct Line([u32; 16]);

const LINES_OF_NODE: usize = size_of::<Node>() / size_of::<Line>();
const UNITS_OF_LINE: usize = size_of::<Line>() / UNIT;

/// Lines behind the last leaf.
const ROOM: usize = 2;

/// Bytes of a triangle in a leaf, and of what is loaded at once.
const ROW_BYTES: usize = 40;
const VECTOR_BYTES: usize = 32;

/// Nodes and leaves.
#[derive(Debug, Clone)]
pub(crate) struct Arena {
    lines: Vec<Line>,
    nodes: usize,
}

impl Arena {
    /// Memory for so many nodes, and for leaves of so many units; all zero. `None` if there is not
    /// enough.
    pub(crate) fn zeros(nodes: usize, leaf_units: usize) -> Option<Self> {
        let count = nodes * LINES_OF_NODE + leaf_units.div_ceil(UNITS_OF_LINE) + ROOM;
        Some(Self { lines: zeros(count)?, nodes })
    }

    /// Memory for so many bytes, a multiple of a line; no nodes yet. `None` if there is not enough.
    pub(crate) fn of_bytes(bytes: usize) -> Option<Self> {
        let count = bytes / size_of::<Line>();
        let lines = zeros(count).filter(|_| bytes.is_multiple_of(size_of::<Line>()))?;
        Some(Self { lines, nodes: 0 })
    }

    /// Says how many nodes there are; false if there is no room for them.
    pub(crate) fn set_node_count(&mut self, nodes: usize) -> bool {
        let fits = nodes <= self.lines.len() / LINES_OF_NODE;
        self.nodes = if fits { nodes } else { 0 };
        fits
    }

    /// All of it, as bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.lines.as_bytes()
    }

    /// The same, to be written.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        self.lines.as_mut_bytes()
    }

    /// All of it: nodes, then the words of leaves.
    pub(crate) fn parts_mut(&mut self) -> (&mut [Node], &mut [u32]) {
        let (nodes, leaves) = self.lines.split_at_mut(self.nodes * LINES_OF_NODE);
        // Lines are aligned like nodes, and there are as many as nodes take: always slices.
        let nodes = <[Node]>::mut_from_bytes(nodes.as_mut_bytes()).unwrap_or_default();
        let leaves = <[u32]>::mut_from_bytes(leaves.as_mut_bytes()).unwrap_or_default();
        (nodes, leaves)
    }

    /// The nodes, by number.
    pub(crate) fn nodes(&self) -> &[Node] {
        let nodes = &self.lines[..self.nodes * LINES_OF_NODE];
        <[Node]>::ref_from_bytes(nodes.as_bytes()).unwrap_or_default()
    }

    /// Where leaves begin, in units of pointers.
    pub(crate) fn leaf_shift(nodes: usize) -> usize {
        nodes * size_of::<Node>() / UNIT
    }

    /// How many nodes there are; they are numbered from 0 on.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes
    }

    /// Whether a pointer leads to a node or leaf in here, with room behind it: POINTER-PROVED,
    /// LEAF-ROOM.
    pub(crate) fn holds(&self, pointer: Pointer) -> bool {
        let (byte, nodes) = (pointer.byte(), self.nodes * size_of::<Node>());
        if pointer.is_node() {
            return byte.is_multiple_of(size_of::<Node>()) && byte < nodes;
        }
        let end = byte + ROW_BYTES * pointer.triangles() + VECTOR_BYTES;
        pointer.is_node_or_leaf() && byte >= nodes && end <= self.byte_count()
    }

    /// The node behind a pointer to one.
    pub(crate) fn node(&self, pointer: Pointer) -> &Node {
        assert!(pointer.is_node() && self.holds(pointer));
        // SAFETY: POINTER-PROVED, as asserted.
        unsafe { self.node_unchecked(pointer) }
    }

    /// The same without a test.
    ///
    /// # Safety
    /// The pointer must lead to a node of this arena.
    #[inline(always)]
    pub(crate) unsafe fn node_unchecked(&self, pointer: Pointer) -> &Node {
        debug_assert!(pointer.is_node() && self.holds(pointer), "POINTER-PROVED");
        // SAFETY: POINTER-PROVED. Lines are aligned like nodes.
        unsafe { &*self.start().add(pointer.byte()).cast::<Node>() }
    }

    /// Triangle `column` of the leaf behind a pointer to one, and its name.
    pub(crate) fn triangle(&self, leaf: Pointer, column: usize) -> (Triangle, u32) {
        let (byte, count) = (leaf.byte(), leaf.triangles());
        let word = |row: usize| {
            let at = byte / 4 + row * count + column;
            self.lines[at / 16].0[at % 16]
        };
        let corner =
            |c: usize| Vec3::from_array(std::array::from_fn(|k| f32::from_bits(word(3 * c + k))));
        (Triangle { vertices: std::array::from_fn(corner) }, word(9))
    }

    /// The name of triangle `column` of a leaf.
    #[inline(always)]
    pub(crate) fn name(&self, leaf: Pointer, column: usize) -> u32 {
        let at = leaf.byte() / 4 + 9 * leaf.triangles() + column;
        self.lines[at / 16].0[at % 16]
    }

    /// The first byte.
    #[inline(always)]
    pub(crate) fn start(&self) -> *const u8 {
        self.lines.as_ptr().cast()
    }

    /// Bytes in memory.
    pub(crate) fn byte_count(&self) -> usize {
        size_of_val(self.lines.as_slice())
    }
}

/// Lines of zeros, first touched by all threads; `None` if the system has not enough.
fn zeros(count: usize) -> Option<Vec<Line>> {
    let mut lines = Vec::new();
    lines.try_reserve_exact(count).ok()?;
    ask_for_large_pages(lines.spare_capacity_mut());
    lines.par_extend((0..count).into_par_iter().map(|_| Line([0; 16])));
    Some(lines)
}

/// Asks for large pages, before the memory is first touched: a walk reads all over it, and looking
/// up small pages costs large scenes up to a tenth of their speed.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(lines: &mut [MaybeUninit<Line>]) {
    const PAGE: usize = 4096;
    let start = lines.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    let bytes = size_of_val(lines);
    if let Some(length) = bytes.checked_sub(skipped).map(|rest| rest / PAGE * PAGE)
        && length > 0
    {
        // SAFETY: ANY-ADDRESS: advice about pages that are ours, whether it is taken or not.
        unsafe { libc::madvise(start.add(skipped).cast(), length, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_: &mut [MaybeUninit<Line>]) {}

#[cfg(test)]
mod tests {
    use super::super::leaf;
    use super::*;
    use geometry::Aabb;

    #[test]
    fn nodes_and_triangles_come_back() {
        let triangle = |x: f32| {
            Triangle::new(Vec3::new(x, 1.0, 2.0), Vec3::new(x, -4.0, 3.0), Vec3::new(7.0, x, 0.5))
        };
        let all: Vec<(Triangle, u32)> = (0..11).map(|n| (triangle(n as f32), 100 + n)).collect();
        let parts = [&all[..3], &all[3..]];
        let boxes = [Aabb::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 6.0, 8.0)); 2];
        let mut arena = Arena::zeros(2, leaf::units(3) + leaf::units(8)).unwrap();
        let (nodes, words) = arena.parts_mut();
        nodes.copy_from_slice(&[Node::of_boxes(&boxes), Node::of_boxes(&boxes[1..])]);
        let mut unit = 0;
        let pointers = parts.map(|part| {
            leaf::write(&mut words[unit * UNIT / 4..], part.len(), part.iter().copied());
            unit += leaf::units(part.len());
            Pointer::leaf(
                (Arena::leaf_shift(2) + unit - leaf::units(part.len())) * UNIT,
                part.len(),
            )
        });
        assert_eq!(arena.node(Pointer::node(1).unwrap()).bounds(0), boxes[1]);
        for (pointer, part) in pointers.iter().zip(parts) {
            let pointer = pointer.unwrap();
            assert!(arena.holds(pointer));
            assert_eq!(pointer.triangles(), part.len());
            for (column, expected) in part.iter().enumerate() {
                assert_eq!(arena.triangle(pointer, column), *expected);
            }
        }
        assert_eq!(arena.start().align_offset(64), 0);
    }
}
