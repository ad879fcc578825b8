//! The outline of an image of the uncompressed format.

use super::{Outline, Reader, State, Totals, Waiting, follow};
use crate::decode::Memory;
use crate::describe::dual_node_bytes;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::uncompressed::{DualInstanceNode, DualKind, DualPointer, TriangleNode};
use crate::layout::{HalfNodeBits, NodeBits};
use crate::uncompressed::survey::four_boxes;
use machine::Image;
use std::collections::HashSet;

/// The outline of an image of the uncompressed format.
#[must_use]
pub fn dual_outline(image: &Image) -> Outline<DualPointer> {
    let memory = &Memory::new(image);
    let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
    let root = u32::try_from(image.root).map_or(DualPointer::INVALID, DualPointer);
    let mut reader = Uncompressed { memory, seen: HashSet::new() };
    follow(&mut reader, base, root)
}

type Here = Waiting<DualPointer, u64>;

struct Uncompressed<'a> {
    memory: &'a Memory<'a>,
    /// Boxes that were read, by address.
    seen: HashSet<u64>,
}

impl Reader for Uncompressed<'_> {
    type Pointer = DualPointer;
    /// The base.
    type Structure = u64;

    fn address(base: &u64, pointer: DualPointer) -> u64 {
        base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK
    }

    fn read(
        &mut self,
        here: &Here,
        address: u64,
        totals: &mut Totals,
        children: &mut Vec<Here>,
    ) -> State {
        let pointer = here.pointer;
        let bytes = self.memory.get(address, dual_node_bytes(pointer));
        let Some(bytes) = bytes.filter(|_| !pointer.is_special()) else {
            return State::Outside;
        };
        match pointer.kind() {
            DualKind::OldTriangle | DualKind::User => return State::Outside,
            DualKind::HalfBox | DualKind::Fp32Box => {
                if !self.seen.insert(address) {
                    return State::Again;
                }
                totals.boxes += 1;
                let node = four_boxes(self.memory, address, pointer);
                for (slot, &child) in node.iter().flat_map(|node| node.children.iter().enumerate())
                {
                    if child != DualPointer::INVALID {
                        children.push(here.child(slot, child, here.structure));
                    }
                }
            }
            DualKind::Instance => {
                totals.instances += 1;
                let node = DualInstanceNode::decode(&NodeBits::from_bytes(bytes));
                let (base, root) = (node.child_base.address(), node.child_root);
                totals.structures += usize::from(!self.seen.contains(&Self::address(&base, root)));
                children.push(here.child(0, root, base));
            }
            DualKind::Triangle0 | DualKind::Triangle1 => {
                let node = TriangleNode::decode(&HalfNodeBits::from_bytes(bytes));
                let is_procedural = node.info(0).procedural;
                totals.ranges += 1;
                totals.primitive_nodes += 1;
                totals.pairs += 1;
                totals.procedurals += usize::from(is_procedural);
                if !is_procedural {
                    totals.triangles += 1 + usize::from(pointer.kind() == DualKind::Triangle1);
                }
            }
        }
        State::Read
    }
}
