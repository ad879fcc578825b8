//! The outline of an image of the compressed format.

use super::{Outline, Reader, State, Totals, Waiting, follow};
use crate::decode::{Memory, Structure};
use crate::layout::{
    BoxNode, InstanceNode, NODE_BYTES, NodeBits, NodeKind, NodePointer, PrimitiveNode,
};
use machine::Image;
use std::collections::{HashMap, HashSet};

/// Pairs that one range may have: a range that never stops is cut there.
const MOST_PAIRS_IN_A_RANGE: usize = 1 << 16;

/// The outline of an image of the compressed format.
#[must_use]
pub fn outline(image: &Image) -> Outline<NodePointer> {
    let memory = &Memory::new(image);
    let root = Structure::of_root(image, memory);
    let mut reader = Compressed { memory, seen: HashSet::new(), pairs: HashMap::new() };
    let mut outline = follow(&mut reader, root, root.root);
    outline.totals.primitive_nodes = reader.pairs.len();
    outline
}

/// The pairs of a range, as (node address, pair), as far as memory reaches.
#[must_use]
pub fn range_pairs(image: &Image, address: u64, first_pair: u8) -> Vec<(u64, u8)> {
    pairs_of_range(&Memory::new(image), address, first_pair)
}

fn pairs_of_range(memory: &Memory<'_>, address: u64, first_pair: u8) -> Vec<(u64, u8)> {
    let mut pairs = Vec::new();
    let (mut address, mut pair) = (address, usize::from(first_pair));
    while pairs.len() < MOST_PAIRS_IN_A_RANGE {
        let Some(bits) = memory.node(address) else { break };
        let node = PrimitiveNode::decode(&bits);
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

type Here = Waiting<NodePointer, Structure>;

struct Compressed<'a> {
    memory: &'a Memory<'a>,
    /// Boxes that were read, by address.
    seen: HashSet<u64>,
    /// The pairs that were counted, by the address of their node.
    pairs: HashMap<u64, u8>,
}

impl Reader for Compressed<'_> {
    type Pointer = NodePointer;
    type Structure = Structure;

    fn address(structure: &Structure, pointer: NodePointer) -> u64 {
        structure.address_of(pointer)
    }

    fn read(
        &mut self,
        here: &Here,
        address: u64,
        totals: &mut Totals,
        children: &mut Vec<Here>,
    ) -> State {
        let pointer = here.pointer;
        let Some(bits) = self.memory.node(address).filter(|_| !pointer.is_special()) else {
            return State::Outside;
        };
        match pointer.kind() {
            NodeKind::Unused => return State::Outside,
            NodeKind::Box if !self.seen.insert(address) => return State::Again,
            NodeKind::Box => {
                totals.boxes += 1;
                add_children(here, &BoxNode::decode(&bits), children);
            }
            NodeKind::Instance => {
                totals.instances += 1;
                let below = self.below(&bits);
                let root = below.address_of(below.root);
                totals.structures += usize::from(!self.seen.contains(&root));
                children.push(here.child(0, below.root, below));
            }
            NodeKind::Primitive { pair } => {
                totals.ranges += 1;
                self.count_pairs(address, pair, totals);
            }
        }
        State::Read
    }
}

fn add_children(here: &Here, node: &BoxNode, children: &mut Vec<Here>) {
    let pointers = node.child_pointers();
    for (slot, entry) in node.used_children().iter().enumerate() {
        let is_reused = pointers.get(slot + 1) == Some(&pointers[slot]);
        if entry.is_valid() && !is_reused {
            children.push(here.child(slot, pointers[slot], here.structure));
        }
    }
}

impl Compressed<'_> {
    /// The structure that an instance node names.
    fn below(&self, bits: &NodeBits) -> Structure {
        Structure::at(self.memory, InstanceNode::decode(bits).child_base.address())
    }

    fn count_pairs(&mut self, address: u64, first_pair: u8, totals: &mut Totals) {
        for (address, pair) in pairs_of_range(self.memory, address, first_pair) {
            let counted = self.pairs.entry(address).or_default();
            if *counted >> pair & 1 != 0 {
                continue;
            }
            *counted |= 1 << pair;
            let Some(bits) = self.memory.node(address) else { continue };
            let descriptor = PrimitiveNode::decode(&bits).pair(pair.into());
            totals.pairs += 1;
            for (number, triangle) in descriptor.triangles.iter().enumerate() {
                if triangle.is_procedural() {
                    totals.procedurals += 1;
                } else if number == 0 || !triangle.is_absent() {
                    totals.triangles += 1;
                }
            }
        }
    }
}
