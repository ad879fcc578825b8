//! The outline of an image of the compressed format.

use crate::layout::{
    BoxNode, InstanceNode, NODE_BYTES, NamedNode, NodeKind, NodePointer, PrimitiveNode,
};
use crate::survey::{Memory, Structure};
use bvh4::outline::{Found, Marks, Reader, Waiting, follow};
use machine::{EntryState, Image, NodeRef, Outline, PrimitiveRef};
use std::collections::HashSet;

/// Pairs that one range may have: a range that never stops is cut there.
const MOST_PAIRS_IN_A_RANGE: usize = 1 << 16;

/// The outline of an image of the compressed format.
#[must_use]
pub fn outline(image: &Image) -> Outline {
    let memory = &Memory::new(image);
    let root = Structure::of_root(image, memory);
    let (seen, pairs) = (Marks::new(memory), Marks::new(memory));
    let mut reader = Compressed { memory, seen, bases: HashSet::from([root.box_base]), pairs };
    follow(&mut reader, memory, root, root.root)
}

/// The pairs of a range, as (node address, pair), as far as memory reaches.
#[must_use]
pub fn range_pairs(image: &Image, address: u64, first_pair: u8) -> Vec<(u64, u8)> {
    let memory = Memory::new(image);
    let pairs = Pairs { memory: &memory, next: Some((address, first_pair.into())) };
    pairs.map(|(address, pair, _)| (address, pair)).take(MOST_PAIRS_IN_A_RANGE).collect()
}

/// Bits of ids in all primitive nodes of a sound image.
#[must_use]
pub fn id_bits(image: &Image, outline: &Outline) -> u64 {
    let memory = Memory::new(image);
    let mut seen = HashSet::new();
    let mut bits = 0;
    for entry in outline.entries.iter().filter(|entry| entry.state == EntryState::Read) {
        let NodeKind::Primitive { pair } = NodePointer(entry.node.pointer as u32).kind() else {
            continue;
        };
        let pairs = Pairs { memory: &memory, next: Some((entry.address, pair.into())) };
        for (address, _, node) in pairs.take(MOST_PAIRS_IN_A_RANGE) {
            if seen.insert(address) {
                bits += node.header().id_bits() as u64;
            }
        }
    }
    bits
}

/// The pairs of a range, each as address, number and node.
struct Pairs<'a> {
    memory: &'a Memory<'a>,
    next: Option<(u64, usize)>,
}

impl Iterator for Pairs<'_> {
    type Item = (u64, u8, PrimitiveNode);

    fn next(&mut self) -> Option<Self::Item> {
        let (address, pair) = self.next.take()?;
        let node = PrimitiveNode::decode(&self.memory.node(address)?);
        if !node.pair(pair).prim_range_stop {
            let is_last = pair + 1 >= node.pair_count();
            let after = address.wrapping_add(NODE_BYTES);
            self.next = Some(if is_last { (after, 0) } else { (address, pair + 1) });
        }
        Some((address, pair as u8, node))
    }
}

type Here = Waiting<NodePointer, Structure>;

struct Compressed<'a> {
    memory: &'a Memory<'a>,
    /// Boxes and instances that were read, by address.
    seen: Marks<'a>,
    /// Structures below instances, by their bases.
    bases: HashSet<u64>,
    /// The pairs that were counted, by the address of their node.
    pairs: Marks<'a>,
}

impl Reader for Compressed<'_> {
    type Pointer = NodePointer;
    type Structure = Structure;

    fn address(structure: &Structure, pointer: NodePointer) -> u64 {
        structure.address_of(pointer)
    }

    fn name(structure: &Structure, pointer: NodePointer) -> (NodeRef, &'static str, usize) {
        let node = NodeRef { base: structure.box_base, pointer: pointer.0.into() };
        (node, pointer.kind_name(), NODE_BYTES as usize)
    }

    fn read(
        &mut self,
        here: &Here,
        address: u64,
        found: &mut Found<NodePointer, Structure>,
    ) -> EntryState {
        let pointer = here.pointer;
        let Some(bits) = self.memory.node(address).filter(|_| !pointer.is_special()) else {
            return EntryState::Outside;
        };
        match pointer.kind() {
            NodeKind::Unused => return EntryState::Outside,
            NodeKind::Box | NodeKind::Instance if !self.seen.mark(address) => {
                return EntryState::Again;
            }
            NodeKind::Box => {
                found.totals.boxes += 1;
                add_children(here, &BoxNode::decode(&bits), &mut found.waiting);
            }
            NodeKind::Instance => {
                found.totals.instances += 1;
                let node = InstanceNode::decode(&bits);
                let below = here.structure.below(self.memory, &node);
                found.totals.structures += usize::from(self.bases.insert(below.box_base));
                for NamedNode { slots, pointer } in node.named_nodes(below.naming()) {
                    let slot = slots.trailing_zeros() as usize;
                    found.waiting.push(here.child(slot, pointer, below));
                }
            }
            NodeKind::Primitive { pair } => {
                found.totals.ranges += 1;
                self.count_pairs(&here.structure, address, pair, found);
            }
        }
        EntryState::Read
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
    /// Counts the pairs of a range up to the first that is known: the rest is known too.
    fn count_pairs(
        &mut self,
        structure: &Structure,
        address: u64,
        first_pair: u8,
        found: &mut Found<NodePointer, Structure>,
    ) {
        let pairs = Pairs { memory: self.memory, next: Some((address, first_pair.into())) };
        for (address, pair, node) in pairs {
            let counted = self.pairs.at(address);
            if *counted >> pair & 1 != 0 {
                break;
            }
            found.totals.primitive_nodes += usize::from(*counted == 0);
            *counted |= 1 << pair;
            found.totals.pairs += 1;
            let node = structure.primitive_node(node.bits());
            for (number, triangle) in node.pair(pair.into()).triangles.iter().enumerate() {
                let is_procedural = triangle.is_procedural();
                if number == 1 && triangle.is_absent() {
                    continue;
                }
                found.totals.procedurals += usize::from(is_procedural);
                found.totals.triangles += usize::from(!is_procedural);
                let n = 2 * usize::from(pair) + number;
                let (geometry, primitive) = (node.geometry_id(n), node.primitive_id(n));
                found.primitives.push(PrimitiveRef { geometry, primitive });
            }
        }
    }
}
