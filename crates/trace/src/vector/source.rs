//! What rays in flight walk over: the CPU's copy, or the image's own bytes.

use super::active_ray::ActiveRay;
use super::rule::Rule;
use super::triangles::Accepted;
use crate::ask::Ask;
use crate::kind::Kind;
use crate::world::{Level, Pointer, Tlas};
use geometry::{Aabb, Ray, Triangle};
use machine::Counters;
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
use tree::PrimitiveId;

/// Levels, and nodes and leaves behind [`Pointer`]s.
pub(crate) trait VectorSource {
    /// What decides whether triangles are hit.
    type Rule: Rule;

    /// Lines that a step reads at most, but for some of its last ones.
    const LINES: usize;

    /// Bytes of a node, for counters.
    const NODE_BYTES: u64;

    /// Bytes of a triangle in a leaf, and of the leaf around them, for counters.
    const LEAF_BYTES: [u64; 2];

    /// How many times the dilation that the reference asks for its box tests need.
    const DILATIONS: f32;

    /// Whether every coordinate is ordinary ([`crate::ordinary`]).
    fn is_ordinary(&self) -> bool;

    /// The TLAS, if there is one.
    fn tlas(&self) -> Option<&Tlas>;

    /// A BLAS.
    fn blas(&self, number: usize) -> Option<&Level>;

    /// What pointers of a BLAS count from, or, without a number, those of the outermost level.
    fn start(&self, blas: Option<usize>) -> *const u8;

    /// The number of the instance that a pointer to an instance names.
    fn instance(&self, instance_id: usize) -> Option<usize>;

    /// Most entries that a walk's stack can have.
    fn stack_size(&self) -> usize;

    /// The procedural boxes of a list.
    fn box_list(&self, number: usize) -> &[(Aabb, PrimitiveId)];

    /// Answers a ray that is out of the ordinary.
    fn answer_scalar<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    );

    /// The first byte of a node or leaf that a ray is on its way to; of anything else, any address.
    fn place(&self, pointer: Pointer, slot: &ActiveRay) -> *const u8;

    /// How many children a node has, for counters.
    ///
    /// # Safety
    /// The pointer must lead to a node of the level that the ray is in.
    unsafe fn child_count(&self, node: Pointer, slot: &ActiveRay) -> u64;

    /// Counts a visit of a node.
    ///
    /// # Safety
    /// The pointer must lead to a node of the level that the ray is in.
    #[inline(always)]
    unsafe fn count_node(&self, node: Pointer, slot: &ActiveRay, counters: &mut Counters) {
        counters.nodes += 1;
        // SAFETY: POINTER-PROVED.
        counters.box_tests += unsafe { self.child_count(node, slot) };
        counters.bytes += Self::NODE_BYTES;
    }

    /// Counts visits of leaves with so many triangles in all.
    #[inline(always)]
    fn count_leaves(leaves: usize, triangles: usize, counters: &mut Counters) {
        counters.leaves += leaves as u64;
        counters.triangle_tests += triangles as u64;
        let [triangle_bytes, leaf_bytes] = Self::LEAF_BYTES;
        counters.bytes += triangle_bytes * triangles as u64 + leaf_bytes * leaves as u64;
    }

    /// Whether a ray at a slot finds a node or leaf behind a pointer: POINTER-PROVED, for
    /// assertions.
    fn holds(&self, pointer: Pointer, slot: &ActiveRay) -> bool;

    /// The same of one that is read now.
    #[inline(always)]
    fn proved_place(&self, pointer: Pointer, slot: &ActiveRay) -> *const u8 {
        debug_assert!(self.holds(pointer, slot), "POINTER-PROVED");
        self.place(pointer, slot)
    }

    /// Asks for the memory of a ray's next step.
    #[inline(always)]
    fn prefetch(&self, pointer: Pointer, slot: &ActiveRay) {
        let address = self.place(pointer, slot).cast::<i8>();
        for line in 0..Self::LINES {
            // SAFETY: ANY-ADDRESS.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(address.wrapping_add(64 * line)) };
        }
    }
}

/// What rays do on it, with the instructions of a kernel.
///
/// All `unsafe` functions need the processor's features and pointers that lead to what they ask
/// for.
pub(crate) trait Steps: VectorSource {
    /// A leaf in which triangles are looked at one by one.
    type Leaf;

    /// Puts the children of a node that the ray meets onto its stack, with where they are entered,
    /// and takes the last entry off it: for a ray alone, so it may branch.
    ///
    /// # Safety
    /// As above; the stack, of `size` entries, must have room for eight more.
    unsafe fn node_alone(&self, node: Pointer, slot: &mut ActiveRay, size: usize) -> Pointer;

    /// Which triangles of a leaf the ray may hit.
    ///
    /// # Safety
    /// As above.
    unsafe fn candidates(&self, leaf: Pointer, slot: &ActiveRay) -> Candidates;

    /// Opens a leaf.
    ///
    /// # Safety
    /// As above.
    unsafe fn leaf(&self, leaf: Pointer, slot: &ActiveRay) -> Self::Leaf;

    /// Whether the triangle rule accepts a triangle of a leaf, and where.
    ///
    /// # Safety
    /// As above, and the leaf must have a triangle in this lane.
    unsafe fn accepted(&self, leaf: &Self::Leaf, lane: usize, slot: &ActiveRay)
    -> Option<Accepted>;

    /// A triangle of a leaf.
    fn triangle(&self, leaf: &Self::Leaf, lane: usize) -> Triangle;

    /// The ids of a triangle of a leaf, of which slots say the BLAS.
    fn id(&self, leaf: &Self::Leaf, lane: usize, slot: &ActiveRay) -> PrimitiveId;

    /// Where a leaf goes on; [`Pointer::DONE`] if it ends here.
    fn rest(&self, leaf: &Self::Leaf) -> Pointer;

    /// Drops the entries of a stack of `size` entries, from `bottom` to `top`, that begin beyond
    /// `t`. The new top.
    ///
    /// # Safety
    /// As above. The stack must have room for sixteen entries more, and depths for all that it has.
    unsafe fn drop_beyond(
        bottom: *mut Pointer,
        top: *mut Pointer,
        size: usize,
        t: f32,
    ) -> *mut Pointer;
}

/// Triangles of a leaf, as a ray sees them.
pub(crate) struct Candidates {
    /// Bit `i`: triangle `i` may be hit.
    pub(crate) mask: u16,
    /// How many were tested.
    pub(crate) tested: usize,
    /// Where the leaf goes on; [`Pointer::DONE`] if it ends here.
    pub(crate) rest: Pointer,
}
