//! What rays in flight walk over: the CPU's copy, or the image's own bytes.

use super::active_ray::ActiveRay;
use super::rule::Rule;
use super::triangles::Accepted;
use crate::ask::Ask;
use crate::kind::Kind;
use crate::simd::Simd;
use crate::world::{Level, Pointer, Tlas};
use geometry::{Aabb, Ray, Triangle};
use machine::Counters;
use tree::PrimitiveId;

/// Levels, and nodes and leaves behind [`Pointer`]s.
pub(crate) trait Source {
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

    /// Counts the visit of a node.
    ///
    /// # Safety
    /// As [`Source::child_count`].
    #[inline(always)]
    unsafe fn count_node(&self, node: Pointer, slot: &ActiveRay, counters: &mut Counters) {
        counters.nodes += 1;
        counters.bytes += Self::NODE_BYTES;
        // SAFETY: POINTER-PROVED.
        counters.box_tests += unsafe { self.child_count(node, slot) };
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

    /// [`Source::place`] of a node or leaf that is read now.
    #[inline(always)]
    fn proved_place(&self, pointer: Pointer, slot: &ActiveRay) -> *const u8 {
        debug_assert!(self.holds(pointer, slot), "POINTER-PROVED");
        self.place(pointer, slot)
    }

    /// Asks for the memory of a ray's next step.
    #[inline(always)]
    fn prefetch<V: Simd>(&self, pointer: Pointer, slot: &ActiveRay) {
        let address = self.place(pointer, slot);
        for line in 0..Self::LINES {
            V::prefetch(address.wrapping_add(64 * line));
        }
    }
}

/// What rays do on it, with the vectors of a kernel. Steps have two halves, so that the first half
/// of a ray's step can be taken before the second one of the ray's before it.
///
/// All `unsafe` functions need the processor's instructions and pointers that lead to what they are
/// said to lead to.
pub(crate) trait Steps<V: Simd>: Source {
    /// The children of a node as a ray meets them.
    type Met<'a>
    where
        Self: 'a;

    /// A leaf as a ray sees it.
    type Opened<'a>
    where
        Self: 'a;

    /// What is kept of a leaf for a look at its triangles one by one.
    type Saved: Copy + Default;

    /// The first half of a step at a node. With `DEPTHS`, the nearest child is wanted first.
    ///
    /// # Safety
    /// As above.
    unsafe fn meet<const DEPTHS: bool>(&self, node: Pointer, slot: &ActiveRay) -> Self::Met<'_>;

    /// The second half: puts the children that are met onto the ray's stack, with `DEPTHS` also
    /// where they are entered, and takes the last entry off it.
    ///
    /// # Safety
    /// As above; the stack, of `size` entries, must have room for eight more.
    unsafe fn push<const DEPTHS: bool>(
        met: &Self::Met<'_>,
        slot: &mut ActiveRay,
        size: usize,
    ) -> Pointer;

    /// No leaf.
    fn unopened<'a>() -> Self::Opened<'a>
    where
        Self: 'a;

    /// The first half of a step at a leaf.
    ///
    /// # Safety
    /// As above.
    unsafe fn open(&self, leaf: Pointer, slot: &ActiveRay) -> Self::Opened<'_>;

    /// The second half: which triangles the ray may hit.
    ///
    /// # Safety
    /// As above.
    unsafe fn candidates(opened: &Self::Opened<'_>, slot: &ActiveRay) -> u32;

    /// How many triangles there are in it.
    fn tested(opened: &Self::Opened<'_>) -> usize;

    /// Where it goes on; [`Pointer::DONE`] if it ends here.
    fn goes_on(opened: &Self::Opened<'_>) -> Pointer;

    /// Keeps it.
    ///
    /// # Safety
    /// There must be room at that place.
    unsafe fn save(opened: &Self::Opened<'_>, place: *mut Self::Saved);

    /// Whether the triangle rule accepts a triangle of a leaf, and where.
    ///
    /// # Safety
    /// As above, and the leaf must have a triangle in this lane.
    unsafe fn accepted(
        &self,
        leaf: Pointer,
        saved: &Self::Saved,
        lane: usize,
        slot: &ActiveRay,
    ) -> Option<Accepted>;

    /// A triangle of a leaf.
    fn triangle(&self, leaf: Pointer, saved: &Self::Saved, lane: usize) -> Triangle;

    /// The ids of a triangle of a leaf, of which slots say the BLAS.
    fn id(&self, leaf: Pointer, saved: &Self::Saved, lane: usize, slot: &ActiveRay) -> PrimitiveId;

    /// Where a saved leaf goes on.
    fn rest(saved: &Self::Saved) -> Pointer;
}
