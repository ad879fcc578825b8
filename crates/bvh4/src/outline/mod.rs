//! Following every pointer of an image, sound or not: what outlines of all formats share.
//!
//! Pointers are followed depth first and in slot order, as far as memory reaches. Each node is read
//! once, so an outline takes time in proportion to the image, whatever its bytes are.

pub mod marks;

pub use marks::Marks;

use crate::survey::Memory;
use machine::{EntryState, NodeRef, Outline, OutlineEntry, PrimitiveRef, Total};

/// Sums over an image.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// Structures.
    pub structures: usize,
    /// Box nodes.
    pub boxes: usize,
    /// Instance nodes.
    pub instances: usize,
    /// Primitive nodes.
    pub primitive_nodes: usize,
    /// Ranges of pairs.
    pub ranges: usize,
    /// Pairs.
    pub pairs: usize,
    /// Triangles.
    pub triangles: usize,
    /// Procedurals.
    pub procedurals: usize,
    /// Levels of nodes.
    pub depth: u32,
    /// Pointers that lead nowhere.
    pub outside: usize,
}

impl Totals {
    fn list(&self) -> Vec<Total> {
        let total = |name, label, count: usize| Total { name, label, count: count as u64 };
        vec![
            total("structures", "structures", self.structures),
            total("boxes", "box nodes", self.boxes),
            total("instances", "instance nodes", self.instances),
            total("primitive_nodes", "primitive nodes", self.primitive_nodes),
            total("ranges", "ranges", self.ranges),
            total("pairs", "pairs", self.pairs),
            total("triangles", "triangles", self.triangles),
            total("procedurals", "procedurals", self.procedurals),
            total("depth", "depth", self.depth as usize),
            total("outside", "pointers to nowhere", self.outside),
        ]
    }
}

/// A pointer that is still to be followed.
#[derive(Clone, Copy)]
pub struct Waiting<P, S> {
    /// The pointer.
    pub pointer: P,
    /// What the pointer counts from.
    pub structure: S,
    /// Nodes above it.
    pub depth: u32,
    /// The slot that it stands in.
    pub slot: u32,
}

impl<P, S> Waiting<P, S> {
    /// A child of this node.
    #[must_use]
    pub fn child(&self, slot: usize, pointer: P, structure: S) -> Self {
        Self { pointer, structure, depth: self.depth + 1, slot: slot as u32 }
    }
}

/// What a reader adds to.
pub struct Found<P, S> {
    /// Sums so far.
    pub totals: Totals,
    /// Primitives so far.
    pub primitives: Vec<PrimitiveRef>,
    /// Children still to be read, of the node at hand in slot order.
    pub waiting: Vec<Waiting<P, S>>,
}

/// A format, as an outline reads it.
pub trait Reader {
    /// The pointers.
    type Pointer: Copy;
    /// What they count from.
    type Structure: Copy;

    /// Where a node lies.
    fn address(structure: &Self::Structure, pointer: Self::Pointer) -> u64;

    /// The reference to a node, its kind, and its bytes.
    fn name(structure: &Self::Structure, pointer: Self::Pointer) -> (NodeRef, &'static str, usize);

    /// Reads the node at `address`, counts it, and adds its children and primitives.
    fn read(
        &mut self,
        here: &Waiting<Self::Pointer, Self::Structure>,
        address: u64,
        found: &mut Found<Self::Pointer, Self::Structure>,
    ) -> EntryState;
}

/// Bytes of memory for each structure that room is made for.
const BYTES_EACH: usize = 64;

/// Follows every pointer from a root.
#[must_use]
pub fn follow<R: Reader>(
    reader: &mut R,
    memory: &Memory<'_>,
    structure: R::Structure,
    root: R::Pointer,
) -> Outline {
    let root = Waiting { pointer: root, structure, depth: 0, slot: 0 };
    let totals = Totals { structures: 1, ..Totals::default() };
    let mut found = Found { totals, primitives: Vec::new(), waiting: vec![root] };
    // A list that grows would be copied again and again, and need more memory while it is.
    let bytes = memory.segments().iter().map(|segment| segment.bytes().len());
    let mut entries = Vec::with_capacity(bytes.sum::<usize>() / BYTES_EACH);
    while let Some(here) = found.waiting.pop() {
        let address = R::address(&here.structure, here.pointer);
        let (first_child, first_primitive) = (found.waiting.len(), found.primitives.len());
        let state = reader.read(&here, address, &mut found);
        found.waiting[first_child..].reverse();
        found.totals.depth = found.totals.depth.max(here.depth + 1);
        found.totals.outside += usize::from(state == EntryState::Outside);
        let (node, kind, bytes) = R::name(&here.structure, here.pointer);
        let Waiting { depth, slot, .. } = here;
        let primitives = first_primitive..found.primitives.len();
        entries.push(OutlineEntry { depth, slot, node, kind, address, bytes, state, primitives });
    }
    Outline { entries, primitives: found.primitives, totals: found.totals.list() }
}
