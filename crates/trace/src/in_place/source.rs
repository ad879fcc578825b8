//! Nodes, decoded as they are met. The image's check has followed all links (CHECKED), so they lead
//! to nodes.

use super::{InPlace, Root};
use crate::source::{Child, LevelId, LinkTarget, TraversalSource};
use crate::world::Tlas;
use geometry::{Aabb, Triangle};
use gfx12::layout::{
    BoxNode, NODE_BYTES, NodeBits, NodeKind, NodePointer, PrimitiveNode, ProceduralBox,
    ProceduralWriter, TriangleDescriptor,
};
use gfx12::obb;
use std::ops::ControlFlow;
use tree::primitives::Primitive;
use tree::{PrimitiveFlags, PrimitiveId};

impl TraversalSource for InPlace {
    type Link = NodePointer;

    const NODE_BYTES: u64 = NODE_BYTES;
    const LEAF_BYTES: [u64; 2] = [0, NODE_BYTES];

    fn tlas(&self) -> Option<&Tlas> {
        self.instances.as_ref().map(|instances| &instances.tlas)
    }

    fn root(&self, level: LevelId) -> Option<(NodePointer, Aabb)> {
        let Root { structure, bounds, .. } = self.structures.get(self.place(level))?;
        (!bounds.is_empty()).then_some((structure.root, *bounds))
    }

    fn target(&self, link: NodePointer) -> LinkTarget {
        match link.kind() {
            NodeKind::Box => LinkTarget::Node,
            NodeKind::Primitive { .. } => LinkTarget::Leaf,
            NodeKind::Instance => {
                let number = self.instances.as_ref().and_then(|found| found.number(link));
                number.map_or(LinkTarget::Nothing, LinkTarget::Instance)
            }
            NodeKind::Unused => LinkTarget::Nothing,
        }
    }

    fn children(
        &self,
        level: LevelId,
        node: NodePointer,
        mut visit: impl FnMut(Child<NodePointer>),
    ) {
        let node = BoxNode::decode(&self.bits(level, node));
        let frame = obb::rotation(node.obb_matrix_index);
        for (slot, link) in used_children(&node) {
            visit(Child { bounds: node.child_box(slot), frame, slot: slot as u8, link });
        }
    }

    fn primitives(
        &self,
        level: LevelId,
        leaf: NodePointer,
        mut visit: impl FnMut(Primitive<'_>, PrimitiveId, NodePointer) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut pointer = leaf;
        loop {
            let bits = self.bits(level, pointer);
            let node = self.structures[self.place(level)].structure.primitive_node(&bits);
            let mut here = pointer;
            for pair in usize::from(pointer.pair())..node.pair_count() {
                let descriptor = node.pair(pair);
                let [first, second] = descriptor.triangles;
                let mut visit = |primitive: Primitive<'_>, id| visit(primitive, id, here);
                primitive(&node, 2 * pair, &first, &mut visit)?;
                if !second.is_absent() {
                    primitive(&node, 2 * pair + 1, &second, &mut visit)?;
                }
                if descriptor.prim_range_stop {
                    return ControlFlow::Continue(());
                }
                here = here.advance(false);
            }
            pointer = pointer.advance(true);
        }
    }

    fn pointer(&self, link: NodePointer) -> u64 {
        link.0.into()
    }

    fn address(&self, level: LevelId, link: NodePointer) -> Option<u64> {
        Some(self.structures[self.place(level)].structure.address_of(link))
    }
}

impl InPlace {
    /// Where a level stands among the structures.
    fn place(&self, level: LevelId) -> usize {
        match level {
            LevelId::Tlas => 0,
            LevelId::Blas(number) => number + usize::from(self.instances.is_some()),
        }
    }

    /// The bits of a node. A link leads there, so one of the segments has it.
    fn bits(&self, level: LevelId, pointer: NodePointer) -> NodeBits {
        const BYTES: usize = NODE_BYTES as usize;
        let root = &self.structures[self.place(level)];
        let address = root.structure.address_of(pointer);
        let segments = &self.image.image().segments;
        if let Some(bytes) = segments[root.segment].get(address, BYTES) {
            return NodeBits::from_bytes(bytes);
        }
        let before = segments.iter().take_while(|other| other.get(address, BYTES).is_none());
        let segment = &segments[before.count()];
        let start = (address - segment.address) as usize;
        NodeBits::from_bytes(&segment.bytes()[start..start + BYTES])
    }
}

/// The children of a node that hold something, with their slots.
pub(super) fn used_children(node: &BoxNode) -> impl Iterator<Item = (usize, NodePointer)> + '_ {
    let entries = node.used_children();
    let links = node.child_pointers().into_iter().enumerate().take(entries.len());
    links.filter(|&(slot, _)| entries[slot].mask != 0 || !entries[slot].is_inverted())
}

/// Shows a primitive of a node.
fn primitive(
    node: &PrimitiveNode,
    number: usize,
    stored: &TriangleDescriptor,
    visit: &mut impl FnMut(Primitive<'_>, PrimitiveId) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut flags = PrimitiveFlags::empty();
    flags.set(PrimitiveFlags::OPAQUE, stored.opaque);
    let (geometry, primitive) = (node.geometry_id(number), node.primitive_id(number));
    if stored.is_procedural() {
        let bounds = ProceduralBox::read(node, ProceduralWriter::of(node)).bounds;
        return visit(Primitive::Box(&bounds), PrimitiveId { geometry, primitive, flags });
    }
    flags.set(PrimitiveFlags::DOUBLE_SIDED, stored.double_sided);
    let vertices = stored.indices.map(|index| node.position(usize::from(index)));
    visit(Primitive::Triangle(&Triangle { vertices }), PrimitiveId { geometry, primitive, flags })
}
