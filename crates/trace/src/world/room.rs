//! How much room parts of a world need, and rooms that are handed on from part to part.

use super::leaf::{self, MAX_TRIANGLES};
use super::node::Node;
use super::pointer::UNIT;
use geometry::Aabb;
use std::ops::Range;
use tree::PrimitiveId;

/// An amount of room, or a place: how much of everything lies before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extent {
    /// Nodes.
    pub(super) nodes: u32,
    /// Units of leaves.
    pub(super) units: u32,
    /// Procedural boxes.
    pub(super) boxes: u32,
    /// Lists of such.
    pub(super) box_lists: u32,
}

impl Extent {
    /// Both together; `None` if 32 bits do not hold it, as for all of these.
    pub(super) fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            nodes: self.nodes.checked_add(other.nodes)?,
            units: self.units.checked_add(other.units)?,
            boxes: self.boxes.checked_add(other.boxes)?,
            box_lists: self.box_lists.checked_add(other.box_lists)?,
        })
    }

    /// Of a leaf with these primitives: triangles in leaves of at most eight, then boxes.
    pub(super) fn of_primitives(triangles: usize, boxes: usize) -> Option<Self> {
        let (full, rest) = (triangles / MAX_TRIANGLES, triangles % MAX_TRIANGLES);
        let units = full.checked_mul(leaf::units(MAX_TRIANGLES))? + leaf::units(rest);
        let box_lists = usize::from(boxes > 0);
        let pieces = triangles.div_ceil(MAX_TRIANGLES) + box_lists;
        Some(Self {
            nodes: gathering_nodes(pieces).try_into().ok()?,
            units: units.try_into().ok()?,
            boxes: boxes.try_into().ok()?,
            box_lists: box_lists as u32,
        })
    }

    /// Of a leaf with so many instances.
    pub(super) fn of_instances(count: usize) -> Option<Self> {
        Some(Self { nodes: gathering_nodes(count).try_into().ok()?, ..Self::default() })
    }
}

/// The size of the groups, at most eight, into which pieces are gathered.
pub(super) fn group_size(pieces: usize) -> usize {
    let mut size = 1;
    while size * 8 < pieces {
        size *= 8;
    }
    size
}

/// Nodes that gather so many pieces under one pointer.
fn gathering_nodes(pieces: usize) -> usize {
    if pieces < 2 {
        return 0;
    }
    let size = group_size(pieces);
    let (full, rest) = (pieces / size, pieces % size);
    1 + full * gathering_nodes(size) + gathering_nodes(rest)
}

/// Room for a part of a world.
pub(super) struct Room<'a> {
    pub(super) nodes: &'a mut [Node],
    pub(super) words: &'a mut [u32],
    pub(super) boxes: &'a mut [(Aabb, PrimitiveId)],
    pub(super) box_lists: &'a mut [Range<u32>],
}

impl<'a> Room<'a> {
    /// The first so much of it, and the rest.
    pub(super) fn split(self, first: Extent) -> (Self, Self) {
        let (nodes, more_nodes) = self.nodes.split_at_mut(first.nodes as usize);
        let (words, more_words) = self.words.split_at_mut(first.units as usize * UNIT / 4);
        let (boxes, more_boxes) = self.boxes.split_at_mut(first.boxes as usize);
        let (box_lists, more_lists) = self.box_lists.split_at_mut(first.box_lists as usize);
        (
            Self { nodes, words, boxes, box_lists },
            Self { nodes: more_nodes, words: more_words, boxes: more_boxes, box_lists: more_lists },
        )
    }

    /// The same room for a shorter time.
    pub(super) fn again(&mut self) -> Room<'_> {
        Room { nodes: self.nodes, words: self.words, boxes: self.boxes, box_lists: self.box_lists }
    }
}

/// Room for procedural boxes and their lists.
pub(super) fn boxes(total: &Extent) -> (Vec<(Aabb, PrimitiveId)>, Vec<Range<u32>>) {
    let nobody = PrimitiveId { geometry: 0, primitive: 0, flags: tree::PrimitiveFlags::empty() };
    let boxes = vec![(Aabb::EMPTY, nobody); total.boxes as usize];
    (boxes, vec![0..0; total.box_lists as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_gathered_by_eights() {
        assert_eq!([0, 1, 2, 8].map(gathering_nodes), [0, 0, 1, 1]);
        assert_eq!(gathering_nodes(9), 2); // eight together, and one alone
        assert_eq!(gathering_nodes(64), 9);
        assert_eq!(gathering_nodes(66), 11); // a full group, and a group of two
        let both = Extent::of_primitives(17, 3).unwrap();
        let units = 2 * leaf::units(8) + leaf::units(1);
        assert_eq!(both, Extent { nodes: 1, units: units as u32, boxes: 3, box_lists: 1 });
        assert_eq!(both.plus(Extent { nodes: u32::MAX, ..both }), None);
    }
}
