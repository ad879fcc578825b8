//! The outline of an image of the format `gfx12-bvh4x2`.

use super::marks::Marks;
use super::{Found, Reader, Waiting, follow};
use crate::bvh4x2::survey::four_boxes;
use crate::layout::base_pointer::ADDRESS_MASK;
use crate::layout::bvh4x2::{Bvh4Kind, Bvh4Pointer, Bvh4x2InstanceNode, TriangleNode};
use crate::layout::{HalfNodeBits, NodeBits};
use crate::survey::Memory;
use machine::{EntryState, Image, NodeRef, Outline, PrimitiveRef};

/// The outline of an image of the format `gfx12-bvh4x2`.
#[must_use]
pub fn bvh4x2_outline(image: &Image) -> Outline {
    let memory = &Memory::new(image);
    let base = image.bases.first().map_or(0, |base| base & ADDRESS_MASK);
    let root = u32::try_from(image.root).map_or(Bvh4Pointer::INVALID, Bvh4Pointer);
    let mut reader = Bvh4x2 { memory, seen: Marks::new(memory) };
    follow(&mut reader, base, root)
}

type Here = Waiting<Bvh4Pointer, u64>;

struct Bvh4x2<'a> {
    memory: &'a Memory<'a>,
    /// Boxes and instances that were read, by address.
    seen: Marks<'a>,
}

impl Reader for Bvh4x2<'_> {
    type Pointer = Bvh4Pointer;
    /// The base.
    type Structure = u64;

    fn address(base: &u64, pointer: Bvh4Pointer) -> u64 {
        base.wrapping_add(pointer.byte_offset()) & ADDRESS_MASK
    }

    fn name(base: &u64, pointer: Bvh4Pointer) -> (NodeRef, &'static str, usize) {
        let node = NodeRef { base: *base, pointer: pointer.0.into() };
        (node, pointer.kind_name(), pointer.node_bytes())
    }

    fn read(
        &mut self,
        here: &Here,
        address: u64,
        found: &mut Found<Bvh4Pointer, u64>,
    ) -> EntryState {
        let pointer = here.pointer;
        let bytes = self.memory.get(address, pointer.node_bytes());
        let Some(bytes) = bytes.filter(|_| !pointer.is_special()) else {
            return EntryState::Outside;
        };
        match pointer.kind() {
            Bvh4Kind::OldTriangle | Bvh4Kind::User => return EntryState::Outside,
            // The root below an instance may be an instance, even the same one.
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box | Bvh4Kind::Instance
                if !self.seen.mark(address) =>
            {
                return EntryState::Again;
            }
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => {
                found.totals.boxes += 1;
                let node = four_boxes(self.memory, address, pointer);
                for (slot, &child) in node.iter().flat_map(|node| node.children.iter().enumerate())
                {
                    if child != Bvh4Pointer::INVALID {
                        found.waiting.push(here.child(slot, child, here.structure));
                    }
                }
            }
            Bvh4Kind::Instance => {
                found.totals.instances += 1;
                let node = Bvh4x2InstanceNode::decode(&NodeBits::from_bytes(bytes));
                let (base, root) = (node.child_base.address(), node.child_root);
                found.totals.structures +=
                    usize::from(*self.seen.at(Self::address(&base, root)) == 0);
                found.waiting.push(here.child(0, root, base));
            }
            Bvh4Kind::Triangle0 | Bvh4Kind::Triangle1 => {
                let node = TriangleNode::decode(&HalfNodeBits::from_bytes(bytes));
                let is_procedural = node.info(0).procedural;
                let is_pair = pointer.kind() == Bvh4Kind::Triangle1 && !is_procedural;
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
