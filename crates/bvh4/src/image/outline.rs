//! The outline of an image of 4-wide nodes.

use super::dialect::{Dialect, LeafNode};
use crate::layout::{Bvh4Kind, Bvh4Pointer};
use crate::outline::{Found, Marks, Reader, Waiting, follow};
use crate::survey::Memory;
use geometry::{Aabb, Vec3};
use machine::{EntryState, Image, NodeRef, Outline, PrimitiveRef};
use std::marker::PhantomData;

/// Every node of an image from the root down.
#[must_use]
pub fn outline<D: Dialect>(image: &Image) -> Outline {
    let memory = &Memory::new(image);
    let structure = D::of_root(image, memory);
    let mut reader = Nodes::<D> { memory, seen: Marks::new(memory), dialect: PhantomData };
    follow(&mut reader, memory, structure, structure.root())
}

struct Nodes<'a, D> {
    memory: &'a Memory<'a>,
    /// Boxes and instances that were read, by address.
    seen: Marks<'a>,
    dialect: PhantomData<D>,
}

impl<D: Dialect> Reader for Nodes<'_, D> {
    type Pointer = Bvh4Pointer;
    type Structure = D;

    fn address(structure: &D, pointer: Bvh4Pointer) -> u64 {
        structure.address_of(pointer)
    }

    fn name(structure: &D, pointer: Bvh4Pointer) -> (NodeRef, &'static str, usize) {
        let node = NodeRef { base: structure.base(), pointer: pointer.0.into() };
        let kind = if structure.is_child(pointer.kind()) { pointer.kind_name() } else { "unused" };
        (node, kind, pointer.node_bytes())
    }

    fn read(
        &mut self,
        here: &Waiting<Bvh4Pointer, D>,
        address: u64,
        found: &mut Found<Bvh4Pointer, D>,
    ) -> EntryState {
        let (pointer, structure) = (here.pointer, here.structure);
        let exists = self.memory.get(address, pointer.node_bytes()).is_some();
        if !exists || pointer.is_special() || !structure.is_child(pointer.kind()) {
            return EntryState::Outside;
        }
        match pointer.kind() {
            // The root below an instance may be an instance, even the same one.
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box | Bvh4Kind::Instance
                if !self.seen.mark(address) =>
            {
                return EntryState::Again;
            }
            Bvh4Kind::HalfBox | Bvh4Kind::Fp32Box => {
                found.totals.boxes += 1;
                let node = structure.four_boxes(self.memory, pointer);
                for (slot, &child) in node.iter().flat_map(|node| node.children.iter().enumerate())
                {
                    if child != Bvh4Pointer::INVALID {
                        found.waiting.push(here.child(slot, child, structure));
                    }
                }
            }
            Bvh4Kind::Instance => {
                found.totals.instances += 1;
                if let Some(node) = structure.instance(self.memory, pointer) {
                    let (below, root) = (node.below, node.below.root());
                    let is_new = *self.seen.at(below.address_of(root)) == 0;
                    found.totals.structures += usize::from(is_new);
                    found.waiting.push(here.child(0, root, below));
                }
            }
            _ => {
                let anywhere = Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY);
                if let Some(node) = structure.leaf(self.memory, pointer, &anywhere) {
                    count_leaf(&node, found);
                }
            }
        }
        EntryState::Read
    }
}

fn count_leaf<P, S>(node: &LeafNode, found: &mut Found<P, S>) {
    let named = node.all().iter().map(|stored| PrimitiveRef {
        geometry: stored.id.geometry,
        primitive: stored.id.primitive,
    });
    found.primitives.extend(named);
    found.totals.ranges += 1;
    found.totals.primitive_nodes += 1;
    found.totals.pairs += 1;
    if node.is_procedural() {
        found.totals.procedurals += 1;
    } else {
        found.totals.triangles += node.count;
    }
}
