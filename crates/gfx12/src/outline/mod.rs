//! The outline of an image: every node from the root down, sound or not.
//!
//! Pointers are followed depth first and in slot order, as far as memory reaches. Each box, and
//! each structure below an instance, is read once; a pointer that leads outside memory, or back to
//! a node that has been read, is listed and not followed. An outline therefore ends for any bytes.
//! It is what a reader wants to see; whether an image is sound is for [`crate::check`] to say.
//!
//! | file | concept |
//! |---|---|
//! | `compressed` | boxes, instances and ranges of the format `gfx12` |
//! | `uncompressed` | boxes, instances and triangle nodes of the format `gfx12-bvh4x2` |

mod compressed;
mod uncompressed;

pub use compressed::{outline, range_pairs};
pub use uncompressed::dual_outline;

/// One node, as its parent refers to it by a pointer of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit<P> {
    /// Nodes above it, over all levels.
    pub depth: u32,
    /// The slot of the parent that refers to it; the last one if adjacent slots share the child.
    pub slot: u8,
    /// The pointer.
    pub pointer: P,
    /// The byte address of the node.
    pub address: u64,
    /// What became of the pointer.
    pub state: State,
}

/// What became of a pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The node was read, and its children follow.
    Read,
    /// The node had been read before.
    Again,
    /// Memory does not reach that far, or the pointer names no node.
    Outside,
}

/// All nodes, and their sums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<P> {
    /// The nodes, depth first.
    pub visits: Vec<Visit<P>>,
    /// Sums.
    pub totals: Totals,
}

/// Sums over an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Structures: the one of the root, and those that instances name.
    pub structures: usize,
    /// Box nodes.
    pub boxes: usize,
    /// Instance nodes.
    pub instances: usize,
    /// Primitive nodes that are reached.
    pub primitive_nodes: usize,
    /// Children of boxes that are primitives: ranges of pairs, in the uncompressed format one node
    /// each.
    pub ranges: usize,
    /// Pairs that are reached, each once; a node of the uncompressed format is one.
    pub pairs: usize,
    /// Triangles in those pairs.
    pub triangles: usize,
    /// Procedurals in those pairs.
    pub procedurals: usize,
    /// Nodes on the longest way down, the last level's included.
    pub depth: u32,
    /// Pointers that lead nowhere.
    pub outside: usize,
}

/// A pointer that is still to be followed.
#[derive(Clone, Copy)]
struct Waiting<P, S> {
    pointer: P,
    /// What the pointer counts from.
    structure: S,
    depth: u32,
    slot: u8,
}

impl<P, S> Waiting<P, S> {
    /// A child of this node.
    fn child(&self, slot: usize, pointer: P, structure: S) -> Self {
        Self { pointer, structure, depth: self.depth + 1, slot: slot as u8 }
    }
}

/// A format, as an outline reads it.
trait Reader {
    type Pointer: Copy;
    type Structure: Copy;

    fn address(structure: &Self::Structure, pointer: Self::Pointer) -> u64;

    /// Reads the node at `address`, counts it, and adds its children in slot order.
    fn read(
        &mut self,
        here: &Waiting<Self::Pointer, Self::Structure>,
        address: u64,
        totals: &mut Totals,
        children: &mut Vec<Waiting<Self::Pointer, Self::Structure>>,
    ) -> State;
}

/// Follows every pointer from a root.
fn follow<R: Reader>(
    reader: &mut R,
    structure: R::Structure,
    root: R::Pointer,
) -> Outline<R::Pointer> {
    let mut totals = Totals { structures: 1, ..Totals::default() };
    let mut visits = Vec::new();
    let mut waiting = vec![Waiting { pointer: root, structure, depth: 0, slot: 0 }];
    while let Some(here) = waiting.pop() {
        let address = R::address(&here.structure, here.pointer);
        let first_child = waiting.len();
        let state = reader.read(&here, address, &mut totals, &mut waiting);
        waiting[first_child..].reverse();
        totals.depth = totals.depth.max(here.depth + 1);
        totals.outside += usize::from(state == State::Outside);
        let Waiting { pointer, depth, slot, .. } = here;
        visits.push(Visit { depth, slot, pointer, address, state });
    }
    Outline { visits, totals }
}
