//! What rays in flight walk over: the CPU's copy, or the image's own bytes.

use super::slot::Slot;
use super::triangles::Accepted;
use crate::ask::Ask;
use crate::kind::Kind;
use crate::world::{Level, Pointer, TopLevel};
use geometry::{Aabb, Ray, Triangle};
use machine::Counters;
use tree::PrimitiveId;

/// Nodes and leaves behind [`Pointer`]s.
///
/// All `unsafe` functions need the processor's features and pointers that lead to what they ask for.
pub(super) trait Ground {
    /// A leaf in which triangles are looked at one by one.
    type Leaf;

    /// Lines that a step reads at most, but for some of its last ones.
    const LINES: usize;

    /// Whether every coordinate is ordinary ([`crate::ordinary`]).
    fn is_ordinary(&self) -> bool;

    /// The top level, if there is one.
    fn top(&self) -> Option<&TopLevel>;

    /// A bottom level.
    fn bottom(&self, number: usize) -> Option<&Level>;

    /// Most entries that a walk's stack can have.
    fn stack_size(&self) -> usize;

    /// The procedural boxes of a list.
    fn box_list(&self, number: usize) -> &[(Aabb, PrimitiveId)];

    /// Answers a ray that is out of the ordinary.
    fn answer_plainly<K: Kind>(
        &self,
        ask: &Ask<'_>,
        position: usize,
        ray: &Ray,
        answer: &mut K::Answer,
        counters: &mut Counters,
    );

    /// The first byte of a node or leaf; of anything else, any address.
    fn place(&self, pointer: Pointer) -> *const u8;

    /// Puts the children of a node that the ray meets onto its stack, with `DEPTHS` also where they are
    /// entered, and takes the last entry off it.
    ///
    /// # Safety
    /// As above; the stack, of `size` entries, must have room for eight more.
    unsafe fn node<const DEPTHS: bool>(
        &self,
        node: Pointer,
        slot: &mut Slot,
        size: usize,
    ) -> Pointer;

    /// The same with depths, for a ray alone: it may branch.
    ///
    /// # Safety
    /// As [`Ground::node`].
    unsafe fn node_alone(&self, node: Pointer, slot: &mut Slot, size: usize) -> Pointer;

    /// Which triangles of a leaf the ray may hit.
    ///
    /// # Safety
    /// As above.
    unsafe fn candidates(&self, leaf: Pointer, slot: &Slot) -> Candidates;

    /// Opens a leaf.
    ///
    /// # Safety
    /// As above.
    unsafe fn leaf(&self, leaf: Pointer) -> Self::Leaf;

    /// Whether the triangle rule accepts a triangle of a leaf, and where.
    ///
    /// # Safety
    /// As above, and the leaf must have a triangle in this lane.
    unsafe fn accepted(&self, leaf: &Self::Leaf, lane: usize, slot: &Slot) -> Option<Accepted>;

    /// A triangle of a leaf.
    fn triangle(&self, leaf: &Self::Leaf, lane: usize) -> Triangle;

    /// The ids of a triangle of a leaf, of which slots say the bottom level.
    fn id(&self, leaf: &Self::Leaf, lane: usize, slot: &Slot) -> PrimitiveId;

    /// Where a leaf goes on; [`Pointer::DONE`] if it ends here.
    fn rest(&self, leaf: &Self::Leaf) -> Pointer;
}

/// Triangles of a leaf, as a ray sees them.
pub(super) struct Candidates {
    /// Bit `i`: triangle `i` may be hit.
    pub(super) mask: u8,
    /// How many were tested.
    pub(super) tested: usize,
    /// Where the leaf goes on; [`Pointer::DONE`] if it ends here.
    pub(super) rest: Pointer,
}
