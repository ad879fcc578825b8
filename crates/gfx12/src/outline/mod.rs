//! The outline of an image: every node from the root down, sound or not.
//!
//! Pointers are followed depth first and in slot order, as far as memory reaches. Each box, and
//! each structure below an instance, is read once, and each pair of a range counted once, so an
//! outline takes time in proportion to the image, whatever its bytes are. Whether an image is sound
//! is for [`crate::check`] to say.
//!
//! | file | concept |
//! |---|---|
//! | `compressed` | boxes, instances and ranges of the format `gfx12` |
//! | `bvh4x2` | boxes, instances and triangle nodes of the format `gfx12-bvh4x2` |
//! | `marks` | what has been seen already |

mod bvh4x2;
mod compressed;
mod marks;

pub use bvh4x2::bvh4x2_outline;
pub use compressed::{id_bits, outline, range_pairs};

use machine::{EntryState, NodeRef, Outline, OutlineEntry, PrimitiveRef, Total};

/// Sums over an image.
#[derive(Debug, Clone, Copy, Default)]
struct Totals {
    structures: usize,
    boxes: usize,
    instances: usize,
    primitive_nodes: usize,
    ranges: usize,
    pairs: usize,
    triangles: usize,
    procedurals: usize,
    depth: u32,
    outside: usize,
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
struct Waiting<P, S> {
    pointer: P,
    /// What the pointer counts from.
    structure: S,
    depth: u32,
    slot: u32,
}

impl<P, S> Waiting<P, S> {
    /// A child of this node.
    fn child(&self, slot: usize, pointer: P, structure: S) -> Self {
        Self { pointer, structure, depth: self.depth + 1, slot: slot as u32 }
    }
}

/// What a reader adds to.
struct Found<P, S> {
    totals: Totals,
    primitives: Vec<PrimitiveRef>,
    /// Children still to be read, of the node at hand in slot order.
    waiting: Vec<Waiting<P, S>>,
}

/// A format, as an outline reads it.
trait Reader {
    type Pointer: Copy;
    type Structure: Copy;

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

/// Follows every pointer from a root.
fn follow<R: Reader>(reader: &mut R, structure: R::Structure, root: R::Pointer) -> Outline {
    let root = Waiting { pointer: root, structure, depth: 0, slot: 0 };
    let totals = Totals { structures: 1, ..Totals::default() };
    let mut found = Found { totals, primitives: Vec::new(), waiting: vec![root] };
    let mut entries = Vec::new();
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
