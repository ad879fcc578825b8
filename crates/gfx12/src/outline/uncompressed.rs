//! The outline of an image of the uncompressed format.

use super::{Found, Reader, Waiting, follow};
use crate::decode::Memory;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::uncompressed::{DualInstanceNode, DualKind, DualPointer, TriangleNode};
use crate::layout::{HalfNodeBits, NodeBits};
use crate::uncompressed::survey::four_boxes;
use machine::{EntryState, Image, NodeRef, Outline, PrimitiveRef};
use std::collections::HashSet;

/// The outline of an image of the uncompressed format.
#[must_use]
pub fn dual_outline(image: &Image) -> Outline {
    let memory = &Memory::new(image);
    let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
    let root = u32::try_from(image.root).map_or(DualPointer::INVALID, DualPointer);
    let mut reader = Uncompressed { memory, seen: HashSet::new() };
    follow(&mut reader, base, root)
}

type Here = Waiting<DualPointer, u64>;

struct Uncompressed<'a> {
    memory: &'a Memory<'a>,
    /// Boxes and instances that were read, by address.
    seen: HashSet<u64>,
}

impl Reader for Uncompressed<'_> {
    type Pointer = DualPointer;
    /// The base.
    type Structure = u64;

    fn address(base: &u64, pointer: DualPointer) -> u64 {
        base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK
    }

    fn name(base: &u64, pointer: DualPointer) -> (NodeRef, &'static str, usize) {
        let node = NodeRef { base: *base, pointer: pointer.0.into() };
        (node, pointer.kind_name(), pointer.node_bytes())
    }

    fn read(
        &mut self,
        here: &Here,
        address: u64,
        found: &mut Found<DualPointer, u64>,
    ) -> EntryState {
        let pointer = here.pointer;
        let bytes = self.memory.get(address, pointer.node_bytes());
        let Some(bytes) = bytes.filter(|_| !pointer.is_special()) else {
            return EntryState::Outside;
        };
        match pointer.kind() {
            DualKind::OldTriangle | DualKind::User => return EntryState::Outside,
            // The root below an instance may be an instance, even the same one.
            DualKind::HalfBox | DualKind::Fp32Box | DualKind::Instance
                if !self.seen.insert(address) =>
            {
                return EntryState::Again;
            }
            DualKind::HalfBox | DualKind::Fp32Box => {
                found.totals.boxes += 1;
                let node = four_boxes(self.memory, address, pointer);
                for (slot, &child) in node.iter().flat_map(|node| node.children.iter().enumerate())
                {
                    if child != DualPointer::INVALID {
                        found.waiting.push(here.child(slot, child, here.structure));
                    }
                }
            }
            DualKind::Instance => {
                found.totals.instances += 1;
                let node = DualInstanceNode::decode(&NodeBits::from_bytes(bytes));
                let (base, root) = (node.child_base.address(), node.child_root);
                found.totals.structures +=
                    usize::from(!self.seen.contains(&Self::address(&base, root)));
                found.waiting.push(here.child(0, root, base));
            }
            DualKind::Triangle0 | DualKind::Triangle1 => {
                let node = TriangleNode::decode(&HalfNodeBits::from_bytes(bytes));
                let is_procedural = node.info(0).procedural;
                let is_pair = pointer.kind() == DualKind::Triangle1 && !is_procedural;
                let ids = &node.primitive_ids[..1 + usize::from(is_pair)];
                let geometry = node.geometry_id;
                let named = ids.iter().map(|&primitive| PrimitiveRef { geometry, primitive });
                found.primitives.extend(named);
                found.totals.ranges += 1;
                found.totals.primitive_nodes += 1;
                found.totals.pairs += 1;
                found.totals.procedurals += usize::from(is_procedural);
                if !is_procedural {
                    found.totals.triangles += ids.len();
                }
            }
        }
        EntryState::Read
    }
}
