//! Writes a level into its room, subtrees side by side.

use super::contents::{Contents, Piece};
use super::room::{Extent, Room, group_size};
use super::{Node, Pointer};
use geometry::Aabb;
use tree::Bvh;

/// Subtrees of more nodes are written by several threads.
const PARALLEL: u32 = 256;

/// A level, and where it goes.
pub(super) struct Fill<'a, C> {
    pub(super) bvh: &'a Bvh,
    pub(super) contents: &'a C,
    /// The room of each entry and all below it.
    pub(super) extents: &'a [Extent],
    /// The box of an entry.
    pub(super) bounds: &'a (dyn Fn(usize) -> Aabb + Sync),
    /// The unit at which leaves begin.
    pub(super) leaf_shift: usize,
}

/// What was written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// Where it starts.
    pub(super) root: Pointer,
    /// Most entries of a walk's stack: all children of a node are pushed and one is popped, again
    /// and again.
    pub(super) stack: usize,
}

/// A child to be written.
struct Child<'a> {
    entry: usize,
    slot: usize,
    at: Extent,
    room: Room<'a>,
}

impl<C: Contents> Fill<'_, C> {
    /// Writes all of it to `room`, which begins at `at`; `None` if pointers are too short.
    pub(super) fn level(&self, at: Extent, room: Room<'_>) -> Option<Level> {
        if (self.bounds)(0).is_empty() {
            return Some(Level { root: Pointer::DONE, stack: 1 });
        }
        self.entry(0, at, room)
    }

    fn entry(&self, index: usize, at: Extent, mut room: Room<'_>) -> Option<Level> {
        let entry = &self.bvh.nodes()[index];
        if !entry.link.is_leaf() {
            return self.inner(index, at, room);
        }
        let items = self.bvh.items(entry);
        if let Some(root) = self.contents.single(items, self.leaf_shift, at, &mut room) {
            return Some(Level { root, stack: 1 });
        }
        let again = room.again();
        let pieces = self.contents.pieces(items, &entry.bounds, self.leaf_shift, at, again)?;
        gather(&pieces, at.nodes as usize, room.nodes)
    }

    fn inner(&self, index: usize, at: Extent, room: Room<'_>) -> Option<Level> {
        // Child, box and area of each, in the order of the tree.
        let mut below = [(0, Aabb::EMPTY, 0.0); 8];
        let mut count = 0;
        for child in self.bvh.nodes()[index].link.range() {
            let bounds = (self.bounds)(child);
            if !bounds.is_empty() {
                below[count] = (child, bounds, bounds.half_area());
                count += 1;
            }
        }
        let below = &below[..count];
        // The last slots have the largest boxes: whoever asks for any hit looks there first.
        let mut slots: [usize; 8] = std::array::from_fn(|slot| slot);
        slots[..count].sort_by(|&a, &b| below[a].2.total_cmp(&below[b].2));
        let mut boxes = [Aabb::EMPTY; 8];
        let mut slot_of = [0; 8];
        for (slot, &place) in slots[..count].iter().enumerate() {
            boxes[slot] = below[place].1;
            slot_of[place] = slot;
        }
        let (own, mut rest) = room.split(Extent { nodes: 1, ..Extent::default() });
        let mut next = at.plus(Extent { nodes: 1, ..Extent::default() })?;
        let mut children = Vec::with_capacity(count);
        for (place, &(entry, ..)) in below.iter().enumerate() {
            if self.bvh.nodes()[entry].link.is_leaf() {
                self.contents.prefetch(self.bvh.items(&self.bvh.nodes()[entry]));
            }
            let extent = self.extents[entry];
            let (room, more) = rest.split(extent);
            children.push(Child { entry, slot: slot_of[place], at: next, room });
            (rest, next) = (more, next.plus(extent)?);
        }
        let mut node = Node::of_boxes(&boxes[..count]);
        let mut deepest = 1;
        let is_large = self.extents[index].nodes > PARALLEL;
        for (slot, level) in self.children(children, is_large)? {
            node.children[slot] = level.root;
            deepest = deepest.max(level.stack);
        }
        own.nodes[0] = node;
        let root = Pointer::node(at.nodes as usize)?;
        Some(Level { root, stack: deepest + count.saturating_sub(1) })
    }

    /// Writes children, one after the other or side by side.
    fn children(&self, mut first: Vec<Child<'_>>, is_large: bool) -> Option<Vec<(usize, Level)>> {
        if !is_large || first.len() < 2 {
            let write = |child: Child<'_>| {
                Some((child.slot, self.entry(child.entry, child.at, child.room)?))
            };
            return first.into_iter().map(write).collect();
        }
        let second = first.split_off(first.len() / 2);
        let (first, second) =
            rayon::join(|| self.children(first, true), || self.children(second, true));
        let mut both = first?;
        both.extend(second?);
        Some(both)
    }
}

/// One pointer to all pieces: further nodes where there are several, the first of which has the
/// number `number`.
fn gather(pieces: &[Piece], number: usize, nodes: &mut [Node]) -> Option<Level> {
    match pieces {
        [] => return Some(Level { root: Pointer::DONE, stack: 1 }),
        [(_, root)] => return Some(Level { root: *root, stack: 1 }),
        _ => (),
    }
    let groups = pieces.chunks(group_size(pieces.len()));
    let bounds = |group: &[Piece]| group.iter().fold(Aabb::EMPTY, |all, piece| all.union(piece.0));
    let boxes: Vec<Aabb> = groups.clone().map(bounds).collect();
    let (own, mut rest) = nodes.split_first_mut()?;
    let mut node = Node::of_boxes(&boxes);
    let (mut next, mut deepest) = (number + 1, 1);
    for (slot, group) in groups.enumerate() {
        let level = gather(group, next, rest)?;
        node.children[slot] = level.root;
        deepest = deepest.max(level.stack);
        let taken = Extent::of_instances(group.len())?.nodes as usize;
        (rest, next) = (&mut rest[taken..], next + taken);
    }
    *own = node;
    Some(Level { root: Pointer::node(number)?, stack: deepest + boxes.len() - 1 })
}
