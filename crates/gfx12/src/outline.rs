//! The outline of an image: every node from the root down, sound or not.
//!
//! Pointers are followed depth first and in slot order, as far as memory reaches. Each box, and each
//! structure below an instance, is read once; a pointer that leads outside memory, or back to a node
//! that has been read, is listed and not followed. An outline therefore ends for any bytes. It is what
//! a reader wants to see; whether an image is sound is for [`crate::check`] to say.

use crate::layout::{
    BoxNode, InstanceNode, NODE_BYTES, NodeBits, NodeKind, NodePointer, PrimitiveNode,
};
use machine::Image;
use std::collections::{HashMap, HashSet};

/// One node, as its parent refers to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visit {
    /// Nodes above it, over all levels.
    pub depth: u32,
    /// The slot of the parent that refers to it; the last one if adjacent slots share the child.
    pub slot: u8,
    /// The pointer.
    pub pointer: NodePointer,
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// The nodes, depth first.
    pub visits: Vec<Visit>,
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
    /// Primitive nodes that a range touches.
    pub primitive_nodes: usize,
    /// Ranges: children of boxes that are primitives.
    pub ranges: usize,
    /// Pairs that ranges reach, each once.
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

/// Pairs that one range may have: a range that never stops is cut there.
const MOST_PAIRS_IN_A_RANGE: usize = 1 << 16;

/// The outline of an image of the compressed format.
#[must_use]
pub fn outline(image: &Image) -> Outline {
    let bases = [0, 1].map(|class| image.bases.get(class).or(image.bases.first()).copied());
    let bases = bases.map(Option::unwrap_or_default);
    let mut walk = Walk {
        image,
        outline: Outline::default(),
        seen: HashSet::new(),
        pairs: HashMap::new(),
        waiting: Vec::new(),
    };
    walk.outline.totals.structures = 1;
    let root = NodePointer(image.root as u32);
    walk.waiting.push(Waiting { pointer: root, bases, depth: 0, slot: 0 });
    while let Some(next) = walk.waiting.pop() {
        walk.visit(next);
    }
    walk.outline.totals.primitive_nodes = walk.pairs.len();
    walk.outline
}

/// The address of a node: boxes lie above the first base, everything else above the second.
#[must_use]
pub fn node_address(bases: [u64; 2], pointer: NodePointer) -> u64 {
    let base = bases[usize::from(!pointer.is_box())];
    base.wrapping_add(pointer.byte_offset())
}

/// The pairs of a range, as (node address, pair), as far as memory reaches.
#[must_use]
pub fn range_pairs(image: &Image, address: u64, first_pair: u8) -> Vec<(u64, u8)> {
    let mut pairs = Vec::new();
    let (mut address, mut pair) = (address, usize::from(first_pair));
    while pairs.len() < MOST_PAIRS_IN_A_RANGE {
        let Some(bytes) = image.get(address, NODE_BYTES as usize) else { break };
        let node = PrimitiveNode::decode(&NodeBits::from_bytes(bytes));
        pairs.push((address, pair as u8));
        if node.pair(pair).prim_range_stop {
            break;
        }
        pair += 1;
        if pair >= node.pair_count() {
            (address, pair) = (address.wrapping_add(NODE_BYTES), 0);
        }
    }
    pairs
}

#[derive(Clone, Copy)]
struct Waiting {
    pointer: NodePointer,
    bases: [u64; 2],
    depth: u32,
    slot: u8,
}

struct Walk<'a> {
    image: &'a Image,
    outline: Outline,
    /// Boxes and structures that were read, by address.
    seen: HashSet<u64>,
    /// The pairs that were counted, by the address of their node.
    pairs: HashMap<u64, u8>,
    waiting: Vec<Waiting>,
}

impl Walk<'_> {
    fn visit(&mut self, here: Waiting) {
        let Waiting { pointer, bases, depth, slot } = here;
        let address = node_address(bases, pointer);
        let known = pointer.kind() != NodeKind::Unused && !pointer.is_special();
        let bytes = self.image.get(address, NODE_BYTES as usize).filter(|_| known);
        let bits = bytes.map(NodeBits::from_bytes);
        let state = match (bits, pointer.kind()) {
            (None, _) => State::Outside,
            (Some(bits), NodeKind::Box) => self.visit_box(here, address, &bits),
            (Some(bits), NodeKind::Instance) => self.visit_instance(here, &bits),
            (Some(_), _) => self.visit_range(address, pointer.pair()),
        };
        let totals = &mut self.outline.totals;
        totals.depth = totals.depth.max(depth + 1);
        totals.outside += usize::from(state == State::Outside);
        self.outline.visits.push(Visit { depth, slot, pointer, address, state });
    }

    fn visit_box(&mut self, here: Waiting, address: u64, bits: &NodeBits) -> State {
        if !self.seen.insert(address) {
            return State::Again;
        }
        self.outline.totals.boxes += 1;
        let node = BoxNode::decode(bits);
        let pointers = node.child_pointers();
        for (slot, entry) in node.used_children().iter().enumerate().rev() {
            let reused = pointers.get(slot + 1) == Some(&pointers[slot]);
            if entry.is_valid() && !reused {
                self.waiting.push(Waiting {
                    pointer: pointers[slot],
                    bases: here.bases,
                    depth: here.depth + 1,
                    slot: slot as u8,
                });
            }
        }
        State::Read
    }

    fn visit_instance(&mut self, here: Waiting, bits: &NodeBits) -> State {
        self.outline.totals.instances += 1;
        let base = InstanceNode::decode(bits).child_base.address();
        let bases = [base; 2];
        let root = child_root(self.image, base);
        let new = !self.seen.contains(&node_address(bases, root));
        self.outline.totals.structures += usize::from(new);
        self.waiting.push(Waiting { pointer: root, bases, depth: here.depth + 1, slot: 0 });
        State::Read
    }

    fn visit_range(&mut self, address: u64, first_pair: u8) -> State {
        self.outline.totals.ranges += 1;
        for (address, pair) in range_pairs(self.image, address, first_pair) {
            let counted = self.pairs.entry(address).or_default();
            if *counted >> pair & 1 != 0 {
                continue;
            }
            *counted |= 1 << pair;
            let Some(bytes) = self.image.get(address, NODE_BYTES as usize) else { continue };
            let descriptor = PrimitiveNode::decode(&NodeBits::from_bytes(bytes)).pair(pair.into());
            let totals = &mut self.outline.totals;
            totals.pairs += 1;
            for (number, triangle) in descriptor.triangles.iter().enumerate() {
                if triangle.is_procedural() {
                    totals.procedurals += 1;
                } else if number == 0 || !triangle.is_absent() {
                    totals.triangles += 1;
                }
            }
        }
        State::Read
    }
}

/// The root of the structure at `base`: behind a GPURT header where there is one, else at the base.
#[must_use]
pub fn child_root(image: &Image, base: u64) -> NodePointer {
    let header = image.get(base, NODE_BYTES as usize);
    let level = header.map(|header| NodeBits::from_bytes(header).word(18));
    if level == Some(crate::layout::RTIP_3_1) {
        NodePointer::ROOT_BEHIND_HEADER
    } else {
        NodePointer::ROOT
    }
}
