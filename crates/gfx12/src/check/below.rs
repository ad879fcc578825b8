//! What instances can name of a structure: nodes within the reach of a byte.

use super::contents::Contents;
use crate::layout::{InstanceNode, NODE_BYTES, NamedNode, Naming, NodePointer};
use crate::survey::{NO_BOX, Surveyed, Target};
use geometry::Aabb;
use std::collections::BTreeMap;

/// Nodes from the base that the low byte of a pointer can name.
const REACH: u64 = 16;

/// What the structure below an instance holds.
#[derive(Debug)]
pub(super) struct Below {
    /// All of it.
    pub(super) all: Contents,
    /// How many ranges it has.
    pub(super) leaves: usize,
    root: NodePointer,
    naming: Naming,
    nodes: BTreeMap<NodePointer, Nameable>,
}

/// A node that an instance can name.
#[derive(Debug)]
pub(super) struct Nameable {
    /// What is below it.
    pub(super) all: Contents,
    /// The box around each of its children; of a range, around all of it.
    pub(super) children: Vec<Aabb>,
    /// How many ranges are below it.
    pub(super) leaves: usize,
    /// The box nodes above it.
    pub(super) above: Vec<NodePointer>,
}

impl Below {
    /// Looks at a structure; `contents` are those of its children, `leaves` those of its ranges.
    pub(super) fn new(surveyed: &Surveyed, contents: &[Contents], leaves: &[Contents]) -> Self {
        let sum = |parts: &[Contents]| parts.iter().copied().fold(Contents::NOTHING, Contents::and);
        let is_near = |pointer: NodePointer| pointer.byte_offset() < REACH * NODE_BYTES;
        let mut counts = vec![0; surveyed.boxes.len()];
        for (number, record) in surveyed.boxes.iter().enumerate().rev() {
            let children = surveyed.children[record.children()].iter();
            let below = children.map(|child| match child.target {
                Target::Box(below) => counts[below as usize],
                Target::Leaf(_) => 1,
                Target::Instance(_) => 0,
            });
            counts[number] = below.sum();
        }
        let boxes = surveyed.boxes.iter().zip(counts).filter(|(record, _)| is_near(record.pointer));
        let boxes = boxes.map(|(record, leaves)| {
            let children = &contents[record.children()];
            let bounds = children.iter().map(|child| child.bounds).collect();
            let above = above(surveyed, record.parent);
            (record.pointer, Nameable { all: sum(children), children: bounds, leaves, above })
        });
        let ranges = surveyed.leaves.iter().zip(leaves).filter(|(leaf, _)| is_near(leaf.pointer));
        let ranges = ranges.map(|(leaf, &all)| {
            let above = above(surveyed, leaf.parent);
            (leaf.pointer, Nameable { all, children: vec![all.bounds], leaves: 1, above })
        });
        Self {
            all: surveyed
                .boxes
                .first()
                .map_or_else(|| sum(leaves), |root| sum(&contents[root.children()])),
            leaves: leaves.len(),
            root: surveyed.structure.root,
            naming: surveyed.structure.naming(),
            nodes: boxes.chain(ranges).collect(),
        }
    }

    /// What an instance node names, with the node if there is one.
    pub(super) fn named(
        &self,
        node: &InstanceNode,
    ) -> impl Iterator<Item = (NamedNode, Option<&Nameable>)> {
        node.named_nodes(self.naming).map(|named| (named, self.nodes.get(&named.pointer)))
    }

    /// The root of the structure.
    pub(super) fn root(&self) -> NodePointer {
        self.root
    }

    /// What an instance node shows.
    pub(super) fn shown(&self, node: &InstanceNode) -> Contents {
        let named = self.named(node).filter_map(|(_, found)| found);
        named.fold(Contents::NOTHING, |all, found| all.and(found.all))
    }
}

/// The box nodes above a node, by its parent.
fn above(surveyed: &Surveyed, parent: u32) -> Vec<NodePointer> {
    let mut above = Vec::new();
    let mut number = parent;
    while number != NO_BOX {
        let record = &surveyed.boxes[number as usize];
        above.push(record.pointer);
        number = record.parent;
    }
    above
}
